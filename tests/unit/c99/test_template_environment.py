"""Templates are compiled once and kept beside the package; a kept one counts only where it fits its source."""

import sys
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from exporter import template_environment
from exporter.template_environment import environment


@pytest.fixture(name="kept")
def kept_templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for compiled templates, and one template, `t`."""
    monkeypatch.setattr(template_environment, "CACHE", tmp_path / "kept")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "t").write_text("a {{ x }}\n", encoding="utf-8")
    return tmp_path / "kept"


def rendered(kept: Path) -> str:
    return environment(FileSystemLoader(kept.parent / "templates"), autoescape=False).get_template("t").render(x=1)


def refuse_to_compile(*_: object, **__: object) -> str:
    raise AssertionError("compiled again")


def test_a_kept_template_is_not_compiled_again(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rendered(kept) == "a 1\n"
    monkeypatch.setattr(Environment, "_generate", refuse_to_compile)
    assert rendered(kept) == "a 1\n"


def test_a_changed_template_is_compiled_again(kept: Path) -> None:
    rendered(kept)
    (kept.parent / "templates" / "t").write_text("b {{ x }}\n", encoding="utf-8")
    assert rendered(kept) == "b 1\n"


@pytest.mark.parametrize("size", [0, 3, 60])
def test_a_damaged_one_is_compiled_again(kept: Path, size: int) -> None:
    """Cut off anywhere, as by a full disk."""
    rendered(kept)
    (file,) = kept.iterdir()
    file.write_bytes(file.read_bytes()[:size])
    assert rendered(kept) == "a 1\n"


def test_nothing_is_kept_where_python_keeps_nothing(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(kept) == "a 1\n"
    assert not kept.exists()


def test_a_folder_that_cannot_be_written_is_no_error(kept: Path) -> None:
    kept.write_text("a file in its place", encoding="utf-8")
    assert rendered(kept) == "a 1\n"
