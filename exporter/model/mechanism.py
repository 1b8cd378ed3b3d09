"""A mechanism: bodies, joints, loads, parameters, coordinates. Data only; frames are three-dimensional throughout.

Made by: `read_mechanism` (TOML) or the Python API. Used by: kinematics, dynamics, sil.reference.
All numbers are exact rationals in SI units; an irrational factor (degrees) is a rational with 60 correct digits.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import Literal

from exporter.model.couplings import Coupling, Following, following
from exporter.model.expression import Expression, Vector
from exporter.model.joints import Axis, Frame, Joint, JointType, Rotation, dimensions_of
from exporter.model.tree import SpanningTree
from exporter.model.units import ANGLE, LENGTH, TIME, Dimension, si_unit
from exporter.records import dataclass

__all__ = [
    "AngleOutput",
    "Axis",
    "Body",
    "CoordinateRange",
    "Coupling",
    "Distance",
    "Element",
    "ElementType",
    "Frame",
    "Input",
    "Joint",
    "JointType",
    "Load",
    "Mechanism",
    "Method",
    "Parameter",
    "ReactionOutput",
    "Rotation",
    "SolverOptions",
    "StepOptions",
]

USUAL_RATIO = Fraction(2)  # of a switch between two choices of coordinates


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named constant. Frozen: substituted before the algebra. Tunable: a field of <m>_par_t."""

    name: str
    value: Fraction
    unit: str  # the SI unit of its dimension, "m"
    frozen: bool
    minimum: Fraction | None = None
    maximum: Fraction | None = None
    integer: bool = False
    about: str = ""
    signed: bool = False  # a length that may be zero or negative


