"""How the reactions that are asked for are found: which blocks are solved, and that all of them are determined.

In: a mechanism, driven by its independent coordinates. Out: a `Plan`, found once per mechanism.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from exporter.dynamics.reactions.components import BALLS, AlongLink, Component, FreeMotion
from exporter.dynamics.reactions.cuts import Cut, CutTree, cut_tree
from exporter.dynamics.reactions.numeric import NumericGeometry, array_of, numeric_geometry
from exporter.dynamics.reactions.selection import Block, blocks_of, independent_columns
from exporter.dynamics.reactions.statics import across_cut, coefficient, unit_wrench
from exporter.errors import ModelError
from exporter.kinematics.closures.numeric import Array
from exporter.kinematics.closures.tolerances import ZERO_SINGULAR_VALUE
from exporter.kinematics.planar.model import plane_of
from exporter.kinematics.planar.planarity import is_planar
from exporter.kinematics.protocol.frames import IDENTITY, Matrix3
from exporter.model.joints import Joint
from exporter.model.mechanism import Mechanism
from exporter.model.once import once_per_model
from exporter.model.size import length_of
from exporter.records import dataclass

UNDETERMINED = 1e-6
"""Part of a reaction that self-stress of unit size may change: above, the reaction is statically indeterminate."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Unknowns, equations and the blocks that solve for those which a reaction needs, in solve order."""

    mechanism: Mechanism
    tree: CutTree
    planar: bool
    blocks: tuple[Block, ...]  # numbers of equations and unknowns of the tree
    units: tuple[Fraction, ...]  # of unknowns: a force of 1 over them counts like a torque of 1 m
    length: Fraction  # m, the size of the mechanism

    def cut_of_equation(self, number: int) -> tuple[Cut, FreeMotion]:
        """An equation, and the cut whose joint it is about."""
        motion = self.tree.equations[number]
        return self.tree.cuts[_outboard(self.tree, motion.joint)], motion


def _outboard(tree: CutTree, joint: Joint) -> str:
    return next(body for body, cut in tree.cuts.items() if cut.joint is joint)


@once_per_model
def reaction_plan(mechanism: Mechanism) -> Plan:
    """How the reactions of a mechanism are found.

    Raises:
        ModelError: a reaction that is asked for is statically indeterminate, or a load acts on an angle of a ball.
    """
    planar = is_planar(mechanism)
    _refuse_loads_on_balls(mechanism)
    system = _system(mechanism)
    system.refuse_indeterminate()
    tree = system.tree
    asked = [each.joint for each in mechanism.reactions.values()]
    kept = independent_columns(system.scaled)
    rows = independent_columns(np.swapaxes(system.scaled[:, :, kept], 1, 2))
    blocks = blocks_of(system.scaled[np.ix_(range(len(system.scaled)), rows, kept)]) if kept else []
    numbered = [
        replace(each, equations=tuple(rows[e] for e in each.equations), unknowns=tuple(kept[u] for u in each.unknowns))
        for each in blocks
    ]
    return Plan(mechanism, tree, planar, tuple(_needed(numbered, system, asked)), system.units, system.length)


def refuse_indeterminate(mechanism: Mechanism) -> None:
    """Refuse a reaction that is asked for and shared by more joints than the motion needs.

    Raises:
        ModelError: the output, and the joints.
    """
    _refuse_loads_on_balls(mechanism)
    _system(mechanism).refuse_indeterminate()


def _system(mechanism: Mechanism) -> "_System":
    planar = is_planar(mechanism)
    tree = cut_tree(mechanism, planar=planar)
    return _System.of(mechanism, tree, numeric_geometry(mechanism, _axes(mechanism, planar=planar)))


def _axes(mechanism: Mechanism, *, planar: bool) -> Matrix3:
    """The axes that forces are summed in: of the plane and its normal, or of the ground."""
    if not planar:
        return IDENTITY
    plane = plane_of(mechanism)
    return plane.e1, plane.e2, plane.normal


def _refuse_loads_on_balls(mechanism: Mechanism) -> None:
    """A torque along an Euler angle is none about a fixed axis."""
    driving = set(mechanism.independent)
    acting = [("load", load.name, load.coordinate) for load in mechanism.loads if load.coordinate]
    acting += [(element.type.replace("_", " "), element.name, element.along) for element in mechanism.elements]
    for kind, name, along in acting:
        for joint in mechanism.joints:
            angles = joint.coordinates[-3:] if joint.type in BALLS else ()
            if along in angles and not driving >= set(angles):
                raise ModelError(
                    f"{mechanism.name}: {kind} '{name}' acts along {along}, an angle of the {joint.type} joint "
                    f"'{joint.name}'; with reactions among the outputs, write it as a torque on "
                    f"{joint.child.body}, and one the other way round on {joint.parent.body}"
                )


def _needed(blocks: list[Block], system: "_System", asked: Collection[str]) -> Iterable[Block]:
    """The blocks whose unknowns a reaction that is asked for is a sum of, and what these need."""
    wanted = {number for joint in asked for number in system.unknowns_of(joint)}
    needed = []
    for block in reversed(blocks):
        if wanted & set(block.unknowns):
            needed.append(block)
            entries = np.abs(system.scaled[:, list(block.equations)]).max(axis=(0, 1))
            wanted |= {int(u) for u in np.flatnonzero(entries > 0)}
    return reversed(needed)


