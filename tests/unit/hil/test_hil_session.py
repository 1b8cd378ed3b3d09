"""Sessions against the software backend, over whole and over damaged links."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hil.errors import DeviceReset, RefusedRequest, WrongFirmware
from hil.exchange import WaitLimits
from hil.framing import wrap
from hil.identity import Identity
from hil.links.link import Link
from hil.links.loop import LoopEnd, loop_pair
from hil.loopback import LoopDevice, start_loop_device
from hil.messages import RunRequest
from hil.protocol import Flag, Packet, Type, pack
from hil.session import Session

IDENTITY = Identity(
    export_id=0xC0FFEE,
    model_hash=bytes(range(32)),
    row_inputs=3,
    row_outputs=3,
    state_values=1,
    operations=12,
    build_id=5,
    parameters=300,  # more than one packet holds
)
NOMINAL = (1.0,) * IDENTITY.parameters
TOO_LARGE = 1 << 22
QUICK = WaitLimits(reply_s=0.1, retries=20)


def accumulate(rows: NDArray[Any], parameters: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """State s and inputs a, b to s + a, s, b times the last parameter.

    A step that is done twice or never shows for ever after.
    """
    outputs = np.stack([rows[:, 0] + rows[:, 1], rows[:, 0], rows[:, 2] * parameters[-1]], axis=1).astype(rows.dtype)
    return outputs, np.zeros(len(rows), dtype=np.uint32)


def recalibrate(parameters: NDArray[Any]) -> int:
    """Flags a parameter above 10."""
    return 0 if (parameters <= 10).all() else TOO_LARGE


@contextmanager
def device_at(link: Link, identity: Identity = IDENTITY) -> Iterator[LoopDevice]:
    """A device that serves until the block ends."""
    device = LoopDevice(identity, 4, accumulate, link, NOMINAL, recalibrate)
    thread = start_loop_device(device)
    try:
        yield device
    finally:
        device.stopping.set()
        thread.join(5.0)


@contextmanager
def open_session() -> Iterator[Session]:
    """A session with an undamaged device."""
    ours, theirs = loop_pair()
    with device_at(theirs), Session(ours, WaitLimits()) as session:
        session.open(IDENTITY)
        yield session


def test_the_state_goes_on_between_steps() -> None:
    """Steps without a state in their row begin where the last one ended."""
    with open_session() as session:
        session.set_state((10.0,))
        assert session.step_once((1.0, 7.0), with_state=False)[2] == (11.0, 10.0, 7.0)
        assert session.step_once((2.0, 7.0), with_state=False)[2] == (13.0, 11.0, 7.0)
        assert session.get_state() == (13.0,)
        assert session.step_once((5.0, 1.0, 0.0), with_state=True)[2] == (6.0, 5.0, 0.0)


def test_a_batch_larger_than_a_frame_comes_back_in_order() -> None:
    """Rows are cut into frames and put together again, bits unchanged: NaN, infinities, subnormals."""
    special = np.array([np.nan, np.inf, -np.inf, 1e-45, -0.0], dtype=np.float32)
    rows = np.zeros((500, 3), dtype=np.float32)
    rows[:, 1], rows[:, 2] = np.arange(500), np.resize(special, 500)
    with open_session() as session:
        stepped = session.step(rows, with_state=True)
    assert stepped.outputs[:, 0].tolist() == list(range(500))
    assert stepped.outputs[:, 2].tobytes() == rows[:, 2].tobytes()


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (replace(IDENTITY, model_hash=bytes(32)), "runs model"),
        (replace(IDENTITY, export_id=1), "runs model"),
        (replace(IDENTITY, row_inputs=4), "another function"),
        (replace(IDENTITY, operations=13), "another function"),
        (replace(IDENTITY, build_id=6), "runs build"),
        (replace(IDENTITY, parameters=299), "299 tunable parameters, the export has 300"),
    ],
)
def test_firmware_of_another_model_is_refused_before_any_exchange(other: Identity, words: str) -> None:
    """Model, export, function and build are each named, with what to do; nothing was stepped."""
    ours, theirs = loop_pair()
    with device_at(theirs, other) as device, Session(ours, WaitLimits()) as session:
        with pytest.raises(WrongFirmware, match=words):
            session.open(IDENTITY)
        assert device.session == 0


def test_the_device_refuses_another_model_by_itself() -> None:
    """Even where a host does not look, OPEN is answered with OTHER_MODEL and a step with NO_SESSION."""
    ours, theirs = loop_pair()
    with device_at(theirs), Session(ours, WaitLimits()) as session:
        session.hello = replace(session.hello, model_hash=bytes(32))
        with pytest.raises(WrongFirmware, match="another model"):
            session.open(replace(IDENTITY, model_hash=bytes(32)))
        with pytest.raises(RefusedRequest, match="no session"):
            session.get_state()


def test_a_free_run_without_a_counter_is_refused() -> None:
    """No counter: no run, and the reason is said."""
    with open_session() as session, pytest.raises(RefusedRequest, match="no free-running counter"):
        session.start(RunRequest(10, 100, 100, 100, 3, 1, 1))


def test_what_the_software_backend_cannot_do_is_refused() -> None:
    """The backend keeps no records of a free run; what it can do goes on."""
    with open_session() as session:
        with pytest.raises(RefusedRequest, match="it cannot do this"):
            session.summary()
        assert session.get_state() == (0.0,)


class FaultyEnd:
    """The host's end of a loop with seeded faults in both directions."""

    def __init__(self, inner: LoopEnd, seed: int) -> None:
        self.name = "faulty link"
        self.faults = 0
        self._inner = inner
        self._random = random.Random(seed)
        self._late: list[bytes] = []
        self._lock = threading.Lock()

    def read(self) -> bytes:
        """As a link does."""
        return self._spoil(self._inner.read())

    def write(self, data: bytes) -> None:
        """As a link does."""
        self._inner.write(self._spoil(data))

    def close(self) -> None:
        """As a link does."""
        self._inner.close()

    def _spoil(self, data: bytes) -> bytes:
        """Lose, flip, cut, double, delay or add to one chunk in twelve."""
        if not data:
            return data
        with self._lock:
            late, self._late = b"".join(self._late), []
            if self._random.random() > 1 / 12:
                return data + late
            self.faults += 1
            place = self._random.randrange(len(data))
            kind = self._random.choice(("lose", "flip", "cut", "double", "delay", "garbage"))
            if kind == "delay":
                self._late.append(data)
            spoiled = {
                "lose": b"",
                "flip": data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :],
                "cut": data[:place],
                "double": data + data,
                "delay": b"",
                "garbage": b"\x13\x37\x42" + data,
            }[kind]
            return spoiled + late


