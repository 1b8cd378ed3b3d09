"""Spatial exports through compiled C: bit agreement, reference, points of interest, both precisions."""

from pathlib import Path

import pytest

from exporter.compose import program_of_mechanism
from exporter.export import write_export
from exporter.model.canonical import canonical
from exporter.model.library import model_path
from exporter.model.toml_reader import read_mechanism
from exporter.sequence.operations import Precision
from sil.campaign import Options, run

pytestmark = pytest.mark.compiled

PRECISIONS: dict[str, Precision] = {
    "arm_6r": "float32",
    "double_wishbone_front": "float64",
    "double_wishbone_rear": "float32",
    "five_link": "float32",
    "gough_stewart": "float64",
    "planar_3r": "float64",
    "spatial_four_bar": "float32",
}


@pytest.fixture(autouse=True)
def _compiler(require_tool):
    require_tool("gcc")


@pytest.mark.parametrize("name", PRECISIONS)
def test_campaign_passes(name: str, tmp_path: Path) -> None:
    """Every check of a campaign of 200 vectors per function holds, points and angles of interest among them."""
    mechanism = read_mechanism(model_path(name))
    export = write_export(program_of_mechanism(mechanism, PRECISIONS[name]), tmp_path / "export", canonical(mechanism))
    campaign = run(export, Options(count=200))
    failed = [
        f"{verdict.check}: {verdict.value} of {verdict.limit}" for verdict in campaign.verdicts if not verdict.passed
    ]
    assert not failed, failed
    asked = any(signal.partition(".")[0] not in mechanism.coordinates() for signal in mechanism.outputs.values())
    assert asked == any("points of interest" in verdict.check for verdict in campaign.verdicts)
    assert bool(mechanism.angles) == any("angles of directions" in verdict.check for verdict in campaign.verdicts)
