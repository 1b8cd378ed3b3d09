"""Segments of a walked function and the longest and shortest path through them.

Made by: the walk in `path`, which has already refused every cycle. Gives back: what a caller needs of the function.
"""

from dataclasses import dataclass

from targets.audit.machine import State

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a caller needs of a function that was walked."""

    longest: tuple[int, ...]
    fewest: int
    stack: int
    forks: bool
    clobbered: frozenset[str]  # registers that do not survive a call


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where one instruction leads: an address, or None for a return (behind a tail call: what was `called`)."""

    address: int | None
    state: State
    called: Summary | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of instructions up to a return (no outcome) or an undecided branch (two outcomes)."""

    trace: tuple[int, ...]
    slack: int  # how many of them a shorter path through called functions saves
    depth: int
    forks: bool
    outcomes: tuple[Outcome, ...]


def key_of(outcome: Outcome) -> Key:
    """An address with all that is known there."""
    return (outcome.address, *outcome.state.key())


def summary_of(segments: dict[Key, Segment], finished: list[Key], clobbered: frozenset[str]) -> Summary:
    """Longest and shortest path of the acyclic graph of segments; `finished` is in post-order, the entry last."""
    most: dict[Key, int] = {}
    fewest: dict[Key, int] = {}
    for key in finished:
        segment = segments[key]
        ahead = [_counts_ahead(item, most, fewest) for item in segment.outcomes] or [(0, 0)]
        most[key] = len(segment.trace) + max(longest for longest, _ in ahead)
        fewest[key] = len(segment.trace) - segment.slack + min(shortest for _, shortest in ahead)
    root = finished[-1]
    return Summary(
        longest=tuple(_trace(root, segments, most)),
        fewest=fewest[root],
        stack=max(segment.depth for segment in segments.values()),
        forks=any(segment.forks or len(segment.outcomes) > 1 for segment in segments.values()),
        clobbered=clobbered,
    )


def _counts_ahead(outcome: Outcome, most: dict[Key, int], fewest: dict[Key, int]) -> tuple[int, int]:
    if outcome.address is None:
        return (len(outcome.called.longest), outcome.called.fewest) if outcome.called else (0, 0)
    return most[key_of(outcome)], fewest[key_of(outcome)]


def _trace(root: Key, segments: dict[Key, Segment], most: dict[Key, int]) -> list[int]:
    trace: list[int] = []
    key: Key | None = root
    while key is not None:
        segment = segments[key]
        trace.extend(segment.trace)
        key = None
        if segment.outcomes:
            best = max(segment.outcomes, key=lambda item: _counts_ahead(item, most, most)[0])
            if best.address is None:
                trace.extend(best.called.longest if best.called else ())
            else:
                key = key_of(best)
    return trace
