"""Positions by the raw lexicographic basis: for teaching. Exact on paper; its precision has to be measured.

In: a planar mechanism with frozen parameters. Used by: `functions`. For every variable the polynomial of lowest
degree that leads with it is solved, at most a quadratic; sine and cosine of an angle are two variables, and rounding
does not keep them on the unit circle. Rates by the chain rule.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from fractions import Fraction

from exporter.errors import NoForm
from exporter.kinematics.baselines.design import design_row, numbers_of
from exporter.kinematics.baselines.raw_basis import Polynomial, raw_basis, usual_order, variables_of
from exporter.kinematics.closures.written import Coordinates, Walker
from exporter.kinematics.protocol.derivatives import (
    Derivatives,
    MovingCoordinate,
    Rules,
    SecondDerivatives,
    rates_by_coordinate,
)
from exporter.kinematics.protocol.limits import PIVOT_THRESHOLD
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.scope import COORDINATES, Scope
from exporter.kinematics.protocol.solution import BlockFacts, Solution, Triple, check_names
from exporter.model.expression import Vector
from exporter.model.mechanism import Frame, Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import clamped_radicand, positive_pivot, signed_pivot

HIGHEST_DEGREE = 2  # degree that is solved in closed form
VANISHING_COEFFICIENT = 1e-9  # a leading coefficient below this, over its largest term, vanishes at the design pose
NO_REAL_ROOT = "a quadratic of the basis has no real root"
SMALL_COEFFICIENT = "a leading coefficient of the basis is below its threshold"
WARNING = (
    "baseline for teaching: the raw lexicographic basis; its rounding errors are not bounded, sines and cosines "
    "leave the unit circle, and leading coefficients vanish at regular poses; compare before use"
)


@dataclass(frozen=True, slots=True)
class ExtractedVariable:
    """One variable from one polynomial."""

    polynomial: Polynomial
    sign: int  # of the root; 1 where the degree is 1
    leading: float  # |leading coefficient| at the design pose


@dataclass(frozen=True)
class LexicographicSolution:
    """A mechanism that its raw basis solves."""

    mechanism: Mechanism
    steps: tuple[ExtractedVariable, ...]  # in solve order

    @property
    def notes(self) -> tuple[str, ...]:
        """The warning."""
        return (WARNING,)

    def dependent(self) -> tuple[str, ...]:
        """Dependent coordinates in solve order."""
        return tuple(dict.fromkeys(step.polynomial.leading[2:] for step in self.steps))

    def exported_coordinates(self) -> tuple[str, ...]:
        """All dependent coordinates."""
        return self.dependent()

    def block_facts(self) -> tuple[BlockFacts, ...]:
        """One block per variable."""
        return tuple(
            BlockFacts(
                f"G{number}",
                "lexicographic basis",
                (step.polynomial.leading,),
                (step.polynomial.leading[2:],),
                step.polynomial.degree,
                step.sign,
                "",
            )
            for number, step in enumerate(self.steps, start=1)
        )

    def branched_solution(self) -> None:
        """None: it is on the root that it was prepared for."""

    def iterated_solution(self) -> None:
        """Nothing iterates from call to call."""

    def solve(self, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> "LexicographicPose":
        """Write all variables into a sequence."""
        pose = LexicographicPose(self, builder, Walker(self.mechanism, scope), coordinates, Rules(builder))
        for name, value in coordinates.items():
            if self.mechanism.is_displacement(name):
                pose.variables[f"d.{name}"] = value
                continue
            with builder.step(*COORDINATES, part=True):
                pose.variables[f"s.{name}"], pose.variables[f"c.{name}"] = builder.sincos(value)
        for number, step in enumerate(self.steps, start=1):
            label, text = f"G{number}", step.polynomial
            root = f", root {'+' if step.sign > 0 else '-'}" if text.degree > 1 else ""
            with builder.step(label, f"{text.leading}: {len(text.terms)} terms, degree {text.degree}{root}"):
                pose.variables[text.leading] = _solve_step(pose, label, step)
        return pose


def lexicographic_solution(mechanism: Mechanism, triangular: Solution | None) -> LexicographicSolution:
    """Extract a step for every variable from the raw basis.

    Raises:
        ModelError: see `raw_basis`; or a variable of degree above two, or one whose leading coefficients all vanish at
            the design pose.
    """
    order = usual_order(mechanism)
    known = {variable for name in mechanism.independent for variable in variables_of(mechanism, name)}
    basis = raw_basis(mechanism, order)
    row = design_row(numbers_of(mechanism), triangular)
    design = _variables_at(mechanism, dict(zip(mechanism.coordinates(), row.tolist(), strict=True)))
    return LexicographicSolution(
        mechanism,
        tuple(_extract_variable(mechanism, name, basis, design) for name in reversed(order) if name not in known),
    )


def _variables_at(mechanism: Mechanism, row: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in row.items():
        if mechanism.is_displacement(name):
            found[f"d.{name}"] = value
        else:
            found[f"s.{name}"], found[f"c.{name}"] = math.sin(value), math.cos(value)
    return found


def _number(polynomial: Polynomial | None, values: Mapping[str, float]) -> tuple[float, float]:
    """The value of a polynomial, and the sum of the magnitudes of its terms."""
    total, size = 0.0, 0.0
    for exponents, coefficient in polynomial.terms if polynomial else ():
        term = float(coefficient)
        for name, power in zip(polynomial.variables if polynomial else (), exponents, strict=True):
            term *= values[name] ** power
        total, size = total + term, size + abs(term)
    return total, size


def _extract_variable(
    mechanism: Mechanism, name: str, basis: Sequence[Polynomial], design: Mapping[str, float]
) -> ExtractedVariable:
    leading = [each for each in basis if each.leading == name]
    lowest = min((each.degree for each in leading), default=0)
    if not 1 <= lowest <= HIGHEST_DEGREE:
        raise NoForm(
            f"{mechanism.name}: the raw lexicographic basis has degree {lowest} in {name}; it is never exported; "
            "use the triangular form by other independent coordinates"
        )
    for each in sorted((p for p in leading if p.degree == lowest), key=lambda p: (_weight(p), len(p.terms))):
        value, size = _number(each.coefficients()[-1], design)
        if abs(value) > VANISHING_COEFFICIENT * size:
            return ExtractedVariable(each, _sign(each, design), abs(value))
    raise NoForm(f"{mechanism.name}: every leading coefficient of {name} vanishes at the design pose; choose another")


def _weight(polynomial: Polynomial) -> int:
    """Terms of the leading coefficient: one where it is a number."""
    last = polynomial.coefficients()[-1]
    return len(last.terms) if last else 0


def _sign(polynomial: Polynomial, design: Mapping[str, float]) -> int:
    if polynomial.degree == 1:
        return 1
    _, linear, square = polynomial.coefficients()
    center = -_number(linear, design)[0] / (2 * _number(square, design)[0])
    return 1 if design[polynomial.leading] >= center else -1


# -- in a sequence -------------------------------------------------------------------------------------------------


@dataclass
class LexicographicPose:
    """Values of all variables."""

    solution: LexicographicSolution
    builder: Builder
    walker: Walker
    inputs: dict[str, Value]
    rules: Rules
    variables: dict[str, Value] = field(default_factory=dict)
    margins: list[Margin] = field(default_factory=list)

    def displacement(self, coordinate: str) -> Value:
        """A displacement."""
        return self.variables[f"d.{coordinate}"]

    def pair(self, coordinate: str) -> tuple[Value, Value]:
        """Cosine and sine of an angle."""
        return self.variables[f"c.{coordinate}"], self.variables[f"s.{coordinate}"]

    def angle(self, coordinate: str) -> Value:
        """An angle from its pair."""
        cosine, sine = self.pair(coordinate)
        return self.builder.atan2(sine, cosine)

    def point(self, frame: Frame) -> Triple:
        """Where a frame's origin is, ground axes."""
        return self.walker.point(frame, self._coordinates()).parts()

    def direction(self, body: str, local: Vector) -> Triple:
        """A body-fixed direction, ground axes."""
        return self.walker.direction(body, local, self._coordinates()).parts()

    def next_start(self) -> dict[str, Value]:
        """Nothing iterates."""
        return {}

    def _coordinates(self) -> Coordinates:
        mechanism = self.solution.mechanism
        slides = {name: self.displacement(name) for name in mechanism.coordinates() if mechanism.is_displacement(name)}
        pairs = {name: self.pair(name) for name in mechanism.coordinates() if name not in slides}
        return Coordinates(pairs, slides)

    def move(self, rates: dict[str, Value]) -> "LexicographicMotion":
        """The motion at these rates."""
        check_names(self.inputs, rates, "rates")
        return LexicographicMotion(self, rates, rates_by_coordinate(self.rules, self.inputs, rates))


