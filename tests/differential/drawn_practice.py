"""Draws what practice has in space: platforms, legs to a given point, struts, shafts with crosses, spherical loops.

In: a sketch. Out: the sketch with bodies and joints. A joint of two or three motions is at times written as hinges
with bodies without mass between them, as files made from other formats have it.
"""

from collections.abc import Callable
from math import cos, pi, sin

import numpy as np
from drawn_planar import draw_planar
from drawn_quantities import ZERO, Drawn, written
from drawn_spatial import LEGS, draw_axis, draw_leg, draw_place
from plain_mechanism import GROUND
from sketch import Sketch

HINGES = {
    "universal": (("revolute", "x"), ("revolute", "y")),
    "spherical": (("revolute", "z"), ("revolute", "y"), ("revolute", "x")),
    "cylindrical": (("revolute", "z"), ("prismatic", "z")),
}
STRUTS = ("leg", "rod", "pins", "beside")


def draw_practice(sketch: Sketch) -> None:
    """One kind of mechanism at random."""
    KINDS[sketch.quantities.random.choice(sorted(KINDS))](sketch)


def attach(sketch: Sketch, kind: str, place: str, *, driven: bool = False, axis: object = "z") -> str:
    """A body on a joint at its own origin, the joint at times written as hinges."""
    if kind in HINGES and sketch.quantities.chance(0.3):
        body = place
        for part, own in HINGES[kind]:
            body = sketch.attach(part, body, own, driven, [ZERO] * 3, [])
        return body
    named = axis if kind in ("revolute", "prismatic", "cylindrical") else None
    return sketch.attach(kind, place, named, driven, [ZERO] * 3, [])


def at(sketch: Sketch, body: str, *parts: float) -> str:
    """A place on a body, each part a little off."""
    spread = 0.0 if sketch.quantities.structured else 0.05
    drawn = [sketch.quantities.random.uniform(-spread, spread) + part for part in parts]
    return sketch.place(body, [length(value) for value in drawn])


def length(value: float) -> Drawn:
    """A length of a few digits."""
    return written(round(value, 4), "m", 6) if abs(value) > 1e-4 else ZERO


def angle(value: float) -> Drawn:
    """An angle of a few digits."""
    return written(round(value, 3), "rad", 6) if abs(value) > 1e-3 else ZERO


def platform(sketch: Sketch) -> None:
    """A plate on three legs that each hold it in a plane; the legs are given, or height and two angles of the plate."""
    random = sketch.quantities.random
    leg, by_legs, height = random.choice((_rps, _prs, _rrs)), random.random() < 0.5, random.uniform(0.4, 0.8)
    plate = sketch.attach("free", GROUND, None, False, [ZERO] * 3, [])
    pose = list(sketch.pose)
    sketch.pose |= dict.fromkeys(pose, ZERO) | {pose[2]: length(height)}
    attitude, place = sketch.stands[GROUND]
    sketch.stands[plate] = attitude, place + np.array([0, 0, length(height).value])
    for k in range(3):
        turned = 2 * pi * k / 3 + random.uniform(-0.1, 0.1)
        foot = sketch.place(GROUND, _ring(turned, 0.4), [("z", angle(turned))])
        sketch.close("spherical", leg(sketch, foot, height, by_legs), plate, None)
    if not by_legs:
        sketch.driven += [pose[2], pose[4], pose[5]]


def _leaning(sketch: Sketch, place: str, driven: bool = False) -> str:
    """A body on a hinge across the radius, a little off the upright."""
    lean = angle(sketch.quantities.random.uniform(-0.2, 0.2))
    return sketch.attach("revolute", place, "y", driven, [ZERO] * 3, [], value=lean)


def _rps(sketch: Sketch, foot: str, height: float, driven: bool) -> str:
    tube = _leaning(sketch, foot)
    return sketch.attach("prismatic", tube, "z", driven, [ZERO] * 3, [], value=length(height))


def _prs(sketch: Sketch, foot: str, height: float, driven: bool) -> str:
    carriage = sketch.attach("prismatic", foot, "z", driven, [ZERO] * 3, [], value=length(-0.3))
    return at(sketch, _leaning(sketch, carriage), 0.0, 0.0, height + 0.3)


