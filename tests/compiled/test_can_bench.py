"""The bench over CAN with software devices: an adapter whose controller leaves the bus, and what cannot be opened.

Oracle of the numbers: the same C on this computer, and a device that counts its own steps.
"""

import os
import pty
import select
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from exporter.errors import KinefixError, MissingTool
from exporter.export import Export, write_export
from hil.bench import LinkSettings
from hil.can.bus import CanSettings, open_bus
from hil.can.codec import CanFrame
from hil.can.faulty import FaultyCan
from hil.can.layout import CanLayout, layout_of
from hil.can.reaching import both_links, host_link
from hil.can.replay import replayed_log
from hil.errors import BenchError, FrameTimeout, LinkError
from hil.exchange import WaitLimits
from hil.faults.fault_file import FaultFile, Rule
from hil.framing import wrap
from hil.identity import expected_identity
from hil.loopback import LoopDevice, start_loop_device
from hil.protocol import Flag, Packet, Type, pack
from hil.session import Session
from hil.waiting import BY_THE_CLOCK
from targets.python.host import HostLibrary, build_host
from targets.rows import function_of, nominal_parameters
from tests.tools.slcan_adapter import SlcanAdapter

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def made(
    tmp_path_factory: pytest.TempPathFactory,
    load_data_module: Callable[[str], ModuleType],
    require_tool: Callable[[str], str],
) -> tuple[Export, HostLibrary]:
    """The hand-written slider-crank with a tunable crank."""
    require_tool("gcc")
    place = tmp_path_factory.mktemp("can")
    export = write_export(
        load_data_module("sample_program").slider_crank_program("float32", tunable=True), place / "export", {}
    )
    return export, build_host(export, place / "host")


@contextmanager
def behind_adapter(made: tuple[Export, HostLibrary]) -> Iterator[tuple[Session, SlcanAdapter, list[int]]]:
    """A session over an slcan adapter with a device in software, and how many steps the device has done."""
    export, library = made
    function, done = function_of(export.manifest, "dostep"), [0]
    identity, layout = expected_identity(export.manifest, function), layout_of(export.manifest, function)

    def step(rows: Any, parameters: Any) -> Any:
        done[0] += 1
        called = library.call("dostep", rows, {"l1": float(parameters[0])})
        return called.outputs, called.status

    def recalibrate(parameters: Any) -> int:
        return int(library.call("recalibrate", parameters[None, :]).status[0])

    with ExitStack() as closing:
        ours, theirs = both_links(LinkSettings("can"), layout, closing)
        adapter = SlcanAdapter(ours._bus)
        closing.callback(adapter.close)
        nominal = tuple(each.value for each in nominal_parameters(export.manifest))
        device = LoopDevice(identity, 4, step, theirs, nominal, recalibrate)
        thread = start_loop_device(device)
        closing.callback(thread.join, 20.0)
        closing.callback(device.stopping.set)
        link = host_link(LinkSettings("can", interface="slcan", channel=adapter.url), layout, closing)
        session = closing.enter_context(Session(link, WaitLimits(5.0, 0.4, 20), by_row=True))
        session.open(identity)
        yield session, adapter, done


def test_a_controller_that_left_the_bus_is_brought_back(made: tuple[Export, HostLibrary]) -> None:
    """Steps go on where they were; each was done once, and the report's counter says what happened."""
    inputs = np.linspace(-3.0, 3.0, 12, dtype=np.float32)
    state = np.array([0.5, 1.0], dtype=np.float32)
    with behind_adapter(made) as (session, adapter, done):
        session.set_state(tuple(state.tolist()))
        for number, force in enumerate(inputs):
            adapter.is_off = number == 5
            status, _, outputs = session.step_once((float(force),), with_state=False)
            right = made[1].call("dostep", np.concatenate([state, [force]])[None, :].astype(np.float32))
            assert np.array(outputs, dtype=np.float32).tobytes() == right.outputs[0].tobytes()
            assert status == right.status[0]
            state = right.outputs[0, :2]
        assert (session.traffic.bus_off, adapter.reopened, done[0]) == (1, 1, len(inputs))
        assert session.traffic.unstable
        assert session.traffic.as_dict()["bus_off"] == 1


def test_a_controller_that_stays_away_is_named(made: tuple[Export, HostLibrary]) -> None:
    with behind_adapter(made) as (session, adapter, _):
        session._exchange.limits = WaitLimits(5.0, 0.1, 2)
        adapter.is_off = adapter.stays_off = True
        with pytest.raises(FrameTimeout, match=r"no answer to STEP .* bus-off 3 times: check bit rate, wiring and"):
            session.step_once((0.0,), with_state=False)


