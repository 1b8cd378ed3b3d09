"""Docstrings can be read alone, and the modules that they name are there.

Sources are read as text, which takes a hundredth of the time of their syntax trees: the formatter puts a docstring
at the start of a file, or in three quotes on the line after one that ends in a colon.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from exporter.c99.functions import SUMMARIES

ROOT = Path(__file__).resolve().parents[3]
PRODUCT = ("exporter", "sil", "hil", "targets")
DOCSTRING = re.compile(r'(?:\A|:(?: *#[^\n]*)?\n *)r?"""(.*?)"""', re.DOTALL)
DEFINED = re.compile(r"^ *(?:class|def) (\w+)", re.MULTILINE)
LEANING = re.compile(r"(the same|its|of|all of them|likewise|also|those|as above)\b", re.IGNORECASE)
"""How a docstring begins that needs its neighbour."""
HEADER = re.compile(r"(?:Used by|Made by|In|Out):[^.]*")
"""What a module takes, gives and is used by."""
NAME = re.compile(r"`([a-z_]\w*)`")
MODULE = re.compile(r"`((?:exporter|sil|hil|targets)(?:\.\w+)+)`")


@cache
def texts(*folders: str) -> dict[Path, str]:
    """Python files below folders, with what stands in them."""
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return {path: path.read_text("utf-8") for path in paths}


def docstrings(text: str) -> list[str]:
    """Docstrings of a module and of all that it defines."""
    return [found.strip() for found in DOCSTRING.findall(text)]


def module_docstring(text: str) -> str:
    """Docstring of a module, empty where it has none."""
    found = DOCSTRING.match(text)
    return found[1] if found else ""


def leaning(text: str) -> list[str]:
    """What begins as if something stood before it."""
    return [docstring for docstring in docstrings(text) if LEANING.match(docstring)]


def is_there(name: str) -> bool:
    """Whether a module, or a name in one, exists."""
    module, _, last = name.rpartition(".")
    defined = re.compile(rf"^(?:(?:class|def) {last}\b|{last}\b.*=|from .* import .*\b{last}\b)", re.MULTILINE)
    return bool(list(files_of(name))) or any(defined.search(path.read_text("utf-8")) for path in files_of(module))


def files_of(module: str) -> Iterator[Path]:
    """The file that holds a module; none where there is no such module."""
    place = ROOT.joinpath(*module.split("."))
    yield from (path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file())


def test_none_leans_on_its_neighbour() -> None:
    """Neither in the product, nor in tests and scripts."""
    files = texts(*PRODUCT, "tests", "benchmarks", "ci")
    assert {str(path): found for path, text in files.items() if (found := leaning(text))} == {}


@pytest.mark.parametrize("path", ["exporter/errors.py", "exporter/model/mechanism.py", "hil/freerun.py"])
def test_text_and_syntax_tree_have_the_same_docstrings(path: str) -> None:
    text = (ROOT / path).read_text("utf-8")
    nodes = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    ]
    of_tree = [ast.get_docstring(node, clean=False) for node in nodes]
    assert len(nodes) > 5
    assert sorted(docstrings(text)) == sorted(found.strip() for found in of_tree if found)


def test_modules_that_are_named_exist() -> None:
    named = {name for text in texts(*PRODUCT).values() for each in docstrings(text) for name in MODULE.findall(each)}
    assert len(named) > 20
    assert {name for name in named if not is_there(name)} == set()


def names_in_header(text: str) -> set[str]:
    """Short names that a module's docstring gives as its neighbours."""
    return {name for header in HEADER.findall(module_docstring(text)) for name in NAME.findall(header)}


@cache
def known_names() -> set[str]:
    """Modules, folders, what they define, and the functions of an export."""
    files = texts(*PRODUCT)
    defined = {name for text in files.values() for name in DEFINED.findall(text)}
    return defined | {path.stem for path in files} | {path.parent.name for path in files} | set(SUMMARIES)


def test_neighbours_that_a_module_names_exist() -> None:
    """Or are fields of the manifest, or a function of unicorn."""
    known = known_names() | {"row_inputs", "row_outputs", "emu_start"}
    unknown = {str(path): names_in_header(text) - known for path, text in texts(*PRODUCT).items()}
    assert {path: names for path, names in unknown.items() if names} == {}


def test_a_neighbour_that_is_not_there_is_seen() -> None:
    text = '"""Draws.\n\nIn: a pose of `pose`. Used by: `no_such_module`.\n"""\n'
    assert names_in_header(text) - known_names() == {"no_such_module"}


OTHER_HEADER = re.compile(r"\b(?:comes (?:in|from):|goes (?:to|out):|goes to `)", re.IGNORECASE)
"""Words for what stands under In, Out and Used by."""


def other_header(text: str) -> bool:
    """Whether a module says in other words what it takes, gives or is used by."""
    return bool(OTHER_HEADER.search(module_docstring(text)))


def test_headers_are_written_one_way() -> None:
    """In, Out, Used by: not three ways to say so."""
    assert [str(path) for path, text in texts(*PRODUCT).items() if other_header(text)] == []


@pytest.mark.parametrize("line", ["Comes from: a pose.", "Comes in: a pose.", "Goes out: rates.", "It goes to `svg`."])
def test_a_header_in_other_words_is_seen(line: str) -> None:
    assert other_header(f'"""Draws.\n\n{line}\n"""\n')
    assert not other_header('"""Draws.\n\nIn: a pose. Used by: `svg`. A line comes in and goes out.\n"""\n')


@pytest.mark.parametrize("text", ["Of a body.", "The same for angles.", "Its mass, kg.", "All of them.", "As above."])
def test_a_leaning_one_is_seen(text: str) -> None:
    assert leaning(f'def one():\n    """{text}"""\n') == leaning(f'"""{text}"""\n') == [text]
    assert leaning('def one():\n    """Mass of a body, kg."""\n') == []


@pytest.mark.parametrize("name", ["exporter.kinematics.form", "exporter.functions.program.no_such_name"])
def test_a_module_that_is_not_there_is_seen(name: str) -> None:
    assert not is_there(name)
    assert is_there("exporter.functions.program.program_of_mechanism")
