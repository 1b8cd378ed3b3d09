"""Keywords that open and close a bench and ask who is there."""

from pathlib import Path

from robot.api import logger
from robot.api.deco import keyword

from hil.bench import read_bench
from hil.bench_runtime import open_bench
from hil.keywords.state import State


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
        self._state.runtime = open_bench(read_bench(Path(path)))
        logger.info(f"open: {self._state.runtime.facts['device']}, {self._state.runtime.timebase.label}")

    @keyword("Close Bench")
    def close_bench(self) -> None:
        """End the session and release the port. Does nothing where no bench is open."""
        runtime, self._state.runtime = self._state.runtime, None
        self._state.rows = self._state.stimulus = self._state.lockstep = self._state.timed = None
        if runtime is not None:
            runtime.close()

    @keyword("Firmware Should Match Model")
    def firmware_should_match_model(self) -> None:
        """The device, asked now, runs the model that the bench file names."""
        runtime = self._state.bench()
        runtime.session.greet()
        runs, expected = runtime.session.hello.model_hash.hex(), runtime.export.manifest.model_hash
        if runs != expected:
            raise AssertionError(f"The device runs model {runs[:16]}, the export is of model {expected[:16]}.")
