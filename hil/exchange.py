"""One request, one answer: sequence numbers, time-outs, retries, refusals.

The device repeats its cached answer when a request comes twice, so a repeat never steps it twice; an answer to an
earlier request is discarded by its number. Damage on the line is answered by a repeat at once, which is no retry.
Used by: `hil.session`; below it: `hil.links`.
"""

import math
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from exporter.time_limits import BOOT_S, REPLY_S
from hil.errors import DeviceReset, FrameTimeout, RefusedRequest
from hil.framing import wrap
from hil.links.link import Link, MendableLink, why_silent
from hil.links.receiver import Damage, DamagedFrame, Receiver
from hil.messages import Nack
from hil.protocol import REASONS, Flag, Packet, Reason, Type, pack
from hil.traffic import Traffic
from hil.waiting import BY_THE_CLOCK, Clock, Wait

MOST_REPEATS_PER_WAIT = 8
"""How often a request is sent again at once within one wait; a line that damages everything must not be flooded."""


@dataclass(frozen=True, slots=True)
class WaitLimits:
    """How long to wait, in seconds of `clock`, and how often to repeat a request."""

    boot_s: float = BOOT_S
    reply_s: float = REPLY_S
    retries: int = 3
    clock: Clock = BY_THE_CLOCK


class Exchange:
    """Talks packets over a link. Closing it ends the reader thread and the link."""

    def __init__(self, link: Link, limits: WaitLimits) -> None:
        self.limits = limits
        self.traffic = Traffic()
        self.events: list[Packet] = []
        self.session = 0
        self._link = link
        self._receiver = Receiver(link)
        self._sequence = secrets.randbelow(1 << 16)  # an answer to an earlier program's HELLO is none to ours

    def close(self) -> None:
        """Stop reading and release the port."""
        self._receiver.stop()
        self._link.close()

    @contextmanager
    def count_apart(self) -> Iterator[Traffic]:
        """Count what happens meanwhile in counters of its own."""
        kept = self.traffic, self._receiver.damage
        self.traffic, self._receiver.damage = Traffic(), Damage()
        try:
            yield self.traffic
        finally:
            self.traffic, self._receiver.damage = kept

    def go_on_from(self, sequence: int) -> None:
        """Give the next request this number: the one that the device serves next."""
        self._sequence = (sequence - 1) & 0xFFFF

    def reach(self) -> bytes:
        """Ask a device that was just started who it is until it answers; returns the payload of that answer.

        Its boot frame is no condition: what a device says before its port is open here may be lost. A pseudo terminal
        without a reader keeps nothing, and serial drivers clear what came before.

        Raises `FrameTimeout` when nothing answers within the limit of the boot.
        """
        return self._ask(Type.HELLO, max(self.limits.retries + 1, math.ceil(self.limits.boot_s / self.limits.reply_s)))

    def request(self, kind: Type, payload: bytes = b"", flags: Flag = Flag.NONE) -> bytes:
        """Send a request until its answer comes; returns the payload of the answer.

        Raises `FrameTimeout` after all retries, `RefusedRequest` on a NACK that a retry cannot cure, `DeviceReset` when
        the device booted meanwhile.
        """
        return self._ask(kind, self.limits.retries + 1, payload, flags)

    def wait(self, limit_s: float) -> Wait:
        """A wait of `limit_s` seconds of the device's clock, which begins now."""
        return Wait(limit_s, self.limits.clock)

    def await_event(self, kind: Type, wait: Wait) -> Packet | None:
        """Return the next event of this type, None when there is none until the wait ends."""
        while True:
            for event in self.events:
                if event.type is kind:
                    self.events.remove(event)
                    return event
            packet = self._next(wait)
            if packet is None:
                return None
            self._keep_event(packet)

    def _ask(self, kind: Type, attempts: int, payload: bytes = b"", flags: Flag = Flag.NONE) -> bytes:
        self._sequence = (self._sequence + 1) & 0xFFFF
        self.traffic.requests += 1
        packet = Packet(kind, self.session, flags, self._sequence, payload)
        for attempt in range(attempts):
            self.traffic.retries += attempt > 0
            self._send(packet)
            answer = self._answer_to(packet)
            if answer is not None:
                return answer.payload
            self._mend()
        raise FrameTimeout(self._timeout_text(kind, attempts))

    def _mend(self) -> None:
        """Nothing was heard: a CAN controller may have left the bus."""
        found = self._link.mend() if isinstance(self._link, MendableLink) else ""
        self.traffic.bus_off += bool(found)

    def _send(self, packet: Packet) -> None:
        self._link.write(wrap(pack(packet)))

    def _answer_to(self, request: Packet) -> Packet | None:
        wait, repeats = self.wait(self.limits.reply_s), 0
        while (heard := self._listen(wait)) is not None:
            if isinstance(heard, DamagedFrame) or self._is_garbled_request(heard):
                repeats += 1
                self._repeat(request, repeats)
            elif self._answers(heard, request):
                return heard
            else:
                self._keep_event(heard)
        self.traffic.timeouts += 1
        return None

    def _repeat(self, request: Packet, number: int) -> None:
        """Something was damaged, perhaps the request or its answer: send it again, unless that was done often."""
        if number <= MOST_REPEATS_PER_WAIT:
            self.traffic.resent += 1
            self._send(request)

    def _next(self, wait: Wait) -> Packet | None:
        while isinstance(heard := self._listen(wait), DamagedFrame):
            pass
        return heard

    def _listen(self, wait: Wait) -> Packet | DamagedFrame | None:
        left_s = wait.remaining()
        heard = self._receiver.listen(left_s)
        while heard is None and left_s > 0.0:
            left_s = wait.remaining()
            heard = self._receiver.listen(left_s)
        self.traffic.damaged = self._receiver.damage.frames
        self.traffic.notes = self._receiver.damage.notes
        if isinstance(heard, Packet) and heard.type is Type.BOOT and self.session:
            self.traffic.resets += 1
            raise DeviceReset(
                "the device announced a boot in the middle of the session; the run that it broke off is void. "
                "Look for a watchdog, a brown-out or a crash"
            )
        return heard

    def _is_garbled_request(self, packet: Packet) -> bool:
        """Whether the device says that it could not decode something."""
        if packet.type is not Type.NACK or Nack.unpack(packet.payload).reason != Reason.UNDECODABLE:
            return False
        self.traffic.nacks += 1
        return True

    def _answers(self, packet: Packet, request: Packet) -> bool:
        if Flag.REPLY not in packet.flags:
            return False
        if packet.sequence != request.sequence or packet.session != request.session:
            self.traffic.stale += 1
            return False
        if packet.type is Type.NACK:
            self.traffic.nacks += 1
            raise _refusal(request, Nack.unpack(packet.payload))
        self.traffic.repeated += Flag.REPEATED in packet.flags
        return packet.type is request.type

    def _keep_event(self, packet: Packet) -> None:
        if Flag.EVENT in packet.flags and packet.session == self.session:
            self.events.append(packet)

    def _timeout_text(self, kind: Type, attempts: int) -> str:
        limits = self.limits
        heard = (
            f"{self._receiver.unfinished} bytes of an unfinished frame and {self.traffic.damaged} damaged frames came"
        )
        last = f" (the last: {self.traffic.notes[-1]})" if self.traffic.notes else ""
        off = (
            f"; the CAN controller was bus-off {self.traffic.bus_off} times: check bit rate, wiring and termination, "
            "and that a second node acknowledges"
            if self.traffic.bus_off
            else ""
        )
        first = f"; {why_silent(self._link)}"
        return (
            f"no answer to {kind.name} from {self._link.name} within {limits.reply_s:g} {limits.clock.unit}, "
            f"asked {attempts} times; {heard}{last}{off}{first if kind is Type.HELLO and not off else ''}"
        )


def _refusal(request: Packet, nack: Nack) -> RefusedRequest:
    reason = REASONS.get(Reason(nack.reason)) if nack.reason in set(Reason) else f"reason {nack.reason}"
    return RefusedRequest(f"the device refused {request.type.name}: {reason}", nack.reason)
