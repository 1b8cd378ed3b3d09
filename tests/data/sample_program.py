"""A slider-crank written by hand with the builder: what tests and tools use where no mechanism pipeline is needed.

Crank of length l1 turned by theta, massless rod l2, piston on the x axis with a force F along +x. The crank has the
inertia J about its pivot, the piston the mass m3, so that with k = ds/dtheta

    (J + m3 k^2) theta'' = F k - m3 k k' theta'^2.

`tunable=True` makes l1 a parameter of `recalibrate`; otherwise every parameter is frozen.
"""

import hashlib
from dataclasses import dataclass
from fractions import Fraction

from exporter.sequence import guards
from exporter.sequence.builder import Builder, Value
from exporter.sequence.operations import Group, OperationSequence, Precision, Role, Signal
from exporter.sequence.program import Branch, FrozenParameter, Program

CRANK_M = Fraction(3, 10)
ROD_M = Fraction(4, 10)
CRANK_INERTIA_KGM2 = Fraction(3, 100)
PISTON_MASS_KG = Fraction(2)
PERIOD_S = Fraction(1, 1000)
NOMINAL_ANGLE_RAD = Fraction("0.785398163397448309615660845819875721049292349843776455243736")
PIVOT_THRESHOLD = Fraction(1, 1000)


@dataclass(frozen=True)
class Lengths:
    """What the formulas need of the lengths, as constants or as derived inputs."""

    crank: Value
    crank_per_rod: Value
    rod: Value


@dataclass(frozen=True)
class Pose:
    """Sines, cosines and the slider position; `pivot` is the guarded cosine of the rod angle."""

    sin_theta: Value
    cos_theta: Value
    sin_phi: Value
    cos_phi: Value
    pivot: Value
    slide: Value
    margin: Value


def theta_signal(group: Group = Group.INPUT) -> Signal:
    """The crank angle."""
    limit = Fraction(10_000)
    return Signal("theta", "rad", "crank angle", -limit, limit, NOMINAL_ANGLE_RAD, group=group)


def rate_signal(group: Group = Group.INPUT) -> Signal:
    """The crank's angular velocity."""
    return Signal("theta.rate", "rad/s", "crank rate", Fraction(-500), Fraction(500), Fraction(0), group=group)


def force_signal() -> Signal:
    """The force on the piston."""
    about = "force on the piston along +x"
    return Signal("F", "N", about, Fraction(-1000), Fraction(1000), Fraction(0))


def output(name: str, unit: str, about: str, role: Role = Role.VALUE) -> Signal:
    """An output signal."""
    return Signal(name, unit, about, role=role, group=Group.OUTPUT)


def crank_parameter() -> Signal:
    """The tunable crank length."""
    return Signal("l1", "m", "crank length", Fraction(1, 10), Fraction(39, 100), CRANK_M, group=Group.PARAMETER)


def derived(name: str, unit: str, about: str, group: Group = Group.DERIVED) -> Signal:
    """A derived constant, as an input of a function; its range follows from the parameter's."""
    per = 1 if unit == "m" else 1 / ROD_M
    return Signal(name, unit, about, Fraction(1, 10) * per, Fraction(39, 100) * per, CRANK_M * per, group=group)


def lengths(builder: Builder, tunable: bool) -> Lengths:
    """The lengths as constants, or as derived inputs."""
    rod = builder.real(ROD_M)
    if not tunable:
        return Lengths(builder.real(CRANK_M), builder.real(CRANK_M / ROD_M), rod)
    crank = builder.input(derived("l1", "m", "crank length"))
    per_rod = builder.input(derived("d0_l1_per_l2", "1", "crank over rod"))
    return Lengths(crank, per_rod, rod)


def pose(builder: Builder, theta: Value, length: Lengths) -> Pose:
    """Position in three solve steps."""
    sin_theta, cos_theta = builder.sincos(theta)
    with builder.step("L1.1", "phi.sin from  l1 sin(theta) - l2 sin(phi) = 0"):
        sin_phi = length.crank_per_rod * sin_theta
    with builder.step("L1.2", "phi.cos from  sin(phi)^2 + cos(phi)^2 - 1 = 0, branch 'piston right' (+)"):
        margin = 1 - builder.square(sin_phi)
        cos_phi = builder.sqrt(guards.clamped_radicand(builder, margin, 1, "l2 is too short"))
        pivot = guards.positive_pivot(builder, cos_phi, PIVOT_THRESHOLD, "cos(phi) below 1e-3")
    with builder.step("L1.3", "s from  l1 cos(theta) + l2 cos(phi) - s = 0"):
        slide = length.crank * cos_theta + length.rod * cos_phi
    return Pose(sin_theta, cos_theta, sin_phi, cos_phi, pivot, slide, margin)


def speed_ratio(builder: Builder, at: Pose, length: Lengths) -> tuple[Value, Value]:
    """k = ds/dtheta and its derivative by theta."""
    with builder.step("V1.1", "phi.rate from  l1 cos(theta) theta.rate - l2 cos(phi) phi.rate = 0"):
        slope = length.crank_per_rod * at.cos_theta / at.pivot
    with builder.step("V1.2", "s.rate from  l1 sin(theta) theta.rate + l2 sin(phi) phi.rate + s.rate = 0"):
        ratio = -(length.crank * at.sin_theta) - length.rod * at.sin_phi * slope
    with builder.step("A1.1", "phi.acceleration, s.acceleration by the same pivots"):
        slope_squared = builder.square(slope)
        bend = (at.sin_phi * slope_squared - length.crank_per_rod * at.sin_theta) / at.pivot
        falling = length.rod * (at.cos_phi * slope_squared + at.sin_phi * bend)
        return ratio, -(length.crank * at.cos_theta) - falling


