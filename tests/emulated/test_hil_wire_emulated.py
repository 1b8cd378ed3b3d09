"""The firmware's side of the wire protocol, in raw frames against an emulated Cortex-M4F."""

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from exporter.export import Export, write_export
from hil.bench import read_bench
from hil.campaign import Plan, run_campaign
from hil.emulator import Emulator, Machine
from hil.exchange import WaitLimits
from hil.identity import Identity
from hil.links.socket_link import SocketLink
from hil.protocol import Flag, Type
from hil.session import Session
from sil.verdict import Outcome
from targets.ecu.firmware import Firmware, build_firmware
from targets.python.host import build_host
from targets.rows import function_of

pytestmark = pytest.mark.emulated

PATIENT = WaitLimits(boot_s=60.0, reply_s=60.0, retries=0)
DATA = Path(__file__).resolve().parents[1] / "data"
BENCH = """
schema = 1
[bench]
name = "wire"
target = "emulated"
export = "{export}"
function = "dostep"
[target.emulated]
kind = "emulated"
elf = "{elf}"
[timing]
period = "1 ms"
"""


@pytest.fixture(scope="module")
def built(
    tmp_path_factory: pytest.TempPathFactory,
    load_data_module: Callable[[str], ModuleType],
    require_tool: Callable[[str], str],
) -> tuple[Export, Firmware]:
    """The hand-written slider-crank with a tunable crank, and its bench firmware."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)
    place = tmp_path_factory.mktemp("wire")
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    export = write_export(program, place / "export", {})
    return export, build_firmware(export, "dostep", place / "firmware", "bench")


@pytest.fixture
def link(built: tuple[Export, Firmware]) -> Iterator[SocketLink]:
    """An emulator that was just started."""
    machine = Machine("qemu-system-arm", "qemu-system-arm", "mps2-an386", built[1].elf, 6)
    emulator = Emulator(machine, "tcp")
    port = SocketLink(emulator.url, 20.0)
    try:
        yield port
    finally:
        port.close()
        emulator.close()


@pytest.fixture
def raw_wire(load_data_module: Callable[[str], ModuleType]) -> ModuleType:
    """Frames by hand."""
    return load_data_module("raw_wire")


class Scraps:
    """A link with scraps of noise before every request."""

    name = "noisy link"

    def __init__(self, inner: SocketLink) -> None:
        self._inner, self.read, self.close = inner, inner.read, inner.close

    def write(self, data: bytes) -> None:
        """As a link does."""
        self._inner.write(b"\0A\0B\0C\0D\0E\0" + data)


def identity_of(export: Export) -> Identity:
    """What the firmware must say."""
    function = function_of(export.manifest, "dostep")
    inputs, outputs = len(function.row_inputs), len(function.row_outputs)
    cost = sum(function.cost.values())
    model = bytes.fromhex(export.manifest.model_hash)
    return Identity(export.manifest.export_id, model, inputs, outputs, 2, cost, parameters=1)


def test_no_late_copy_steps_the_firmware_twice(
    built: tuple[Export, Firmware], link: SocketLink, raw_wire: ModuleType
) -> None:
    """Late OPEN, HELLO, SETSTATE and STEP; a host of version 1 is refused in words that it can read."""
    identity = identity_of(built[0])
    opening = struct.pack("<I32sI", identity.export_id, identity.model_hash, 0)
    host = raw_wire.RawHost(link)
    early = host.ask(Type.HELLO, 0, 5, version=1)
    assert (early.version, early.said, early.sequence) == (1, "OTHER_VERSION", 5)
    said = raw_wire.late_copies(host, opening, struct.pack("<2f", 0.7, 0.5), struct.pack("<f", 300.0))
    assert said == raw_wire.LATE_COPIES
    assert host.booted_with_version == 1


def test_the_firmware_steps_amid_noise_with_the_parameters_that_it_was_given(
    built: tuple[Export, Firmware], link: SocketLink, tmp_path: Path
) -> None:
    """Five scraps before every request and no retry allowed: nominal, both ends, one float off the end, nominal."""
    export, _ = built
    host = build_host(export, tmp_path / "host")
    low, high = np.float32(0.1), np.float32(0.39)
    row = np.array([[0.7, 0.5, 300.0]], dtype=np.float32)
    with Session(Scraps(link), PATIENT, just_started=True) as session:
        session.open(identity_of(export))
        assert (session.hello.parameters, session.hello.hardware_reals) == (1, 1)
        assert 0 < session.hello.digest_ticks < 2_000
        nominal, _ = session.get_parameters()
        in_force = nominal[0]
        for value in (low, high, np.nextafter(high, np.float32(1)), np.float32("nan"), np.float32(0.2)):
            status = session.set_parameters([float(value)])
            assert status == host.call("recalibrate", np.array([[value]])).status[0]
            in_force = float(value) if status == 0 else in_force
            assert session.get_parameters() == ((in_force,), status)
            assert (status == 0) is bool(low <= value <= high)
            right = host.call("dostep", row, {"l1": in_force}).outputs[0]
            assert session.step_once(tuple(row[0].tolist()), with_state=True)[2] == tuple(right.tolist())
        assert (session.traffic.retries, session.traffic.timeouts) == (0, 0)
        session.open(identity_of(export))
        assert session.get_parameters() == (nominal, 0)


def test_every_reason_of_the_firmware_is_given_where_it_holds(
    built: tuple[Export, Firmware], link: SocketLink, raw_wire: ModuleType
) -> None:
    """Requests of unknown types, wrong lengths and impossible numbers, and after each a sound one that is served."""
    identity = identity_of(built[0])
    host = raw_wire.RawHost(link)
    (number,) = struct.unpack_from("<H", host.ask(Type.HELLO, 0, 1).payload, 76)
    opening = struct.pack("<I32sI", identity.export_id, identity.model_hash, 0)
    assert host.ask(Type.GETSTATE, 0, number).said == "NO_SESSION"
    assert host.ask(Type.OPEN, 9, number, opening[:-1]).said == "BAD_LENGTH"
    assert host.ask(Type.OPEN, 9, number + 1, opening).said == "OPEN"
    run = (1000, 25_000, 25_000, 25_000, 3, 10)
    refused = [
        (99, b"", 0, "UNKNOWN_TYPE"),
        (Type.BOOT, b"", 0, "UNKNOWN_TYPE"),
        (Type.STEP, bytes(5), 0, "BAD_LENGTH"),
        (Type.BATCH, bytes(7), 0, "BAD_LENGTH"),
        (Type.BATCH, struct.pack("<HHI", 3, 0, 0) + bytes(8), 0, "BAD_LENGTH"),
        (Type.BATCH, struct.pack("<HHI", 60, 0, 0) + bytes(240), 0, "OUT_OF_RANGE"),
        (Type.BATCH, struct.pack("<HHI", 2, 511, 0) + bytes(8), Flag.STORE, "OUT_OF_RANGE"),
        (Type.SETSTATE, bytes(4), 0, "BAD_LENGTH"),
        (Type.RUN, bytes(4), 0, "BAD_LENGTH"),
        (Type.RUN, struct.pack("<IIIIIIHH", 10, 1, 1, 1, 3, 1, 1, 0), 0, "OUT_OF_RANGE"),
        (Type.STATS, bytes(4), 0, "BAD_LENGTH"),
        (Type.STATS, struct.pack("<BBHI", 7, 0, 0, 0), 0, "OUT_OF_RANGE"),
        (Type.PARAMETERS, bytes(4), 0, "BAD_LENGTH"),
        (Type.PARAMETERS, struct.pack("<HHI", 0, 1, 0), Flag.SET, "BAD_LENGTH"),
        (Type.PARAMETERS, struct.pack("<HHI", 0, 1, 0) + bytes(4), 0, "BAD_LENGTH"),
        (Type.PARAMETERS, struct.pack("<HHI", 0, 2, 0) + bytes(8), Flag.SET | Flag.APPLY, "OUT_OF_RANGE"),
        (Type.PARAMETERS, struct.pack("<HHI", 2, 0, 0), 0, "OUT_OF_RANGE"),
    ]
    number += 2
    for kind, payload, flags, reason in refused:
        assert host.ask(kind, 9, number, payload, flags=flags).said == reason, (kind, payload)
        assert host.ask(Type.GETSTATE, 9, number + 1).said == "GETSTATE"
        number += 2
    assert host.ask(Type.BATCH, 9, number, struct.pack("<HHIf", 1, 0, 0, 1.0), flags=Flag.STORE).said == "BATCH"
    assert host.ask(Type.RUN, 9, number + 1, struct.pack("<IIIIIIHH", 3_600_000, *run[1:], 1, 0)).said == "RUN"
    for kind, payload in ((Type.STEP, bytes(4)), (Type.PARAMETERS, struct.pack("<HHI", 0, 1, 0))):
        assert host.ask(kind, 9, number + 2, payload).said == "BUSY"
        number += 1
    assert host.ask(Type.OPEN, 10, number + 2, opening).said == "OPEN"  # ends the run
    assert host.ask(Type.PARAMETERS, 10, number + 3, struct.pack("<HHI", 0, 1, 0)).said == "PARAMETERS"


def test_a_device_that_does_not_use_its_parameters_fails(built: tuple[Export, Firmware], tmp_path: Path) -> None:
    """Every set is taken and read back right, steps are at nominal: lockstep and recalibrate's status both tell."""
    export, _ = built
    macros = {
        "slider_crank_recalibrate": "kfx_deaf_recalibrate", "KFX_RIGHT": '"slider_crank_recalibrate"',
        "KFX_NOMINAL": "0.3F",
    }  # fmt: skip
    deaf = build_firmware(
        export, "dostep", tmp_path / "deaf", "bench", "arm-m4f", macros, (DATA / "deaf_recalibrate.c",)
    )
    (tmp_path / "bench.toml").write_text(BENCH.format(export=export.folder, elf=deaf.elf), encoding="utf-8")
    result = run_campaign(read_bench(tmp_path / "bench.toml"), Plan(lockstep=60, free_run=0, vectors=16, seed=1))
    ended = {verdict.check: verdict.outcome for verdict in result.verdicts}
    assert ended["bit agreement in lockstep"] is ended["parameters judged otherwise"] is Outcome.FAILED
    assert "parameters l1 = 0.1" in result.verdicts[0].detail, "the first set that differs from nominal"
    (tmp_path / "bench.toml").write_text(BENCH.format(export=export.folder, elf=built[1].elf), encoding="utf-8")
    sound = run_campaign(read_bench(tmp_path / "bench.toml"), Plan(lockstep=60, free_run=50, vectors=16, seed=1))
    assert sound.passed
