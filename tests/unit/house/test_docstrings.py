"""Docstrings can be read alone, and the modules that they name are there."""

import ast
import importlib.util
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from exporter.c99.functions import SUMMARIES

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted(path for top in ("exporter", "sil", "hil", "targets") for path in (ROOT / top).rglob("*.py"))
LEANING = re.compile(r"(the same|its|of|all of them|likewise|also|those)\b", re.IGNORECASE)
"""How a docstring begins that needs its neighbour."""
HEADER = re.compile(r"(?:Used by|Made by|In|Out):[^.]*")
"""What a module takes, gives and is used by."""
NAME = re.compile(r"`([a-z_]\w*)`")
MODULE = re.compile(r"`((?:exporter|sil|hil|targets)(?:\.\w+)+)`")


def docstrings(text: str) -> Iterator[tuple[str, str]]:
    """Names and docstrings of a module and all that it defines."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield getattr(node, "name", ""), ast.get_docstring(node) or ""


def leaning(text: str) -> list[str]:
    """What begins as if something stood before it."""
    return [name for name, docstring in docstrings(text) if LEANING.match(docstring)]


def is_there(name: str) -> bool:
    """Whether a module, or a name in one, exists."""
    module, _, last = name.rpartition(".")
    for found in (name, module):
        try:
            if importlib.util.find_spec(found) is not None:
                return found == name or hasattr(importlib.import_module(found), last)
        except ModuleNotFoundError:
            continue
    return False


def test_none_leans_on_its_neighbour() -> None:
    assert {str(path): names for path in FILES if (names := leaning(path.read_text(encoding="utf-8")))} == {}


def test_modules_that_are_named_exist() -> None:
    named = {name for path in FILES for _, text in docstrings(path.read_text("utf-8")) for name in MODULE.findall(text)}
    assert len(named) > 20
    assert {name for name in named if not is_there(name)} == set()


def names_in_header(text: str) -> set[str]:
    """Short names that a module's docstring gives as its neighbours."""
    module = ast.get_docstring(ast.parse(text)) or ""
    return {name for header in HEADER.findall(module) for name in NAME.findall(header)}


@cache
def known_names() -> set[str]:
    """Modules, folders, what they define, and the functions of an export."""
    defined = {
        node.name
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }
    return defined | {path.stem for path in FILES} | {path.parent.name for path in FILES} | set(SUMMARIES)


def test_neighbours_that_a_module_names_exist() -> None:
    known = known_names()
    named = {path.relative_to(ROOT).as_posix(): names_in_header(path.read_text("utf-8")) - known for path in FILES}
    # fields of the manifest, and a function of unicorn
    named = {path: names - {"row_inputs", "row_outputs", "emu_start"} for path, names in named.items()}
    assert {path: names for path, names in named.items() if names} == {}


def test_a_neighbour_that_is_not_there_is_seen() -> None:
    text = '"""Draws.\n\nIn: a pose of `pose`. Used by: `no_such_module`.\n"""\n'
    assert names_in_header(text) - known_names() == {"no_such_module"}


OTHER_HEADER = re.compile(r"\b(?:comes (?:in|from):|goes (?:to|out):|goes to `)", re.IGNORECASE)
"""Words for what stands under In, Out and Used by."""


def other_header(text: str) -> bool:
    """Whether a module says in other words what it takes, gives or is used by."""
    return bool(OTHER_HEADER.search(ast.get_docstring(ast.parse(text)) or ""))


def test_headers_are_written_one_way() -> None:
    """In, Out, Used by: not three ways to say so."""
    assert [str(path) for path in FILES if other_header(path.read_text("utf-8"))] == []


@pytest.mark.parametrize("line", ["Comes from: a pose.", "Comes in: a pose.", "Goes out: rates.", "It goes to `svg`."])
def test_a_header_in_other_words_is_seen(line: str) -> None:
    assert other_header(f'"""Draws.\n\n{line}\n"""\n')
    assert not other_header('"""Draws.\n\nIn: a pose. Used by: `svg`. A line comes in and goes out.\n"""\n')


@pytest.mark.parametrize("text", ["Of a body.", "The same for angles.", "Its mass, kg.", "All of them."])
def test_a_leaning_one_is_seen(text: str) -> None:
    assert leaning(f'def one():\n    """{text}"""\n') == ["one"]
    assert leaning('def one():\n    """Mass of a body, kg."""\n') == []


@pytest.mark.parametrize("name", ["exporter.kinematics.form", "exporter.functions.program.no_such_name"])
def test_a_module_that_is_not_there_is_seen(name: str) -> None:
    assert not is_there(name)
    assert is_there("exporter.functions.program.program_of_mechanism")
