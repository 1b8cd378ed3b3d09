"""Mutation run: faults are drawn by a fixed seed until each area has enough that count; who finds them is told.

    python tests/mutation/run.py [--area AREA] [--each 20] [--folder build/mutation] [--workers 2]

It goes on where it stopped: FOLDER/results.jsonl keeps a line for each mutant. What SIL and the bench do not find is
tried on the unit tests. At the end a table by area and operator, and every mutant that nothing found.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from areas import AREAS, ROOT, SEED, Mutant, drawn
from mutant_judge import REACHED, models_at
from values import NAMES

HERE = Path(__file__).resolve().parent
COUNTS = ("found", "not found")
TESTS = ("tests/unit", "tests/compiled")
Result = dict[str, Any]


def main() -> None:
    """Run the areas that were asked for and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--area", choices=list(AREAS), action="append", help="only this one; may be given again")
    parser.add_argument("--each", type=int, default=20, help="faults that count, of each area")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutation")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--without-tests", action="store_true", help="leave out the unit tests on what is not found")
    chosen = parser.parse_args()
    _right_values(chosen.folder)
    done = _known(chosen.folder)
    print(f"seed {SEED}, {sum(len(drawn(area)) for area in chosen.area or AREAS):,} possible faults")
    for area in chosen.area or AREAS:
        _run_area(area, chosen, done)
    if not chosen.without_tests:
        _try_tests(chosen, done)
    _print(done, chosen.area or list(AREAS))


def _right_values(folder: Path) -> None:
    for model in NAMES:
        if not (folder / f"{model}.{REACHED}").exists():
            _judge(f"values:{model}", folder)


def _known(folder: Path) -> dict[str, Result]:
    path = folder / "results.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {entry["name"]: entry for entry in map(json.loads, lines)}


def _run_area(area: str, chosen: argparse.Namespace, done: dict[str, Result]) -> None:
    """Judge mutants in their order until enough count; a few more may be judged, which then are not taken."""
    waiting = drawn(area)
    with ThreadPoolExecutor(chosen.workers) as pool:
        while len(_counted(area, done)) < chosen.each and waiting:
            batch = [waiting.pop(0) for _ in range(min(chosen.workers, len(waiting)))]
            fresh = [mutant for mutant in batch if mutant.name not in done]
            for mutant, result in zip(fresh, pool.map(lambda each: _result(each, chosen.folder), fresh), strict=True):
                _keep(chosen.folder, done, result)
                print(
                    f"{area} {len(_counted(area, done))}/{chosen.each}: {result['outcome']}: {mutant.sentence}",
                    flush=True,
                )


def _counted(area: str, done: dict[str, Result]) -> list[Result]:
    return [entry for entry in done.values() if entry["area"] == area and entry["outcome"] in COUNTS]


def _result(mutant: Mutant, folder: Path) -> Result:
    about = {"name": mutant.name, "area": mutant.area, "operator": mutant.fault.operator, "what": mutant.sentence}
    if not models_at(mutant, folder):
        return about | {"outcome": "equivalent", "by": "no model reaches the line", "model": "", "moved": 0.0}
    return about | _judge(mutant.name, folder)


def _judge(what: str, folder: Path) -> Result:
    """In a process of its own: a fault may do anything."""
    done = subprocess.run(
        [sys.executable, str(HERE / "mutant_judge.py"), what, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    lines = done.stdout.strip().splitlines()
    if what.startswith("values:"):
        if done.returncode:
            sys.exit(done.stderr)
        return {}
    try:
        found: Result = json.loads(lines[-1])
    except (IndexError, json.JSONDecodeError):
        lost = "no end" if done.returncode < 0 else done.stderr.strip()[-200:]
        return {"outcome": "no export", "by": lost, "model": "", "moved": 0.0}
    return found


def _keep(folder: Path, done: dict[str, Result], result: Result) -> None:
    done[result["name"]] = result
    with (folder / "results.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(result) + "\n")


def _try_tests(chosen: argparse.Namespace, done: dict[str, Result]) -> None:
    """Unit tests with the fault in place, for what no verdict found."""
    for entry in list(done.values()):
        if entry["outcome"] == "not found" and not entry.get("tests"):
            print(f"unit tests on {entry['what']}", flush=True)
            _keep(chosen.folder, done, entry | {"tests": _failing_test(entry["name"])})


def _failing_test(name: str) -> str:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "2", "-m", "not slow", "-p", "mutant", *TESTS]
    environment = os.environ | {"KINEFIX_MUTANT": name, "PYTHONPATH": str(HERE)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0][:200] if failed else "none"


def _print(done: dict[str, Result], areas: list[str]) -> None:
    for area in areas:
        entries = [entry for entry in done.values() if entry["area"] == area]
        outcomes = Counter(entry["outcome"] for entry in entries)
        print(f"{area}: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
        found = Counter((entry["operator"], entry["outcome"]) for entry in entries if entry["outcome"] in COUNTS)
        for (operator, outcome), count in sorted(found.items()):
            print(f"  {operator}: {count} {outcome}")
    for entry in done.values():
        if entry["area"] in areas and entry["outcome"] in ("not found", "equivalent"):
            print(f"{entry['outcome']}: {entry['what']}; {entry.get('tests', '')}")


if __name__ == "__main__":
    main()