def _rrs(sketch: Sketch, foot: str, height: float, driven: bool) -> str:
    thigh = _leaning(sketch, foot, driven)
    return at(sketch, _leaning(sketch, at(sketch, thigh, 0.15, 0.0, height / 2)), -0.1, 0.0, height / 2)


def _ring(turned: float, radius: float) -> list[Drawn]:
    return [length(radius * cos(turned)), length(radius * sin(turned)), ZERO]


def leg_to_a_point(sketch: Sketch) -> None:
    """Hip of two axes and knee; three slides give the foot, or some of the leg's own angles do."""
    random = sketch.quantities.random
    first, second = random.choice(("xy", "zy", "xz"))
    hip = attach(sketch, "revolute", draw_place(sketch, GROUND), axis=first)
    thigh = attach(sketch, "revolute", at(sketch, hip, 0.0, 0.06, 0.0), axis=second)
    shank = attach(sketch, "revolute", at(sketch, thigh, 0.0, random.choice((0.0, 0.03)), -0.3), axis=second)
    body = GROUND
    for letter in "xyz":
        body = sketch.attach("prismatic", body, letter, True, [ZERO] * 3, [])
    sketch.close("spherical", at(sketch, shank, 0.0, 0.02, -0.3), body, None)


def strut(sketch: Sketch) -> None:
    """An arm with one or two struts behind it, driven by the arm or by the length of a strut."""
    random = sketch.quantities.random
    arm = attach(sketch, "revolute", draw_place(sketch, GROUND), driven=True, axis=draw_axis(sketch, "revolute"))
    for _ in range(random.choice((1, 1, 2))):
        _strut(sketch, arm, random.choice(STRUTS))


def _strut(sketch: Sketch, target: str, kind: str) -> None:
    random, foot = sketch.quantities.random, draw_place(sketch, GROUND)
    tube = attach(sketch, "revolute" if kind == "pins" else "universal", foot, axis="x")
    if kind == "rod":
        sketch.close("spherical", at(sketch, tube, 0.0, 0.0, 0.7), target, None)
        return
    rod = attach(sketch, "cylindrical" if kind == "beside" else "prismatic", tube, axis="z")
    end = at(sketch, rod, 0.05 if kind == "beside" else 0.0, 0.0, random.uniform(0.2, 0.6))
    sketch.close("spherical", end, target, None)


def shafts(sketch: Sketch) -> None:
    """Two or three shafts with crosses, one piece that slides."""
    random = sketch.quantities.random
    shaft = attach(sketch, "revolute", draw_place(sketch, GROUND), driven=True, axis="z")
    tube = attach(sketch, "universal", at(sketch, shaft, 0.0, 0.0, 0.2))
    sleeve = attach(sketch, "prismatic", tube, axis="z")
    out = sketch.attach("universal", at(sketch, sleeve, 0.0, 0.0, 0.6), None, False, [ZERO] * 3, [])
    sketch.close("revolute", at(sketch, out, 0.0, 0.0, random.uniform(0.0, 0.3)), GROUND, "z")


def spherical_loop(sketch: Sketch) -> None:
    """Four or five hinges whose axes meet in one point; the fifth is driven too."""
    random = sketch.quantities.random
    body = sketch.place(GROUND, [ZERO] * 3, [("x", angle(random.uniform(-1, 1)))]) if random.random() < 0.5 else GROUND
    count = random.choice((4, 4, 5))
    for k in range(count - 1):
        if k:
            body = sketch.place(body, [ZERO] * 3, [("x", angle(random.uniform(0.4, 1.6)))])
        body = sketch.attach("revolute", body, "z", k < count - 3, [ZERO] * 3, [])
    last = sketch.place(body, [ZERO] * 3, [("x", angle(random.uniform(0.4, 1.6)))])
    sketch.close("revolute", last, GROUND, "z")


