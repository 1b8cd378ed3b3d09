"""Distances, elements and loads of the state in a file: what is read, and what is refused in one sentence."""

import pytest

from exporter.errors import ModelError
from exporter.model.canonical import canonical, from_canonical
from exporter.model.library import model_path
from exporter.model.toml.reader import parse_mechanism

SLIDER_CRANK = model_path("slider_crank").read_text(encoding="utf-8")
SOUND = """
[distances]
strut = ["ground", "rod.pin"]
[elements.buffer]
type = "end_stop"
along = "s"
upper = "0.7 m"
stiffness = "9 kN/m"
[elements.coil]
type = "spring"
between = ["ground", "piston"]
stiffness = "2 kN/m"
free = "0.4 m"
damping = "15 N*s/m"
[elements.rub]
type = "friction"
along = "strut"
force = "0.2*F"
smoothing_speed = "10 mm/s"
[loads.brake]
type = "torque"
on = "crank"
axes = "rod"
value = ["0", "0", "-m1*theta.rate*l1^2*sin(theta)*50*theta.rate"]
"""
FAULTS = {
    "kind": ('"end_stop"', '"endstop"', "elements.buffer.type", "end_stop"),
    "line": ('along = "s"', 'along = "z"', "elements.buffer.along", '"z" is neither a distance nor a coordinate'),
    "joint that closes": (
        'along = "s"',
        'along = "crank_pin"',
        "elements.buffer.along",
        "this joint closes a loop; open",
    ),
    "two lines": ('along = "s"', 'along = "s"\nbetween = ["ground", "piston"]', "elements.buffer", "along one line"),
    "no line": ('along = "s"\n', "", "elements.buffer", "along one line"),
    "value of another kind": ('upper = "0.7 m"', 'free = "0.7 m"', "elements.buffer.free", "end_stop has no free"),
    "value that is missing": ('upper = "0.7 m"\n', "", "elements.buffer", "needs lower or upper"),
    "law and values": ('free = "0.4 m"', 'force = "F"', "elements.coil", "by stiffness or by force, not by both"),
    "dimension": ('"9 kN/m"', '"9 kN"', "elements.buffer.stiffness", "is needed here"),
    "energy from nothing": ('"15 N*s/m"', '"-15 N*s/m"', "elements.coil.damping", "would add energy"),
    "no smoothing": ('"10 mm/s"', '"0 mm/s"', "elements.rub.smoothing_speed", "not above zero"),
    "stops exchanged": (
        'upper = "0.7 m"',
        'upper = "0.7 m"\nlower = "0.8 m"',
        "elements.buffer.upper",
        "not above lower",
    ),
    "state in a value": ('"2 kN/m"', '"m1*g0*s/l1"', "elements.coil.stiffness", "write the whole law as `force`"),
    "one body": ('["ground", "rod.pin"]', '["rod", "rod.pin"]', "distances.strut", "points of one body"),
    "name taken": ("strut =", "l1 =", "distances.l1", 'the name "l1" is taken'),
    "name of a body": ("strut =", 'rod = ["ground", "piston"]\nstrut =', "distances.rod", '"rod" is a body'),
    "distance twice": ("strut =", 'coil = ["ground", "rod"]\nstrut =', "elements.coil", "rename one"),
    "angle that turns on": ("sin(theta)*50*theta.rate", "theta*50*theta.rate", "loads.brake.value", "would jump"),
    "unknown axes": ('axes = "rod"', 'axes = "road"', "loads.brake.axes", 'did you mean "rod"'),
    "function": ("sin(theta)", "tan(theta)", "loads.brake.value[2]", 'the call of "tan"'),
    "rate of a rate": ("theta.rate*l1", "theta.rate.rate*l1", "loads.brake.value[2]", "an attribute"),
    "exponent": (
        '"end_stop"\nalong = "s"\nupper = "0.7 m"\nstiffness = "9 kN/m"',
        '"gas_spring"\nalong = "s"\nforce = "9 N"\nat = "0.5 m"\ncolumn = "0.9 m"\nexponent = "-1"',
        "elements.buffer.exponent",
        "not above zero",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_refused_with_its_place(fault: str) -> None:
    old, new, key, said = FAULTS[fault]
    text = SLIDER_CRANK + SOUND
    assert text.count(old) >= 1
    changed = SLIDER_CRANK + SOUND.replace(old, new, 1).replace("*g0", "")
    with pytest.raises(ModelError) as caught:
        parse_mechanism(changed, "mine.toml")
    assert str(caught.value).startswith(f"mine.toml: {key}: ")
    assert said in str(caught.value)


def test_the_file_is_read_as_it_was_written_and_comes_back_from_its_canonical_form() -> None:
    mechanism = parse_mechanism(SLIDER_CRANK + SOUND, "mine.toml")
    assert list(mechanism.distances) == ["strut", "coil"]
    assert [(element.name, element.type, element.along) for element in mechanism.elements] == [
        ("buffer", "end_stop", "s"),
        ("coil", "spring", "coil"),
        ("rub", "friction", "strut"),
    ]
    assert mechanism.loads[-1].axes is not None
    assert mechanism.loads[-1].axes.body == "rod"
    assert from_canonical(canonical(mechanism)) == mechanism


def test_a_file_without_them_keeps_its_identity() -> None:
    """The hash that exports of the library carry; written down before there were elements."""
    data = canonical(parse_mechanism(SLIDER_CRANK, "mine.toml"))
    assert not {"distances", "elements"} & data.keys()
    assert "axes" not in data["loads"][0]
