"""The mechanisms of practice (tests/data/practice.toml) through the product, each in a process of its own.

    .venv/bin/python benchmarks/practice.py                    # those that build/practice.jsonl lacks, then the table
    .venv/bin/python benchmarks/practice.py --only hooke --again
    .venv/bin/python benchmarks/practice.py --systems          # library mechanisms by other choices of coordinates

Verdicts: "closed form", "table" (a table with Newton steps is among its blocks), "refused" with the sentence, "too
long" where the limit of processor time ends the process, "crashed". Positions and rates of the interpreted export are
held against Newton's method on the closures (tests/differential) at random places of the ranges where no flag is set.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "differential"), str(ROOT / "tests" / "data")]

import numpy as np  # noqa: E402
from agreement import interpreted  # noqa: E402
from expected import Expected, expectations  # noqa: E402
from plain_numbers import number_of  # noqa: E402
from practice_list import Entry, practice_entries  # noqa: E402
from system_choices import system_entries, toml_of  # noqa: E402
from trial import Listening  # noqa: E402

from exporter.errors import KinefixError  # noqa: E402
from exporter.functions.program import program_of_mechanism  # noqa: E402
from exporter.kinematics.engine import solved_mechanism  # noqa: E402
from exporter.model.mechanism import Mechanism  # noqa: E402
from exporter.model.toml.reader import parse_mechanism  # noqa: E402
from exporter.sequence.operations import OperationSequence, Role  # noqa: E402
from exporter.sequence.program import Program  # noqa: E402

LIMIT = 120  # s of processor time
ROWS = 100
RIGHT = 1e-9  # of the mechanism's size, rad, or the largest rate of the row
WARNINGS = np.uint32(1 << 19 | 1 << 24)  # roots about to meet, the end of a table: outputs keep their guarantee
SEEDED = "Newton steps"
SHOW = "import sys; from exporter.cli import main; sys.exit(main())"


def tried(entry: Entry, rows: int) -> dict[str, Any]:
    """What came of one mechanism."""
    before = time.process_time()
    progress, found = Listening(), {"verdict": "closed form", "message": ""}
    try:
        mechanism = parse_mechanism(entry.text, entry.name)
        blocks = solved_mechanism(mechanism, progress).block_facts()
        program = program_of_mechanism(mechanism, "float64", tell=progress)
    except KinefixError as error:
        found |= {"verdict": "refused", "message": str(error)}
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
        found |= {"verdict": "crashed", "message": f"{type(error).__name__}: {error}"}
    else:
        seeded = any(SEEDED in block.kind for block in blocks)
        found["verdict"] = "table" if seeded else "closed form"
        found["blocks"] = " ".join(f"{len(b.coordinates)}(s)" if SEEDED in b.kind else str(b.degree) for b in blocks)
        found["notes"] = list(program.notes)
    found |= {"cpu": time.process_time() - before, "silence": progress.longest()}
    return found if "blocks" not in found else found | held(program, mechanism, entry.text, rows)


def held(program: Program, mechanism: Mechanism, text: str, rows: int) -> dict[str, Any]:
    """How far positions and rates are from Newton's method, where no flag is set."""
    sets = expectations(_within_a_turn(text), Random(f"{mechanism.name} places"), rows)
    if not sets:
        return {"error": None, "why": "the reference does not assemble it"}
    counts = {"rows": 0, "flagged": 0, "error": 0.0, "worst": ""}
    for expected in sets:
        for function in program.functions:
            if function.name in ("position", "velocity"):
                _hold(counts, program, function, expected)
    return counts


def _within_a_turn(text: str) -> str:
    """The file with ranges of angles that turn on and on cut to a turn: Newton's method follows no further."""
    document = tomllib.loads(text)
    ranges = document["coordinates"]["ranges"]
    for name, limits in ranges.items():
        low, high = (float(number_of(limit, {})) for limit in limits)
        if high - low > 2 * np.pi and not limits[0].endswith("m"):
            ranges[name] = [f"{max(low, -np.pi):.6f} rad", f"{min(high, np.pi):.6f} rad"]
    return toml_of(document)


def _hold(counts: dict[str, Any], program: Program, function: OperationSequence, expected: Expected) -> None:
    asked = [signal.name for signal in function.inputs if signal.name in expected.inputs]
    rows = np.stack([expected.inputs[name] for name in asked], axis=1)
    got, status = interpreted(program)(function, rows, expected.parameters)
    flagged = (status & ~WARNINGS) != 0
    good = ~flagged & expected.reached.on_branch
    counts["rows"] += int(good.sum())
    counts["flagged"] += int(flagged.sum())
    names = expected.driven.plain.document.get("outputs", {})
    true_names = {name: signal for name, signal in names.items() if isinstance(signal, str)}
    for column, output in enumerate(function.outputs):
        name = output.signal.name
        if output.signal.role is not Role.VALUE or name not in expected.moving.values or not good.any():
            continue
        clear = expected.moving.clearance.get(name, np.ones(len(rows))) > RIGHT
        error = _error(expected, true_names.get(name, name), name, got[:, column].astype(float), output.signal.unit)
        error = np.where(good & clear, error, 0.0)
        if error.max() > counts["error"]:
            counts["error"], counts["worst"] = float(error.max()), f"{name} at {rows[error.argmax()].tolist()}"