@dataclass(frozen=True, slots=True)
class LexicographicMotion:
    """Rates by the chain rule."""

    pose: LexicographicPose
    rates: dict[str, Value]
    derivatives: Derivatives

    def rate(self, coordinate: str) -> Value:
        """Rate of a coordinate."""
        return _rate(self.pose, coordinate, self.derivatives)

    def point_velocity(self, frame: Frame) -> Triple:
        """Velocity of a frame's origin."""
        return self.derivatives.of_place(self.pose.point(frame))

    def direction_rate(self, body: str, local: Vector) -> Triple:
        """Rate of a body-fixed direction."""
        return self.derivatives.of_place(self.pose.direction(body, local))

    def accelerate(self, accelerations: dict[str, Value]) -> "LexicographicAcceleration":
        """The accelerations of everything at these."""
        check_names(self.pose.inputs, accelerations, "accelerations")
        moving = [
            MovingCoordinate(value, self.rates[name], accelerations[name]) for name, value in self.pose.inputs.items()
        ]
        return LexicographicAcceleration(self, SecondDerivatives(self.pose.rules, self.derivatives, moving))


@dataclass(frozen=True, slots=True)
class LexicographicAcceleration:
    """Accelerations by the chain rule."""

    motion: LexicographicMotion
    second: SecondDerivatives

    def acceleration(self, coordinate: str) -> Value:
        """Acceleration of a coordinate."""
        return self.second.of(self.motion.rate(coordinate), lambda d: _rate(self.motion.pose, coordinate, d))

    def point_acceleration(self, frame: Frame) -> Triple:
        """Acceleration of a frame's origin."""
        return self.second.of_place(self.motion.pose.point(frame))

    def direction_acceleration(self, body: str, local: Vector) -> Triple:
        """Second derivative of a body-fixed direction."""
        return self.second.of_place(self.motion.pose.direction(body, local))


