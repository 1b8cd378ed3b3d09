"""A pose that is known by either choice, seen through the form of each.

Comes from: two solved poses and a flag. Goes to: `evaluation`. Directions and displacements are selected once per body;
all else is written on them and shared.
"""

from dataclasses import dataclass, field

from exporter.dynamics.switching.choices import Choice, Choices, columns_of, cramer
from exporter.kinematics.blocks import LinearSolve
from exporter.kinematics.blocks.arms import near
from exporter.kinematics.complex_value import Complex
from exporter.kinematics.form import Block
from exporter.kinematics.planar import GROUND
from exporter.kinematics.position import Pose
from exporter.kinematics.rates import Motion
from exporter.sequence.builder import Flag, Value


@dataclass
class PlacedPose(Pose):
    """A pose whose bodies are placed already."""

    unit_of: dict[str, Complex] = field(default_factory=dict)

    def unit(self, body: str) -> Complex:
        """D of a body."""
        return self.unit_of[body]


@dataclass
class PlacedMotion(Motion):
    """A motion whose bodies' rates are known already."""

    rate_of: dict[str, Value] = field(default_factory=dict)

    def rate(self, body: str) -> Value:
        """Angular velocity of a body."""
        return self.rate_of[body]


def picked(flag: Flag, if_one: Complex, if_zero: Complex) -> Complex:
    """One of two vectors."""
    select = if_one.re.builder.select
    return Complex(select(flag, if_one.re, if_zero.re), select(flag, if_one.im, if_zero.im))


@dataclass(frozen=True)
class Placed:
    """One pose as the forms see it."""

    free: Pose
    first: PlacedPose
    second: PlacedPose


def placed(choices: Choices, by_second: Flag, first: Pose, second: Pose) -> Placed:
    """The pose of the choice that is active."""
    builder, form = first.builder, choices.free
    roots = {GROUND: first.root[GROUND]}
    for direction in form.direction.values():
        if direction.root not in roots:
            roots[direction.root] = picked(by_second, second.unit(direction.root), first.unit(direction.root))
    slides = {name: builder.select(by_second, second.slide[name], first.slide[name]) for name in form.model.slides}
    units = {body: roots[direction.root] for body, direction in form.direction.items()}
    free = Pose(form, builder, first.scope, root=roots, slide=slides)
    one, other = (
        PlacedPose(choice.form, builder, first.scope, root=roots, slide=slides, unit_of=units)
        for choice in (choices.first, choices.second)
    )
    return Placed(free, one, other)


@dataclass(frozen=True)
class Pivots:
    """The determinants of a choice's blocks at a placed pose, and what solves them for rates."""

    determinants: dict[str, Value]
    solves: tuple[LinearSolve, ...]


def pivots_of(choice: Choice, pose: PlacedPose, used: Flag) -> Pivots:
    """Divide by every determinant once; NEAR_SINGULAR where one is too small and the choice is used."""
    determinants: dict[str, Value] = {}
    solves = []
    for block in choice.form.blocks:
        columns = columns_of(block, pose)
        determinants[block.id] = columns[0].cross(columns[1])
        inverse = 1 / _away_from_zero(choice, block, determinants[block.id], used)
        solves.append(LinearSolve(block, lambda rest, c=columns, i=inverse: cramer(c, i, rest)))  # type: ignore[misc]
    return Pivots(determinants, tuple(solves))


def _away_from_zero(choice: Choice, block: Block, determinant: Value, used: Flag) -> Value:
    builder = determinant.builder
    if not builder.contract or determinant.constant is not None:
        return determinant
    threshold = choice.calibration[block.id].threshold(builder.precision)
    regular = abs(determinant) >= threshold
    builder.condition("NEAR_SINGULAR", used & ~regular, near(block))
    positive = builder.select(determinant >= 0, threshold, -threshold)
    return builder.select(regular, determinant, positive)


def sign_of(choice: Choice, block: Block, determinant: Value) -> Value:
    """The sign of the block's root that has this determinant."""
    builder, sign = determinant.builder, choice.calibration[block.id].sign
    return builder.select(determinant >= 0, sign, -sign)
