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
    notes: list[str] = field(default_factory=list)

    @property
    def unstable(self) -> bool:
        """Whether the link needed any repair."""
        return bool(self.retries or self.resent or self.stale or self.nacks or self.damaged or self.resets)

    def as_dict(self) -> dict[str, int]:
        """The counters by name, for a report."""
        names = ("requests", "retries", "resent", "timeouts", "stale", "repeated", "nacks", "damaged", "resets")
        return {name: getattr(self, name) for name in names}
