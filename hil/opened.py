"""An open bench: the export, the same code compiled for this computer, the device, and a session with it.

In: a `Bench`. Out: `OpenBench`, to be closed. What the file does not name is built: an export from a model, a firmware
from the export. What was built is kept in the bench's work folder, which any number of processes may share. Nothing is
exchanged with a device before its identity was held against the export.
"""

import hashlib
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

import exporter
from exporter.errors import KinefixError
from exporter.export import Export, export_source, load_export
from exporter.manifest import Function
from exporter.model.library import model_path
from exporter.programs import TookTooLong, run
from exporter.sequence.operations import Precision
from exporter.time_limits import END_S, FLASH
from hil.bench import Bench, LinkSettings
from hil.emulator import Emulator, Machine, emulator_program, require_free_port
from hil.errors import BenchError
from hil.exchange import Limits
from hil.identity import Identity
from hil.links.link import Link
from hil.links.loop import loop_pair
from hil.links.serial_link import SerialLink
from hil.links.socket_link import PREFIX, SocketLink
from hil.links.witnessed import WitnessedLink
from hil.loopback import LoopDevice, start_loop_device
from hil.messages import COUNTER_NAMES, Counter
from hil.parameters import parse_parameters, why_flagged
from hil.session import Session
from hil.timebase import Timebase
from hil.waiting import BY_THE_CLOCK, Clock, computing_clock
from targets.build import default_function
from targets.build_cache import cached, key_of
from targets.ecu.firmware import cached_firmware
from targets.profile import Emulator as BoardEmulator
from targets.profile import load_profile
from targets.python.host import HostLibrary, cached_host
from targets.rows import (
    function_of,
    input_slots,
    nominal_parameters,
    output_slots,
    parameter_values,
    tunable_fields,
)


