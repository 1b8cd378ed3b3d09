"""Processes of the bench: no emulator outlives its user, two users share one bench, a warm cache builds nothing."""

import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import ModuleType

import psutil
import pytest
from seeded_stall import build_with_stall

from exporter.errors import CheckFailed
from exporter.export import load_export, write_export
from hil.bench import read_bench
from hil.bench_runtime import open_bench
from hil.campaign import Plan, run_campaign
from hil.check_names import BenchCheck
from hil.device import require_reachable
from hil.errors import BenchError, FrameTimeout, LinkError
from hil.freerun import run_free
from sil.verdict import Outcome
from targets.profile import load_profile

pytestmark = pytest.mark.emulated

KINEFIX = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
from exporter.cli import main
sys.exit(main())
"""
BENCH = """
schema = 1
[bench]
name = "processes"
target = "emulated"
export = "export"
function = "dostep"
[target.emulated]
kind = "emulated"
[timing]
period = "1 ms"
"""
TOLD = """#!/bin/sh
case "$*" in *-machine*) echo $$ >"{pipe}" ;; esac
exec "{real}" "$@"
"""
"""An emulator that says which process it is."""

VERSION_ONLY = """#!/bin/sh
case "$*" in --version) exec "{real}" "$@" ;; esac
echo "compiled again" >&2; exit 1
"""
"""A compiler that compiles nothing."""


@pytest.fixture(scope="module")
def export(
    require_tool: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
    load_data_module: Callable[[str], ModuleType],
) -> Path:
    """The hand-written slider-crank, exported."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)
    folder = tmp_path_factory.mktemp("processes") / "export"
    write_export(load_data_module("sample_program").slider_crank_program("float32", tunable=True), folder, {})
    return folder


@pytest.fixture
def bench(export: Path, tmp_path: Path) -> Path:
    """A bench file beside its export, with a cold cache."""
    shutil.copytree(export, tmp_path / "export")
    (tmp_path / "bench.toml").write_text(BENCH, encoding="utf-8")
    return tmp_path / "bench.toml"


@pytest.fixture(scope="module")
def warm(export: Path) -> Path:
    """A bench file beside its export, with everything built."""
    path = export.parent / "bench.toml"
    path.write_text(BENCH, encoding="utf-8")
    open_bench(read_bench(path)).close()
    return path


