"""Counts instructions by running the code in an emulator: the second method beside the proof.

In: a linked ELF file, a function and its pointer arguments. Used by: comparison with `path.prove`, address by
address. Unicorn reports no instruction that an IT block predicates off, yet the core fetches it and the proof counts
it, so the blocks are filled in. Cortex-M4 code runs on that model; its Cortex-M7 lacks double precision, so such code
runs on an application core in Thumb state.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from exporter.errors import CheckFailed, ModelError
from targets.audit.image import Image, load_image
from targets.audit.machine import Instruction
from targets.audit.machines import machine_of
from targets.audit.thumb import it_block_length

PAGE = 0x1000
STACK_TOP, STACK_BYTES = 0x7000_0000, 0x1_0000
BUFFERS, BUFFER_BYTES = 0x6000_0000, 0x1_0000
RETURN_ADDRESS = 0x6800_0000
FPEXC_ENABLE = 0x4000_0000
CPACR_VFP = 0x00F0_0000
STEP_LIMIT = 10_000_000  # instructions of one emulated call


@dataclass(frozen=True, slots=True)
class DynamicRun:
    """One call: the addresses in order, the 32-bit result, the pointer arguments' bytes behind it."""

    trace: tuple[int, ...]
    result: int
    buffers: tuple[bytes, ...]

    @property
    def instructions(self) -> int:
        """How many, those that are predicated off included."""
        return len(self.trace)


def run(elf: Path, symbol: str, buffers: Sequence[bytes] = (), *, double: bool = False) -> DynamicRun:
    """Call a function with pointers to these buffers (at most four on ARM, six on x86-64).

    `double`: the code holds double-precision instructions of a Cortex-M7.

    Raises:
        ModelError: not an ELF file, not linked, or without that function.
        CheckFailed: the emulated call did not return.
    """
    image = load_image(elf)
    function = image.by_name.get(symbol)
    if function is None or image.relocatable:
        raise ModelError(f"{elf.name} is no linked file with a function {symbol}; link it first")
    host = image.machine == "x86-64"
    engine = _host_engine() if host else _arm_engine(double=double)
    _load(engine, elf)
    addresses = _place_buffers(engine, buffers)
    hooked = _call(engine, image.machine, function.start, addresses, symbol)
    trace = tuple(hooked) if host else tuple(with_predicated(image, hooked))
    read = tuple(bytes(engine.mem_read(address, len(data))) for address, data in zip(addresses, buffers, strict=True))
    return DynamicRun(trace, _result(engine, image.machine), read)


def with_predicated(image: Image, hooked: Iterable[int]) -> list[int]:
    """A trace with every instruction of its IT blocks, whether it acted or not."""
    decode = machine_of(image).decode
    trace: list[int] = []
    governed: list[int] = []
    for address in hooked:
        if address in governed:
            continue
        trace.append(address)
        governed = _it_block_addresses(decode(address), decode)
        trace.extend(governed)
    return trace


def _it_block_addresses(instruction: Instruction, decode: Any) -> list[int]:
    if instruction.code is None or instruction.code.insn_name() != "it":
        return []
    found = []
    following = instruction
    for _ in range(it_block_length(instruction.code.mnemonic)):
        following = decode(following.next)
        found.append(following.address)
    return found


def _arm_engine(*, double: bool) -> Any:
    from unicorn.arm_const import (  # noqa: PLC0415
        UC_ARM_REG_C1_C0_2,
        UC_ARM_REG_FPEXC,
        UC_CPU_ARM_CORTEX_M4,
        UC_CPU_ARM_MAX,
    )
    from unicorn.unicorn_const import UC_ARCH_ARM, UC_MODE_MCLASS, UC_MODE_THUMB  # noqa: PLC0415

    engine = _emulator(UC_ARCH_ARM, UC_MODE_THUMB if double else UC_MODE_THUMB | UC_MODE_MCLASS)
    engine.ctl_set_cpu_model(UC_CPU_ARM_MAX if double else UC_CPU_ARM_CORTEX_M4)
    if double:
        engine.reg_write(UC_ARM_REG_C1_C0_2, engine.reg_read(UC_ARM_REG_C1_C0_2) | CPACR_VFP)
    engine.reg_write(UC_ARM_REG_FPEXC, FPEXC_ENABLE)
    return engine


def _host_engine() -> Any:
    from unicorn.unicorn_const import UC_ARCH_X86, UC_MODE_64  # noqa: PLC0415

    return _emulator(UC_ARCH_X86, UC_MODE_64)


