"""The functions of an export with two choices of independent coordinates.

In: a mechanism with an alternative. Used by: `functions`. Kinematics are written once per choice (`position`,
`position_alt`, ...), each on the branch of the design pose. `startup` and `dostep` know both: the state says
which choice is active and which root either takes, and one step may change the choice (see
`exporter.dynamics.switching`).
"""

from fractions import Fraction

from exporter.dynamics.integration import advance
from exporter.dynamics.switching.choices import Choice, Choices
from exporter.dynamics.switching.evaluation import EvaluatedPose, Evaluation, SwitchedState, Values, is_independent
from exporter.functions.reactions import write_selected_reactions
from exporter.functions.signals import (
    FunctionWriter,
    acceleration_signal,
    coordinate_signal,
    declare_inputs,
    rate_signal,
    write_output,
    write_positions,
    write_rates,
)
from exporter.kinematics.planar.engine import PlanarSolution
from exporter.kinematics.protocol.scope import Scope
from exporter.records import dataclass
from exporter.sequence.builder import CHECKS, Builder, Flag, Value
from exporter.sequence.guards import checked_input
from exporter.sequence.operations import Group, OperationSequence, Precision, Signal

CHOICE_SIGNAL = "choice"
RATIO_SIGNAL = "switch.ratio"
HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class SelectedSolution(PlanarSolution):
    """A pose that belongs to neither choice alone: every coordinate is offered."""

    def exported_coordinates(self) -> tuple[str, ...]:
        """All coordinates, in the order of their joints."""
        return self.form.mechanism.coordinates()


def branch_name(number: int, block: str) -> str:
    """The state's entry for the root of a block: of the first choice, or of the alternative."""
    return f"alternative.branch.{block}" if number else f"branch.{block}"


def startup_of(choices: Choices, precision: Precision, contract: bool) -> OperationSequence:
    """The state at the design pose, at rest, by the first choice."""
    builder = Builder("startup", precision, contract=contract)
    for name in choices.union():
        builder.output(_coordinate(choices, name), choices.mechanism.pose[name])
    for name in choices.union():
        builder.output(_rate(choices, name), 0)
    builder.output(_active(), 0)
    for number, choice in enumerate((choices.first, choices.second)):
        for block in choice.roots():
            builder.output(_branch(choice, number, block.id), block.sign)
    return builder.finish()


def dostep_of(choices: Choices, precision: Precision, contract: bool) -> OperationSequence:
    """Outputs at the present state; the state one step later, in the choice that goes on."""
    builder = Builder("dostep", precision, contract=contract)
    scope = Scope(builder, choices.mechanism)
    writer = FunctionWriter(SelectedSolution(choices.first.form), builder, scope, {}, {}, {})
    with builder.under(CHECKS):
        given = _read_state(choices, builder)
    declare_inputs(writer)
    evaluation = Evaluation(choices, builder, scope)
    shown = [evaluation.at(given, decide=True)]
    now = shown[0]

    def derivative(coordinates: Values, rates: Values) -> EvaluatedPose:
        if coordinates is now.coordinates:
            return now
        with builder.step("S0", "what counts of the stage", part=True):
            fed = {n: _feed_value(choices, n, now.second, v, choices.mechanism.pose[n]) for n, v in coordinates.items()}
            moving = {n: _feed_value(choices, n, now.second, v, Fraction(0)) for n, v in rates.items()}
        return evaluation.at(SwitchedState(fed, moving, now.second, now.signs), decide=False)

    def watched(name: str) -> Flag:
        return is_independent(choices, name, now.second)

    after = advance(choices.mechanism, builder, derivative, now.coordinates, now.rates, watched)
    with builder.step("S3", "the choice that goes on"):
        _give_state(choices, builder, now, after.coordinates, after.rates)
    _give_outputs(writer, choices, now)
    write_selected_reactions(writer, now)
    return writer.finish()


