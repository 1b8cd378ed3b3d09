"""Draws mechanisms in space: open trees of all joint types, and loops that close behind legs.

In: a sketch. Out: the sketch with bodies and joints. A structured mechanism has right angles, parallel and
intersecting axes and equal lengths.
"""

from typing import Any

from drawn_planar import draw_planar
from drawn_quantities import ZERO, Drawn
from plain_mechanism import GROUND
from sketch import Sketch, Turns

KINDS = ("revolute", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "fixed", "free")
COUNTS = {"revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "spherical": 3, "planar": 3, "free": 6}
LEGS = (
    ("universal", "prismatic"),
    ("universal", "prismatic"),
    ("universal", "prismatic"),
    ("universal y", "revolute y"),
    ("revolute z", "revolute y", "revolute y"),
    ("revolute x", "revolute x", "prismatic x"),
    ("revolute", "universal"),
    ("revolute", "universal"),
    ("prismatic", "universal"),
    ("revolute", "spherical"),
    ("revolute", "cylindrical"),
)
"""Joints of the tree from the base to a ball; those with axes are aligned. A link between two balls has a spin."""
OPENED = ("prismatic", "universal", "cylindrical")
HARD_LEGS = (
    (("universal", "revolute"), "revolute"),
    (("revolute", "revolute", "cylindrical"), "cylindrical"),
    (("spherical",), "universal"),
    (("universal", "cylindrical"), "universal"),
    (("revolute", "planar"), "universal"),
)
"""Loops that many programs refuse."""


def draw_open(sketch: Sketch, freedoms: int) -> None:
    """A tree; every coordinate drives it."""
    quantities = sketch.quantities
    bodies = [GROUND]
    while len(sketch.driven) < freedoms:
        room = freedoms - len(sketch.driven)
        kind = quantities.random.choice([k for k in KINDS if COUNTS.get(k, 0) <= room])
        bodies.append(_attach(sketch, kind, quantities.random.choice(bodies[-2:]), driven=True))


def draw_loops(sketch: Sketch, loops: int, hard: bool) -> None:
    """Driven bodies, and legs that close on them."""
    quantities = sketch.quantities
    driver = _attach(sketch, quantities.random.choice(("revolute", "revolute", "prismatic")), GROUND, driven=True)
    bodies = [driver]
    if quantities.chance(0.2):
        bodies.append(_attach(sketch, quantities.random.choice(("revolute", "prismatic")), driver, driven=True))
    for _ in range(loops):
        target = quantities.random.choice(bodies)
        kinds, closing = quantities.random.choice(HARD_LEGS) if hard else (quantities.random.choice(LEGS), "spherical")
        bodies += draw_leg(sketch, kinds, closing, target)
    if quantities.chance(0.15):
        _attach(sketch, "revolute", quantities.random.choice(bodies), driven=True)


def draw_lifted(sketch: Sketch) -> None:
    """A planar loop and behind it, or before it, a body that moves in space."""
    quantities = sketch.quantities
    draw_planar(sketch, loops=1, driven=1)
    bodies = list(sketch.document["bodies"])
    if quantities.chance(0.5):
        draw_leg(sketch, quantities.random.choice(LEGS), "spherical", quantities.random.choice(bodies))
    else:
        kind = quantities.random.choice(("revolute", "universal", "prismatic"))
        _attach(sketch, kind, quantities.random.choice(bodies), driven=True)


def draw_leg(sketch: Sketch, kinds: tuple[str, ...], closing: str, target: str) -> list[str]:
    """Joints from the ground, and one that closes on the target; at times opened before its last joint instead."""
    if len(kinds) == 2 and " " not in kinds[0] and kinds[1] in OPENED and sketch.quantities.chance(0.25):
        return _opened_leg(sketch, kinds, closing, target)
    body, found = GROUND, []
    for entry in kinds:
        kind, _, axis = entry.partition(" ")
        if axis:
            place = sketch.place(body, _at(sketch), []) if found else draw_place(sketch, body)
            body = sketch.attach(kind, place, axis, False, [ZERO] * 3, [])
        else:
            body = _attach(sketch, kind, body, driven=False)
        found.append(body)
    sketch.close(closing, draw_place(sketch, body), target, draw_axis(sketch, closing))
    return found


def _opened_leg(sketch: Sketch, kinds: tuple[str, ...], ball: str, target: str) -> list[str]:
    """One body on the ground, one on the target, and the joint between them closes the loop."""
    first = _attach(sketch, kinds[0], GROUND, driven=False)
    last = _attach(sketch, ball, target, driven=False)
    sketch.close(kinds[1], draw_place(sketch, first), last, draw_axis(sketch, kinds[1]))
    return [first, last]


def _attach(sketch: Sketch, kind: str, parent: str, driven: bool) -> str:
    quantities = sketch.quantities
    own = quantities.chance(0.15)
    at, turns = (_at(sketch), _turns(sketch)) if own else ([ZERO] * 3, [])
    return sketch.attach(
        kind, draw_place(sketch, parent), draw_axis(sketch, kind), driven and kind != "fixed", at, turns
    )


def draw_place(sketch: Sketch, body: str) -> str:
    """A point or frame on a body."""
    return sketch.place(body, _at(sketch), _turns(sketch))


def _at(sketch: Sketch) -> list[Drawn]:
    zero = 0.5 if sketch.quantities.structured else 0.15
    return [sketch.quantities.length(zero=zero) for _ in range(3)]


def _turns(sketch: Sketch) -> Turns:
    quantities = sketch.quantities
    if not quantities.chance(0.4):
        return []
    count = 1 if quantities.structured else 2
    return [(letter, quantities.angle()) for letter in quantities.random.sample("xyz", count)]


def draw_axis(sketch: Sketch, kind: str) -> Any:
    """An axis where the joint has one."""
    quantities = sketch.quantities
    random = quantities.random
    if kind not in ("revolute", "prismatic", "cylindrical"):
        return None
    if quantities.structured or quantities.chance(0.6):
        return random.choice(("x", "y", "z", "-x", "-y", "-z"))
    return [f"{random.uniform(-1, 1):.2g}" for _ in range(2)] + [f"{random.uniform(0.2, 1):.2g}"]
