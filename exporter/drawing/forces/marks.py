"""Loads and elements at one pose: what each acts on, from where to where, in the plane of the picture.

In: a mechanism in place, and how places look. Out: a `Mark` for each; all lengths in m. A load is a fixed length on
paper, since its value follows from inputs; its direction is that at nominal inputs, or, where it is zero there, at the
largest ones. Elements follow the loads.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np

from exporter.drawing.hull import Point
from exporter.drawing.placed import TURNING_JOINT_TYPES, Placed
from exporter.errors import ModelError
from exporter.kinematics.closures.numeric import Array
from exporter.model.evaluate import evaluate
from exporter.model.expression import ZERO
from exporter.model.joints import GROUND
from exporter.model.mechanism import Element, Frame, Load, Mechanism
from exporter.records import dataclass

Look = Callable[[Array], Point]
"""How a place or direction (3,) of ground axes looks: to the right and up. Linear."""
COINCIDENT_RATIO = 1e-6  # of the mechanism's size: how near two points are that are drawn apart


@dataclass(frozen=True, slots=True)
class Mark:
    """A load, an element or a driver. What acts at one place has its start there, and its end."""

    name: str
    group: Literal["load", "element", "driver"]
    type: str
    about: str  # in words
    start: Point
    end: Point
    along: Point  # a unit vector as it looks; shorter where it is not across the view
    turning: int = 0  # +1 counter-clockwise, -1 clockwise; 0: acts along a line
    damped: bool = False
    grounded: tuple[bool, bool] = (False, False)  # start, end
    beside: bool = False  # a joint's rail is on the line
    stops: tuple[Point, ...] = ()
    value: str = ""  # of a driver, with its unit
    axis: Point = (0.0, 0.0)  # about which a driver in space turns, as it looks

    @property
    def label(self) -> str:
        """What stands beside it."""
        return f"{self.name} = {self.value}" if self.value else self.name


def acted_on(mechanism: Mechanism) -> list[Frame]:
    """Points that elements act between, and those of forces: a body reaches them."""
    spans = [mechanism.distances[each.along] for each in mechanism.elements if each.along in mechanism.distances]
    forces = [load.on for load in mechanism.loads if load.type == "force" and load.on is not None]
    return [*(frame for span in spans for frame in (span.start, span.end)), *forces]


def marks_of(placed: Placed, look: Look) -> tuple[Mark, ...]:
    """Every load and every element, in the order of the file."""
    loads = (_load(placed, look, load) for load in placed.mechanism.loads)
    return (*loads, *(_element(placed, look, element) for element in placed.mechanism.elements))


def type_in_words(element: Element) -> str:
    """A "gas spring"."""
    return element.type.replace("_", " ")


# -- elements -----------------------------------------------------------------------------------------------------


def _element(placed: Placed, look: Look, element: Element) -> Mark:
    mechanism, name = placed.mechanism, element.along
    if name in mechanism.distances:
        ends = mechanism.distances[name]
        start, end = placed.frame(ends.start), placed.frame(ends.end)
        mark = _between(placed, look, element, (start, end), _unit(end - start))
        about = f"{type_in_words(element)} between {ends.start.name} and {ends.end.name}"
        return replace(mark, about=about, grounded=(ends.start.body == GROUND, ends.end.body == GROUND))
    joint = placed.joint_of(name)
    if mechanism.is_angle(name):
        return _about_joint(placed, look, element)
    slide, end = placed.slide(name), placed.frame(joint.child)
    mark = _between(placed, look, element, (end - placed.coordinates[name] * slide, end), slide)
    return replace(mark, grounded=(joint.parent.body == GROUND, joint.child.body == GROUND), beside=True)


def _about_joint(placed: Placed, look: Look, element: Element) -> Mark:
    place, turning = look(placed.joint(placed.joint_of(element.along))), _sense(placed, look, element.along)
    about = f"{type_in_words(element)} along {element.along}"
    return Mark(element.name, "element", element.type, about, place, place, (0.0, 0.0), turning)


def _between(placed: Placed, look: Look, element: Element, ends: tuple[Array, Array], unit: Array) -> Mark:
    first, last = look(ends[0]), look(ends[1])
    if np.linalg.norm(ends[1] - ends[0]) < COINCIDENT_RATIO * placed.size():
        first = last
    return Mark(
        element.name,
        "element",
        element.type,
        f"{type_in_words(element)} along {element.along}",
        first,
        last,
        look(unit),
        damped=element.type == "spring" and "damping" in element.values,
        stops=tuple(look(ends[0] + value * unit) for value in _limits(placed, element)),
    )


def _limits(placed: Placed, element: Element) -> Iterator[float]:
    """Where an end stop begins, unless it is further away than the mechanism is large."""
    state = placed.at_rest()
    for key in ("lower", "upper"):
        if element.type == "end_stop" and key in element.values:
            value = evaluate(element.values[key], state)
            if abs(value - state[element.along]) <= placed.size():
                yield float(value)


def _unit(vector: Array) -> Array:
    length = np.linalg.norm(vector)
    return np.zeros(3) if length == 0 else np.asarray(vector / length)


def _sense(placed: Placed, look: Look, coordinate: str) -> int:
    """Whether an angle grows counter-clockwise, as it looks."""
    joint = placed.joint_of(coordinate)
    if joint.type in TURNING_JOINT_TYPES:
        return turn_of(look, placed.axis(joint))
    return 1


def turn_of(look: Look, axis: Array) -> int:
    """+1 where a turn about the axis looks counter-clockwise, else -1."""
    right, up = np.array([look(unit) for unit in np.eye(3)]).T
    return 1 if float(np.cross(right, up) @ axis) >= 0 else -1


# -- loads --------------------------------------------------------------------------------------------------------


def _load(placed: Placed, look: Look, load: Load) -> Mark:
    if load.type == "coordinate":
        return _along_coordinate(placed, look, load)
    assert load.on is not None  # as the reader has checked
    place = look(placed.frame(load.on))
    direction = _direction(placed, load)
    about = f"{load.type} on {load.on.name}"
    if load.type == "torque":  # acts on all of a body, and is drawn at its centre of mass
        place = look(placed.frame(_center_of(placed.mechanism, load.on)))
        return Mark(load.name, "load", "torque", about, place, place, (0.0, 0.0), turn_of(look, direction))
    return Mark(load.name, "load", "force", about, place, place, look(direction))


def _center_of(mechanism: Mechanism, frame: Frame) -> Frame:
    return next((Frame(each.name, each.center_of_mass) for each in mechanism.bodies if each.name == frame.body), frame)


def _along_coordinate(placed: Placed, look: Look, load: Load) -> Mark:
    name, about = load.coordinate, f"{_kind(placed, load)} along {load.coordinate}"
    joint = placed.joint_of(name)
    if placed.mechanism.is_angle(name):
        place = look(placed.joint(joint))
        return Mark(load.name, "load", "torque", about, place, place, (0.0, 0.0), _sense(placed, look, name))
    place = look(placed.frame(joint.child))
    return Mark(load.name, "load", "force", about, place, place, look(placed.slide(name)))


def _kind(placed: Placed, load: Load) -> str:
    return "torque" if placed.mechanism.is_angle(load.coordinate) else "force"


def _direction(placed: Placed, load: Load) -> Array:
    """A unit vector, ground axes; that of the components that are not written as zero where all values are zero."""
    components = next(filter(np.any, _tries(placed, load)), None)
    if components is None:
        components = np.array([float(part != ZERO) for part in load.value])
    return _unit(components if load.axes is None else placed.turned(load.axes, components))


def _tries(placed: Placed, load: Load) -> Iterator[Array]:
    """The components at rest with nominal inputs, with the largest ones, and then in motion too."""
    state, largest = placed.at_rest(), {given.name: given.maximum for given in placed.mechanism.inputs}
    moving = {name: Fraction(1) for name in state if name.endswith(".rate")}
    for known in (state, state | largest, state | largest | moving):
        try:
            yield np.array([float(evaluate(part, known)) for part in load.value])
        except ModelError:  # no value there, such as the logarithm of zero
            continue
