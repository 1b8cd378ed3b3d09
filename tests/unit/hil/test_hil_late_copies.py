"""Requests that come late, twice or amid noise, and devices of another version: against the software backend."""

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hil.errors import BenchError, FrameTimeout, FramingError, OtherVersion, RefusedRequest
from hil.exchange import MOST_REPEATS_PER_WAIT, Exchange, WaitLimits
from hil.faults.fault_file import FaultFile
from hil.framing import wrap
from hil.identity import Identity
from hil.links.faulty import FaultyLink
from hil.links.loop import LoopEnd, loop_pair
from hil.links.receiver import Receiver
from hil.loopback import LoopDevice, start_loop_device
from hil.messages import Nack
from hil.protocol import LONGEST_FRAME, Flag, Packet, Reason, Type, pack
from hil.session import Session

COUNT = Identity(
    export_id=1, model_hash=bytes(32), row_inputs=2, row_outputs=2, state_values=1, operations=1, parameters=300
)
PATIENT = WaitLimits(reply_s=20.0, retries=0)


def add(rows: NDArray[Any], parameters: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """State s and input a to s + a and the last parameter."""
    last = np.full(len(rows), parameters[-1], dtype=rows.dtype)
    return np.stack([rows[:, 0] + rows[:, 1], last], axis=1), np.zeros(len(rows), dtype=np.uint32)


def flag_above_ten(parameters: NDArray[Any]) -> int:
    """Flags parameters above 10, and NaN."""
    return 0 if (parameters <= 10).all() else 4


@contextmanager
def host_end() -> Iterator[LoopEnd]:
    """The host's end of a loop with a device at the other."""
    ours, theirs = loop_pair()
    device = LoopDevice(COUNT, 4, add, theirs, tuple(float(i % 7) for i in range(300)), flag_above_ten)
    thread = start_loop_device(device)
    try:
        yield ours
    finally:
        device.stopping.set()
        thread.join(5.0)


@pytest.fixture
def raw_wire(load_data_module: Callable[[str], ModuleType]) -> ModuleType:
    """Frames by hand."""
    return load_data_module("raw_wire")


def test_no_late_copy_steps_twice(raw_wire: ModuleType) -> None:
    """Late OPEN, HELLO, SETSTATE and STEP, of this session and of the one before."""
    with host_end() as end:
        opening = struct.pack("<I32sI", COUNT.export_id, COUNT.model_hash, 0)
        said = raw_wire.late_copies(raw_wire.RawHost(end), opening, struct.pack("<f", 1.5), struct.pack("<f", 2.0))
    assert said == raw_wire.LATE_COPIES


class NoisyEnd:
    """A link that carries scraps of noise before every request."""

    name = "noisy link"

    def __init__(self, inner: LoopEnd, scraps: int) -> None:
        self._inner, self._scraps = inner, scraps

    def read(self) -> bytes:
        """As a link does."""
        return self._inner.read()

    def write(self, data: bytes) -> None:
        """As a link does."""
        self._inner.write(b"\0" + b"\0".join(b"%c" % (65 + i % 26) for i in range(self._scraps)) + b"\0" + data)

    def close(self) -> None:
        """As a link does."""
        self._inner.close()


@pytest.mark.parametrize("scraps", [1, 4, 50])
def test_scraps_of_noise_cost_no_retry(scraps: int) -> None:
    """With no retry allowed and noise before each request every step is done, once; without noise nothing is resent."""
    for count in (scraps, 0):
        with host_end() as end, Session(NoisyEnd(end, count), PATIENT) as session:
            session.open(COUNT)
            session.set_state((0.0,))
            for number in range(1, 6):
                assert session.step_once((1.0,), with_state=False)[2][0] == number
            assert (session.traffic.retries, session.traffic.timeouts) == (0, 0)
            assert (session.traffic.resent > 0) is (count > 0)
            assert session.traffic.unstable is (count > 0)


def test_a_frame_that_is_too_long_is_refused_as_by_the_firmware() -> None:
    """A link under faults is owed no answer: two frames in one are refused, a whole one behind them is served."""
    with host_end() as end:
        receiver = Receiver(end)
        end.write(b"\0" + b"\x55" * (LONGEST_FRAME + 1) + wrap(pack(Packet(Type.HELLO, 0, Flag.NONE, 5))))
        heard = [receiver.listen(20.0) for _ in range(2)]
        receiver.stop()
    refused, served = heard
    assert isinstance(refused, Packet)
    assert isinstance(served, Packet)
    assert Nack.unpack(refused.payload).reason == Reason.UNDECODABLE
    assert served.type is Type.HELLO


def test_a_refusal_of_another_length_does_not_end_the_reader_of_a_link_under_faults() -> None:
    """Whoever asked is told at once, in a sentence; a refusal of ours is read as ever."""
    for payload, error in ((b"abc", FramingError), (Nack(Reason.BUSY, Type.HELLO, 1, 0, 0).pack(), RefusedRequest)):

        def refuse(sequence: int, payload: bytes = payload) -> bytes:
            return wrap(pack(Packet(Type.NACK, 0, Flag.REPLY, sequence, payload)))

        link = FaultyLink(ScriptedDevice(refuse), FaultFile(Path("none"), "", ()))
        link.arm()
        exchange = Exchange(link, PATIENT)
        exchange.go_on_from(0)
        with pytest.raises(error, match=r"NACK payload has 3 bytes|a free run is going on"):
            exchange.request(Type.HELLO)
        exchange.close()


class ScriptedDevice:
    """Answers every request with the frames that a function makes of its number."""

    name = "scripted device"

    def __init__(self, answers: Callable[[int], bytes], begins: bytes = b"") -> None:
        self._answers, self._waiting, self.written = answers, begins, 0

    def read(self) -> bytes:
        """As a link does."""
        waiting, self._waiting = self._waiting, b""
        return waiting

    def write(self, _: bytes) -> None:
        """As a link does."""
        self._waiting += self._answers(self.written)
        self.written += 1

    def close(self) -> None:
        """As a link does."""


def test_a_line_that_damages_everything_is_not_flooded() -> None:
    """Two scraps for each frame sent would double what is on the line for ever: after eight repeats it is quiet."""
    device = ScriptedDevice(lambda _: b"\0ab\0cd\0")
    exchange = Exchange(device, WaitLimits(reply_s=1.0, retries=1))
    with pytest.raises(FrameTimeout, match="asked 2 times"):
        exchange.request(Type.HELLO)
    exchange.close()
    assert device.written == 2 * (1 + MOST_REPEATS_PER_WAIT)
    assert (exchange.traffic.retries, exchange.traffic.resent) == (1, 2 * MOST_REPEATS_PER_WAIT)


@pytest.mark.parametrize("version", [1, 3])
def test_a_device_of_another_version_is_told_apart_in_one_sentence(raw_wire: ModuleType, version: int) -> None:
    """The device's boot frame is read, its refusal of our HELLO ends in a sentence with both versions, at once."""
    boot = wrap(pack(Packet(Type.BOOT, 0, Flag.EVENT, 0, bytes(8))))
    answers: list[bytes] = []
    refusing = raw_wire.RawHost(SimpleNamespace(write=answers.append))
    refusing.send(Type.NACK, 0, 1, bytes([12, 2, *bytes(10)]), flags=Flag.REPLY, version=version)
    device = ScriptedDevice(lambda _: answers[0], boot)
    with pytest.raises(OtherVersion) as caught:
        Session(device, PATIENT, just_started=True)
    assert str(caught.value) == (
        f"the device speaks version {version} of the wire protocol, this Kinefix version 2; "
        "load firmware that this Kinefix built"
    )
    assert caught.value.exit_code == 2


def test_parameters_are_set_as_one_set_and_read_back_bit_for_bit() -> None:
    """300 reals in two packets; a flagged set is not taken; OPEN brings the nominal ones back."""
    nominal = tuple(float(i % 7) for i in range(300))
    with host_end() as end, Session(end, PATIENT) as session:
        session.open(COUNT)
        assert session.get_parameters() == (nominal, 0)
        tenths = tuple(float(np.float32(i / 30)) for i in range(300))
        assert session.set_parameters([i / 30 for i in range(300)]) == 0
        assert session.get_parameters() == (tenths, 0)
        assert session.step_once((0.0, 1.0), with_state=True)[2][1] == tenths[-1]
        for wrong in (11.0, 1e300, float("nan")):
            assert session.set_parameters([*tenths[:-1], wrong]) == 4
            assert session.get_parameters() == (tenths, 4)
            assert session.step_once((0.0, 1.0), with_state=True)[2][1] == tenths[-1]
        session.open(COUNT)
        assert session.get_parameters() == (nominal, 0)
        with pytest.raises(RefusedRequest, match="out of range"):
            session.set_parameters([1.0] * 301)


def test_a_device_that_holds_other_parameters_is_found() -> None:
    """A device that says that it took the set and did not: the read-back shows it."""

    def forgets(parameters: NDArray[Any]) -> int:
        parameters[3] += np.float32(2.0**-20)
        return 0

    ours, theirs = loop_pair()
    device = LoopDevice(COUNT, 4, add, theirs, (1.0,) * 300, forgets)
    thread = start_loop_device(device)
    with Session(ours, PATIENT) as session:
        session.open(COUNT)
        with pytest.raises(BenchError, match="was given the parameters"):
            session.set_parameters([1.0] * 300)
    device.stopping.set()
    thread.join(5.0)
