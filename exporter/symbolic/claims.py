"""Roots, quotients and arc functions that only the condition of their arm can prove.

SymPy moves sqrt(Piecewise((y, y > 0), (0, True))) into the arm: Piecewise((sqrt(y), y > 0), (0, True)). Under the root
y may be negative, but then another arm is selected. Such a place is written with a limit and without a flag, and claims
that the limit never counts. What is claimed can be checked only when all conditions and outputs are written, so a model
with claims is written again, with the bounds that the first time gave, until every claim holds.
"""

from collections.abc import Callable, Sequence
from dataclasses import field

from exporter.errors import ModelError
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.enclosure import EMPTY, Enclosure, union
from exporter.symbolic.enclosures import Enclosures
from exporter.symbolic.recording_builder import RecordingBuilder

MOST_PASSES = 4
"""Each pass may need one for the claims of an arm inside an arm; more than this is refused."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A value that is within its limit wherever it is needed.

    Attributes:
        value: what the limit is for.
        safe: the value within its limit.
        holds: whether these bounds are within the limit that was written.
        provable: whether a limit can be written that these bounds are within.
        refusal: the sentence where they are not, from the bounds.
    """

    value: Value
    safe: Value
    holds: Callable[[Enclosure], bool]
    provable: Callable[[Enclosure], bool]
    refusal: Callable[[Enclosure], str]


@dataclass(slots=True)
class Claims:
    """The claims of a model in the order in which they are written, and the bounds of the pass before."""

    assumed: Sequence[Enclosure] = ()
    made: list[Claim] = field(default_factory=list)

    def assumption(self) -> Enclosure | None:
        """The bounds of the next claim's value where it is needed, as far as they are known."""
        position = len(self.made)
        return self.assumed[position] if position < len(self.assumed) else None

    def bounds(self, builder: RecordingBuilder, enclosures: Enclosures) -> list[Enclosure]:
        """The bounds of each claim's value under the conditions under which an output needs it."""
        needed = builder.needed_under()
        return [_where_needed(claim, needed.get(claim.safe.index, frozenset()), enclosures) for claim in self.made]

    def hold(self, bounds: Sequence[Enclosure], last: bool) -> bool:
        """Whether all hold; with `last` there is no other pass.

        Raises:
            ModelError: one cannot be proven.
        """
        open_claims = [(claim, known) for claim, known in zip(self.made, bounds, strict=True) if not claim.holds(known)]
        for claim, known in open_claims:
            if last or not claim.provable(known):
                raise ModelError(claim.refusal(known))
        return not open_claims


def _where_needed(claim: Claim, clauses: frozenset[frozenset[tuple[int, bool]]], enclosures: Enclosures) -> Enclosure:
    result = EMPTY
    for clause in sorted(clauses, key=sorted):
        result = union(result, enclosures.where(claim.value, sorted(clause)))
    return result
