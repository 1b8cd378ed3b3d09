"""Proof that a function runs along one path, and how many instructions that path has.

In: an ELF file and a symbol. Used by: `PathProof`. The walk follows the machine code with the registers it
knows (`machine.State`): a branch that these decide is followed, so a loop with an immediate trip count unrolls; a
branch that depends on data forks, and what then is left without loops has a longest path, a bound. Everything else is
refused with its place. It takes for granted that called code restores the callee-saved registers that it pushes.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from exporter.errors import ModelError
from targets.audit.image import FunctionSymbol, Image, load_image
from targets.audit.loops import Loops, find_loops, leaves_loop
from targets.audit.machine import UNKNOWN_FLAGS, Flow, Instruction, Machine, State
from targets.audit.machines import machine_of
from targets.audit.result import PathProof, Refusal
from targets.audit.segments import Key, Outcome, Segment, Summary, key_of, summary_of

STEP_LIMIT = 1_000_000  # instructions walked in one proof
NODE_LIMIT = 20_000  # undecided branches in one function, per known state


class RefusedError(Exception):
    """A path that cannot be followed."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence())
        self.refusal = refusal


@dataclass
class Proof:
    """The context of one proof: what is known of the image, memoised summaries, steps spent."""

    image: Image
    machine: Machine
    summaries: dict[int, Summary] = field(default_factory=dict)
    touched: dict[int, set[int]] = field(default_factory=dict)  # function start -> addresses walked
    clobbers: dict[int, set[str]] = field(default_factory=dict)  # function start -> clobbered by what it calls
    loops: dict[int, Loops] = field(default_factory=dict)
    steps: int = 0

    def loops_of(self, function: FunctionSymbol) -> Loops:
        """The loops of a function, found once."""
        if function.start not in self.loops:
            self.loops[function.start] = find_loops(self.machine, function)
        return self.loops[function.start]

    def refuse(self, instruction: Instruction, reason: str) -> RefusedError:
        """The error for this instruction."""
        return RefusedError(Refusal(self.image.where(instruction.address), self._text(instruction), reason))

    def _text(self, instruction: Instruction) -> str:
        """The instruction with its target as symbol and offset, which does not depend on where the code lies."""
        if instruction.target is None or instruction.code is None:
            return f"{instruction.text.split()[0]} {instruction.callee}" if instruction.callee else instruction.text
        *operands, _ = instruction.code.op_str.split(", ")
        return " ".join((instruction.code.mnemonic, ", ".join((*operands, self.image.where(instruction.target)))))


def prove(elf: Path | Image, symbol: str) -> PathProof:
    """Prove how a function of an ELF file runs.

    Raises:
        ModelError: the file is not one that can be read, or has no function of that name.
    """
    image = elf if isinstance(elf, Image) else load_image(elf)
    function = image.by_name.get(symbol)
    if function is None:
        known = ", ".join(sorted(image.by_name)) or "none"
        raise ModelError(f"there is no function {symbol} in the file; it has: {known}")
    proof = Proof(image, machine_of(image))
    try:
        summary = _summarise(proof, function, ())
    except RefusedError as refused:
        return PathProof(symbol, "refused", refusal=refused.refusal)
    return PathProof(
        symbol=symbol,
        verdict="acyclic bound" if summary.forks else "single path",
        instructions=len(summary.longest),
        fewest=summary.fewest,
        stack_bytes=summary.stack,
        functions=_by_function(image, summary.longest),
        trace=summary.longest,
    )


def _by_function(image: Image, trace: Iterable[int]) -> dict[str, int]:
    counts = Counter(function.name for address in trace if (function := image.function_at(address)))
    return dict(sorted(counts.items()))


def _summarise(proof: Proof, function: FunctionSymbol, active: tuple[int, ...]) -> Summary:
    if function.start not in proof.summaries:
        proof.touched[function.start] = set()
        proof.clobbers[function.start] = set()
        proof.summaries[function.start] = _explore(proof, function, (*active, function.start))
    return proof.summaries[function.start]


def _explore(proof: Proof, function: FunctionSymbol, active: tuple[int, ...]) -> Summary:
    """Depth first over undecided branches; a state that comes again on its own path is a loop."""
    root = Outcome(function.start, proof.machine.entry)
    segments: dict[Key, Segment] = {}
    on_path: set[Key] = set()
    finished: list[Key] = []
    pending: list[tuple[Outcome, bool]] = [(root, False)]
    while pending:
        outcome, leaving = pending.pop()
        key = key_of(outcome)
        if leaving:
            on_path.discard(key)
            finished.append(key)
        elif key in on_path:
            raise _loop_found(proof, outcome)
        elif key not in segments:
            segments[key] = _run(proof, function, outcome, active)
            _limit_nodes(proof, outcome, segments)
            on_path.add(key)
            pending.append((outcome, True))
            pending.extend((item, False) for item in segments[key].outcomes if item.address is not None)
    return summary_of(segments, finished, _clobbered_registers(proof, function))


def _loop_found(proof: Proof, outcome: Outcome) -> RefusedError:
    instruction = proof.machine.decode(outcome.address or 0)
    return proof.refuse(instruction, "a loop without an immediate trip count")


def _limit_nodes(proof: Proof, outcome: Outcome, segments: dict[Key, Segment]) -> None:
    if len(segments) > NODE_LIMIT:
        instruction = proof.machine.decode(outcome.address or 0)
        raise proof.refuse(instruction, f"more than {NODE_LIMIT} branches that depend on data")


