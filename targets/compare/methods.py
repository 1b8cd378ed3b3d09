"""What each method costs for one mechanism, and how far it closes the loops.

In: a mechanism with frozen parameters, and methods. Out: `MethodFacts`, JSON-able by `dataclasses.asdict`. A Newton
method comes with a fixed number of steps, and to a tolerance: then what is counted is a call with as many iterations as
the longest of the random poses took.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution import Solution
from exporter.model.changes import SOLVERS, USUAL_ITERATIONS, Changes, apply_changes
from exporter.model.mechanism import Mechanism
from exporter.sequence.cost import Cost, cost
from exporter.sequence.operations import Precision
from exporter.sequence.pipeline import ARITHMETIC_PASSES, finished
from targets.compare.accuracy import POSES, Accuracy, accuracies

METHODS: tuple[str, ...] = SOLVERS
TOLERANCE = "1e-6"  # within reach of float32, and that of the tighter columns of the printed tables


@dataclass(frozen=True, slots=True)
class MethodFacts:
    """One method. Where it does not fit the mechanism, `refused` says why and the rest is empty."""

    method: str
    steps: int  # of Newton's methods with a fixed number of them, else 0
    tolerance: str = ""  # of Newton's methods to a tolerance
    refused: str = ""
    unknowns: tuple[int, ...] = ()  # unknowns of each block
    arithmetic: dict[str, int] = field(default_factory=dict)  # of the positions without guards: mul_div, add, ...
    operations: dict[str, int] = field(default_factory=dict)  # of the exported function, float32, guards included
    accuracy: dict[str, Accuracy] = field(default_factory=dict)  # by precision
    least_operations: int = 0  # all of them with the fewest iterations, where their number is not fixed
    iterations: tuple[int, int] = (0, 0)  # fewest and most at the random poses, where their number is not fixed
    instructions: dict[str, int] = field(default_factory=dict)  # by target; filled by `instructions`
    verdicts: dict[str, str] = field(default_factory=dict)  # of the audit, by target
    measured: dict[str, tuple[int, int]] = field(default_factory=dict)  # fewest and most instructions that were run
    dense_elimination: int = 0  # multiplications and divisions of dense Gaussian elimination, all steps; not exported


def changes_of(facts: MethodFacts) -> Changes:
    """What makes a mechanism one that is solved so."""
    return Changes(method=facts.method, steps=facts.steps, tolerance=facts.tolerance)


def facts_of(mechanism: Mechanism, method: str, steps: int, poses: int = POSES, tolerance: str = "") -> MethodFacts:
    """Cost and accuracy of one method; a Newton method with a tolerance takes no number of steps."""
    newton = method.startswith("newton")
    facts = MethodFacts(method, steps if newton and not tolerance else 0, tolerance if newton else "")
    try:
        solved = solved_mechanism(apply_changes(mechanism, changes_of(facts)))
        accuracy = accuracies(mechanism, solved, poses) if poses else {}
    except ModelError as error:
        return replace(facts, refused=str(error))
    fewest, most = _iterations(accuracy) if facts.tolerance else (0, 0)
    unknowns = tuple(len(block.coordinates) for block in solved.block_facts())
    return replace(
        facts,
        unknowns=unknowns,
        iterations=(fewest, most),
        arithmetic=_classes(_cost(solved, "float64", most, contract=False)),
        operations=_cost(solved, "float32", most, contract=True).as_dict(),
        least_operations=sum(_cost(solved, "float32", fewest, contract=True).as_dict().values()),
        accuracy=accuracy,
        dense_elimination=dense_elimination(unknowns) * (most or steps) if newton else 0,
    )


def _iterations(accuracy: dict[str, Accuracy]) -> tuple[int, int]:
    """Fewest and most over both precisions; the largest number there can be where nothing was tried."""
    tried = [each.iterations for each in accuracy.values()]
    if not tried:
        return 1, USUAL_ITERATIONS
    return min(fewest for fewest, _ in tried), max(most for _, most in tried)


def _cost(solved: Solution, precision: Precision, iterations: int, *, contract: bool) -> Cost:
    """The cost of positions; of so many iterations and what follows where their number is not fixed."""
    own = _count_operations(functions.position, solved, precision, contract=contract)
    if not iterations:
        return own
    return own + _count_operations(functions.newton_step, solved, precision, contract=contract) * iterations


def _count_operations(write: functions.Function, solved: Solution, precision: Precision, *, contract: bool) -> Cost:
    return cost(finished(write(solved, precision, contract=contract), ARITHMETIC_PASSES))


def _classes(counted: Cost) -> dict[str, int]:
    """Classes as the tables of the literature count them."""
    return {
        "mul_div": counted.mul + counted.div,
        "add": counted.add,
        "sqrt": counted.sqrt,
        "sincos": counted.sincos,
        "select": counted.select,
    }


def dense_elimination(unknowns: Sequence[int]) -> int:
    """Multiplications and divisions of Gaussian elimination with substitution that sees no zeros: n^3/3 + n^2 - n/3."""
    return sum((n**3 - n) // 3 + n**2 for n in unknowns)
