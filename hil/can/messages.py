"""Messages by their names in the DBC: sent, waited for, and read, over the bus that a bench runs on.

In: the CAN link of an open bench. Out: values by signal. cantools encodes NaN and numbers out of range without a word;
here they are refused unless they are meant.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hil.can.codec import CanFrame, ReceivedValues
from hil.can.database import database_of, frame_name
from hil.can.link import CanLink
from hil.errors import BenchError
from sil.figures import figure

if TYPE_CHECKING:
    from cantools.database.can import Message, Signal


class CanMessages:
    """The messages of a bench."""

    def __init__(self, link: CanLink) -> None:
        self._link = link
        self._layout = link.codec.layout
        self._database = database_of(self._layout)
        self._sent = ReceivedValues(self._layout.groups_to_ecu)
        self._sent_names: set[str] = set()
        self._before = link.heard.counts()  # what was heard before the last message was sent
        self._at_begin: dict[int, int] = {}  # what was heard before the test began

    def send(self, name: str, values: Mapping[str, float], *, invalid: bool = False) -> None:
        """Send one message; all of its signals must be given.

        Raises:
            BenchError: no such message or signal, one is missing, or a value is not finite or out of its range and not
                meant to be (`invalid`).
        """
        message = self._message(name)
        _require_signals(message, values)
        if not invalid:
            for signal in message.signals:
                _require_valid(message, signal, values[signal.name])
        frame = CanFrame(message.frame_id, bytes(message.encode(dict(values), strict=False)))
        self._sent.take(frame)
        self._sent_names.add(name)
        self._before = self._link.heard.counts()
        self._link.send(frame)

    def begin_test(self) -> None:
        """What was sent or heard before is not meant any more."""
        self._sent_names.clear()
        self._before, self._at_begin = self._link.heard.counts(), self._link.heard.counts()

    def require_sent(self, *, with_state: bool) -> None:
        """Raises `BenchError` where a message of the next row was not sent."""
        layout = self._layout
        groups = (layout.state, layout.inputs) if with_state else (layout.inputs,)
        wanted = [frame_name(group, number) for group in groups for number in range(group.frames)]
        if missing := [name for name in wanted if name not in self._sent_names]:
            raise BenchError(f"{', '.join(missing)} was not sent in this test; send all messages of the step first")

    def row(self, *, with_state: bool) -> bytes:
        """Bytes of the row that was sent, with its state or without."""
        layout = self._layout
        return (self._sent.of(layout.state) if with_state else b"") + self._sent.of(layout.inputs)

    def next(self, name: str, limit_s: float) -> dict[str, float]:
        """The signals of the next message of this name since the last one was sent; each is given once.

        Raises:
            BenchError: no such message, or none was heard in time.
        """
        message = self._message(name)
        data = self._link.heard.after(message.frame_id, self._before.get(message.frame_id, 0), limit_s)
        self._before[message.frame_id] = self._link.heard.counts().get(message.frame_id, 0)
        if data is None:
            raise BenchError(f"no message {name} (0x{message.frame_id:X}) was heard within {limit_s:g} s")
        return _signals(message, data)

    def last(self, name: str) -> dict[str, float]:
        """The signals of the last message of this name that was heard in this test.

        Raises:
            BenchError: no such message, or none was heard.
        """
        message = self._message(name)
        count = self._link.heard.counts().get(message.frame_id, 0)
        data = self._link.heard.last(message.frame_id)
        if data is None or count <= self._at_begin.get(message.frame_id, 0):
            raise BenchError(f"no message {name} (0x{message.frame_id:X}) was heard in this test; step the ECU first")
        return _signals(message, data)

    def signal(self, name: str, signal: str) -> float:
        """One signal of the last message of this name. Raises `BenchError` as `last`, or where it has none such."""
        found = self.last(name)
        if signal not in found:
            raise BenchError(f"{name} has no signal '{signal}'; it has {', '.join(found)}")
        return found[signal]

    def _message(self, name: str) -> "Message":
        try:
            return self._database.get_message_by_name(name)
        except KeyError:
            names = ", ".join(message.name for message in self._database.messages)
            raise BenchError(f"the DBC has no message '{name}'; it has {names}") from None


def _signals(message: "Message", data: bytes) -> dict[str, float]:
    found: Any = message.decode(data)
    return {name: float(value) for name, value in found.items()}


def _require_signals(message: "Message", values: Mapping[str, float]) -> None:
    names = [signal.name for signal in message.signals]
    if unknown := [name for name in values if name not in names]:
        raise BenchError(f"{message.name} has no signal '{unknown[0]}'; it has {', '.join(names)}")
    if missing := [name for name in names if name not in values]:
        raise BenchError(f"{message.name} needs all of its signals; {', '.join(missing)} is missing")


def _require_valid(message: "Message", signal: "Signal", value: float) -> None:
    low, high, unit = signal.minimum, signal.maximum, signal.unit or "1"
    meant = "; say invalid=yes where that is meant"
    if not math.isfinite(value):
        raise BenchError(f"{message.name}.{signal.name} is {value}, which is no finite number{meant}")
    if low is not None and high is not None and not low <= value <= high:
        raise BenchError(
            f"{message.name}.{signal.name} is {figure(value)} {unit}, outside {figure(low)} to {figure(high)}{meant}"
        )