def _emulator(architecture: int, mode: int) -> Any:
    from unicorn.unicorn import Uc  # noqa: PLC0415 - a large library, and untyped

    return Uc(architecture, mode)  # type: ignore[no-untyped-call]


def _load(engine: Any, elf: Path) -> None:
    pages: set[int] = set()
    with elf.open("rb") as stream:
        segments = [item for item in ELFFile(stream).iter_segments() if item["p_type"] == "PT_LOAD"]
        loads = [(item["p_vaddr"], item["p_memsz"], item.data()) for item in segments]
    for start, size, _ in loads:
        pages.update(range(start // PAGE, (start + size) // PAGE + 1))
    pages.update(range(BUFFERS // PAGE, (BUFFERS + BUFFER_BYTES) // PAGE))
    pages.update(range((STACK_TOP - STACK_BYTES) // PAGE, STACK_TOP // PAGE + 1))
    pages.add(RETURN_ADDRESS // PAGE)
    for page in sorted(pages):
        engine.mem_map(page * PAGE, PAGE)
    for start, _, data in loads:
        engine.mem_write(start, data)


def _place_buffers(engine: Any, buffers: Sequence[bytes]) -> list[int]:
    addresses = []
    address = BUFFERS
    for data in buffers:
        engine.mem_write(address, data)
        addresses.append(address)
        address += -(-len(data) // 16) * 16 + 16
    return addresses


def _call(engine: Any, machine: str, start: int, arguments: Sequence[int], symbol: str) -> list[int]:
    from unicorn.unicorn import UcError  # noqa: PLC0415
    from unicorn.unicorn_const import UC_HOOK_CODE  # noqa: PLC0415

    hooked: list[int] = []
    engine.hook_add(UC_HOOK_CODE, lambda _engine, address, _size, _data: hooked.append(address))
    entry = _prepare_x86(engine, arguments, start) if machine == "x86-64" else _prepare_arm(engine, arguments, start)
    try:
        engine.emu_start(entry, RETURN_ADDRESS, count=STEP_LIMIT + 1)  # one more: the last may be the return
    except UcError as error:
        at = f"{hooked[-1]:#x}" if hooked else "its entry"
        raise CheckFailed(f"the emulated call of {symbol} stopped near {at}: {error}") from error
    if len(hooked) > STEP_LIMIT:
        raise CheckFailed(
            f"the emulated call of {symbol} stopped near {hooked[-1]:#x}: it had not returned after {STEP_LIMIT:,} "
            "instructions"
        )
    return hooked


def _prepare_arm(engine: Any, arguments: Sequence[int], start: int) -> int:
    from unicorn import arm_const as arm  # noqa: PLC0415

    for register, value in zip(
        (arm.UC_ARM_REG_R0, arm.UC_ARM_REG_R1, arm.UC_ARM_REG_R2, arm.UC_ARM_REG_R3), arguments, strict=False
    ):
        engine.reg_write(register, value)
    engine.reg_write(arm.UC_ARM_REG_SP, STACK_TOP - 0x100)
    engine.reg_write(arm.UC_ARM_REG_LR, RETURN_ADDRESS | 1)
    return start | 1


def _prepare_x86(engine: Any, arguments: Sequence[int], start: int) -> int:
    from unicorn import x86_const as x86  # noqa: PLC0415

    registers = (
        x86.UC_X86_REG_RDI,
        x86.UC_X86_REG_RSI,
        x86.UC_X86_REG_RDX,
        x86.UC_X86_REG_RCX,
        x86.UC_X86_REG_R8,
        x86.UC_X86_REG_R9,
    )
    for register, value in zip(registers, arguments, strict=False):
        engine.reg_write(register, value)
    pointer = STACK_TOP - 0x108  # 8 below a multiple of 16, as behind a call
    engine.mem_write(pointer, RETURN_ADDRESS.to_bytes(8, "little"))
    engine.reg_write(x86.UC_X86_REG_RSP, pointer)
    return start


def _result(engine: Any, machine: str) -> int:
    from unicorn.arm_const import UC_ARM_REG_R0  # noqa: PLC0415
    from unicorn.x86_const import UC_X86_REG_EAX  # noqa: PLC0415

    return int(engine.reg_read(UC_X86_REG_EAX if machine == "x86-64" else UC_ARM_REG_R0))
