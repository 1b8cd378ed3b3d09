"""Accelerations of a double pendulum, as a symbolic model with a linear solve.

The equations of motion are M(q) a = f(q, v). They are not solved by hand, nor by SymPy: the solve step writes the
adjugate of the 2x2 mass matrix straight into the exported sequence, with one guarded division.

    kinefix export examples/double_pendulum.py:model --out build/double_pendulum
"""

import sympy as sp

from exporter.symbolic import SymbolicModel, define, frozen, given, output, solve


def model() -> SymbolicModel:
    """Angles from the downward vertical and their rates -> accelerations and total energy."""
    q1, q2, v1, v2 = sp.symbols("theta1 theta2 omega1 omega2", real=True)
    m1, m2, l1, l2, g = sp.symbols("m1 m2 l1 l2 g", positive=True)
    c, s = sp.symbols("c s")
    a1, a2 = sp.symbols("a1 a2")

    mass = sp.Matrix([[(m1 + m2) * l1**2, m2 * l1 * l2 * c], [m2 * l1 * l2 * c, m2 * l2**2]])
    force = sp.Matrix(
        [
            -m2 * l1 * l2 * s * v2**2 - (m1 + m2) * g * l1 * sp.sin(q1),
            m2 * l1 * l2 * s * v1**2 - m2 * g * l2 * sp.sin(q2),
        ]
    )
    kinetic = (m1 + m2) * l1**2 * v1**2 / 2 + m2 * l2**2 * v2**2 / 2 + m2 * l1 * l2 * v1 * v2 * c
    potential = -(m1 + m2) * g * l1 * sp.cos(q1) - m2 * g * l2 * sp.cos(q2)
    return SymbolicModel(
        name="double_pendulum",
        title="Double pendulum",
        source="examples/double_pendulum.py",
        inputs=(
            given("theta1", "-180 deg", "180 deg", nominal="30 deg"),
            given("theta2", "-180 deg", "180 deg", nominal="-20 deg"),
            given("omega1", "-20 rad/s", "20 rad/s"),
            given("omega2", "-20 rad/s", "20 rad/s"),
        ),
        parameters=(
            frozen("m1", "1.2 kg", about="upper bob"),
            frozen("m2", "0.8 kg", about="lower bob"),
            frozen("l1", "400 mm", about="upper rod"),
            frozen("l2", "300 mm", about="lower rod"),
            frozen("g", "9.81 m/s^2"),
        ),
        steps=(
            define("c", sp.cos(q1 - q2), about="cosine of the relative angle"),
            define("s", sp.sin(q1 - q2), about="sine of the relative angle"),
            solve([a1, a2], mass, force, threshold="1e-6", about="M(q) a = f(q, v)"),
        ),
        outputs=(
            output("alpha1", a1, "rad/s^2"),
            output("alpha2", a2, "rad/s^2"),
            output("energy", kinetic + potential, "J"),
        ),
    )
