"""Tasks in several processes: results are those of one, errors are raised here, and nothing is left running."""

import json
import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import closing
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from exporter.errors import CheckFailed, ModelError
from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.complete import with_tunable
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from sil import function_runs, processes
from sil.campaign import run
from sil.options import Options
from sil.pace import Meter, Pace
from sil.processes import can_fork, finished_tasks
from sil.reference import chunks
from sil.report.document import document
from sil.shares import in_parts, one_by_one, part

TASKS = 5
forks = pytest.mark.skipif(not can_fork(), reason="processes cannot be forked here")


def square(number: int) -> int:
    return number * number


@pytest.mark.parametrize("processes", [1, 2, 9])
def test_every_task_is_done_once(processes: int) -> None:
    assert dict(finished_tasks(square, TASKS, processes)) == {number: square(number) for number in range(TASKS)}


@forks
def test_other_processes_do_the_work() -> None:
    made = {pid for _, pid in finished_tasks(lambda _: os.getpid(), TASKS, 2)}
    assert os.getpid() not in made
    assert len(made) == 2


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_of_a_task_is_raised_where_results_are_waited_for(processes: int) -> None:
    def refuse(number: int) -> int:
        raise ModelError(f"task {number} cannot be done")

    with pytest.raises(ModelError, match=r"task [01] cannot be done"):
        dict(finished_tasks(refuse, 1 if processes == 1 else 2, processes))
    assert not active_children()


@forks
def test_a_process_that_is_ended_from_outside_is_told() -> None:
    """As the system does where memory runs out; it would be waited for without end."""
    with pytest.raises(CheckFailed, match=r"ended from outside .exit code -9.*fewer of them with --processes"):
        dict(finished_tasks(lambda _: os.kill(os.getpid(), signal.SIGKILL), 2, 2))
    assert not active_children()


@forks
def test_processes_end_where_their_parent_does_not_end_at_sigterm(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are forks: one that has only begun would hear SIGTERM as its parent does, and wait for ever."""
    forked = 0
    start, serve = processes._started, processes._serve

    def counted(work: Callable[[int], Any]) -> processes._Worker:
        nonlocal forked
        forked += 1
        return start(work)

    def late(*arguments: Any) -> None:
        time.sleep(0.0 if forked == 1 else 1.0)
        serve(*arguments)

    monkeypatch.setattr(processes, "_started", counted)
    monkeypatch.setattr(processes, "_serve", late)
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with pytest.raises(CheckFailed, match="ended from outside"):
            dict(finished_tasks(lambda number: None if number else os.kill(os.getpid(), signal.SIGKILL), 2, 2))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert active_children() == []


@forks
def test_a_process_that_was_ended_between_its_tasks_is_told() -> None:
    """It answered, and is gone when it is to go on; one that is there takes its task."""
    worker = processes._started(str)
    worker.ask(3)
    assert worker.answer() == (3, "3")
    worker.process.kill()
    worker.process.join()
    with pytest.raises(CheckFailed, match="ended from outside \\(exit code -9\\)"):
        worker.ask(4)


def test_nothing_runs_on_when_results_are_no_longer_wanted() -> None:
    """After Ctrl-C, for one, which the processes themselves do not hear."""

    def interrupted(number: int) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return number

    with closing(finished_tasks(interrupted, TASKS, 2)) as results:
        assert next(results)[0] in (0, 1)
        assert len(active_children()) == 2
    assert not active_children()


@forks
def test_a_campaign_is_the_same_in_any_number_of_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At several sets of parameters, whose lots end in any order; and it is told how far it is."""
    monkeypatch.setattr(function_runs, "FEWEST_SHARED_VECTORS", 0)
    mechanism = with_tunable(read_mechanism(model_path("slider_crank")), ["l1"])
    program = program_of_mechanism(mechanism, "float64")
    export = write_export(program, tmp_path, canonical(mechanism))
    options = Options(functions=("position", "velocity"), count=60, runner="interpreter")
    said: list[str] = []
    documents = [
        json.dumps(document(run(export, options, program, progress=said.append, processes=processes)))
        for processes in (1, 2, 3)
    ]
    assert documents[0] == documents[1] == documents[2]
    assert "100% of" in said[-1]
    assert said[-1].endswith(" 0 s left")


def shares_said(lines: list[str]) -> list[int]:
    """The percentages of progress lines."""
    return [int(found[1]) for line in lines if (found := re.match(r"(\d+)% of ", line))]


@pytest.mark.parametrize("count", [1, 2])
def test_a_campaign_of_few_large_tasks_says_how_far_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """One of all vectors, or two in two processes, in chunks of few vectors."""
    monkeypatch.setattr(function_runs, "FEWEST_SHARED_VECTORS", 0)
    monkeypatch.setattr(chunks, "CHUNK", 7)
    mechanism = read_mechanism(model_path("slider_crank"))
    program = program_of_mechanism(mechanism, "float64")
    export = write_export(program, tmp_path, canonical(mechanism))
    options = Options(functions=("velocity", "position")[:count], count=60, runner="interpreter")
    said: list[str] = []
    run(export, options, program, progress=said.append, processes=count)
    shares = shares_said(said)
    assert shares == sorted(shares)
    assert len(set(shares)) > 10
    assert all("a second" in line and "left" in line for line in said[-5:])
    assert any(line.endswith("velocity, nominal: checking rates") for line in said)


@pytest.mark.parametrize("count", [1, 2])
def test_how_far_a_task_is_comes_from_wherever_it_is_done(count: int) -> None:
    def work(number: int) -> int:
        with part("first", 0.0, 0.5):
            list(one_by_one("ab"))
        in_parts("cd", str, str, 0.5)
        return number

    heard: list[tuple[int, float, str]] = []
    assert dict(finished_tasks(work, 2, count, lambda *told: heard.append(told))) == {0: 0, 1: 1}
    for task in range(2):
        assert [(share, what) for number, share, what in heard if number == task] == [
            (0.0, "first"), (0.125, "first"), (0.25, "first"), (0.5, "c"), (0.75, "d")
        ]  # fmt: skip


def test_the_line_names_a_task_that_is_at_work_and_none_that_has_ended() -> None:
    said: list[str] = []
    meter = Meter(["position, nominal", "velocity, nominal"], [10, 30], said.append)
    meter.hear(0, 0.5, "checking points")
    meter.hear(1, 0.5, "making vectors")
    meter.end(1)
    meter.end(0)
    assert [line.split(" of 40 vectors")[0] for line in said] == ["12%", "50%", "88%", "100%"]
    assert [line.split(" left")[1] for line in said] == [
        ": position, nominal: checking points", ": velocity, nominal: making vectors",
        ": position, nominal: checking points", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pace", "text"),
    [
        (Pace(0, 600_000, 0.0), "600,000 vectors"),
        (Pace(150_000, 600_000, 10.0), "25% of 600,000 vectors, 15,000 a second, 30 s left"),
        (Pace(100, 600_000, 1.0), "0% of 600,000 vectors, 100 a second, 100 min left"),
        (Pace(10, 600_000, 1.0), "0% of 600,000 vectors, 10 a second, 16.7 h left"),
    ],
)
def test_the_rest_takes_as_long_as_what_is_done_lets_expect(pace: Pace, text: str) -> None:
    assert pace.text == text
