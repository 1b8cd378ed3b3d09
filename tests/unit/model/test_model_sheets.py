"""Sheets of hardpoints, CSV and JSON. Oracle: the numbers that the sheet shows, or the sentence that a reader needs."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from exporter.errors import ModelError
from exporter.model.expression import Number
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism

MODEL = """schema = 1
[mechanism]
name = "m"
[hardpoints]
HEAD
[bodies.arm]
[joints.hinge]
type = "revolute"
parent = "ground"
child = "arm"
axis = ["front", "rear"]
[coordinates]
independent = ["hinge"]
ranges = { hinge = ["-1 rad", "1 rad"] }
rates = { hinge = "1 rad/s" }
[outputs]
ball = "arm.ball"
"""
CSV = "name,x,y,z\nfront,100.5,0,20\nrear,-99.5,0,20\nball,0.5,300,-10\n"
HEAD = 'csv = "sheet.csv"\nunits = "mm"'


def read(folder: Path, sheet: str | bytes, head: str = HEAD, file: str = "sheet.csv") -> Mechanism:
    (folder / "m.toml").write_text(MODEL.replace("HEAD", head), encoding="utf-8")
    (folder / file).write_bytes(sheet if isinstance(sheet, bytes) else sheet.encode("utf-8"))
    return read_mechanism(folder / "m.toml")


def ball_of(mechanism: Mechanism) -> tuple[Fraction, ...]:
    """From the hinge's front point to the ball, in m."""
    (frame,) = (frame for frame in mechanism.bodies[0].frames if frame.name == "arm.ball")
    return tuple(part.value for part in frame.at if isinstance(part, Number))


BALL = (Fraction(-1, 10), Fraction(3, 10), Fraction(-3, 100))
SAME = {
    "plain": (CSV, HEAD),
    "byte order mark": ("\ufeff" + CSV, HEAD),
    "Windows line ends": (CSV.replace("\n", "\r\n"), HEAD),
    "blank lines and empty rows": (CSV.replace("rear", "\n,,,\n\nrear") + "\n \n", HEAD),
    "quoted names": (CSV.replace("ball", '"ball"').replace("front", '" front "'), HEAD),
    "a name with a comma in quotes": (CSV + '"Damper, upper",1,2,3\n', HEAD),
    "other columns, in another order": (
        "No,Z,Part,Y,X\n1,20,front,0,100.5\n2,20,rear,0,-99.5\n3,-10,ball,300,0.5\n",
        HEAD + '\ncolumns = { name = "Part" }',
    ),
    "headings with units": (
        CSV.replace("name,x,y,z", "Point,X [mm],Y [mm],Z [mm]"),
        HEAD + '\ncolumns = { name = "Point", x = "X [mm]", y = "Y [mm]", z = "Z [mm]" }',
    ),
    "names as a sheet has them": (
        CSV.replace("ball", "Lower ball joint (outer)"),
        HEAD + '\nnames = { ball = "Lower ball joint (outer)" }',
    ),
    "headings between the rows": (CSV.replace("rear", "Left side,,,\nrear"), HEAD),
    "semicolons and decimal commas": (CSV.replace(",", ";").replace(".", ","), HEAD + '\ndecimal = "comma"'),
    "semicolons and points": (CSV.replace(",", ";"), HEAD),
    "tabs": (CSV.replace(",", "\t"), HEAD),
    "metres": (
        "name,x,y,z\nfront,0.1005,0,2e-2\nrear,-.0995,0,0.02\nball,0.0005,0.3,-0.01\n",
        'csv = "sheet.csv"\nunits = "m"',
    ),
    "x to the rear, y to the right": (
        "name,x,y,z\nfront,-100.5,0,20\nrear,99.5,0,20\nball,-0.5,-300,-10\n",
        HEAD + '\naxes = ["-x", "-y", "z"]',
    ),
    "columns of other axes": (
        "name,x,y,z\nfront,20,100.5,0\nrear,20,-99.5,0\nball,-10,0.5,300\n",
        HEAD + '\naxes = ["z", "x", "y"]',
    ),
    "one point of the file": (
        CSV.replace("0.5,300,-10", "7,7,7"),
        HEAD + '\npoints = { ball = ["0.5 mm", "300 mm", "-10 mm"] }',
    ),
}


@pytest.mark.parametrize(("sheet", "head"), SAME.values(), ids=SAME)
def test_a_sheet_is_read_as_its_layout_says(tmp_path: Path, sheet: str, head: str) -> None:
    """Every layout stands for the same three points, exactly."""
    assert ball_of(read(tmp_path, sheet, head)) == BALL


LISTED = [{"name": "front", "x": 100.5, "y": 0, "z": 20}, {"name": "rear", "x": -99.5, "y": 0, "z": "20"}]
JSON = {
    "a list of points": json.dumps([*LISTED, {"name": "ball", "x": 0.5, "y": 300, "z": -10, "note": "x"}]),
    "numbers by name": json.dumps({"front": [100.5, 0, 20], "rear": [-99.5, 0, 20], "ball": [0.5, 300, -10]}),
    "objects by name": json.dumps({"ball": {"x": 0.5, "y": 3e2, "z": -10}, **{each["name"]: each for each in LISTED}}),
}


