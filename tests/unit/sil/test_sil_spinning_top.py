"""A body that turns about its centre of mass: the reference against Euler's equations, written out."""

import numpy as np
import pytest

from exporter.model.toml.reader import parse_mechanism
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration
from sil.reference.rotations import Array

TOP = """
schema = 1
[mechanism]
name = "top"
gravity = ["0", "0", "0"]
[bodies.rotor]
mass = "1 kg"
inertia = { xx = "0.01 kg*m^2", yy = "0.02 kg*m^2", zz = "0.028 kg*m^2" }
[joints.ball]
type = "spherical"
parent = "ground"
child = "rotor"
coordinates = ["a", "b", "c"]
[coordinates]
independent = ["a", "b", "c"]
pose = { a = "0.1 rad", b = "0.2 rad", c = "0.3 rad" }
ranges = { a = ["-1 rad", "1 rad"], b = ["-1 rad", "1 rad"], c = ["-1 rad", "1 rad"] }
rates = { a = "1 rad/s", b = "1 rad/s", c = "1 rad/s" }
"""
INERTIA = np.array([0.01, 0.02, 0.028])


def body_spin(angles: Array, rates: Array) -> Array:
    """Components in body axes, from the 3-2-1 angles a, b, c about z, y, x and their rates."""
    _, b, c = angles
    first, second, third = rates
    return np.array(
        [
            third - first * np.sin(b),
            second * np.cos(c) + first * np.cos(b) * np.sin(c),
            -second * np.sin(c) + first * np.cos(b) * np.cos(c),
        ]
    )


def test_a_free_top_obeys_eulers_equations() -> None:
    """I w' + w x I w = 0 with the accelerations that the reference gives, w' by differences along the motion."""
    reference = reference_of(parse_mechanism(TOP, "top"))
    angles, rates = np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 3.0])
    second = reference.forward_dynamics(configuration(angles[None]), rates[None], {})[0]
    step = 1e-5

    def spin(time: float) -> Array:
        return body_spin(angles + time * rates + time**2 / 2 * second, rates + time * second)

    change, now = (spin(step) - spin(-step)) / (2 * step), spin(0.0)
    assert INERTIA * change + np.cross(now, INERTIA * now) == pytest.approx(np.zeros(3), abs=1e-9)
    assert np.abs(INERTIA * change).max() > 0.01
