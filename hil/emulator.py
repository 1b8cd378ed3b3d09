"""Starts the emulator that stands for a board: an ELF in, the URL of its serial port out.

QEMU runs with a fixed time per instruction (`-icount shift=S,sleep=off`), so that the same firmware takes the same
virtual time on every host, and sleeping costs no real time. Over TCP it waits for the bench to connect before the core
starts, which keeps the boot frame.
"""

import errno
import re
import signal
import socket
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from exporter.errors import MissingTool
from exporter.programs import LONGEST_LOOK_S, Program
from exporter.time_limits import EMULATOR_START, END_S, LAST_WORDS_S, Limit
from hil.errors import LinkError
from targets.toolchain import find_program, version_of

SERIAL_PORT_PATTERNS = {
    "tcp": re.compile(r"waiting for connection on: disconnected:tcp:(?P<host>[^:,]+):(?P<port>\d+)"),
    "pty": re.compile(r"char device redirected to (?P<path>\S+)"),
}
"""What QEMU prints about its serial port, by kind of link."""

WITHOUT_NETWORK = "warning: nic"  # what QEMU says each time, for the board's network is not used
KEPT_LINES = 5
"""Of what it said last, where none of it is a message of its own."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What to emulate."""

    program: str  # "qemu-system-arm"
    package: str  # Debian package of the program
    board: str  # "mps2-an386"
    elf: Path
    icount_shift: int  # one instruction lasts 2^shift nanoseconds of virtual time

    @property
    def instruction_ns(self) -> int:
        """Virtual nanoseconds per instruction."""
        return 1 << self.icount_shift


def emulator_program(program: str, package: str, board: str) -> Path:
    """The path of the emulator.

    Raises:
        MissingTool: it is not installed.
    """
    return find_program(program, package, f"it emulates the {board}")


def require_free_port(host: str, port: int) -> None:
    """See that the emulator will be able to listen there, before anything is built for it; port 0 is any free one.

    Raises:
        LinkError: another program listens there, or the address is none of this computer's.
    """
    try:
        with socket.create_server((host, port)):
            return
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise LinkError(_busy_text(f"{host}:{port}")) from error
        raise LinkError(f"the emulator cannot listen on {host}:{port} ({error}); correct [link.main] host") from error


class Emulator:
    """A running emulator. Closing it ends the process; so does the end of this process, however it ends."""

    def __init__(
        self, machine: Machine, link: str, host: str = "127.0.0.1", port: int = 0, limit: Limit = EMULATOR_START
    ) -> None:
        """Start it; `link` is "tcp" (port 0: any free one), "pty", or "can": the second serial port over TCP.

        Raises `MissingTool` when the emulator or the ELF is not there, `LinkError` when it does not come up.
        """
        if not machine.elf.is_file():
            raise MissingTool(
                f"there is no firmware at {machine.elf}; build it with: "
                "kinefix build EXPORT_DIR --target m4f --kind bench"
            )
        program = emulator_program(machine.program, machine.package, machine.board)
        self.version = version_of(program)
        self.url = ""
        self.said: list[str] = []
        self._announced = threading.Event()
        self._pattern = SERIAL_PORT_PATTERNS["tcp" if link == "can" else link]
        self._program = Program([program, *_arguments(machine, link, host, port)], stderr=subprocess.STDOUT)
        self._listener = threading.Thread(target=self._listen, name="output of the emulator", daemon=True)
        self._listener.start()
        try:
            self._await_url(limit)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the emulator; may be called twice."""
        self._program.kill()
        self._listener.join(END_S)
        self._program.close()

    def computed_s(self) -> float:
        """CPU seconds that it has taken: the clock of limits on it, which a busy computer does not make faster."""
        return self._program.computed_s(with_children=False)  # it has none

    def last_words(self) -> str:
        """How it ended and what it said, for a link that broke; empty where it still runs."""
        with suppress(subprocess.TimeoutExpired):
            code = self._program.process.wait(LAST_WORDS_S)
            self._listener.join(END_S)
            how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
            return f"the emulator ended with {how} and said: {self._words()}"
        return ""

    def _words(self) -> str:
        messages = [line for line in self.said if "qemu" in line]  # not the registers after them
        return "; ".join(messages or self.said[-KEPT_LINES:]) or "nothing"

    def _listen(self) -> None:
        for line in _output_of(self._program.process):
            if (found := self._pattern.search(line)) is not None:
                self.url = _url(found.groupdict())
                self._announced.set()
            elif line.strip() and WITHOUT_NETWORK not in line:
                self.said.append(line.strip())
        self._announced.set()

    def _await_url(self, limit: Limit) -> None:
        started = time.monotonic()
        look_s = min(LONGEST_LOOK_S, limit.computing_s / 4)
        while not self._announced.wait(look_s):
            computed_s, waited_s = self.computed_s(), time.monotonic() - started
            if computed_s > limit.computing_s or waited_s > limit.clock_s:
                raise LinkError(
                    f"the emulator did not offer its serial port: it computed for {computed_s:.3g} s of "
                    f"{waited_s:.3g} s, the limits are {limit.computing_s:g} s and {limit.clock_s:g} s; "
                    f"{limit.next_step}. It said: {self._words()}"
                )
        if not self.url:
            said = self.last_words()
            if "Address already in use" in said:
                raise LinkError(_busy_text(said))
            raise LinkError(f"the emulator did not offer its serial port: {said}")


def _busy_text(where: str) -> str:
    return f"the emulator's port is busy ({where}); choose another [link.main] port, or 0 for any"


def _arguments(machine: Machine, link: str, host: str, port: int) -> list[str]:
    tcp = f"tcp:{host}:{port},server=on,wait=on,nodelay=on"
    serial = {"tcp": ("-serial", tcp), "pty": ("-serial", "pty"), "can": ("-serial", "null", "-serial", tcp)}[link]
    return [
        "-machine", machine.board, "-kernel", str(machine.elf), "-display", "none", "-monitor", "none", "-nic", "none",
        *serial, "-icount", f"shift={machine.icount_shift},sleep=off",
    ]  # fmt: skip


def _url(where: dict[str, str]) -> str:
    return where["path"] if "path" in where else f"socket://{where['host']}:{where['port']}"


def _output_of(process: "subprocess.Popen[str]") -> IO[str]:
    assert process.stdout is not None  # it was asked for
    return process.stdout
