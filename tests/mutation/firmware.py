"""Judges a fault in the firmware's C: does a device with it answer otherwise, and does the bench or SIL see it?

The firmware runs in the emulator. What it answers: rows with the state given, rows that go on with the device's own
state, its state and parameters read back, the counts and the digest of a free run; for the batch firmware outputs and
status of rows. Durations are left out: a fault that only makes it slower moves no value.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import values
from areas import Mutant

from exporter.errors import KinefixError
from exporter.export import Export, write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.toml.reader import read_mechanism
from targets.ecu import firmware as building

MODELS = ("planar_loop", "slider_crank", "spatial_loop")
BATCH = ("batch.c", "semihost.c", "rows.c")
LOCKSTEP, ACTIVATIONS, ROWS = 200, 400, 40
BENCH = """schema = 1
[bench]
name = "{model}"
target = "emulated"
export = "export"
function = "dostep"
[target.emulated]
kind = "emulated"
icount_shift = 6
[link.main]
kind = "tcp"
[timing]
period = "1 ms"
deadline = "400 us"
[run]
lockstep = {lockstep}
free_run = {activations}
vectors = 32
"""
Answers = dict[str, np.ndarray]


@contextmanager
def faulty(mutant: Mutant | None, folder: Path) -> Iterator[None]:
    """Firmware is built from sources with this fault; the cache tells them apart by their bytes."""
    if mutant is None:
        yield
        return
    sources = folder / "ecu"
    shutil.copytree(building.ECU, sources)
    (sources / Path(mutant.path).name).write_text(mutant.source(), encoding="utf-8")
    right, building.ECU = building.ECU, sources
    try:
        yield
    finally:
        building.ECU = right


def export_of(model: str, folder: Path) -> Export:
    """A model's export in float32, and its bench file beside it."""
    made = program_of_mechanism(read_mechanism(values.MODELS / f"{model}.toml"), "float32")
    bench = BENCH.format(model=model, lockstep=LOCKSTEP, activations=ACTIVATIONS)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.toml").write_text(bench, encoding="utf-8")
    return write_export(made, folder / "export", values.canonical_of(model))


def answers(export: Export, folder: Path, path: str) -> Answers:
    """What the firmware of this export answers."""
    return _of_batch(export, folder) if Path(path).name in BATCH else _of_bench(folder / "bench.toml")


def _of_batch(export: Export, folder: Path) -> Answers:
    from sil.domain import domain_of
    from sil.vectors import vectors
    from targets.ecu.batch import run_batch

    function = export.manifest.functions[-1]
    rows = vectors(domain_of(function.row_inputs, "float32"), 5, ROWS).rows
    done = run_batch(building.build_firmware(export, function.name, folder / "batch"), rows)
    return {"outputs": done.outputs, "status": done.status}


def _of_bench(path: Path) -> Answers:
    from hil.bench import read_bench
    from hil.bench_runtime import open_bench
    from hil.freerun import request_of, ring_of
    from hil.lockstep import random_vectors

    bench = read_bench(path)
    with open_bench(bench) as opened:
        session = opened.session
        rows = random_vectors(opened, ROWS, 5).rows
        given = session.step(rows, with_state=True)
        session.set_state(tuple(rows[3, : opened.state_values].tolist()))
        onward = session.step(rows[:, opened.state_values :], with_state=False)
        state = session.get_state()
        parameters, derived = session.get_parameters() if opened.export.manifest.parameters else ((), 0)
        ring, start = ring_of(opened, 32, 1)
        session.store_vectors(ring)
        session.set_state(tuple(start.tolist()))
        session.start(request_of(opened, ACTIVATIONS, bench.timing, len(ring)))
        session.await_end(60.0)
        ran = session.summary()
    counts = (
        ran.requested,
        ran.ran,
        ran.skipped,
        ran.missed,
        ran.flagged,
        ran.status_or,
        ran.digest,
        ran.fault,
        derived,
    )
    return {
        "given": np.column_stack([given.outputs, given.status]),
        "onward": np.column_stack([onward.outputs, onward.status]),
        "state": np.array([*state, *parameters]),
        "counts": np.array(counts, dtype=float),
    }


def same(one: Answers, other: Answers) -> bool:
    """Whether all answers are equal, bit for bit."""
    return all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


def judged(mutant: Mutant, folder: Path) -> dict[str, Any]:
    """The outcome of a fault in the firmware."""
    lost = ""
    for model in MODELS:
        export = export_of(model, folder / model)
        right = answers(export, folder / model, mutant.path)
        with faulty(mutant, folder / model):
            try:
                equal = same(right, answers(export, folder / model, mutant.path))
            except Exception as error:  # noqa: BLE001 - a fault may raise anything
                lost = f"{type(error).__name__}: {error}"[:200]
                continue
            if not equal:
                against = _verdict_against(export, folder / model, mutant.path)
                outcome = "found" if against else "not found"
                return {"outcome": outcome, "by": against, "model": model, "moved": 0.0}
    return {"outcome": "no answer" if lost else "equivalent", "by": lost, "model": "", "moved": 0.0}


def _verdict_against(export: Export, folder: Path, path: str) -> str:
    from hil.bench import read_bench
    from hil.campaign import plan_of, run_campaign
    from sil.campaign import Options, run

    try:
        if Path(path).name in BATCH:
            verdicts = run(export, Options(functions=("dostep",), runner="emulated", count=500)).verdicts
        else:
            bench = read_bench(folder / "bench.toml")
            verdicts = run_campaign(bench, plan_of(bench, None, None, None)).verdicts
    except KinefixError as error:
        return f"refused: {error}"[:200]
    against = [verdict for verdict in verdicts if verdict.stands_against]
    return f"{against[0].function}: {against[0].check}" if against else ""
