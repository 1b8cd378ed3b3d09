"""The items' accelerations by projection, on the numbers of any algebra system.

In and out as in `peer_positions`. Each leg has a mass matrix M and forces Q in its joints' rates u. Its tip moves by
v = J u and accelerates by J u' = N a + g, where a are the platform's accelerations. Seen from the tip, the leg is a
mass K = J^-T M J^-1 and a force f = J^-T (Q - M J^-1 g). The platform adds up all N' K N and N' f.
"""

from typing import Any

from peer_positions import LOWER, UPPER, PlatformLeg, RobotLeg, platform_legs, robot_legs
from peer_vectors import Scalar, Vector, applied, cross, dot, plus, rotation, solved_symmetric, times, total, transposed

Matrix = list[Vector]
CRANK, ROD, GRAVITY = 0.3, 0.4, 9.81
MASSES = (1.0, 1.5, 2.0)
UPPER_MASS, LOWER_MASS, TOOL_MASS = 3.0, 4.0, 8.0
UPPER_INERTIA, LOWER_INERTIA, TOOL_INERTIA = 0.04, 0.12, 0.0817
SEGMENT_MASS, SEGMENT_INERTIA, SEGMENT_CENTRE = 0.1, 0.00625, 0.5
PLATFORM_MASS, PLATFORM_INERTIA = 1.5, 0.08


def slider_crank(x: Vector, m: Any) -> Vector:
    """W1: mass matrix and loads of (beta, s, theta), projected on how they move with theta."""
    angle, rate, force = x
    sine, cosine = m.sin(angle), m.cos(angle)
    cos_beta = CRANK / ROD * sine
    sin_beta = m.sqrt(1 - cos_beta * cos_beta)
    turn = -(CRANK * cosine) / (ROD * sin_beta)
    motion = [turn, ROD * cos_beta * turn - CRANK * sine, 1]
    beta_rate = turn * rate
    drift = (CRANK * sine * rate * rate - ROD * cos_beta * beta_rate * beta_rate) / (ROD * sin_beta)
    centripetal = CRANK * cosine * rate * rate + ROD * sin_beta * beta_rate * beta_rate
    rest = [drift, ROD * cos_beta * drift - centripetal, 0]
    mixed = -MASSES[1] * ROD / 2 * cos_beta
    mass = [
        [MASSES[1] * ROD**2 / 3, mixed, 0],
        [mixed, MASSES[1] + MASSES[2], 0],
        [0, 0, MASSES[0] * CRANK**2 / 3],
    ]
    loads = [
        MASSES[1] * ROD / 2 * GRAVITY * sin_beta,
        force - MASSES[1] * ROD / 2 * sin_beta * beta_rate * beta_rate,
        -MASSES[0] * CRANK / 2 * GRAVITY * cosine,
    ]
    pulled = applied(mass, motion)
    acceleration = (dot(motion, loads) - dot(pulled, rest)) / dot(motion, pulled)
    return [sin_beta, cos_beta, CRANK * cosine + ROD * sin_beta, beta_rate, motion[1] * rate, acceleration]


def robot(x: Vector, m: Any) -> Vector:
    """W4d: the tool's two displacements and its angle."""
    rates, torques = x[3:6], x[6:]
    mass = [[TOOL_MASS, 0, 0], [0, TOOL_MASS, 0], [0, 0, TOOL_INERTIA]]
    force: Vector = [0, 0, 0]
    for leg, torque in zip(robot_legs(x[:3], m), torques, strict=True):
        tip_mass, tip_force = _robot_leg(leg, rates, torque, m)
        motions = [[1, 0], [0, 1], [-leg.joint[1], leg.joint[0]]]
        mass, force = _added(mass, force, motions, tip_mass, tip_force, m)
    return solved_symmetric(mass, force, m)


def _robot_leg(leg: RobotLeg, rates: Vector, torque: Scalar, m: Any) -> tuple[Matrix, Vector]:
    """Mass and force of two links whose rates follow from the tip's velocity."""
    (c1, s1), (c2, s2) = leg.upper, leg.lower
    determinant = m.named(1 / (UPPER * LOWER * (c1 * s2 - s1 * c2)))
    inverse = [
        [m.named(LOWER * c2 * determinant), m.named(LOWER * s2 * determinant)],
        [m.named(-UPPER * c1 * determinant), m.named(-UPPER * s1 * determinant)],
    ]
    velocity = [rates[0] - leg.joint[1] * rates[2], rates[1] + leg.joint[0] * rates[2]]
    first, second = (m.named(each * each) for each in applied(inverse, velocity))
    lever = LOWER_MASS * UPPER * LOWER / 2
    mixed, coupling = lever * (c1 * c2 + s1 * s2), lever * (s1 * c2 - c1 * s2)
    mass = [
        [UPPER_INERTIA + UPPER_MASS * UPPER**2 / 4 + LOWER_MASS * UPPER**2, mixed],
        [mixed, LOWER_INERTIA + LOWER_MASS * LOWER**2 / 4],
    ]
    loads = [torque - coupling * second, coupling * first]
    spin = rates[2] * rates[2]
    rest = plus(times(UPPER * first, leg.upper), times(LOWER * second, leg.lower), times(-spin, leg.joint))
    return _at_the_tip(inverse, mass, loads, rest, m)


