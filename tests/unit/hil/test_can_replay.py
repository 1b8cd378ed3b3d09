"""Logs of a CAN bus, stepped again. Oracle: a device in software that writes down each step that it does."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import can
import numpy as np
import pytest

from exporter.export import Export, write_export
from hil.bench import LinkSettings
from hil.can.faulty import FaultyCan
from hil.can.layout import CanLayout, layout_of
from hil.can.reaching import both_links
from hil.can.replay import replayed_log
from hil.errors import BenchError
from hil.exchange import WaitLimits
from hil.faults.fault_file import FaultFile, Rule
from hil.identity import expected_identity
from hil.loopback import LoopDevice, start_loop_device
from hil.session import Session
from hil.waiting import BY_THE_CLOCK
from targets.rows import function_of

FORCES = np.random.default_rng(11).normal(size=400).astype(np.float32)
NOMINAL_CRANK = 0.3
Steps = list[tuple[bytes, float]]  # each row and the crank at which it was done


@dataclass(slots=True)
class Recorded:
    """A session with a device that writes down its steps."""

    session: Session
    identity: Any
    steps: Steps
    forces: Iterator[float]

    def go_on(self, count: int) -> None:
        """Steps from the device's own state."""
        for _ in range(count):
            self.session.step_once((float(next(self.forces)),), with_state=False)

    def open_again(self) -> None:
        """Another session."""
        self.session.greet()
        self.session.open(self.identity)


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory, load_data_module: Callable[[str], ModuleType]) -> Export:
    """The hand-written slider-crank with a tunable crank; what it computes matters to nobody here."""
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    return write_export(program, tmp_path_factory.mktemp("replay") / "export", {})


@pytest.fixture(scope="module")
def layout(export: Export) -> CanLayout:
    return layout_of(export.manifest, function_of(export.manifest, "dostep"))


@contextmanager
def recording(export: Export, path: Path, rate: float = 0.0) -> Iterator[Recorded]:
    """A session whose frames go to a log; a share of them is at fault."""
    function = function_of(export.manifest, "dostep")
    identity, steps = expected_identity(export.manifest, function), []

    def step(rows: Any, parameters: Any) -> Any:
        steps.append((rows[0].tobytes(), float(parameters[0])))
        numbers = np.arange(1, identity.row_outputs + 1, dtype=np.float32)
        outputs = np.sin(rows.sum(dtype=np.float32) * numbers + parameters[0])[None, :].astype(np.float32)
        return outputs, np.zeros(1, dtype=np.uint32)

    with ExitStack() as closing:
        ours, theirs = both_links(LinkSettings("can", log=path), layout_of(export.manifest, function), closing)
        line = FaultyCan(ours, FaultFile(Path("none"), "", (Rule(rate),), 5))
        thread = start_loop_device(LoopDevice(identity, 4, step, theirs, (NOMINAL_CRANK,)))
        closing.callback(thread.join, 20.0)
        closing.callback(theirs.close)
        session = closing.enter_context(Session(ours, WaitLimits(60.0, 60.0, 30, line.clock(BY_THE_CLOCK))))
        session.open(identity)
        if rate:
            line.arm()
        yield Recorded(session, identity, steps, iter(FORCES))
        line.disarm()


def messages_of(path: Path) -> list[can.Message]:
    with can.LogReader(path) as reader:
        return list(reader)


def write_log(path: Path, messages: list[can.Message]) -> Path:
    with can.Logger(str(path)) as logger:
        for message in messages:
            logger.on_message_received(message)
    return path


def rows_at(steps: Steps, crank: float) -> list[bytes]:
    return [row for row, at in steps if at == np.float32(crank)]


@pytest.fixture(scope="module")
def plain(export: Export, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Steps]:
    """A log without faults: the state is set, eight steps, set in the middle, eight steps."""
    path = tmp_path_factory.mktemp("plain") / "plain.asc"
    with recording(export, path) as recorded:
        for state in ((0.5, 1.0), (-1.5, 0.25)):
            recorded.session.set_state(state)
            recorded.go_on(8)
    return path, recorded.steps


def rows_of(path: Path, layout: CanLayout) -> list[bytes]:
    return [row.tobytes() for row in replayed_log(path, layout).rows]


