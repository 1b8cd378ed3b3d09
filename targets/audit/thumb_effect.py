"""What Thumb-2 instructions do to known registers: constants, addresses at a constant distance, the stack pointer.

Exact for moves, additions, subtractions, comparisons and write-backs; any other register that an instruction may
write becomes unknown.
"""

from collections.abc import Callable
from typing import Any

from capstone.arm import ARM_OP_IMM, ARM_OP_MEM, ARM_OP_REG, ARM_SFT_INVALID

from targets.audit.conditions import holds
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

REGISTER_BITS = 32
READ_ONLY = 1  # capstone's access mark for an operand that is only read
COMPARISONS = frozenset({"cmp", "cmn", "tst", "teq"})
PUSHES = frozenset({"push", "vpush"})
POPS = frozenset({"pop", "vpop"})
MULTIPLE_STORES = frozenset({"stm", "stmdb", "stmib", "stmda", "vstmia", "vstmdb"})
MULTIPLE_LOADS = frozenset({"ldm", "ldmdb", "ldmib", "ldmda", "vldmia", "vldmdb"})
Changes = dict[str, Value | None]


def apply(instruction: Instruction, state: State) -> State:
    """The state behind an instruction; a predicated one with an undecided condition only forgets."""
    code = instruction.code
    if instruction.predicated:
        acts = holds(instruction.condition, state.flags)
        if acts is None:
            kept = UNKNOWN_FLAGS if _changes_flags(code) else state.flags
            return state.without(written_registers(instruction)).with_flags(kept)
        if not acts:
            return state
    exact = _EXACT_EFFECTS.get(code.insn_name())
    changes: Changes = dict.fromkeys(written_registers(instruction))
    after = state.with_flags(UNKNOWN_FLAGS) if _changes_flags(code) else state
    if exact is None:
        changes.update(_write_back(code, state))
        return after.with_values(changes)
    values, after_flags = exact(code, state)
    changes.update(values)
    return after_flags(after).with_values(changes)


def written_registers(instruction: Instruction) -> frozenset[str]:
    """Registers that an instruction may change, generously."""
    code = instruction.code
    name = code.insn_name()
    found = {code.reg_name(register) for register in code.regs_access()[1]}
    if name in PUSHES | POPS:
        found.add("sp")
    for position, operand in enumerate(code.operands):
        if operand.type == ARM_OP_MEM and code.writeback:
            found.add(code.reg_name(operand.mem.base))
        if operand.type == ARM_OP_REG and _may_write(code, name, position):
            found.add(code.reg_name(operand.reg))
    return frozenset(found)


def pushed_registers(instruction: Instruction) -> frozenset[str]:
    """Registers that a `push` (or `stmdb sp!`) saves."""
    code = instruction.code
    if code.insn_name() == "push" and not instruction.predicated:
        return frozenset(code.reg_name(operand.reg) for operand in code.operands)
    return frozenset()


def is_transfer(code: Any) -> bool:
    """Whether an instruction loads or stores."""
    name = code.insn_name()
    return name in PUSHES | POPS | MULTIPLE_LOADS | MULTIPLE_STORES or any(
        operand.type == ARM_OP_MEM for operand in code.operands
    )


def _may_write(code: Any, name: str, position: int) -> bool:
    if name in COMPARISONS | PUSHES:
        return False
    if name in MULTIPLE_STORES or name.startswith(("str", "vstr")):
        return position == 0 and name in MULTIPLE_STORES and bool(code.writeback)
    return bool(code.operands[position].access != READ_ONLY)


def _changes_flags(code: Any) -> bool:
    name = code.insn_name()
    if code.update_flags or name in ("fmstat", "vmrs", "msr") or name in COMPARISONS:
        return True
    return any(code.reg_name(register) == "cpsr" for register in code.regs_access()[1])


