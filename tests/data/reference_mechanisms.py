"""Mechanisms built by hand from dataclasses, for tests of the reference: no file format, no exporter mathematics.

Geometry: slider-crank of Uchida (2011), section 3.1 and eq. (3.38); four-bar of Wang, Gosselin and Cheng (2002),
section 3.1; crank-rocker of tests/data/crank_rocker.json.
"""

from fractions import Fraction
from math import atan2, cos, sin, sqrt

from exporter.model.expression import ZERO, Binary, Expression, Name, Number, Vector
from exporter.model.mechanism import Body, CoordinateRange, Frame, Input, Joint, Load, Mechanism, Parameter

Z = (Fraction(0), Fraction(0), Fraction(1))
X = (Fraction(1), Fraction(0), Fraction(0))
WIDE = CoordinateRange(Fraction(-10_000), Fraction(10_000), Fraction(500), Fraction(10_000))


def number(value: float | str) -> Number:
    return Number(Fraction(value))


def point(x: float | str = 0, y: float | str = 0) -> Vector:
    return (number(x), number(y), ZERO)


def bar(name: str, length: str, mass: float, along: str = "x") -> Body:
    """A uniform slender bar of this length along its own x or y axis."""
    half = Fraction(length) / 2
    center = (Number(half), ZERO, ZERO) if along == "x" else (ZERO, Number(half), ZERO)
    zz = Number(Fraction(mass) * Fraction(length) ** 2 / 12)
    return Body(name, number(mass), center, (ZERO, ZERO, zz, ZERO, ZERO, ZERO))


def slider_crank(independent: str = "theta") -> Mechanism:
    """The thesis' coordinates: l1 c_theta + l2 s_beta - s = 0, l1 s_theta - l2 c_beta = 0 (3.18, 3.19)."""
    l1: Expression = Name("l1")
    half = Binary("/", l1, number(2))
    inertia = Binary("/", Binary("*", Name("m1"), Binary("*", l1, l1)), number(12))
    crank = Body("crank", Name("m1"), (half, ZERO, ZERO), (ZERO, ZERO, inertia, ZERO, ZERO, ZERO))
    piston = Body("piston", number(2), point(), (ZERO,) * 6)
    # rod: body origin at the piston, +y towards the crank pin; pin at s - l2 sin(beta), l2 cos(beta)
    joints = (
        Joint("theta", "revolute", Frame("ground", point()), Frame("crank", point()), Z, ("theta",)),
        Joint("s", "prismatic", Frame("ground", point()), Frame("piston", point()), X, ("s",)),
        Joint("beta", "revolute", Frame("piston", point()), Frame("rod", point()), Z, ("beta",)),
        Joint("pin", "revolute", Frame("crank", (l1, ZERO, ZERO)), Frame("rod", point(0, "0.4")), Z, closes=True),
    )
    ranges = {
        "theta": WIDE,
        "beta": WIDE,
        "s": CoordinateRange(Fraction("0.1"), Fraction("0.7"), Fraction(10), Fraction(1000)),
    }
    return Mechanism(
        name="slider_crank",
        title="Planar slider-crank",
        source="Uchida 2011, section 3.1",
        parameters=(
            Parameter("l1", Fraction("0.3"), "m", frozen=False),
            Parameter("m1", Fraction(1), "kg", frozen=True),
        ),
        inputs=(Input("F", "N", Fraction(-1000), Fraction(1000)),),
        bodies=(crank, bar("rod", "0.4", 1.5, along="y"), piston),
        joints=joints,
        loads=(Load("push", "force", Frame("piston", point()), (Name("F"), ZERO, ZERO)),),
        gravity=(ZERO, number("-9.81"), ZERO),
        independent=(independent,),
        pose={"theta": Fraction("0.785"), "s": Fraction("0.55"), "beta": Fraction(1)},
        ranges={independent: ranges[independent]},
    )


def four_bar(
    lengths: tuple[str, str, str, str], pose: tuple[float, float, float], torque: str = "6", gravity: str = "-9.8"
) -> Mechanism:
    """Absolute angles theta, alpha, phi of input, coupler and output link; ground (lengths[0], 0); unit masses.

    The coupler hangs on a massless hinge block that slides nowhere: its angle is relative to ground through the
    crank, so alpha = theta + gamma with gamma the tree's own coordinate.
    """
    ground, crank, coupler, rocker = lengths
    theta, alpha, phi = (Fraction(angle) for angle in pose)
    return Mechanism(
        name="four_bar",
        title="Planar four-bar",
        source="Wang, Gosselin and Cheng 2002, section 3.1",
        parameters=(),
        inputs=(Input("tau", "N*m", Fraction(-10), Fraction(10), Fraction(torque)),),
        bodies=(bar("crank", crank, 1), bar("coupler", coupler, 1), bar("rocker", rocker, 1)),
        joints=(
            Joint("theta", "revolute", Frame("ground", point()), Frame("crank", point()), Z, ("theta",)),
            Joint("gamma", "revolute", Frame("crank", point(crank)), Frame("coupler", point()), Z, ("gamma",)),
            Joint("phi", "revolute", Frame("ground", point(ground)), Frame("rocker", point()), Z, ("phi",)),
            Joint("pin", "revolute", Frame("coupler", point(coupler)), Frame("rocker", point(rocker)), Z, closes=True),
        ),
        loads=(Load("motor", "coordinate", None, (Name("tau"), ZERO, ZERO), coordinate="theta"),),
        gravity=(ZERO, number(gravity), ZERO),
        independent=("theta",),
        pose={"theta": theta, "gamma": alpha - theta, "phi": phi},
        ranges={"theta": WIDE},
    )


def crank_rocker() -> Mechanism:
    """Ground 1, crank 0.5, coupler 1.2, rocker 0.8, at a crank angle of 60 degrees on branch +."""
    return four_bar(("1", "0.5", "1.2", "0.8"), (1.0471975511965976, 0.2055, 1.0111))


def wang_gosselin() -> Mechanism:
    """Lengths 1, 4, 2.5 on ground 3, at theta = pi/2."""
    return four_bar(("3", "1", "4", "2.5"), (1.5707963267948966, 0.35, 1.26))


def rocker_driven() -> Mechanism:
    """A double rocker, ground 1, bars 0.9, 0.5, 0.7: the first bar's angle has folds."""
    x, y = 0.9 * cos(0.4), 0.9 * sin(0.4)
    reach = sqrt((1 - x) ** 2 + y**2)
    along = (0.5**2 - 0.7**2 + reach**2) / (2 * reach)
    up = sqrt(0.5**2 - along**2)
    ex, ey = (1 - x) / reach, -y / reach
    px, py = x + along * ex - up * ey, y + along * ey + up * ex
    return four_bar(("1", "0.9", "0.5", "0.7"), (0.4, atan2(py - y, px - x), atan2(py, px - 1)))
