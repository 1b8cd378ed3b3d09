"""Mirrors what a mechanism file says of one side: entries that [each] repeats for an instance that is a mirror image.

In: a document that is written out, the choice of instances of each of its entries, its hardpoints. Out: the document
that stands on its own: every such entry as it would be written by hand, and the mirrored hardpoints by names of their
own. Coordinates of both sides mean mirror images of each other: equal ones are a symmetric pose.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from exporter.model.joints import GROUND
from exporter.model.nearest import list_words, nearest
from exporter.model.place import Place
from exporter.model.toml.each import Choice
from exporter.model.toml.hardpoints import Hardpoints, Table
from exporter.model.toml.reflection import Reflection, reversed_text
from exporter.model.toml.turned import TURNED
from exporter.records import dataclass

MIRROR = "mirror"
POINT_KEYS = ("parent", "child", "on", "between", "line", "of", "seen_from", "axes")
USUAL_AXIS = {"revolute": "z", "cylindrical": "z", "prismatic": "x"}
SLIDING = ("prismatic", "cylindrical")  # whose axis is the direction of the slide
_REFERENCE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[.]([A-Za-z_][A-Za-z0-9_]*)([.]quaternion)?")


def mirrored(
    document: Table, hardpoints: Hardpoints, choices: Mapping[str, Choice], place: Place
) -> tuple[Table, Hardpoints]:
    """The document and the hardpoints with both sides; as they are where no instance is a mirror image.

    Raises:
        ModelError: [each] has no such instance.
    """
    instances: Mapping[str, str] = document.get("hardpoints", {}).get(MIRROR, {})
    if not instances:
        return document, hardpoints
    known = sorted({instance for choice in choices.values() for instance in choice.values()})
    for instance in instances:
        if instance not in known:
            raise (place / "hardpoints" / MIRROR / instance).error(
                f'no entry is written for an instance "{instance}" of [each]{nearest(instance, known)}; there are: '
                f'{list_words(known)}: write [each] side = ["left", "{instance}"], and {{side}} into names'
            )
    sides = _Sides(document, hardpoints, choices, instances)
    return sides.document_of_both(), sides.hardpoints_of_both()


@dataclass(frozen=True, slots=True)
class _Sides:
    """A document whose entries are mirrored where their instance is a mirror image."""

    document: Table
    hardpoints: Hardpoints
    choices: Mapping[str, Choice]  # by key, "joints.lower_right"
    instances: Mapping[str, str]  # instance -> the axes that change their sign

    def document_of_both(self) -> dict[str, Any]:
        """Every section with its mirrored entries written out."""
        write: dict[str, Callable[[str, Any], Any]] = {
            "bodies": self._body,
            "joints": self._joint,
            "loads": self._load,
            "elements": self._named,
            "distances": self._named,
            "outputs": self._output,
        }
        written = dict(self.document)
        for section in write.keys() & written.keys():
            entries = written[section].items()
            written[section] = {name: write[section](f"{section}.{name}", entry) for name, entry in entries}
        if GROUND in written:
            written[GROUND] = self._body(GROUND, written[GROUND])
        return written

    def hardpoints_of_both(self) -> Hardpoints:
        """Each hardpoint and its mirror images, but for those that the sheet has itself."""
        points = dict(self.hardpoints.points)
        for reflection in filter(None, map(self._reflection, self.choices.values())):
            for name, at in self.hardpoints.points.items():
                points.setdefault(f"{name}_{reflection.name}", reflection.place(at))
        return replace(self.hardpoints, points=points)

    def _reflection(self, choice: Choice) -> Reflection | None:
        """What makes an entry of these instances from the one that is written."""
        mirroring = [instance for instance in choice.values() if instance in self.instances]
        axes: set[str] = set()
        for instance in mirroring:
            axes ^= set(self.instances[instance])
        return Reflection("_".join(mirroring), frozenset(axes)) if mirroring else None

    def _of(self, key: str) -> Reflection | None:
        """What mirrors the entry at a key: its own instances, or those of the entry that it is in."""
        while key not in self.choices and "." in key:
            key = key.rpartition(".")[0]
        return self._reflection(self.choices.get(key, {}))

    # -- names ------------------------------------------------------------------------------------------------------

    def _site(self, given: Any, reflection: Reflection) -> Any:
        """A place of a body: a hardpoint by name, or three components."""
        return self._hardpoint(given, reflection) if isinstance(given, str) else reflection.components(given)

    def _hardpoint(self, name: str, reflection: Reflection | None) -> str:
        return f"{name}_{reflection.name}" if reflection and name in self.hardpoints else name

    def _named(self, key: str, value: Any) -> Any:
        """A table, list or text with the points of bodies in it by the names that they have on its side."""
        if isinstance(value, str):
            return self._point(key, value)
        if isinstance(value, list):
            return [self._named(key, part) for part in value]
        if isinstance(value, Mapping):
            return {name: self._named(key, part) if name in POINT_KEYS else part for name, part in value.items()}
        return value

    def _point(self, key: str, text: str) -> str:
        """`body.point`: the body says on which side it is, or else the entry that names it."""
        match = _REFERENCE.fullmatch(text)
        if not match or match[2] not in self.hardpoints or self._has(match[1], match[2]):
            return text
        choice = {**self.choices.get(key, {}), **self.choices.get(f"bodies.{match[1]}", {})}
        return f"{match[1]}.{self._hardpoint(match[2], self._reflection(choice))}{match[3] or ''}"

    def _has(self, body: str, name: str) -> bool:
        """Whether a point or frame of the body's own has the name; or there is no such body."""
        bodies = {GROUND: self.document.get(GROUND, {}), **self.document["bodies"]}
        return body not in bodies or any(name in bodies[body].get(kind, {}) for kind in ("points", "frames"))

    # -- sections ---------------------------------------------------------------------------------------------------

    def _body(self, key: str, table: Table) -> dict[str, Any]:
        written = dict(table)
        for kind, write in (("points", self._site), ("frames", self._frame)):
            if kind in table:
                written[kind] = {
                    name: write(entry, reflection) if (reflection := self._of(f"{key}.{kind}.{name}")) else entry
                    for name, entry in table[kind].items()
                }
        if reflection := self._of(key):
            if "center_of_mass" in table:
                written["center_of_mass"] = self._site(table["center_of_mass"], reflection)
            if "hardpoints" in table:
                written["hardpoints"] = [self._hardpoint(name, reflection) for name in table["hardpoints"]]
            if "inertia" in table:
                written["inertia"] = {name: _moment(name, text, reflection) for name, text in table["inertia"].items()}
        return written

    def _frame(self, table: Table, reflection: Reflection) -> dict[str, Any]:
        turns = [
            [axis, reversed_text(angle) if reflection.reverses_turns(axis) else angle] for axis, angle in table["turns"]
        ]
        return {**table, "at": self._site(table["at"], reflection), "turns": turns}

    def _joint(self, key: str, table: Table) -> dict[str, Any]:
        written: dict[str, Any] = {**table, **self._named(key, {end: table[end] for end in ("parent", "child")})}
        reflection = self._of(key)
        if reflection is None:
            return written
        if "at" in table:
            written["at"] = self._hardpoint(table["at"], reflection)
        kind = table["type"]
        if kind in USUAL_AXIS:
            written["axis"] = self._axis(table.get("axis", USUAL_AXIS[kind]), reflection, turning=kind not in SLIDING)
        if kind == "universal":
            written["axes"] = [reflection.axis(axis, turning=True) for axis in table.get("axes", ("x", "y"))]
        if kind in ("spherical", "planar") and not table.get("closes"):
            written[TURNED] = [reflection.axis(axis, turning=kind == "spherical") for axis in ("x", "y")]
        return written

    def _axis(self, axis: Any, reflection: Reflection, *, turning: bool) -> Any:
        if isinstance(axis, str):
            return reflection.axis(axis, turning=turning)
        if len(axis) == 2:
            ends = [self._hardpoint(name, reflection) for name in axis]
            return ends[::-1] if turning and len(reflection.axes) % 2 else ends
        return reflection.components(axis, turning=turning)

    def _load(self, key: str, table: Table) -> dict[str, Any]:
        written: dict[str, Any] = self._named(key, table)
        reflection = self._of(key)
        if reflection and table["type"] != "coordinate":
            written["value"] = reflection.components(table["value"], turning=table["type"] == "torque")
        return written

    def _output(self, key: str, entry: Any) -> Any:
        reflection, written = self._of(key), self._named(key, entry)
        if reflection is None or not isinstance(written, dict) or "reaction" in written:
            return written
        for name in ("from", "to"):
            written[name] = reflection.axis(written[name])
        if "axis" in written:
            written["axis"] = self._axis(written["axis"], reflection, turning=False)
        return written


def _moment(name: str, text: str, reflection: Reflection) -> str:
    """An entry of the inertia: products change their sign where one of their axes does."""
    changed = reflection.reverses(name[0]) != reflection.reverses(name[1])
    return reversed_text(text) if changed else text
