"""What it costs to make a frozen parameter tunable.

In: a mechanism that can be solved. Out: per frozen parameter and function, the operations while it is frozen, with the
parameter in the function, and after everything that depends on parameters alone was moved into `recalibrate`.
"""

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from exporter.errors import ModelError, Unsolved
from exporter.functions.mechanism import acceleration, functions_of, position
from exporter.functions.program import arithmetic
from exporter.kinematics.analysis.other_parameters import with_parameters_of
from exporter.kinematics.engine import solved_mechanism, triangular_solution
from exporter.kinematics.protocol.scope import tunable_signals
from exporter.kinematics.protocol.solution import Solution
from exporter.model.complete import with_tunable
from exporter.model.mechanism import Mechanism, Parameter
from exporter.model.parameter_sets import placing_names, shaping_names
from exporter.progress import within
from exporter.records import dataclass
from exporter.sequence.cost import Cost, cost
from exporter.sequence.operations import OperationSequence
from exporter.sequence.pipeline import divide_functions

DEFAULT_RANGE_RATIO = Fraction(1, 100)  # of a value: the range of a parameter that has none, for counting only


@dataclass(frozen=True, slots=True)
class FunctionCost:
    """One function, guards left out."""

    function: str
    frozen: Cost
    before: Cost  # tunable, everything inside the function
    after: Cost  # tunable, with `recalibrate` taking what depends on parameters alone


@dataclass(frozen=True, slots=True)
class TunableCost:
    """One frozen parameter."""

    name: str
    has_range: bool  # it can be made tunable as the file stands
    functions: tuple[FunctionCost, ...]
    recalibrate: Cost  # of one call, beyond what the other tunable parameters take
    refusal: str  # why it cannot be tunable


def tunable_costs(mechanism: Mechanism) -> tuple[TunableCost, ...]:
    """Every frozen parameter in the order of the file."""
    frozen = [parameter for parameter in mechanism.parameters if parameter.frozen]
    if not frozen:
        return ()
    solved = solved_mechanism(mechanism)
    base = _write_functions(mechanism, solved)
    costs = []
    for number, parameter in enumerate(frozen, start=1):
        with within(f"parameter {parameter.name}", number, len(frozen)):
            costs.append(_cost(parameter, solved, base))
    return tuple(costs)


@dataclass(frozen=True, slots=True)
class _Written:
    functions: tuple[OperationSequence, ...]
    hoisted: tuple[OperationSequence, ...]
    recalibrate: OperationSequence | None


def _solved(mechanism: Mechanism, parameter: Parameter, frozen: Solution) -> Solution:
    """The solution, that with the parameter frozen where no joint reads it.

    Held against the closures only over a range that the file gives.
    """
    same = None if parameter.name in shaping_names(mechanism) else with_parameters_of(frozen, mechanism)
    if same is not None:
        return same
    if not _has_range(parameter):
        with suppress(Unsolved):
            return triangular_solution(mechanism)
    return solved_mechanism(mechanism)


def _has_range(parameter: Parameter) -> bool:
    return parameter.minimum is not None and parameter.maximum is not None


def _write_functions(mechanism: Mechanism, solved: Solution, positions: OperationSequence | None = None) -> _Written:
    """Positions, where they are not given, and the largest function."""
    last = functions_of(mechanism, solved).get("dynamics", acceleration)
    functions = (positions or arithmetic(position, solved), arithmetic(last, solved))
    recalibrate, hoisted = divide_functions(functions, tuple(tunable_signals(mechanism)))
    return _Written(functions, hoisted, recalibrate)


def _cost(parameter: Parameter, solved: Solution, base: _Written) -> TunableCost:
    has_range = _has_range(parameter)
    try:
        tunable = _tunable(solved.mechanism, parameter)
        positions = None if parameter.name in placing_names(tunable) else base.functions[0]
        written = _write_functions(tunable, _solved(tunable, parameter, solved), positions)
    except (ModelError, ValueError) as error:  # ValueError: an operation whose derivative an engine does not know
        return TunableCost(parameter.name, has_range, (), Cost(), f"cannot be tunable: {error}")
    functions = tuple(
        FunctionCost(frozen.name, cost(frozen), cost(before), cost(after))
        for frozen, before, after in zip(base.hoisted, written.functions, written.hoisted, strict=True)
    )
    return TunableCost(parameter.name, has_range, functions, _difference(written.recalibrate, base.recalibrate), "")


def _tunable(mechanism: Mechanism, parameter: Parameter) -> Mechanism:
    given = parameter
    if given.minimum is None or given.maximum is None:
        ends = sorted((parameter.value * (1 - DEFAULT_RANGE_RATIO), parameter.value * (1 + DEFAULT_RANGE_RATIO)))
        given = replace(
            parameter, minimum=ends[0], maximum=ends[1] if ends[1] > ends[0] else ends[0] + DEFAULT_RANGE_RATIO
        )
    ranged = tuple(given if each.name == parameter.name else each for each in mechanism.parameters)
    tunable = {*mechanism.tunable_names(), parameter.name}
    return with_tunable(replace(mechanism, parameters=ranged), tunable)


def _difference(with_it: OperationSequence | None, without: OperationSequence | None) -> Cost:
    return (cost(with_it) if with_it else Cost()) - (cost(without) if without else Cost())
