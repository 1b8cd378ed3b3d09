"""What the keywords of one suite share: the open bench, the vectors, the last results."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from robot.api import SkipExecution

from hil.bench_runtime import BenchRuntime
from hil.errors import BenchError
from hil.freerun import TimedRun
from hil.lockstep import Lockstep
from hil.stimulus import Stimulus


@dataclass(slots=True)
class State:
    """Filled by the keywords in the order in which a test calls them."""

    runtime: BenchRuntime | None = None
    rows: NDArray[Any] | None = None
    stimulus: Stimulus | None = None  # where the rows come from
    lockstep: Lockstep | None = None
    timed: TimedRun | None = None

    def bench(self) -> BenchRuntime:
        """The open bench."""
        if self.runtime is None:
            raise BenchError("no bench is open; call Open Bench first")
        return self.runtime

    def ran(self) -> Lockstep:
        """The last lockstep run."""
        if self.lockstep is None:
            raise BenchError("no vectors were run; call Run Test Vectors first")
        return self.lockstep

    def free_run(self) -> TimedRun:
        """The last free run."""
        if self.timed is None:
            raise BenchError("nothing ran in real time; call Run In Real Time first")
        return self.timed

    def require_clock(self) -> None:
        """Skip the test, with the reason, where the device has no counter to be trusted."""
        base = self.bench().timebase
        if not base.moves:
            raise SkipExecution(f"{self.bench().facts['device']}: {base.label}")