def instead(folder: Path, tool: str, text: str, **words: object) -> dict[str, str]:
    """The environment with a script before the real tool."""
    folder.mkdir(exist_ok=True)
    script = folder / tool
    script.write_text(text.format(real=shutil.which(tool), **words), encoding="utf-8")
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def kinefix(*words: str | Path, environment: dict[str, str] | None = None) -> "subprocess.Popen[str]":
    """The command in a process of its own."""
    command = [sys.executable, "-c", KINEFIX, *map(str, words)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_kinefix_that_is_ended_leaves_no_emulator(warm: Path, tmp_path: Path, number: signal.Signals) -> None:
    """Whatever it was doing when the signal came."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    environment = instead(tmp_path / "tools", "qemu-system-arm", TOLD, pipe=pipe)
    with kinefix("hil", warm, "--lockstep", "0", "--free-run", "100000000", environment=environment) as user:
        handle = os.pidfd_open(int(pipe.read_text(encoding="utf-8")))
        user.send_signal(number)
        select.select([handle], [], [])
        os.close(handle)
        user.communicate()
        assert user.returncode != 0


def test_two_processes_share_one_bench_file_from_a_cold_cache(bench: Path) -> None:
    arguments = ("hil", bench, "--lockstep", "5", "--free-run", "50")
    with kinefix(*arguments) as first, kinefix(*arguments) as second:
        said = [(each.communicate()[0], each.returncode) for each in (first, second)]
    assert [code for _, code in said] == [0, 0], said
    assert len(list((bench.parent / "bench-work" / "host").glob("*/libslider_crank.so"))) == 1
    assert len(list((bench.parent / "bench-work" / "firmware").glob("*/firmware.elf"))) == 1


def test_a_warm_cache_compiles_nothing(warm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for this computer nor for the device; another function of the export is another entry."""
    for tool in ("gcc", "arm-none-eabi-gcc"):
        monkeypatch.setenv("PATH", instead(tmp_path / "tools", tool, VERSION_ONLY)["PATH"])
    open_bench(read_bench(warm)).close()
    with pytest.raises(CheckFailed, match="compiled again"):
        open_bench(replace(read_bench(warm), function="position"))


@pytest.mark.usefixtures("export")
def test_a_model_is_exported_once(tmp_path: Path) -> None:
    """The second opening does not even load what composes functions."""
    (tmp_path / "bench.toml").write_text(BENCH.replace('export = "export"', 'model = "slider_crank"'), encoding="utf-8")
    code = (
        "import sys\nfrom pathlib import Path\nfrom hil.bench import read_bench\n"
        "from hil.bench_runtime import open_bench\n"
        "open_bench(read_bench(Path(sys.argv[1]))).close()\nprint('exporter.functions.program' in sys.modules)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "bench.toml")]
    said = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert said == ["True\n", "False\n"]


def test_an_emulator_that_crashes_is_quoted(warm: Path, tmp_path: Path) -> None:
    """A firmware that is no program: the core locks up at once, and what QEMU says of it stands in the error."""
    elf = tmp_path / "firmware.elf"
    elf.write_bytes(b"no ELF")
    given = read_bench(warm)
    over_pty = replace(given, target=replace(given.target, elf=elf), link=replace(given.link, kind="pty"))
    with pytest.raises(LinkError, match=r"ended with signal SIGABRT and said: qemu: fatal: Lockup[^;]*$"):
        open_bench(over_pty)


@pytest.mark.parametrize("link", ["tcp", "can"])
def test_an_emulator_that_is_killed_cuts_the_run_short(warm: Path, link: str) -> None:
    """Between lockstep, which is judged, and the free run, of which nothing is said."""
    given = read_bench(warm)
    bench = replace(given, link=replace(given.link, kind=link), timeouts=replace(given.timeouts, reply_s=0.5))

    def kill(phase: str) -> None:
        if "activations" in phase:
            for child in psutil.Process().children(recursive=True):
                if "qemu" in child.name():
                    child.kill()

    result = run_campaign(bench, Plan(lockstep=10, free_run=100, vectors=16, seed=1), kill)
    outcomes = {verdict.check: verdict.outcome for verdict in result.verdicts}
    assert outcomes[BenchCheck.FINISHED] is Outcome.FAILED
    assert outcomes[BenchCheck.LOCKSTEP] is Outcome.PASSED
    assert BenchCheck.MISSED not in outcomes
    assert not result.passed
    assert "the emulator ended with signal SIGKILL and said: nothing; before, " in result.headline


def test_firmware_of_another_core_is_refused_before_it_is_started(warm: Path, tmp_path: Path) -> None:
    """It would be waited for in vain; the right one opens, and what names no core is tried."""
    given, elves = read_bench(warm), {}
    for profile in ("arm-m3", "arm-m4f", "arm-m7"):
        elves[profile] = tmp_path / profile
        flags = load_profile(profile).core_flags
        command = ["arm-none-eabi-gcc", *flags, "-x", "c", "-c", os.devnull, "-o", str(elves[profile])]
        subprocess.run(command, check=True)
    for profile, emulated in product(elves, elves):
        bench = replace(given, target=replace(given.target, elf=elves[profile], profile=emulated))
        if profile == emulated:
            require_reachable(bench)
            continue
        with pytest.raises(BenchError, match=rf"for Armv7E?-M with .*, and profile '{emulated}' emulates Arm"):
            require_reachable(bench)


def test_a_device_that_freezes_in_a_free_run_is_found(warm: Path, tmp_path: Path) -> None:
    """The fourth call takes 80 s of virtual time, and no interrupt comes meanwhile: nothing answers any more."""
    given = read_bench(warm)
    firmware = build_with_stall(load_export(warm.parent / "export"), "dostep", tmp_path, 3, 2_000_000_000)
    limits = replace(given.timeouts, run_s=0.1, reply_s=0.1, retries=0)
    frozen = replace(given, target=replace(given.target, elf=firmware.elf), timeouts=limits)
    with open_bench(frozen) as runtime, pytest.raises(FrameTimeout, match=r"computing time|came to activation"):
        run_free(runtime, 100, runtime.bench.timing, 16, seed=1)
