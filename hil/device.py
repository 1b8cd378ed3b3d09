"""A device at the end of a link: software in this process, an emulator, or a board.

In: a bench and its export. Out: `ReachedDevice`. What is not there is built: a firmware from the export.
"""

import hashlib
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from exporter.errors import KinefixError
from exporter.export import Export
from exporter.manifest import Function
from exporter.programs import TookTooLong, run
from exporter.time_limits import END_S, FLASH
from hil.bench import CAN_BASE, Bench, LinkSettings
from hil.can.layout import CanLayout, layout_of
from hil.emulator import Emulator, Machine, emulator_program, require_free_port
from hil.errors import BenchError
from hil.identity import Identity
from hil.links.link import Link
from hil.links.loop import loop_pair
from hil.links.serial_link import SerialLink
from hil.links.socket_link import PREFIX, SocketLink
from hil.links.witnessed import WitnessedLink
from hil.loopback import LoopDevice, start_loop_device
from hil.waiting import BY_THE_CLOCK, Clock, computing_clock
from targets.ecu.firmware import cached_firmware
from targets.elf_core import core_of_elf, core_of_flags
from targets.profile import Emulator as BoardEmulator
from targets.profile import emulated_profiles, load_profile, profile_names
from targets.python.host import HostLibrary
from targets.rows import (
    nominal_parameters,
    tunable_fields,
)

if TYPE_CHECKING:
    from hil.can.link import CanLink


@dataclass(frozen=True, slots=True)
class ReachedDevice:
    """A device at the end of a link."""

    link: Link
    boots: bool  # it was started just now and will say so
    build_id: int  # 0: not known
    instruction_ns: int | None
    facts: dict[str, str]
    clock: Clock = BY_THE_CLOCK  # of limits on it
    can: "CanLink | None" = None  # where the link is one: rows travel one by one, as signals


def require_reachable(bench: Bench) -> None:
    """What can be seen before anything is built: the emulator is there, and the port is free."""
    link = bench.link
    if bench.target.kind == "emulated":
        board = _emulator_of(bench)
        emulator_program(board.program, board.package, board.machine)
        _require_core(bench)
        if link.kind in ("tcp", "can"):
            require_free_port(link.host, int(link.port))
    elif link.kind in ("serial", "pty"):
        _serial(str(link.port), bench).close()


def reach(
    bench: Bench, export: Export, function: Function, library: HostLibrary, identity: Identity, closing: ExitStack
) -> ReachedDevice:
    """Build the firmware where there is none, start or reach the device; `closing` ends what was started."""
    if bench.target.kind == "sil":
        return _reach_software(bench, export, function, library, identity, closing)
    if bench.target.kind == "emulated":
        return _reach_emulator(bench, export, function, closing)
    return _reach_board(bench, export, function, closing)


