"""Bodies that turn freely, by their angular velocity in place of the rates of their angles.

In: a motion, and the rates of the independent coordinates. Out: for a body whose three angles are independent, how the
angular velocity w follows from their rates, w = E q', and back. The equations of motion are solved for w', at which the
velocities of everything that the body carries have no part E' q', and three accelerations of angles follow at last:

    q'' = E^-1 (w' - E' q').
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from exporter.dynamics.factorisation import ProjectedEquations
from exporter.dynamics.linear_graph import Terms, coefficients
from exporter.kinematics.protocol.twists import BodyMotion
from exporter.kinematics.protocol.vectors import Matrix, Vector
from exporter.model.joints import GROUND
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.guards import signed_pivot
from exporter.sequence.operations import Precision

FREE_TURNS = ("spherical", "free")
"""Joints that turn about three axes, the last coordinates of each."""
SMALLEST_VOLUME: dict[Precision, Fraction] = {"float32": Fraction(1, 2**6), "float64": Fraction(1, 2**15)}
"""Of the three axes, below which their rates do not follow from an angular velocity: its square is SMALLEST_PART."""
HEADING = "W"
"""Of the steps that turn rates of angles into angular velocities, and back."""
AXES_IN_ONE_PLANE = "two axes of a joint that turns about three are parallel in this pose"


@dataclass(frozen=True, slots=True)
class Spin:
    """The angular velocity of one body in place of the rates of three angles."""

    names: tuple[str, str, str]  # the angles
    angular_velocity: Vector
    drift: Vector  # its derivative where the three rates do not change
    matrix: Matrix  # E
    inverse: Matrix  # E^-1

    def parts(self) -> tuple[Value, Value, Value]:
        """The components of the angular velocity."""
        return self.angular_velocity.parts()

    def rates(self, angular: Vector) -> dict[str, Value]:
        """E^-1 times a vector, by the names of the angles."""
        return dict(zip(self.names, self.inverse.times(angular).parts(), strict=True))


def spins_of(mechanism: Mechanism, motion: BodyMotion, rates: Mapping[str, Value]) -> list[Spin]:
    """The bodies on the ground whose three angles are independent, and whose twist is given in ground axes."""
    found = []
    zero = {name: rate.builder.real(0) for name, rate in rates.items()}
    for joint in mechanism.joints:
        names = joint.coordinates[-3:]
        if joint.closes or joint.type not in FREE_TURNS or joint.parent.body != GROUND or not set(names) <= set(rates):
            continue
        twist = motion.twist(joint.child)
        if twist.in_body_axes or any(part.constant is not None for part in twist.angular_velocity.parts()):
            continue
        drift = motion.accelerate(zero).twist_rate(joint.child).angular_velocity
        own = [rates[name] for name in names]
        with own[0].builder.step(HEADING, f"rates of {', '.join(names)} from the angular velocity", part=True):
            matrix = _matrix(own, twist.angular_velocity)
            inverse = _inverse(matrix)
        found.append(Spin((names[0], names[1], names[2]), twist.angular_velocity, drift, matrix, inverse))
    return found


def _matrix(rates: Sequence[Value], angular_velocity: Vector) -> Matrix:
    """E, whose columns are the axes that the angles turn about."""
    rows = [coefficients(rates[0].builder, rates, part) for part in angular_velocity.parts()]
    a, b, c = (Vector(*(row[k] for row in rows)) for k in range(3))
    return Matrix((a, b, c))


def _inverse(matrix: Matrix) -> Matrix:
    """E^-1 by the cross products of the columns of E."""
    a, b, c = matrix.columns
    builder = a.x.builder
    duals = (b.cross(c), c.cross(a), a.cross(b))
    volume = signed_pivot(builder, a.dot(duals[0]), SMALLEST_VOLUME[builder.precision], AXES_IN_ONE_PLANE)
    inverse = 1 / volume
    x, y, z = (Vector(*(dual.parts()[k] * inverse for dual in duals)) for k in range(3))
    return Matrix((x, y, z))


# -- between the rates of angles and angular velocities --------------------------------------------------------------


def biases_at_constant_spin(biases: Mapping[str, Value], spins: Sequence[Spin]) -> dict[str, Value]:
    """Accelerations of the independent coordinates, those of angles such that no angular velocity changes."""
    found = dict(biases)
    for spin in spins:
        told = f"accelerations of {', '.join(spin.names)} at a constant spin"
        with spin.drift.x.builder.step(HEADING, told, part=True):
            found |= spin.rates(-spin.drift)
    return found


def with_spins(rates: Mapping[str, Value], spins: Sequence[Spin]) -> dict[str, Value]:
    """The independent rates, components of an angular velocity in the places of the angles."""
    found = dict(rates)
    for spin in spins:
        found |= zip(spin.names, spin.parts(), strict=True)
    return found


def angles_by_spins(rates: Mapping[str, Value], spins: Sequence[Spin]) -> dict[int, Terms]:
    """The rates of angles, by their index, as sums over the components of angular velocities."""
    found: dict[int, Terms] = {}
    for spin in spins:
        parts = [part.index for part in spin.parts()]
        for k, name in enumerate(spin.names):
            row = (column.parts()[k] for column in spin.inverse.columns)
            found[rates[name].index] = dict(zip(parts, row, strict=True))
    return found


def equations_of_angles(
    equations: ProjectedEquations, names: Sequence[str], spins: Sequence[Spin]
) -> ProjectedEquations:
    """The equations in the rates of all coordinates:  S^T M S q'' = S^T (r - M d),  u' = S q'' + d."""
    matrix, right = equations.matrix, equations.right
    for spin in spins:
        places = [names.index(name) for name in spin.names]
        with spin.drift.x.builder.step(HEADING, "equations of motion in the rates of angles", part=True):
            left = [side - _at(places, row).dot(spin.drift) for side, row in zip(right, matrix, strict=True)]
            right = _in_angles(spin, places, left)
            half = [_in_angles(spin, places, row) for row in matrix]
            matrix = [_in_angles(spin, places, list(column)) for column in zip(*half, strict=True)]
    return ProjectedEquations(matrix, right, equations.least)


def _at(places: Sequence[int], values: Sequence[Value]) -> Vector:
    x, y, z = (values[place] for place in places)
    return Vector(x, y, z)


def _in_angles(spin: Spin, places: Sequence[int], values: Sequence[Value]) -> list[Value]:
    """What stands along an angular velocity, along the rates of the angles."""
    found = list(values)
    for place, part in zip(places, spin.matrix.transposed_times(_at(places, values)).parts(), strict=True):
        found[place] = part
    return found
