"""What the keywords of one suite share: the open bench, the vectors, the last results."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from robot.api import SkipExecution

from hil.bench_runtime import BenchRuntime
from hil.driving.driver import Driver
from hil.errors import BenchError
from hil.faults.fault_file import FaultFile
from hil.faults.steps import FaultRun
from hil.freerun import TimedRun
from hil.lockstep import Lockstep
from hil.stimulus import Stimulus

if TYPE_CHECKING:
    from hil.can.link import CanLink
    from hil.can.messages import CanMessages

Shared = tuple[NDArray[Any] | None, Stimulus | None, Lockstep | None, TimedRun | None, FaultRun | None]
HERE = " in this test, nor in the setup of its suite"


@dataclass(slots=True)
class State:
    """Filled by the keywords in the order in which a test calls them."""

    runtime: BenchRuntime | None = None
    driver: Driver | None = None
    messages: "CanMessages | None" = None  # where the bench runs over CAN
    faults: FaultFile | None = None  # that the bench was opened with
    rows: NDArray[Any] | None = None
    stimulus: Stimulus | None = None  # where the rows come from
    is_tuned: bool = False  # Set Parameter named the parameters in force
    lockstep: Lockstep | None = None
    timed: TimedRun | None = None
    under: FaultRun | None = None
    shared: Shared = (None, None, None, None, None)  # of the suite's setup

    def begin_test(self) -> None:
        """Vectors and results that are there are the suite's, for all of its tests; messages are those of one test."""
        self.shared = self.rows, self.stimulus, self.lockstep, self.timed, self.under
        if self.messages is not None:
            self.messages.begin_test()

    def end_test(self) -> None:
        """What this test loaded or ran is stepped and judged in no other one."""
        self.rows, self.stimulus, self.lockstep, self.timed, self.under = self.shared

    def opened(self, runtime: BenchRuntime | None, faults: FaultFile | None = None) -> None:
        """Another bench is open, or none: nothing was loaded or run on it."""
        self.runtime, self.faults = runtime, faults
        self.driver = None if runtime is None else Driver(runtime)
        self.messages = None if runtime is None or runtime.can is None else _messages_of(runtime.can)
        self.rows = self.stimulus = self.lockstep = self.timed = self.under = None
        self.shared = (None,) * 5
        self.is_tuned = False

    def bench(self) -> BenchRuntime:
        """The open bench."""
        if self.runtime is None:
            raise BenchError("no bench is open; call Open Bench first")
        return self.runtime

    def driving(self) -> Driver:
        """What steps the open bench by named inputs."""
        if self.driver is None:
            raise BenchError("no bench is open, so nothing can be stepped; call Open Bench first")
        return self.driver

    def can(self) -> "CanMessages":
        """The messages of the open bench."""
        if self.messages is None:
            kind = self.bench().bench.link.kind
            raise BenchError(f'the bench runs over {kind}, not over CAN; write kind = "can" under [link.main]')
        return self.messages

    def ran(self) -> Lockstep:
        """The last lockstep run."""
        if self.lockstep is None:
            raise BenchError(f"nothing was stepped{HERE}; call Step, Run For or Run Test Vectors first")
        return self.lockstep

    def free_run(self) -> TimedRun:
        """The last free run."""
        if self.timed is None:
            raise BenchError(f"nothing ran in real time{HERE}; call Run In Real Time first")
        return self.timed

    def under_faults(self) -> FaultRun:
        """The last steps under faults."""
        if self.under is None:
            raise BenchError(f"nothing was stepped under faults{HERE}; call Step Under Faults first")
        return self.under

    def require_clock(self) -> None:
        """Skip the test, with the reason, where the device has no counter to be trusted."""
        base = self.bench().timebase
        if not base.moves:
            raise SkipExecution(f"{self.bench().facts['device']}: {base.label}")


def _messages_of(link: "CanLink") -> "CanMessages":
    from hil.can.messages import CanMessages  # noqa: PLC0415 - python-can, for a bench over CAN

    return CanMessages(link)
