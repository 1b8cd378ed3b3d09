"""A mechanism file becomes a Mechanism, exactly. Oracle: the numbers of the file, and loop closures written here."""

import cmath
import json
import math
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from exporter.errors import ModelError
from exporter.model.canonical import canonical, from_canonical, model_hash
from exporter.model.complete import completed, with_independent, with_tunable, with_values
from exporter.model.expression import Name, Number
from exporter.model.library import model_names, model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.schema import SCHEMA_PATH
from exporter.model.template import new_model_text
from exporter.model.toml.reader import parse_mechanism, read_mechanism

DATA = Path(__file__).resolve().parents[2] / "data"
TEST_FILES = ("crank_rocker", "dyad", "dyad_open_choice", "four_bar_wang_gosselin")


def library(name: str) -> Mechanism:
    return read_mechanism(model_path(name))


def pose_of(mechanism: Mechanism) -> dict[str, float]:
    return {name: float(value) for name, value in mechanism.pose.items()}


def lengths_of(mechanism: Mechanism) -> dict[str, float]:
    return {parameter.name: float(parameter.value) for parameter in mechanism.parameters}


def test_library_has_the_two_mechanisms() -> None:
    """They are found by name, in any folder that the user stands in."""
    assert {"four_bar", "slider_crank"} <= set(model_names())


def test_decimal_text_stays_exact() -> None:
    """0.3 m is 3/10, not the double next to it; gravity and 1 ms likewise."""
    mechanism = library("slider_crank")
    assert mechanism.parameters[0].value == Fraction(3, 10)
    assert mechanism.gravity[1] == Number(Fraction(-981, 100))
    assert mechanism.step.period == Fraction(1, 1000)


def test_slider_crank_is_laid_out_as_in_the_thesis() -> None:
    """Coordinates, frames and load of Uchida 2011, Fig. 3.1."""
    mechanism = library("slider_crank")
    assert mechanism.coordinates() == ("theta", "s", "beta")
    closing = next(joint for joint in mechanism.joints if joint.closes)
    assert closing.parent.at == (Name("l1"), Number(Fraction(0)), Number(Fraction(0)))
    assert closing.child.at == (Number(Fraction(0)), Name("l2"), Number(Fraction(0)))
    assert (mechanism.inputs[0].unit, mechanism.inputs[0].minimum) == ("N", -1000)


def test_pose_of_slider_crank_closes() -> None:
    """l1 cos(theta) + l2 sin(beta) = s and l1 sin(theta) = l2 cos(beta), to the digits of the file."""
    pose, length = pose_of(library("slider_crank")), lengths_of(library("slider_crank"))
    theta, beta = pose["theta"], pose["beta"]
    assert length["l1"] * math.cos(theta) + length["l2"] * math.sin(beta) == pytest.approx(pose["s"], abs=1e-3)
    assert length["l1"] * math.sin(theta) == pytest.approx(length["l2"] * math.cos(beta), abs=1e-3)


def test_pose_of_four_bar_closes() -> None:
    """Three links in series end at O4; Blajer's equation (16) holds."""
    pose, length = pose_of(library("four_bar")), lengths_of(library("four_bar"))
    first = pose["alpha1"]
    second = first + pose["alpha2"]
    third = second + pose["alpha3"]
    end = sum(cmath.rect(length[name], angle) for name, angle in (("l1", first), ("l2", second), ("l3", third)))
    assert end == pytest.approx(complex(0, length["l0"]), abs=1e-3)


def test_pose_of_crank_rocker_closes_left_of_bd() -> None:
    """Coupler end and rocker end meet, left of the line from B to D."""
    pose = pose_of(read_mechanism(DATA / "crank_rocker.toml"))
    b = cmath.rect(0.5, pose["theta2"])
    c = 1 + cmath.rect(0.8, pose["theta4"])
    assert b + cmath.rect(1.2, pose["theta2"] + pose["gamma"]) == pytest.approx(c, abs=1e-2)
    assert ((1 - b).conjugate() * (c - b)).imag > 0


def test_pose_of_wang_and_gosselin_closes() -> None:
    """l1 + l2 = ground + l3 as vectors, at the printed start."""
    pose = pose_of(read_mechanism(DATA / "four_bar_wang_gosselin.toml"))
    coupler = cmath.rect(4, pose["theta"] + pose["gamma"])
    assert cmath.rect(1, pose["theta"]) + coupler == pytest.approx(3 + cmath.rect(2.5, pose["phi"]), abs=1e-3)


def test_dependent_pose_may_be_left_out() -> None:
    """A file may leave the choice of the assembly open."""
    assert set(read_mechanism(DATA / "dyad_open_choice.toml").pose) == {"gap"}


@pytest.mark.parametrize("name", ["slider_crank", "four_bar", *TEST_FILES])
def test_canonical_form_reads_back_through_json(name: str) -> None:
    """Nothing is lost: the same mechanism, the same hash."""
    path = DATA / f"{name}.toml" if name in TEST_FILES else model_path(name)
    mechanism = read_mechanism(path)
    again = from_canonical(json.loads(json.dumps(canonical(mechanism))))
    assert again == mechanism
    assert model_hash(again) == mechanism.model_hash


