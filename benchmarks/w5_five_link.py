"""W5: the five-link suspension by the height of the wheel, two fixed Newton steps, without status and margins.

Input (z), outputs the carrier's other five coordinates and (cos beta, sin beta, cos alpha, sin alpha) of all links.
Other generators start the two steps from the coordinates of the call before, which they take as further inputs; ours
start from polynomials in z, whose operations are counted here. Prints the operation count and the host's instructions.
"""

from bare_arithmetic import exported, library, rows, tell

from exporter.functions.mechanism import position
from exporter.sequence.operations import OperationSequence

ROWS = rows([-0.1], [0.1])
CARRIER = ("x", "y", "phi", "theta", "psi")
LINK = ("beta{}.cos", "beta{}.sin", "alpha{}.cos", "alpha{}.sin")
OUTPUTS = (*CARRIER, *(name.format(link) for link in range(1, 6) for name in LINK))


def positions() -> OperationSequence:
    """The arithmetic alone."""
    return exported(library("five_link"), position, OUTPUTS)


ITEMS = {"w5": (positions, ROWS)}

if __name__ == "__main__":
    tell(positions(), ROWS)
