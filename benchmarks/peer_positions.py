"""Closed forms of the items' positions as a textbook has them, on the numbers of any algebra system.

In: an item's inputs as a list, and an algebra with `sin`, `cos`, `sqrt` and `named`. Out: the values that the item
asks for. `named` makes a symbol of a value where an algebra system would else carry it along everywhere. Numbers are
those of the library's models.
"""

from typing import Any, NamedTuple

from peer_vectors import Scalar, Vector, applied, cross, dot, plus, rotation, solved, times

BASES = [(-2.12, 1.374), (-2.38, 1.224), (-2.38, -1.224), (-2.12, -1.374), (0.0, -0.15), (0.0, 0.15)]
JOINTS = [(0.17, 0.595), (-0.6, 0.15), (-0.6, -0.15), (0.17, -0.595), (0.43, -0.445), (0.43, 0.445)]
JOINT_HEIGHT = -0.4
SIDE, UPPER, LOWER, TOOL = 1.0, 0.4, 0.6, 0.4
ROOT3 = 3**0.5
ROBOT_BASES = [(0.0, 0.0), (SIDE, 0.0), (SIDE / 2, SIDE * ROOT3 / 2)]
TOOL_JOINTS = [(-TOOL / 2, -TOOL * ROOT3 / 6), (TOOL / 2, -TOOL * ROOT3 / 6), (0.0, TOOL * ROOT3 / 3)]
CHASSIS = [
    (-0.1032, -0.4906, -0.0656),
    (0.3093, -0.2046, -0.0496),
    (0.2008, -0.2836, -0.0116),
    (0.2058, -0.2696, 0.0954),
    (-0.0017, -0.3496, 0.1184),
]
CARRIER = [
    (-0.0478, -0.0501, -0.0879),
    (0.0349, -0.0773, -0.1338),
    (0.1391, -0.0474, -0.0421),
    (0.0769, -0.0597, 0.0859),
    (0.0063, -0.0522, 0.1199),
]
SQUARES = [0.1976067, 0.09859029, 0.06052758, 0.06076347, 0.08851301]
NEWTON_STEPS = 2


class PlatformLeg(NamedTuple):
    """A leg of the platform: its joint from the platform's origin, its length, and its two angles."""

    joint: Vector
    length: Scalar
    cos_alpha: Scalar
    sin_alpha: Scalar
    cos_beta: Scalar
    sin_beta: Scalar


class RobotLeg(NamedTuple):
    """A leg of the robot: its joint from the tool's centroid, and unit vectors along its links."""

    joint: Vector
    upper: Vector
    lower: Vector


def four_bar(x: Vector, m: Any) -> Vector:
    """W2: eq. (4.20) of Uchida's thesis, its constants worked out."""
    cosine, sine = m.cos(x[0]), m.sin(x[0])
    z = 9 * cosine * cosine + 55
    c4, c3 = m.sqrt(z) / 8, m.sqrt(64 - 841 / z) / 8
    c2 = (183 * cosine + 640 * c3 * c4) / (8 * (z + 45))
    return [c2, 0.7625 - 0.3 * cosine * c2, c3, 64 * c4 * (1 - c3 * c3) / 29, c4, 0.375 * sine]


def platform_legs(pose: Vector, m: Any) -> list[PlatformLeg]:
    """All six, by the platform's pose."""
    turn, found = rotation(pose[3:], m), []
    for base, at in zip(BASES, JOINTS, strict=True):
        joint = [m.named(each) for each in applied(turn, [*at, JOINT_HEIGHT])]
        span = [m.named(each) for each in plus(pose[:3], joint, times(-1, [*base, 0.0]))]
        height = m.named(m.sqrt(dot(span[1:], span[1:])))
        length = m.named(m.sqrt(dot(span, span)))
        angles = span[2] / height, -span[1] / height, height / length, span[0] / length
        found.append(PlatformLeg(joint, length, *angles))
    return found


def platform(x: Vector, m: Any) -> Vector:
    """W3."""
    return [
        value
        for leg in platform_legs(x, m)
        for value in (leg.length, leg.cos_beta, leg.sin_beta, leg.cos_alpha, leg.sin_alpha)
    ]


def robot_legs(pose: Vector, m: Any) -> list[RobotLeg]:
    """All three, by the tool's pose: the law of cosines, knees to the right."""
    cosine, sine, found = m.cos(pose[2]), m.sin(pose[2]), []
    for base, (x, y) in zip(ROBOT_BASES, TOOL_JOINTS, strict=True):
        joint = [cosine * x - sine * y, sine * x + cosine * y]
        span = [m.named(each) for each in plus(pose[:2], joint, times(-1, base))]
        square = m.named(dot(span, span))
        along = m.named((square + UPPER**2 - LOWER**2) / (2 * square))
        across = m.named(m.sqrt(UPPER**2 / square - along * along))
        upper = [along * span[0] + across * span[1], along * span[1] - across * span[0]]
        lower = plus(span, times(-1, upper))
        found.append(RobotLeg(joint, times(1 / UPPER, upper), times(1 / LOWER, lower)))
    return found


def robot(x: Vector, m: Any) -> Vector:
    """W4k."""
    return [part for leg in robot_legs(x, m) for part in (*leg.upper, *leg.lower)]


def five_link(x: Vector, m: Any) -> Vector:
    """W5: Newton's steps from (x, y, phi, theta, psi) of the call before, then the links' angles."""
    height, found = x[0], list(x[1:])
    for _ in range(NEWTON_STEPS):
        turn, links = _links(height, found, m)
        matrix, right = [], []
        for (joint, span), square in zip(links, SQUARES, strict=True):
            matrix.append([m.named(each) for each in _slopes(joint, span, turn, found[2], m)])
            right.append(m.named((square - dot(span, span)) / 2))
        found = [m.named(each) for each in plus(found, solved(matrix, right, m))]
    angles = []
    for (_, span), square in zip(_links(height, found, m)[1], SQUARES, strict=True):
        shadow = m.named(m.sqrt(dot(span[1:], span[1:])))
        length = square**0.5
        angles += [span[0] / length, shadow / length, -span[2] / shadow, span[1] / shadow]
    return [*found, *angles]


def _links(height: Scalar, carrier: Vector, m: Any) -> tuple[list[Vector], list[tuple[Vector, Vector]]]:
    """How the carrier is turned, and of each link its joint from the carrier's origin and from the chassis."""
    turn = [[m.named(each) for each in row] for row in rotation(carrier[2:], m)]
    origin, links = [carrier[0], carrier[1], height], []
    for chassis, at in zip(CHASSIS, CARRIER, strict=True):
        joint = [m.named(each) for each in applied(turn, at)]
        links.append((joint, [m.named(each) for each in plus(origin, joint, times(-1, chassis))]))
    return turn, links


def _slopes(joint: Vector, span: Vector, turn: list[Vector], phi: Scalar, m: Any) -> Vector:
    """Half a square's derivatives by x, y, phi, theta and psi; a turn's is its axis times the moment of the span."""
    moment = [m.named(each) for each in cross(joint, span)]
    first = [row[0] for row in turn]
    return [span[0], span[1], moment[2], m.cos(phi) * moment[1] - m.sin(phi) * moment[0], dot(first, moment)]