def _reach_software(
    bench: Bench, export: Export, function: Function, library: HostLibrary, identity: Identity, closing: ExitStack
) -> ReachedDevice:
    manifest = export.manifest
    names = [field.name for field in tunable_fields(manifest)]

    def step(rows: NDArray[Any], parameters: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
        called = library.call(function.name, rows, dict(zip(names, parameters.tolist(), strict=True)))
        return called.outputs, called.status

    def recalibrate(parameters: NDArray[Any]) -> int:
        return int(library.call("recalibrate", parameters[None, :]).status[0])

    is_can = bench.link.kind == "can"
    ours, theirs = _both_can_links(bench, export, function, closing) if is_can else loop_pair()
    nominal = tuple(each.value for each in nominal_parameters(manifest))
    real_bytes = np.dtype(manifest.real).itemsize
    device = LoopDevice(identity, real_bytes, step, theirs, nominal, recalibrate)
    thread = start_loop_device(device)
    closing.callback(thread.join, END_S)
    closing.callback(device.stopping.set)
    facts = {"device": f"software on this computer ({library.compiler})"} | ({"channel": ours.name} if is_can else {})
    return ReachedDevice(ours, False, 0, None, facts, can=_can(bench, ours))


def _both_can_links(bench: Bench, export: Export, function: Function, closing: ExitStack) -> "tuple[CanLink, CanLink]":
    from hil.can.reaching import both_links  # noqa: PLC0415 - python-can, for a bench over CAN

    return both_links(bench.link, _layout(bench, export, function), closing)


def _can_link(bench: Bench, export: Export, function: Function, closing: ExitStack, channel: str = "") -> "CanLink":
    from hil.can.reaching import host_link  # noqa: PLC0415 - python-can, for a bench over CAN

    return host_link(bench.link, _layout(bench, export, function), closing, channel)


def _can(bench: Bench, link: Link) -> "CanLink | None":
    return cast("CanLink", link) if bench.link.kind == "can" else None


def _layout(bench: Bench, export: Export, function: Function) -> CanLayout:
    return layout_of(export.manifest, function, bench.link.base)


def _reach_emulator(bench: Bench, export: Export, function: Function, closing: ExitStack) -> ReachedDevice:
    target, link = bench.target, bench.link
    board = _emulator_of(bench)
    elf, build_id, facts = _firmware(bench, export, function)
    machine = Machine(board.program, board.package, board.machine, elf, target.icount_shift)
    emulator = Emulator(machine, link.kind, link.host, int(link.port))
    closing.callback(emulator.close)
    port = WitnessedLink(lambda: _emulated_link(bench, export, function, emulator.url, closing), emulator.last_words)
    closing.callback(port.close)
    facts |= {
        "device": f"{board.machine}, emulated by {emulator.version}",
        "emulator": emulator.version,
        "icount shift": str(target.icount_shift),
    }
    clock = computing_clock(emulator.computed_s)
    return ReachedDevice(port, True, build_id, machine.instruction_ns, facts, clock, _can(bench, port.inner))


def _emulated_link(bench: Bench, export: Export, function: Function, url: str, closing: ExitStack) -> Link:
    if bench.link.kind != "can":
        return _serial(url, bench)
    return _can_link(bench, export, function, closing, url)


def _firmware(bench: Bench, export: Export, function: Function) -> tuple[Path, int, dict[str, str]]:
    """The named ELF, or one built now; its build id where it is known."""
    if bench.target.elf is not None:
        return bench.target.elf, 0, _elf_facts(bench.target.elf)
    cache, base = bench.work / "firmware", bench.link.base
    defines = {} if base == CAN_BASE else {"BENCH_CAN_BASE": f"UINT32_C({base})"}
    built = cached_firmware(export, function.name, cache, "bench", bench.target.profile, defines)
    facts = {"compiler": built.compiler, "flags": " ".join([*export.manifest.flags, *built.profile.core_flags])}
    return built.elf, built.build_id, facts | _elf_facts(built.elf)


def _elf_facts(elf: Path) -> dict[str, str]:
    digest = hashlib.sha256(elf.read_bytes()).hexdigest() if elf.is_file() else "missing"
    return {"firmware": elf.name, "firmware SHA-256": digest}


def _require_core(bench: Bench) -> None:
    """A firmware of another core computes nothing, and is waited for without an answer."""
    if bench.target.elf is None:
        return
    profile = load_profile(bench.target.profile)
    found, wanted = core_of_elf(bench.target.elf), core_of_flags(profile.core_flags)
    if found and wanted and found != wanted:
        raise BenchError(
            f"{bench.path}: target.{bench.target.name}.elf: the firmware is compiled for {found}, and profile "
            f"'{profile.name}' emulates {wanted}; name the profile of its core, or leave 'elf' out to have one built"
        )


def _emulator_of(bench: Bench) -> BoardEmulator:
    profile, known = bench.target.profile, emulated_profiles()
    if profile not in known:
        why = "has no emulator" if profile in profile_names() else "is no profile"
        raise BenchError(
            f"{bench.path}: target.{bench.target.name}.profile: '{profile}' {why}; choose one of {', '.join(known)}"
        )
    return known[profile]


def _reach_board(bench: Bench, export: Export, function: Function, closing: ExitStack) -> ReachedDevice:
    for command in (bench.target.flash, bench.target.reset):
        if command:
            _run(bench, command)
    link = bench.link
    if link.kind == "can":
        over_can = _can_link(bench, export, function, closing)
        closing.callback(over_can.close)
        facts = {"device": f"board on {over_can.name}", "channel": over_can.name}
        return ReachedDevice(over_can, False, 0, None, facts, can=over_can)
    url = str(link.port) if link.kind != "tcp" else f"socket://{link.host}:{link.port}"
    port = _serial(url, bench)
    closing.callback(port.close)
    facts = {"device": f"board at {url}", "channel": _link_text(link)}
    if bench.target.elf is not None:
        facts |= _elf_facts(bench.target.elf)
    return ReachedDevice(port, False, 0, None, facts)


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
