"""Receiving: partial frames, silence, noise, broken links. Scripted links instead of clocks."""

import os
import pty
import socket
from collections.abc import Iterator

import pytest

from hil.errors import FrameTimeout, LinkError
from hil.exchange import Exchange, WaitLimits
from hil.framing import wrap
from hil.links.receiver import Receiver
from hil.links.serial_link import SerialLink
from hil.links.socket_link import SocketLink
from hil.protocol import Flag, Packet, Type, pack

GENEROUS_S = 20.0
"""Limit of waits that end early when all is well."""


class ScriptedLink:
    """Hands out the given chunks, one per read, then silence; an error in the script is raised."""

    name = "scripted link"

    def __init__(self, *chunks: bytes | LinkError) -> None:
        self._chunks: Iterator[bytes | LinkError] = iter(chunks)
        self.written: list[bytes] = []
        self.closed = False

    def read(self) -> bytes:
        """As a link does."""
        chunk = next(self._chunks, b"")
        if isinstance(chunk, LinkError):
            raise chunk
        return chunk

    def write(self, data: bytes) -> None:
        """As a link does."""
        self.written.append(data)

    def close(self) -> None:
        """As a link does."""
        self.closed = True


def frame(sequence: int) -> bytes:
    """A HELLO answer on the wire."""
    return wrap(pack(Packet(Type.HELLO, 0, Flag.REPLY, sequence, b"\x00\x01\x02")))


def received(link: ScriptedLink, count: int) -> list[int]:
    """Sequence numbers of the first packets."""
    receiver, numbers = Receiver(link), []
    try:
        while len(numbers) < count:
            heard = receiver.listen(GENEROUS_S)
            assert heard is not None
            numbers += [heard.sequence] if isinstance(heard, Packet) else []
    finally:
        receiver.stop()
    return numbers


def test_an_answer_in_two_parts_with_a_gap_is_whole() -> None:
    """5 bytes, silence over several reads, the rest: one frame; nothing rests on inter-byte timeouts."""
    whole = frame(1)
    assert received(ScriptedLink(whole[:5], b"", b"", b"", whole[5:]), 1) == [1]


def test_a_truncated_frame_then_silence_does_not_hurt_the_next_one() -> None:
    """The frame without its end is noted, the frame after it is delivered."""
    link = ScriptedLink(b"\xff\xfe", frame(1)[:-4], b"", b"", frame(2))
    assert received(link, 1) == [2]


def test_silence_after_five_bytes_is_a_time_out_that_says_so() -> None:
    """The message counts the bytes of the frame that never ended, and the link is closed by its owner."""
    link = ScriptedLink(frame(1)[:6])
    exchange = Exchange(link, WaitLimits(reply_s=0.1, retries=1))
    with pytest.raises(FrameTimeout, match=r"no answer to HELLO .* asked 2 times; 5 bytes of an unfinished frame"):
        exchange.request(Type.HELLO)
    exchange.close()
    assert link.closed
    assert len(link.written) == 2


def test_a_silent_device_is_named_while_it_starts() -> None:
    """Asked for the limit of its boot, in steps of a reply's: one sentence with the limit and what to look at."""
    exchange = Exchange(ScriptedLink(), WaitLimits(boot_s=0.05, reply_s=0.01, retries=1))
    with pytest.raises(FrameTimeout, match=r"no answer to HELLO from scripted link within 0.01 s, asked 5 times.*baud"):
        exchange.reach()
    exchange.close()


def test_a_broken_link_is_reported_to_whoever_waits() -> None:
    """The reader's error arrives at the caller, each time it asks."""
    receiver = Receiver(ScriptedLink(LinkError("cable pulled")))
    for _ in range(2):
        with pytest.raises(LinkError, match="cable pulled"):
            receiver.listen(GENEROUS_S)
    receiver.stop()


def test_a_missing_port_is_named() -> None:
    """One sentence, not a stack of pyserial."""
    with pytest.raises(LinkError, match=r"port /dev/no_such_port does not exist"):
        SerialLink("/dev/no_such_port", 115200, 1.0)


def test_a_busy_port_is_named() -> None:
    """A second program on the same port is told so instead of stealing bytes."""
    ours, theirs = pty.openpty()
    path = os.ttyname(theirs)
    first = SerialLink(path, 115200, 1.0)
    try:
        with pytest.raises(LinkError, match=rf"port {path} is busy"):
            SerialLink(path, 115200, 1.0)
    finally:
        first.close()
        os.close(ours)
        os.close(theirs)


def test_nobody_at_a_tcp_port_is_named() -> None:
    """A port that was just free refuses the connection."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number = probe.getsockname()[1]
    with pytest.raises(LinkError, match=rf"port socket://127.0.0.1:{number} cannot be opened"):
        SocketLink(f"socket://127.0.0.1:{number}", 1.0)


def test_a_socket_hands_out_what_has_come_at_once_and_says_that_it_was_closed() -> None:
    """1,000 bytes sent together are a few reads, not hundreds; the end of the stream is no silence."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        link = SocketLink(f"socket://127.0.0.1:{server.getsockname()[1]}", 5.0)
        theirs, _ = server.accept()
        theirs.sendall(bytes(1000))
        chunks = []
        while sum(map(len, chunks)) < 1000:
            chunks.append(link.read())
        assert len([chunk for chunk in chunks if chunk]) <= 10
        link.write(b"there")
        assert theirs.recv(5, socket.MSG_WAITALL) == b"there"
        theirs.close()
        with pytest.raises(LinkError, match="the other end closed it"):
            link.read()
        link.close()


@pytest.mark.parametrize("url", ["socket://127.0.0.1", "socket://127.0.0.1:x", "socket://127.0.0.1:99999"])
def test_a_wrong_address_is_one_sentence(url: str) -> None:
    """No port, no number, a number too large."""
    with pytest.raises(LinkError, match=f"port {url} cannot be opened"):
        SocketLink(url, 1.0)


def test_a_pseudo_terminal_is_read_as_a_serial_port() -> None:
    """One frame, as from the emulator's other link."""
    ours, theirs = pty.openpty()
    link = SerialLink(os.ttyname(theirs), 115200, 1.0)
    receiver = Receiver(link)
    os.write(ours, frame(3))
    packet = receiver.listen(GENEROUS_S)
    receiver.stop()
    link.close()
    os.close(ours)
    os.close(theirs)
    assert isinstance(packet, Packet)
    assert packet.sequence == 3
