"""Figures of the tree's layout, which a test holds within ci/budgets.toml.

    .venv/bin/python ci/house.py

rooms      files and folders directly under exporter/kinematics
arrows     ordered pairs of such rooms with an import from the one to the other
circles    groups of files there that import each other in a circle, be it for types alone
engine_isinstance    isinstance on a class of an engine, outside the engines
caught_model_errors  `except ModelError` that neither raises again nor uses the error, and `suppress(ModelError)`, in
                     kinematics, sil, compare
long_files  Python files of the product with more than 300 lines
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).resolve().parent.parent
KINEMATICS = ROOT / "exporter" / "kinematics"
PRODUCT = ("exporter", "targets", "sil", "hil")
ENGINES = ("planar", "spatial", "baselines", "exchanged")
ENGINE_CLASSES = (
    *("Solution", "Pose", "Motion", "Acceleration"),
    *("TriangularForm", "SpatialForm", "ExchangedForm"),
)
LONG_FILE = 300
CAUGHT_IN = ("exporter/kinematics", "sil", "targets/compare")


def figures() -> dict[str, int]:
    """All figures by name."""
    imports = nx.DiGraph(pairs(KINEMATICS))
    rooms = {room(path) for path in KINEMATICS.rglob("*.py") if path.name != "__init__.py"}
    arrows = {(room(one), room(other)) for one, other in imports.edges if room(one) != room(other)}
    circles = [group for group in nx.strongly_connected_components(imports) if len(group) > 1]
    files = [path for top in PRODUCT for path in (ROOT / top).rglob("*.py")]
    return {
        "long_files": sum(len(path.read_text("utf-8").splitlines()) > LONG_FILE for path in files),
        "rooms": len(rooms),
        "arrows": len(arrows),
        "circles": len(circles),
        "engine_isinstance": sum(engine_checks(path) for path in outside_engines()),
        "caught_model_errors": sum(caught(path) for folder in CAUGHT_IN for path in (ROOT / folder).rglob("*.py")),
    }


def room(path: Path) -> str:
    """The file or folder directly under kinematics that a file is in."""
    return path.relative_to(KINEMATICS).parts[0]


def pairs(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Files of a folder, each with the files of it that it imports."""
    for path in sorted(folder.rglob("*.py")):
        for module, names in imported(ast.parse(path.read_text(encoding="utf-8"))):
            for target in files_of(module, names):
                if target.is_relative_to(folder) and target != path:
                    yield path, target


def imported(tree: ast.AST) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Modules that a file imports from, with the names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, tuple(alias.name for alias in node.names)


def files_of(module: str, names: tuple[str, ...]) -> Iterator[Path]:
    """The files that an import runs: the module's, or those of the names that are modules in it."""
    place = ROOT.joinpath(*module.split("."))
    if place.with_suffix(".py").is_file():
        yield place.with_suffix(".py")
    for name in names if place.is_dir() else ():
        file = place / f"{name}.py"
        yield file if file.is_file() else place / "__init__.py"


def outside_engines() -> Iterator[Path]:
    """Files of the product that are not of an engine."""
    for top in PRODUCT:
        for path in sorted((ROOT / top).rglob("*.py")):
            if not any(path.is_relative_to(KINEMATICS / engine) for engine in ENGINES):
                yield path


def engine_checks(path: Path) -> int:
    """How often a file asks whether something is of a class of an engine."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    known = {name for module, names in imported(tree) if "kinematics" in module for name in names}
    asked = [node.args[1] for node in ast.walk(tree) if is_call(node, "isinstance")]  # type: ignore[attr-defined]
    return sum(
        any(
            isinstance(part, ast.Name) and part.id in known and part.id.endswith(ENGINE_CLASSES)
            for part in ast.walk(arg)
        )
        for arg in asked
    )


def is_call(node: ast.AST, name: str) -> bool:
    """Whether this calls a function of that name."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def caught(path: Path) -> int:
    """How often a file takes a ModelError for an answer: it does not raise again and does not look at the error."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return sum(is_taken_for_an_answer(node) for node in nodes if isinstance(node, ast.ExceptHandler)) + sum(
        "ModelError" in ast.unparse(node) for node in nodes if is_call(node, "suppress")
    )


def is_taken_for_an_answer(handler: ast.ExceptHandler) -> bool:
    """Whether a handler takes a ModelError for an answer."""
    names = {node.id for node in ast.walk(handler) if isinstance(node, ast.Name)}
    return (
        handler.type is not None
        and "ModelError" in ast.unparse(handler.type)
        and not any(isinstance(node, ast.Raise) for node in ast.walk(handler))
        and handler.name not in names
    )


if __name__ == "__main__":
    for name, value in figures().items():
        sys.stdout.write(f"{name:<22}{value}\n")
