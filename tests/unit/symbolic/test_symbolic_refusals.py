"""What a symbolic model cannot say ends in one sentence that names it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from exporter.errors import ModelError
from exporter.symbolic import (
    SymbolicModel,
    define,
    frozen,
    given,
    load,
    output,
    solve,
    tunable,
)
from exporter.symbolic.program import program_of_symbolic

x, link = sp.symbols("x L")


def export(expression: Any, *parameters: Any) -> None:
    model = SymbolicModel("bad", (given("x", -2, 2, nominal=1),), (output("y", expression),), parameters=parameters)
    program_of_symbolic(model, "float64")


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (sp.cosh(x), "cosh, which has no fixed-time form; write it with exp"),
        (sp.frac(x), r"frac, which has no fixed-time form; write Mod\(x, 1\)"),
        (sp.exp(400 * x), r"takes exp of a value in \[-800, 800\], beyond 708, which may overflow"),
        (sp.log(x), r"takes the logarithm of a value in \[-2, 2\], which may be zero or negative"),
        (sp.log(sp.Symbol("L") - 3), "takes the logarithm of -1; it must be above zero"),
        (sp.Mod(x, x + 2), r"Mod of a value in \[-2, 2\] by one in \[0, 4\]; the modulus must keep its sign"),
        (sp.Mod(x, sp.Symbol("L") * sp.Rational(1, 10**20)), "at least 1/562949953421312 of the value"),
        (sp.Mod(sp.Symbol("L"), sp.Symbol("L") - 2), "takes Mod by zero"),
        ((x + 3) ** (1000 * x), r"a power with a value in .*, beyond 2.25e\+307, which may overflow"),
        (sp.Integral(x, x), "Integral, which has no fixed-time form"),
        (x**x, r"takes a power of a value in \[-2, 2\], which may be zero or negative"),
        (x ** sp.Rational(1, 3), r"takes the root of a value in \[-2, 2\], which may be negative"),
        (x ** sp.Rational(-1, 3), r"takes a power of a value in \[-2, 2\], which may be zero or negative"),
        (sp.sin(sp.Symbol("z")), "'z', which is no input"),
        (sp.Symbol("xx"), "did you mean 'x'"),
        (sp.Dummy("x"), "Dummy"),
        (sp.IndexedBase("q")[sp.Symbol("i")], "index that is no number"),
        (x + sp.I, "contains I"),
        (x + sp.oo, "output 'y'.*oo"),
        (sp.nan, "contains nan"),
        (sp.zoo * x, "contains zoo"),
        (sp.Max(x, sp.oo, evaluate=False), "infinite"),
        (x < 1, "condition"),
        (sp.Piecewise((x, x < 1)), "without a default"),
        (sp.sqrt(-3 - sp.Symbol("L")), "takes the root of -5"),
        (sp.asin(sp.Symbol("L")), "asin or acos of 2"),
        (sp.atan2(sp.Symbol("L") - 2, sp.Symbol("L") - 2), "atan2"),
    ],
)
def test_expression_that_cannot_be_exported_is_refused(expression: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words) as caught:
        export(expression, frozen("L", 2))
    assert "\n" not in str(caught.value)


def test_division_by_a_parameter_that_is_zero_names_it() -> None:
    """A link length of 0 in x/L (tinygrad/tinygrad#935)."""
    with pytest.raises(ModelError, match=r"output 'y' divides by zero: parameter 'L' is 0"):
        export(x / link, frozen("L", 0))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), sp.zoo, sp.nan, sp.oo, "nan", "inf", "two", None, True])
