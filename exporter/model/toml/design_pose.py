"""Where bodies stand in the design pose, so that hardpoints, which a sheet has in ground axes, become their points.

In: a document that fits the schema, its hardpoints. Out: `DesignPose`. At the zero of all coordinates a body has the
axes of the ground, and its origin at the hardpoint of the joint that carries it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from exporter.model.expression import ZERO, Binary, Expression, Number, Vector
from exporter.model.joints import CENTERED_JOINT_TYPES, GROUND
from exporter.model.mechanism import Frame
from exporter.model.place import Place
from exporter.model.toml.hardpoints import Hardpoints, Table
from exporter.model.toml.values import Scope, vector
from exporter.model.units import LENGTH
from exporter.records import dataclass

ORIGIN: Vector = (ZERO, ZERO, ZERO)
SECTIONS = ("joints", "loads", "distances", "elements", "outputs")  # where points of bodies are named
_REFERENCE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[.]([A-Za-z_][A-Za-z0-9_]*)(?:[.]quaternion)?")


@dataclass(frozen=True, slots=True)
class DesignPose:
    """The hardpoints, the origin of each body in ground axes, or why it is not known, and what each body carries."""

    hardpoints: Hardpoints
    origins: Mapping[str, Vector | str]
    carried: Mapping[str, Sequence[str]]

    def on_body(self, place: Place, body: str, name: str) -> Vector:
        """A hardpoint in the axes of a body.

        Raises:
            ModelError: there is no such hardpoint, or it is not known how the body stands in the design pose.
        """
        at, origin = self.hardpoints.at(place, name), self.origins[body]
        if isinstance(origin, str):
            raise place.error(
                f"the hardpoint {name} is given in ground axes, and {origin}; place the joint by at = "
                f'"HARDPOINT", or give the point under [bodies.{body}] points in the axes of the body'
            )
        return difference(at, origin)

    def frames(self, place: Place, body: str, own: Sequence[Frame]) -> tuple[Frame, ...]:
        """The hardpoints that a body carries, beside the points and frames of its own."""
        names = {frame.name for frame in own}
        for name in self.carried.get(body, ()):
            if f"{body}.{name}" in names:
                raise place.error(f'"{name}" is a point or frame of {body} and a hardpoint; rename one of them')
        return tuple(
            Frame(body, self.on_body(place, body, name), name=f"{body}.{name}") for name in self.carried.get(body, ())
        )

    def standing(self) -> frozenset[str]:
        """The bodies whose place in the design pose is known."""
        return frozenset(body for body, origin in self.origins.items() if not isinstance(origin, str))


def design_pose(document: Table, hardpoints: Hardpoints, scope: Scope, place: Place) -> DesignPose:
    """How the bodies stand where all coordinates are zero.

    Raises:
        ModelError: a joint or body names a hardpoint that there is not.
    """
    _require_known(document, hardpoints, place)
    if not hardpoints.points:
        return DesignPose(hardpoints, {}, {})
    found = _Origins(document, hardpoints, scope, place)
    origins = {body: found.of(body) for body in (GROUND, *document["bodies"])}
    _require_places(document, origins, place)
    return DesignPose(hardpoints, origins, _carried(document, hardpoints))


def _require_places(document: Table, origins: Mapping[str, Vector | str], place: Place) -> None:
    """Refuse a closing joint between the origins of bodies that the sheet has at two places: its `at` is missing."""
    if document["coordinates"].get("pose"):
        return
    for name, joint in document["joints"].items():
        ends = [origins.get(joint[end]) for end in ("parent", "child")]
        if not joint.get("closes") or joint["type"] not in CENTERED_JOINT_TYPES or placing_hardpoint(joint):
            continue
        if all(isinstance(end, tuple) for end in ends) and ends[0] != ends[1]:
            raise (place / "joints" / name).error(
                f"the origins of {joint['parent']} and {joint['child']} are at two places of the sheet; say where the "
                'joint is by at = "HARDPOINT"'
            )


def _require_known(document: Table, hardpoints: Hardpoints, place: Place) -> None:
    bodies = {GROUND: place / GROUND, **{body: place / "bodies" / body for body in document["bodies"]}}
    for body, at in bodies.items():
        table = document.get(GROUND, {}) if body == GROUND else document["bodies"][body]
        for index, name in enumerate(table.get("hardpoints", ())):
            hardpoints.at((at / "hardpoints")[index], name)
    for joint, table in document["joints"].items():
        if isinstance(table.get("axis"), list) and len(table["axis"]) == 2:
            for index, name in enumerate(table["axis"]):
                hardpoints.at((place / "joints" / joint / "axis")[index], name)
        if "at" in table:
            hardpoints.at(place / "joints" / joint / "at", table["at"])


def difference(left: Vector, right: Vector) -> Vector:
    """From the right place to the left one."""
    x, y, z = (_minus(*pair) for pair in zip(left, right, strict=True))
    return x, y, z


def _minus(left: Expression, right: Expression) -> Expression:
    if isinstance(left, Number) and isinstance(right, Number):
        return Number(left.value - right.value)
    if left == right:
        return ZERO
    return left if right == ZERO else Binary("-", _quantity(left), _quantity(right))


def _quantity(length: Expression) -> Expression:
    """A length that may stand in a formula."""
    return Number(length.value, "m") if isinstance(length, Number) and length != ZERO else length


def placing_hardpoint(joint: Table) -> str | None:
    """The hardpoint at which a joint of the file stands: `at`, or else the first of two that its axis runs through."""
    axis = joint.get("axis")
    through = axis[0] if isinstance(axis, list) and len(axis) == 2 else None
    name: str | None = joint.get("at", through)
    return name


# -- origins ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Origins:
    """The origin of each body, found along the tree of joints."""

    document: Table
    hardpoints: Hardpoints
    scope: Scope
    place: Place

    def of(self, body: str, below: tuple[str, ...] = ()) -> Vector | str:
        """In ground axes; or a sentence that says why it is not known."""
        if body == GROUND:
            return ORIGIN
        joint = self._joint_of(body)
        if joint is None or body in below:
            return f"no chain of joints leads from ground to {body}"
        name, table = joint
        parent, _, of_parent = table["parent"].partition(".")
        origin = self.of(parent, (*below, body))
        if isinstance(origin, str):
            return origin
        if (placing := placing_hardpoint(table)) is not None:
            return self.hardpoints.at(self.place / "joints" / name / "at", placing)
        return self._beyond(name, table, (parent, of_parent, origin), body)

    def _beyond(self, name: str, table: Table, parent: tuple[str, str, Vector], body: str) -> Vector | str:
        """The origin of a body behind a joint whose two frames the file gives."""
        carrier, of_parent, origin = parent
        of_child = table["child"].partition(".")[2]
        turned = f"the axes of {body} are turned against those of the ground by the frames of joint {name}"
        at, turns = self._frame(carrier, of_parent, origin)
        if of_child in self.hardpoints and not self._own(body, of_child):
            return turned if turns else self.hardpoints.points[of_child]
        there, other = self._frame(body, of_child, None)
        return difference(at, there) if turns == other else turned

    def _frame(self, body: str, name: str, origin: Vector | None) -> tuple[Vector, Any]:
        """Where a point or frame is, in ground axes where the origin of its body is given; and its turns."""
        place = self.place / (GROUND if body == GROUND else f"bodies.{body}")
        own = self._own(body, name)
        if own is None:
            at = self.hardpoints.points[name] if name in self.hardpoints else (origin or ORIGIN)
            return at, None
        at, turns = (own["at"], own["turns"]) if isinstance(own, Mapping) else (own, None)
        if isinstance(at, str):
            return self.hardpoints.at(place / name, at), turns
        return _sum(origin or ORIGIN, vector(place / name, at, LENGTH, self.scope)), turns

    def _own(self, body: str, name: str) -> Any:
        """The point or frame that the file gives a body under this name."""
        table = self.document.get(GROUND, {}) if body == GROUND else self.document["bodies"].get(body, {})
        return table.get("points", {}).get(name) or table.get("frames", {}).get(name)

    def _joint_of(self, body: str) -> tuple[str, Table] | None:
        """The joint that carries a body."""
        tree = ((name, table) for name, table in self.document["joints"].items() if not table.get("closes"))
        return next(((name, table) for name, table in tree if table["child"].partition(".")[0] == body), None)


def _sum(left: Vector, right: Vector) -> Vector:
    x, y, z = (_plus(*pair) for pair in zip(left, right, strict=True))
    return x, y, z


def _plus(left: Expression, right: Expression) -> Expression:
    if isinstance(left, Number) and isinstance(right, Number):
        return Number(left.value + right.value)
    return right if left == ZERO else left if right == ZERO else Binary("+", _quantity(left), _quantity(right))


# -- what bodies carry -----------------------------------------------------------------------------------------------


def _carried(document: Table, hardpoints: Hardpoints) -> dict[str, Sequence[str]]:
    """The hardpoints of each body: those it lists, those of its joints, and those that are named as points of it."""
    bodies: dict[str, Table] = {GROUND: document.get(GROUND, {}), **document["bodies"]}
    found: dict[str, set[str]] = {body: set(table.get("hardpoints", ())) for body, table in bodies.items()}
    for joint in document["joints"].values():
        for end in (joint["parent"], joint["child"]):
            found.setdefault(end, set()).update(_of_joint(joint))
    for section in SECTIONS:
        for text in _texts(document.get(section, {})):
            match = _REFERENCE.fullmatch(text)
            if match and match[1] in bodies and match[2] in hardpoints and not _has(bodies[match[1]], match[2]):
                found[match[1]].add(match[2])
    return {body: [name for name in hardpoints.points if name in names] for body, names in found.items()}


def _of_joint(joint: Table) -> Iterator[str]:
    """The hardpoints that a joint names: where it stands, and what its axis runs through."""
    if (name := placing_hardpoint(joint)) is not None:
        yield name
        yield from joint["axis"] if isinstance(joint.get("axis"), list) and len(joint["axis"]) == 2 else ()


def _has(body: Table, name: str) -> bool:
    return name in body.get("points", {}) or name in body.get("frames", {})


def _texts(value: Any) -> Iterator[str]:
    """Every text in a table."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
