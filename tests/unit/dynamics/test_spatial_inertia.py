"""Inertia of bodies in space. Oracle: matrices in numpy."""

from fractions import Fraction

import numpy as np

from exporter.dynamics.spatial_inertia import Inertia
from exporter.kinematics.protocol.vectors import Vector
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal

RANDOM = np.random.default_rng(8)
TENSOR = RANDOM.integers(-3, 4, (3, 3))
TENSOR = TENSOR @ TENSOR.T + np.diag([1, 2, 3])
ARM, SPIN = RANDOM.integers(-5, 6, (2, 3))
MASS = 7


def values(builder: Builder, numbers: np.ndarray) -> Vector:
    x, y, z = (builder.real(Fraction(int(number))) for number in numbers)
    return Vector(x, y, z)


def tensor(builder: Builder, rows: np.ndarray = TENSOR) -> Inertia:
    one, two, three = (values(builder, row) for row in rows)
    return Inertia((one, two, three))


def constants(vectors: tuple[Vector, ...]) -> np.ndarray:
    return np.array([[float(part.constant or 0) for part in vector.parts()] for vector in vectors])


def moving(builder: Builder) -> Vector:
    x, y, z = (builder.input(Signal(name, "rad/s", nominal=Fraction(1))) for name in "xyz")
    return Vector(x, y, z)


def finished(builder: Builder, vector: Vector) -> OperationSequence:
    for name, part in zip("xyz", vector.parts(), strict=True):
        builder.output(Signal(f"h{name}", "N*m", group=Group.OUTPUT), part)
    return builder.finish()


def test_about_another_point() -> None:
    """The parallel axis theorem: minus the square of the arm's cross product matrix."""
    builder = Builder("f", "float64")
    found = constants(tensor(builder).moved(values(builder, ARM), builder.real(MASS)).rows)
    x, y, z = ARM
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    assert (found == TENSOR - MASS * across @ across).all()


def test_of_two_bodies() -> None:
    """Tensors add."""
    builder = Builder("f", "float64")
    assert (constants(tensor(builder).plus(tensor(builder)).rows) == 2 * TENSOR).all()


def test_gyration_is_spin_across_angular_momentum() -> None:
    """With products of inertia."""
    builder = Builder("f", "float64")
    sequence = finished(builder, tensor(builder).gyroscopic_torque(moving(builder)))
    found = interpret(sequence, SPIN[None].astype(float)).outputs[0]
    assert (found == np.cross(SPIN, TENSOR @ SPIN)).all()


def test_a_thin_rod_has_no_gyration_about_its_line() -> None:
    """The component is the constant 0 and costs nothing."""
    builder = Builder("f", "float64")
    gyroscopic_torque = tensor(builder, np.diag([2, 2, 0])).gyroscopic_torque(moving(builder))
    assert gyroscopic_torque.z.constant == 0
    assert gyroscopic_torque.x.constant is None