def test_a_stuck_bus_is_waited_for_and_named_where_it_stays(made: tuple[Export, HostLibrary]) -> None:
    """Nothing gets through in either direction for a while; then each step was done once all the same."""
    with behind_adapter(made) as (session, adapter, done):
        session.set_state((0.5, 1.0))
        for stuck_after in (1, 2, 3, 4, 6):
            adapter.lets_through = stuck_after
            freed = threading.Timer(0.6, setattr, (adapter, "lets_through", -1))
            freed.start()
            session.step_once((0.5,), with_state=False)
            freed.join()
        assert done[0] == 5
        assert session.traffic.retries + session.traffic.resent > 0
        session._exchange.limits = WaitLimits(5.0, 0.1, 2)
        adapter.lets_through = 1
        with pytest.raises(FrameTimeout, match="no answer to STEP"):
            session.step_once((0.5,), with_state=False)


def test_a_sound_bus_counts_nothing(made: tuple[Export, HostLibrary]) -> None:
    with behind_adapter(made) as (session, adapter, _):
        session.step_once((0.0,), with_state=False)
        assert (session.traffic.bus_off, adapter.reopened) == (0, 0)
        assert "bus_off" not in session.traffic.as_dict()
        assert session.set_parameters((0.25,)) == 0
        assert session.get_parameters() == ((0.25,), 0)
        assert session.set_parameters((9.0,)) != 0
        assert session.get_parameters()[0] == (0.25,)


@pytest.mark.parametrize(
    ("settings", "kind", "said"),
    [
        (CanSettings("nosuch", "x"), MissingTool, "the CAN interface 'nosuch' cannot be used here .* python-can knows"),
        (CanSettings("slcan", "/dev/nosuch"), LinkError, "the CAN channel slcan /dev/nosuch does not exist"),
        (CanSettings("slcan", "socket://127.0.0.1:1"), LinkError, "the CAN channel slcan socket.* cannot be opened"),
        (CanSettings("socketcan", "can77"), LinkError, "the CAN channel socketcan can77"),
    ],
)
def test_what_cannot_be_opened_is_one_sentence(settings: CanSettings, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        open_bus(settings).shutdown()


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ((), r"no frame came; do all nodes run at the bench file's bit rate, and is this .* from 0x400 on\?"),
        ((0x500, 0x501), r"only frames with other identifiers came \(0x500, 0x501\); is this .* from 0x400 on\?"),
        (range(0x600, 0x606), r"came \(0x600, 0x601, 0x602, 0x603 ...\)"),
    ],
)
def test_a_silent_bus_tells_a_wrong_identifier_from_a_wrong_bit_rate(
    made: tuple[Export, HostLibrary], others: Sequence[int], said: str
) -> None:
    """Firmware of another first identifier is heard, but answers nothing."""
    function = function_of(made[0].manifest, "dostep")
    with ExitStack() as closing:
        ours, theirs = both_links(LinkSettings("can"), layout_of(made[0].manifest, function), closing)
        for each in others:
            theirs.send(CanFrame(each, b"other"))
        with pytest.raises(FrameTimeout, match=said):
            Session(ours, WaitLimits(5.0, 0.1, 2), by_row=True)


def test_a_busy_port_is_named_before_anything_is_written_to_it() -> None:
    """The adapter hears of one program alone."""
    theirs, ours = pty.openpty()
    settings = CanSettings("slcan", os.ttyname(ours))
    first = open_bus(settings)
    try:
        heard = os.read(theirs, 100)
        assert b"O" in heard
        with pytest.raises(LinkError, match=r"the CAN channel slcan /dev/.* is busy .*close the other program"):
            open_bus(settings)
        assert not select.select([theirs], [], [], 0.0)[0]
    finally:
        first.shutdown()
    open_bus(settings).shutdown()
    for end in (theirs, ours):
        os.close(end)


def test_logs_of_both_formats_hold_every_frame(made: tuple[Export, HostLibrary], tmp_path: Path) -> None:
    """Read by python-can's own readers, in order, with the bytes that were sent."""
    import can

    layout: CanLayout = layout_of(made[0].manifest, function_of(made[0].manifest, "dostep"))
    for name in ("frames.asc", "frames.blf"):
        with ExitStack() as closing:
            ours, theirs = both_links(LinkSettings("can", log=tmp_path / name), layout, closing)
            ours.write(b"\0abc\0")
            assert theirs.read() == b"\0abc\0"
            theirs.write(b"\0back\0")
            assert ours.read() == b"\0back\0"
            assert not (tmp_path / name).exists(), "it is not whole yet"
            ours.close()
        with can.LogReader(tmp_path / name) as reader:
            read = [(message.arbitration_id, bytes(message.data), message.is_rx) for message in reader]
        assert read == [(layout.to_ecu, b"\0abc\0", False), (layout.to_host, b"\0back\0", True)]