def _read_state(choices: Choices, builder: Builder) -> SwitchedState:
    """The state, checked: what does not count is replaced by the design pose and raises no flag."""
    names = choices.union()
    raw = {name: builder.input(_coordinate(choices, name)) for name in names}
    raw_rates = {name: builder.input(_rate(choices, name)) for name in names}
    second = checked_input(builder, _active()) > HALF
    coordinates = {n: _check_value(choices, builder, second, n, raw[n], _coordinate(choices, n)) for n in names}
    rates = {n: _check_value(choices, builder, second, n, raw_rates[n], _rate(choices, n)) for n in names}
    signs = tuple(
        {block.id: _sign(choice, builder, number, block.id) for block in choice.roots()}
        for number, choice in enumerate((choices.first, choices.second))
    )
    return SwitchedState(coordinates, rates, second, (signs[0], signs[1]))


def _check_value(choices: Choices, builder: Builder, second: Flag, name: str, raw: Value, signal: Signal) -> Value:
    counts = is_independent(choices, name, second)
    if not builder.contract or signal.minimum is None or signal.maximum is None or signal.nominal is None:
        return _feed_value(choices, name, second, raw, signal.nominal or Fraction(0))
    within = (raw >= signal.minimum) & (raw <= signal.maximum)
    if signal.minimum == -signal.maximum:
        within = abs(raw) <= signal.maximum
    builder.condition("ARG_REJECTED", counts & ~within)
    return builder.select(counts & within, raw, signal.nominal)


def _feed_value(choices: Choices, name: str, second: Flag, value: Value, otherwise: Fraction) -> Value:
    """A value where its coordinate counts."""
    return value.builder.select(is_independent(choices, name, second), value, otherwise)


def _sign(choice: Choice, builder: Builder, number: int, block: str) -> Value:
    """+1 or -1 of whatever the state says."""
    return builder.select(checked_input(builder, _branch(choice, number, block)) >= 0, 1, -1)


def _coordinate(choices: Choices, name: str) -> Signal:
    return coordinate_signal(PlanarSolution(choices.first.form), name, Group.STATE)


def _rate(choices: Choices, name: str) -> Signal:
    return rate_signal(PlanarSolution(choices.first.form), name, Group.STATE)


def _active() -> Signal:
    about = "active choice of coordinates: 0 the first, 1 the alternative"
    return Signal(CHOICE_SIGNAL, "1", about, Fraction(0), Fraction(1), Fraction(0), group=Group.STATE)


def _branch(choice: Choice, number: int, block: str) -> Signal:
    sign = next(each.sign for each in choice.roots() if each.id == block)
    about = f"root of block {block}, driven by {', '.join(choice.names)}: +1 or -1"
    return Signal(branch_name(number, block), "1", about, Fraction(-1), Fraction(1), Fraction(sign), group=Group.STATE)


def _give_state(choices: Choices, builder: Builder, now: EvaluatedPose, coordinates: Values, rates: Values) -> None:
    for name in choices.union():
        builder.output(_coordinate(choices, name), coordinates[name])
    for name in choices.union():
        builder.output(_rate(choices, name), rates[name])
    builder.output(_active(), builder.select(now.second, 1, 0))
    for number, choice in enumerate((choices.first, choices.second)):
        for block in choice.roots():
            builder.output(_branch(choice, number, block.id), now.signs[number][block.id])


def _give_outputs(writer: FunctionWriter, choices: Choices, now: EvaluatedPose) -> None:
    with writer.outputs():
        _give_shown(writer, choices, now)


def _give_shown(writer: FunctionWriter, choices: Choices, now: EvaluatedPose) -> None:
    write_positions(writer, now.pose)
    write_rates(writer, now.motion)
    for name in choices.union():
        unit = acceleration_signal(PlanarSolution(choices.first.form), name).unit
        write_output(writer, f"{name}.acceleration", unit, now.accelerations[name], f"acceleration of {name}")
    write_output(
        writer, RATIO_SIGNAL, "1", now.ratio, "how much faster the other choice moves, over the bounds of the rates"
    )
