"""The tree's layout stays within ci/budgets.toml, and the script that counts it sees what was made wrong on purpose."""

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
BUDGETS = tomllib.loads((ROOT / "ci" / "budgets.toml").read_text(encoding="utf-8"))["house"]


@pytest.fixture(scope="module")
def house() -> ModuleType:
    """The script."""
    spec = importlib.util.spec_from_file_location("house", ROOT / "ci" / "house.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_layout_is_within_its_budget(house: ModuleType) -> None:
    found = house.figures()
    assert found.keys() == BUDGETS.keys()
    assert {name: value for name, value in found.items() if value > BUDGETS[name]} == {}


def test_unit_tests_stand_in_the_rooms_of_the_product() -> None:
    """tests/unit/kinematics/planar tests exporter/kinematics/planar; pages and the tree itself have folders too."""
    unit = ROOT / "tests" / "unit"
    folders = {path.parent.relative_to(unit) for path in unit.rglob("test_*.py")} - {Path("docs"), Path("house")}
    assert len(folders) > 15
    assert [
        str(folder) for folder in folders if not any((ROOT / top / folder).is_dir() for top in ("exporter", "."))
    ] == []


def made(folder: Path, files: dict[str, str]) -> None:
    """Files below exporter/kinematics of a tree."""
    for name, text in files.items():
        path = folder / "exporter" / "kinematics" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


TREE = {
    "top.py": "from exporter.kinematics.low.one import a\n",
    "low/__init__.py": "",
    "low/one.py": "from exporter.kinematics.low.two import b\na = b\n",
    "low/two.py": "b = 1\n",
}
WRONG = {
    "long_files": {"low/two.py": "b = 1\n" * 301},
    "arrows": {"low/two.py": "from exporter.kinematics import top\nb = 1\n"},
    "circles": {"low/two.py": "from exporter.kinematics.low import one\nb = 1\n"},
    "rooms": {"more.py": ""},
    "engine_isinstance": {
        "top.py": TREE["top.py"]
        + "from exporter.kinematics.low import AnySolution\nc = isinstance(a, AnySolution | int)\n"
    },
    "caught_model_errors": {"top.py": TREE["top.py"] + "try:\n    a\nexcept (ModelError, OSError):\n    pass\n"},
}


@pytest.mark.parametrize("name", BUDGETS)
def test_what_is_made_wrong_is_counted(
    tmp_path: Path, house: ModuleType, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """One more of each, in a small tree."""
    monkeypatch.setattr(house, "ROOT", tmp_path)
    monkeypatch.setattr(house, "KINEMATICS", tmp_path / "exporter" / "kinematics")
    made(tmp_path, TREE)
    sound = house.figures()
    assert sound == {
        "rooms": 2,
        "arrows": 1,
        "circles": 0,
        "engine_isinstance": 0,
        "caught_model_errors": 0,
        "long_files": 0,
    }
    made(tmp_path, WRONG[name])
    assert house.figures()[name] == sound[name] + 1


def test_a_suppressed_error_is_counted(tmp_path: Path, house: ModuleType) -> None:
    path = tmp_path / "some.py"
    path.write_text("with suppress(ModelError):\n    pass\n", encoding="utf-8")
    assert house.caught(path) == 1


@pytest.mark.parametrize("handler", ["except ModelError as e:\n    print(e)", "except ModelError:\n    raise"])
def test_an_error_that_is_told_or_raised_again_is_not_counted(tmp_path: Path, house: ModuleType, handler: str) -> None:
    path = tmp_path / "some.py"
    path.write_text(f"try:\n    pass\n{handler}\n", encoding="utf-8")
    assert house.caught(path) == 0
