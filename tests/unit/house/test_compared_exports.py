"""The script that compares the exports of two trees finds a file that changed, came or went."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def exports(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, with one mechanism in one precision to export."""
    spec = importlib.util.spec_from_file_location("exports", ROOT / "ci" / "exports.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "mechanisms", lambda: iter([("own", read_mechanism(model_path("four_bar")))]))
    monkeypatch.setattr(module, "PRECISIONS", ("float32",))
    return module


def ends(module: ModuleType, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The exit code of a call."""
    monkeypatch.setattr(sys, "argv", ["exports.py", *words])
    return int(module.main())


def test_the_same_tree_twice_agrees_and_a_change_is_named(
    exports: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = str(tmp_path / "before.txt"), str(tmp_path / "after.txt")
    assert ends(exports, monkeypatch, before) == 0
    assert ends(exports, monkeypatch, after, "--against", before) == 0
    capsys.readouterr()
    lines = Path(before).read_text(encoding="utf-8").splitlines()
    assert len(lines) > 5
    changed = [lines[0][:-1] + ("0" if lines[0][-1] != "0" else "1"), *lines[1:]]
    Path(before).write_text("\n".join(changed), encoding="utf-8")
    assert ends(exports, monkeypatch, after, "--against", before) == 1
    assert capsys.readouterr().out == f"{lines[0].rsplit(chr(9), 1)[0]}\n{len(lines)} files, 1 differ\n"


@pytest.mark.parametrize(("before", "after"), [(["a\t1", "b\t2"], ["a\t1"]), (["a\t1"], ["a\t1", "b\t2"])])
def test_a_file_that_came_or_went_is_named(exports: ModuleType, before: list[str], after: list[str]) -> None:
    assert exports.differing(before, after) == ["b"]
    assert exports.differing(before, before) == []


def test_nothing_to_compare_is_no_pass(exports: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(exports, "mechanisms", lambda: iter([]))
    (tmp_path / "before.txt").write_text("", encoding="utf-8")
    assert ends(exports, monkeypatch, str(tmp_path / "after.txt"), "--against", str(tmp_path / "before.txt")) == 1