def skew_loop(sketch: Sketch) -> None:
    """RCCC, or two slides on skew lines with a rod between balls or crosses."""
    random = sketch.quantities.random
    if random.random() < 0.4:
        body = attach(sketch, "revolute", draw_place(sketch, GROUND), driven=True)
        for _ in range(2):
            place = sketch.place(body, _arm(sketch), [("x", angle(random.uniform(0.4, 1.4)))])
            body = attach(sketch, "cylindrical", place)
        last = sketch.place(body, _arm(sketch), [("x", angle(random.uniform(0.4, 1.4)))])
        sketch.close("cylindrical", last, GROUND, "z")
        return
    first = attach(sketch, "prismatic", draw_place(sketch, GROUND), driven=True, axis=draw_axis(sketch, "prismatic"))
    second = attach(sketch, "prismatic", draw_place(sketch, GROUND), axis=draw_axis(sketch, "prismatic"))
    rod = attach(sketch, random.choice(("universal", "spherical")), first)
    sketch.close("spherical", at(sketch, rod, 0.0, 0.0, 0.8), second, None)


def _arm(sketch: Sketch) -> list[Drawn]:
    return [length(sketch.quantities.random.uniform(0.1, 0.5)), ZERO, length(sketch.quantities.random.uniform(0, 0.2))]


def plate_on_a_cross(sketch: Sketch) -> None:
    """A plate on a cross or a ball, held by horns with rods or by struts, driven by them or by the plate's angles."""
    random = sketch.quantities.random
    count, by_plate, horns = random.choice((2, 2, 1)), random.random() < 0.5, random.random() < 0.5
    plate = sketch.attach("universal", draw_place(sketch, GROUND), None, by_plate, [ZERO] * 3, [])
    if count == 1 and not by_plate:
        sketch.driven.append(next(iter(sketch.pose)))
    for k in range(count):
        side = 0.15 * (1 - 2 * k)
        foot = at(sketch, GROUND, 0.2, side, -0.4)
        if horns:
            horn = attach(sketch, "revolute", foot, driven=not by_plate, axis="y")
            rod = attach(sketch, "universal", at(sketch, horn, 0.08, 0.0, 0.0))
            sketch.close("spherical", at(sketch, rod, 0.0, 0.0, 0.4), plate, None)
        else:
            tube = attach(sketch, "universal", foot)
            rod = attach(sketch, "prismatic", tube, driven=not by_plate, axis="z")
            sketch.close("spherical", at(sketch, rod, 0.0, 0.0, 0.4), plate, None)


def moving_base(sketch: Sketch) -> None:
    """Planar loops on a base that is turned or lifted out of their plane."""
    random = sketch.quantities.random
    kind = random.choice(("prismatic", "revolute"))
    base = attach(sketch, kind, GROUND, driven=True, axis="z" if kind == "prismatic" else random.choice("xyz"))
    draw_planar(sketch, random.choice((1, 1, 2)), 1, base=base)


def coupled(sketch: Sketch) -> None:
    """Two bodies that gears, a belt or a rack tie to each other, and a loop behind one of them."""
    random = sketch.quantities.random
    kind, axis = random.choice(("revolute", "prismatic")), draw_axis(sketch, "revolute")
    driver = attach(sketch, "revolute", draw_place(sketch, GROUND), driven=True, axis=axis)
    tied = attach(sketch, kind, draw_place(sketch, GROUND), axis=draw_axis(sketch, kind))
    _couple(sketch, *list(sketch.pose)[-1:-3:-1])
    draw_leg(sketch, random.choice(LEGS), "spherical", random.choice((driver, tied)))


def _couple(sketch: Sketch, follower: str, leader: str) -> None:
    """A coupling that holds at the design pose."""
    ratio, unit = sketch.quantities.random.choice((-1.0, 0.5, -0.25, 2.0)), "rad"
    factor = f"{ratio:g}"
    if not sketch.angles[follower]:
        ratio, unit, factor = ratio / 5, "m", "lead"
        sketch.quantities.parameters["lead"] = {"value": f"{ratio:g} m/rad", "frozen": True}
    offset = written(sketch.pose[follower].value - ratio * sketch.pose[leader].value, unit, 15)
    entry: dict[str, object] = {"value": offset.text, "frozen": True}
    sketch.quantities.parameters["start"] = entry | ({"signed": True} if unit == "m" else {})
    sketch.document["couplings"] = {follower: f"{factor}*{leader} + start"}


KINDS: dict[str, Callable[[Sketch], None]] = {
    each.__name__: each
    for each in (
        platform, leg_to_a_point, strut, shafts, spherical_loop, skew_loop, plate_on_a_cross, moving_base, coupled,
    )
}  # fmt: skip
