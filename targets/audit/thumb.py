"""Thumb-2 instructions of Cortex-M, as the path proof reads them: flow, targets, predication.

In: an `Image` (mapping symbols keep literal pools apart). Used by: path. The effect on registers is in
`thumb_effect`.
"""

from typing import Any

from capstone import CS_ARCH_ARM, CS_MODE_MCLASS, CS_MODE_THUMB, CS_MODE_V8, CS_OP_IMM, CS_OP_MEM
from capstone.arm import ARM_CC_AL, ARM_CC_INVALID, ARM_OP_REG

from targets.audit.conditions import holds
from targets.audit.disassembler import disassembler
from targets.audit.image import CodeSection, Image
from targets.audit.machine import Flow, Instruction, Machine, State, Value
from targets.audit.thumb_effect import apply, is_transfer, pushed_registers, written_registers

PRESERVED_REGISTERS = frozenset({"r4", "r5", "r6", "r7", "r8", "sb", "sl", "fp"})  # AAPCS 6.1.1, in capstone's names
ARGUMENTS = ("r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "sb", "sl", "fp", "ip", "lr", "sp")
CONDITIONS = ("", "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "")
ROOTS_AND_DIVISIONS = frozenset({"sdiv", "udiv", "vdiv", "vsqrt"})
TABLE_JUMPS = frozenset({"tbb", "tbh"})
STOP_INSTRUCTIONS = {
    "svc": "a supervisor call",
    "bkpt": "a breakpoint (semihosting call)",
    "udf": "an undefined instruction",
    "wfi": "a wait for an interrupt",
    "wfe": "a wait for an event",
}


def thumb_machine(image: Image) -> Machine:
    """The Cortex-M part of the proof for one image."""
    instructions: dict[int, Instruction] = {}
    pending = {run for section in image.code for run in _code_runs(image, section)}  # not decoded yet

    def decode(address: int) -> Instruction:
        if address not in instructions:
            for run in [run for run in pending if run[0] <= address < run[1]]:
                pending.discard(run)
                instructions.update((item.address, item) for item in _decode_run(image, *run))
        found = instructions.get(address)
        if found is not None:
            return found
        what = "data, not code" if image.is_data(address) else "no instruction that the disassembler knows"
        return Instruction(address, 2, "", None, Flow.REFUSED, reason=f"here is {what}")

    return Machine(
        name="arm",
        stack_register="sp",
        call_bytes=0,
        preserved=PRESERVED_REGISTERS,
        decode=decode,
        apply=apply,
        decide=_decide,
        writes=written_registers,
        saves=pushed_registers,
        entry=State({name: Value(name, 0) for name in ARGUMENTS}),
    )


def it_block_length(mnemonic: str) -> int:
    """How many instructions an IT instruction governs: `it` 1, `itte` 3."""
    return len(mnemonic.split(maxsplit=1)[0]) - 1


def _decide(instruction: Instruction, state: State) -> bool | None:
    kind, _, register = instruction.condition.partition(" ")
    if not register:
        return holds(kind, state.flags)
    value = state.get(register)
    if value is None or value.base:
        return None
    return (value.offset == 0) == (kind == "cbz")


def _decode_run(image: Image, start: int, end: int) -> list[Instruction]:
    """A stretch of code in one go, since an IT instruction governs what follows it."""
    decoder = disassembler(CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS | CS_MODE_V8)
    section = image.section_at(start)
    data = b"" if section is None else section.data[start - section.start : end - section.start]
    found = []
    governed = 0
    for code in decoder(data, start):
        found.append(_instruction(image, code, in_block=governed > 0))
        governed = it_block_length(code.mnemonic) if code.mnemonic.startswith("it") else max(0, governed - 1)
    return found


def _code_runs(image: Image, section: CodeSection) -> list[tuple[int, int]]:
    """Stretches of code between mapping symbols; the whole section where it has none."""
    marks = [(address, code) for address, code in image.marks if section.start <= address < section.end]
    if not marks or marks[0][0] > section.start:
        marks.insert(0, (section.start, True))
    ends = [address for address, _ in marks[1:]] + [section.end]
    return [(start, end) for (start, code), end in zip(marks, ends, strict=True) if code]


def _instruction(image: Image, code: Any, *, in_block: bool) -> Instruction:
    text = f"{code.mnemonic} {code.op_str}".strip()
    conditional = code.cc not in (ARM_CC_INVALID, ARM_CC_AL)
    condition = CONDITIONS[code.cc] if conditional and code.insn_name() != "it" else ""
    predicated = in_block and bool(condition)
    flow, target, callee, reason = _flow(image, code)
    if code.insn_name() in ("cbz", "cbnz"):
        condition = f"{code.insn_name()} {code.reg_name(code.operands[0].reg)}"
    if predicated and flow is not Flow.REFUSED:
        reason = _predication_hazard(code, flow)
    return Instruction(
        code.address, code.size, text, code, flow, target, callee, condition, predicated=predicated, reason=reason
    )


def _predication_hazard(code: Any, flow: Flow) -> str:
    """Why an instruction may not sit in an IT block; "" where it may."""
    name = code.insn_name()
    if name in ROOTS_AND_DIVISIONS:
        return "a predicated division or square root: its time depends on the data"
    if flow is not Flow.NEXT:
        return "a predicated call, jump or return"
    if is_transfer(code):
        return "a predicated load or store: its time depends on the data"
    return ""


def _flow(image: Image, code: Any) -> tuple[Flow, int | None, str, str]:
    name = code.insn_name()
    if name in STOP_INSTRUCTIONS:
        return Flow.REFUSED, None, "", STOP_INSTRUCTIONS[name]
    if name in TABLE_JUMPS:
        return Flow.REFUSED, None, "", "a jump table"
    if name in ("b", "bl", "cbz", "cbnz"):
        return _direct(image, code, Flow.CALL if name == "bl" else Flow.JUMP)
    if name in ("blx", "bx"):
        return _by_register(code, name)
    return _through_pc(code, name)


def _direct(image: Image, code: Any, flow: Flow) -> tuple[Flow, int | None, str, str]:
    target = code.operands[-1].imm & 0xFFFFFFFF
    relocation = image.relocations.get(code.address)
    if relocation is None:
        return flow, target, "", ""
    if relocation.address is None:
        return flow, None, relocation.symbol, ""
    # REL: the addend lies in the instruction; target = S + A + 4 with A = (decoded target) - (place + 4).
    return flow, relocation.address + target - code.address, relocation.symbol, ""


def _by_register(code: Any, name: str) -> tuple[Flow, int | None, str, str]:
    operand = code.operands[0]
    register = code.reg_name(operand.reg) if operand.type == ARM_OP_REG else f"{operand.imm & 0xFFFFFFFF:#x}"
    if name == "bx" and register == "lr":
        return Flow.RETURN, None, "", ""
    what = "a call through a function pointer in" if name == "blx" else "an indirect jump through"
    return Flow.REFUSED, None, "", f"{what} {register}"


def _through_pc(code: Any, name: str) -> tuple[Flow, int | None, str, str]:
    """Instructions that write pc without being branches: returns, or jumps to a computed address."""
    if name in ("cmp", "cmn", "tst", "teq") or not any(
        item.type == ARM_OP_REG and code.reg_name(item.reg) == "pc" for item in _destinations(code, name)
    ):
        return Flow.NEXT, None, "", ""
    from_stack = name in ("pop", "ldm", "ldmib", "ldmdb", "ldmda") and _base_is_stack(code, name)
    popped = name == "ldr" and code.operands[1].type == CS_OP_MEM and _pops_one(code)
    returned = name in ("mov", "movs") and code.reg_name(code.operands[1].reg) == "lr"
    if from_stack or popped or returned:
        return Flow.RETURN, None, "", ""
    return Flow.REFUSED, None, "", "an indirect jump to a computed or loaded address"


def _destinations(code: Any, name: str) -> list[Any]:
    if name in ("pop", "ldm", "ldmib", "ldmdb", "ldmda"):
        return list(code.operands)
    return list(code.operands[:1])


def _base_is_stack(code: Any, name: str) -> bool:
    return bool(name == "pop" or code.reg_name(code.operands[0].reg) == "sp")


def _pops_one(code: Any) -> bool:
    """`ldr pc, [sp], #n`."""
    memory = code.operands[1].mem
    return bool(code.reg_name(memory.base) == "sp" and code.operands[-1].type == CS_OP_IMM)
