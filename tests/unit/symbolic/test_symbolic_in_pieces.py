"""Models whose denominators are proven in pieces export whatever leaves the function afterwards.

Oracle: the same expressions in numpy.
"""

from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from exporter.c99.layout import layout
from exporter.c99.rows import run_rows
from exporter.export import write_export
from exporter.sequence.interpreter import InterpretedRows
from exporter.sequence.operations import Precision
from exporter.symbolic import Division, SymbolicModel, define, given, output, tunable
from exporter.symbolic.program import program_of_symbolic

a, b, c, d, x, p, g = sp.symbols("a b c d x p g")
NARROW = sp.Rational(2505, 10000) - x * (1 - x)
"""At least 1/2000 for x in [0, 1]; over one box it may be -3/4."""

PRECISIONS: tuple[Precision, ...] = ("float32", "float64")


def exported(model: SymbolicModel, precision: Precision, folder: Path, rows: list[list[float]]) -> InterpretedRows:
    """What the C of a written export gives: its folder is made once its ranges are bounded again."""
    program = program_of_symbolic(model, precision)
    write_export(program, folder / "made", {})
    return run_rows(layout(program), "evaluate", np.array(rows))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_what_depends_on_parameters_alone_is_no_range_to_cut(precision: Precision, tmp_path: Path) -> None:
    """A tunable parameter behind a select goes to `recalibrate`, where a range of a row stays."""
    chosen = define("g", sp.Piecewise((p, x <= sp.Rational(1, 2)), (3, True)))
    model = SymbolicModel(
        "chosen",
        (given("x", 0, 1),),
        (output("y", 1 / NARROW), output("z", 1 / g)),
        (tunable("p", "1.5", 1, 2),),
        steps=(chosen,),
        division=Division("1e-6"),
    )
    made = exported(model, precision, tmp_path, [[0.25], [0.75]])
    assert list(made.status) == [0, 0]
    narrow = 1 / (0.2505 - 0.25 * 0.75)
    expected = [[narrow, 1 / 1.5], [narrow, 1 / 3]]
    assert made.outputs == pytest.approx(np.array(expected), rel=1e-5 if precision == "float32" else 1e-13)


def test_ranges_that_guards_made_decisive_are_cut_no_more(tmp_path: Path) -> None:
    """The comparison x (1 - x) <= 3/10 always holds: without its arm, four ranges decide where five did."""
    names = ("a", "b", "c", "d", "x")
    arms = sp.Piecewise((a, x * (1 - x) <= sp.Rational(3, 10)), (1 / (2 + d), True))
    model = SymbolicModel(
        "decided",
        tuple(given(name, 0, 1) for name in names),
        (
            output("narrow", 1 / NARROW),
            output("turned", sp.sin(x)),
            output("summed", 1 / (2 + a) + 1 / (2 + b) + 1 / (2 + c)),
            output("armed", arms),
        ),
        division=Division("1e-6"),
    )
    made = exported(model, "float64", tmp_path, [[0.1, 0.2, 0.3, 0.4, 0.5]])
    expected = [1 / (0.2505 - 0.25), np.sin(0.5), 1 / 2.1 + 1 / 2.2 + 1 / 2.3, 0.1]
    assert made.outputs[0] == pytest.approx(expected, rel=1e-12)
