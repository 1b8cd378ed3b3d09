"""[each] in mechanism files. Oracle: the same mechanism written out, or the sentence that a reader needs."""

import random
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from exporter.cli import main
from exporter.errors import ModelError
from exporter.model.library import model_path
from exporter.model.schema import mechanism_schema
from exporter.model.toml.reader import parse_mechanism, read_mechanism

HEAD = """schema = 1
[mechanism]
name = "m"
"""
REPEATED = (
    HEAD
    + """
[each.side]
left = { at = ["0", "1 m", "0"], about = "port" }
right = { at = ["0", "-r", "0"], about = "starboard" }

[each]
end = ["1", "2"]

[parameters]
r = { value = "1 m", frozen = true }
"k_{side}" = { value = "2 m", frozen = true, about = "{side.about} of {side}" }

[ground]
points = { first = ["0", "0", "0"], "{side}" = "{side.at}", last = ["0", "0", "1 m"] }

[bodies."arm_{side}"]
points = { "tip{end}" = ["{end} m", "0", "0"] }

[bodies."hand_{side}{end}"]

[joints."q_{side}"]
type = "revolute"
parent = "ground.{side}"
child = "arm_{side}"

[joints."p_{side}{end}"]
type = "revolute"
parent = "arm_{side}.tip{end}"
child = "hand_{side}{end}"

[coordinates]
independent = ["q_{side}", "p_{side}{end}"]
pose = { "q_{side}" = "0", "p_{side}{end}" = "1 rad" }
ranges = { "q_{side}" = ["-1 rad", "1 rad"], "p_{side}{end}" = ["-1 rad", "1 rad"] }
rates = { "q_{side}" = "1 rad/s", "p_{side}{end}" = "1 rad/s" }
"""
)


def written(sides: tuple[str, ...] = ("left", "right"), ends: tuple[str, ...] = ("1", "2")) -> str:
    """What REPEATED means, by plain string formatting."""
    at = {"left": '["0", "1 m", "0"]', "right": '["0", "-r", "0"]'}
    about = {"left": "port", "right": "starboard"}
    tips = ", ".join(f'tip{end} = ["{end} m", "0", "0"]' for end in ends)
    names = [f"q_{side}" for side in sides] + [f"p_{side}{end}" for side in sides for end in ends]
    lines = [HEAD, '[parameters]\nr = { value = "1 m", frozen = true }']
    lines += [f'k_{s} = {{ value = "2 m", frozen = true, about = "{about[s]} of {s}" }}' for s in sides]
    places = "".join(f", {side} = {at[side]}" for side in sides)
    lines.append(f'[ground]\npoints = {{ first = ["0", "0", "0"]{places}, last = ["0", "0", "1 m"] }}')
    for side in sides:
        lines.append(f"[bodies.arm_{side}]\npoints = {{ {tips} }}")
    for side in sides:
        lines += [f"[bodies.hand_{side}{end}]" for end in ends]
    joint = '[joints.{}]\ntype = "revolute"\nparent = "{}"\nchild = "{}"'
    lines += [joint.format(f"q_{side}", f"ground.{side}", f"arm_{side}") for side in sides]
    lines += [joint.format(f"p_{s}{e}", f"arm_{s}.tip{e}", f"hand_{s}{e}") for s in sides for e in ends]
    listed = ", ".join(f'"{name}"' for name in names)
    pose = ", ".join(f'{name} = "{0 if name[0] == "q" else "1 rad"}"' for name in names)
    ranges = ", ".join(f'{name} = ["-1 rad", "1 rad"]' for name in names)
    rates = ", ".join(f'{name} = "1 rad/s"' for name in names)
    lines.append(f"[coordinates]\nindependent = [{listed}]\npose = {{ {pose} }}")
    lines.append(f"ranges = {{ {ranges} }}\nrates = {{ {rates} }}")
    return "\n".join(lines)


def test_repetition_means_what_is_written_out() -> None:
    """Names, vectors, formulas, lists, two families at once: the same mechanism, the same hash."""
    assert parse_mechanism(REPEATED, "m.toml") == parse_mechanism(written(), "m.toml")


def test_neighbours_that_repeat_alike_take_turns() -> None:
    """Bodies and joints of one leg stay together: lower1, upper1, lower2, upper2."""
    bodies = [body.name for body in read_mechanism(model_path("gough_stewart")).bodies]
    assert bodies[:5] == ["platform", "lower1", "upper1", "lower2", "upper2"]


@dataclass(frozen=True)
class Fault:
    """What is changed in REPEATED, and what the error must say."""

    claim: str
    old: str
    new: str
    said: tuple[str, ...]