def test_parameter_that_is_no_finite_number_is_named(value: Any) -> None:
    with pytest.raises(ModelError, match="parameter 'L'"):
        frozen("L", value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: given("x"), "input 'x' has no range"),
        (lambda: given("x", 0), "input 'x' has no range"),
        (lambda: given("x", 2, 1), "empty range"),
        (lambda: given("x", 0, 1, nominal=2), "outside of its range"),
        (lambda: given("x", "1 kg", "2 m"), "mass"),
        (lambda: given("x", "1 m", 2), "no unit"),
        (lambda: given("x", "1 parsec", "2 parsec"), "parsec"),
        (lambda: tunable("k", 1), "no range"),
        (lambda: tunable("k", 3, 0, 2), "outside of its range"),
        (lambda: frozen("N", 1.5, integer=True), "declared integer"),
        (lambda: tunable("N", "3.5", 1, 9, integer=True), "declared integer"),
        (lambda: output("y", x, "mm"), "declare m"),
        (lambda: output("y", "x + 1"), "no SymPy expression"),
        (lambda: define("y", "__import__('os')"), "no SymPy expression"),
        (lambda: solve(["a", "b"], [[x]], [1, 2]), "2 unknowns"),
        (lambda: solve(["a", "b"], [[x, 1], [1, x]], [1]), "2 unknowns"),
        (lambda: solve([], [], []), "0 unknowns"),
    ],
)
def test_declaration_that_contradicts_itself_is_refused(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        make()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "Bad Name"}, "prefix"),
        ({"name": "a" * 19}, "18"),
        ({"outputs": ()}, "no output"),
        ({"inputs": (given("x", 0, 1), given("x", 0, 1))}, "'x' is given twice"),
        ({"parameters": (frozen("x", 1),)}, "'x' is given twice"),
        ({"steps": (define("x", x),)}, "'x' is given twice"),
        ({"outputs": (output("y", x), output("y", x))}, "'y' is given twice"),
        ({"outputs": (output("x", x),)}, "name of an input"),
        ({"outputs": (output("y", x, role="guess"),)}, "role 'guess'"),
        ({"inputs": (given(" ", 0, 1),)}, "cannot be a name"),
    ],
)
def test_model_that_contradicts_itself_is_refused(changes: dict[str, Any], words: str) -> None:
    content: dict[str, Any] = {"name": "bad", "inputs": (given("x", 0, 1),), "outputs": (output("y", x),)}
    with pytest.raises(ModelError, match=words):
        SymbolicModel(**(content | changes))


def test_step_may_not_use_a_later_one() -> None:
    steps = (define("a", sp.Symbol("b")), define("b", x))
    model = SymbolicModel("bad", (given("x", 0, 1),), (output("y", sp.Symbol("a")),), steps=steps)
    with pytest.raises(ModelError, match=r"definition 'a' uses 'b'"):
        program_of_symbolic(model, "float64")


def test_linear_solve_without_a_threshold_is_refused() -> None:
    step = solve(["a"], [[x]], [1])
    model = SymbolicModel("bad", (given("x", -1, 1),), (output("y", sp.Symbol("a")),), steps=(step,))
    with pytest.raises(ModelError, match=r"the solve step for \(a\).*may vanish"):
        program_of_symbolic(model, "float64")


def test_model_is_fetched_from_a_file_and_from_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways find a neighbour module in the same folder."""
    (tmp_path / "kinefix_test_lengths.py").write_text("ROD = 3\n")
    source = tmp_path / "kinefix_test_model.py"
    source.write_text(
        "from kinefix_test_lengths import ROD\n"
        "import sympy as sp\n"
        "from exporter.symbolic import SymbolicModel, given, output\n"
        "def model():\n"
        "    return SymbolicModel('rod', (given('x', 0, 1),), (output('y', ROD * sp.Symbol('x')),))\n"
    )
    monkeypatch.chdir(tmp_path)
    assert load(f"{source}:model").name == "rod"
    assert load("kinefix_test_model.py:model").name == "rod"
    assert load("kinefix_test_model:model").name == "rod"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no function 'model'"),
        ("def model():\n    return 3\n", "returned int"),
        ("def model():\n    raise KeyError('rod')\n", "KeyError: 'rod'"),
        ("def model(a):\n    return a\n", "TypeError"),
        ("import kinefix_is_not_installed\n", "ModuleNotFoundError"),
        ("def model(:\n", "SyntaxError"),
        ("model = 3\n", "no function 'model'"),
    ],
)
def test_source_that_gives_no_model_is_refused(tmp_path: Path, text: str, words: str) -> None:
    source = tmp_path / "broken.py"
    source.write_text(text)
    with pytest.raises(ModelError, match=words):
        load(f"{source}:model")


@pytest.mark.parametrize(
    "source", ["no_colon", ":model", "module:", "module:two words", "missing.py:model", "nowhere:f"]
)
def test_source_that_names_nothing_is_refused(source: str) -> None:
    with pytest.raises(ModelError):
        load(source)