def platform(x: Vector, m: Any) -> Vector:
    """W3d: accelerations of the origin and of the spin, then of the three angles."""
    angles, velocity, rates, forces = x[3:6], x[6:9], x[9:12], x[12:]
    turn, (phi, theta, _) = rotation(angles, m), angles
    axes = [[0, 0, 1], [-m.sin(phi), m.cos(phi), 0], [row[0] for row in turn]]
    spin = [m.named(each) for each in plus(*(times(rate, axis) for rate, axis in zip(rates, axes, strict=True)))]
    rest = plus(
        times(rates[0], cross(axes[0], plus(times(rates[1], axes[1]), times(rates[2], axes[2])))),
        times(rates[1] * rates[2], cross(axes[1], axes[2])),
    )
    mass: Matrix = [[0] * 6 for _ in range(6)]
    for k in range(6):
        mass[k][k] = PLATFORM_MASS if k < len(velocity) else PLATFORM_INERTIA
    force: Vector = [0] * 6
    for leg, push in zip(platform_legs(x[:6], m), forces, strict=True):
        tip_mass, tip_force = _platform_leg(leg, velocity, spin, push, m)
        units = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        motions = [*units, *(cross(unit, leg.joint) for unit in units)]
        mass, force = _added(mass, force, motions, tip_mass, tip_force, m)
    found = solved_symmetric(mass, force, m)
    left = plus(found[3:], times(-1, rest))
    psi = m.named((m.cos(phi) * left[0] + m.sin(phi) * left[1]) / m.cos(theta))
    return [*found[:3], left[2] + m.sin(theta) * psi, m.cos(phi) * left[1] - m.sin(phi) * left[0], psi]


def _platform_leg(leg: PlatformLeg, velocity: Vector, spin: Vector, push: Scalar, m: Any) -> tuple[Matrix, Vector]:
    """Mass and force of a leg by its alpha, beta and length; the columns of J are normal to each other."""
    ca, sa, cb, sb = (m.named(each) for each in (leg.cos_alpha, leg.sin_alpha, leg.cos_beta, leg.sin_beta))
    axes = [0, -ca, -sa], [cb, sa * sb, -ca * sb], [sb, -sa * cb, ca * cb]
    shares = 1 / (leg.length * cb), 1 / leg.length, 1
    inverse = [[m.named(share * part) for part in axis] for share, axis in zip(shares, axes, strict=True)]
    rates = [m.named(each) for each in applied(inverse, plus(velocity, cross(spin, leg.joint)))]
    mass, loads = _segments(leg.length - SEGMENT_CENTRE, (cb, sb), rates, m)
    alpha, beta, rate = rates
    by_alpha = times(2 * rate * cb * alpha - 2 * leg.length * sb * alpha * beta, axes[0])
    by_beta = times(2 * rate * beta, axes[1])
    inwards = times(-leg.length * beta * beta, axes[2])
    to_axis = times(leg.length * cb * alpha * alpha, [0, sa, -ca])
    own = plus(by_alpha, by_beta, inwards, to_axis)
    rest = plus(cross(spin, cross(spin, leg.joint)), times(-1, own))
    return _at_the_tip(inverse, mass, plus(loads, [0, 0, push]), rest, m)


def _segments(reach: Scalar, turn: Vector, rates: Vector, m: Any) -> tuple[Matrix, Vector]:
    """Mass matrix of both segments, the upper one's centre at `reach`, and their forces of inertia at these rates."""
    (cb, sb), (alpha, beta, rate) = turn, rates
    inertia = m.named(SEGMENT_MASS * SEGMENT_CENTRE**2 + 2 * SEGMENT_INERTIA + SEGMENT_MASS * reach * reach)
    change = 2 * SEGMENT_MASS * reach * rate
    mass = [[inertia * cb * cb, 0, 0], [0, inertia, 0], [0, 0, SEGMENT_MASS]]
    forces = [
        2 * inertia * cb * sb * alpha * beta - change * cb * cb * alpha,
        -change * beta - inertia * cb * sb * alpha * alpha,
        SEGMENT_MASS * reach * (beta * beta + cb * cb * alpha * alpha),
    ]
    return mass, forces


def _at_the_tip(inverse: Matrix, mass: Matrix, loads: Vector, rest: Vector, m: Any) -> tuple[Matrix, Vector]:
    """K and f, with g = `rest`."""
    back, drift = transposed(inverse), [m.named(each) for each in applied(inverse, rest)]
    columns = [applied(mass, column) for column in back]
    seen = [[m.named(dot(row, column)) for column in columns] for row in back]
    left = [m.named(load - part) for load, part in zip(loads, applied(mass, drift), strict=True)]
    return seen, [m.named(each) for each in applied(back, left)]


def _added(
    mass: Matrix, force: Vector, motions: Matrix, tip_mass: Matrix, tip_force: Vector, m: Any
) -> tuple[Matrix, Vector]:
    """With what a leg adds: `motions` are the tip's velocities by each of the platform's."""
    pulled = [[m.named(each) for each in applied(tip_mass, motion)] for motion in motions]
    more = [
        [total([value, dot(motion, pull)]) for value, pull in zip(row, pulled, strict=True)]
        for row, motion in zip(mass, motions, strict=True)
    ]
    return more, plus(force, [dot(motion, tip_force) for motion in motions])
