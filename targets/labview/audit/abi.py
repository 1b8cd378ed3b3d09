"""Calling conventions: where arguments go and what a function must leave as it was.

In: an emulator, arguments, a stack pointer. Out: registers and stack as a caller leaves them. An int argument stands
for an int32 or a pointer, a float for a double. System V AMD64 ABI, Microsoft x64, cdecl on i386, AAPCS with softfp.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from targets.audit.disassembler import Disassembler, disassembler

Argument = int | float
FPEXC_ENABLE = 1 << 30
CPACR_ENABLE = 0xF << 20
X87_EMPTY = 0xFFFF
MXCSR_CONTROL, MXCSR_DEFAULT = 0xFFC0, 0x1F80  # rounding, masks, flush to zero; the flags below may change
SHADOW_BYTES = 32  # Microsoft x64: the caller leaves room for four registers


@dataclass(frozen=True, slots=True)
class Abi:
    """A machine with its calling convention."""

    engine: Callable[[], Any]
    disassembler: Callable[[], Disassembler]
    passed: Callable[[Any, Sequence[Argument], int, int], int]  # sets registers and stack, gives the stack pointer
    stack_pointer: int
    program_counter: int
    result: int
    preserved: dict[str, int]  # name -> register of the emulator
    fixed: dict[str, tuple[int, int, int]]  # name -> register, which of its bits, and their value
    returned: int  # by how much the stack pointer is higher afterwards: the return address

    def prepare(self, engine: Any, arguments: Sequence[Argument], pointer: int, back: int) -> dict[str, int]:
        """Set up a call; what must be the same afterwards."""
        for number, register in enumerate(self.preserved.values()):
            engine.reg_write(register, 0x11110000 + number)
        below = self.passed(engine, arguments, pointer, back)
        engine.reg_write(self.stack_pointer, below)
        before = {name: engine.reg_read(register) for name, register in self.preserved.items()}
        return before | {"the stack pointer": below + self.returned}

    def first_change(self, engine: Any, before: dict[str, int]) -> str:
        """The first thing that a call changed and should not have; empty where it kept to the rules."""
        after = {name: engine.reg_read(register) for name, register in self.preserved.items()}
        after["the stack pointer"] = engine.reg_read(self.stack_pointer)
        changed = [name for name, value in after.items() if value != before[name]]
        held = {name: engine.reg_read(register) & mask for name, (register, mask, _) in self.fixed.items()}
        changed += [name for name, (_, _, value) in self.fixed.items() if held[name] != value]
        return changed[0] if changed else ""


def _emulator(architecture: str, mode: str) -> Any:
    import unicorn  # noqa: PLC0415 - not for --help

    engine: Any = unicorn
    return engine.Uc(getattr(unicorn, f"UC_ARCH_{architecture}"), getattr(unicorn, f"UC_MODE_{mode}"))


@cache
def _disassembler(architecture: str, mode: str) -> Disassembler:
    import capstone  # noqa: PLC0415 - not for --help

    return disassembler(getattr(capstone, f"CS_ARCH_{architecture}"), getattr(capstone, f"CS_MODE_{mode}"))


def _x86(name: str) -> int:
    from unicorn import x86_const  # noqa: PLC0415 - not for --help

    return int(getattr(x86_const, f"UC_X86_REG_{name}"))


def _arm(name: str) -> int:
    from unicorn import arm_const  # noqa: PLC0415 - not for --help

    return int(getattr(arm_const, f"UC_ARM_REG_{name}"))


def _push_words(engine: Any, pointer: int, words: bytes) -> int:
    engine.mem_write(pointer, words)
    return pointer


def _cdecl(engine: Any, arguments: Sequence[Argument], pointer: int, back: int) -> int:
    """Everything on the stack, 4-byte aligned."""
    words = b"".join(struct.pack("<d", each) if isinstance(each, float) else _word(each) for each in arguments)
    return _push_words(engine, (pointer & ~3) - len(words) - 4, _word(back) + words)


def _word(value: int) -> bytes:
    return struct.pack("<I", value & 0xFFFFFFFF)


def _quad(value: Argument) -> bytes:
    return struct.pack("<d", value) if isinstance(value, float) else struct.pack("<Q", value & 0xFFFFFFFFFFFFFFFF)


def _microsoft(engine: Any, arguments: Sequence[Argument], pointer: int, back: int) -> int:
    """The first four by position in rcx.. or xmm0.., the rest on the stack above the shadow space."""
    for number, value in enumerate(arguments[:4]):
        if isinstance(value, float):
            engine.reg_write(_x86(f"XMM{number}"), int.from_bytes(_quad(value), "little"))
        else:
            engine.reg_write(_x86(("RCX", "RDX", "R8", "R9")[number]), value & 0xFFFFFFFFFFFFFFFF)
    rest = b"".join(_quad(each) for each in arguments[4:])
    return _push_words(engine, _below_16(pointer, SHADOW_BYTES + len(rest)), _quad(back) + bytes(SHADOW_BYTES) + rest)


def _system_v(engine: Any, arguments: Sequence[Argument], pointer: int, back: int) -> int:
    """Integers in rdi.., reals in xmm0.., what is left over on the stack in order."""
    integers, reals = ["RDI", "RSI", "RDX", "RCX", "R8", "R9"], [f"XMM{number}" for number in range(8)]
    rest = b""
    for value in arguments:
        free = reals if isinstance(value, float) else integers
        if free:
            engine.reg_write(_x86(free.pop(0)), int.from_bytes(_quad(value), "little"))
        else:
            rest += _quad(value)
    return _push_words(engine, _below_16(pointer, len(rest)), _quad(back) + rest)


def _below_16(pointer: int, size: int) -> int:
    """A stack pointer behind a call whose arguments begin at a multiple of 16."""
    return ((pointer - size) & ~15) - 8


def _aapcs(engine: Any, arguments: Sequence[Argument], pointer: int, back: int) -> int:
    """r0 to r3, then the stack; a double takes an even pair of registers, or eight bytes at a multiple of eight."""
    words: list[bytes] = []
    for value in arguments:
        parts = [_quad(value)[:4], _quad(value)[4:]] if isinstance(value, float) else [_word(value)]
        if len(parts) > 1 and len(words) % 2:
            words.append(_word(0))  # the register or word that stays unused
        words += parts
    for number, word in enumerate(words[:4]):
        engine.reg_write(_arm(f"R{number}"), int.from_bytes(word, "little"))
    engine.reg_write(_arm("LR"), back)
    rest = b"".join(words[4:])
    return _push_words(engine, (pointer - len(rest)) & ~7, rest)


def _arm_engine() -> Any:
    from unicorn.arm_const import UC_CPU_ARM_MAX  # noqa: PLC0415 - not for --help

    engine = _emulator("ARM", "ARM")
    engine.ctl_set_cpu_model(UC_CPU_ARM_MAX)
    engine.reg_write(_arm("C1_C0_2"), engine.reg_read(_arm("C1_C0_2")) | CPACR_ENABLE)
    engine.reg_write(_arm("FPEXC"), FPEXC_ENABLE)
    return engine


def _x86_engine(mode: str) -> Callable[[], Any]:
    def start() -> Any:
        engine = _emulator("X86", mode)
        engine.reg_write(_x86("FPTAG"), X87_EMPTY)
        engine.reg_write(_x86("MXCSR"), MXCSR_DEFAULT)
        return engine

    return start


@cache
def abis() -> dict[str, Abi]:
    """All calling conventions, by name."""
    control = {"the SSE control word": (_x86("MXCSR"), MXCSR_CONTROL, MXCSR_DEFAULT)}
    x87 = {"an empty x87 stack": (_x86("FPTAG"), X87_EMPTY, X87_EMPTY)}
    saved_32 = {name: _x86(name.upper()) for name in ("ebx", "esi", "edi", "ebp")}
    saved_64 = {name: _x86(name.upper()) for name in ("rbx", "rbp", "r12", "r13", "r14", "r15")}
    windows = {name: _x86(name.upper()) for name in ("rsi", "rdi", *(f"xmm{number}" for number in range(6, 16)))}
    saved_arm = {
        name: _arm(name.upper()) for name in (*(f"r{n}" for n in range(4, 12)), *(f"d{n}" for n in range(8, 16)))
    }
    return {
        "x86": Abi(
            _x86_engine("32"),
            partial(_disassembler, "X86", "32"),
            _cdecl,
            _x86("ESP"),
            _x86("EIP"),
            _x86("EAX"),
            saved_32,
            control | x87,
            4,
        ),
        "x86-64": Abi(
            _x86_engine("64"),
            partial(_disassembler, "X86", "64"),
            _system_v,
            _x86("RSP"),
            _x86("RIP"),
            _x86("RAX"),
            saved_64,
            control,
            8,
        ),
        "win64": Abi(
            _x86_engine("64"),
            partial(_disassembler, "X86", "64"),
            _microsoft,
            _x86("RSP"),
            _x86("RIP"),
            _x86("RAX"),
            saved_64 | windows,
            control,
            8,
        ),
        "arm": Abi(
            _arm_engine,
            partial(_disassembler, "ARM", "ARM"),
            _aapcs,
            _arm("SP"),
            _arm("PC"),
            _arm("R0"),
            saved_arm,
            {},
            0,
        ),
    }