@pytest.mark.parametrize(("name", "rate"), [("a.asc", 0.0), ("a.asc", 0.03), ("a.blf", 0.03), ("A.BLF", 0.1)])
def test_the_rows_are_those_that_were_stepped(
    export: Export, layout: CanLayout, tmp_path: Path, name: str, rate: float
) -> None:
    """Each once, in order: with and without state, after SETSTATE in the middle, in batches, after another OPEN."""
    with recording(export, tmp_path / name, rate) as recorded:
        session = recorded.session
        session.set_state((0.5, -0.0))
        for number in range(6):
            recorded.go_on(10)
            session.set_state((float(number), float("nan")))
            recorded.go_on(1)
            session.step(np.array([[number, 2.0, FORCES[number]]] * 2, dtype=np.float32), with_state=True)
            session.step(FORCES[:3, None], with_state=False)
        recorded.open_again()
        recorded.go_on(5)
    log = replayed_log(tmp_path / name, layout)
    assert [row.tobytes() for row in log.rows] == [row for row, _ in recorded.steps]
    assert len(recorded.steps) == 6 * 16 + 5
    assert (log.parameters, log.notes) == ({}, ())


def test_what_comes_before_a_doubled_commit_does_not_count(
    layout: CanLayout, plain: tuple[Path, Steps], tmp_path: Path
) -> None:
    """A late frame with other values and the commit once more, before the answer: the ECU took it for damage."""
    messages: list[can.Message] = []
    for message in messages_of(plain[0]):
        messages.append(message)
        if message.arbitration_id == layout.commit:
            late = replace_data(message, layout.inputs.first_id, np.float32(99.0).tobytes())
            messages += [late, message]
    assert rows_of(write_log(tmp_path / "doubled.asc", messages), layout) == [row for row, _ in plain[1]]


def replace_data(message: can.Message, identifier: int, data: bytes) -> can.Message:
    return can.Message(message.timestamp, identifier, is_extended_id=False, data=data, channel=message.channel)


@pytest.mark.parametrize("suffix", [".asc", ".blf"])
def test_a_log_that_was_cut_is_replayed_so_far_and_says_so(
    layout: CanLayout, plain: tuple[Path, Steps], tmp_path: Path, suffix: str
) -> None:
    """Wherever it was cut: rows of the beginning, none that was never stepped."""
    whole = write_log(tmp_path / f"whole{suffix}", messages_of(plain[0]) * 30).read_bytes()
    once, path = [row for row, _ in plain[1]], tmp_path / f"cut{suffix}"
    lengths = set()
    for share in (0.3, 0.6, 0.8003, 0.9007, 0.9999):
        path.write_bytes(whole[: int(len(whole) * share)])
        log = replayed_log(path, layout)
        rows = [row.tobytes() for row in log.rows]
        assert rows == (once * 30)[: len(rows)]
        assert log.notes[0] == f"cut{suffix} ends in the middle: what came after is not replayed"
        lengths.add(len(rows))
    assert len(lengths) > 2
    path.write_bytes(whole)
    assert replayed_log(path, layout).notes == ()


def test_a_log_that_was_never_closed_says_so(layout: CanLayout, plain: tuple[Path, Steps], tmp_path: Path) -> None:
    """As a program leaves it that was killed: the head counts nothing yet."""
    writer = can.BLFWriter(tmp_path / "open.blf")
    writer.max_container_size = 2000
    for message in messages_of(plain[0]):
        writer.on_message_received(message)
    writer.file.flush()
    (tmp_path / "killed.blf").write_bytes((tmp_path / "open.blf").read_bytes())
    writer.stop()
    log = replayed_log(tmp_path / "killed.blf", layout)
    assert [row.tobytes() for row in log.rows] == [row for row, _ in plain[1]][: len(log.rows)]
    assert log.notes[0] == "killed.blf ends in the middle: what came after is not replayed"


@pytest.mark.parametrize("suffix", [".asc", ".blf"])
def test_one_of_several_channels(layout: CanLayout, plain: tuple[Path, Steps], tmp_path: Path, suffix: str) -> None:
    """Two ECUs of the layout are one too many; other traffic on its identifiers is none, nor a channel for sending."""
    messages, stepped = messages_of(plain[0]), [row for row, _ in plain[1]]
    assert {message.channel for message in messages} == {0}, "what was sent and what was heard"
    path = tmp_path / f"channels{suffix}"
    two = [on_channel(message, channel) for message in messages for channel in (0, 1)]
    with pytest.raises(BenchError, match=r"holds steps of .* on the channels 1 and 2; save the channel of one ECU"):
        replayed_log(write_log(path, two), layout)
    foreign = [
        each
        for message in messages
        for each in (on_channel(message, 1), on_channel(replace_data(message, message.arbitration_id, b"12345678"), 0))
    ]
    assert rows_of(write_log(path, foreign), layout) == stepped
    apart = [on_channel(message, int(message.arbitration_id < layout.result)) for message in messages]
    assert rows_of(write_log(path, apart), layout) == stepped


def on_channel(message: can.Message, channel: int) -> can.Message:
    copied = replace_data(message, message.arbitration_id, bytes(message.data))
    copied.channel = channel
    return copied


