"""The fenced blocks of a documentation page, and a way to run them as a reader would.

In: a Markdown page. Out: its blocks in order; `Reader.read` writes files, runs commands and compares what they print.
A comment on the line before a fence says what the block is:

    <!-- file: NAME -->        it is written to that file
    <!-- part of: NAME -->     every line of it stands in that file; `...` alone skips
    <!-- output -->            it is what the block before printed
    <!-- exit code: N -->      the last command of a console block ends so (0 without this)
    <!-- needs: TOOL ... -->   skipped without these programs (an error where CI=true)
    <!-- if present: TOOL -->  skipped without it, in CI too: the page has another way
    <!-- not run: REASON -->   it is left alone
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(
    r"(?:^<!-- (?P<mark>[a-z ]+?)(?:: (?P<value>[^\n]*))? -->\n)?"
    r"^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
ANYTHING = "..."


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block."""

    language: str
    text: str
    line: int  # of the fence
    mark: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A line after `$ ` of a console block, and what the page says it prints ("" says nothing)."""

    line: str
    shown: str


def blocks_of(page: str) -> tuple[Block, ...]:
    """All fenced blocks, in order."""
    return tuple(
        Block(
            found["language"],
            found["text"],
            page.count("\n", 0, found.start("language")) + 1,
            found["mark"] or "",
            found["value"] or "",
        )
        for found in FENCE.finditer(page)
    )


def commands_of(console: str) -> tuple[Command, ...]:
    """The commands of a console block; a backslash at a line's end joins the next."""
    joined = console.replace("\\\n", " ")
    parts = re.split(r"^\$ ", joined, flags=re.MULTILINE)
    assert not parts[0].strip(), f"a console block begins with '$ ', not with {parts[0]!r}"
    return tuple(Command(*part.partition("\n")[::2]) for part in parts[1:])


def prints(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed, blanks at line ends apart; `...` stands for anything."""
    pieces = [re.escape(piece) for piece in _stripped(shown).split(ANYTHING)]
    return re.fullmatch(".*?".join(pieces), _stripped(printed), re.DOTALL) is not None


def _stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def stands_in(part: str, whole: str) -> bool:
    """Whether the lines of a part stand in a text, consecutively between lines of `...`."""
    rest = _squeezed(whole)
    for piece in re.split(r"^\s*(?:/\* )?\.\.\.(?: \*/)?\s*$", part, flags=re.MULTILINE):
        place = rest.find(_squeezed(piece))
        if place < 0:
            return False
        rest = rest[place:]
    return True


def _squeezed(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


@dataclass
class Reader:
    """Someone who types a page into an empty folder."""

    folder: Path
    page: str  # for messages
    printed: str = ""  # by the last block
    skipped: list[str] = field(default_factory=list)

    def read(self, blocks: Iterable[Block]) -> None:
        """Every block in order; an assertion names the first that is not as the page says."""
        for block in blocks:
            self._read(block)

    def _read(self, block: Block) -> None:
        place = f"{self.page}, line {block.line}"
        match block.mark, block.language:
            case "not run", _:
                self.skipped.append(f"{place}: {block.value}")
            case "file", _:
                path = self.folder / block.value
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            case "part of", _:
                whole = (self.folder / block.value).read_text(encoding="utf-8")
                assert stands_in(block.text, whole), f"{place}: this is not part of {block.value}:\n{whole}"
            case "output", _:
                assert prints(block.text, self.printed), f"{place}: printed was\n{self.printed}"
            case _, "console":
                self._type(block, place)
            case "", "python":
                self.printed = self._run([sys.executable, "-c", block.text], 0, place)
            case _:
                raise AssertionError(f"{place}: a block of '{block.language}' without a mark; see page_blocks.py")

    def _type(self, block: Block, place: str) -> None:
        tools = block.value.split() if block.mark in ("needs", "if present") else []
        lacking = [tool for tool in tools if shutil.which(tool) is None]
        if lacking:
            required = block.mark == "needs" and os.environ.get("CI") == "true"
            assert not required, f"{place}: {lacking[0]} is not installed; run ci/setup"
            self.skipped.append(f"{place}: {lacking[0]} is not installed")
            return
        commands = commands_of(block.text)
        for number, command in enumerate(commands, start=1):
            last = number == len(commands)
            code = int(block.value) if block.mark == "exit code" and last else 0
            self.printed = self._run(["bash", "-c", command.line], code, f"{place}: {command.line}")
            if command.shown.strip():
                assert prints(command.shown, self.printed), f"{place}: {command.line}: printed was\n{self.printed}"

    def _run(self, command: list[str], code: int, place: str) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == code, f"{place}: exit code {done.returncode}, printed\n{done.stdout}"
        return done.stdout


def environment() -> dict[str, str]:
    """Variables of this process, with the commands of this Python first, and a terminal of fixed width."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return {**os.environ, "PATH": path, "COLUMNS": "100", "PYTHONDONTWRITEBYTECODE": "1"}
