"""The firmware's side of the wire protocol, in raw frames against an emulated Cortex-M4F."""

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from exporter.export import Export, write_export
from hil.emulator import Emulator, Machine
from hil.exchange import Limits
from hil.identity import Identity
from hil.links.socket_link import SocketLink
from hil.protocol import Type
from hil.session import Session
from targets.ecu.firmware import Firmware, build_firmware
from targets.python.host import build_host
from targets.rows import function_of

pytestmark = pytest.mark.emulated

PATIENT = Limits(boot_s=60.0, reply_s=60.0, retries=0)


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