@dataclass(slots=True)
class OpenBench:
    """Everything that a run needs. Close it, or use it as a context manager."""

    bench: Bench
    export: Export
    function: Function
    library: HostLibrary
    session: Session
    timebase: Timebase
    facts: dict[str, str]  # for the report: what was run, on what, built how
    closing: ExitStack = field(repr=False)
    parameters: dict[str, float] = field(default_factory=dict)  # tunable ones in force that are not nominal, SI units

    def __enter__(self) -> "OpenBench":
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
        return state_values(self.export, self.function)

    def host(self, rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
        """Rows to outputs and status by the same code on this computer, at the parameters in force."""
        called = self.library.call(self.function.name, rows, self.parameters)
        return called.outputs, called.status

    def set_parameters(self, changed: Mapping[str, float]) -> None:
        """Bring a set of tunable parameters into force on the device and here; those not named are nominal.

        Raises `BenchError` where a name is no tunable parameter, or where recalibrate flags the set: the one before
        stays in force.
        """
        manifest = self.export.manifest
        values = parameter_values(manifest, changed)
        if not values:
            return
        if status := self.session.set_parameters(values):
            raise BenchError(f"the device did not take the parameters: {why_flagged(manifest, changed, status)}")
        self.parameters = dict(changed)


def open_bench(bench: Bench) -> OpenBench:
    """Build what is missing, start or reach the device, check who it is.

    Raises:
        MissingTool: the emulator is not installed, seen before anything is written; or a compiler is not.
        LinkError: the port is busy, seen before anything is built; or the link broke.
        BenchError: the device, its link or its answer is not what the file says.
    """
    _require_reachable(bench)
    with ExitStack() as building:
        export = _export(bench)
        function = function_of(export.manifest, bench.function or default_function(export.manifest))
        library = cached_host(export, bench.work / "host")
        reached = _reach(bench, export, function, library, building)
        limits = Limits(bench.timeouts.boot_s, bench.timeouts.reply_s, bench.timeouts.retries, reached.clock)
        session = Session(reached.link, limits, just_started=reached.boots)
        building.callback(session.close)
        session.open(_identity(export, function, reached.build_id))
        timebase = _timebase(session, reached.instruction_ns)
        _require_counter(bench, session)
        facts = {"function": function.symbol, "host compiler": library.compiler} | reached.facts
        opened = OpenBench(bench, export, function, library, session, timebase, facts, building)
        opened.set_parameters(parse_parameters(export.manifest, bench.parameters))
        opened.closing = building.pop_all()
        return opened


def state_values(export: Export, function: Function) -> int:
    """How many leading reals of both rows are the state: none where a function does not read what it writes."""
    read = [slot.field for slot in input_slots(export.manifest, function) if slot.argument == "state"]
    written = [slot.field for slot in output_slots(export.manifest, function) if slot.argument == "state"]
    return len(read) if read == written else 0


@dataclass(frozen=True, slots=True)
class _Reached:
    """A device at the end of a link."""

    link: Link
    boots: bool  # it was started just now and will say so
    build_id: int  # 0: not known
    instruction_ns: int | None
    facts: dict[str, str]
    clock: Clock = BY_THE_CLOCK  # of limits on it


def _require_reachable(bench: Bench) -> None:
    """What can be seen before anything is built: the emulator is there, and the port is free."""
    link = bench.link
    if bench.target.kind == "emulated":
        board = _emulator_of(bench)
        emulator_program(board.program, board.package, board.machine)
        if link.kind == "tcp":
            require_free_port(link.host, int(link.port))
    elif link.kind in ("serial", "pty"):
        _serial(str(link.port), bench).close()


def _export(bench: Bench) -> Export:
    if bench.model is not None:
        return load_export(_exported(bench.model, cast(Precision, bench.real), bench.work / "export"))
    assert bench.export is not None  # read_bench saw to it
    return load_export(bench.export)


def _identity(export: Export, function: Function, build_id: int) -> Identity:
    manifest = export.manifest
    return Identity(
        export_id=manifest.export_id,
        model_hash=bytes.fromhex(manifest.model_hash),
        row_inputs=len(function.row_inputs),
        row_outputs=len(function.row_outputs),
        state_values=state_values(export, function),
        operations=sum(function.cost.values()),
        build_id=build_id,
        parameters=len(tunable_fields(manifest)),
    )


def _exported(model: str, real: Precision, cache: Path) -> Path:
    """The folder of the export of a model, by the bytes of its file and of the exporter."""
    sources = Path(exporter.__file__).parent
    facts: list[str | bytes] = [real, model_path(model).read_bytes()]
    for path in sorted(sources.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            facts += [path.relative_to(sources).as_posix(), path.read_bytes()]
    return cached(cache, key_of(facts), lambda folder: export_source(model, folder, real))


def _reach(bench: Bench, export: Export, function: Function, library: HostLibrary, closing: ExitStack) -> _Reached:
    if bench.target.kind == "sil":
        return _reach_software(export, function, library, closing)
    if bench.target.kind == "emulated":
        return _reach_emulator(bench, export, function, closing)
    return _reach_board(bench, closing)


def _reach_software(export: Export, function: Function, library: HostLibrary, closing: ExitStack) -> _Reached:
    manifest = export.manifest
    names = [field.name for field in tunable_fields(manifest)]

    def step(rows: NDArray[Any], parameters: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
        called = library.call(function.name, rows, dict(zip(names, parameters.tolist(), strict=True)))
        return called.outputs, called.status

    def recalibrate(parameters: NDArray[Any]) -> int:
        return int(library.call("recalibrate", parameters[None, :]).status[0])

    ours, theirs = loop_pair()
    nominal = tuple(each.value for each in nominal_parameters(manifest))
    real_bytes = np.dtype(manifest.real).itemsize
    device = LoopDevice(_identity(export, function, 0), real_bytes, step, theirs, nominal, recalibrate)
    thread = start_loop_device(device)
    closing.callback(thread.join, END_S)
    closing.callback(device.stopping.set)
    return _Reached(ours, False, 0, None, {"device": f"software on this computer ({library.compiler})"})


def _reach_emulator(bench: Bench, export: Export, function: Function, closing: ExitStack) -> _Reached:
    target, link = bench.target, bench.link
    board = _emulator_of(bench)
    elf, build_id, facts = _firmware(bench, export, function)
    machine = Machine(board.program, board.package, board.machine, elf, target.icount_shift)
    emulator = Emulator(machine, link.kind, link.host, int(link.port))
    closing.callback(emulator.close)
    port = WitnessedLink(lambda: _serial(emulator.url, bench), emulator.last_words)
    closing.callback(port.close)
    facts |= {"device": f"{board.machine}, emulated by {emulator.version}", "link": f"{link.kind}, icount shift "
              f"{target.icount_shift}"}  # fmt: skip
    return _Reached(port, True, build_id, machine.instruction_ns, facts, computing_clock(emulator.computed_s))


def _firmware(bench: Bench, export: Export, function: Function) -> tuple[Path, int, dict[str, str]]:
    """The named ELF, or one built now; its build id where it is known."""
    if bench.target.elf is not None:
        return bench.target.elf, 0, _elf_facts(bench.target.elf)
    built = cached_firmware(export, function.name, bench.work / "firmware", kind="bench", profile=bench.target.profile)
    facts = {"compiler": built.compiler, "flags": " ".join([*export.manifest.flags, *built.profile.core_flags])}
    return built.elf, built.build_id, facts | _elf_facts(built.elf)


def _elf_facts(elf: Path) -> dict[str, str]:
    digest = hashlib.sha256(elf.read_bytes()).hexdigest() if elf.is_file() else "missing"
    return {"firmware": elf.name, "firmware SHA-256": digest}


def _emulator_of(bench: Bench) -> BoardEmulator:
    board = load_profile(bench.target.profile).board
    if board is None or board.emulator is None:
        raise BenchError(
            f"{bench.path}: target.{bench.target.name}.profile: '{bench.target.profile}' has no emulator; "
            "choose arm-m4f or arm-m7"
        )
    return board.emulator


def _reach_board(bench: Bench, closing: ExitStack) -> _Reached:
    for command in (bench.target.flash, bench.target.reset):
        if command:
            _run(bench, command)
    link = bench.link
    url = str(link.port) if link.kind != "tcp" else f"socket://{link.host}:{link.port}"
    port = _serial(url, bench)
    closing.callback(port.close)
    facts = {"device": f"board at {url}", "link": _link_text(link)}
    if bench.target.elf is not None:
        facts |= _elf_facts(bench.target.elf)
    return _Reached(port, False, 0, None, facts)


def _link_text(link: LinkSettings) -> str:
    return f"{link.kind}, {link.baud} baud" if link.kind == "serial" else link.kind


def _serial(url: str, bench: Bench) -> SerialLink | SocketLink:
    if url.startswith(PREFIX):
        return SocketLink(url, bench.timeouts.reply_s)
    return SerialLink(url, bench.link.baud, bench.timeouts.reply_s)


def _run(bench: Bench, command: tuple[str, ...]) -> None:
    """Run a flash or reset command of the bench file, without a shell."""
    shown = " ".join(command)
    try:
        done = run(command, FLASH, bench.path.parent)
    except FileNotFoundError as error:
        raise KinefixError(f"'{command[0]}' is not installed; the bench file runs it as: {shown}") from error
    except TookTooLong as late:
        raise BenchError(f"'{shown}': {late}") from late
    if done.code != 0:
        raise BenchError(f"'{shown}' ended with exit code {done.code}: {(done.err or done.out).strip()}")


def _timebase(session: Session, instruction_ns: int | None) -> Timebase:
    hello = session.hello
    name = COUNTER_NAMES.get(Counter(hello.counter), "unknown") if hello.counter in set(Counter) else "unknown"
    moves = bool(hello.counter_moves) and hello.counter != Counter.NONE
    return Timebase(name, hello.counter_hz, hello.counter_bits, hello.overhead_ticks, moves, instruction_ns)


def _require_counter(bench: Bench, session: Session) -> None:
    wanted = bench.timing.counter
    if wanted == "any" or bench.target.kind == "sil":
        return
    kinds = {"cycles": Counter.CYCLES, "timer": Counter.TIMER, "systick": Counter.SYSTICK}
    if session.hello.counter != kinds[wanted]:
        found = COUNTER_NAMES.get(Counter(session.hello.counter), "unknown")
        raise BenchError(
            f"{bench.path}: timing.counter: '{wanted}' was asked for, the device measures with: {found}; "
            "write 'any' to accept that"
        )
