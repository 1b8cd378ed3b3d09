"""Programs within their limits, and gone when their user is: with programs that never end by themselves."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from exporter.programs import Program, TookTooLong, run
from exporter.time_limits import Limit
from targets.toolchain import run_step

SPINS = "while :; do :; done"
SLEEPS = "exec sleep 100000"
SPINS_IN_A_CHILD = "(while :; do :; done) & wait"
LITTLE_CPU = Limit(0.05, 100_000.0, "do this")
LITTLE_PATIENCE = Limit(100_000.0, 0.05, "do that")


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Path]:
    """A program with this shell text."""

    def write(text: str) -> Path:
        path = tmp_path / "tool"
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return write


def await_end(handle: int) -> None:
    """Block until a process has ended; the suite's own limit ends this where it does not."""
    select.select([handle], [], [])
    os.close(handle)


@pytest.mark.parametrize("text", [SPINS, SPINS_IN_A_CHILD])
def test_a_tool_that_computes_for_ever_is_stopped_by_its_cpu_time(script: Callable[[str], Path], text: str) -> None:
    """The time of its children counts; the sentence has what was taken, the limit and the next step."""
    with pytest.raises(TookTooLong, match=r"^tool computed for [0-9.]+ s .*the limit is 0\.05 s of CPU; do this$"):
        run([script(text)], LITTLE_CPU)


def test_a_tool_that_waits_for_ever_is_stopped_by_the_clock(script: Callable[[str], Path]) -> None:
    with pytest.raises(TookTooLong, match=r"^tool waited for [0-9.]+ s, computed for .*the limit is 0\.05 s; do that$"):
        run([script(SLEEPS)], LITTLE_PATIENCE)


def test_a_compiler_that_is_stuck_is_a_failed_check(script: Callable[[str], Path], tmp_path: Path) -> None:
    """As `kinefix build` runs it: exit code 1, no traceback."""
    with pytest.raises(TookTooLong, match="tool computed for") as caught:
        run_step(script(SPINS), ["-c", "x.c"], tmp_path, LITTLE_CPU)
    assert caught.value.exit_code == 1


def test_a_limit_begins_anew_while_there_is_progress(script: Callable[[str], Path]) -> None:
    """Five changes, then none: only then is it stopped."""
    looks: list[int] = []

    def progress() -> int:
        looks.append(0)
        return min(len(looks), 10)

    with Program([script(SPINS)]) as program, pytest.raises(TookTooLong):
        program.finish(LITTLE_CPU, progress)
    assert len(looks) > 10


def test_what_a_stopped_tool_started_is_stopped_too(script: Callable[[str], Path], tmp_path: Path) -> None:
    said = tmp_path / "pid"
    os.mkfifo(said)
    with Program([script(f"sleep 100000 & echo $! >{said}; {SPINS}")]) as program:
        handle = os.pidfd_open(int(said.read_text(encoding="utf-8")))
        with pytest.raises(TookTooLong):
            program.finish(LITTLE_CPU)
    await_end(handle)


def test_a_tool_that_is_stopped_may_clear_up(script: Callable[[str], Path], tmp_path: Path) -> None:
    """As a compiler does, whose temporary files stand in a folder of everybody's."""
    ready, left = tmp_path / "ready", tmp_path / "left"
    os.mkfifo(ready)
    with Program([script(f"trap 'rm {left}; exit 1' TERM; touch {left}; echo >{ready}; {SPINS}")]):
        ready.read_text(encoding="utf-8")
        assert left.exists()
    assert not left.exists()


def test_a_tool_that_does_not_listen_is_killed(script: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exporter.programs.ASKED_S", 0.0)
    with Program([script(f"trap '' TERM; {SPINS}")]) as program:
        program.close()
        assert program.process.returncode < 0


def test_a_tool_that_ends_gives_its_code_and_words(script: Callable[[str], Path]) -> None:
    done = run([script("cat; echo no >&2; exit 3")], Limit(600.0, 600.0, ""), stdin="yes")
    assert (done.code, done.out, done.err) == (3, "yes", "no\n")


def test_a_program_that_is_not_there_is_told_as_subprocess_tells_it() -> None:
    with pytest.raises(FileNotFoundError):
        run(["no_such_program_anywhere"], LITTLE_CPU)


USER = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
from exporter.programs import Program
program = Program(["sleep", "100000"])
print(program.process.pid, flush=True)
signal.pause()
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_program_ends_with_its_user_whatever_ends_it(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", USER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as user:
        assert user.stdout is not None
        handle = os.pidfd_open(int(user.stdout.readline()))
        user.send_signal(number)
        await_end(handle)
        assert user.wait() != 0


def test_an_emulation_that_never_ends_is_stopped_by_cpu_time() -> None:
    """A branch to itself, in Thumb: the program counter stays where it is."""
    import unicorn
    from unicorn.arm_const import UC_ARM_REG_PC

    from targets.unicorn_limit import stop_after

    engine = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB)
    engine.mem_map(0, 0x1000)
    engine.mem_write(0x100, bytes.fromhex("fee7"))
    with stop_after(engine, 0.05):
        engine.emu_start(0x101, 0x200)
    assert engine.reg_read(UC_ARM_REG_PC) == 0x100
