"""Whatever a command raises ends in one sentence with the right exit code; files are written whole or not at all."""

import errno
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import gettempdir

import pytest

from exporter.cli import main
from exporter.command_line import CLOSED_PIPE_EXIT_CODE
from exporter.full_disk import temporary_folder
from exporter.interruption import ENDING_SIGNALS, _Handler
from exporter.whole_file import write_whole

COMMANDS = '''
import os, signal, tempfile, time
import click

@click.command()
@click.argument("what")
def probe(what):
    """Fails as it is told."""
    def deep(n):
        return deep(n + 1)
    def closed_terminal():
        try:
            os.kill(os.getpid(), signal.SIGHUP)
        finally:
            raise OSError(5, "Input/output error")
    class Forgotten:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0)
    def dropped():
        Forgotten()
        time.sleep(20)
    actions = {
        "dropped": dropped,
        "recursion": lambda: deep(0),
        "memory": lambda: bytearray(1 << 62),
        "ctrl-c": lambda: os.kill(os.getpid(), signal.SIGINT),
        "supervisor": lambda: os.kill(os.getpid(), signal.SIGTERM),
        "terminal": lambda: os.kill(os.getpid(), signal.SIGHUP),
        "closed terminal": closed_terminal,
        "end of file": lambda: (_ for _ in ()).throw(EOFError("the file ends early")),
        "no module": lambda: __import__("no_such_module_at_all"),
        "lookup": lambda: {}["left"],
        "two lines": lambda: (_ for _ in ()).throw(ValueError("one\\ntwo")),
        "full disk": lambda: (_ for _ in ()).throw(OSError(28, "No space left on device")),
        "silent": lambda: (_ for _ in ()).throw(AssertionError()),
    }
    with tempfile.TemporaryDirectory(prefix="left-", dir="."):
        actions[what]()
    print("went on")
'''


@pytest.fixture
def ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Run kinefix with a command of a package that was installed beside it; exit code and stderr."""
    (tmp_path / "probe_of_endings.py").write_text(COMMANDS)
    facts = tmp_path / "probe_of_endings-1.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: probe-of-endings\nVersion: 1\n")
    (facts / "entry_points.txt").write_text("[kinefix.commands]\nprobe = probe_of_endings:probe\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        printed = capsys.readouterr()
        assert printed.out == ""
        return int(end.value.code or 0), printed.err

    yield run
    sys.modules.pop("probe_of_endings", None)


@pytest.mark.parametrize(
    ("what", "code", "named"),
    [
        ("recursion", 2, "deeper than Python can follow"),
        ("memory", 2, "memory of this computer"),
        ("ctrl-c", 130, "interrupted"),
        ("dropped", 130, "interrupted"),
        ("supervisor", 143, "ended by SIGTERM"),
        ("terminal", 129, "ended by SIGHUP"),
        ("closed terminal", 129, "ended by SIGHUP"),
        ("end of file", 2, "EOFError: the file ends early"),
        ("no module", 2, "install Kinefix again"),
        ("lookup", 2, "KeyError: 'left'"),
        ("two lines", 2, "ValueError: one two"),
        ("full disk", 2, "No space left on device"),
        ("silent", 2, "AssertionError"),
    ],
)
def test_what_a_command_raises_ends_in_a_sentence(
    ended: Callable[..., tuple[int, str]], tmp_path: Path, what: str, code: int, named: str
) -> None:
    """What the command had made for the time being is gone, and signals are heard by whoever heard them before."""
    before = [signal.getsignal(number) for number in ENDING_SIGNALS]
    found, text = ended("probe", what)
    assert found == code
    assert re.fullmatch(r"\n?kinefix: error: [^\n]+\n", text), text  # an empty line closes the terminal's ^C
    assert named in text
    assert "Traceback" not in text
    assert not list(tmp_path.glob("left-*"))
    assert [signal.getsignal(number) for number in ENDING_SIGNALS] == before


PROGRAM = """
import atexit, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
when = sys.argv.pop(1)

class Finder:
    def find_spec(self, name, *_):
        if name == when:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Finder())
if when == "end":
    atexit.register(signal.raise_signal, signal.SIGINT)
