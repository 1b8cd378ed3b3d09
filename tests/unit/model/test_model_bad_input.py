"""Bad input ends in one error: file, key, value, limit, what to write. Oracle: the sentence that a reader needs.

Each row changes one text of the slider-crank file.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from exporter.errors import ModelError
from exporter.model.library import model_path
from exporter.model.toml.reader import parse_mechanism, read_mechanism

SLIDER_CRANK = model_path("slider_crank").read_text(encoding="utf-8")
TREE = '\n[joints.theta]\ntype = "revolute"\nparent = "ground"\nchild = "crank"\n'
RATES = 'rates = { theta = "500 rad/s", s = "200 m/s", beta = "500 rad/s" }'
RANGES = 'ranges = { theta = ["-1e4 rad", "1e4 rad"], s = ["0.05 m", "0.8 m"], beta = ["-1e4 rad", "1e4 rad"] }'
POSE = 'pose = { theta = "45 deg", s = "0.551 m", beta = "58 deg" }'
L2 = 'l2 = { value = "0.4 m", range = ["0.36 m", "2 m"], frozen = true'
M1 = 'm1 = { value = "1 kg", range = ["0.1 kg", "10 kg"], frozen = true'
F = 'F = { range = ["-1000 N", "1000 N"]'
ROD_INERTIA = 'inertia = { zz = "m2*l2^2/12" }'
PIN = 'points = { pin = ["l1", "0", "0"] }'


@dataclass(frozen=True)
class Fault:
    """What is changed, and what the error must say."""

    claim: str
    old: str
    new: str
    key: str
    said: str


FAULTS = [
    # structure
    Fault("unknown section", "[loads.push]", "[load.push]", "", 'key "load" is not known; did you mean "loads"?'),
    Fault(
        "unknown key", 'mass = "m3"', 'maas = "m3"', "bodies.piston", 'key "maas" is not known; did you mean "mass"?'
    ),
    Fault("unit of an input", F, F + ', unit = "N"', "inputs.F", "the unit of an input is that of its range"),
    Fault("missing key", 'type = "prismatic"\n', "", "joints.s", "the key `type` is missing"),
    Fault("no schema", "schema = 1\n", "", "", "the key `schema` is missing; write `schema = 1`"),
    Fault("other schema", "schema = 1", "schema = 2", "schema", "version 2 is not known"),
    Fault("a schema with a point", "schema = 1", "schema = 1.0", "schema", "version 1.0 is not known"),
    Fault("a schema that is true", "schema = 1", "schema = true", "schema", "version true is not known"),
    Fault("not TOML", "schema = 1", "schema = ", "", "this is not TOML"),
    Fault("table twice", TREE, TREE + TREE, "", "a key or table stands only once"),
    Fault(
        "bare number",
        'mass = "m3"',
        "mass = 1.5",
        "bodies.piston.mass",
        "1.5 is a bare number; write text with its unit",
    ),
    Fault("bare infinity", 'mass = "m3"', "mass = inf", "bodies.piston.mass", "inf is not finite"),
    Fault("bare nan", 'mass = "m3"', "mass = nan", "bodies.piston.mass", "nan is not finite"),
    Fault(
        "parameter without a table",
        "[inputs]",
        'm4 = "1 kg"\n[inputs]',
        "parameters.m4",
        'write one such as { value = "0.3 m", frozen = true }',
    ),
    Fault("number as a reference", 'child = "rod"', "child = 7", "joints.beta.child", "7 is not a text in quotes"),
    Fault("boolean as text", "closes = true", 'closes = "yes"', "joints.crank_pin.closes", "write true or false"),
    Fault(
        "two components", '["l1/2", "0", "0"]', '["l1/2", "0"]', "bodies.crank.center_of_mass", "has 2 entries; write 3"
    ),
    Fault("no independent coordinate", '["theta"]', "[]", "coordinates.independent", "is empty"),
    Fault("bad name", "[bodies.piston]", '[bodies."pis ton"]', "bodies", '"pis ton" is not a name'),
    Fault("long prefix", '"slider_crank"', '"slider_crank_of_mine"', "mechanism.name", "at most 18"),
    # words
    Fault("unknown joint type", '"prismatic"', '"prismatik"', "joints.s.type", 'did you mean "prismatic"?'),
    Fault("unknown method", "[outputs]", '[step]\nmethod = "rk45"\n[outputs]', "step.method", "semi_implicit_euler"),
    Fault("unknown unit", '"0.4 m"', '"0.4 metre"', "parameters.l2.value", 'unit "metre" is not known'),
    Fault("unit in capitals", '"0.3 m"', '"300 MM"', "parameters.l1.value", 'did you mean "mm"?'),
    Fault("unknown axis", 'axis = "x"', 'axis = "w"', "joints.s.axis", '"w" does not fit'),
    Fault("axis of zeros", 'axis = "x"', 'axis = ["0", "0", "0"]', "joints.s.axis", "zero in all three directions"),
    Fault("axis of a fixed joint", 'type = "prismatic"', 'type = "fixed"', "joints.s.axis", "has no axis of its own"),
    # numbers
    Fault("text that is no number", '"0.4 m"', '"long"', "parameters.l2.value", "finite decimal number"),
    Fault("infinity", '"0.4 m"', '"inf m"', "parameters.l2.value", "finite decimal number"),
    Fault("nan", '"-1000 N"', '"nan N"', "inputs.F.range[0]", "finite decimal number"),
    Fault("beyond any float", '"0.4 m"', '"1e999 m"', "parameters.l2.value", "beyond 1e300"),
    Fault("period of zero", "[outputs]", '[step]\nperiod = "0 s"\n[outputs]', "step.period", "not above zero"),
    # dimensions
    Fault(
        "rod in kg",
        L2,
        'l2 = { value = "0.4 kg", frozen = true',
        "bodies.rod.center_of_mass[1]",
        '"l2 / 2" is a mass (kg), but a length (m) is needed',
    ),
    Fault(
        "mass in m",
        'mass = "m3"',
        'mass = "2 m"',
        "bodies.piston.mass",
        '"2 m" is a length (m), but a mass (kg) is needed',
    ),
    Fault("angle without unit", '"45 deg"', '"45"', "coordinates.pose.theta", "an angle (rad) is needed"),
    Fault("rate in Hz", '"500 rad/s"', '"500 Hz"', "coordinates.rates.theta", "angular rate (rad/s) is needed"),
    Fault(
        "range of another kind",
        '["0.36 m", "2 m"]',
        '["0.36 kg", "2 kg"]',
        "parameters.l2.range[0]",
        "a length (m) is needed",
    ),
    Fault(
        "number for a length",
        '["l1/2", "0", "0"]',
        '["1/2", "0", "0"]',
        "bodies.crank.center_of_mass[0]",
        "number without a unit",
    ),
    Fault(
        "sum of kinds",
        '["l1/2", "0", "0"]',
        '["l1 + m1", "0", "0"]',
        "bodies.crank.center_of_mass[0]",
        "joins a length (m) and a mass (kg)",
    ),
    Fault(
        "force of torque",
        '["F", "0", "0"]',
        '["F*l1", "0", "0"]',
        "loads.push.value[0]",
        "torque (N*m), but a force (N)",
    ),
    # signs
    Fault(
        "negative length",
        L2,
        'l2 = { value = "-0.4 m", frozen = true',
        "parameters.l2.value",
        "-0.4 m is not above zero, as a length is",
    ),
    Fault("zero length", L2, 'l2 = { value = "0 m", frozen = true', "parameters.l2.value", "add signed = true"),
    Fault("zero mass", M1, 'm1 = { value = "0 kg", frozen = true', "parameters.m1.value", "0 kg is not above zero"),
    Fault("negative mass", 'mass = "m3"', 'mass = "-2 kg"', "bodies.piston.mass", "-2 kg is not above zero"),
    Fault(
        "mass that comes out zero", 'mass = "m3"', 'mass = "m1 - m1"', "bodies.piston.mass", "0 kg is not above zero"
    ),
    Fault("signed mass", M1, M1 + ", signed = true", "parameters.m1.signed", "only a length needs it"),
    Fault(
        "negative inertia", ROD_INERTIA, 'inertia = { zz = "-m2*l2^2/12" }', "bodies.rod.inertia", "no body has that"
    ),
    Fault(
        "impossible products",
        ROD_INERTIA,
        'inertia = { xx = "1 kg*m^2", yy = "1 kg*m^2", zz = "1 kg*m^2", xy = "2 kg*m^2" }',
        "bodies.rod.inertia",
        "negative moment about some axis",
    ),
    Fault(
        "impossible moments",
        ROD_INERTIA,
        'inertia = { xx = "1 kg*m^2", yy = "1 kg*m^2", zz = "3 kg*m^2" }',
        "bodies.rod.inertia",
        "larger than the sum of the other two",
    ),
    Fault("inertia without mass", 'mass = "m2"\n', "", "bodies.rod", "center_of_mass is given but no mass"),
    # formulas
    Fault("call", 'mass = "m3"', "mass = \"__import__('os')\"", "bodies.piston.mass", 'call of "__import__" in'),
    Fault("import", 'mass = "m3"', 'mass = "import os"', "bodies.piston.mass", "is not a formula"),
    Fault("attribute", 'mass = "m3"', 'mass = "m3.real"', "bodies.piston.mass", 'attribute of "m3"'),
    Fault("lambda", 'mass = "m3"', 'mass = "lambda: m3"', "bodies.piston.mass", '":" in "lambda: m3" is not allowed'),
    Fault("unknown name", 'mass = "m3"', 'mass = "m33"', "bodies.piston.mass", 'did you mean "m3"?'),
    Fault(
        "input in geometry",
        'mass = "m3"',
        'mass = "F*m3/F"',
        "bodies.piston.mass",
        "geometry, masses and gravity depend on parameters only",
    ),
    Fault(
        "coordinate of the wrong dimension in a load",
        '["F", "0", "0"]',
        '["F*s", "0", "0"]',
        "loads.push.value[0]",
        "but a force (N) is needed here",
    ),
    Fault(
        "division by zero",
        '["l1/2", "0", "0"]',
        '["l1/(1 - 1)", "0", "0"]',
        "bodies.crank.center_of_mass[0]",
        "divided by zero",
    ),
    Fault("quantity in a formula", 'mass = "m3"', 'mass = "m3 + 1 kg"', "bodies.piston.mass", "is not a formula"),
    # names
    Fault(
        "coordinate twice",
        "[joints.beta]\n",
        '[joints.beta]\ncoordinates = ["theta"]\n',
        "joints.beta.coordinates",
        '"theta" is taken by joints.theta.coordinates',
    ),
    Fault(
        "coordinate like a parameter",
        "[joints.beta]\n",
        '[joints.beta]\ncoordinates = ["l1"]\n',
        "joints.beta.coordinates",
        'the name "l1" is taken by parameters.l1',
    ),
    Fault("input like a parameter", F, "m1" + F[1:], "inputs.m1", 'the name "m1" is taken by parameters.m1'),
    Fault("function as a name", "m3 = {", "sin = {", "parameters.sin", "is a function of formulas"),
    Fault("ground as a body", "[bodies.piston]", "[bodies.ground]", "bodies.ground", "ground is the fixed body"),
    Fault(
        "coordinates of a closing joint",
        "closes = true",
        'closes = true\ncoordinates = ["g"]',
        "joints.crank_pin",
        "a joint that closes a loop has no coordinate",
    ),
    Fault(
        "too many coordinates",
        "[joints.beta]\n",
        '[joints.beta]\ncoordinates = ["beta", "g"]\n',
        "joints.beta.coordinates",
        "has 1 coordinates, and 2 are named",
    ),
    # references
    Fault(
        "joint on an unknown body",
        'child = "rod"',
        'child = "rot"',
        "joints.beta.child",
        'body "rot" does not exist (did you mean "rod"?)',
    ),
    Fault("joint on an unknown point", '"rod.pin"', '"rod.pim"', "joints.crank_pin.child", 'did you mean "rod.pin"?'),
    Fault(
        "point of the ground",
        'parent = "crank.pin"',
        'parent = "ground.pin"',
        "joints.crank_pin.parent",
        "add it under [ground] points",
    ),
    Fault("load on ground", 'on = "piston"', 'on = "ground"', "loads.push.on", "moves nothing"),
    Fault(
        "torque on a point",
        'type = "force"\non = "piston"',
        'type = "torque"\non = "crank.pin"',
        "loads.push.on",
        'write on = "crank"',
    ),
    Fault(
        "load along nothing",
        'type = "force"\non = "piston"\nvalue = ["F", "0", "0"]',
        'type = "coordinate"\non = "z"\nvalue = "F"',
        "loads.push.on",
        '"z" is not a coordinate',
    ),
    Fault(
        "point and frame of one name",
        PIN,
        PIN + '\nframes.pin = { at = ["l1", "0", "0"], turns = [["z", "0 deg"]] }',
        "bodies.crank",
        "crank.pin is a point and a frame",
    ),
    Fault("gravity forgotten", 'gravity = ["0", "-9.81 m/s^2", "0"]\n', "", "mechanism", "gravity is missing"),
    # tree
    Fault(
        "body reached twice",
        "closes = true\n",
        'coordinates = ["g"]\n',
        "joints.crank_pin",
        'body "rod" is reached twice, by beta and by crank_pin; add closes = true',
    ),
    Fault(
        "body not reached",
        "[bodies.piston]\n",
        "[bodies.idler]\n[bodies.piston]\n",
        "bodies.idler",
        'no chain of joints leads from ground to "idler"',
    ),
    Fault("no ground", 'parent = "ground"', 'parent = "rod"', "joints", 'no joint has parent = "ground"'),
    Fault(
        "ground as a child",
        'parent = "ground"\nchild = "piston"',
        'parent = "piston"\nchild = "ground"',
        "joints.s.child",
        "ground is the root of the tree",
    ),
    Fault(
        "joint of a body with itself",
        'parent = "piston"\nchild = "rod"',
        'parent = "rod"\nchild = "rod"',
        "joints.beta",
        "a joint is between two bodies",
    ),
    # coordinates
    Fault(
        "unknown independent coordinate", '["theta"]', '["tetha"]', "coordinates.independent", 'did you mean "theta"?'
    ),
    Fault("independent twice", '["theta"]', '["theta", "theta"]', "coordinates.independent", '"theta" is named twice'),
    Fault("missing range", RANGES, "ranges = {}", "coordinates.ranges", "theta has a bound under rates and no range"),
    Fault(
        "no ranges at all",
        RANGES + "\n" + RATES + "\n",
        "",
        "coordinates.ranges",
        "the independent coordinate theta has no range",
    ),
    Fault("missing rate", RATES, "rates = {}", "coordinates.rates", 'add theta = "10 rad/s"'),
    Fault("missing pose", POSE, "pose = {}", "coordinates.pose", "the independent coordinate theta has no pose"),
    Fault(
        "pose out of range",
        '"45 deg"',
        '"20000 rad"',
        "coordinates.pose.theta",
        "outside its range from -10000 to 10000 rad",
    ),
    Fault(
        "range upside down",
        '["-1e4 rad", "1e4 rad"], s',
        '["1e4 rad", "-1e4 rad"], s',
        "coordinates.ranges.theta",
        "write the smaller bound first",
    ),
    Fault("negative rate", '"500 rad/s", s', '"-500 rad/s", s', "coordinates.rates.theta", "not above zero"),
    Fault(
        "rate among ranges",
        RANGES,
        RANGES[:-2] + ', "theta.rate" = ["-1 rad/s", "1 rad/s"] }',
        "coordinates.ranges",
        "write theta = ... under coordinates.rates",
    ),
    Fault("pose of nothing", POSE, POSE[:-2] + ', x = "1 m" }', "coordinates.pose", '"x" is not a coordinate'),
    Fault(
        "branch of nothing", "branches = { s =", "branches = { z =", "coordinates.branches", '"z" is not a coordinate'
    ),
    # parameters and inputs
    Fault(
        "tunable without a range", L2, 'l2 = { value = "0.4 m"', "parameters.l2", "a tunable parameter needs a range"
    ),
    Fault(
        "value out of its range",
        '"0.4 m", range',
        '"4 m", range',
        "parameters.l2",
        "4 m is outside its range from 0.36 to 2 m",
    ),
    Fault(
        "value out of its range by little",
        '"0.4 m", range',
        '"2.00000001 m", range',
        "parameters.l2",
        "2.00000001 m is outside its range from 0.36 to 2 m",
    ),
    Fault(
        "value out of its range in another unit",
        '"0.4 m", range',
        '"359.99999 mm", range',
        "parameters.l2",
        "0.35999999 m is outside its range from 0.36 to 2 m",
    ),
    Fault(
        "nearly an integer",
        "m3 = {",
        'n = { value = "2.00000001", frozen = true, integer = true }\nm3 = {',
        "parameters.n",
        "2.00000001 is no integer",
    ),
    Fault(
        "pose out of range by little",
        '"45 deg"',
        '"10000.001 rad"',
        "coordinates.pose.theta",
        "10000.001 rad is outside its range from -10000 to 10000 rad",
    ),
    Fault("input without a range", F, 'F = { nominal = "0 N"', "inputs.F", "the key `range` is missing"),
    Fault(
        "nominal out of range",
        '["-1000 N", "1000 N"]',
        '["10 N", "1000 N"]',
        "inputs.F.nominal",
        "0 N is outside its range",
    ),
    Fault("integer with a unit", M1, M1 + ", integer = true", "parameters.m1", "an integer has no unit"),
    Fault(
        "integer that is none",
        "m3 = {",
        'n = { value = "2.5", frozen = true, integer = true }\nm3 = {',
        "parameters.n",
        "2.5 is no integer",
    ),
    # outputs
    Fault("output of nothing", '"s.rate"', '"z.rate"', "outputs.piston_speed", '"z" is not a coordinate'),
    Fault(
        "unknown suffix",
        '"s.rate"',
        '"s.speed"',
        "outputs.piston_speed",
        "after a coordinate may stand .rate, .acceleration",
    ),
    Fault("sine of a length", '"s.rate"', '"s.sin"', "outputs.piston_speed", "is a length and has no sin"),
    Fault("output of a taken name", "piston_speed =", "l1 =", "outputs.l1", 'the name "l1" is taken'),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.claim)
def test_bad_input_ends_in_one_clear_error(fault: Fault) -> None:
    """The error starts with the file and the key and says what is wrong, in one line."""
    assert fault.old in SLIDER_CRANK
    count = -1 if fault.claim == "no ground" else 1
    with pytest.raises(ModelError) as caught:
        parse_mechanism(SLIDER_CRANK.replace(fault.old, fault.new, count), "mine.toml")
    text = str(caught.value)
    assert text.startswith(f"mine.toml: {fault.key}: " if fault.key else "mine.toml: ")
    assert fault.said in text
    assert "\n" not in text
    assert caught.value.exit_code == 2


def test_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """A folder, a missing file and a file that is not UTF-8 are errors in words."""
    (tmp_path / "latin.toml").write_bytes(b'title = "\xe9"')
    for path, said in (
        (tmp_path, "cannot be read"),
        (tmp_path / "no.toml", "cannot be read"),
        (tmp_path / "latin.toml", "UTF-8"),
    ):
        with pytest.raises(ModelError, match=said):
            read_mechanism(path)


def test_signed_length_may_be_zero_or_negative() -> None:
    """An offset says so, and then passes."""
    text = SLIDER_CRANK.replace("m3 = {", 'e = { value = "-1 mm", frozen = true, signed = true }\nm3 = {', 1)
    assert parse_mechanism(text, "mine.toml").parameters[4].value < 0


def test_file_runs_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Text that would print if it were evaluated prints nothing."""
    with pytest.raises(ModelError):
        parse_mechanism(SLIDER_CRANK.replace('mass = "m3"', "mass = \"print('run')\"", 1), "mine.toml")
    assert capfd.readouterr().out == ""
