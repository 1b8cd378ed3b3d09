"""Every example that a command shows in its --help runs as it stands, after those that it builds on."""

import re
import shlex
import shutil
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from click.testing import CliRunner

from exporter.cli import kinefix

ROOT = Path(__file__).resolve().parents[3]
COMMANDS = tuple(sorted(entry_points(group="kinefix.commands").names))
BUILDS_ON = {
    "show": ("new",),
    "export": ("new",),
    "build": ("export",),
    "audit": ("export",),
    "sil": ("export",),
    "hil": ("export",),
    "report": ("sil", "hil"),
}
TOOLS = {
    "build": ("gcc",),
    "audit": ("arm-none-eabi-gcc",),
    "sil": ("gcc",),
    "hil": ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"),
    "report": ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"),
}
MARK = {"build": "compiled", "sil": "compiled", "audit": "emulated", "hil": "emulated", "report": "emulated"}


def examples_of(*command: str) -> list[str]:
    """The lines in a help that a user can type, under Example: or "A first run:"."""
    printed = CliRunner().invoke(kinefix, [*command, "--help"], terminal_width=200).output
    text = re.split("Example:|A first run:", printed, maxsplit=1)[-1]
    return re.findall(r"^\s+(kinefix .+)$", text, re.MULTILINE)


class Workshop:
    """A folder in which examples run, each command's once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.done: dict[str, list[tuple[str, int, str]]] = {}

    def run(self, command: str) -> list[tuple[str, int, str]]:
        """Line, exit code and output of every example, after what it builds on."""
        if command not in self.done:
            for earlier in BUILDS_ON.get(command, ()):
                self.run(earlier)
            self.done[command] = [self.type(line) for line in examples_of(command)]
        return self.done[command]

    def type(self, line: str) -> tuple[str, int, str]:
        """Line, exit code and output of one."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            result = CliRunner().invoke(kinefix, shlex.split(line)[1:])
        return line, result.exit_code, f"{result.output}{result.exception or ''}"


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """A folder with the repository's examples in it, as a user has them."""
    folder = tmp_path_factory.mktemp("workshop")
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    return Workshop(folder)


@pytest.mark.parametrize(
    "command",
    [pytest.param(name, marks=getattr(pytest.mark, MARK[name]) if name in MARK else ()) for name in COMMANDS],
)
def test_the_examples_of_a_command_run(workshop: Workshop, require_tool: Callable[[str], str], command: str) -> None:
    """Exit code 0. The doctor's may be 2: it tells that a tool is missing."""
    for tool in TOOLS.get(command, ()):
        require_tool(tool)
    outcomes = workshop.run(command)
    assert outcomes, f"kinefix {command} --help shows no example"
    for line, code, output in outcomes:
        assert shlex.split(line)[1] == command
        assert code in ({0, 2} if command == "doctor" else {0}), f"{line}\n{output}"


@pytest.mark.compiled
def test_the_first_run_of_the_help_runs(tmp_path: Path, require_tool: Callable[[str], str]) -> None:
    """In an empty folder, from a new mechanism to its verification."""
    require_tool("gcc")
    lines = examples_of()
    assert [shlex.split(line)[1] for line in lines] == ["new", "show", "export", "sil"]
    outcomes = [Workshop(tmp_path).type(line) for line in lines]
    assert [code for _, code, _ in outcomes] == [0, 0, 0, 0], outcomes
