"""What x86-64 instructions do to known registers: constants, addresses at a constant distance, the stack pointer.

Exact for moves, lea, additions, subtractions, comparisons, push and pop in 32 and 64 bits; any other register that an
instruction may write becomes unknown. Registers go by their 64-bit names.
"""

from collections.abc import Callable
from typing import Any

from capstone import CS_AC_WRITE
from capstone.x86 import X86_OP_IMM, X86_OP_MEM, X86_OP_REG

from targets.audit.machine import (
    UNKNOWN_FLAGS,
    Flags,
    Instruction,
    State,
    Value,
    add_offset,
    difference_flags,
    result_flags,
)

Changes = dict[str, Value | None]
Effect = tuple[Changes, Flags | None]
REGISTER_BITS = 64


def _families() -> dict[str, str]:
    names: dict[str, str] = {}
    for letter in "abcd":
        names |= dict.fromkeys((f"r{letter}x", f"e{letter}x", f"{letter}x", f"{letter}l", f"{letter}h"), f"r{letter}x")
    for stem in ("si", "di", "bp", "sp"):
        names |= dict.fromkeys((f"r{stem}", f"e{stem}", stem, f"{stem}l"), f"r{stem}")
    for number in range(8, 16):
        names |= dict.fromkeys((f"r{number}{suffix}" for suffix in ("", "d", "w", "b")), f"r{number}")
    return names


REGISTER_FAMILY = _families()  # "r9d" -> "r9"


def apply(instruction: Instruction, state: State) -> State:
    """The state behind an instruction."""
    code = instruction.code
    changes: Changes = dict.fromkeys(written_registers(instruction))
    flags: Flags | None = UNKNOWN_FLAGS if _writes_flags(code) else None
    exact = _EXACT_EFFECTS.get(code.mnemonic)
    if exact is not None:
        values, exact_flags = exact(code, state)
        changes.update(values)
        flags = exact_flags if exact_flags is not None else flags
    after = state.with_values(changes)
    return after if flags is None else after.with_flags(flags)


def written_registers(instruction: Instruction) -> frozenset[str]:
    """General registers that an instruction may change."""
    code = instruction.code
    found = {REGISTER_FAMILY.get(code.reg_name(register), "") for register in code.regs_access()[1]}
    for operand in code.operands:
        if operand.type == X86_OP_REG and (operand.access & CS_AC_WRITE or operand.access == 0):
            found.add(REGISTER_FAMILY.get(code.reg_name(operand.reg), ""))
    return frozenset(found - {""})


def pushed_registers(instruction: Instruction) -> frozenset[str]:
    """The register that a `push` saves."""
    code = instruction.code
    if code.mnemonic == "push" and code.operands[0].type == X86_OP_REG:
        return frozenset({REGISTER_FAMILY.get(code.reg_name(code.operands[0].reg), "")})
    return frozenset()


def _writes_flags(code: Any) -> bool:
    return any(code.reg_name(register) == "rflags" for register in code.regs_access()[1])


def _bits(code: Any) -> int:
    return int(code.operands[0].size) * 8


def _read(code: Any, position: int, state: State) -> Value | None:
    """An operand in the width of the instruction; None where unknown, narrow or in memory."""
    operand = code.operands[position]
    bits = _bits(code)
    if bits not in (32, REGISTER_BITS):
        return None
    if operand.type == X86_OP_IMM:
        return Value("", operand.imm % (1 << bits))
    if operand.type != X86_OP_REG or operand.size * 8 != bits:
        return None
    value = state.get(REGISTER_FAMILY.get(code.reg_name(operand.reg), ""))
    if value is None or (value.base and bits != REGISTER_BITS):
        return None
    return value if value.base else Value("", value.offset % (1 << bits))


def _target(code: Any, value: Value | None) -> Changes:
    operand = code.operands[0]
    return {REGISTER_FAMILY[code.reg_name(operand.reg)]: value} if _is_general(code, operand) else {}


def _is_general(code: Any, operand: Any) -> bool:
    return operand.type == X86_OP_REG and code.reg_name(operand.reg) in REGISTER_FAMILY


def _move(code: Any, state: State) -> Effect:
    return _target(code, _read(code, 1, state)), None


def _address(code: Any, state: State) -> Effect:
    """`lea`: a known base plus a constant; an index makes it unknown."""
    memory = code.operands[1].mem
    base = state.get(REGISTER_FAMILY.get(code.reg_name(memory.base) or "", ""))
    known = not memory.index and memory.base and _bits(code) == REGISTER_BITS
    return _target(code, add_offset(base, memory.disp, REGISTER_BITS) if known else None), None


def _exclusive_or(code: Any, state: State) -> Effect:  # noqa: ARG001
    same = len({(item.type, item.reg) for item in code.operands}) == 1 and code.operands[0].type == X86_OP_REG
    zero = Value("", 0) if same and _bits(code) >= 32 else None
    return _target(code, zero), Flags(negative=False, zero=True, carry=True, overflow=False) if zero else UNKNOWN_FLAGS


def _add(code: Any, state: State) -> Effect:
    left, right = _read(code, 0, state), _read(code, 1, state)
    total = add_offset(left, right.offset, _bits(code)) if right is not None and not right.base else None
    return _target(code, total), result_flags(total, _bits(code))


def _subtract(code: Any, state: State) -> Effect:
    left, right = _read(code, 0, state), _read(code, 1, state)
    total = add_offset(left, -right.offset, _bits(code)) if right is not None and not right.base else None
    return _target(code, total), difference_flags(left, right, _bits(code))


def _step(distance: int) -> Callable[[Any, State], Effect]:
    def effect(code: Any, state: State) -> Effect:
        total = add_offset(_read(code, 0, state), distance, _bits(code))
        return _target(code, total), result_flags(total, _bits(code))

    return effect


def _compare(code: Any, state: State) -> Effect:
    return {}, difference_flags(_read(code, 0, state), _read(code, 1, state), _bits(code))


def _test(code: Any, state: State) -> Effect:
    same = code.operands[1].type == X86_OP_REG and code.operands[0].reg == code.operands[1].reg
    return {}, result_flags(_read(code, 0, state), _bits(code)) if same else UNKNOWN_FLAGS


def _stack(direction: int) -> Callable[[Any, State], Effect]:
    def effect(code: Any, state: State) -> Effect:
        size = 2 if code.operands[0].size == 2 else 8
        changes: Changes = {"rsp": add_offset(state.get("rsp"), direction * size, REGISTER_BITS)}
        if direction > 0 and code.operands[0].type != X86_OP_MEM:
            changes |= _target(code, None)
        return changes, None

    return effect


def _stack_kept(_code: Any, state: State) -> Effect:
    """Call and return: seen from one function, the stack pointer is behind them what it was before."""
    return {"rsp": state.get("rsp")}, None


def _leave(_code: Any, state: State) -> Effect:
    return {"rsp": add_offset(state.get("rbp"), 8, REGISTER_BITS), "rbp": None}, None


_EXACT_EFFECTS: dict[str, Callable[[Any, State], Effect]] = {
    "mov": _move,
    "movabs": _move,
    "lea": _address,
    "xor": _exclusive_or,
    "add": _add,
    "sub": _subtract,
    "inc": _step(+1),
    "dec": _step(-1),
    "cmp": _compare,
    "test": _test,
    "push": _stack(-1),
    "pop": _stack(+1),
    "call": _stack_kept,
    "ret": _stack_kept,
    "leave": _leave,
}
