"""Keywords that open and close a bench and ask who is there."""

from pathlib import Path

from robot.api import logger
from robot.api.deco import keyword

from hil.bench import read_bench
from hil.bench_runtime import open_bench
from hil.faults.fault_file import read_faults
from hil.keywords.state import State


class BenchKeywords:
    """Open Bench, Close Bench, Firmware Should Match Model."""

    def __init__(self, state: State) -> None:
        self._state = state

    @keyword("Open Bench")
    def open_bench(self, path: str, target: str = "", faults: str = "") -> None:
        """Read a bench file, build what is missing, start or reach the device and check who it is.

        `target` is one of the file's targets, left out: the one that it names. With a faults file, Step Under Faults
        can be called; no fault happens to what other keywords do.

        Example: | Open Bench | ${CURDIR}/bench.toml |
        Example: | Open Bench | ${CURDIR}/bench.toml | target=software | faults=${CURDIR}/faults.toml |
        """
        self.close_bench()
        bench = read_bench(Path(path), target or None)
        plan = read_faults(Path(faults)) if faults else None
        runtime = open_bench(bench, plan)
        self._state.opened(runtime, plan)
        logger.info(f"open: {runtime.facts['device']}, {runtime.timebase.label}")

    @keyword("Close Bench")
    def close_bench(self) -> None:
        """End the session and release the port. Does nothing where no bench is open."""
        runtime = self._state.runtime
        self._state.opened(None)
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
