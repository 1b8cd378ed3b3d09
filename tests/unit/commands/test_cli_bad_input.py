"""What goes wrong on the command line ends in one sentence, exit code 2, and nothing half-written."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from exporter.cli import main
from exporter.model.library import model_path
from exporter.model.toml.reader import parse_mechanism

Fails = Callable[..., str]
TEXT = model_path("slider_crank").read_text(encoding="utf-8")


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Fails:
    """Run a command that must fail in an otherwise empty folder; gives its one line, and the list behind it."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> str:
        before = _content(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        printed = capsys.readouterr()
        assert ended.value.code == 2
        assert printed.out == ""
        assert re.fullmatch(r"kinefix: error: [^\n]+\n(  [^\n]+\n){0,10}", printed.err), printed.err
        assert "Traceback" not in printed.err
        assert _content(tmp_path) == before
        return printed.err

    return run


def _content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in sorted(folder.rglob("*"))}


def edited(tmp_path: Path, old: str, new: str) -> str:
    """A mechanism file with one fault."""
    assert old in TEXT
    (tmp_path / "faulty.toml").write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    return "faulty.toml"


FAULTS = [
    pytest.param('title = "', 'titel = "', "titel", id="unknown key"),
    pytest.param('type = "prismatic"', 'type = "prismatik"', "prismatik", id="unknown joint type"),
    pytest.param('"0.4 m"', '"0.4 meter"', "meter", id="unknown unit"),
    pytest.param('"0.4 m"', '"0.4 kg"', "kg", id="rod in kg"),
    pytest.param('"0.4 m"', '"-0.4 m"', "-0.4", id="negative length"),
    pytest.param('"1.5 kg"', '"0 kg"', "mass", id="no mass"),
    pytest.param('"0.4 m"', '"nan m"', "nan", id="nan"),
    pytest.param('"0.4 m"', '"inf m"', "inf", id="inf"),
    pytest.param('["theta"]', '["theta", "theta"]', "twice", id="a coordinate twice"),
    pytest.param('"m1*l1^2/12"', '"__import__(1)"', "import", id="an expression that imports"),
    pytest.param(', s = "0.551 m", beta = "58 deg"', "", "assembly modes", id="ambiguous branch"),
    pytest.param('theta = ["-1e4 rad", "1e4 rad"], ', "", "range", id="missing range"),
    pytest.param('["l1", "0", "0"] }', '["l1", "0", "10 mm"] }', "crank_pin", id="a loop that does not close"),
    pytest.param('theta = "45 deg", s', 'theta = "45 deg", x', '"x"', id="unknown coordinate"),
]


@pytest.mark.parametrize(("old", "new", "named"), FAULTS)
def test_a_faulty_file_is_not_exported(fails: Fails, tmp_path: Path, old: str, new: str, named: str) -> None:
    """The sentence names the file and what is wrong in it."""
    sentence = fails("export", edited(tmp_path, old, new), "--out", "out/x")
    assert named in sentence


def test_lengths_that_cannot_be_assembled(fails: Fails, tmp_path: Path) -> None:
    """A rod of 0.2 m does not reach the slide from a crank pin 0.3 m above it."""
    file = edited(tmp_path, '"0.4 m", range = ["0.36 m"', '"0.2 m", range = ["0.1 m"')
    assert "cannot be assembled" in fails("export", file, "--out", "x", "--pose", "theta=90 deg")


def test_coordinates_that_cannot_drive_the_mechanism(fails: Fails) -> None:
    """At the dead centre the piston turns the crank either way; two coordinates are one too many."""
    centre = ("--pose", "s=0.7 m", "--pose", "theta=0 deg", "--pose", "beta=90 deg")
    assert "s does not drive the mechanism at its pose" in fails(
        "export", "slider_crank", "--out", "x", "--independent", "s", *centre
    )
    assert "1 degree of freedom" in fails("export", "slider_crank", "--out", "x", "--independent", "theta,s")


