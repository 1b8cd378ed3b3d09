"""Processor time that SIL takes to judge a mechanism of the library: one line for each count, seconds and vectors.

    .venv/bin/python benchmarks/judged_rows.py five_link 5000 20000

Exporting is not counted, nor is assembling the reference, which a small campaign does before; `waiting.py` calls this
on any checkout, so it asks only for what has been there for long.
"""

import sys
import tempfile
import time
from pathlib import Path

from exporter.export import Export, write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.program import Program
from sil.campaign import run
from sil.options import Options

FIRST = 50  # vectors of the campaign before


def judged(export: Export, program: Program, count: int, folder: Path) -> tuple[float, int]:
    """Seconds of this process, and vectors of all functions together."""
    start = time.process_time()
    campaign = run(export, Options(count=count, runner="host"), program, folder)
    return time.process_time() - start, sum(len(part.vectors.rows) for each in campaign.tested for part in each.parts)


def main(name: str, *counts: str) -> None:
    """Judge the float32 export by so many vectors a function."""
    mechanism = read_mechanism(model_path(name))
    program = program_of_mechanism(mechanism, "float32")
    with tempfile.TemporaryDirectory() as folder:
        export = write_export(program, Path(folder) / "export", canonical(mechanism))
        judged(export, program, FIRST, Path(folder) / "sil")
        for count in counts:
            print(*judged(export, program, int(count), Path(folder) / "sil"))


if __name__ == "__main__":
    main(*sys.argv[1:])
