"""Mechanism files made wrong at random, and files that are none: every command ends in a sentence or in success.

Seeds are fixed; a case is told by its number. Nothing is asked of what the sentence says, but that it is one.
"""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from exporter.cli import main
from exporter.model.library import model_path

MODELS = ("slider_crank", "four_bar", "planar_3r", "spatial_four_bar")
SOME, MANY = 48, 1000
QUANTITIES = (
    *("0", "-1 m", "1e400 m", "1e-400 m", "nan", "inf", "1e308 rad", "1e30 kg", "1 / 0", "1 m", "10^10^10 m", "π m"),
    *("0.1^(-500) m", "sqrt(-1)", "((((1 m))))", "(" * 500 + "1" + ")" * 500 + " m", "9" * 5000 + " m", "", "\\u0000"),
)
NAMES = ("ground", "joints", "ö", '"a b"', "x" * 300, "__class__", "int", "a.b", "0", '""', "while")
TYPES = ("revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "fixed", "free")
AXES = ('"x"', '"y"', '"z"', '["0", "0", "0"]', '["1", "1", "1"]', '["1e200", "0", "0"]', '["1", "1e-9", "0"]', '"-x"')
MARKS = ('"', "[", "]", "{", "}", "=", "\\", "#", "\x00", "é", "\t", ".", ",", "\n")


def drop(text: str, dice: random.Random) -> str:
    """A few lines less."""
    lines = text.split("\n")
    at = dice.randrange(len(lines))
    del lines[at : at + dice.randint(1, 4)]
    return "\n".join(lines)


def double(text: str, dice: random.Random) -> str:
    """A line again, elsewhere."""
    lines = text.split("\n")
    lines.insert(dice.randrange(len(lines)), dice.choice(lines))
    return "\n".join(lines)


def replaced(pattern: str, choices: tuple[str, ...]) -> Callable[[str, random.Random], str]:
    """One match of a pattern replaced."""

    def change(text: str, dice: random.Random) -> str:
        found = list(re.finditer(pattern, text))
        if not found:
            return text
        match = dice.choice(found)
        return text[: match.start()] + dice.choice(choices) + text[match.end() :]

    return change


def swapped(text: str, dice: random.Random) -> str:
    """A name in place of another, everywhere or once."""
    words = re.findall(r"[A-Za-z_]\w*", text)
    return re.sub(rf"\b{dice.choice(words)}\b", dice.choice(words), text, count=dice.choice((0, 1)))


def scaled(text: str, dice: random.Random) -> str:
    """A number times something."""
    found = list(re.finditer(r"-?\d+(\.\d+)?(?= ?(m|mm|cm|rad|deg|kg))", text))
    match = dice.choice(found)
    factor = dice.choice((0, -1, 1e3, 1e-3, 1e9, 1e-9, 1e30, 1e-30))
    return f"{text[: match.start()]}{float(match[0]) * factor!r}{text[match.end() :]}"


def marked(text: str, dice: random.Random) -> str:
    """A character more."""
    at = dice.randrange(len(text))
    return text[:at] + dice.choice(MARKS) + text[at:]


CHANGES = (
    *(drop, double, swapped, scaled, scaled, marked),
    replaced(r'(?<=")[^"\n]*(?=")', QUANTITIES),
    replaced(r"\b[A-Za-z_]\w*\b", NAMES),
    replaced(r'(?<=type = ")\w+', TYPES),
    replaced(r"(?<=axis = ).*", AXES),
    replaced(r"frozen = true", ("frozen = false",)),
    replaced(r"closes = true\n", ("",)),
)


@pytest.fixture
def ends(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., int]:
    """Run a command in a folder of its own: exit code 0, or 2 with one sentence; nothing half-written."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> int:
        before = {path.name for path in tmp_path.iterdir()}
        code = 0
        try:
            main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
        printed = capsys.readouterr()
        assert code in (0, 2), (arguments, printed.err)
        if code:
            assert re.fullmatch(r"kinefix: error: [^\n]+\n(  [^\n]+\n){0,10}", printed.err), (arguments, printed.err)
            assert "a fault of Kinefix" not in printed.err, (arguments, printed.err)
            assert "deeper than Python" not in printed.err, (arguments, printed.err)
            assert {path.name for path in tmp_path.iterdir()} == before
        else:
            assert not printed.err, (arguments, printed.err)
        return code

    return run


def check(ends: Callable[..., int], folder: Path, numbers: range) -> list[int]:
    codes = []
    for number in numbers:
        dice = random.Random(number)
        text = model_path(dice.choice(MODELS)).read_text(encoding="utf-8")
        for _ in range(dice.randint(1, 2)):
            text = dice.choice(CHANGES)(text, dice)
        (folder / f"case_{number}.toml").write_text(text, encoding="utf-8")
        codes.append(ends("show", f"case_{number}.toml"))
    return codes


def test_files_with_faults(ends: Callable[..., int], tmp_path: Path) -> None:
    """Some are still mechanisms, most are not: both ways are gone."""
    codes = check(ends, tmp_path, range(SOME))
    assert set(codes) == {0, 2}


@pytest.mark.slow
def test_many_files_with_faults(ends: Callable[..., int], tmp_path: Path) -> None:
    check(ends, tmp_path, range(SOME, MANY))


CRANK = model_path("slider_crank").read_bytes()
ODD = {
    "empty": b"",
    "zeros": bytes(64),
    "binary": bytes(range(256)) * 8,
    "utf16": CRANK.decode().encode("utf-16"),
    "mark": b"\xef\xbb\xbf" + CRANK,
    "carriage returns": CRANK.replace(b"\n", b"\r\n"),
    "half a character": CRANK + b"\n# \xe2\x82",
    "one bracket": b"[" * 5000,
    "nested lists": b"x = " + b"[" * 3000 + b"]" * 3000,
    "nested tables": b"[" + b".".join([b"a"] * 3000) + b"]\n",
    "nested inline": b"x = " + b"{a = " * 800 + b"1" + b"}" * 800,
    "one line": b'title = "' + b"x" * 1_000_000 + b'"',
    "many keys": b"\n".join(b"k%d = 1" % k for k in range(20000)),
    "many points": CRANK
    + b"\n[ground]\npoints = {"
    + b", ".join(b'p%d = ["0", "0", "0"]' % k for k in range(3000))
    + b"}",
    "deep formula": CRANK.replace(b'"0.4 m"', b'"' + b"(" * 3000 + b"0.4" + b")" * 3000 + b' m"', 1),
    "long formula": CRANK.replace(b'"m1*l1^2/12"', b'"' + b"m1*l1^2/12" + b" + m1*l1^2" * 3000 + b'"', 1),
    "a body that carries itself": CRANK.replace(b'parent = "ground', b'parent = "crank', 1),
}


@pytest.mark.parametrize("kind", ODD)
def test_files_that_are_odd(ends: Callable[..., int], tmp_path: Path, kind: str) -> None:
    (tmp_path / "odd.toml").write_bytes(ODD[kind])
    ends("show", "odd.toml")
    ends("export", "odd.toml", "--out", "out") if kind in ("empty", "binary") else None


def test_a_folder_and_a_pipe_are_no_files(ends: Callable[..., int], tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    assert ends("show", "folder.toml") == 2
    assert ends("export", "folder.toml", "--out", "out") == 2
    assert ends("analyse", "/dev/null") == 2