def test_an_output_folder_with_other_content_is_left_alone(fails: Fails, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("precious", encoding="utf-8")
    assert "chapter.tex" in fails("export", "slider_crank", "--out", "thesis")


@pytest.mark.parametrize("folder", [".", "..", "/"])
def test_an_output_folder_without_a_name_is_refused(fails: Fails, folder: str) -> None:
    """An export is written beside its place and renamed into it; the folder that one is in cannot be that."""
    assert "has no name of its own" in fails("export", "slider_crank", "--out", folder)


@pytest.mark.parametrize("folder", [".", "..", "/"])
def test_what_is_no_export_is_not_built(fails: Fails, folder: str) -> None:
    assert "holds no manifest.json" in fails("build", folder, "--target", "host")


def test_new_never_overwrites(fails: Fails, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("precious", encoding="utf-8")
    assert "is there already" in fails("new", "mine")


@pytest.mark.parametrize("name", ["9lives", "a-b", "../up", "a" * 19, ""])
def test_new_refuses_names_that_c_cannot_have(fails: Fails, name: str) -> None:
    assert "cannot prefix C functions" in fails("new", name)


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("slider_cranc", 'did you mean "slider_crank"'),
        ("nowhere.toml", "there is no mechanism file nowhere.toml"),
        ("no_such_module:model", "no_such_module"),
        ("json:no_such_function", "no_such_function"),
        ("json:dumps", "failed"),
        ("sys:exit", "failed with SystemExit"),
        ("nowhere.py:model", "nowhere.py"),
    ],
)
def test_a_source_that_does_not_exist(fails: Fails, source: str, named: str) -> None:
    assert named in fails("export", source, "--out", "x")


def test_changes_do_not_apply_to_symbolic_models(fails: Fails) -> None:
    assert "changed in a mechanism only" in fails("export", "json:dumps", "--out", "x", "--independent", "s")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["frobnicate"], "No such command"),
        (["show"], "MODEL"),
        (["show", "slider_crank", "--speed"], "--speed"),
        (["show", "slider_crank", "--at", "theta"], "NAME=QUANTITY"),
        (["show", "slider_crank", "--at", "theta=45"], "angle"),
        (["show", "slider_crank", "--at", "s=0.5 m"], "not independent"),
        (["show", "slider_crank", "--at", "theta=1 rad", "--at", "theta=2 rad"], "twice"),
        (["show", "slider_crank", "--picture", "it.gif"], ".svg"),
        (["show", "slider_crank", "--modes"], "--picture"),
        (["show", "json:dumps"], "symbolic"),
        (["show", "four_bar", "--independent", "alpha3", "--at", "alpha3=0 deg", "--picture", "x.svg"], "assembled"),
        (["export", "slider_crank"], "--out"),
        (["export", "slider_crank", "--out", "x", "--independent", ""], "nothing is named"),
        (["export", "slider_crank", "--out", "x", "--tunable", " , "], "nothing is named"),
        (["export", "slider_crank", "--out", "x", "--precision", "float16"], "float16"),
    ],
)
def test_wrong_use_is_told_in_a_sentence(fails: Fails, arguments: list[str], named: str) -> None:
    assert named in fails(*arguments)