def test_hundreds_of_stateful_steps_over_a_bad_link_give_no_wrong_result() -> None:
    """Every fault is repaired by a repeat; no step is done twice and none is lost."""
    ours, theirs = loop_pair()
    faulty = FaultyEnd(ours, seed=20110301)
    total = 0.0
    with device_at(theirs), Session(faulty, QUICK) as session:
        session.open(IDENTITY)
        session.set_state((0.0,))
        for number in range(400):
            status, _, outputs = session.step_once((float(number % 7), 3.0), with_state=False)
            total += number % 7
            assert (status, outputs[0], outputs[2]) == (0, total, 3.0)
        traffic = session.traffic
    assert faulty.faults > 30
    assert traffic.retries > 10
    assert traffic.repeated > 0
    assert traffic.stale > 0
    assert traffic.unstable


def test_a_device_whose_boot_frame_was_lost_is_reached() -> None:
    """A port that opens later than the device starts has dropped that frame: the device is asked, not awaited."""
    ours, theirs = loop_pair()
    with device_at(theirs), Session(ours, WaitLimits(), just_started=True) as session:
        assert session.hello.row_inputs == IDENTITY.row_inputs
        assert session.traffic.retries == 0


def test_a_boot_in_mid_session_is_an_error_of_the_bench() -> None:
    """What was measured before a reset is void, and the session says so instead of failing a check."""
    ours, theirs = loop_pair()
    with device_at(theirs), Session(ours, WaitLimits()) as session:
        session.open(IDENTITY)
        theirs.write(wrap(pack(Packet(Type.BOOT, 0, Flag.EVENT, 0, bytes(8)))))
        with pytest.raises(DeviceReset, match="in the middle of the session"):
            session.get_state()
        assert session.traffic.resets == 1