def test_canonical_form_has_exact_rationals_as_text() -> None:
    """3/10 is "3/10", and formulas are lists."""
    data = canonical(library("slider_crank"))
    assert data["parameters"][0]["value"] == "3/10"
    assert data["bodies"][0]["center_of_mass"][0] == ["/", ["name", "l1"], "2"]


def test_canonical_form_of_another_version_is_refused() -> None:
    """The sentence says which version was found."""
    with pytest.raises(ModelError, match="canonical version 2"):
        from_canonical({**canonical(library("four_bar")), "canonical": 2})


def test_damaged_canonical_form_is_refused() -> None:
    """A missing field is an error in words, no traceback."""
    data = canonical(library("four_bar"))
    del data["parameters"]
    with pytest.raises(ModelError, match="canonical form"):
        from_canonical(data)


def test_hash_tells_values_apart_and_ignores_comments_and_spelling() -> None:
    """300 mm is 0.3 m; 0.31 m is not."""
    text = model_path("slider_crank").read_text(encoding="utf-8")
    plain = parse_mechanism(text, "a.toml").model_hash
    spelled = text.replace('"0.3 m"', '"300 mm"').replace("# its x axis", "# the x axis")
    assert parse_mechanism(spelled, "b.toml").model_hash == plain
    assert parse_mechanism(text.replace('"0.3 m"', '"0.31 m"'), "a.toml").model_hash != plain


def test_hash_does_not_depend_on_the_hash_seed() -> None:
    """Two interpreters with two seeds give the same hash."""
    code = (
        "from exporter.model.toml.reader import read_mechanism; from exporter.model.library import model_path; "
        "print(read_mechanism(model_path('four_bar')).model_hash)"
    )
    hashes = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(hashes) == 1


def test_windows_line_ends_read_the_same(tmp_path: Path) -> None:
    """A file saved on Windows has the same hash."""
    source = model_path("four_bar").read_bytes()
    (tmp_path / "four_bar.toml").write_bytes(source.replace(b"\n", b"\r\n"))
    assert read_mechanism(tmp_path / "four_bar.toml").model_hash == library("four_bar").model_hash


def test_other_independent_coordinate() -> None:
    """The library's files have what every coordinate needs to drive the mechanism."""
    assert with_independent(library("four_bar"), ["alpha3"]).independent == ("alpha3",)
    assert with_independent(library("slider_crank"), ["s"]).independent == ("s",)
    assert with_independent(library("slider_crank"), ["beta"]).model_hash != library("slider_crank").model_hash


def test_other_independent_coordinate_without_range_is_refused() -> None:
    """The sentence says what to add; giving it by the API works."""
    mechanism = read_mechanism(DATA / "crank_rocker.toml")
    with pytest.raises(ModelError, match="theta4 has no range"):
        with_independent(mechanism, ["theta4"])
    bounds = CoordinateRange(Fraction(-4), Fraction(4), rate=Fraction(10))
    driven = with_independent(mechanism, ["theta4"], ranges={"theta4": bounds})
    assert driven.ranges["theta4"].acceleration == 10_000  # the rate's bound within one step of 1 ms


def test_acceleration_bound_defaults_to_the_rate_over_the_period() -> None:
    """500 rad/s within 1 ms."""
    assert library("slider_crank").ranges["theta"].acceleration == 500_000


def test_parameter_becomes_tunable() -> None:
    """Exactly the named ones are; all others are frozen."""
    mechanism = with_tunable(library("slider_crank"), ["l1"])
    assert [parameter.name for parameter in mechanism.parameters if not parameter.frozen] == ["l1"]
    with pytest.raises(ModelError, match='"l9" is not a parameter'):
        with_tunable(mechanism, ["l9"])


def test_value_of_a_parameter_changes_within_its_range() -> None:
    """A value outside is refused with its limits."""
    assert with_values(library("slider_crank"), {"l1": Fraction(1, 5)}).parameters[0].value == Fraction(1, 5)
    with pytest.raises(ModelError, match=r"5 m is outside its range from 0.1 to 0.35 m"):
        with_values(library("slider_crank"), {"l1": Fraction(5)})


def test_template_works_and_carries_the_name() -> None:
    """`kinefix new` writes a file that reads; its pose closes to two digits."""
    mechanism = parse_mechanism(new_model_text("press"), "press.toml")
    pose, length = pose_of(mechanism), lengths_of(mechanism)
    end = cmath.rect(length["r"], pose["theta"]) + cmath.rect(length["l"], pose["theta"] + pose["phi"])
    assert mechanism.name == "press"
    assert end == pytest.approx(complex(pose["x"], length["e"]), abs=2e-3)


def test_elements_of_the_template_work_without_their_marks() -> None:
    """The lines from its first commented table on, as far as they are TOML."""
    lines = new_model_text("press").splitlines()
    first = lines.index("# [elements.return_spring]")
    block = lines[first : lines.index("", first)]
    lines[first : first + len(block)] = [line.lstrip("# ") for line in block]
    mechanism = parse_mechanism("\n".join(lines), "press.toml")
    assert [(element.type, element.along) for element in mechanism.elements] == [
        ("spring", "return_spring"),
        ("end_stop", "x"),
    ]


