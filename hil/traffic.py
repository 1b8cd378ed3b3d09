"""What happened on the link beside the answers: retries, refusals, resets. Always listed in a report."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Traffic:
    """Counters of one session; `unstable` when anything had to be repeated."""

    requests: int = 0
    retries: int = 0  # after a time-out
    resent: int = 0  # at once, after damage on the line
    timeouts: int = 0
    stale: int = 0  # answers to earlier requests, discarded
    repeated: int = 0  # answers that the device took from its cache
    nacks: int = 0
    damaged: int = 0  # frames of the device that could not be decoded
    resets: int = 0  # boots announced in mid-session
    bus_off: int = 0  # times that the CAN controller had left the bus and was brought back
    notes: list[str] = field(default_factory=list)

    @property
    def unstable(self) -> bool:
        """Whether the link needed any repair."""
        counts = (self.retries, self.resent, self.stale, self.nacks, self.damaged, self.resets, self.bus_off)
        return any(counts)

    def as_dict(self) -> dict[str, int]:
        """The counters by name, for a report."""
        names: tuple[str, ...] = (
            "requests",
            "retries",
            "resent",
            "timeouts",
            "stale",
            "repeated",
            "nacks",
            "damaged",
            "resets",
        )
        names += ("bus_off",) if self.bus_off else ()
        return {name: getattr(self, name) for name in names}
