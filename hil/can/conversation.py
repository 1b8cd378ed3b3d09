"""What an ECU was stepped with, told from what was asked and what it answered.

In: packets of both directions, in order. Out: steps, each with its whole row, and counts of those whose row is not
known. The ECU's word decides: a request counts when its answer is there, and as often as the ECU served it. The rules
by which the ECU serves are those of `targets/ecu/bench_main.c`.
"""

from dataclasses import dataclass

import numpy as np

from hil.can.codec import HEAD_BYTES, PARAMETERS_HEAD
from hil.can.layout import CanLayout
from hil.errors import FramingError
from hil.hello import Hello
from hil.messages import Nack, RunRequest
from hil.protocol import Flag, Packet, Type
from hil.session import BATCH_HEAD
from targets.rows import REAL_TYPES

NUMBERS = 1 << 16
"""Of requests; the next after the last is 0."""
CHANGES_STATE = (Type.STEP, Type.BATCH, Type.SETSTATE, Type.RUN)
CHANGES_PARAMETERS = (Type.OPEN, Type.PARAMETERS)


@dataclass(frozen=True, slots=True)
class AnsweredStep:
    """One step."""

    row: bytes  # state, then inputs
    parameters: bytes | None  # tunable ones in force; None: not in the log


class Conversation:
    """Follows a log."""

    def __init__(self, layout: CanLayout) -> None:
        self._layout = layout
        self.steps: list[AnsweredStep] = []
        self.of_unknown_state = 0  # steps
        self.unasked = 0  # steps whose request is not in the log
        self.unanswered = 0  # steps whose answer is not in the log: whether they were done is not known
        self.activations = 0  # that free runs were asked for
        self._asked: dict[int, Packet] = {}  # requests that may still be served, by number
        self._last: int | None = None  # number of the request that was served last
        self._session = 0
        self._forget()

    def take(self, packet: Packet) -> None:
        """Follow one packet."""
        if not packet.flags & (Flag.REPLY | Flag.EVENT):
            if packet.type is not Type.HELLO and self._is_ahead(packet.sequence):
                self._asked[packet.sequence] = packet
        elif packet.type is Type.BOOT:
            self._forget()
            self._last = None
        elif Flag.REPLY not in packet.flags:
            return
        elif packet.type is Type.HELLO:
            self._greeted(packet)
        elif packet.type is Type.NACK:
            self._refused(packet)
        else:
            self._answered(packet)

    def end(self) -> None:
        """Count what the log's end has left open."""
        for request in self._asked.values():
            self.unanswered += request.type is Type.STEP

    def _forget(self) -> None:
        """Nothing is known of the ECU's state and parameters."""
        self._state: bytes | None = None if self._layout.state.size else b""
        self._in_force: dict[int, bytes] = {}

    def _is_ahead(self, number: int) -> bool:
        """Whether a number comes after that of the request served last; one that does not is a repeat, or late."""
        return self._last is None or 0 < (number - self._last) % NUMBERS < NUMBERS // 2

    def _greeted(self, packet: Packet) -> None:
        """The answer to HELLO says which number comes next."""
        try:
            last = (Hello.unpack(packet.payload).next_sequence - 1) % NUMBERS
        except FramingError:
            return
        if last != self._last and not self._is_ahead(last):  # it was started anew
            self._forget()
            self._last, self._asked = last, {}
        else:
            self._pass_to((last + 1) % NUMBERS)
            self._go_on_from(last)

    def _refused(self, packet: Packet) -> None:
        """A refusal by what was asked uses its number up, one of a request out of turn does not."""
        try:
            nack = Nack.unpack(packet.payload)
        except FramingError:
            return
        asked = self._asked.get(packet.sequence)
        if asked is None or asked.session != packet.session:
            return
        del self._asked[packet.sequence]
        if nack.expected == (packet.sequence + 1) % NUMBERS:
            self._pass_to(packet.sequence)
            self._go_on_from(packet.sequence)

    def _answered(self, packet: Packet) -> None:
        is_other = packet.session != self._session
        if is_other and packet.type is not Type.OPEN:  # how it was opened is not in the log
            self._forget()
            self._last = None
        if not is_other and not self._is_ahead(packet.sequence):
            return  # an answer that came before
        self._session = packet.session
        request = self._asked.pop(packet.sequence, None)
        if request is not None and (request.session, request.type) != (packet.session, packet.type):
            request = None
        self._pass_to(packet.sequence)
        self._go_on_from(packet.sequence)
        self._serve(packet, request)

    def _pass_to(self, number: int) -> None:
        """The requests before this number have no answer in the log; those that are not even there could be any."""
        if self._last is None:
            return
        gap = (number - self._last) % NUMBERS - 1
        passed = [asked for each, asked in self._asked.items() if 0 < (number - each) % NUMBERS <= gap]
        if len(passed) < gap:
            self._forget()
        for request in passed:
            self.unanswered += request.type is Type.STEP
            if request.type in CHANGES_STATE and self._layout.state.size:
                self._state = None
            if request.type in CHANGES_PARAMETERS:
                self._in_force = {}

    def _go_on_from(self, number: int) -> None:
        """The request of this number was the last that was served; those before it are done with."""
        self._last = number
        self._asked = {each: asked for each, asked in self._asked.items() if self._is_ahead(each)}

    def _serve(self, answer: Packet, request: Packet | None) -> None:
        layout = self._layout
        match answer.type:
            case Type.OPEN:
                self._take_nominal()
            case Type.SETSTATE:
                self._state = None if request is None else request.payload
            case Type.GETSTATE:
                self._state = answer.payload
            case Type.STEP:
                self._step(answer.payload[HEAD_BYTES:], None if request is None else request.payload, request)
            case Type.BATCH:
                self._batch(answer.payload, request)
            case Type.PARAMETERS:
                self._take_parameters(answer.payload, request)
            case Type.RUN:
                self._state = None
                self.activations += 0 if request is None else RunRequest.LAYOUT.unpack(request.payload)[0]
            case _:
                return
        if self._state is None or len(self._state) != layout.state.size:
            self._state = None if layout.state.size else b""

    def _step(self, values: bytes, given: bytes | None, request: Packet | None) -> None:
        """One step: `given` is what was asked, `values` the ECU's new state and its outputs."""
        layout = self._layout
        if given is None or request is None:
            self.unasked += 1
        elif Flag.WITH_STATE in request.flags:
            self._keep(given)
        elif self._state is None:
            self.of_unknown_state += 1
        else:
            self._keep(self._state + given)
        self._state = values[: layout.next_state.size]

    def _keep(self, row: bytes) -> None:
        if len(row) == self._layout.state.size + self._layout.inputs.size:
            self.steps.append(AnsweredStep(row, self._parameters()))

    def _batch(self, payload: bytes, request: Packet | None) -> None:
        """Several steps in one packet. One that stores rows for a free run steps nothing."""
        if request is not None and Flag.STORE in request.flags:
            return
        count = BATCH_HEAD.unpack_from(payload)[0]
        answers, rows = payload[BATCH_HEAD.size :], b"" if request is None else request.payload[BATCH_HEAD.size :]
        for each in range(count):
            answer, given = _part(answers, each, count), _part(rows, each, count)
            self._step(answer[HEAD_BYTES:], None if request is None else given, request)

    def _parameters(self) -> bytes | None:
        """All that are in force; None where one is not known."""
        count = len(self._layout.parameters.fields)
        return b"".join(self._in_force[place] for place in range(count)) if len(self._in_force) == count else None

    def _take_nominal(self) -> None:
        values = nominal_bytes(self._layout)
        self._in_force = {} if values is None else dict(enumerate(_reals(values, self._layout)))

    def _take_parameters(self, payload: bytes, request: Packet | None) -> None:
        """The answer has those in force of a range; bringing a set into force changes the others too."""
        first, _, status = PARAMETERS_HEAD.unpack_from(payload)
        if request is None or (Flag.APPLY in request.flags and status == 0):
            self._in_force = {}
        for number, real in enumerate(_reals(payload[PARAMETERS_HEAD.size :], self._layout)):
            self._in_force[first + number] = real


def nominal_bytes(layout: CanLayout) -> bytes | None:
    """The tunable parameters at their nominal values; None where one has none."""
    values = [field.nominal for field in layout.parameters.fields]
    return None if None in values else bytes(np.array(values, dtype=REAL_TYPES[layout.real]).tobytes())


def _reals(values: bytes, layout: CanLayout) -> list[bytes]:
    size = layout.parameters.real_bytes
    return [values[at : at + size] for at in range(0, len(values), size)]


def _part(values: bytes, number: int, count: int) -> bytes:
    """One of `count` parts of the same length."""
    size = len(values) // count
    return values[size * number : size * (number + 1)]
