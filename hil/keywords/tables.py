"""Keywords that read vectors from a table and save results to one, columns by name and unit."""

from pathlib import Path

from robot.api import logger
from robot.api.deco import keyword

from hil.driving.result_table import write_result_table
from hil.driving.vector_table import read_vector_table
from hil.keywords.state import State
from hil.stimulus import Stimulus
from sil.figures import count_text


class TableKeywords:
    """Load Vectors From Csv, Save Results To Csv."""

    def __init__(self, state: State) -> None:
        self._state = state

    @keyword("Load Vectors From Csv")
    def load_vectors_from_csv(self, path: str) -> int:
        """Take rows for Run Test Vectors from a file whose header has names and units; returns how many.

        The header is as `theta [deg],theta.rate [rpm],F [N]`, in any order. Without the columns of the state the rows
        are steps one after another, the first of them from the state in force.

        Example: | Load Vectors From Csv | ${CURDIR}/ramp.csv |
        """
        runtime = self._state.bench()
        table = read_vector_table(Path(path), runtime.function, runtime.state_values)
        self._state.rows = table.rows
        self._state.stimulus = Stimulus(file=Path(path), sha256=table.sha256, is_sequence=not table.has_state)
        kind = "vector" if table.has_state else "step"
        logger.info(f"{count_text(len(table.rows), kind)} from {Path(path).name}, SHA-256 {table.sha256}")
        return len(table.rows)

    @keyword("Save Results To Csv")
    def save_results_to_csv(self, path: str, **units: str) -> int:
        """Write inputs, outputs, status and ticks of every step since the inputs were reset; returns how many.

        Numbers are in SI units and lead back to the same bits; units of outputs may be named.

        Example: | Save Results To Csv | ${OUTPUT DIR}/ramp.csv | piston_position=mm |
        """
        driver = self._state.driving()
        steps = write_result_table(Path(path), driver.runtime, driver.runs, units)
        logger.info(f"{count_text(steps, 'step')} in {path}")
        return steps
