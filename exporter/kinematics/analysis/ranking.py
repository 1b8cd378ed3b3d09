"""The order of choices of independent coordinates, and which one is recommended, with the reasons as words.

In: `Choice`s. Out: the same, best first, and a `Recommendation`. First what can be solved, then what is free
of singular poses over the sampled range and keeps its branch, then the fewest operations.
"""

from collections.abc import Iterable, Sequence

from exporter.kinematics.analysis.choices import Choice
from exporter.records import dataclass
from exporter.sequence.weights import score

COMPARED_FUNCTIONS = ("dynamics", "acceleration", "position")  # the first of these that was counted is compared


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The choice to take, and why."""

    independent: tuple[str, ...]
    reason: str


def score_of(choice: Choice) -> int:
    """The score of the largest function; 0 where none was counted."""
    name = next((name for name in COMPARED_FUNCTIONS if name in choice.costs), "")
    return score(choice.costs[name]) if name else 0


def is_free(choice: Choice) -> bool:
    """Regular, and on its branch, at every sampled configuration."""
    return choice.singularities.free and choice.kept == choice.singularities.samples


def ranked_choices(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    """Best first; what ties keeps its order."""
    return tuple(sorted(choices, key=_key))


def _key(choice: Choice) -> tuple[bool, bool, int, int, float]:
    lost = choice.singularities.samples - choice.kept
    degree = choice.degree if choice.degree is not None else 10**9
    if not choice.solvable:
        return True, not choice.singularities.free, 0, degree, -choice.singularities.smallest
    return False, not is_free(choice), 0 if is_free(choice) else lost, score_of(choice), -choice.singularities.smallest


def recommendation(choices: Sequence[Choice], own: Sequence[str]) -> Recommendation | None:
    """The first of ranked choices, unless the mechanism's own is as good; None where none can be solved."""
    best = next((choice for choice in choices if choice.solvable), None)
    if best is None:
        return None
    mine = next((choice for choice in choices if set(choice.independent) == set(own)), None)
    if mine is not None and mine.solvable and _key(mine)[:4] == _key(best)[:4]:
        best = mine
    return Recommendation(best.independent, _reason(best, choices))


def _reason(best: Choice, choices: Sequence[Choice]) -> str:
    solvable = [choice for choice in choices if choice.solvable]
    free = [choice for choice in solvable if is_free(choice)]
    if not is_free(best):
        return (
            f"no choice is regular over the whole sampled range; this one keeps its branch at {best.kept} of "
            f"{best.singularities.samples} poses, the most of {len(solvable)} that can be solved"
        )
    if len(solvable) == 1:
        return "the only one that can be solved, and regular over the whole sampled range"
    if len(free) == 1:
        return f"the only one of {len(solvable)} that can be solved which is regular over the whole sampled range"
    return f"regular over the whole sampled range, and the fewest operations of the {len(free)} choices that are"
