"""A rotor that the rocker of a four-bar turns by a gear, over many turns.

Right values: with the crank's end at A and the rocker's pivot at C, the rocker stands at the direction from C to A less
the angle at C of the triangle with sides |CA|, 250 mm (rocker) and 350 mm (rod).
"""

from pathlib import Path

import numpy as np
import pytest

from exporter.errors import RangesRefused
from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.model.canonical import canonical
from exporter.model.toml.reader import parse_mechanism
from sil.campaign import run
from sil.options import Options
from sil.reference.loads import generalised_loads
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration
from sil.reference.rotations import Array
from sil.trace.evaluation import trace_path
from sil.trace.path import sweep_path

TEXT = (Path(__file__).resolve().parents[3] / "data" / "couplings" / "geared_rocker.toml").read_text()
DRAG_LINK = (
    TEXT.replace('c = ["0.4 m"', 'c = ["0.1 m"')
    .replace('a = ["0.1 m"', 'a = ["0.3 m"')
    .replace('b = ["0.35 m"', 'b = ["0.3 m"')
    .replace('"40*s"', '"2*s"')
    .replace('s = "100 deg"', 's = "150 deg"')
)
"""Its rocker turns on and on as its crank does."""


def rocker(crank: Array) -> Array:
    x, y = 0.1 * np.cos(crank) - 0.4, 0.1 * np.sin(crank)
    far = np.hypot(x, y)
    return np.pi + np.arctan2(-y, -x) - np.arccos((far**2 + 0.25**2 - 0.35**2) / (2 * far * 0.25))


def test_the_rotor_needs_no_pose_and_has_its_whole_turns() -> None:
    mechanism = parse_mechanism(TEXT, "geared_rocker")
    crank = np.linspace(-6.9, 6.9, 24)
    found = solution_rows(solved_mechanism(mechanism), crank[:, None]).coordinates
    np.testing.assert_allclose(found[:, mechanism.coordinates().index("m")], 40 * rocker(crank), rtol=1e-13)


def test_a_path_of_wide_steps_keeps_the_whole_turns() -> None:
    mechanism = parse_mechanism(TEXT, "geared_rocker")
    traced = trace_path(mechanism, "float64", sweep_path(mechanism, ["q=-400deg..400deg:41"]))
    np.testing.assert_allclose(traced.column("m"), 40 * rocker(traced.column("q")), rtol=1e-12)


def test_the_reference_reads_the_rotor_with_its_whole_turns() -> None:
    """However the reference itself spells the angles that loops give."""
    reference = reference_of(parse_mechanism(TEXT, "geared_rocker"))
    crank, names = np.array([-6.0, 1.0, 2.5]), reference.skeleton.coordinates
    values = np.zeros((3, len(names)))
    for name, column in (("q", crank), ("s", rocker(crank) - 2 * np.pi), ("m", 40 * rocker(crank) + 6 * np.pi)):
        values[:, names.index(name)] = column
    torque = generalised_loads(reference.skeleton, configuration(values), np.zeros_like(values), {})
    np.testing.assert_allclose(torque[:, names.index("m")], -0.01 * (40 * rocker(crank) - 69), rtol=1e-12)


def test_the_export_passes_with_a_spring_on_the_rotor(tmp_path: Path) -> None:
    mechanism = parse_mechanism(TEXT, "geared_rocker")
    program = program_of_mechanism(mechanism, "float64", only=("dynamics",))
    export = write_export(program, tmp_path / "rotor", canonical(mechanism))
    found = run(export, Options(count=500, runner="interpreter"))
    assert [verdict.sentence() for verdict in found.verdicts if not verdict.passed] == []


def test_a_spring_behind_a_loop_that_turns_on_is_refused_at_that_place() -> None:
    with pytest.raises(RangesRefused, match=r"s passes half a turn from the design pose at q = .*reads m"):
        solved_mechanism(parse_mechanism(DRAG_LINK, "drag_link"))
    solved_mechanism(parse_mechanism(DRAG_LINK.replace("stiffness*(m - 69)", "stiffness*sin(m)"), "drag_link"))


SCREWED = (
    DRAG_LINK.replace(
        'type = "revolute"\nparent = "ground"\nchild = "rotor"',
        'type = "prismatic"\nparent = "ground"\nchild = "rotor"',
    )
    .replace('"2*s"', '"lead*s"')
    .replace("[parameters]\n", '[parameters]\nlead = { value = "5 mm/rev", frozen = true }\n')
    .replace('value = "-stiffness*(m - 69)"', 'value = "5 N"')
)
"""Behind the rocker that turns on is the nut of a screw."""


def test_a_nut_or_a_wheel_that_would_jump_behind_a_loop_is_refused_at_that_place() -> None:
    with pytest.raises(RangesRefused, match=r"s passes half a turn .*; m would jump by the coupling m = lead \* s"):
        solved_mechanism(parse_mechanism(SCREWED, "screwed"))
    with pytest.raises(RangesRefused, match=r"m would jump by the coupling m = 1\.5 \* s"):
        solved_mechanism(parse_mechanism(DRAG_LINK.replace("2*s", "1.5*s").replace("m - 69", "1"), "drag_link"))


def test_a_nut_that_jumps_is_seen_by_the_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exported without the check: the nut is back by a lead where the rocker has passed half a turn."""
    monkeypatch.setattr("exporter.kinematics.verification.verified.check_angles_read", lambda _: None)
    mechanism = parse_mechanism(SCREWED, "screwed")
    program = program_of_mechanism(mechanism, "float32", only=("position",))
    export = write_export(program, tmp_path / "nut", canonical(mechanism))
    failed = [each.check for each in run(export, Options(count=500, runner="interpreter")).verdicts if not each.passed]
    assert failed == ["coordinates"]
