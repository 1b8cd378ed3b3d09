"""Euler angles that are read from an attitude where the middle one comes to a quarter turn.

The parallelogram carries a body that does not turn on a ball of its crank: the ball's middle angle is the crank's own,
taken back, theta = -q, and both others are zero.
"""

import numpy as np
import pytest

from exporter.errors import RangesRefused
from exporter.functions.program import program_of_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.program import Program

CARRIED = """
schema = 1
[mechanism]
name = "carried"
gravity = ["0", "0", "0"]
[inputs]
t = { range = ["-50 N*m", "50 N*m"] }
[ground]
points = { pivot = ["1 m", "0", "0"] }
[bodies.crank]
mass = "1 kg"
inertia = { yy = "0.02 kg*m^2" }
points = { tip = ["0.4 m", "0", "0"] }
frames = { tilted = { at = ["0.4 m", "0", "0"], turns = [["x", "5 deg"]] } }
[bodies.carried]
mass = "2 kg"
inertia = { xx = "0.05 kg*m^2", yy = "0.06 kg*m^2", zz = "0.04 kg*m^2" }
points = { far = ["1 m", "0", "0"] }
[bodies.rocker]
points = { tip = ["0.4 m", "0", "0"] }
[joints.q]
type = "revolute"
axis = "y"
parent = "ground"
child = "crank"
[joints.r]
type = "revolute"
axis = "y"
parent = "ground.pivot"
child = "rocker"
[joints.ball]
type = "spherical"
parent = "crank.tip"
child = "carried"
coordinates = ["phi", "theta", "psi"]
[joints.close]
type = "revolute"
axis = "y"
parent = "rocker.tip"
child = "carried.far"
closes = true
[coordinates]
independent = ["q"]
pose = { q = "-60 deg", phi = "0 deg", theta = "60 deg", psi = "0 deg", r = "-60 deg" }
ranges = { q = ["-120 deg", "-30 deg"] }
rates = { q = "5 rad/s" }
"""
LOAD = '[loads.push]\ntype = "coordinate"\non = "theta"\nvalue = "t"\n'
ASKED = '[outputs]\na = "phi"\nb = "theta"\nc = "psi"\n'


def program(end: str, *, more: str = "", changes: tuple[tuple[str, str], ...] = ()) -> Program:
    """The export over a range of q from `end` on, deg."""
    text = CARRIED + more
    for what, by in (("-120 deg", f"{end} deg"), *changes):
        assert what in text
        text = text.replace(what, by)
    return program_of_mechanism(parse_mechanism(text, "carried"), "float64")


@pytest.mark.parametrize("end", ["-120", "-119"])
def test_a_load_on_a_middle_angle_that_passes_a_quarter_turn_is_refused(end: str) -> None:
    """At an end of -120 degrees one of the looked-at places is the quarter turn itself."""
    with pytest.raises(
        RangesRefused, match=r"theta passes a quarter turn at q = -1\.5708 rad; .* load 'push' on theta"
    ):
        program(end, more=LOAD)


COIL = '[elements.coil]\ntype = "spring"\nalong = "phi"\nstiffness = "3 N*m/rad"\n'
MOTOR = '[elements.motor]\ntype = "actuator"\nalong = "theta"\nforce = "t"\n'
GEAR = '[loads.gear]\ntype = "coordinate"\non = "q"\nvalue = "t*cos(psi)"\n'
OIL = '[elements.oil]\ntype = "damper"\nalong = "theta"\ndamping = "3 N*m*s/rad"\n'


@pytest.mark.parametrize(
    ("force", "said"),
    [
        (COIL, "elements.coil.along, which reads phi"),
        (MOTOR, "elements.motor.along, which reads theta"),
        (GEAR, "loads.gear.value, which reads psi"),
        (OIL, ""),
    ],
)
def test_forces_that_read_an_angle_of_the_triple_are_refused_too(force: str, said: str) -> None:
    """A damper has the same power in both triples, and stays."""
    if said:
        with pytest.raises(RangesRefused, match=f"{said}, would jump"):
            program("-120", more=force)
    else:
        program("-120", more=force)
    program("-80", more=force)


def test_before_a_quarter_turn_the_load_acts_as_it_is_written() -> None:
    """The body moves like a point mass at the tip: (J + m r^2) q'' = -t, for theta = -q."""
    dynamics = program("-80", more=LOAD).function("dynamics")
    columns = [signal.name for signal in dynamics.inputs]
    row = {"q": np.deg2rad(-70), "q.rate": 0.0, "t": 7.0}
    result = interpret(dynamics, np.array([[row[name] for name in columns]]))
    names = [output.signal.name for output in dynamics.outputs]
    assert result.status[0] == 0
    assert result.outputs[0, names.index("q.acceleration")] == pytest.approx(-7.0 / (0.02 + 2 * 0.4**2), rel=1e-12)


def test_a_note_tells_of_outputs_that_jump() -> None:
    (note,) = (each for each in program("-120", more=ASKED).notes if "quarter turn" in each)
    assert note.startswith("theta passes a quarter turn at q = -1.5708 rad: phi and psi jump by half a turn")
    assert not any("quarter turn" in each for each in program("-80", more=ASKED).notes)


def test_a_motion_past_a_quarter_turn_is_no_passage() -> None:
    """From a tilted frame theta stays below 85 degrees: both outer angles swing by half a turn, without a jump."""
    tilted = program("-120", more=LOAD + ASKED, changes=(('parent = "crank.tip"', 'parent = "crank.tilted"'),))
    assert not any("quarter turn" in each for each in tilted.notes)


def test_a_rough_pose_beyond_a_quarter_turn_keeps_the_triple_that_it_draws() -> None:
    """The pose draws 84 degrees where the angle is 95; the other triple is half a turn away in two angles."""
    rough = (("-60 deg", "-95 deg"), ('theta = "60 deg"', 'theta = "84 deg"'), ("-30 deg", "-91 deg"))
    position = program("-120", more=ASKED, changes=rough).function("position")
    names = [output.signal.name for output in position.outputs]
    result = interpret(position, np.deg2rad([[-95.0], [-110.0]]))
    assert not result.status.any()
    found = result.outputs[:, [names.index(name) for name in ("a", "b", "c")]]
    assert found == pytest.approx(np.deg2rad([[0, 95, 0], [0, 110, 0]]), abs=1e-12)
