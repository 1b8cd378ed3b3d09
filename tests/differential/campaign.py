"""Many random mechanisms against the reference: resumable, in several processes, with a table at the end.

    .venv/bin/python tests/differential/campaign.py --count 5000 --results build/random.jsonl --workers 2

The results file has one line a mechanism, behind a first line with the seed; a run that was stopped goes on where it
ended. With `--machines` bodies have mass and forces read the state; 256 random rows, float64 alone. With `--practice`
they are in space: platforms, legs, struts, shafts, spherical loops, crosses as hinges. A mechanism whose
export takes longer than the limit of processor time is counted as without an end. Exit code 1 where one disagrees
without a flag, or where the product crashed.
"""

import argparse
import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from agreement import COUNTS
from trial import COMPILED_EVERY, MACHINE_ROWS, PRECISIONS, ROWS, Trial, trial

LIMIT = 120  # s of processor time a mechanism
TASKS = 100  # mechanisms that a process tries
ENDLESS = "without an end"
SILENCE = 30  # s of processor time without a sign of life that a user may wait


class OutOfTimeError(Exception):
    """The limit of processor time."""


def _give_up(*_: object) -> None:
    raise OutOfTimeError


def timed_trial(seed: str, index: int, *, machine: bool = False, practice: bool = False) -> str:
    """One line of the results; nothing that happens here ends the campaign."""
    precisions, rows = (PRECISIONS[:1], MACHINE_ROWS) if machine else (PRECISIONS, ROWS)
    signal.signal(signal.SIGPROF, _give_up)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        compiled = index % COMPILED_EVERY == 0
        result = trial(f"{seed}/{index}", compiled, precisions, rows, machine=machine, practice=practice)
    except OutOfTimeError:
        result = Trial(f"{seed}/{index}", outcome="crashed", reason=ENDLESS)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
        result = Trial(f"{seed}/{index}", outcome="crashed", reason=type(error).__name__, message=str(error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return result.line()


def finished(path: Path, seed: str) -> list[dict[str, Any]]:
    """What an earlier run left; a line that was torn is run again.

    Raises:
        SystemExit: the file is of another seed.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"seed": seed}) + "\n")
        return []
    whole = path.read_text().rpartition("\n")[0]
    first, *lines = whole.split("\n")
    if json.loads(first) != {"seed": seed}:
        raise SystemExit(f"{path} is of {first}; give that seed, or another file")
    fresh = path.with_suffix(".part")
    fresh.write_text(whole + "\n")
    fresh.replace(path)
    return [json.loads(line) for line in lines]


def run(seed: str, indices: list[int], workers: int, *, machine: bool = False, practice: bool = False) -> Iterator[str]:
    """Lines, in the order in which they end.

    Processes are started anew for each batch, for what they remember grows. The pool's own `max_tasks_per_child` is
    not taken: with it a pool of Python 3.11 may wait for ever once all of its processes have ended.
    """
    size = workers * TASKS
    for batch in (indices[start : start + size] for start in range(0, len(indices), size)):
        with ProcessPoolExecutor(workers, initializer=_end_with, initargs=(os.getpid(),)) as pool:
            waiting = [pool.submit(timed_trial, seed, index, machine=machine, practice=practice) for index in batch]
            try:
                for done in as_completed(waiting):
                    yield done.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)


def _end_with(parent: int) -> None:
    """End this process when the campaign is gone, however it ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def table(results: list[dict[str, Any]]) -> str:
    """What a person reads."""
    outcomes = Counter(f"{r['kind'] or '?'} {r['outcome']}" for r in results)
    refused = Counter(r["reason"] for r in results if r["outcome"] == "refused")
    false_refusals = Counter(r["reason"] for r in results if r["false_refusal"])
    crashed = Counter(r["reason"] for r in results if r["outcome"] == "crashed")
    only32 = Counter(r["refused_float32"] for r in results if r["refused_float32"])
    totals = {name: sum(r["counts"].get(name, 0) for r in results) for name in COUNTS}
    alarms: Counter[str] = Counter()
    for result in results:
        alarms.update(result["alarms"])
    wrong = [r for r in results if r["disagreements"]]
    silent = [r for r in results if r.get("silence", 0.0) > SILENCE]
    lines = [f"{len(results):,} mechanisms, {sum(r['compiled'] for r in results):,} through compiled C"]
    lines += [f"  {name:32} {count:8,}" for name, count in sorted(outcomes.items())]
    for title, counted in (
        ("refused, by the class of the reason", refused),
        ("of these false refusals", false_refusals),
        ("refused in float32 alone", only32),
        ("crashed", crashed),
        ("false alarms, by condition", alarms),
    ):
        lines += [title, *(f"  {name:32} {count:8,}" for name, count in sorted(counted.items()))] if counted else []
    lines += [f"{name.replace('_', ' '):34} {count:8,}" for name, count in totals.items()]
    furthest = max((r.get("furthest", 0.0) for r in results), default=0.0)
    lines += [f"{'furthest of the forced':34} {furthest:8.1g}"]
    lines += [
        f"silent for more than {SILENCE} s of processor time  {len(silent):,}",
        *(f"  {r['seed']}" for r in silent),
    ]
    lines += [f"mechanisms that disagree without a flag  {len(wrong):,}"]
    lines += [f"  {result['seed']}: {result['disagreements'][0]}" for result in wrong]
    return "\n".join(lines)


def failed(results: list[dict[str, Any]]) -> bool:
    """Whether anything is wrong: false alarms and refusals are printed, and are no failure."""
    return any(result["disagreements"] or result["outcome"] == "crashed" for result in results)


def main() -> int:
    """Run, print, and say by the exit code whether all agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", default="5000", help="of all mechanisms (default: %(default)s)")
    parser.add_argument("--count", type=int, default=5000, help="mechanisms in all (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--machines", action="store_true", help="with masses, and forces that read the state")
    parser.add_argument("--practice", action="store_true", help="spatial mechanisms as practice has them")
    parser.add_argument("--results", type=Path, default=Path("build/random-mechanisms.jsonl"))
    given = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read by the processes that are started
    given.seed += " machines" if given.machines else ""
    given.seed += " practice" if given.practice else ""
    results = finished(given.results, given.seed)
    known = {result["seed"] for result in results}
    indices = [index for index in range(given.count) if f"{given.seed}/{index}" not in known]
    print(f"seed {given.seed}: {len(known)} of {given.count} are done, in {given.results}", flush=True)
    with given.results.open("a") as file:
        for line in run(given.seed, indices, given.workers, machine=given.machines, practice=given.practice):
            file.write(line + "\n")
            file.flush()
            results.append(json.loads(line))
            if len(results) % 50 == 0:
                wrong = sum(bool(result["disagreements"]) for result in results)
                print(f"{len(results)} of {given.count}, {wrong} disagree", flush=True)
    print(table(results))
    return int(failed(results))


if __name__ == "__main__":
    sys.exit(main())