def test_benches_side_by_side_write_one_log_each(made: tuple[Export, HostLibrary], tmp_path: Path) -> None:
    """Whoever ends last leaves the log; none of the others is disturbed, and nothing else is left."""
    layout = layout_of(made[0].manifest, function_of(made[0].manifest, "dostep"))
    with ExitStack() as first:
        for number in range(3):
            with ExitStack() as other:
                for closing in (first, other)[number > 0 :]:
                    ours, _ = both_links(LinkSettings("can", log=tmp_path / "frames.asc"), layout, closing)
                    closing.callback(ours.close)
                    ours.write(wrap(pack(Packet(Type.STEP, 7, Flag.NONE, number, b"1234"))))
    assert [path.name for path in tmp_path.iterdir()] == ["frames.asc"]


def test_a_log_that_cannot_be_written_is_one_sentence(made: tuple[Export, HostLibrary], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    layout = layout_of(made[0].manifest, function_of(made[0].manifest, "dostep"))
    wrong = LinkSettings("can", log=tmp_path / "file" / "frames.asc")
    with ExitStack() as closing, pytest.raises(KinefixError, match=r"the CAN log .* cannot be written .*main. log"):
        both_links(wrong, layout, closing)


@pytest.mark.parametrize("name", ["frames.asc", "frames.blf"])
def test_a_log_is_stepped_again(made: tuple[Export, HostLibrary], tmp_path: Path, name: str) -> None:
    """The rows of a log are those that were stepped, bit for bit, odd numbers too; under faults each of them once."""
    export, library = made
    function = function_of(export.manifest, "dostep")
    layout, path = layout_of(export.manifest, function), tmp_path / name
    draw = np.random.default_rng(3)
    rows = draw.normal(size=(60, 3)).astype(np.float32)
    rows[7, 2], rows[8, 0] = np.nan, np.inf
    stepped = []
    with ExitStack() as closing:
        ours, theirs = both_links(LinkSettings("can", log=path), layout, closing)
        file = FaultFile(Path("none"), "", (Rule(0.05),), 4)
        line = FaultyCan(ours, file)
        limits = WaitLimits(60.0, 60.0, 20, line.clock(BY_THE_CLOCK))

        def step(given: Any, parameters: Any) -> Any:
            stepped.append(given[0].tobytes())
            called = library.call("dostep", given, {"l1": float(parameters[0])})
            return called.outputs, called.status

        device = LoopDevice(expected_identity(export.manifest, function), 4, step, theirs, (0.3,))
        thread = start_loop_device(device)
        closing.callback(thread.join, 20.0)
        closing.callback(device.stopping.set)
        session = closing.enter_context(Session(ours, limits, by_row=True))
        session.open(expected_identity(export.manifest, function))
        line.arm()
        session.step(rows[:30], with_state=True)
        session.step(rows[30:, 2:], with_state=False)
        line.disarm()
    found = replayed_log(path, layout).rows
    assert [row.tobytes() for row in found] == stepped
    assert len(stepped) == len(rows)
    assert found[:30].tobytes() == rows[:30].tobytes()
    assert len(line.to_device.log) > 5


def test_a_file_that_is_no_log_is_one_sentence(made: tuple[Export, HostLibrary], tmp_path: Path) -> None:
    layout = layout_of(made[0].manifest, function_of(made[0].manifest, "dostep"))
    for name, content in (("a.blf", b"nonsense"), ("b.blf", b""), ("c.asc", b"date\nnonsense 1 2 3\n")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BenchError, match=r"cannot be read as a log|frames and no answered step"):
            replayed_log(tmp_path / name, layout)
    with pytest.raises(BenchError, match="cannot be read as a log of CAN frames"):
        replayed_log(tmp_path / "none.asc", layout)


def test_an_adapter_that_is_pulled_is_named(made: tuple[Export, HostLibrary]) -> None:
    """While reading, while sending, and while it is asked for its state; before that nothing is said."""
    layout = layout_of(made[0].manifest, function_of(made[0].manifest, "dostep"))
    with ExitStack() as closing:
        ours, theirs = both_links(LinkSettings("can"), layout, closing)
        adapter = SlcanAdapter(ours._bus)
        link = host_link(LinkSettings("can", interface="slcan", channel=adapter.url), layout, closing)
        closing.callback(link.close)
        link.write(b"\0abc\0")
        assert theirs.read() == b"\0abc\0"
        assert link.mend() == ""
        assert link.read() == b""
        adapter.close()
        for meets, said in (
            (link.read, "broke while reading"),
            (lambda: link.write(b"\0abc\0"), "did not take a frame"),
            (link.mend, "does not answer"),
        ):
            with pytest.raises(LinkError, match=f"CAN slcan .* {said} .*is the adapter still there"):
                until_it_fails(meets)


def until_it_fails(meets: Callable[[], object]) -> None:
    """Again and again: the other end may take a while to be gone."""
    for _ in range(200):
        meets()
