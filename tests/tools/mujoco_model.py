"""A mechanism's tree of joints, masses, springs and dampers as a model of MuJoCo, and its accelerations there.

In: a `Plain` mechanism as the differential test reads it. Out: accelerations of the independent coordinates.
MuJoCo gives the mass matrix and what acts on the tree; joints that close loops enter by how all coordinates move with
the independent ones, for MuJoCo's own closures are soft. A body of MuJoCo stands in the joint's frame on the child.
"""

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np
from continuation import Driven
from plain_mechanism import ENTRIES, GROUND, SLIDE, Place, Plain
from plain_motion import all_accelerations, all_rates
from plain_numbers import number_of

Array = np.ndarray
NO_SPIN = 1e-9  # kg m^2, for bodies of which the file gives none: those that only slide


def _text(values: Any) -> str:
    return " ".join(f"{value:.17g}" for value in np.ravel(values))


def mjcf(plain: Plain, inputs: Mapping[str, float]) -> str:
    """The model in MuJoCo's XML."""
    root = Element("mujoco")
    SubElement(root, "compiler", angle="radian", autolimits="false")
    SubElement(root, "option", gravity=_text(plain.gravity))
    world = SubElement(root, "worldbody")
    names = {**plain.values, **inputs}
    elements = plain.document.get("elements", {})
    frames = {joint.child.body: joint.child for joint in plain.joints if not joint.closes}
    frames[GROUND] = plain.places[GROUND]
    nodes = {GROUND: world}
    waiting = [joint for joint in plain.joints if not joint.closes]
    while waiting:
        joint = next(each for each in waiting if each.parent.body in nodes)
        waiting.remove(joint)
        at, turn = _seen_from(frames[joint.parent.body], joint.parent)
        node = SubElement(nodes[joint.parent.body], "body", name=joint.child.body, pos=_text(at), xyaxes=_axes(turn))
        for name, (kind, axis) in zip(joint.coordinates, joint.motions(), strict=True):
            spring = _spring(elements, name, names)
            shape = "slide" if kind == SLIDE else "hinge"
            SubElement(node, "joint", name=name, type=shape, axis=_text(axis), **spring)
        _write_mass(node, plain, joint.child)
        nodes[joint.child.body] = node
    tendons = SubElement(root, "tendon")
    for name, element in elements.items():
        if "between" in element:
            _write_tendon(tendons, nodes, frames, plain, name, _values(element, names))
    return tostring(root, encoding="unicode")


def _seen_from(frame: Place, place: Place) -> tuple[Array, Array]:
    """Place and attitude in the axes of a frame on the same body."""
    return frame.turn.T @ (place.at - frame.at), frame.turn.T @ place.turn


def _axes(turn: Array) -> str:
    return _text([turn[:, 0], turn[:, 1]])


def _write_mass(node: Element, plain: Plain, frame: Place) -> None:
    each = next(mass for mass in plain.masses if mass.body == frame.body)
    matrix = frame.turn.T @ each.inertia @ frame.turn
    matrix = matrix if matrix.any() else NO_SPIN * np.eye(3)
    entries = [matrix["xyz".index(key[0]), "xyz".index(key[1])] for key in ENTRIES]
    at = frame.turn.T @ (each.center - frame.at)
    SubElement(node, "inertial", pos=_text(at), mass=_text(each.mass), fullinertia=_text(entries))


def _values(element: Mapping[str, Any], names: Mapping[str, float]) -> dict[str, Any]:
    """Numbers of a linear spring or damper.

    Raises:
        ValueError: it is another element.
    """
    if element["type"] not in ("spring", "damper") or "force" in element:
        raise ValueError(f"a {element['type']} by a formula is not one of MuJoCo's")
    return {
        key: value if key in ("type", "between", "along") else number_of(value, names) for key, value in element.items()
    }


def _spring(elements: Mapping[str, Any], coordinate: str, names: Mapping[str, float]) -> dict[str, str]:
    """What acts along a coordinate; one spring and one damper at most."""
    found: dict[str, str] = {}
    for element in elements.values():
        if element.get("along") == coordinate:
            found |= _as_attributes(_values(element, names), "springref")
    return found


def _as_attributes(values: Mapping[str, Any], rest: str) -> dict[str, str]:
    found = {"damping": _text(values["damping"])} if "damping" in values else {}
    if "stiffness" in values:
        slack = values.get("free", 0.0) + values.get("preload", 0.0) / values["stiffness"]
        found |= {"stiffness": _text(values["stiffness"]), rest: _text(slack)}
    return found


def _write_tendon(
    tendons: Element,
    nodes: Mapping[str, Element],
    frames: Mapping[str, Place],
    plain: Plain,
    name: str,
    values: Mapping[str, Any],
) -> None:
    tendon = SubElement(tendons, "spatial", name=name, **_as_attributes(values, "springlength"))
    for k, end in enumerate(values["between"]):
        place = plain.places[end]
        at, _ = _seen_from(frames[place.body], place)
        SubElement(nodes[place.body], "site", name=f"{name}{k}", pos=_text(at))
        SubElement(tendon, "site", site=f"{name}{k}")


def accelerations_by(mujoco: Any, driven: Driven, at: Array, rates: Array, inputs: Mapping[str, float]) -> Array:
    """Accelerations of the independent coordinates at closed poses and rates (rows, n), (rows, k)."""
    plain, given = driven.plain, driven.given
    model = mujoco.MjModel.from_xml_string(mjcf(plain, inputs))
    data = mujoco.MjData(model)
    columns = [model.joint(name).dofadr[0] for name in plain.coordinates]
    drift = all_accelerations(driven, at, rates, np.zeros((len(at), len(given))))
    moves = np.stack([all_rates(driven, at, np.tile(row, (len(at), 1))) for row in np.eye(len(given))], axis=2)
    found = np.zeros((len(at), len(given)))
    for row in range(len(at)):
        data.qpos[columns], data.qvel[columns], data.qacc[columns] = at[row], rates[row], drift[row]
        mujoco.mj_inverse(model, data)
        lacking = data.qfrc_inverse[columns] - _loads(mujoco, model, data, plain, inputs)[columns]
        mass = _mass_matrix(mujoco, model, data)[np.ix_(columns, columns)]
        line = moves[row]
        found[row] = -np.linalg.solve(line.T @ mass @ line, line.T @ lacking)
    return found


def _mass_matrix(mujoco: Any, model: Any, data: Any) -> Array:
    """By what accelerations need: one column for each."""
    found = np.zeros((model.nv, model.nv))
    for column, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, found[column], unit)
    return found


def _loads(mujoco: Any, model: Any, data: Any, plain: Plain, inputs: Mapping[str, float]) -> Array:
    """Forces on points, in ground axes, as forces of the joints."""
    total = np.zeros(model.nv)
    for load in plain.document.get("loads", {}).values():
        place = plain.places[load["on"]]
        frame = next(joint.child for joint in plain.joints if joint.child.body == place.body and not joint.closes)
        own, _ = _seen_from(frame, place)
        body = model.body(place.body).id
        point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ own
        force = np.array([number_of(text, {**plain.values, **inputs}) for text in load["value"]], dtype=float)
        mujoco.mj_applyFT(model, data, force, np.zeros(3), point, body, total)
    return total
