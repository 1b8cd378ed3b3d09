"""W3: inverse kinematics of the Gough-Stewart platform, geometry frozen, without status and margins.

Inputs (x, y, z, phi, theta, psi), outputs (s, cos beta, sin beta, cos alpha, sin alpha) of all six legs. Prints the
operation count and the instructions on the host.
"""

from bare_arithmetic import exported, library, rows, tell

from exporter.functions.mechanism import position
from exporter.sequence.operations import OperationSequence

ROWS = rows([-2.0, -0.5, 1.1, -0.5, -0.5, -0.5], [-1.0, 0.5, 2.0, 0.5, 0.5, 0.5])
LEG = ("rho{}", "beta{}.cos", "beta{}.sin", "alpha{}.cos", "alpha{}.sin")
OUTPUTS = tuple(name.format(leg) for leg in range(1, 7) for name in LEG)


def inverse_kinematics() -> OperationSequence:
    """The arithmetic alone."""
    return exported(library("gough_stewart"), position, OUTPUTS)


ITEMS = {"w3": (inverse_kinematics, ROWS)}

if __name__ == "__main__":
    tell(inverse_kinematics(), ROWS)
