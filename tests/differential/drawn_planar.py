"""Draws planar mechanisms: driven bodies, and pairs of bodies that close loops between them.

In: a sketch. Out: the sketch with bodies and joints. The plane is normal to an axis of the ground or of a
turned base. Places may lie off the plane, frames may be turned within it, a loop may be opened at any of its joints.
"""

from typing import Any

from drawn_quantities import ZERO, Drawn, written
from plain_mechanism import GROUND
from sketch import Sketch, Turns

PAIRS = (
    ("revolute", "revolute", "revolute"),
    ("revolute", "revolute", "revolute"),
    ("revolute", "revolute", "prismatic"),
    ("revolute", "prismatic", "revolute"),
    ("prismatic", "revolute", "revolute"),
    ("prismatic", "revolute", "prismatic"),
    ("prismatic", "prismatic", "revolute"),
)
OTHERS = {"z": "xy", "x": "yz", "y": "zx"}


class Plane:
    """The plane that a sketch is drawn in."""

    def __init__(self, sketch: Sketch, layers: bool) -> None:
        """The axis is drawn; with `layers`, places lie off the plane."""
        self.sketch, self.quantities = sketch, sketch.quantities
        self.normal = self.quantities.random.choice("zzzzxy")
        self.layers = layers

    def base(self) -> str:
        """What the mechanism stands on: the ground, or a body that is fixed to it at any attitude."""
        if self.quantities.chance(0.6):
            return GROUND
        turns = [(letter, self.quantities.angle()) for letter in self.quantities.random.sample("xyz", 2)]
        place = self.sketch.place(GROUND, [self.quantities.length() for _ in range(3)], turns)
        return self.sketch.attach("fixed", place, None, False, [ZERO] * 3, [])

    def place(self, body: str, scale: float = 1.0) -> str:
        """A place on a body."""
        return self.sketch.place(body, self._at(scale), self._turns(0.2))

    def _at(self, scale: float) -> list[Drawn]:
        height = self.quantities.length(0.3) if self.layers and self.quantities.chance(0.4) else ZERO
        parts = {letter: self.quantities.length(scale, zero=0.25) for letter in OTHERS[self.normal]}
        return [{**parts, self.normal: height}[letter] for letter in "xyz"]

    def _turns(self, probability: float) -> Turns:
        return [(self.normal, self.quantities.angle())] if self.quantities.chance(probability) else []

    def axis(self, kind: str) -> Any:
        """Normal to the plane for a hinge, within it for a slide."""
        random = self.quantities.random
        if kind == "revolute":
            return random.choice((self.normal, self.normal, f"-{self.normal}"))
        first, second = OTHERS[self.normal]
        if self.quantities.chance(0.7):
            return random.choice((first, second, f"-{first}"))
        parts = {first: f"{random.uniform(-1, 1):.3g}", second: f"{random.uniform(0.2, 1):.3g}", self.normal: "0"}
        return [parts[letter] for letter in "xyz"]

    def attach(self, kind: str, parent: str, driven: bool) -> str:
        """A new body, its joint at its origin or at a place of its own."""
        own = self.quantities.chance(0.15)
        at, turns = (self._at(0.5), self._turns(0.3)) if own else ([ZERO] * 3, [])
        return self.sketch.attach(kind, self.place(parent), self.axis(kind), driven, at, turns)

    def pair(self, first: str, second: str) -> list[str]:
        """Two bodies between two others, and the joint that closes their loop; gives the new bodies."""
        random = self.quantities.random
        one, two, three = random.choice(PAIRS)
        if self.quantities.chance(0.5):
            one, three = three, one
        a = self.attach(one, first, driven=False)
        if self.quantities.chance(0.3):
            b = self.attach(three, second, driven=False)
            self.sketch.close(two, self.place(a), b, self.axis(two))
            return [a, b]
        b = self.attach(two, a, driven=False)
        self._end(three, b, second)
        return [a, b]

    def _end(self, kind: str, body: str, other: str) -> None:
        """The last joint; at times behind a body of its own that is fixed to the other one."""
        if self.quantities.chance(0.08):
            last = self.attach(kind, body, driven=False)
            self.sketch.close("fixed", self.place(other), last, None)
        else:
            self.sketch.close(kind, self.place(body), other, self.axis(kind))

    def parallelogram(self) -> None:
        """Three equal cranks on one coupler, so that a loop repeats what others say."""
        axis, origin = self.axis("revolute"), [ZERO] * 3
        random = self.quantities.random
        turned = written(random.uniform(0.4, 1.2) * random.choice((-1, 1)), "rad", 5)
        back = written(-turned.value, "rad", 5)
        first, second = (self._at(1.0) for _ in range(2))
        arm = [self.quantities.exact(0.4, "m") if letter == OTHERS[self.normal][0] else ZERO for letter in "xyz"]
        crank = self.sketch.attach("revolute", GROUND, axis, True, origin, [], value=turned)
        coupler = self.sketch.attach("revolute", self.sketch.place(crank, arm), axis, False, origin, [], value=back)
        for at in (first, second)[: random.randint(1, 2)]:
            foot = self.sketch.place(GROUND, at)
            other = self.sketch.attach("revolute", foot, axis, False, origin, [], value=turned)
            self.sketch.close("revolute", self.sketch.place(coupler, at), other, axis)


def draw_planar(sketch: Sketch, loops: int, driven: int, *, base: str = "") -> None:
    """Driven bodies and loops; the first loop is between a driven body and the base, a drawn one if none is given."""
    quantities = sketch.quantities
    plane = Plane(sketch, layers=quantities.chance(0.3))
    if not base and quantities.chance(0.06):
        plane.parallelogram()
        return
    base = base or plane.base()
    bodies = [base]
    for _ in range(driven):
        kind = quantities.random.choice(("revolute", "revolute", "prismatic"))
        bodies.append(plane.attach(kind, quantities.random.choice(bodies), driven=True))
    for number in range(loops):
        first = bodies[-1] if not number else quantities.random.choice(bodies[1:])
        second = base if not number and driven == 1 else quantities.random.choice([b for b in bodies if b != first])
        bodies += plane.pair(first, second)
    if quantities.chance(0.2):
        bodies.append(plane.attach("revolute", quantities.random.choice(bodies[1:]), driven=True))