def _write_back(code: Any, state: State) -> Changes:
    """The base register behind `[r0], #4`, `[r0, #4]!`, `{...}` with `!`, push and pop."""
    name = code.insn_name()
    if name in PUSHES | POPS:
        size = _transfer_bytes(code, 0)
        return {"sp": add_offset(state.get("sp"), size if name in POPS else -size, REGISTER_BITS)}
    if not code.writeback:
        return {}
    if name in MULTIPLE_LOADS | MULTIPLE_STORES:
        base = code.reg_name(code.operands[0].reg)
        size = _transfer_bytes(code, 1)
        return {base: add_offset(state.get(base), -size if name.endswith(("db", "da")) else size, REGISTER_BITS)}
    return _base_changes(code, state)


def _transfer_bytes(code: Any, first: int) -> int:
    """Bytes moved by a register list: 8 per d register, 4 per any other."""
    return sum(8 if code.reg_name(item.reg).startswith("d") else 4 for item in code.operands[first:])


def _base_changes(code: Any, state: State) -> Changes:
    memory = next((item for item in code.operands if item.type == ARM_OP_MEM), None)
    if memory is None:
        return {}
    base = code.reg_name(memory.mem.base)
    last = code.operands[-1]
    post = last.type == ARM_OP_IMM
    if memory.mem.index or (not post and last is not memory and last.type == ARM_OP_REG):
        return {base: None}
    distance = last.imm if post else memory.mem.disp
    negative = last.subtracted if post else False
    return {base: add_offset(state.get(base), -distance if negative else distance, REGISTER_BITS)}


Effect = tuple[Changes, Callable[[State], State]]


def _same_flags(state: State) -> State:
    return state


def _operand(code: Any, position: int, state: State) -> Value | None:
    operand = code.operands[position]
    if operand.type == ARM_OP_IMM:
        return Value("", operand.imm & 0xFFFFFFFF)
    if operand.type == ARM_OP_REG and operand.shift.type == ARM_SFT_INVALID:
        name = code.reg_name(operand.reg)
        return None if name == "pc" else state.get(name)
    return None


def _move(code: Any, state: State) -> Effect:
    value = _operand(code, 1, state) if len(code.operands) == 2 else None
    return {code.reg_name(code.operands[0].reg): value}, _flag_setter(code, result_flags(value, REGISTER_BITS))


def _move_top(code: Any, state: State) -> Effect:
    register = code.reg_name(code.operands[0].reg)
    low = state.get(register)
    known = low is not None and not low.base
    top = code.operands[1].imm & 0xFFFF
    return {register: Value("", (low.offset & 0xFFFF) | top << 16) if known and low else None}, _same_flags


def _sum(code: Any, state: State, sign: int) -> tuple[Value | None, Value | None, Value | None]:
    """(left, right, left + sign * right)."""
    left = _operand(code, len(code.operands) - 2, state)
    right = _operand(code, len(code.operands) - 1, state)
    if left is None or right is None:
        return left, right, None
    if not right.base:
        return left, right, add_offset(left, sign * right.offset, REGISTER_BITS)
    if sign > 0 and not left.base:
        return left, right, add_offset(right, left.offset, REGISTER_BITS)
    if sign < 0 and left.base == right.base:
        return left, right, Value("", (left.offset - right.offset) % (1 << REGISTER_BITS))
    return left, right, None


def _add(code: Any, state: State) -> Effect:
    _, _, total = _sum(code, state, +1)
    return {code.reg_name(code.operands[0].reg): total}, _flag_setter(code, result_flags(total, REGISTER_BITS))


def _subtract(code: Any, state: State) -> Effect:
    left, right, total = _sum(code, state, -1)
    return {code.reg_name(code.operands[0].reg): total}, _flag_setter(
        code, difference_flags(left, right, REGISTER_BITS)
    )


def _compare(code: Any, state: State) -> Effect:
    left, right = _operand(code, 0, state), _operand(code, 1, state)
    flags = difference_flags(left, right, REGISTER_BITS)
    return {}, lambda after: after.with_flags(flags)


def _flag_setter(code: Any, flags: Flags) -> Callable[[State], State]:
    return (lambda after: after.with_flags(flags)) if code.update_flags else _same_flags


_EXACT_EFFECTS: dict[str, Callable[[Any, State], Effect]] = {
    "mov": _move,
    "movs": _move,
    "movw": _move,
    "movt": _move_top,
    "add": _add,
    "addw": _add,
    "sub": _subtract,
    "subw": _subtract,
    "cmp": _compare,
}