def _error(expected: Expected, wanted: str, name: str, got: np.ndarray, unit: str) -> np.ndarray:
    """Over the size for a length, over the fastest rate for a rate; angles without whole turns."""
    plain, right = expected.driven.plain, expected.moving.values[name]
    error = np.abs(got - right)
    if ".quaternion" in wanted:
        error = np.minimum(error, np.abs(got + right))
    if unit == "rad":
        error = np.abs(np.remainder(error + np.pi, 2 * np.pi) - np.pi)
    length = plain.size if unit.startswith("m") else 1.0
    fastest = np.abs(expected.rates / plain.units()).max(axis=1) if unit.endswith("/s") else np.ones(len(got))
    return np.asarray(error / np.maximum(length * np.maximum(fastest, 1e-6), np.abs(right)))


def showing(entry: Entry, limit: int) -> float:
    """Processor time of `kinefix show`, the limit where it ended that."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mechanism.toml"
        file.write_text(entry.text, encoding="utf-8")
        command = [sys.executable, "-c", SHOW, "show", str(file)]
        ended = subprocess.run(command, check=False, capture_output=True, cwd=folder, env={"PYTHONPATH": str(ROOT)})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return float(limit) if ended.returncode < 0 else used


def in_a_process(entry: Entry, limit: int) -> dict[str, Any]:
    """One mechanism in a process that ends with the limit of processor time."""
    command = [sys.executable, __file__, "--in-process", entry.key, "--limit", str(limit)]
    started = time.monotonic()
    ended = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)),
    )
    known = {"key": entry.key, "name": entry.name, "kind": entry.kind, "spatial": entry.spatial}
    known["elapsed"] = time.monotonic() - started
    if ended.returncode == 0:
        return known | json.loads(ended.stdout.splitlines()[-1])
    if ended.returncode < 0:
        return known | {"verdict": "too long", "message": f"ended by signal {-ended.returncode}", "cpu": float(limit)}
    return known | {"verdict": "crashed", "message": ended.stderr[-400:], "cpu": 0.0}


def lines(results: list[dict[str, Any]]) -> Iterator[str]:
    """The table, and the sentences of the refusals."""
    heading = ("mechanism", "kind", "", "verdict", "CPU s", "show", " blocks", "rows", "flagged", "  error")
    yield "{:<34}{:<44}{:<9}{:<13}{:>6}{:>6}{:<25}{:>6}{:>8}{}".format(*heading)
    for each in results:
        yield (
            f"{each['key']:<34}{each['kind'][:43]:<44}{'spatial' if each['spatial'] else 'planar':<9}"
            f"{each['verdict']:<13}{each['cpu']:>6.1f}{each.get('show', 0.0):>6.1f}"
            f" {each.get('blocks', ''):<24}{each.get('rows', 0):>6}{each.get('flagged', 0):>8}  {_figure(each)}"
        )
    for each in results:
        if each["message"]:
            yield f"{each['key']}: {each['message']}"
    exported = [each for each in results if "blocks" in each]
    right = [each for each in exported if each.get("error") is not None and each["error"] <= RIGHT]
    yield f"{len(exported)} of {len(results)} export, {len(right)} of them within {RIGHT:g}"


def _figure(each: dict[str, Any]) -> str:
    if "blocks" not in each:
        return ""
    if each["error"] is None:
        return str(each["why"])
    return f"{each['error']:.0e}" + (f" ({each['worst']})" if each["error"] > RIGHT else "")


def main() -> int:
    """Run what is missing, print all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", help="names of mechanisms (default: all)")
    parser.add_argument("--again", action="store_true", help="also those that are done")
    parser.add_argument("--systems", action="store_true", help="library mechanisms by several choices of coordinates")
    parser.add_argument("--limit", type=int, default=LIMIT, help="processor time of each, s (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--in-process", metavar="KEY", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.in_process:
        entries = [*practice_entries(), *system_entries(given.in_process)]
        entry = next(each for each in entries if each.key == given.in_process)
        print(json.dumps(tried(entry, ROWS) | {"show": showing(entry, given.limit)}))
        return 0
    entries = [*system_entries()] if given.systems else practice_entries()
    path = given.results or ROOT / "build" / ("systems_by_choice.jsonl" if given.systems else "practice.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    known = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {each["key"]: each for each in known}
    chosen = [each for each in entries if not given.only or each.name in given.only]
    waiting = [each for each in chosen if given.again or each.key not in done]
    with ThreadPoolExecutor(given.workers) as pool, path.open("a") as file:
        for result in pool.map(lambda each: in_a_process(each, given.limit), waiting):
            file.write(json.dumps(result) + "\n")
            file.flush()
            done[result["key"]] = result
            print(f"{result['key']}: {result['verdict']}, {result['cpu']:.1f} s", file=sys.stderr, flush=True)
    print("\n".join(lines([done[each.key] for each in chosen if each.key in done])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