def _rate(pose: LexicographicPose, coordinate: str, derivatives: Derivatives) -> Value:
    """Rate of a coordinate in a motion; of an angle c s' - s c'."""
    if pose.solution.mechanism.is_displacement(coordinate):
        return derivatives.of(pose.displacement(coordinate))
    cosine, sine = pose.pair(coordinate)
    return cosine * derivatives.of(sine) - sine * derivatives.of(cosine)


def _solve_step(pose: LexicographicPose, label: str, step: ExtractedVariable) -> Value:
    builder = pose.builder
    parts = [_value(pose, part) for part in step.polynomial.coefficients()]
    threshold = PIVOT_THRESHOLD[builder.precision] * Fraction(f"{step.leading:.3g}")
    leading = signed_pivot(builder, parts[-1], threshold, SMALL_COEFFICIENT, condition="GUARD_SMALL")
    if len(parts) == HIGHEST_DEGREE:
        return -(parts[0] / leading)
    half = Fraction(1, 2) * (parts[1] / leading)
    radicand = half * half - parts[0] / leading
    root = builder.sqrt(clamped_radicand(builder, radicand, 1, NO_REAL_ROOT))
    about = f"radicand of the quadratic of {step.polynomial.leading}; below 0 out of reach"
    pose.margins.append(Margin(label, "margin", radicand, about))
    regular = positive_pivot(builder, root, PIVOT_THRESHOLD[builder.precision], "two roots of a quadratic meet")
    pose.rules.register(root, lambda d: d.of(radicand) / (2 * regular))
    return root - half if step.sign > 0 else -(root + half)


def _value(pose: LexicographicPose, polynomial: Polynomial | None) -> Value:
    """A polynomial of known variables, term by term as the basis has it."""
    total = pose.builder.real(0)
    for exponents, coefficient in polynomial.terms if polynomial else ():
        term = pose.builder.real(1)
        for name, power in zip(polynomial.variables if polynomial else (), exponents, strict=True):
            for _ in range(power):
                term = term * pose.variables[name]
        total = total + coefficient * term
    return total
