"""Starts the emulator that stands for a board: an ELF in, the URL of its serial port out.

QEMU runs with a fixed time per instruction (`-icount shift=S,sleep=off`), so that the same firmware takes the same
virtual time on every host, and sleeping costs no real time. It waits for the bench to connect before the core starts,
which keeps the boot frame.
"""

import re
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from exporter.errors import MissingTool
from hil.errors import LinkError
from targets.toolchain import find_program, version_of

START_LIMIT_S = 20.0
"""How long the emulator may take to say where its serial port is."""

STOP_LIMIT_S = 5.0

WHERE = {
    "tcp": re.compile(r"waiting for connection on: disconnected:tcp:(?P<host>[^:,]+):(?P<port>\d+)"),
    "pty": re.compile(r"char device redirected to (?P<path>\S+)"),
}
"""What QEMU prints about its serial port, by kind of link."""


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


class Emulator:
    """A running emulator. Closing it ends the process."""

    def __init__(self, machine: Machine, link: str, host: str = "127.0.0.1", port: int = 0) -> None:
        """Start it; `link` is "tcp" (port 0: any free one) or "pty".

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
        self._pattern = WHERE[link]
        self._process = subprocess.Popen(
            [str(program), *_arguments(machine, link, host, port)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self._listener = threading.Thread(target=self._listen, name="output of the emulator", daemon=True)
        self._listener.start()
        self._await_url()

    def close(self) -> None:
        """End the emulator; may be called twice."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(STOP_LIMIT_S)
        self._listener.join(STOP_LIMIT_S)
        _output_of(self._process).close()

    def _listen(self) -> None:
        for line in _output_of(self._process):
            self.said.append(line.strip())
            if (found := self._pattern.search(line)) is not None:
                self.url = _url(found.groupdict())
                self._announced.set()
        self._announced.set()

    def _await_url(self) -> None:
        self._announced.wait(START_LIMIT_S)
        if self.url:
            return
        self.close()
        said = "; ".join(self.said) or "it said nothing"
        if "Address already in use" in said:
            raise LinkError(f"the emulator's port is busy ({said}); choose another [link.main] port, or 0 for any")
        raise LinkError(f"the emulator did not offer its serial port within {START_LIMIT_S:g} s: {said}")


def _arguments(machine: Machine, link: str, host: str, port: int) -> list[str]:
    serial = f"tcp:{host}:{port},server=on,wait=on,nodelay=on" if link == "tcp" else "pty"
    return [
        "-machine", machine.board, "-kernel", str(machine.elf), "-display", "none", "-monitor", "none",
        "-serial", serial, "-icount", f"shift={machine.icount_shift},sleep=off",
    ]  # fmt: skip


def _url(where: dict[str, str]) -> str:
    return where["path"] if "path" in where else f"socket://{where['host']}:{where['port']}"


def _output_of(process: "subprocess.Popen[str]") -> IO[str]:
    assert process.stdout is not None  # it was asked for
    return process.stdout