def test_template_refuses_a_name_that_is_no_prefix() -> None:
    """Blanks, digits in front, more than 18 characters."""
    for name in ("my press", "1st", "a" * 19, ""):
        with pytest.raises(ModelError, match="cannot prefix C functions"):
            new_model_text(name)


def test_words_that_mean_something_elsewhere_work_as_names() -> None:
    """lambda, int, I, x0 and _t0 are as good as any other name."""
    text = model_path("slider_crank").read_text(encoding="utf-8")
    for old, new in (("l1", "lambda"), ("l2", "int"), ("m1", "I"), ("theta", "x0"), ("beta", "_t0"), ("F", "double")):
        for mark in '"/*^ ,':
            text = text.replace(f"{mark}{old}{mark}", f"{mark}{new}{mark}")
        for before in ('"', " ", "\n", "*", "."):
            for after in ('"', " ", "/", "^", "*", "]"):
                text = text.replace(f"{before}{old}{after}", f"{before}{new}{after}")
    mechanism = parse_mechanism(text, "words.toml")
    assert mechanism.coordinates() == ("x0", "s", "_t0")
    assert [parameter.name for parameter in mechanism.parameters[:3]] == ["lambda", "int", "I"]
    assert mechanism.loads[0].value[0] == Name("double")


def test_axis_is_normalised() -> None:
    """(1, 2, 2) has length 3; text names an axis and its sense."""
    text = model_path("four_bar").read_text(encoding="utf-8")
    turned = text.replace("[joints.alpha2]\n", '[joints.alpha2]\naxis = ["1", "2", "2"]\n')
    flipped = text.replace("[joints.alpha2]\n", '[joints.alpha2]\naxis = "-z"\n')
    assert parse_mechanism(turned, "t.toml").joints[1].axis == (Fraction(1, 3), Fraction(2, 3), Fraction(2, 3))
    assert parse_mechanism(flipped, "f.toml").joints[1].axis == (0, 0, -1)


def test_frames_carry_turns() -> None:
    """A frame has a place and turns about its moving axes, in order."""
    text = model_path("four_bar").read_text(encoding="utf-8")
    text = text.replace(
        'points = { O2 = ["l1", "0", "0"] }',
        'frames.O2 = { at = ["l1", "0", "0"], turns = [["z", "90 deg"], ["x", "0"]] }',
    )
    frame = parse_mechanism(text, "f.toml").joints[1].parent
    (first, angle), (second, _) = frame.rotation.turns
    assert (first, second) == ("z", "x")
    assert isinstance(angle, Number)
    assert float(angle.value) == pytest.approx(math.pi / 2)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("cylindrical", ["p", "q"]),
        ("universal", ["p", "q"]),
        ("spherical", ["p", "q", "r"]),
        ("free", ["p", "q", "r", "u", "v", "w"]),
    ],
)
def test_spatial_joints_are_read(kind: str, names: list[str]) -> None:
    """The format has them, each with its number of coordinates."""
    text = model_path("four_bar").read_text(encoding="utf-8")
    old = '[joints.alpha2]\ntype = "revolute"'
    text = text.replace(old, f'[joints.alpha2]\ntype = "{kind}"\ncoordinates = {json.dumps(names)}')
    text = text.replace(', alpha2 = "-69.76 deg"', "").replace('alpha2 = ["-1e4 rad", "1e4 rad"]\n', "")
    mechanism = parse_mechanism(text.replace('alpha2 = "100 rad/s"\n', ""), "spatial.toml")
    assert mechanism.coordinates() == ("alpha1", *names, "alpha3")


def test_mechanism_made_by_the_python_api_is_checked_alike() -> None:
    """What the reader refuses, `completed` refuses: a rod in kg."""
    mechanism = library("slider_crank")
    rod = replace(mechanism.parameters[1], unit="kg")
    with pytest.raises(ModelError, match=r'"l2 / 2" is a mass \(kg\), but a length \(m\) is needed'):
        completed(replace(mechanism, parameters=(mechanism.parameters[0], rod, *mechanism.parameters[2:])))


def test_published_schema_is_valid_and_versioned() -> None:
    """The file is a JSON Schema of draft 2020-12 and says its version."""
    from jsonschema import Draft202012Validator

    schema = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert schema["$defs"]["plain"]["properties"]["schema"] == {"const": 1, "description": "Version of this format."}
    assert schema["$id"].endswith(":1")


def test_names_and_paths_of_models() -> None:
    """A bare word is a library name, a path is a path; what is not there is said, with the nearest."""
    assert model_path("four_bar").name == "four_bar.toml"
    assert model_path(str(DATA / "dyad.toml")) == DATA / "dyad.toml"
    with pytest.raises(ModelError, match='did you mean "four_bar"'):
        model_path("fourbar")
    with pytest.raises(ModelError, match="there is no mechanism file"):
        model_path("nowhere.toml")
