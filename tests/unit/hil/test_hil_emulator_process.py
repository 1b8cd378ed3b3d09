"""The emulator's process: its last words, its limits, a busy port. The emulators are small programs that misbehave."""

import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from exporter.time_limits import EMULATOR_START, Limit
from hil.bench import read_bench
from hil.bench_runtime import open_bench
from hil.emulator import Emulator, Machine
from hil.errors import LinkError
from hil.links.link import Link
from hil.links.witnessed import WitnessedLink

OFFERS = """
import socket, sys
if "--version" in sys.argv:
    print("fake emulator 1.0"); sys.exit()
door = socket.create_server(("127.0.0.1", 0))
print(f"QEMU waiting for connection on: disconnected:tcp:127.0.0.1:{door.getsockname()[1]},server=on", flush=True)
line, _ = door.accept()
"""
DIES_LATER = OFFERS + 'line.recv(1)\nprint("qemu: fatal: Lockup\\nR00=0", file=sys.stderr)\nsys.exit(3)\n'
DIES_AT_ONCE = 'import sys\nprint("no such machine", file=sys.stderr)\nsys.exit(1)\n'
FINDS_ITS_PORT_TAKEN = """
import sys
if "--version" in sys.argv:
    sys.exit()
sys.exit("qemu-system-arm: Failed to find an available port: Address already in use")
"""
SPINS = 'import sys\nif "--version" in sys.argv: sys.exit()\nprint("hm", flush=True)\nwhile True: pass\n'
SLEEPS = 'import signal, sys\nif "--version" in sys.argv: sys.exit()\nsignal.pause()\n'

BENCH = """
schema = 1
[bench]
name = "busy"
target = "emulated"
model = "slider_crank"
[target.emulated]
kind = "emulated"
[link.main]
kind = "tcp"
port = {port}
[timing]
period = "1 ms"
"""


@pytest.fixture
def emulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Emulator]:
    """Start a program of this text as if it were the emulator."""

    def start(text: str, limit: Limit = EMULATOR_START) -> Emulator:
        program = tmp_path / "qemu-system-arm"
        program.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        elf = tmp_path / "firmware.elf"
        elf.write_bytes(b"")
        return Emulator(Machine("qemu-system-arm", "qemu-system-arm", "board", elf, 6), "tcp", limit=limit)

    return start


class SocketLink:
    """A link that is nothing but a socket."""

    def __init__(self, url: str) -> None:
        host, port = url.removeprefix("socket://").rsplit(":", 1)
        self.name = url
        self._socket = socket.create_connection((host, int(port)))

    def read(self) -> bytes:
        """What came."""
        data = self._socket.recv(100)
        if not data:
            raise LinkError("closed")
        return data

    def write(self, data: bytes) -> None:
        """Send."""
        self._socket.sendall(data)

    def close(self) -> None:
        """Let go."""
        self._socket.close()


def test_an_emulator_that_dies_says_its_last_words(emulator: Callable[..., Emulator]) -> None:
    running = emulator(DIES_LATER)
    link: Link = WitnessedLink(lambda: SocketLink(running.url), running.last_words)
    link.write(b"x")
    with pytest.raises(
        LinkError, match=r"^the link broke: the emulator ended with exit code 3 and said: qemu: fatal: Lockup$"
    ):
        link.read()
    link.close()
    running.close()


def test_an_emulator_that_does_not_start_says_why_at_once(emulator: Callable[..., Emulator]) -> None:
    with pytest.raises(
        LinkError, match=r"did not offer .*: the emulator ended with exit code 1 and said: no such mach"
    ):
        emulator(DIES_AT_ONCE)


def test_a_port_that_is_taken_while_it_starts_is_called_busy(emulator: Callable[..., Emulator]) -> None:
    """Between our look and its own another program may take it; one that finds it free starts."""
    emulator(OFFERS + "line.recv(1)\n").close()
    with pytest.raises(LinkError, match=r"port is busy \(.*already in use\); choose another \[link.main\] port"):
        emulator(FINDS_ITS_PORT_TAKEN)


@pytest.mark.parametrize(
    ("text", "limit"), [(SPINS, Limit(0.05, 1e5, "look here")), (SLEEPS, Limit(1e5, 0.05, "look here"))]
)
def test_an_emulator_that_never_offers_its_port_is_stopped(
    emulator: Callable[..., Emulator], text: str, limit: Limit
) -> None:
    """One that computes by its CPU time, one that waits by the clock."""
    with pytest.raises(LinkError, match=r"did not offer its serial port: it computed for .*limits are .*look here"):
        emulator(text, limit)


def test_a_busy_port_is_told_before_anything_is_built(emulator: Callable[..., Emulator], tmp_path: Path) -> None:
    """There is no compiler on this PATH, and nothing is written."""
    emulator(OFFERS + "line.recv(1)\n").close()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (tmp_path / "bench.toml").write_text(BENCH.format(port=port), encoding="utf-8")
        with pytest.raises(
            LinkError, match=rf"port is busy \(127\.0\.0\.1:{port}\); choose another \[link.main\] port"
        ):
            open_bench(read_bench(tmp_path / "bench.toml"))
    assert not (tmp_path / "bench-work").exists()
