"""One direction of a line under faults: whole frames in, what arrives out, and a log of what was done to them.

Nothing here depends on time: a fault follows from the seed and the number of the frame, and what comes late comes
after a number of later frames. So the same conversation meets the same faults, on every link and every computer.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from hil.faults.fault_file import FaultFile
from hil.faults.kinds import SERIAL_KINDS, CarriedFrame, Direction, FrameDraw, Kind, carry_frame


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """One fault that was injected."""

    step: int  # that was being asked for when the request of this frame was sent, from 0
    direction: Direction
    frame: int  # of its direction, from 0
    request: str  # name of the type
    kind: Kind
    detail: str

    def as_dict(self) -> dict[str, int | str]:
        """For JSON."""
        return {
            "step": self.step, "direction": self.direction.value, "frame": self.frame, "request": self.request,
            "kind": self.kind.value, "detail": self.detail,
        }  # fmt: skip


@dataclass(slots=True)
class Way:
    """A direction; `carry` is called for each frame in order."""

    direction: Direction
    file: FaultFile
    kinds: tuple[Kind, ...] = SERIAL_KINDS  # that this link knows
    do: Callable[[Kind, bytes, FrameDraw], CarriedFrame] = carry_frame
    frames: int = 0
    log: list[InjectedFault] = field(default_factory=list)
    _late: list[tuple[int, bytes]] = field(default_factory=list)  # (number of the frame behind which it comes, bytes)

    def carry(self, frame: bytes, request: str, step: int) -> list[bytes]:
        """Take a frame with its delimiters; returns the pieces that arrive now, those of earlier frames last."""
        draw, number = FrameDraw(self.file.seed, self.direction, self.frames), self.frames
        kind, result = self._kind(draw, request), CarriedFrame("", (frame,))
        if kind is not None:
            result = self.do(kind, frame, draw)
            self.log.append(InjectedFault(step, self.direction, number, request, kind, result.detail))
        self.frames += 1
        due = [piece for behind, piece in self._late if behind <= number]
        self._late = [each for each in self._late if each[0] > number]
        if result.late:
            self._late.append((number + result.after, result.late))
        return [*result.now, *due]

    def rest(self) -> list[bytes]:
        """Whatever is still under way, in order."""
        pieces = [piece for _, piece in sorted(self._late, key=lambda each: each[0])]
        self._late = []
        return pieces

    def _kind(self, draw: FrameDraw, request: str) -> Kind | None:
        """What happens to this frame: the first rule that is about it and whose number is drawn."""
        for rule in self.file.rules:
            if rule.meets(self.direction, request) and draw.part() < rule.rate:
                kinds = rule.kinds or self.kinds
                return kinds[draw.below(len(kinds))]
        return None
