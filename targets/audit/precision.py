"""Double-precision instructions in float32 code: what a double literal becomes where the processor computes doubles.

Where it does not, the literal pulls in a helper and `symbols` finds that.
"""

import re
from collections.abc import Iterator

from targets.audit.image import FunctionSymbol, Image
from targets.audit.machine import Instruction, Machine
from targets.audit.machines import machine_of

X86_DOUBLE = re.compile(
    r"^v?(?:(?:add|sub|mul|div|sqrt|min|max|u?comi|cvtss2|cvtsi2)sd|(?:add|sub|mul|div|sqrt|cvtps2)pd"
    r"|cvtt?sd2s[si]|cvtpd2ps|unpcklpd)$"
)


def double_instructions(image: Image) -> dict[str, str]:
    """Instructions of any function that compute in double precision: place -> text, in the order of the code."""
    machine = machine_of(image)
    return {
        image.where(instruction.address): instruction.text
        for function in image.functions
        for instruction in _instructions(image, machine, function)
        if _is_double(instruction.text)
    }


def _instructions(image: Image, machine: Machine, function: FunctionSymbol) -> Iterator[Instruction]:
    address = function.start
    while address < function.end:
        instruction = machine.decode(address)
        if not image.is_data(address):
            yield instruction
        address = instruction.next


def _is_double(text: str) -> bool:
    mnemonic = text.partition(" ")[0]
    return ".f64" in mnemonic or X86_DOUBLE.match(mnemonic) is not None