def test_rows_are_those_of_one_set_of_parameters(export: Export, layout: CanLayout, tmp_path: Path) -> None:
    """The set with most steps; the others are told. OPEN makes the parameters nominal."""
    with recording(export, tmp_path / "a.asc") as recorded:
        recorded.session.set_state((0.0, 1.0))
        recorded.go_on(3)
        assert recorded.session.set_parameters((0.25,)) == 0
        recorded.go_on(4)
        recorded.open_again()
        recorded.go_on(2)
        for crank in (0.2, 0.35):
            assert recorded.session.set_parameters((crank,)) == 0
            recorded.go_on(1)
    log = replayed_log(tmp_path / "a.asc", layout)
    assert [row.tobytes() for row in log.rows] == rows_at(recorded.steps, NOMINAL_CRANK)
    assert log.notes == (
        "5 of 11 steps taken: done at nominal parameters",
        "6 steps left out: done at l1 = 0.25 m and 2 other sets of parameters",
    )
    with recording(export, tmp_path / "b.asc") as recorded:
        assert recorded.session.set_parameters((0.25,)) == 0
        recorded.session.set_state((0.0, 1.0))
        recorded.go_on(4)
    log = replayed_log(tmp_path / "b.asc", layout)
    assert [row.tobytes() for row in log.rows] == rows_at(recorded.steps, 0.25)
    assert (log.parameters, log.notes) == ({"l1": 0.25}, ("the steps of the log were done at l1 = 0.25 m",))


def test_what_came_before_the_log_is_not_guessed(layout: CanLayout, plain: tuple[Path, Steps], tmp_path: Path) -> None:
    """From the third commit on: the session is found by the CRC, the state by the first answer, parameters not."""
    messages, stepped = messages_of(plain[0]), [row for row, _ in plain[1]]
    commits = [place for place, each in enumerate(messages) if each.arbitration_id == layout.commit]
    log = replayed_log(write_log(tmp_path / "late.asc", messages[commits[2] - 1 :]), layout)
    assert [row.tobytes() for row in log.rows] == stepped[3:]
    assert log.parameters is None
    assert log.notes == (
        "1 step left out: no state to begin from in the log",
        "at which parameters these steps were done is not in the log",
    )


def test_steps_before_the_first_word_on_parameters_are_left_out(
    export: Export, layout: CanLayout, tmp_path: Path
) -> None:
    with recording(export, tmp_path / "a.asc") as recorded:
        recorded.session.set_state((0.0, 1.0))
        recorded.go_on(3)
        assert recorded.session.get_parameters() == (pytest.approx((NOMINAL_CRANK,)), 0)
        recorded.go_on(2)
    messages = messages_of(tmp_path / "a.asc")
    first = next(place for place, each in enumerate(messages) if each.arbitration_id == layout.commit)
    log = replayed_log(write_log(tmp_path / "b.asc", messages[first - 1 :]), layout)
    assert [row.tobytes() for row in log.rows] == [row for row, _ in recorded.steps[3:]]
    assert log.notes == (
        "1 step left out: no state to begin from in the log",
        "2 of 4 steps taken: done at nominal parameters",
        "2 steps left out: no word on their parameters in the log",
    )


def test_steps_whose_request_or_answer_is_missing_are_counted(
    layout: CanLayout, plain: tuple[Path, Steps], tmp_path: Path
) -> None:
    """After an answer that is missing the state is not known until the next one; after a request it is."""
    messages, stepped = messages_of(plain[0]), [row for row, _ in plain[1]]

    def without(identifier: int, number: int) -> list[can.Message]:
        count = itertools.count()
        return [each for each in messages if each.arbitration_id != identifier or next(count) != number]

    log = replayed_log(write_log(tmp_path / "a.asc", without(layout.result, 2)), layout)
    assert [row.tobytes() for row in log.rows] == stepped[:2] + stepped[4:]
    assert log.notes == (
        "1 step left out: no state to begin from in the log",
        "1 step left out: no answer of the ECU in the log",
    )
    log = replayed_log(write_log(tmp_path / "b.asc", without(layout.commit, 2)), layout)
    assert [row.tobytes() for row in log.rows] == stepped[:2] + stepped[3:]
    assert log.notes == ("1 step left out: answered, and no whole request in the log",)
    last = replayed_log(write_log(tmp_path / "c.asc", without(layout.result, len(stepped) - 1)), layout)
    assert [row.tobytes() for row in last.rows] == stepped[:-1]
    assert last.notes == ("1 step left out: no answer of the ECU in the log",)


def test_a_log_of_another_ecu_has_no_steps(layout: CanLayout, plain: tuple[Path, Steps]) -> None:
    other = replace(layout, inputs=replace(layout.inputs, fields=()))
    with pytest.raises(BenchError, match=r"holds \d+ frames and no answered step of .* does \[link.main\] base fit"):
        replayed_log(plain[0], other)
