"""Keywords that open and close a bench and ask who is there."""

from pathlib import Path

from robot.api import logger
from robot.api.deco import keyword

from hil.bench import read_bench
from hil.keywords.state import State
from hil.opened import open_bench


class BenchKeywords:
    """Open Bench, Close Bench, Firmware Should Match Model."""

    def __init__(self, state: State) -> None:
        self._state = state

    @keyword("Open Bench")
    def open_bench(self, path: str) -> None:
        """Read a bench file, build what is missing, start or reach the device and check who it is.

        Example: | Open Bench | ${CURDIR}/bench.toml |
        """
        self.close_bench()
        self._state.opened = open_bench(read_bench(Path(path)))
        logger.info(f"open: {self._state.opened.facts['device']}, {self._state.opened.timebase.label}")

    @keyword("Close Bench")
    def close_bench(self) -> None:
        """End the session and release the port. Does nothing where no bench is open."""
        opened, self._state.opened = self._state.opened, None
        self._state.rows = self._state.stimulus = self._state.lockstep = self._state.timed = None
        if opened is not None:
            opened.close()

    @keyword("Firmware Should Match Model")
    def firmware_should_match_model(self) -> None:
        """The device, asked now, runs the model that the bench file names."""
        opened = self._state.bench()
        opened.session.greet()
        runs, expected = opened.session.hello.model_hash.hex(), opened.export.manifest.model_hash
        if runs != expected:
            raise AssertionError(f"The device runs model {runs[:16]}, the export is of model {expected[:16]}.")