def acceleration(builder: Builder, rate: Value, force: Value, ratio: Value, ratio_slope: Value) -> Value:
    """theta'' from the projected equation of motion; the inertia is never below J."""
    with builder.step("D1", "theta.acceleration from  (J + m3 k^2) theta.acceleration = F k - m3 k k' theta.rate^2"):
        inertia = CRANK_INERTIA_KGM2 + PISTON_MASS_KG * builder.square(ratio)
        return ratio * (force - PISTON_MASS_KG * (ratio_slope * builder.square(rate))) / inertia


def position(precision: Precision, tunable: bool) -> OperationSequence:
    """theta -> phi, s, margin."""
    builder = Builder("position", precision)
    theta = guards.checked_input(builder, theta_signal())
    at = pose(builder, theta, lengths(builder, tunable))
    _position_outputs(builder, at)
    return builder.finish()


def _position_outputs(builder: Builder, at: Pose) -> None:
    builder.output(output("phi.sin", "1", "rod angle, sine"), at.sin_phi)
    builder.output(output("phi.cos", "1", "rod angle, cosine; branch 'piston right', >= 0"), at.cos_phi)
    builder.output(output("s", "m", "slider position"), at.slide)
    builder.output(output("margin.L1.2", "1", "radicand of phi.cos", Role.MARGIN), at.margin)
    builder.output(output("pivot.V1.1", "1", "cosine of the rod angle", Role.PIVOT), at.pivot)


def dynamics(precision: Precision, tunable: bool) -> OperationSequence:
    """theta, theta.rate, F -> position, s.rate, theta.acceleration."""
    builder = Builder("dynamics", precision)
    theta = guards.checked_input(builder, theta_signal())
    rate = guards.checked_input(builder, rate_signal())
    force = guards.checked_input(builder, force_signal())
    length = lengths(builder, tunable)
    at = pose(builder, theta, length)
    ratio, slope = speed_ratio(builder, at, length)
    _position_outputs(builder, at)
    builder.output(output("s.rate", "m/s", "slider velocity"), ratio * rate)
    about = "crank acceleration"
    builder.output(output("theta.acceleration", "rad/s^2", about), acceleration(builder, rate, force, ratio, slope))
    return builder.finish()


def startup(precision: Precision) -> OperationSequence:
    """The state at the design pose."""
    builder = Builder("startup", precision)
    builder.output(theta_signal(Group.STATE), builder.real(NOMINAL_ANGLE_RAD))
    builder.output(rate_signal(Group.STATE), builder.real(0))
    return builder.finish()


def dostep(precision: Precision, tunable: bool) -> OperationSequence:
    """One step of semi-implicit Euler: state, F -> state, s, theta.acceleration."""
    builder = Builder("dostep", precision)
    theta = guards.checked_input(builder, theta_signal(Group.STATE))
    rate = guards.checked_input(builder, rate_signal(Group.STATE))
    force = guards.checked_input(builder, force_signal())
    length = lengths(builder, tunable)
    at = pose(builder, theta, length)
    bend = acceleration(builder, rate, force, *speed_ratio(builder, at, length))
    with builder.step("I1", "semi-implicit Euler, period 0.001 s"):
        next_rate = rate + PERIOD_S * bend
        next_theta = theta + PERIOD_S * next_rate
    builder.output(theta_signal(Group.STATE), next_theta)
    builder.output(rate_signal(Group.STATE), next_rate)
    builder.output(output("s", "m", "slider position before the step"), at.slide)
    builder.output(output("theta.acceleration", "rad/s^2", "crank acceleration"), bend)
    return builder.finish()


def recalibrate(precision: Precision) -> OperationSequence:
    """l1 -> l1, l1/l2."""
    builder = Builder("recalibrate", precision)
    crank = guards.checked_input(builder, crank_parameter())
    builder.output(derived("l1", "m", "crank length"), crank)
    builder.output(derived("d0_l1_per_l2", "1", "crank over rod"), crank / ROD_M)
    return builder.finish()


def slider_crank_program(precision: Precision, *, tunable: bool = False) -> Program:
    """The program; with `tunable` the crank length is a parameter."""
    name = "slider_crank"
    return Program(
        name=name,
        title="Planar slider-crank, crank angle independent",
        source="tests/data/sample_program.py",
        precision=precision,
        model_hash=hashlib.sha256(f"{name} tunable={tunable}".encode()).hexdigest(),
        functions=(
            position(precision, tunable),
            dynamics(precision, tunable),
            startup(precision),
            dostep(precision, tunable),
        ),
        recalibrate=recalibrate(precision) if tunable else None,
        frozen=(
            *(() if tunable else (FrozenParameter("l1", CRANK_M, "m", "crank length"),)),
            FrozenParameter("l2", ROD_M, "m", "rod length"),
            FrozenParameter("J", CRANK_INERTIA_KGM2, "kg*m^2", "inertia of the crank about its pivot"),
            FrozenParameter("m3", PISTON_MASS_KG, "kg", "mass of the piston"),
        ),
        parameters=(crank_parameter(),) if tunable else (),
        branches=(Branch("piston right", "phi.cos", "L1.2", 1, ("piston right", "piston left")),),
        notes=("the rod is massless",),
    )
