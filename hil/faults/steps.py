"""Steps a device over a line under faults, and holds every answer and every state against this computer.

In: an open bench whose link is a `FaultyLink`. Out: `FaultRun`. The conversation has requests of all types that a
lockstep has: single steps and batches that go on from the device's own state, states set and read, parameters, and
again and again HELLO and OPEN, so that late copies of each come into later sessions.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hil.bench_runtime import BenchRuntime
from hil.errors import BenchError, FrameTimeout, LinkError
from hil.faults.fault_file import FaultFile
from hil.faults.kinds import CAN_KINDS, SERIAL_KINDS, Direction, Kind
from hil.faults.way import InjectedFault
from hil.links.faulty import FaultyLink
from hil.lockstep import random_vectors
from hil.stimulus import Stimulus
from hil.traffic import Traffic
from sil.compare import different_bits
from sil.figures import count_text
from sil.vectors import KINDS

if TYPE_CHECKING:
    from hil.can.faulty import FaultyCan

RING_VECTORS = 2048  # vectors of the fixed mix, of which those inside all ranges are stepped through
SINGLE_STEPS_PER_BLOCK = 30  # steps of a block that are asked for one by one
STEPS_PER_BLOCK = 40  # steps from one state that was set; the rest of them in a batch
BLOCKS_PER_SESSION = 5  # then the session is opened anew
TOLD_EVERY = 25  # blocks

Progress = Callable[[str], None]


@dataclass(slots=True)
class FaultRun:
    """What came of it."""

    file: FaultFile
    stimulus: Stimulus
    has_state: bool
    steps: int = 0
    ended: str = ""  # why the conversation ended before all steps were done; empty where it did not
    wrong: int = 0  # steps with a wrong answer that was accepted
    first_wrong: int | None = None
    readings: int = 0  # of the device's state, each after steps from one that was set
    telling: int = 0  # of them, where a step more or one less would have shown
    off: int = 0  # of them, that differ from the state on this computer
    frames: dict[Direction, int] = field(default_factory=dict)
    log: tuple[InjectedFault, ...] = ()
    traffic: Traffic = field(default_factory=Traffic)
    kinds: tuple[Kind, ...] = tuple(Kind)  # that can happen on the link

    @property
    def counts(self) -> Mapping[Kind, Mapping[Direction, int]]:
        """Faults by kind and direction, of the kinds that can happen."""
        found = Counter((fault.kind, fault.direction) for fault in self.log)
        return {kind: {way: found[kind, way] for way in Direction} for kind in self.kinds}


def run_under_faults(
    runtime: BenchRuntime, file: FaultFile, seed: int, progress: Progress = lambda _: None
) -> FaultRun:
    """Step as often as the file says, with vectors from `seed`, or until the conversation ends.

    Raises `BenchError` where the bench was opened without a faults file.
    """
    line = runtime.line
    if line is None:
        raise BenchError("the bench was opened without a faults file; name it when opening")
    run = FaultRun(
        file,
        Stimulus(seed=seed, parameters=dict(runtime.parameters)),
        bool(runtime.state_values),
        kinds=SERIAL_KINDS if runtime.can is None else CAN_KINDS,
    )
    with runtime.session.count_apart() as run.traffic:
        try:
            _Conversation(runtime, line, run, _rows(runtime, seed)).hold(progress)
        except BenchError as error:
            hint = "; where faults are frequent, raise timeouts.retries" if isinstance(error, FrameTimeout) else ""
            run.ended = f"at step {line.step:,}, after {count_text(len(_log(line)), 'fault')}: {error}{hint}"
            with suppress(LinkError):
                line.disarm()
    run.log = _log(line)
    run.frames = {way.direction: way.frames for way in (line.to_device, line.to_host)}
    return run


def _log(line: "FaultyLink | FaultyCan") -> tuple[InjectedFault, ...]:
    """All faults in an order that does not depend on when the host read what."""
    faults = [*line.to_device.log, *line.to_host.log]
    return tuple(sorted(faults, key=lambda fault: (fault.step, fault.direction, fault.frame)))


def _rows(runtime: BenchRuntime, seed: int) -> NDArray[Any]:
    """Rows inside of all ranges; lockstep without faults has the others."""
    made = random_vectors(runtime, RING_VECTORS, seed)
    rows: NDArray[Any] = made.rows[made.kinds == KINDS.index("random")]
    return rows


class _Conversation:
    """Steps of one campaign."""

    def __init__(
        self, runtime: BenchRuntime, line: "FaultyLink | FaultyCan", run: FaultRun, rows: NDArray[Any]
    ) -> None:
        self._runtime, self._line, self._run, self._rows = runtime, line, run, rows
        self._states = runtime.state_values
        self._state: NDArray[Any] = rows[0, : self._states].copy()  # of the device, as this computer has it
        self._before = self._state

    def hold(self, progress: Progress) -> None:
        """All blocks; the last reading is made when everything late has arrived."""
        steps, told = self._run.file.steps, f"{self._run.file.steps:,} steps under faults"
        self._line.arm()
        for number, first in enumerate(range(0, steps, STEPS_PER_BLOCK)):
            if number % TOLD_EVERY == 0:
                progress(f"{told}: {first:,} done, {self._run.wrong:,} wrong")
            self._block(first, min(steps, first + STEPS_PER_BLOCK), is_new_session=number % BLOCKS_PER_SESSION == 0)
        self._line.disarm()
        if self._states:
            self._read_state()

    def _block(self, first: int, end: int, is_new_session: bool) -> None:
        self._line.step = first
        if is_new_session:
            self._runtime.open_session_again()
        if self._states:
            self._state = self._rows[first % len(self._rows), : self._states].copy()
            self._runtime.session.set_state(tuple(self._state.tolist()))
        for step in range(first, min(end, first + SINGLE_STEPS_PER_BLOCK)):
            self._step(step)
        if end > first + SINGLE_STEPS_PER_BLOCK:
            self._batch(first + SINGLE_STEPS_PER_BLOCK, end)
        if self._states:
            self._read(self._inputs(end - 1))

    def _inputs(self, step: int) -> NDArray[Any]:
        inputs: NDArray[Any] = self._rows[step % len(self._rows), self._states :]
        return inputs

    def _step(self, step: int) -> None:
        self._line.step = step
        inputs = self._inputs(step)
        status, _, outputs = self._runtime.session.step_once(tuple(inputs.tolist()), with_state=False)
        self._compare(step, np.array(outputs, dtype=self._rows.dtype), status)

    def _batch(self, first: int, end: int) -> None:
        self._line.step = first
        rows = np.array([self._inputs(step) for step in range(first, end)])
        stepped = self._runtime.session.step(rows, with_state=False)
        for step, outputs, status in zip(range(first, end), stepped.outputs, stepped.status, strict=True):
            self._compare(step, outputs, int(status))

    def _compare(self, step: int, outputs: NDArray[Any], status: int) -> None:
        """Hold an answer against this computer, and go on from the state here."""
        right, right_status = self._call(self._state, self._inputs(step))
        self._run.steps += 1
        if different_bits(outputs, right).any() or status != right_status:
            self._run.wrong += 1
            self._run.first_wrong = step if self._run.first_wrong is None else self._run.first_wrong
        self._before, self._state = self._state, right[: self._states].copy()

    def _call(self, state: NDArray[Any], inputs: NDArray[Any]) -> tuple[NDArray[Any], int]:
        outputs, status = self._runtime.host(np.concatenate([state, inputs])[None, :])
        return outputs[0], int(status[0])

    def _read(self, last_inputs: NDArray[Any]) -> None:
        """Read the state, where one step less or the last one twice would have left another."""
        twice = self._call(self._state, last_inputs)[0][: self._states]
        tells = different_bits(self._state, self._before).any() and different_bits(self._state, twice).any()
        self._run.telling += bool(tells)
        self._read_state()

    def _read_state(self) -> None:
        read = np.array(self._runtime.session.get_state(), dtype=self._rows.dtype)
        self._run.readings += 1
        self._run.off += bool(different_bits(read, self._state).any())
