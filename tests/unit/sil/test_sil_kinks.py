"""A linearly implicit step that begins where a stop is met is judged by the slopes of a side, elsewhere by its own.

Slopes of a law with a kink are those of a side; on the kink itself neither is the right one.
"""

from dataclasses import replace

import pytest

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.complete import completed
from exporter.model.mechanism import StepOptions
from exporter.model.toml.reader import parse_mechanism
from sil.campaign import run
from sil.check_names import Check
from sil.options import Options

BUFFERED = """schema = 1
[mechanism]
name = "buffered"
gravity = ["0", "0", "-9.81 m/s^2"]
[parameters]
drag = { value = "200 N*s^2/m^2", frozen = true }
[bodies.sledge]
mass = "2 kg"
[bodies.lid]
mass = "3 kg"
center_of_mass = ["0.2 m", "0", "0"]
inertia = { xx = "0.1 kg*m^2", yy = "0.1 kg*m^2", zz = "0.1 kg*m^2" }
[joints.x]
type = "prismatic"
parent = "ground"
child = "sledge"
[joints.angle]
type = "revolute"
axis = "-y"
parent = "sledge"
child = "lid"
[elements.buffer]
type = "end_stop"
along = "x"
lower = "-0.1 m"
upper = "0.3 m"
stiffness = "40 kN/m"
[elements.rest]
type = "end_stop"
along = "angle"
lower = "0"
upper = "1.1 rad"
stiffness = "3 kN*m/rad"
dissipation = "0.2 s/rad"
[elements.oil]
type = "damper"
along = "x"
force = "-drag*abs(x.rate)*x.rate"
[coordinates]
independent = ["x", "angle"]
pose = { x = "0.1 m", angle = "0.5 rad" }
ranges = { x = ["-0.1 m", "0.3 m"], angle = ["0", "1.2 rad"] }
rates = { x = "3 m/s", angle = "6 rad/s" }
[step]
method = "linearly_implicit"
"""


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("known", [(), ("oil",)])
def test_a_step_from_a_stop_passes_and_one_without_its_slopes_fails(real, known, tmp_path):
    """Vectors at the ends of the ranges stand where the stops begin; without their slopes the step is another."""
    asked = parse_mechanism(BUFFERED, "buffered")
    made = completed(replace(asked, step=StepOptions("linearly_implicit", implicit=known)))
    program = replace(program_of_mechanism(made, real, only=["dostep"]), model_hash=asked.model_hash)
    export = write_export(program, tmp_path / "export", canonical(asked))
    verdicts = run(export, Options(count=400, runner="interpreter", functions=("dostep",)), program).verdicts
    failed = {verdict.check for verdict in verdicts if not verdict.passed}
    assert (Check.STEP in failed) is bool(known)
    assert failed <= {Check.STEP, Check.STEP_FLAGS}
