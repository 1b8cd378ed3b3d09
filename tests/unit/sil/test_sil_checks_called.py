"""Every check of SIL is called: one that is written and not entered would find nothing, and nobody would notice."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def checks_of(text: str) -> set[str]:
    """Functions of a module that are checks."""
    return {
        node.name
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("check_")
    }


def uncalled(checks: set[str], texts: list[str]) -> set[str]:
    """Checks that no text names outside of an import."""
    used = {node.id for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    return checks - used


def test_every_check_is_called() -> None:
    files = sorted((ROOT / "sil").rglob("*.py"))
    texts = [path.read_text("utf-8") for path in files]
    checks = {name for path in files if path.parent.name == "checks" for name in checks_of(path.read_text("utf-8"))}
    assert len(checks) > 20
    assert uncalled(checks, texts) == set()


def test_one_that_is_only_imported_is_seen() -> None:
    checks = checks_of("def check_new(case):\n    return [], []\n")
    assert uncalled(checks, ["from sil.checks.new import check_new\n"]) == {"check_new"}
    assert uncalled(checks, ["from sil.checks.new import check_new\nCHECKS = (check_new,)\n"]) == set()
