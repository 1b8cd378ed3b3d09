"""A table over a part of its ranges as compiled C: flags beyond dead points, silent between them, verified by SIL."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from exporter.export import Export, write_export
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.spatial.engine import SpatialSolution
from exporter.model.canonical import canonical
from exporter.model.complete import with_independent
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.operations import Precision
from sil.campaign import run
from sil.options import Options
from targets.python.host import build_host

pytestmark = pytest.mark.compiled
DEAD_POINTS = (0.2276, 1.5266)  # rad, of beta1: between them the branch of the design pose ends
SURE = (0.27, 1.46)  # rad, of beta1: clear of them


@pytest.fixture(autouse=True)
def _compiler(require_tool):
    require_tool("gcc")


@cache
def six_bar() -> Mechanism:
    """The six-bar by its dyad, over ranges that reach beyond both dead points."""
    limits = CoordinateRange(Fraction("-0.3"), Fraction("1.8"), Fraction(30))
    return with_independent(read_mechanism(model_path("stephenson_iii")), ["beta1"], ranges={"beta1": limits})


def exported(folder: Path, precision: Precision) -> Export:
    return write_export(program_of_mechanism(six_bar(), precision), folder, canonical(six_bar()))


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_status_tells_the_dead_points(precision: Precision, tmp_path: Path) -> None:
    library = build_host(exported(tmp_path / "export", precision), tmp_path / "host")
    rows = np.linspace(-0.3, 1.8, 4001)[:, None].astype(precision)
    called, beta = library.call("position", rows), rows[:, 0]
    assert np.isfinite(called.outputs).all()
    assert called.status[(beta < DEAD_POINTS[0]) | (beta > DEAD_POINTS[1])].all()
    assert not called.status[(beta > SURE[0]) & (beta < SURE[1])].any()


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_campaign_passes_over_ranges_beyond_the_dead_points(precision: Precision, tmp_path: Path) -> None:
    campaign = run(exported(tmp_path / "export", precision), Options(count=400))
    assert [verdict.sentence() for verdict in campaign.verdicts if not verdict.passed] == []
    alarms = [verdict.detail for verdict in campaign.verdicts if verdict.check == "false alarms"]
    assert alarms
    assert all("at the end of the part that a table covers" in detail for detail in alarms)


def test_more_flags_than_those_at_the_border_are_false_alarms(tmp_path: Path, monkeypatch) -> None:
    """With a border that is drawn too tight, so that some places between the dead points are flagged."""
    solved = solved_mechanism(six_bar())
    assert isinstance(solved, SpatialSolution)
    ((system, table),) = solved.form.loop_tables
    assert table.part is not None
    assert table.part.border is not None
    tight = replace(table, part=table.part.excluding({"beta1": np.array([0.6])}))
    form = replace(solved.form, loop_tables=((system, tight),))
    monkeypatch.setattr("exporter.functions.program.solved_mechanism", lambda *_, **__: SpatialSolution(form))
    campaign = run(exported(tmp_path / "export", "float64"), Options(count=400))
    assert any(not verdict.passed and verdict.check == "false alarms" for verdict in campaign.verdicts)
