"""W3d: accelerations of the Gough-Stewart platform, geometry and masses frozen, without status and margins.

Inputs: pose (x, y, z, phi, theta, psi), its rates and the six leg forces; outputs the six accelerations; no gravity.
Prints the operation count and the instructions on the host.
"""

from bare_arithmetic import exported, library, rows, tell

from exporter.functions.mechanism import dynamics
from exporter.sequence.operations import OperationSequence

POSE = ("x", "y", "z", "phi", "theta", "psi")
LOW = [-2.0, -0.5, 1.1, -0.5, -0.5, -0.5]
HIGH = [-1.0, 0.5, 2.0, 0.5, 0.5, 0.5]
ROWS = rows([*LOW, *[-1.0] * 6, *[-10.0] * 6], [*HIGH, *[1.0] * 6, *[10.0] * 6])


def accelerations() -> OperationSequence:
    """The arithmetic alone."""
    return exported(library("gough_stewart"), dynamics, tuple(f"{name}.acceleration" for name in POSE))


ITEMS = {"w3d": (accelerations, ROWS)}

if __name__ == "__main__":
    tell(accelerations(), ROWS)
