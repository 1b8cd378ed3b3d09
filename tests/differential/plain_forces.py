"""Forces that act on a mechanism, from what the page on the mechanism file says of loads and elements.

In: a mechanism's document and a `State`. Out: an `Applied` per load and element: its part of the generalised
forces, what it does to bodies, and what it does along a coordinate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from continuation import Driven
from plain_closures import dot
from plain_numbers import without_unit
from plain_rotations import Array
from plain_state import State
from tree_motion import Moving

Pull = tuple[str, Array, Array, Array]  # body, place, force, torque: all in ground axes, (rows, 3)


@dataclass(frozen=True)
class Applied:
    """One load or element."""

    part: Array  # of the generalised forces, (rows, n)
    effort: Array  # its size where nothing cancels, (rows, n)
    pulls: tuple[Pull, ...] = ()
    along: tuple[str, Array] | None = None  # a coordinate, and the force of the parent on the child along it


def applied_forces(driven: Driven, bodies: Mapping[str, Moving], state: State) -> list[Applied]:
    """All loads and elements of the document."""
    document = driven.plain.document
    loads = [_load(driven, bodies, state, each) for each in document.get("loads", {}).values()]
    elements = document.get("elements", {})
    return loads + [_element(state, acts_along(name, each), law(name, each)) for name, each in elements.items()]


def _load(driven: Driven, bodies: Mapping[str, Moving], state: State, load: Mapping[str, Any]) -> Applied:
    if load["type"] == "coordinate":
        return _element(state, load["on"], load["value"])
    place = driven.plain.places[load["on"]]
    frame = bodies[place.body].at(place)
    vector, effort = (np.stack([read(text) for text in load["value"]], axis=-1) for read in (state.force, state.effort))
    if "axes" in load:
        axes = driven.plain.places[load["axes"]]
        turn = bodies[axes.body].turn @ axes.turn
        vector, effort = (turn @ vector[:, :, None])[:, :, 0], (np.abs(turn) @ effort[:, :, None])[:, :, 0]
    force = load["type"] == "force"
    jacobian, none = frame.speeds if force else frame.spins, np.zeros_like(vector)
    pull = (place.body, frame.place, *((vector, none) if force else (none, vector)))
    total = np.linalg.norm(effort, axis=1)[:, None]
    return Applied(dot(jacobian, vector[:, None, :]), np.linalg.norm(jacobian, axis=2) * total, (pull,))


def _element(state: State, along: str, formula: str) -> Applied:
    """A force along a distance or a coordinate."""
    force, effort, slope = state.force(formula), state.effort(formula), state.slopes[along]
    part, size = slope * force[:, None], np.abs(slope) * effort[:, None]
    line = state.lines.get(along)
    if line is None:
        return Applied(part, size, along=(along, force))
    vector, none = line.unit * force[:, None], np.zeros_like(line.unit)
    pulls = tuple((b, e.place, s * vector, none) for b, e, s in zip(line.bodies, line.ends, (-1, 1), strict=True))
    near = 1 / np.maximum(line.length, 1e-300)
    arms = np.linalg.norm(line.ends[0].speeds, axis=2) + np.linalg.norm(line.ends[1].speeds, axis=2)
    return Applied(part, size + arms * (np.abs(force) * near * np.maximum(line.length, 1))[:, None], pulls)


def acts_along(name: str, element: Mapping[str, Any]) -> str:
    """The distance or coordinate of an element."""
    return name if "between" in element else str(element["along"])


def law(name: str, element: Mapping[str, Any]) -> str:
    """The force of an element as the page writes it, a formula of the length x and its rate v."""
    x = acts_along(name, element)
    v = f"{x}.rate"
    value = {key: without_unit(text) for key, text in element.items() if key not in ("type", "between", "along")}
    damped = f" - {value['damping']}*{v}" if "damping" in value else ""
    match element["type"]:
        case "gas_spring":
            column = value["column"]
            left = f"max({column} + {x} - {value['at']}, {column}/1000)"
            return f"{value['force']}*({column}/{left})^{value.get('exponent', '1')}{damped}"
        case "end_stop":
            return _stops(value, x, v)
        case "friction":
            return f"-{value['force']}*{v}/sqrt({v}^2 + {value['smoothing_speed']}^2)"
    if "force" in value:
        return str(value["force"])
    spring = f"{value.get('preload', '0')} - {value.get('stiffness', '0')}*({x} - {value.get('free', '0')})"
    return spring + damped if element["type"] == "spring" else f"0{damped}"


def _stops(value: Mapping[str, Any], x: str, v: str) -> str:
    lost = value.get("dissipation", "0")
    parts = []
    if "lower" in value:
        parts.append(f"max({value['lower']} - {x}, 0)*max(1 - {lost}*{v}, 0)")
    if "upper" in value:
        parts.append(f"-max({x} - {value['upper']}, 0)*max(1 + {lost}*{v}, 0)")
    return f"{value['stiffness']}*({' '.join(parts)})"