def test_an_output_below_a_file_is_refused(fails: Fails, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "file" in fails("export", "slider_crank", "--out", "file/x")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "a.toml"), "a.toml is a folder and no mechanism file; give"),
        (("export", "a.py:model", "--out", "x"), "a.py is a folder and no Python file; give"),
        (("hil", "a.toml"), "a.toml is a folder and no bench file; copy examples/bench.toml"),
        (("hil", "bench.toml", "--faults", "a.toml"), "a.toml is a folder and no faults file; copy"),
        (("trace", "slider_crank", "--path", "a.toml"), "a.toml: the path cannot be read (Is a directory); give"),
        (("trace", "slider_crank", "--path", "b.csv"), "there is no file of a path b.csv; give"),
        (("sil", "bench.toml"), "bench.toml is a file and no folder; give"),
        (("build", "b"), "there is no folder b; give"),
        (("report", "bench.toml"), "bench.toml is a file and no folder; give"),
    ],
)
def test_folders_and_files_are_told_apart(fails: Fails, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    """What is there and what is meant; nothing says of a folder that it does not exist."""
    for name in ("a.toml", "a.py"):
        (tmp_path / name).mkdir()
    text = (Path(__file__).resolve().parents[3] / "examples" / "bench.toml").read_text(encoding="utf-8")
    (tmp_path / "bench.toml").write_text(text, encoding="utf-8")
    assert said in fails(*arguments)


PLACED = {
    "hil": ("nowhere.toml", "--report", "{}"),
    "sil": ("nowhere", "--report", "{}"),
    "show": ("nowhere", "--picture", "{}/x.svg"),
    "analyse": ("nowhere", "--picture", "{}/x.svg"),
    "compare": ("nowhere", "--picture", "{}/x.svg"),
    "trace": ("nowhere", "--out", "{}/x.csv"),
    "export": ("nowhere", "--out", "{}/x"),
}


@pytest.mark.parametrize("place", ["file", "file/deep/er", "deep/" + "n" * 300])
@pytest.mark.parametrize("command", PLACED)
def test_a_place_that_cannot_be_written_is_refused_before_the_run(
    fails: Fails, tmp_path: Path, command: str, place: str
) -> None:
    """The model is wrong too: a run that had begun would name it. A good place stays as it was: `fails` holds it."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "cannot be written (" in fails(command, *(word.format(place) for word in PLACED[command]))
    sentence = fails(command, *(word.format("new/deep") for word in PLACED[command]))
    assert "nowhere" in sentence
    assert "cannot be written" not in sentence


@pytest.mark.parametrize("command", ["sil", "hil"])
def test_a_report_is_refused_where_a_folder_has_its_name(fails: Fails, tmp_path: Path, command: str) -> None:
    (tmp_path / "out" / "report.json").mkdir(parents=True)
    assert "report.json' cannot be written (it is a folder" in fails(command, "nowhere.toml", "--report", "out")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("0.4 m\\u001b[31m", "m\\x1b[31m"),
        ("0.4 m\\u009b31m", "m\\x9b31m"),
        ("\\u202e0.4 m", "\\u202e0.4 m"),
        ("0.4 \\u2066m", "\\u2066m"),
        ("0.4 \\u00b5", "\u00b5"),
        ("0.4 \\ufffd", "\ufffd"),
    ],
)
def test_what_would_steer_a_terminal_is_made_visible(fails: Fails, tmp_path: Path, written: str, shown: str) -> None:
    """Control characters and marks of direction from a file come as escapes, other characters as they are."""
    assert shown in fails("show", edited(tmp_path, '"0.4 m"', f'"{written}"'))


@pytest.mark.parametrize("character", ["\\u001b", "\\u007f", "\\u009b", "\\u2028", "\\u202e", "\\u2066"])
def test_no_title_steers_a_terminal(fails: Fails, tmp_path: Path, character: str) -> None:
    """Titles are printed; one in letters of another script, with its marks of direction, is taken."""
    said = fails("show", edited(tmp_path, 'title = "', f'title = "{character}'))
    assert "write one line of text, without control characters" in said
    assert parse_mechanism(TEXT.replace('title = "', 'title = "\u05e2\u200f ', 1), "file.toml").title


@pytest.mark.parametrize("name", ["\x1b[31m.toml", "\u202e.toml", "\udcff.toml", "one\u2028two.toml"])
def test_no_name_of_a_file_steers_a_terminal(fails: Fails, name: str) -> None:
    assert fails("show", name).rstrip("\n").isprintable()


@pytest.mark.parametrize("command", ["show", "analyse", "export"])
def test_a_name_in_brackets_is_no_markup(fails: Fails, command: str) -> None:
    """Progress is plain text."""
    out = ("--out", "x") if command == "export" else ()
    assert "there is no mechanism file [/a].toml" in fails(command, "[/a].toml", *out)


def test_no_compiler(
    fails: Fails, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With an empty PATH nothing compiles; the sentence says how to get a compiler."""
    with pytest.raises(SystemExit):
        main(["export", "slider_crank", "--out", "x"])
    capsys.readouterr()
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    for target, compiler in (("host", "gcc"), ("m4f", "arm-none-eabi-gcc")):
        sentence = fails("build", "x", "--target", target)
        assert compiler in sentence
        assert "apt-get install" in sentence
