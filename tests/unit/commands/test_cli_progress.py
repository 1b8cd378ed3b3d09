"""What commands say while one waits: on a terminal a line that is gone at the end, elsewhere nothing."""

import io
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from rich.console import Console

from exporter.commands.printing import progress
from exporter.errors import ModelError
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.analysis import samples
from exporter.kinematics.planar import assembly
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.progress import Step, counted, heard_by, say, within
from exporter.sequence import limiting

Heard = list[tuple[Step, ...]]


@pytest.fixture(autouse=True)
def no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """As at a user's desk."""
    for name in ("CI", "NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def heard() -> Iterator[Heard]:
    """What a listener hears."""
    said: Heard = []
    with heard_by(said.append):
        yield said


def terminal(seconds: float = 0.0, width: int = 60) -> Console:
    """A terminal that keeps what is written to it, with a clock that is `seconds` on at every second look."""
    looks = iter(range(10**6))
    return Console(
        file=io.StringIO(), force_terminal=True, width=width, get_time=lambda: seconds if next(looks) else 0.0
    )


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def lines(console: Console) -> list[str]:
    """The texts that stood there, one after the other, without colours and spinner."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written(console))
    return [line[2:] for line in re.split(r"[\r\n]+", plain) if line.strip()]


def screen(text: str) -> list[str]:
    """What a terminal shows in the end: carriage returns, new lines, one up, erase a line."""
    rows, row = [""], 0
    for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", text):
        if part == "\n":
            row += 1
            rows += [""] * (row + 1 - len(rows))
        elif part == "\x1b[1A":
            row -= 1
        elif part == "\x1b[2K":
            rows[row] = ""
        elif not part.startswith("\x1b") and part != "\r":
            rows[row] = part
    return [each for each in rows if each]


def test_whoever_says_something_needs_nobody_who_listens() -> None:
    say("alone")
    with within("outer"):
        assert list(counted("item", (1, 2))) == [1, 2]


def test_a_step_is_said_before_its_work_and_with_its_number(heard: Heard) -> None:
    for item in counted("writing", ("position", "velocity")):
        heard.append((Step(f"work on {item}"),))
    assert [steps[0].text() for steps in heard] == [
        "writing position (1 of 2)", "work on position", "writing velocity (2 of 2)", "work on velocity"
    ]  # fmt: skip


def test_a_part_is_heard_with_what_it_is_part_of(heard: Heard) -> None:
    with within("newton", 2, 7):
        say("compiling")
    say("after")
    assert [[step.text() for step in steps] for steps in heard] == [
        ["newton (2 of 7)"], ["newton (2 of 7)", "compiling"], ["after"]
    ]  # fmt: skip


def test_an_error_ends_what_is_said_of_a_step(heard: Heard) -> None:
    with pytest.raises(ModelError), within("outer"):
        raise ModelError("no")
    say("after")
    assert [step.what for step in heard[-1]] == ["after"]


def test_a_terminal_shows_what_is_done_how_far_it_is_and_for_how_long() -> None:
    console = terminal(seconds=75)
    with progress("comparing", console), within("newton", 2, 7):
        say("compiling at -O2", 1, 4)
    assert lines(console)[-1].split("  ")[0].rstrip() == "newton (2 of 7): compiling at -O2 (1 of 4) 0:01:15"


def test_before_the_first_step_stands_what_the_command_does() -> None:
    console = terminal()
    with progress("exporting [/a]", console):
        pass
    assert lines(console)[0].startswith("exporting [/a] 0:00:00")


@pytest.mark.parametrize("ends", [None, KeyboardInterrupt, ModelError])
def test_nothing_of_it_is_left(ends: type[BaseException] | None) -> None:
    """Whichever way it ends; the cursor is shown again."""
    console = terminal()
    if ends is None:
        with progress("exporting", console):
            say("writing")
    else:
        with pytest.raises(ends), progress("exporting", console):
            raise ends("end")
    assert screen(written(console)) == []
    assert written(console).rindex("\x1b[?25h") > written(console).rindex("\x1b[?25l")


def test_a_long_step_stays_on_one_line() -> None:
    """A line that wraps would leave parts of itself behind."""
    console = terminal(width=40)
    with progress("exporting", console):
        say("looking for a triangular form that shares all but 1 of z, rack, and others")
    assert all(len(line) <= 40 for line in lines(console))
    assert screen(written(console)) == []


@pytest.mark.parametrize("width", [24, 40, 60, 200])
def test_the_clock_is_seen_at_any_width_and_names_are_cut_first(width: int) -> None:
    console = terminal(seconds=75, width=width)
    with progress("analysing", console), within("choice", 2, 60, ", ".join(f"x{k}" for k in range(99))):
        say("solving the loops", 3, 9)
    last = lines(console)[-1].rstrip()
    assert last.endswith("0:01:15")
    assert last.startswith("choice (2 of 60): solving the loops (3 of 9), x0, x1"[: width - 12])


def test_following_poses_says_at_which_stage_it_is(heard: Heard) -> None:
    """A mechanism without a triangular form takes so many."""
    samples.sampled(read_mechanism(model_path("four_bar")), None)
    assert "sampling configurations: stage (12 of 12)" in [steps[-1].text() for steps in heard]


def test_what_is_said_cannot_steer_the_terminal() -> None:
    console = terminal()
    with progress("exporting", console):
        say("\x1b[2Jgone [red]x")
    assert "\x1b[2J" not in written(console)
    assert "[red]x" in written(console)


def test_colours_are_left_out_where_nobody_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    console = terminal()
    with progress("exporting", console):
        say("writing")
    assert not re.search(r"\x1b\[[0-9;]*m", written(console))


@pytest.mark.parametrize(("name", "value"), [("CI", "true"), ("TERM", "dumb")])
def test_logs_and_dumb_terminals_get_nothing(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    console = terminal()
    with progress("exporting", console) as tell:
        tell("writing")
    assert written(console) == ""


def test_a_pipe_gets_nothing() -> None:
    console = Console(file=io.StringIO())
    with progress("exporting", console):
        say("writing")
    assert written(console) == ""


def test_a_long_row_says_how_far_each_step_is(heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops, assemblies where there are many, operations, and pivots in space are counted."""
    monkeypatch.setattr(limiting, "TOLD_OPERATIONS", 10)
    monkeypatch.setattr(assembly, "MOST_TWO_ROOT_BLOCKS", 1)
    row, corner = (
        replace(read_mechanism(model_path(name)), model_hash=f"{name}, not solved before")
        for name in ("stephenson_iii", "corner_front")
    )
    program = program_of_mechanism(row, "float64", only=("position",))
    program_of_mechanism(corner, "float32", only=("dynamics",))
    said = [steps[-1].text() for steps in heard]
    assert "solving the loops one after the other (2 of 2)" in said
    assert "telling the assemblies of the loops apart (2 of 2)" in said
    assert "bounding the pivots of the mass matrix (2 of 2)" in said
    assert "solving the equations of motion (2 of 2)" in said
    shares = [each for each in said if each.startswith("proving that position stays finite: operation (")]
    assert shares[0].startswith("proving that position stays finite: operation (10 of ")
    assert len(shares) >= len(program.functions[0].operations) // 10 - 1


def test_an_export_says_which_function_it_writes(heard: Heard) -> None:
    program_of_mechanism(read_mechanism(model_path("slider_crank")), "float32", only=("position", "velocity"))
    assert [steps[-1].text() for steps in heard][-6:] == [
        "writing position (1 of 2)", "simplifying position", "proving that position stays finite",
        "writing velocity (2 of 2)", "simplifying velocity", "proving that velocity stays finite",
    ]  # fmt: skip