@dataclass(frozen=True)
class _System:
    """The equations of all free motions in numbers, scaled so that forces and torques compare."""

    mechanism: Mechanism
    tree: CutTree
    geometry: NumericGeometry
    scaled: Array  # (poses, equations, unknowns)
    units: tuple[Fraction, ...]
    length: Fraction

    @classmethod
    def of(cls, mechanism: Mechanism, tree: CutTree, geometry: NumericGeometry) -> "_System":
        length = Fraction(f"{float(length_of(mechanism)):.3g}")
        units = tuple(_unit(geometry, component, length) for component in tree.unknowns)
        matrices = np.zeros((geometry.count, len(tree.equations), len(tree.unknowns)))
        for e, motion in enumerate(tree.equations):
            cut = tree.cuts[_outboard(tree, motion.joint)]
            size = float(length) if motion.kind == "turn" else 1.0
            for u, component in enumerate(tree.unknowns):
                value = coefficient(geometry, cut, motion, component)
                matrices[:, e, u] = 0.0 if value is None else np.asarray(value) * float(units[u]) / size
        return cls(mechanism, tree, geometry, matrices, units, length)

    def unknowns_of(self, joint: str) -> list[int]:
        """Numbers of the unknowns that a joint's reaction is a sum of."""
        cut = self.tree.cut_of(joint)
        if cut is None:
            return [n for n, each in enumerate(self.tree.unknowns) if each.joint.name == joint]
        return [n for n, each in enumerate(self.tree.unknowns) if cut.side_of(each.joint)]

    def _by_unknown(self, joint: Joint, part: str) -> Array:
        """The force or torque of a joint per unknown, (poses, 3, unknowns), scaled."""
        cut = self.tree.cut_of(joint.name)
        found = np.zeros((self.geometry.count, 3, len(self.units)))
        size = float(self.length) if part == "torque" else 1.0
        for n in self.unknowns_of(joint.name):
            component = self.tree.unknowns[n]
            wrench = unit_wrench(self.geometry, component) if cut is None else across_cut(self.geometry, cut, component)
            if wrench is not None:
                vector = array_of(wrench.force if part == "force" else wrench.torque)
                found[:, :, n] = vector * float(self.units[n]) / size
        return found

    def refuse_indeterminate(self) -> None:
        """Refuse a reaction that forces which balance among themselves can change."""
        stress = _self_stress(self.scaled)
        if not stress[0].shape[1]:
            return
        moved = {
            (joint.name, part): [self._by_unknown(joint, part)[p] @ each for p, each in enumerate(stress)]
            for joint in self.mechanism.joints
            for part in ("force", "torque")
        }
        loose = {
            key for key, parts in moved.items() if max(np.abs(part).max(initial=0.0) for part in parts) > UNDETERMINED
        }
        for name, asked in self.mechanism.reactions.items():
            if (asked.joint, asked.part) in loose:
                shared = _sharing(moved, loose, (asked.joint, asked.part))
                sole = all((asked.joint, part) in loose for part in ("force", "torque"))
                raise ModelError(
                    _indeterminate(self.mechanism, name, (asked.joint, asked.part), shared, other=not sole)
                )


def _unit(geometry: NumericGeometry, component: Component, length: Fraction) -> Fraction:
    """What an unknown is measured in: 1 N, 1 N times the length, 1 N over the length of a link."""
    if component.part == "torque":
        return length
    if isinstance(component.direction, AlongLink):
        size = np.linalg.norm(array_of(geometry.direction(component.direction))[0])
        return 1 / Fraction(f"{float(size):.3g}")
    return Fraction(1)


def _self_stress(matrices: Array) -> list[Array]:
    """Orthonormal unknowns that balance among themselves, (unknowns, k) for every pose; k is that of most poses."""
    if 0 in matrices.shape[1:]:
        return [np.eye(matrices.shape[2])] * len(matrices)
    _, values, rows = np.linalg.svd(matrices, full_matrices=True)
    largest = values.max(axis=1, keepdims=True, initial=0.0)
    rank = int((values > ZERO_SINGULAR_VALUE * largest).sum(axis=1).max(initial=0))
    return [each[rank:].T for each in rows]


Key = tuple[str, str]


def _sharing(moved: dict[Key, list[Array]], loose: set[Key], asked: Key) -> list[str]:
    """Joints whose reactions the same self-stress changes, in the order of the file."""
    import networkx as nx  # noqa: PLC0415 - it is slow to import

    graph: nx.Graph = nx.Graph()
    keys = [key for key in moved if key in loose]
    graph.add_nodes_from(keys)
    for n, one in enumerate(keys):
        for other in keys[n + 1 :]:
            pairs = zip(moved[one], moved[other], strict=True)
            if max(np.abs(a @ b.T).max() for a, b in pairs) > UNDETERMINED**2:
                graph.add_edge(one, other)
    together = nx.node_connected_component(graph, asked)
    return list(
        dict.fromkeys(joint for joint, _ in keys if any((joint, part) in together for part in ("force", "torque")))
    )


def _indeterminate(mechanism: Mechanism, name: str, asked: Key, shared: list[str], *, other: bool) -> str:
    """Why a reaction is refused; `other` says whether the joint's other part is determined."""
    (joint, part), joints = asked, ", ".join(f"'{each}'" for each in shared)
    instead = f"the {'force' if part == 'torque' else 'torque'} or " if other else ""
    return (
        f"{mechanism.name}: output '{name}' asks for the {part} of '{joint}', which is statically indeterminate: "
        f"{joints} hold more than the motion needs and share loads by their stiffness, which rigid bodies do not have; "
        f"ask for {instead}another joint, or let one of these joints move where it need not hold"
    )
