"""One request, one answer: sequence numbers, time-outs, retries, refusals.

The device repeats its cached answer when a request comes twice, so a repeat never steps it twice; an answer to an
earlier request is discarded by its number. Damage on the line is answered by a repeat at once, which is no retry.
Comes from `hil.session`, goes to `hil.links`.
"""

import secrets
from dataclasses import dataclass

from hil.errors import DeviceReset, FrameTimeout, Refused
from hil.framing import wrap
from hil.links.link import Link
from hil.links.receiver import Receiver, Scrap, deadline_after, remaining
from hil.messages import Boot, Nack
from hil.protocol import REASONS, Flag, Packet, Reason, Type, pack
from hil.traffic import Traffic

REPEATS = 8
"""How often a request is sent again at once within one wait; a line that damages everything must not be flooded."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait, in seconds, and how often to repeat a request."""

    boot_s: float = 10.0
    reply_s: float = 2.0
    retries: int = 3


class Exchange:
    """Talks packets over a link. Closing it ends the reader thread and the link."""

    def __init__(self, link: Link, limits: Limits) -> None:
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

    def go_on_from(self, sequence: int) -> None:
        """Give the next request this number: the one that the device serves next."""
        self._sequence = (sequence - 1) & 0xFFFF

    def await_boot(self) -> Boot:
        """Wait for the boot frame of a device that was just started; raises `FrameTimeout`."""
        moment = deadline_after(self.limits.boot_s)
        while (packet := self._receiver.next_packet(remaining(moment))) is not None:
            if packet.type is Type.BOOT:
                return Boot.unpack(packet.payload)
        raise FrameTimeout(
            f"no boot frame from {self._link.name} within {self.limits.boot_s:g} s; "
            "is this the bench firmware, and does its UART run at the bench file's baud rate?"
        )

    def request(self, kind: Type, payload: bytes = b"", flags: Flag = Flag.NONE) -> bytes:
        """Send a request until its answer comes; returns the payload of the answer.

        Raises `FrameTimeout` after all retries, `Refused` on a NACK that a retry cannot cure, `DeviceReset` when the
        device booted meanwhile.
        """
        self._sequence = (self._sequence + 1) & 0xFFFF
        self.traffic.requests += 1
        packet = Packet(kind, self.session, flags, self._sequence, payload)
        for attempt in range(self.limits.retries + 1):
            self.traffic.retries += attempt > 0
            self._send(packet)
            answer = self._answer_to(packet)
            if answer is not None:
                return answer.payload
        raise FrameTimeout(self._timeout_text(kind))

    def await_event(self, kind: Type, limit_s: float) -> Packet | None:
        """Return the next event of this type, None when there is none within `limit_s`."""
        moment = deadline_after(limit_s)
        while True:
            for event in self.events:
                if event.type is kind:
                    self.events.remove(event)
                    return event
            packet = self._next(remaining(moment))
            if packet is None:
                return None
            self._keep_event(packet)

    def _send(self, packet: Packet) -> None:
        self._link.write(wrap(pack(packet)))

    def _answer_to(self, request: Packet) -> Packet | None:
        moment, repeats = deadline_after(self.limits.reply_s), 0
        while (heard := self._listen(remaining(moment))) is not None:
            if isinstance(heard, Scrap) or self._is_garbled_request(heard):
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
        if number <= REPEATS:
            self.traffic.resent += 1
            self._send(request)

    def _next(self, limit_s: float) -> Packet | None:
        moment = deadline_after(limit_s)
        while isinstance(heard := self._listen(remaining(moment)), Scrap):
            pass
        return heard

    def _listen(self, limit_s: float) -> Packet | Scrap | None:
        heard = self._receiver.listen(limit_s)
        self.traffic.damaged = self._receiver.damage.frames
        self.traffic.notes = self._receiver.damage.notes
        if isinstance(heard, Packet) and heard.type is Type.BOOT and self.session:
            self.traffic.resets += 1
            raise DeviceReset(
                "the device announced a boot in the middle of the session; everything measured so far is void. "
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
            self._raise_refusal(request, Nack.unpack(packet.payload))
        self.traffic.repeated += Flag.REPEATED in packet.flags
        return packet.type is request.type

    def _raise_refusal(self, request: Packet, nack: Nack) -> None:
        self.traffic.nacks += 1
        reason = REASONS.get(Reason(nack.reason)) if nack.reason in set(Reason) else f"reason {nack.reason}"
        raise Refused(f"the device refused {request.type.name}: {reason}", nack.reason)

    def _keep_event(self, packet: Packet) -> None:
        if Flag.EVENT in packet.flags and packet.session == self.session:
            self.events.append(packet)

    def _timeout_text(self, kind: Type) -> str:
        limits = self.limits
        heard = (
            f"{self._receiver.unfinished} bytes of an unfinished frame and {self.traffic.damaged} damaged frames came"
        )
        last = f" (the last: {self.traffic.notes[-1]})" if self.traffic.notes else ""
        return (
            f"no answer to {kind.name} from {self._link.name} within {limits.reply_s:g} s, "
            f"asked {limits.retries + 1} times; {heard}{last}"
        )