def _clobbered_registers(proof: Proof, function: FunctionSymbol) -> frozenset[str]:
    instructions = [proof.machine.decode(address) for address in proof.touched[function.start]]
    written = {name for item in instructions for name in proof.machine.writes(item)}
    saved = {name for item in instructions for name in proof.machine.saves(item)} & proof.machine.preserved
    return frozenset((written | proof.clobbers[function.start]) - saved)


def _run(proof: Proof, function: FunctionSymbol, start: Outcome, active: tuple[int, ...]) -> Segment:
    """Follow decided flow from one point."""
    trace: list[int] = []
    slack, depth, forks = 0, 0, False
    here = start
    jumped: set[Key] = set()
    while True:
        instruction = _fetch(proof, function, here)
        trace.append(instruction.address)
        outcomes = _outcomes(proof, function, instruction, here.state, active)
        depth = max(depth, *(_depth(proof, instruction, item) for item in outcomes))
        if len(outcomes) > 1:
            return Segment(tuple(trace), slack, depth, True, outcomes)
        here = outcomes[0]
        if here.called is not None:
            trace.extend(here.called.longest)
            slack += len(here.called.longest) - here.called.fewest
            forks = forks or here.called.forks
        if here.address is None:
            return Segment(tuple(trace), slack, depth, forks, ())
        if here.address <= instruction.address:
            _note_jump(proof, instruction, key_of(here), jumped)


def _note_jump(proof: Proof, instruction: Instruction, key: Key, jumped: set[Key]) -> None:
    """A decided jump back into a state that was there before never ends."""
    if key in jumped:
        raise proof.refuse(instruction, "a loop that never ends")
    jumped.add(key)


def _fetch(proof: Proof, function: FunctionSymbol, here: Outcome) -> Instruction:
    address = here.address or 0
    instruction = proof.machine.decode(address)
    if not function.start <= address < function.end:
        raise proof.refuse(instruction, f"control leaves {function.name} without a call or return")
    if instruction.flow is Flow.REFUSED:
        raise proof.refuse(instruction, instruction.reason)
    proof.steps += 1
    if proof.steps > STEP_LIMIT:
        raise proof.refuse(instruction, f"a loop still running after {STEP_LIMIT} instructions")
    proof.touched[function.start].add(address)
    return instruction


def _depth(proof: Proof, instruction: Instruction, outcome: Outcome) -> int:
    """Bytes below the stack pointer at entry, with what is called from here."""
    pointer = outcome.state.get(proof.machine.stack_register)
    if pointer is None or pointer.base != proof.machine.stack_register:
        raise proof.refuse(instruction, "a stack pointer that moves by an amount that is not constant")
    if outcome.address is None and pointer.offset != 0:
        raise proof.refuse(instruction, "a return with another stack pointer than at entry")
    if outcome.called is None:
        return max(0, -pointer.offset)
    pushed = proof.machine.call_bytes if outcome.address is not None else 0
    return max(0, -pointer.offset) + pushed + outcome.called.stack


def _outcomes(
    proof: Proof, function: FunctionSymbol, instruction: Instruction, state: State, active: tuple[int, ...]
) -> tuple[Outcome, ...]:
    acts = proof.machine.decide(instruction, state) if instruction.condition else True
    if instruction.predicated and acts is None and instruction.reason:
        raise proof.refuse(instruction, instruction.reason)
    after = proof.machine.apply(instruction, state)
    following = Outcome(instruction.next, after)
    if acts is False or instruction.flow is Flow.NEXT:
        return (following,)
    taken = _follow(proof, function, instruction, after, active)
    if acts:
        return (taken,)
    if taken.address is not None and leaves_loop(proof.loops_of(function), instruction):
        raise proof.refuse(instruction, "a loop whose exit depends on data, without an immediate trip count")
    return (following, taken)


def _follow(
    proof: Proof, function: FunctionSymbol, instruction: Instruction, after: State, active: tuple[int, ...]
) -> Outcome:
    if instruction.flow is Flow.RETURN:
        return Outcome(None, after)
    if instruction.flow is Flow.JUMP and _stays_inside(function, instruction):
        return Outcome(instruction.target, after)
    called = _summarise_call(proof, function, instruction, active)
    proof.clobbers[function.start] |= called.clobbered
    tail = instruction.flow is Flow.JUMP
    return Outcome(None if tail else instruction.next, _behind_call(proof, after, called), called)


def _stays_inside(function: FunctionSymbol, instruction: Instruction) -> bool:
    """Whether a jump stays in its function."""
    return instruction.target is not None and function.start <= instruction.target < function.end


def _summarise_call(
    proof: Proof, function: FunctionSymbol, instruction: Instruction, active: tuple[int, ...]
) -> Summary:
    callee = None if instruction.target is None else proof.image.by_start.get(instruction.target)
    if callee is None:
        name = instruction.callee or (f"{instruction.target:#x}" if instruction.target is not None else "?")
        raise proof.refuse(instruction, f"a call of {name}, which is not a function of this file")
    if callee.start in active:
        raise proof.refuse(instruction, f"recursion: {function.name} calls {callee.name}, which is running")
    return _summarise(proof, callee, active)


def _behind_call(proof: Proof, state: State, called: Summary) -> State:
    """What a caller still knows: gcc keeps values in any register that the callee leaves alone (-fipa-ra)."""
    lost = called.clobbered - {proof.machine.stack_register}
    return state.without(lost).with_flags(UNKNOWN_FLAGS)
