"""An open bench: the export, the same code compiled for this computer, the device, and a session with it.

In: a `Bench`. Out: `BenchRuntime`, to be closed. What the file does not name is built: an export from a model, a
firmware from the export. What was built is kept in the bench's work folder, which any number of processes may share.
Nothing is exchanged with a device before its identity was held against the export.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exporter.errors import KinefixError
from exporter.export import Export
from exporter.manifest import Function, Manifest
from hil.bench import Bench
from hil.can.database_check import require_database
from hil.can.layout import CanLayout, layout_of
from hil.device import ReachedDevice, reach, require_reachable
from hil.errors import BenchError
from hil.exchange import WaitLimits
from hil.exported import export_of, require_outputs
from hil.faults.fault_file import FaultFile
from hil.identity import Identity, expected_identity
from hil.links.faulty import FaultyLink
from hil.messages import COUNTER_NAMES, Counter
from hil.parameters import why_flagged
from hil.session import Session
from hil.stimulus import Stimulus, load_rows
from hil.timebase import Timebase, timebase_of
from sil.parameter_texts import parse_parameters
from targets.build import default_function
from targets.python.host import HostLibrary, cached_host
from targets.rows import parameter_values, stepped_function

if TYPE_CHECKING:
    from hil.can.faulty import FaultyCan
    from hil.can.link import CanLink


@dataclass(slots=True)
class BenchRuntime:
    """Everything that a run needs. Close it, or use it as a context manager."""

    bench: Bench
    export: Export
    function: Function
    library: HostLibrary
    session: Session
    timebase: Timebase
    facts: dict[str, str]  # for the report: what was run, on what, built how
    identity: Identity  # that the device must have
    closing: ExitStack = field(repr=False)
    line: "FaultyLink | FaultyCan | None" = None  # where a faults file was given
    can: "CanLink | None" = None  # where the bench runs over CAN
    parameters: dict[str, float] = field(default_factory=dict)  # tunable ones in force that are not nominal, SI units

    def __enter__(self) -> "BenchRuntime":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the session, release the port, end the emulator. May be called twice."""
        self.closing.close()

    @property
    def state_values(self) -> int:
        """Leading reals of a row that are the state."""
        return self.identity.state_values

    @property
    def can_layout(self) -> CanLayout:
        """The frames of the function on a CAN bus, from the bench's first identifier on."""
        return layout_of(self.export.manifest, self.function, self.bench.link.base)

    def load_rows(self, path: Path) -> tuple[NDArray[Any], Stimulus]:
        """Rows of inputs (state first) from a file. Where that is the log of this bench, it is not written anew.

        Raises `BenchError` as `hil.stimulus.load_rows`.
        """
        found = load_rows(path, self.function, self.can_layout)
        if self.can is not None and self.can.log is not None:
            self.can.log.spare(path)
        return found

    def host(self, rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
        """Rows to outputs and status by the same code on this computer, at the parameters in force."""
        called = self.library.call(self.function.name, rows, self.parameters)
        return called.outputs, called.status

    def set_parameters(self, changed: Mapping[str, float]) -> None:
        """Bring a set of tunable parameters into force on the device and here; those not named are nominal.

        Raises `BenchError` where a name is no tunable parameter, or where recalibrate flags the set: the one before
        stays in force.
        """
        if status := self.try_parameters(changed):
            why = why_flagged(self.export.manifest, changed, status)
            raise BenchError(f"the device did not take the parameters: {why}")

    def try_parameters(self, changed: Mapping[str, float]) -> int:
        """Give the device a set of tunable parameters; returns the status of its recalibrate.

        Where that is not 0 the set before stays in force. Raises `BenchError` where it does not, or where a name is no
        tunable parameter.
        """
        manifest = self.export.manifest
        values = parameter_values(manifest, changed)
        status = self.session.set_parameters(values) if values else 0
        if status == 0:
            self.parameters = dict(changed)
        elif self._in_force() != self.session.get_parameters()[0]:
            raise BenchError(f"the device refused parameters (status {status:#x}) and holds others than before")
        return status

    def open_session_again(self) -> None:
        """Ask the device who it is, open another session, and bring the parameters in force into force again."""
        parameters = dict(self.parameters)
        self.session.greet()
        self.session.open(self.identity)
        self.set_parameters(parameters)

    def host_status(self, changed: Mapping[str, float]) -> int:
        """What recalibrate says to a set of tunable parameters on this computer; 0 where nothing is tunable."""
        values = parameter_values(self.export.manifest, changed)
        return int(self.library.call("recalibrate", np.array([values])).status[0]) if values else 0

    def _in_force(self) -> tuple[float, ...]:
        """What the device must hold: every tunable parameter in the export's type."""
        values = parameter_values(self.export.manifest, self.parameters)
        return tuple(np.array(values, dtype=self.export.manifest.real).astype(np.float64).tolist())


def open_bench(bench: Bench, faults: FaultFile | None = None) -> BenchRuntime:
    """Build what is missing, start or reach the device, check who it is; `faults` may happen on its link when armed.

    Raises:
        MissingTool: the emulator is not installed, seen before anything is written; or a compiler is not.
        LinkError: the port is busy, seen before anything is built; or the link broke.
        BenchError: the device, its link or its answer is not what the file says.
    """
    require_reachable(bench)
    with ExitStack() as building:
        export = export_of(bench)
        function = stepped_function(export.manifest, bench.function or default_function(export.manifest))
        require_outputs(bench, export.manifest)
        if bench.link.dbc is not None:
            require_database(bench.link.dbc, layout_of(export.manifest, function, bench.link.base))
        stated = _stated_parameters(bench, export.manifest)
        library = cached_host(export, bench.work / "host")
        identity = expected_identity(export.manifest, function)
        reached = reach(bench, export, function, library, identity, building)
        line = None if faults is None else _under(reached, faults)
        clock = reached.clock if line is None else line.clock(reached.clock)
        limits = WaitLimits(bench.timeouts.boot_s, bench.timeouts.reply_s, bench.timeouts.retries, clock)
        link = line if isinstance(line, FaultyLink) else reached.link
        session = Session(link, limits, just_started=reached.boots, by_row=reached.can is not None)
        building.callback(session.close)
        identity = replace(identity, build_id=reached.build_id)
        session.open(identity)
        timebase = timebase_of(session.hello, reached.instruction_ns)
        _require_counter(bench, session)
        facts = {"function": function.symbol, "host compiler": library.compiler} | reached.facts
        runtime = BenchRuntime(
            bench, export, function, library, session, timebase, facts, identity, building, line, reached.can
        )
        runtime.set_parameters(stated)
        runtime.closing = building.pop_all()
        return runtime


def _under(reached: ReachedDevice, faults: FaultFile) -> "FaultyLink | FaultyCan":
    """The line under faults: on a bus they happen to its frames, below the link."""
    if reached.can is None:
        return FaultyLink(reached.link, faults)
    from hil.can.faulty import FaultyCan  # noqa: PLC0415 - python-can, for a bench over CAN

    return FaultyCan(reached.can, faults)


def _stated_parameters(bench: Bench, manifest: Manifest) -> dict[str, float]:
    """The parameters of the bench file, in SI units."""
    try:
        return parse_parameters(manifest, bench.parameters)
    except KinefixError as error:
        raise BenchError(f"{bench.path}: [parameters]: {error}") from error


def _require_counter(bench: Bench, session: Session) -> None:
    wanted = bench.timing.counter
    if wanted == "any" or bench.target.kind == "sil":
        return
    kinds = {"cycles": Counter.CYCLES, "timer": Counter.TIMER, "systick": Counter.SYSTICK}
    if session.hello.counter != kinds[wanted]:
        found = COUNTER_NAMES[Counter(session.hello.counter)]
        raise BenchError(
            f"{bench.path}: timing.counter: '{wanted}' was asked for, the device measures with: {found}; "
            "write 'any' to accept that"
        )
