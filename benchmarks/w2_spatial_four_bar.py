"""W2: positions of the spatial four-bar without twist, lengths frozen, without status and margins.

Input (beta1), outputs (cos, sin) of beta2, beta3 and beta4. Prints the operation count and the host's instructions.
"""

from bare_arithmetic import exported, library, rows, tell

from exporter.functions.mechanism import position
from exporter.sequence.operations import OperationSequence

ROWS = rows([-3.0], [3.0])
OUTPUTS = tuple(f"beta{number}.{part}" for number in (2, 3, 4) for part in ("cos", "sin"))


def positions() -> OperationSequence:
    """The arithmetic alone."""
    return exported(library("spatial_four_bar"), position, OUTPUTS)


ITEMS = {"w2": (positions, ROWS)}

if __name__ == "__main__":
    tell(positions(), ROWS)
