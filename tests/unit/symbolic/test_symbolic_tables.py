"""Look-up tables of symbolic models: values and slopes against numpy and the reference of SIL; refusals; CSV."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

from exporter.errors import ModelError
from exporter.sequence.interpreter import interpret
from exporter.sequence.status import BITS
from exporter.symbolic import SymbolicModel, given, output, table, table_from_csv
from exporter.symbolic.canonical import canonical, from_canonical
from exporter.symbolic.program import sequence_of_symbolic
from sil.reference.symbolic import symbolic_reference_of

CLAMPED = 1 << BITS["TABLE_CLAMPED"][0]
KNOTS, VALUES = ["-1", "-0.5", "0.25", 1, "1.5"], [2, "0.5", 0, "0.25", 4]
GRID = [[0, 1, 4], [2, "2.5", -1]]
x, y = sp.symbols("x y")
UNITS = {"float32": 2.0**-24, "float64": 2.0**-53}


def model() -> SymbolicModel:
    """Every kind of table once, and the slopes that SymPy takes."""
    line, cubic = table("line", KNOTS, VALUES), table("cubic", KNOTS, VALUES, method="monotone_cubic")
    plane = table("plane", [-1, 2], [-1, 0, 1], GRID)
    outputs = {
        "line": line(x),
        "cubic": cubic(x + y),
        "plane": plane(x, y) ** 2,
        "line slope": sp.diff(line(2 * x), x),
        "cubic slope": sp.diff(cubic(x), x),
        "plane slope": sp.diff(plane(x, x * y), x),
        "arm": sp.Piecewise((line(x), x < 1), (0, True)),
    }
    return SymbolicModel(
        "tables",
        (given("x", "-1.25", 2), given("y", "-0.5", "0.5")),
        tuple(output(name.replace(" ", "_"), value) for name, value in outputs.items()),
    )


@pytest.mark.parametrize("precision", list(UNITS))
def test_tables_are_those_of_the_reference(precision: Any) -> None:
    """Rows without a flag, from the stored model: the numbers travel with it."""
    made = from_canonical(canonical(model()))
    sequence, reference = sequence_of_symbolic(made, precision), symbolic_reference_of(made)
    rows = np.random.default_rng(3).uniform((-1.25, -0.5), (2, 0.5), (120, 2)).astype(precision).astype(float)
    result = interpret(sequence, rows)
    regular = np.flatnonzero(result.status == 0)
    for row in regular:
        right = reference.evaluate({"x": rows[row, 0], "y": rows[row, 1]}, UNITS[precision])
        for place, value in enumerate(result.outputs[row]):
            answer = right[sequence.outputs[place].signal.name]
            assert abs(float(value) - float(answer.value)) <= float(answer.error)
    assert 10 < len(regular) < 110
    assert set(result.status.tolist()) == {0, CLAMPED}


def test_a_wrong_value_is_beyond_the_bound() -> None:
    """A thousandth of the table is not rounding."""
    reference = symbolic_reference_of(model())
    found = reference.evaluate({"x": 0.6, "y": 0.0}, UNITS["float32"])["line"]
    assert float(found.value) == pytest.approx(np.interp(0.6, [-1, -0.5, 0.25, 1, 1.5], [2, 0.5, 0, 0.25, 4]))
    assert float(found.error) < 1e-3


def test_a_table_that_no_arm_selects_raises_no_flag() -> None:
    """Beyond the axis another arm is selected."""
    line = table("line", [0, 1], [0, 1])
    arm = sp.Piecewise((line(x), x < 1), (x, True))
    made = SymbolicModel("arm", (given("x", 0, 3),), (output("w", arm),))
    result = interpret(sequence_of_symbolic(made, "float64"), np.array([[0.5], [2.5]]))
    assert result.outputs[:, 0].tolist() == [0.5, 2.5]
    assert not result.status.any()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: table("t", [0, 0, 1], [1, 2, 3]), "the knot 0 after 0; knots must increase"),
        (lambda: table("t", [0, 1], [1, 2, 3]), "3 values at 2 knots"),
        (lambda: table("t", [0], [1]), "an axis of 1 knots"),
        (lambda: table("t", [0, 1], [1, 2], method="spline"), 'the method "spline"; known are linear'),
        (lambda: table("t", [0, 1], [0, 1], [[1, 2], [3, 4]], method="monotone_cubic"), "two axes"),
        (lambda: table("t", [0, 1], [0, 1], [[1, 2], [3]]), "rows of other lengths"),
        (lambda: table("t", [0, 1], [1, 2])(x, y), "takes 1 arguments; 2 were given"),
        (lambda: table("t", [0, "one"], [1, 2]), "a number of table 't'"),
        (lambda: table("t", range(20_001), range(20_001)), "at most 20000"),
    ],
)
def test_what_is_no_table_is_refused(make: Any, said: str) -> None:
    """The sentence names the table and the number."""
    with pytest.raises(ModelError, match=said):
        make()


def test_tables_come_from_files(tmp_path: Path) -> None:
    """With a heading or without; of two axes the first row and the first column are the knots."""
    (tmp_path / "line.csv").write_text("x, y\n0, 1\n0.1, 2.5\n")
    (tmp_path / "plane.csv").write_text(",0,1\n0,1,2\n0.5,3,4\n")
    assert table_from_csv("t", tmp_path / "line.csv") == table("t", [0, "0.1"], [1, "2.5"])
    assert table_from_csv("t", tmp_path / "plane.csv", axes=2) == table("t", [0, "0.5"], [0, 1], [[1, 2], [3, 4]])
    for text, said in (
        ("0,1\n1", 'not x, y: "1"; '),
        ("v;F\n0;0\n-0,5;-400", 'not x, y: "0;0"; a table with one axis has two columns, with a comma'),
        ("v;F\n-0,5;-400", 'line.csv: "5;-400"'),
        ("0,1\n1,a", "line.csv: "),
        ("0.0.0,1\n1,2\n2,3", "line.csv: "),
        ("", "an axis of 0 knots"),
    ):
        (tmp_path / "line.csv").write_text(text)
        with pytest.raises(ModelError, match=said):
            table_from_csv("t", tmp_path / "line.csv")
    with pytest.raises(ModelError, match="cannot be read"):
        table_from_csv("t", tmp_path / "none.csv")
    (tmp_path / "plane.csv").write_text(",0,1\n0,1\n")
    with pytest.raises(ModelError, match="rows of different lengths"):
        table_from_csv("t", tmp_path / "plane.csv", axes=2)
