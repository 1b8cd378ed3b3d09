"""Does tasks in several processes where this computer has them, and one after the other where not.

In: how many tasks, what does one of them. Out: results, as they end. Processes are forks of this one, so that what is
loaded and prepared is there at once; they end with the iteration, and with this process however it ends. How far a task
is (`sil.shares`) comes through the pipe that answers.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from exporter.errors import CheckFailed
from exporter.interruption import ENDING_SIGNALS, unbroken
from sil.shares import heard_by

Result = TypeVar("Result")
Hear = Callable[[int, float, str], None]
"""Hears of a task, by number, which share of it is done and what is at work there."""
LOOK_S = 1.0
"""How often a process looks whether the one that started it is still there."""


def can_fork() -> bool:
    """Whether processes start as copies of this one: not on Windows, and on macOS its libraries do not stand it."""
    return "fork" in get_all_start_methods() and sys.platform != "darwin"


def usable_processes() -> int:
    """How many processes this one may keep busy at once."""
    if not can_fork():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def finished_tasks(
    work: Callable[[int], Result], tasks: int, processes: int, hear: Hear = lambda *_: None
) -> Generator[tuple[int, Result], None, None]:
    """The number and the result of every task, in the order in which they end; `hear` is told how far each is.

    Raises:
        CheckFailed: a process was ended from outside.
    """
    if min(processes, tasks) <= 1 or not can_fork():
        yield from ((number, _told(work, number, hear)) for number in range(tasks))
        return
    workers: list[_Worker] = []
    try:
        for number in range(min(processes, tasks)):
            workers.append(_started(work))
            workers[-1].ask(number)
        yield from _answers(workers, tasks, hear)
    finally:
        for worker in workers:
            worker.process.kill()  # one that has just begun still has its parent's handler of SIGTERM
        for worker in workers:
            worker.process.join()


def _told(work: Callable[[int], Result], number: int, hear: Hear) -> Result:
    """Do a task, and tell how far it is."""
    with heard_by(lambda share, what: hear(number, share, what)):
        return work(number)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a process says of the task that it is at."""

    number: int
    share: float
    what: str


@dataclass(frozen=True, slots=True)
class _Worker:
    """A process, and this end of the pipe to it."""

    process: BaseProcess
    door: Connection

    def ask(self, number: int) -> None:
        """Give it a task."""
        try:
            self.door.send(number)
        except OSError:
            raise self._gone() from None

    def answer(self) -> Any:
        """What it says of its task, or what became of it: number and result, or the error that it ended with."""
        try:
            answer = self.door.recv()
        except (EOFError, OSError):
            raise self._gone() from None
        if isinstance(answer, _Told):
            return answer
        number, result, error = answer
        if error is not None:
            raise error
        return number, result

    def _gone(self) -> CheckFailed:
        self.process.join()
        return CheckFailed(
            f"a process of the campaign was ended from outside (exit code {self.process.exitcode}), as happens where "
            "memory runs out; give fewer of them with --processes"
        )


def _answers(workers: list[_Worker], tasks: int, hear: Hear) -> Iterator[Any]:
    """Results of all tasks, of which every worker has one; the others are given to whoever ends first."""
    waiting = iter(range(len(workers), tasks))
    busy = {worker.door: worker for worker in workers}
    while busy:
        for door in wait(list(busy)):
            worker = next(each for each in workers if each.door is door)
            found = worker.answer()
            if isinstance(found, _Told):
                hear(found.number, found.share, found.what)
                continue
            following = next(waiting, None)
            if following is None:
                del busy[worker.door]
            else:
                worker.ask(following)
            yield found


def _started(work: Callable[[int], Any]) -> _Worker:
    context = get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(work, there, os.getpid()), daemon=True)
    with unbroken():  # one that has just begun still has the handlers of its parent
        process.start()
    there.close()
    return _Worker(process, here)


def _serve(work: Callable[[int], Any], door: Connection, parent: int) -> None:
    """Do tasks until this process is ended.

    Ctrl-C and the end of a terminal, which reach all of them, are for the one that started them.
    """
    for number in set(ENDING_SIGNALS) - {signal.SIGTERM}:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    while True:
        number = door.recv()
        try:
            result = _told(work, number, lambda *told: door.send(_Told(*told)))
            answer: tuple[int, Any, Exception | None] = (number, result, None)
        except Exception as error:  # noqa: BLE001 - raised again where it is waited for
            answer = (number, None, error)
        door.send(answer)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_S)
    os._exit(1)
