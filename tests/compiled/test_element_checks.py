"""SIL judges elements by their own laws: an export whose element is another than its model's fails by its dynamics."""

from dataclasses import replace
from pathlib import Path

import pytest
from model_texts import CART

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.operations import Precision
from sil.campaign import run
from sil.check_names import Check, name_of
from sil.options import Options

pytestmark = pytest.mark.compiled

ELEMENTS = {
    "spring": 'type = "spring"\nbetween = ["ground.hook", "rod.pin"]\nstiffness = "900 N/m"\n'
    'free = "0.3 m"\npreload = "5 N"',
    "damper": 'type = "damper"\nalong = "s"\ndamping = "30 N*s/m"',
    "gas spring": 'type = "gas_spring"\nalong = "s"\nforce = "200 N"\nat = "0.5 m"\ncolumn = "0.8 m"',
    "gas spring, adiabatic": 'type = "gas_spring"\nalong = "s"\nforce = "200 N"\nat = "0.5 m"\ncolumn = "0.8 m"\n'
    'exponent = "1.3"',
    "end stop": 'type = "end_stop"\nalong = "s"\nupper = "0.55 m"\nstiffness = "2 kN/m"\ndissipation = "0.002 s/m"',
    "friction": 'type = "friction"\nalong = "beta"\nforce = "4 N*m"\nsmoothing_speed = "0.5 rad/s"',
    "actuator": 'type = "actuator"\nalong = "s"\nforce = "F*sin(beta)"',
}
WRONG = {
    "spring": ('free = "0.3 m"', 'free = "0.301 m"'),
    "damper": ('"30 N*s/m"', '"30.1 N*s/m"'),
    "gas spring": ('column = "0.8 m"', 'column = "0.81 m"'),
    "gas spring, adiabatic": ('exponent = "1.3"', 'exponent = "1.31"'),
    "end stop": ('"0.002 s/m"', '"0.0021 s/m"'),
    "friction": ('"0.5 rad/s"', '"0.51 rad/s"'),
    "actuator": ("sin(beta)", "cos(beta)"),
}


def with_element(text: str) -> Mechanism:
    """The slider-crank with an element, and a point on the ground."""
    file = model_path("slider_crank").read_text(encoding="utf-8")
    return parse_mechanism(
        f'{file}\n[ground]\npoints = {{ hook = ["-0.2 m", "0.5 m", "0"] }}\n[elements.e]\n{text}', "e"
    )


@pytest.mark.parametrize("kind", ELEMENTS)
def test_another_law_fails_by_dynamics_and_the_right_one_passes(require_tool, kind: str, tmp_path: Path) -> None:
    require_tool("gcc")
    asked = with_element(ELEMENTS[kind])
    for number, made in enumerate((asked, with_element(ELEMENTS[kind].replace(*WRONG[kind])))):
        program = program_of_mechanism(made, "float64", only=["dynamics"])
        named = replace(program, model_hash=asked.model_hash)
        export = write_export(named, tmp_path / str(number), canonical(asked))
        verdicts = run(export, Options(count=200, functions=("dynamics",))).verdicts
        failed = {name_of(verdict.check) for verdict in verdicts if not verdict.passed}
        assert ({Check.DYNAMICS, Check.POWER} <= failed) is (number == 1), kind
        assert failed <= {Check.DYNAMICS, Check.POWER, Check.AGREEMENT}


STOP = (
    CART
    + """[elements.stop]
type = "end_stop"
along = "x"
lower = "0.1 m"
stiffness = "300 kN/m"
dissipation = "0.5 s/m"
[elements.coil]
type = "spring"
along = "x"
stiffness = "200 kN/m"
[coordinates]
independent = ["x"]
pose = { x = "0.1 m" }
ranges = { x = ["0 m", "0.5 m"] }
rates = { x = "4 m/s" }
[step]
method = "linearly_implicit"
"""
)


LAWS = """[tables.soft]
x = ["0 m", "0.1 m", "0.3 m", "0.5 m"]
y = ["4 kN", "0 N", "-3 kN", "-20 kN"]
method = "monotone_cubic"
[tables.map]
x = ["0 m", "0.2 m", "0.5 m"]
y = ["-4 m/s", "-1 m/s", "4 m/s"]
z = [["9 kN", "5 kN", "1 kN"], ["300 N", "100 N", "-1 kN"], ["-3 kN", "-9 kN", "-12 kN"]]
[tables.oil]
x = ["-4 m/s", "0 m/s", "4 m/s"]
y = ["-900 N", "0 N", "500 N"]
[parameters]
k = { value = "90 kN/m", frozen = true }
c = { value = "700 N*s/m", frozen = true }
a = { value = "0.1 m", frozen = true }
v = { value = "1 m/s", frozen = true }
"""


@pytest.mark.parametrize(
    "law",
    [
        "soft(x) - oil(x.rate)",
        "map(x, x.rate)",
        "-k*(x - a)*(1 + abs(x - a)/a) - c*x.rate*abs(x.rate)/v",
        "max(-k*(x - a), a*k)",
    ],
)
def test_slopes_of_tables_and_of_laws_with_kinks_agree(require_tool, law: str, tmp_path: Path) -> None:
    """The reference takes them by complex steps, the export by rules for each function."""
    require_tool("gcc")
    model = parse_mechanism(STOP.replace('stiffness = "200 kN/m"', f'force = "{law}"') + LAWS, "cart")
    program = program_of_mechanism(model, "float64", only=["dostep"])
    export = write_export(program, tmp_path / "export", canonical(model))
    assert all(verdict.passed for verdict in run(export, Options(count=200, functions=("dostep",))).verdicts)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_stop_that_begins_at_the_pose_passes_and_a_slope_left_out_fails(
    require_tool, precision: Precision, tmp_path: Path
) -> None:
    """At the kink of the stop either slope is right; elsewhere, without those of the spring, the step is another."""
    require_tool("gcc")
    asked = parse_mechanism(STOP, "cart")
    for number, made in enumerate((asked, parse_mechanism(f'{STOP}implicit = ["stop"]\n', "cart"))):
        program = replace(program_of_mechanism(made, precision, only=["dostep"]), model_hash=asked.model_hash)
        export = write_export(program, tmp_path / str(number), canonical(asked))
        verdicts = run(export, Options(count=200, functions=("dostep",))).verdicts
        failed = {name_of(verdict.check) for verdict in verdicts if not verdict.passed}
        assert (Check.STEP in failed) is (number == 1)
        assert failed <= {Check.STEP, Check.AGREEMENT}
