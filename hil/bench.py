"""The bench file: `bench.toml` as dataclasses, checked against `bench.schema.json`.

Every error names the file, the key, what is there, what was expected and what to do. Used by: `hil.bench_runtime`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from exporter.time_limits import BOOT_S, REPLY_S
from hil.checked_toml import read_checked
from hil.duration import CYCLE_UNIT, Duration, parse_duration
from hil.errors import BenchError

SCHEMA = Path(__file__).with_name("bench.schema.json")
DEFAULT_BAUD = 115200
DEFAULT_BITRATE = 500_000
CAN_BASE = 0x400
"""First CAN identifier of the bench; the others follow it."""
LINKS_OF: dict[str, tuple[str, ...]] = {
    "sil": ("loop", "can"),
    "emulated": ("tcp", "pty", "can"),
    "board": ("serial", "tcp", "pty", "can"),
}
"""Which links reach which kind of target; the first one is the default."""


@dataclass(frozen=True, slots=True)
class Target:
    """What runs the export."""

    name: str
    kind: str  # sil | emulated | board
    profile: str = "arm-m4f"
    elf: Path | None = None
    icount_shift: int = 6
    flash: tuple[str, ...] = ()
    reset: tuple[str, ...] = ()

    @property
    def core(self) -> str:
        """Which core computes."""
        return "this computer" if self.kind == "sil" else self.profile

    @property
    def words(self) -> str:
        """What it is: "emulated arm-m4f"."""
        return "software on this computer" if self.kind == "sil" else f"{self.kind} {self.core}"


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """How it is reached."""

    kind: str  # tcp | pty | serial | can | loop
    host: str = "127.0.0.1"
    port: int | str = 0
    baud: int = DEFAULT_BAUD
    interface: str = ""  # of python-can
    channel: str = ""
    bitrate: int = DEFAULT_BITRATE
    base: int = CAN_BASE  # first CAN identifier
    options: Mapping[str, Any] = field(default_factory=dict)  # of python-can's bus
    log: Path | None = None  # of all frames, .asc or .blf
    dbc: Path | None = None  # the CAN database that other tools use, held against the export


@dataclass(frozen=True, slots=True)
class Timing:
    """How fast it must be."""

    period: Duration
    deadline: Duration
    guard: Duration | None = None
    counter: str = "any"
    latch_after: int = 3
    spread: Duration | None = None  # that calls may differ by on a board; None: not stated


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait, in seconds: by the clock for a board, of its computing time for an emulator."""

    boot_s: float = BOOT_S
    reply_s: float = REPLY_S
    run_s: float | None = None  # None: by activations and period
    retries: int = 3


DEFAULT_TOLERANCE = "default"
"""Key of the tolerance that applies where a signal has none of its own."""


@dataclass(frozen=True, slots=True)
class ToleranceEntry:
    """How far an output may be from the reference."""

    ulp: float = 0.0
    absolute: float = 0.0
    relative: float = 0.0


@dataclass(frozen=True, slots=True)
class Runs:
    """How much to run."""

    lockstep: int = 1000
    free_run: int = 60_000
    vectors: int = 256
    seed: int = 1


@dataclass(frozen=True, slots=True)
class ReportEntries:
    """What the report says of people and the unit; empty is left blank, to be filled in by hand."""

    operator: str = ""
    unit: str = ""  # under test
    serial_number: str = ""
    station: str = ""  # empty: the name of this computer


MAX_SLOWER = 0.05
"""Part of an earlier time by which a run may be slower than its baseline."""


@dataclass(frozen=True, slots=True)
class Bench:
    """A whole bench file. Paths are absolute."""

    path: Path
    sha256: str
    name: str
    target: Target
    link: LinkSettings
    timing: Timing
    export: Path | None = None
    model: str | None = None
    real: str = "float32"
    function: str | None = None
    work: Path = Path()
    timeouts: Timeouts = field(default_factory=Timeouts)
    tolerances: Mapping[str, ToleranceEntry] = field(default_factory=dict)
    runs: Runs = field(default_factory=Runs)
    parameters: Mapping[str, float | str] = field(default_factory=dict)  # tunable ones, with or without unit
    report: ReportEntries = field(default_factory=ReportEntries)
    max_slower: float = MAX_SLOWER  # than a baseline, part of it
    is_target_chosen: bool = False  # another one may be in the file

    @property
    def link_words(self) -> str:
        """How the target is reached: "CAN, slcan, 500,000 bit/s"."""
        link = self.link
        if link.kind == "can":
            interface = "slcan" if self.target.kind == "emulated" else link.interface or "virtual"
            return f"CAN, {interface}, {link.bitrate:,} bit/s"
        return f"serial, {link.baud:,} baud" if link.kind == "serial" else link.kind