@pytest.mark.parametrize("sheet", JSON.values(), ids=JSON)
def test_a_sheet_may_be_json(tmp_path: Path, sheet: str) -> None:
    """Decimals keep their digits: no binary float is in between."""
    assert ball_of(read(tmp_path, sheet, 'json = "sheet.json"\nunits = "mm"', "sheet.json")) == BALL


FAULTS = {
    "missing column": (CSV.replace("x,y,z", "x,y,height"), HEAD, 'has no column "z"; its heading is: name, x'),
    "column twice": (CSV.replace("x,y,z", "x,y,y"), HEAD, 'sheet.csv has 2 columns "y"'),
    "name twice": (CSV + "ball,1,2,3\n", HEAD, 'sheet.csv, row 5: the point "ball" stands in the sheet twice'),
    "no number": (CSV.replace("300", "3OO"), HEAD, 'sheet.csv, row 4: y of ball is "3OO", which is no number'),
    "a cell left empty": (CSV.replace("300", ""), HEAD, 'sheet.csv, row 4: y of ball is "", which is no number'),
    "decimal commas": (CSV.replace(",", ";").replace(".", ","), HEAD, 'with decimal commas, write decimal = "comma"'),
    "commas in and between numbers": (CSV.replace("0.5,", "0,5,"), HEAD, "row 2, has 5 cells under 4 headings"),
    "thousands": (CSV.replace(",", ";").replace("100.5", "1.100,5"), HEAD + '\ndecimal = "comma"', '"1.100,5"'),
    "no rows": ("name,x,y,z\n", HEAD, "sheet.csv has no point"),
    "empty": ("", HEAD, "sheet.csv is empty"),
    "another encoding": (CSV.encode() + b"\xe4,1,2,3", HEAD, "is not UTF-8; save the sheet as UTF-8 text"),
    "open quotes": (CSV + '"ball2,1,2,3\n', HEAD, "is not CSV"),
    "no units": (CSV, 'csv = "sheet.csv"', 'the unit of the sheet is missing; add units = "mm"'),
    "units of a mass": (CSV, HEAD.replace("mm", "kg"), '"kg" is a mass (kg); write a unit of length'),
    "two axes along one": (CSV, HEAD + '\naxes = ["x", "-x", "z"]', "are not three axes at right angles"),
    "a name that the sheet lacks": (CSV, HEAD + '\nnames = { seat = "bal" }', 'has no "bal" (did you mean "ball"?)'),
    "a name for two": (CSV, HEAD + '\nnames = { rear = "ball" }', '"rear" stands for two points'),
    "two sheets": (CSV, HEAD + '\njson = "sheet.json"', "csv and json are both named"),
    "a path": (CSV, HEAD.replace("sheet.csv", "../sheet.csv"), "is not a file beside the model file"),
    "no file": (CSV, HEAD.replace("sheet.csv", "shet.csv"), "shet.csv cannot be read"),
    "no point of a name that a joint has": (CSV.replace("front", "front left"), HEAD, '"front" is no hardpoint'),
}  # fmt: skip


@pytest.mark.parametrize(("sheet", "head", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_sheet_that_cannot_be_read_is_refused(tmp_path: Path, sheet: str, head: str, sentence: str) -> None:
    """One sentence with the file, the row, the value and what to write."""
    with pytest.raises(ModelError) as error:
        read(tmp_path, sheet, head)
    assert sentence in str(error.value)


JSON_FAULTS = {
    "no JSON": ("[", "sheet.json is not JSON"),
    "a name twice": ('{"a": [1, 2, 3], "a": [1, 2, 3]}', '"a" stands in one object twice'),
    "two numbers": ('{"a": [1, 2]}', "sheet.json, a has 2 numbers; a point has three"),
    "a number alone": ("7", "sheet.json has no points"),
    "no objects": ("[7]", "sheet.json, entry 1 is no point"),
    "no z": ('[{"name": "a", "x": 1, "y": 2}]', 'sheet.json, entry 1 has no column "z"'),
    "null": ('[{"name": "a", "x": 1, "y": 2, "z": null}]', 'z of a is "", which is no number'),
    "true": ('{"a": [1, 2, true]}', '"True", which is no number'),
}


@pytest.mark.parametrize(("sheet", "sentence"), JSON_FAULTS.values(), ids=JSON_FAULTS)
def test_json_that_has_no_points_is_refused(tmp_path: Path, sheet: str, sentence: str) -> None:
    """One sentence with the file and the entry."""
    with pytest.raises(ModelError) as error:
        read(tmp_path, sheet, 'json = "sheet.json"\nunits = "mm"', "sheet.json")
    assert sentence in str(error.value)