@dataclass(frozen=True, slots=True)
class Input:
    """A quantity that the caller gives at every call: a force, a torque."""

    name: str
    unit: str
    minimum: Fraction
    maximum: Fraction
    nominal: Fraction = Fraction(0)
    about: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body.

    Inertia is about the centre of mass, in body axes: xx, yy, zz, xy, xz, yz (products as entries of the matrix).
    """

    name: str
    mass: Expression
    center_of_mass: Vector
    inertia: tuple[Expression, Expression, Expression, Expression, Expression, Expression]
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Load:
    """A force (N) or torque (N*m) acting on a frame's origin, with components in the axes of a frame, or of the ground.

    Where `coordinate` is set: a generalised force along that coordinate (value[0], torque or force of parent on child).
    Formulas may read inputs and the state, see `Mechanism.state_dimensions`.
    """

    name: str
    type: Literal["force", "torque", "coordinate"]
    on: Frame | None
    value: Vector
    coordinate: str = ""
    axes: Frame | None = None  # None: ground axes


@dataclass(frozen=True, slots=True)
class Distance:
    """How far two points on different bodies are apart, m: a length that loads may read and elements act along."""

    start: Frame
    end: Frame


ElementType = Literal["spring", "damper", "actuator", "gas_spring", "end_stop", "friction"]


@dataclass(frozen=True, slots=True)
class Element:
    """A force along a distance or a coordinate that follows from its value and its rate.

    A positive force makes the distance (or the coordinate) larger. `values` has the formulas by key, see
    `exporter.model.elements`.
    """

    name: str
    type: ElementType
    along: str  # the name of a distance or of a coordinate
    values: dict[str, Expression]


@dataclass(frozen=True, slots=True)
class AngleOutput:
    """An angle (rad) that [outputs] asks for: of the direction from `start` to `end`, as `seen_from` has it.

    From an axis ("y", "-z"): the angle of the direction's projection on the plane of `base` and `towards`, zero along
    `base`, a quarter turn along `towards`. From a plane ("xy"): the elevation above that plane, a quarter turn along
    `towards`, which is normal to it.
    """

    start: Frame
    end: Frame  # not where `start` is; on another body, or a unit vector along an axis from the body's origin
    base: str
    towards: str
    seen_from: Frame  # whose axes are meant


@dataclass(frozen=True, slots=True)
class ReactionOutput:
    """What a joint transmits, as [outputs] asks for it: the force (N) or torque (N*m) of the parent on the child.

    The torque is about the origin of the joint's frame on the child. Components are along the axes of the ground, or of
    the joint's frame on its parent or its child.
    """

    joint: str
    part: Literal["force", "torque"]
    axes: Literal["ground", "parent", "child"] = "ground"


@dataclass(frozen=True, slots=True)
class CoordinateRange:
    """Bounds of a coordinate, its rate and its acceleration (SI); mandatory for independent coordinates.

    The nominal value of the coordinate is its design pose; rate and acceleration are zero there.
    """

    minimum: Fraction
    maximum: Fraction
    rate: Fraction | None = None  # bound of |rate|
    acceleration: Fraction | None = None  # bound of |acceleration|


@dataclass(frozen=True, slots=True)
class StepOptions:
    """How `dostep` integrates."""

    method: Literal["euler", "semi_implicit_euler", "rk4", "linearly_implicit"] = "semi_implicit_euler"
    period: Fraction = Fraction(1, 1000)  # s
    implicit: tuple[str, ...] = ()  # elements whose slopes a linearly implicit step knows; none: all but actuators


Method = Literal["triangular", "newton", "newton-per-loop", "characteristic-pair", "lexicographic"]


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """How positions are solved: in triangular form, or by a baseline that it is compared with."""

    method: Method = "triangular"
    steps: int = 3  # of Newton's methods: exactly so many, or at most where there is a tolerance
    tolerance: Fraction = Fraction(0)  # of the residual that ends the steps; 0: their number is fixed


@dataclass(frozen=True, slots=True)
class Mechanism:
    """Everything that is known of a mechanism. Order of all tuples is the order of the file."""

    name: str
    title: str
    source: str
    parameters: tuple[Parameter, ...]
    inputs: tuple[Input, ...]
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    loads: tuple[Load, ...]
    gravity: Vector  # m/s^2, ground axes
    independent: tuple[str, ...]
    pose: dict[str, Fraction] = field(default_factory=dict)  # approximate design pose of every coordinate
    ranges: dict[str, CoordinateRange] = field(default_factory=dict)  # of every independent one, perhaps of others
    branches: dict[str, str] = field(default_factory=dict)  # coordinate -> name of the assembly that the pose picks
    outputs: dict[str, str] = field(default_factory=dict)  # alias -> signal name ("s.rate"), or a point
    angles: dict[str, AngleOutput] = field(default_factory=dict)  # more outputs, by name
    step: StepOptions = StepOptions()
    solver: SolverOptions = SolverOptions()
    alternative: tuple[str, ...] = ()  # other independent coordinates, exported with the first; dostep switches
    switch_ratio: Fraction = USUAL_RATIO  # a choice is left where the other is so many times better
    distances: dict[str, Distance] = field(default_factory=dict)  # by name
    elements: tuple[Element, ...] = ()
    reactions: dict[str, ReactionOutput] = field(default_factory=dict)  # more outputs, of `dynamics` and `dostep`
    couplings: tuple[Coupling, ...] = ()
    chosen_outputs: tuple[str, ...] = ()  # names or patterns ("*.acceleration") of what functions give; none: all
    model_hash: str = ""  # SHA-256 of the canonical content, set by the reader

    def coordinates(self) -> tuple[str, ...]:
        """All coordinates in the order of their joints."""
        return tuple(name for joint in self.joints for name in joint.coordinates)

    def dimensions(self) -> dict[str, Dimension]:
        """Angle or length, by coordinate, in the order of their joints."""
        return dimensions_of(self.joints)

    def state_dimensions(self) -> dict[str, Dimension]:
        """What formulas of loads may read of the state: coordinates, distances, and ".rate" of either."""
        return state_dimensions(self.dimensions(), self.distances)

    def is_angle(self, coordinate: str) -> bool:
        """Whether a coordinate is an angle, rad."""
        return self._dimension_of(coordinate) == ANGLE

    def is_displacement(self, coordinate: str) -> bool:
        """Whether a coordinate is a displacement, m."""
        return self._dimension_of(coordinate) == LENGTH

    def unit_of(self, coordinate: str) -> str:
        """Unit of a coordinate: "rad" of an angle, "m" of a displacement."""
        return si_unit(self._dimension_of(coordinate))

    def difference(self, coordinate: str, one: float, other: float) -> float:
        """How far one value of a coordinate is from another, rad or m; of an angle within half a turn."""
        gap = one - other
        return gap if self.is_displacement(coordinate) else math.remainder(gap, math.tau)

    def coupled(self) -> tuple[str, ...]:
        """Coordinates that couplings tie to others."""
        return tuple(dict.fromkeys(name for coupling in self.couplings for name in coupling.coordinates))

    def following(self) -> Following:
        """What couplings alone say where the independent coordinates are given."""
        return following(self.couplings, self.independent)

    def displacements(self) -> tuple[str, ...]:
        """Coordinates that are displacements, in the order of their joints."""
        return tuple(name for name, dimension in self.dimensions().items() if dimension == LENGTH)

    def spanning_tree(self) -> SpanningTree:
        """The joints that carry coordinates."""
        return SpanningTree({joint.child.body: joint for joint in self.joints if not joint.closes})

    def nominal_values(self) -> dict[str, Fraction]:
        """Values of all parameters, SI units."""
        return {parameter.name: parameter.value for parameter in self.parameters}

    def tunable_names(self) -> tuple[str, ...]:
        """The parameters that are set at run time, in the order of the file."""
        return tuple(parameter.name for parameter in self.parameters if not parameter.frozen)

    def at_values(self, values: Mapping[str, Fraction]) -> "Mechanism":
        """The mechanism with these values of its parameters, unchecked and without a hash: for trying it out."""
        changed = tuple(replace(each, value=values.get(each.name, each.value)) for each in self.parameters)
        return replace(self, parameters=changed, model_hash="")

    def _dimension_of(self, coordinate: str) -> Dimension:
        """Angle or length, looked up without a table: it is asked often."""
        for joint in self.joints:
            if coordinate in joint.coordinates:
                return joint.dimensions()[coordinate]
        raise KeyError(coordinate)


def state_dimensions(coordinates: Mapping[str, Dimension], distances: Iterable[str]) -> dict[str, Dimension]:
    """What formulas may read of the state, from the dimensions of coordinates and the names of distances."""
    lengths = {**coordinates, **dict.fromkeys(distances, LENGTH)}
    return {**lengths, **{f"{name}.rate": dimension / TIME for name, dimension in lengths.items()}}