def read_bench(path: Path, target: str | None = None) -> Bench:
    """Read a bench file, with another of its targets than it says; `BenchError` when it is missing or wrong.

    Wrong is what is no TOML, against the schema, or names a target that is not there.
    """
    table, sha256 = read_checked(path, SCHEMA, "bench file", "examples/bench.toml")
    return _bench(path, sha256, table, target)


def with_entries(bench: Bench, **entries: str | None) -> Bench:
    """With other entries of the report than the file states; those that are None stay."""
    given = {name: text for name, text in entries.items() if text is not None}
    return replace(bench, report=replace(bench.report, **given))


def _bench(path: Path, sha256: str, table: dict[str, Any], chosen: str | None) -> Bench:
    head, folder = table["bench"], path.resolve().parent
    target = _target(path, folder, table["target"], chosen or head["target"])
    if ("export" in head) == ("model" in head):
        raise BenchError(f"{path}: bench: give either 'export' (a folder) or 'model' (a name or a file), not both")
    return Bench(
        path=path,
        sha256=sha256,
        name=head["name"],
        target=target,
        link=_link(path, table.get("link", {}), target),
        timing=_read_timing(table["timing"]),
        export=folder / head["export"] if "export" in head else None,
        model=_model(folder, head["model"]) if "model" in head else None,
        real=head.get("real", "float32"),
        function=head.get("function"),
        work=folder / head.get("work", f"{path.stem}-work"),
        timeouts=_timeouts(path, table.get("timeouts", {})),
        tolerances={name: _tolerance(entry) for name, entry in table.get("tolerance", {}).items()},
        runs=Runs(**table.get("run", {})),
        parameters=table.get("parameters", {}),
        report=ReportEntries(**table.get("report", {})),
        is_target_chosen=chosen is not None,
        max_slower=table.get("baseline", {}).get("max_slower", MAX_SLOWER),
    )


def _model(folder: Path, text: str) -> str:
    """A file beside the bench file, or a name of the library."""
    return str(folder / text) if text.lower().endswith(".toml") else text


def _target(path: Path, folder: Path, targets: dict[str, Any], name: str) -> Target:
    if name not in targets:
        raise BenchError(f"{path}: bench.target: there is no [target.{name}]; choose one of {', '.join(targets)}")
    entry = dict(targets[name])
    if "elf" in entry:
        entry["elf"] = folder / entry["elf"]
    entry |= {key: tuple(entry[key]) for key in ("flash", "reset") if key in entry}
    return Target(name=name, **entry)


def _link(path: Path, links: dict[str, Any], target: Target) -> LinkSettings:
    allowed = LINKS_OF[target.kind]
    entry = dict(links.get("main", {"kind": allowed[0]}))
    if target.kind == "sil" and entry["kind"] != "can":
        return LinkSettings("loop")
    if entry["kind"] not in allowed:
        raise BenchError(
            f"{path}: link.main.kind: '{entry['kind']}' does not reach a target of kind '{target.kind}'; "
            f"choose one of {', '.join(allowed)}"
        )
    if entry["kind"] == "serial" and not isinstance(entry.get("port"), str):
        raise BenchError(f"{path}: link.main.port: a serial link needs a device such as '/dev/ttyUSB0' or 'COM7'")
    if entry["kind"] == "can" and target.kind == "board" and not entry.get("interface"):
        raise BenchError(f"{path}: link.main.interface: name the CAN interface of the board, for example 'slcan'")
    for key in {"log", "dbc"} & entry.keys():
        entry[key] = path.resolve().parent / entry[key]
    return LinkSettings(**entry)


def _read_timing(entry: dict[str, Any]) -> Timing:
    period = parse_duration(entry["period"], "timing.period")
    deadline = parse_duration(entry.get("deadline", entry["period"]), "timing.deadline")
    guard = parse_duration(entry["guard"], "timing.guard") if "guard" in entry else None
    spread = parse_duration(entry["spread"], "timing.spread") if "spread" in entry else None
    return Timing(period, deadline, guard, entry.get("counter", "any"), entry.get("latch_after", 3), spread)


def _timeouts(path: Path, entry: dict[str, Any]) -> Timeouts:
    seconds = {f"{key}_s": _seconds(path, key, entry[key]) for key in ("boot", "reply", "run") if key in entry}
    return Timeouts(**seconds, retries=entry.get("retries", Timeouts().retries))


def _seconds(path: Path, key: str, text: str) -> float:
    duration = parse_duration(text, f"timeouts.{key}")
    if duration.unit == CYCLE_UNIT:
        raise BenchError(f"{path}: timeouts.{key}: '{text}': the host waits in seconds, not in cycles")
    return float(duration.seconds(1))


def _tolerance(entry: dict[str, float]) -> ToleranceEntry:
    return ToleranceEntry(entry.get("ulp", 0.0), entry.get("abs", 0.0), entry.get("rel", 0.0))
