"""The equations that a closing joint puts on the tree's coordinates, as data; `closure_jacobian` evaluates them.

Every joint is spelled with three primitives, in full 3D:
  point      u . (p_child - p_parent) = 0,  u fixed on the parent;
  alignment  u . w = 0,  u fixed on the parent, w on the child;
  turn       a component of 2 tan(angle / 2) times the axis of what turns the parent's triad into the child's = 0, which
             three alignments would allow to be half a turn.
"""

from dataclasses import dataclass

from exporter.errors import ModelError
from sil.reference.couplings import Tie
from sil.reference.rotations import AXES, Array, perpendicular
from sil.reference.skeleton import ClosingJoint, Place


@dataclass(frozen=True, slots=True)
class PointEquation:
    """Two points coincide along a direction fixed on the parent (body axes); in m."""

    parent: Place
    child: Place
    direction: Array


@dataclass(frozen=True, slots=True)
class AlignmentEquation:
    """A direction of the parent is perpendicular to one of the child (body axes); dimensionless."""

    parent: int
    child: int
    on_parent: Array
    on_child: Array


@dataclass(frozen=True, slots=True)
class TurnEquation:
    """Two triads (body axes) are parallel, about the axis that is left of these two; dimensionless."""

    parent: int
    child: int
    on_parent: tuple[Array, Array, Array]
    on_child: tuple[Array, Array, Array]
    about: tuple[int, int]


Equation = PointEquation | AlignmentEquation | TurnEquation | Tie


def equations_of(closing: ClosingJoint) -> tuple[Equation, ...]:
    """The equations of one closing joint.

    Raises:
        ModelError: the joint type is not known to the reference.
    """
    first, second = perpendicular(closing.axis)
    triad = (first, second, closing.axis)
    one_axis = ((first, closing.axis), (second, closing.axis))
    spelled: dict[str, tuple[tuple[Array, ...], tuple[tuple[Array, Array], ...]]] = {
        "revolute": (triad, one_axis),
        "prismatic": ((first, second), ()),
        "fixed": (triad, ()),
        "cylindrical": ((first, second), one_axis),
        "spherical": (triad, ()),
        "universal": (triad, ((AXES["x"], AXES["y"]),)),
        "planar": ((AXES["z"],), ((AXES["x"], AXES["z"]), (AXES["y"], AXES["z"]))),
        "free": ((), ()),
    }
    if closing.type not in spelled:
        known = ", ".join(sorted(spelled))
        raise ModelError(f"closing joint '{closing.name}' is {closing.type}; the reference knows {known}")
    points, alignments = spelled[closing.type]
    parent, child = closing.parent, closing.child
    return (
        *(PointEquation(parent, child, parent.turn @ u) for u in points),
        *(AlignmentEquation(parent.body, child.body, parent.turn @ u, child.turn @ w) for u, w in alignments),
        *(_parallel(closing, triad) if closing.type in ("prismatic", "fixed") else ()),
    )


def _parallel(closing: ClosingJoint, triad: tuple[Array, Array, Array]) -> tuple[TurnEquation, ...]:
    """The frames of a joint that leaves no turn."""
    first, second, third = (closing.parent.turn @ each for each in triad)
    others = [closing.child.turn @ each for each in triad]
    bodies = closing.parent.body, closing.child.body
    pairs = ((0, 1), (1, 2), (2, 0))
    return tuple(
        TurnEquation(*bodies, (first, second, third), (others[0], others[1], others[2]), pair) for pair in pairs
    )
