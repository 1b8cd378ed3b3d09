"""x86-64 instructions, as the path proof reads them: flow and targets of host objects and libraries.

In: an `Image`. Used by: path. The effect on registers is in `x86_effect`.
"""

from typing import Any

from capstone import CS_ARCH_X86, CS_GRP_CALL, CS_GRP_INT, CS_GRP_JUMP, CS_GRP_RET, CS_MODE_64
from capstone.x86 import X86_OP_IMM

from targets.audit.conditions import holds
from targets.audit.disassembler import Disassembler, disassembler
from targets.audit.image import Image
from targets.audit.machine import Flow, Instruction, Machine, State, Value
from targets.audit.x86_effect import apply, pushed_registers, written_registers

PRESERVED_REGISTERS = frozenset({"rbx", "rbp", "r12", "r13", "r14", "r15"})  # System V ABI
ENTRY_REGISTERS = ("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", *(f"r{number}" for number in range(8, 16)))
LONGEST_INSTRUCTION = 15  # bytes of one instruction
CONDITIONS = {
    "je": "eq", "jne": "ne", "jae": "hs", "jb": "lo", "js": "mi", "jns": "pl", "jo": "vs", "jno": "vc",
    "ja": "hi", "jbe": "ls", "jge": "ge", "jl": "lt", "jg": "gt", "jle": "le",
}  # fmt: skip
REPEAT_PREFIXES = ("rep ", "repe ", "repne ", "repz ", "repnz ")
SELF_LOOPS = frozenset({"loop", "loope", "loopne", "jrcxz", "jecxz"})
STOP_INSTRUCTIONS = frozenset({"hlt", "ud2", "syscall", "sysenter"})


def x86_machine(image: Image) -> Machine:
    """The x86-64 part of the proof for one image."""
    decoder = disassembler(CS_ARCH_X86, CS_MODE_64)
    decoded: dict[int, Instruction] = {}

    def decode(address: int) -> Instruction:
        if address not in decoded:
            decoded[address] = _decode(image, decoder, address)
        return decoded[address]

    return Machine(
        name="x86-64",
        stack_register="rsp",
        call_bytes=8,
        preserved=PRESERVED_REGISTERS,
        decode=decode,
        apply=apply,
        decide=_decide,
        writes=written_registers,
        saves=pushed_registers,
        entry=State({name: Value(name, 0) for name in ENTRY_REGISTERS}),
    )


def _decide(instruction: Instruction, state: State) -> bool | None:
    return holds(instruction.condition, state.flags)


def _decode(image: Image, decoder: Disassembler, address: int) -> Instruction:
    section = image.section_at(address)
    data = (
        b""
        if section is None
        else section.data[address - section.start : address - section.start + LONGEST_INSTRUCTION]
    )
    code = next(decoder(data, address), None)
    if code is None:
        reason = "here is no instruction that the disassembler knows"
        return Instruction(address, 1, "", None, Flow.REFUSED, reason=reason)
    text = f"{code.mnemonic} {code.op_str}".strip()
    flow, target, callee, reason = _flow(image, code)
    condition = CONDITIONS.get(code.mnemonic, code.mnemonic) if flow is Flow.JUMP and code.mnemonic != "jmp" else ""
    return Instruction(address, code.size, text, code, flow, target, callee, condition, reason=reason)


def _flow(image: Image, code: Any) -> tuple[Flow, int | None, str, str]:
    name = code.mnemonic
    if name.startswith(REPEAT_PREFIXES) and not name.endswith("ret"):
        return Flow.REFUSED, None, "", "a repeated string instruction"
    if name in SELF_LOOPS:
        return Flow.REFUSED, None, "", "a loop instruction on a register"
    if code.group(CS_GRP_RET):
        return Flow.RETURN, None, "", ""
    if code.group(CS_GRP_INT) or name in STOP_INSTRUCTIONS:
        return Flow.REFUSED, None, "", "a trap or a supervisor call"
    if code.group(CS_GRP_CALL) or code.group(CS_GRP_JUMP):
        return _jump(image, code, Flow.CALL if code.group(CS_GRP_CALL) else Flow.JUMP)
    return Flow.NEXT, None, "", ""


def _jump(image: Image, code: Any, flow: Flow) -> tuple[Flow, int | None, str, str]:
    if code.operands[0].type != X86_OP_IMM:
        what = "a call through a function pointer" if flow is Flow.CALL else "an indirect jump or a jump table"
        return Flow.REFUSED, None, "", what
    end = code.address + code.size
    relocation = image.relocations.get(end - 4)
    if relocation is None:
        return flow, code.operands[0].imm, "", ""
    if relocation.address is None:
        return flow, None, relocation.symbol, ""
    return flow, relocation.address + relocation.addend + 4, relocation.symbol, ""