LEFT = 'left = { at = ["0", "1 m", "0"], about = "port" }'
FAULTS = [
    Fault(
        "value missing",
        'about = "starboard"',
        'abuot = "starboard"',
        ('each.side.right: there is no "about" (did you mean "abuot"?)', "{side.about} in line 14 asks for it"),
    ),
    Fault(
        "value of no use", LEFT, LEFT.replace("at =", 'b = "1", at ='), ("each.side.left.b: nothing asks for {side.b}",)
    ),
    Fault(
        "family of no use", 'end = ["1", "2"]', 'end = ["1", "2"]\nrow = ["1"]', ("each.row: no name has {row} in it",)
    ),
    Fault("family misspelt", '"ground.{side}"', '"ground.{sid}"', ("{sid} in line 26", 'did you mean "side"?')),
    Fault("entry written once", '[joints."q_{side}"]', "[joints.q]", ("{side} in line 26", "put {side} into the name")),
    Fault(
        "name twice",
        '[bodies."arm_{side}"]',
        '[bodies.arm_left]\n[bodies."arm_{side}"]',
        ("bodies.arm_left: ", "line 20"),
    ),
    Fault("instance twice", 'end = ["1", "2"]', 'end = ["1", "1"]', ('each.end: "1" is named twice',)),
    Fault("no instance", 'end = ["1", "2"]', "end = []", ("each.end: is empty",)),
    Fault(
        "bare number", LEFT, LEFT.replace('"port"', "1"), ("each.side.left.about: 1 is not a text in quotes or a list",)
    ),
    Fault("table as value", LEFT, LEFT.replace('"port"', "{ a = '1' }"), ("is not a text in quotes or a list",)),
    Fault("no name", "left =", "'le-ft' =", ('each.side: "le-ft" is not a name; write letters, digits or _',)),
    Fault("no family name", "[each.side]", "[each.1]", ('each: "1" is not a name; write a letter or _',)),
    Fault(
        "value of itself", LEFT, LEFT.replace('"port"', '"{side.about}"'), ("each.side.left.about: ", "needs itself")
    ),
    Fault(
        "two values of each other",
        LEFT,
        LEFT.replace('"port"', '"{side.a}"').replace("at =", 'a = "x {side.about}", at ='),
        ("each.side.left.about: ", "needs itself"),
    ),
    Fault("list within a text", '"ground.{side}"', '"ground.{side.at}"', ("{side.at} in line 26 is a list",)),
    Fault(
        "list as a name", '"{side}" = "{side.at}"', '"{side.at}" = "{side.at}"', ("is a list, and a name is a text",)
    ),
    Fault(
        "fault in one instance",
        '"-r", "0"]',
        '"-rr", "0"]',
        ('ground.points.right[1]: "rr" is not a parameter', "(line 17, side = right)"),
    ),
    Fault(
        "fault in every instance",
        'parent = "arm_{side}.tip{end}"',
        'parent = "arm_{side}.top{end}"',
        ('joints.p_left1.parent: "arm_left.top1" is no point', "(line 31, side = left, end = 1)"),
    ),
    Fault(
        "fault of structure",
        'parent = "ground.{side}"\n',
        "",
        ("joints.q_left: the key `parent` is missing", "line 24"),
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.claim)
def test_fault_names_the_instance_and_the_line(fault: Fault) -> None:
    """One sentence that starts with the file."""
    text = REPEATED.replace(fault.old, fault.new, 1)
    assert text != REPEATED
    with pytest.raises(ModelError) as caught:
        parse_mechanism(text, "m.toml")
    sentence = str(caught.value)
    assert sentence.startswith("m.toml: ")
    assert [part for part in fault.said if part not in sentence] == []


def test_what_would_grow_without_limit_is_refused() -> None:
    """Ten instances of each of five families."""
    letters = "abcde"
    families = "\n".join(f"{letter} = {[str(k) for k in range(10)]}" for letter in letters)
    names = "".join(f"{{{letter}}}" for letter in letters)
    text = HEAD + f'[each]\n{families}\n[bodies."x{names}"]\n'
    with pytest.raises(ModelError, match="more than 10000 entries"):
        parse_mechanism(text, "m.toml")


def test_braces_without_each_are_explained() -> None:
    """A file that repeats but lists nothing."""
    text = REPEATED.replace(REPEATED[REPEATED.index("[each.side]") : REPEATED.index("[parameters]")], "")
    with pytest.raises(ModelError, match=r"is not a name; braces repeat an entry for what \[each\] lists"):
        parse_mechanism(text, "m.toml")


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_end_in_one_sentence(seed: int) -> None:
    """Cut, swapped and replaced pieces: a mechanism or a `ModelError` of one line, nothing else."""
    choose = random.Random(seed)
    texts = [REPEATED, model_path("gough_stewart").read_text(encoding="utf-8")]
    for _ in range(60):
        text = choose.choice(texts)
        for _ in range(choose.randint(1, 3)):
            at = choose.randrange(len(text))
            piece = choose.choice(
                ["{side}", "{end.at}", "{leg.A}", "{", "}", '"', "[each]\n", "[]", "= 3\n", "{ a = 'b' }"]
            )
            text = text[:at] + piece + text[at + choose.randint(0, 12) :]
        said = fault_of(text)
        assert "\n" not in said


def fault_of(text: str) -> str:
    """What the reader says; nothing where it finds nothing wrong."""
    try:
        parse_mechanism(text, "m.toml")
    except ModelError as error:
        return str(error)
    return ""


def test_the_command_line_ends_with_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line on the error stream, with file, key, line and instance."""
    path = tmp_path / "m.toml"
    path.write_text(REPEATED.replace('"-r", "0"]', '"-rr", "0"]'), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["show", str(path)])
    assert ended.value.code == 2
    line = capsys.readouterr().err
    assert line.startswith(f"kinefix: error: {path}: ground.points.right[1]")
    assert line.endswith("(line 17, side = right)\n")


def test_published_schema_takes_files_with_repetition() -> None:
    """An editor that uses it finds nothing wrong with them, but with an [each] that is malformed."""
    validator = Draft202012Validator(mechanism_schema())
    document = tomllib.loads(REPEATED)
    assert not list(validator.iter_errors(document))
    assert list(validator.iter_errors({**document, "each": {"side": 3}}))
