"""Look-up tables of mechanism files: in loads, from quantities and from CSV, stored with the model, judged by SIL.

Oracle: a mass at the tip of an arm without gravity accelerates by torque / (m r^2), with numpy.interp for the torque.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arm_model import ARM, arm_acceleration

from exporter.dynamics.law_slopes import slopes_of
from exporter.errors import ModelError
from exporter.kinematics.protocol.scope import Scope
from exporter.model.canonical import canonical, from_canonical
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.guards import checked_input
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Signal
from exporter.sequence.status import BITS
from sil.reference.expressions import evaluate

CLAMPED = 1 << BITS["TABLE_CLAMPED"][0]
LINE = """
x = ["0 mm", "10 mm", "40 mm"]
y = ["0", "2 N*m", "3 N*m"]
"""
PLANE = """
x = ["0 rad/s", "1 rad/s"]
y = ["-1", "0", "2"]
z = [["0", "1 N*m", "3 N*m"], ["1 N*m", "2 N*m", "0"]]
"""
TEXT = (
    ARM
    + """value = "VALUE"
[inputs]
travel = { range = ["-0.01 m", "0.05 m"] }
level = { range = ["-1", "2"] }
[tables.spring]
LINE
[tables.map]
PLANE
[bodies.arm]
mass = "2 kg"
center_of_mass = ["1 m", "0", "0"]
"""
)


def text(value: str, line: str = LINE, plane: str = PLANE) -> str:
    return TEXT.replace("LINE", line).replace("PLANE", plane).replace("VALUE", value)


def torque(mechanism: Mechanism, travel: float, level: float, rate: float = 0.5) -> tuple[float, int]:
    """The torque of the load, N m, and the status."""
    acceleration, status = arm_acceleration(mechanism, {"theta.rate": rate, "travel": travel, "level": level})
    return acceleration * 2, status


@pytest.mark.parametrize("travel", [-0.005, 0.0, 0.003, 0.01, 0.025, 0.04, 0.05])
def test_a_load_reads_a_table(travel: float) -> None:
    """From the stored model as from the file; beyond the axis its end counts and is told."""
    mechanism = parse_mechanism(text("spring(travel)"), "text")
    assert from_canonical(canonical(mechanism)) == mechanism
    made, status = torque(mechanism, travel, 0)
    assert made == pytest.approx(np.interp(travel, [0, 0.01, 0.04], [0, 2, 3]), abs=1e-14)
    assert bool(status & CLAMPED) == (not 0 <= travel <= 0.04)


def test_a_table_with_two_axes_reads_state_and_input() -> None:
    """Half way between the rows, and between the last two columns: (1 + 3 + 2 + 0) / 4."""
    mechanism = parse_mechanism(text("map(theta.rate, level)"), "text")
    assert torque(mechanism, 0, 1) == (pytest.approx(1.5), 0)


def test_files_lie_beside_the_model(tmp_path: Path) -> None:
    """Numbers of the file have the units that the table names; the same model results."""
    (tmp_path / "spring.csv").write_text("mm,N m\n0,0\n10,2\n40,3\n")
    (tmp_path / "map.csv").write_text(",-1,0,2\n0,0,1,3\n1,1,2,0\n")
    (tmp_path / "arm.toml").write_text(
        text(
            "spring(travel) + map(theta.rate, level)",
            'csv = "spring.csv"\nunits = ["mm", "N*m"]',
            'csv = "map.csv"\nunits = ["rad/s", "1", "N*m"]',
        )
    )
    written = parse_mechanism(text("spring(travel) + map(theta.rate, level)"), "text")
    assert read_mechanism(tmp_path / "arm.toml") == written


@pytest.mark.parametrize(
    ("value", "line", "said"),
    [
        ("spring(level)", LINE, r"has a number without a unit in it, and the axis of table spring is a length"),
        ("spring(travel)*travel", LINE, "is needed here"),
        ("spring(travel, level)", LINE, "has 1 axes and 2 arguments"),
        ("sprung(travel)", LINE, "and the tables spring, map"),
        ("spring(travel)", LINE.replace("10 mm", "50 mm"), "knots must increase"),
        ("spring(travel)", LINE.replace("10 mm", "10 N"), r"tables\.spring\.x\[1\]"),
        ("spring(travel)", LINE + 'units = ["mm", "N"]', "a table has x and y"),
        ("spring(travel)", 'csv = "../spring.csv"\nunits = ["mm", "N*m"]', "not a file beside the model file"),
        ("spring(travel)", 'csv = "none.csv"\nunits = ["mm", "N*m"]', "none.csv cannot be read"),
        ("spring(travel)", 'csv = "none.csv"', "give the units of the columns"),
        ("spring(travel)", LINE + 'csv = "none.csv"', "not both"),
        ("spring(travel)", LINE + 'z = [["1 N"]]', "not one value for each of the 3 knots"),
        ("spring(travel)", LINE + 'method = "spline"', "method"),
    ],
)
def test_what_is_no_table_is_refused(value: str, line: str, said: str, tmp_path: Path) -> None:
    """The sentence names the place and what to write."""
    with pytest.raises(ModelError, match=said):
        parse_mechanism(text(value, line), "text", tmp_path)
    with pytest.raises(ModelError, match="is a function of formulas"):
        parse_mechanism(text(value).replace("tables.spring", "tables.exp"), "text")


@pytest.mark.parametrize("method", ["linear", "monotone_cubic"])
def test_the_reference_and_the_slope_agree(method: str) -> None:
    """The reference interpolates by formulas of its own; the slope is that of differences."""
    mechanism = parse_mechanism(text("spring(travel)", LINE + f'method = "{method}"'), "text")
    formula = mechanism.loads[0].value[0]
    builder = Builder("slope", "float64")
    scope = Scope(builder, mechanism)
    travel = checked_input(builder, Signal("travel", "m", "", Fraction(-1), Fraction(1), Fraction(0)))
    scope.define("travel", travel)
    builder.output(Signal("value", "1", group=Group.OUTPUT), scope.value(formula))
    builder.output(Signal("slope", "1", group=Group.OUTPUT), slopes_of(scope, formula, ["travel"])[0])
    at = np.array([0.002, 0.009, 0.011, 0.02, 0.039])
    value, slope = interpret(builder.finish(), at[:, None]).outputs.T
    values: Any = [evaluate(formula, {"travel": at + shift}) for shift in (0, 1e-7, -1e-7)]
    assert value == pytest.approx(values[0], abs=1e-13)
    assert slope == pytest.approx((values[1] - values[2]) / 2e-7, rel=1e-6)
