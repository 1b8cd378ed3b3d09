"""Digests of every export: two trees write the same files, or this tells which differ.

    .venv/bin/python ci/exports.py before.txt                 # in the tree before a change
    .venv/bin/python ci/exports.py after.txt --against before.txt

Every row of tests/data/systems.toml in both precisions, every mechanism of the library, and every other method that
solves one of them. A line is: export, precision, file, SHA-256. It takes some two minutes.
"""

import argparse
import hashlib
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "data")]

from every_system import mechanism_of  # noqa: E402 - a file of the tests

from exporter.errors import ModelError  # noqa: E402
from exporter.export import write_export  # noqa: E402
from exporter.functions.program import program_of_mechanism  # noqa: E402
from exporter.model.canonical import canonical  # noqa: E402
from exporter.model.complete import completed  # noqa: E402
from exporter.model.library import model_names, model_path, practice_names  # noqa: E402
from exporter.model.mechanism import Mechanism, Method, SolverOptions  # noqa: E402
from exporter.model.toml.reader import read_mechanism  # noqa: E402
from exporter.sequence.operations import Precision  # noqa: E402

PRECISIONS: tuple[Precision, ...] = ("float32", "float64")
METHODS: tuple[Method, ...] = ("newton", "newton-per-loop", "characteristic-pair", "lexicographic")
BY_METHOD = ("slider_crank", "four_bar", "parallel_robot", "spatial_four_bar", "double_wishbone_front")


def mechanisms() -> Iterator[tuple[str, Mechanism]]:
    """All that is exported, by a name."""
    systems = tomllib.loads((ROOT / "tests" / "data" / "systems.toml").read_text(encoding="utf-8"))
    for number, system in enumerate(systems["system"], start=1):
        yield f"row {number} {system['model']}", mechanism_of(system)
    for name in (*model_names(), *practice_names()):
        yield name, read_mechanism(model_path(name))
    for name in BY_METHOD:
        for method in METHODS:
            mechanism = read_mechanism(model_path(name))
            yield f"{name} by {method}", completed(replace(mechanism, solver=SolverOptions(method)))


def digests(name: str, mechanism: Mechanism, precision: Precision) -> Iterator[str]:
    """A line for each file of an export, or one with the reason why there is none."""
    try:
        program = program_of_mechanism(mechanism, precision)
    except ModelError as error:
        reason = re.sub(r"[\d.]+ s\b", "", str(error))  # a search tells how long it took
        yield f"{name}\t{precision}\trefused\t{hashlib.sha256(reason.encode()).hexdigest()}"
        return
    with tempfile.TemporaryDirectory() as folder:
        write_export(program, Path(folder) / "export", canonical(mechanism))
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                yield f"{name}\t{precision}\t{path.relative_to(folder).as_posix()}\t{digest}"


def main() -> int:
    """Write the digests, and compare them with those of another tree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="file to write the digests to")
    parser.add_argument("--against", type=Path, help="digests of another tree")
    arguments = parser.parse_args()
    lines: list[str] = []
    for name, mechanism in mechanisms():
        for precision in PRECISIONS:
            lines += digests(name, mechanism, precision)
        print(name, file=sys.stderr, flush=True)
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if arguments.against is None:
        return 0
    different = differing(arguments.against.read_text(encoding="utf-8").splitlines(), lines)
    print(*different, f"{len(lines)} files, {len(different)} differ", sep="\n")
    return 1 if different or not lines else 0


def differing(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The files whose digests differ, and those that only one of two trees has, in the order of their names."""
    return sorted({line.rsplit("\t", 1)[0] for line in set(before) ^ set(after)})


if __name__ == "__main__":
    sys.exit(main())
