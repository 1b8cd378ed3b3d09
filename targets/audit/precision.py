"""Double-precision instructions in float32 code: what a double literal becomes where the processor computes doubles.

Where it does not, the literal pulls in a helper and `symbols` finds that.
"""

import re
from collections.abc import Iterable

from targets.audit.image import Image
from targets.audit.thumb import thumb_machine
from targets.audit.x86 import x86_machine

X86_DOUBLE = re.compile(
    r"^v?(?:add|sub|mul|div|sqrt|min|max|u?comi|cvtss2|cvtsi2)sd$|^v?cvt(?:sd2s[si]|tsd2si|ps2pd|pd2ps)$"
)


def double_instructions(image: Image, addresses: Iterable[int]) -> dict[str, str]:
    """Instructions that compute in double precision, by their place, among the addresses of a trace."""
    machine = x86_machine(image) if image.machine == "x86-64" else thumb_machine(image)
    found = {}
    for address in sorted(set(addresses)):
        text = machine.decode(address).text
        mnemonic = text.split()[0] if text else ""
        if ".f64" in mnemonic or X86_DOUBLE.match(mnemonic):
            found[image.where(address)] = text
    return found
