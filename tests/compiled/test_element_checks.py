"""SIL judges elements by their own laws: an export whose element is another than its model's fails by its dynamics."""

from dataclasses import replace
from pathlib import Path

import pytest

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from sil.campaign import run
from sil.check_names import Check, name_of
from sil.options import Options

pytestmark = pytest.mark.compiled

ELEMENTS = {
    "spring": 'type = "spring"\nbetween = ["ground.hook", "rod.pin"]\nstiffness = "900 N/m"\n'
    'free = "0.3 m"\npreload = "5 N"',
    "damper": 'type = "damper"\nalong = "s"\ndamping = "30 N*s/m"',
    "gas spring": 'type = "gas_spring"\nalong = "s"\nforce = "200 N"\nat = "0.5 m"\ncolumn = "0.8 m"',
    "end stop": 'type = "end_stop"\nalong = "s"\nupper = "0.55 m"\nstiffness = "2 kN/m"\ndissipation = "0.002 s/m"',
    "friction": 'type = "friction"\nalong = "beta"\nforce = "4 N*m"\nsmoothing_speed = "0.5 rad/s"',
    "actuator": 'type = "actuator"\nalong = "s"\nforce = "F*sin(beta)"',
}
WRONG = {
    "spring": ('free = "0.3 m"', 'free = "0.301 m"'),
    "damper": ('"30 N*s/m"', '"30.1 N*s/m"'),
    "gas spring": ('column = "0.8 m"', 'column = "0.81 m"'),
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
