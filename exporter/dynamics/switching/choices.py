"""Two choices of coordinates of one planar mechanism: its own independent coordinates and its alternative ones.

In: a mechanism with an alternative. Used by: `evaluation`, `functions`. Source: Blajer, Schiehlen & Schirm
1992, sections 3 and 4: where one choice becomes singular the other need not, and the change is consistent because all
coordinates and rates are known at every instant.
"""

from fractions import Fraction

import numpy as np

from exporter.errors import ModelError
from exporter.kinematics.planar.complex_value import Complex
from exporter.kinematics.planar.form import Block, TriangularForm
from exporter.kinematics.planar.planarity import why_spatial
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.planar.solution import solve_pose
from exporter.kinematics.planar.triangular import triangular_form
from exporter.kinematics.protocol.scope import Scope
from exporter.model.complete import by_alternative
from exporter.model.mechanism import Mechanism
from exporter.model.once import once_per_model
from exporter.model.units import PI
from exporter.records import dataclass
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Signal


@dataclass(frozen=True, slots=True)
class Choice:
    """One parametrisation."""

    form: TriangularForm
    calibration: dict[str, int]  # by block: sign of its root over that of its determinant, the columns' cross product

    @property
    def names(self) -> tuple[str, ...]:
        """Independent coordinates of the choice."""
        return self.form.independent

    def roots(self) -> tuple[Block, ...]:
        """Blocks with a root to be chosen."""
        return tuple(block for block in self.form.blocks if block.degree > 1)


@dataclass(frozen=True, slots=True)
class Choices:
    """Two choices of coordinates, in the order of the state's `choice`: 0 and 1."""

    first: Choice
    second: Choice

    def both(self) -> tuple[Choice, Choice]:
        """The first choice, then the second."""
        return self.first, self.second

    @property
    def mechanism(self) -> Mechanism:
        """What is exported."""
        return self.first.form.mechanism

    def union(self) -> tuple[str, ...]:
        """Coordinates that are independent in either, those of the first choice first."""
        return (*self.first.names, *(name for name in self.second.names if name not in self.first.names))

    def exchanged(self) -> tuple[tuple[str, str], ...]:
        """Pairs of coordinates, one of each choice alone."""
        ours = [name for name in self.first.names if name not in self.second.names]
        theirs = [name for name in self.second.names if name not in self.first.names]
        return tuple(zip(ours, theirs, strict=True))

    def scale(self) -> Fraction:
        """What the determinant of the second's rates by the first's is multiplied by to be dimensionless.

        Rates count over their bounds: of two coordinates the one is preferred that moves more of its bound.
        """
        scale = Fraction(1)
        for ours, theirs in self.exchanged():
            scale *= _rate(self.mechanism, ours) / _rate(self.mechanism, theirs)
        return scale


def _rate(mechanism: Mechanism, name: str) -> Fraction:
    bound = mechanism.ranges[name].rate
    if bound is None:
        raise ModelError(f"{mechanism.name}: {name} has no bound of its rate; add it under [coordinates.rates]")
    return bound


@once_per_model
def choices_of(mechanism: Mechanism) -> Choices:
    """The two choices of a mechanism, each with the branch that the pose picks; solved once per model.

    Raises:
        ModelError: the mechanism is spatial, either choice cannot be solved, or an angle's range does not fit.
    """
    if reason := why_spatial(mechanism):
        raise ModelError(
            f"{mechanism.name}: an alternative choice of coordinates is for planar mechanisms ({reason}); leave it out"
        )
    first = triangular_form(mechanism)
    second = triangular_form(by_alternative(mechanism))
    choices = Choices(_calibrate_choice(first), _calibrate_choice(second))
    for name in choices.union():
        _check_range(choices, name)
    return choices


def _check_range(choices: Choices, name: str) -> None:
    """The angle that a pose gives lies within half a turn to each side."""
    limits, half = choices.mechanism.ranges[name], PI
    turns = limits.minimum <= -half and limits.maximum >= half
    within = -half <= limits.minimum and limits.maximum <= half
    if choices.first.form.turn(name) is not None and not (turns or within):
        raise ModelError(
            f"{choices.mechanism.name}: the range of {name} reaches beyond half a turn on one side only; a switch "
            "finds angles from -180 to 180 deg: give a range within these, or one that holds them"
        )


def _calibrate_choice(form: TriangularForm) -> Choice:
    builder = Builder("design", "float64")
    scope = Scope(builder, form.mechanism, nominal=True)
    given = {name: builder.input(Signal(name, "1")) for name in form.independent}
    pose, _ = solve_pose(form, builder, scope, given)
    for block in form.blocks:
        one, other = columns_of(block, pose)
        builder.output(Signal(block.id, "1", group=Group.OUTPUT), one.cross(other))
    sequence = builder.finish()
    row = np.array([[float(form.mechanism.pose[name]) for name in form.independent]])
    values = interpret(sequence, row).outputs[0]
    signs = {
        block.id: block.sign if value > 0 else -block.sign for block, value in zip(form.blocks, values, strict=True)
    }
    return Choice(form, signs)


def columns_of(block: Block, pose: Pose) -> tuple[Complex, Complex]:
    """How the closure moves per unit of either unknown's rate, at a known pose."""
    columns = []
    for unknown in block.unknowns:
        if unknown.kind == "slide":
            columns.append(pose.carrier(next(term for term in block.closure.terms if term.slide == unknown.name)))
            continue
        direction = pose.form.direction
        own = tuple(term for term in block.closure.terms if direction[term.body].root == unknown.name)
        columns.append(pose.sum(own).times_i())
    return columns[0], columns[1]
