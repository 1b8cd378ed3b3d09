"""`kinefix sil` judges angles of directions: an export with another angle than its model asks for fails by it."""

from dataclasses import replace
from pathlib import Path

import pytest

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.complete import completed
from exporter.model.library import model_path
from exporter.model.mechanism import AngleOutput, Frame, Mechanism
from exporter.model.toml.reader import read_mechanism
from sil.campaign import run
from sil.options import Options

pytestmark = pytest.mark.compiled


def asking(towards: str) -> Mechanism:
    mechanism = read_mechanism(model_path("slider_crank"))
    pin = mechanism.joints[0].child
    end = next(frame for body in mechanism.bodies for frame in body.frames if frame.body == "rod")
    ground = Frame("ground", pin.at, name="ground")
    return completed(replace(mechanism, angles={"rod_angle": AngleOutput(pin, end, "-x", towards, ground)}))


@pytest.mark.parametrize(("towards", "judged_right"), [("y", True), ("-y", False)])
def test_a_wrong_angle_fails(require_tool, tmp_path: Path, towards: str, judged_right: bool) -> None:
    """The model asks for the angle towards y: an export that gives the other sign fails, by nothing but this angle."""
    require_tool("gcc")
    program = program_of_mechanism(asking(towards), "float64")
    export = write_export(replace(program, model_hash=asking("y").model_hash), tmp_path / "out", canonical(asking("y")))
    verdicts = run(export, Options(count=100, functions=("position", "velocity", "acceleration"))).verdicts
    failed = {verdict.check.partition(",")[0] for verdict in verdicts if not verdict.passed}
    assert failed == (set() if judged_right else {"angles of directions", "bit agreement of interpreter and host"})
    assert any("angles of directions" in verdict.check for verdict in verdicts)