from exporter.cli import main
main()
"""


@pytest.mark.parametrize("when", ["click", "importlib.metadata", "exporter.ending", "end"])
def test_ctrl_c_at_either_end_of_a_command_ends_it_in_a_sentence(when: str) -> None:
    """While it loads a module, and when it has done what was asked and its process ends."""
    script = PROGRAM if when == "end" else PROGRAM.replace("sys.argv[1]:", f"{when!r}:")
    done = subprocess.run(
        [sys.executable, "-c", script, when, "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "kinefix: error: interrupted\n")
    assert bool(done.stdout) == (when == "end")


def test_a_signal_that_is_ignored_stays_ignored(ended: Callable[..., tuple[int, str]]) -> None:
    """As `nohup` does with the end of the terminal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with pytest.raises(AssertionError, match="went on"):
            ended("probe", "terminal")
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_way_there_is_shown_where_it_is_asked_for(
    ended: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINEFIX_TRACE", "1")
    code, text = ended("probe", "lookup")
    assert code == 2
    assert "Traceback" in text
    assert text.splitlines()[-1].startswith("kinefix: error: a fault of Kinefix itself: KeyError: 'left'")


def test_an_interrupted_export_leaves_nothing(ended: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    """Ctrl-C while a user's function runs."""
    (tmp_path / "slow.py").write_text("import os, signal\ndef model():\n    os.kill(os.getpid(), signal.SIGINT)\n")
    code, text = ended("export", "slow.py:model", "--out", "out/x")
    assert (code, text.strip()) == (130, "kinefix: error: interrupted")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("export", "slider_crank", "--out", "out/x"), "out/x"),
        (("show", "slider_crank", "--picture", "out/x.svg"), "out/x.svg"),
        (("new", "mine"), "mine.toml"),
    ],
)
def test_a_full_disk_is_named(
    ended: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], named: str
) -> None:
    """The system does not say which one; nothing is left of what was begun."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    code, text = ended(*words)
    assert code == 2
    assert f"{named}': No space left on device; free some space there, or name another place" in text
    assert not [path for path in Path("out").rglob("*") if path.is_file()]


def test_a_full_disk_below_temporary_folders_is_named() -> None:
    """Another error there, and one that has a name, are as they were."""
    for error, named in (
        (OSError(errno.ENOSPC, "full"), gettempdir()),
        (OSError(errno.ENOSPC, "full", "mine"), "mine"),
        (OSError(errno.EAGAIN, "busy"), None),
    ):
        with pytest.raises(OSError, match=r"full|busy") as raised, temporary_folder("kinefix-test-") as folder:
            raise error
        assert raised.value.filename == named
        assert not folder.exists()


def test_a_file_that_cannot_be_replaced_is_as_it_was(tmp_path: Path) -> None:
    """What stands where the file shall be is a folder; nothing is left beside it, and the error names the file."""
    (tmp_path / "x.svg").mkdir()
    with pytest.raises(OSError, match=r"x\.svg"):
        write_whole(tmp_path / "x.svg", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["x.svg"]


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    write_whole(tmp_path / "new" / "x.svg", b"old")
    write_whole(tmp_path / "new" / "x.svg", b"new")
    assert [(path.name, path.read_bytes()) for path in (tmp_path / "new").iterdir()] == [("x.svg", b"new")]


def test_a_ctrl_c_that_is_sent_twice_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrapper passes on what the terminal sent too; somebody who presses again a second later is heard."""
    clock = iter([10.0, 10.1, 11.5])
    monkeypatch.setattr("exporter.interruption.time.monotonic", lambda: next(clock))
    interrupt = _Handler()
    with pytest.raises(KeyboardInterrupt):
        interrupt()
    interrupt()
    with pytest.raises(KeyboardInterrupt):
        interrupt()


def test_a_reader_that_closes_its_pipe_ends_a_command_as_a_shell_expects() -> None:
    """As `kinefix list | head -1` may: no check has failed."""
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [sys.executable, "-u", "-c", "from exporter.cli import main; main()", "list"],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        restore_signals=False,
    )
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (CLOSED_PIPE_EXIT_CODE, b"")
