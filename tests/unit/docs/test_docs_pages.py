"""Pages of the documentation: links and anchors lead somewhere, and every snippet is run by some test."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
LINK = re.compile(r"(?<!`)\]\(([^)\s]+)\)|src=\"([^\"]+)\"")

RUN_BY = {
    "README.md": "tests/emulated/test_docs_emulated.py",
    "docs/first-mechanism.md": "tests/emulated/test_docs_emulated.py",
    "docs/bench.md": "tests/emulated/test_docs_emulated.py",
    "docs/can.md": "tests/emulated/test_docs_emulated.py",
    "docs/controllers.md": "tests/compiled/test_docs_controllers.py",
    "docs/using-the-export.md": "tests/compiled/test_docs_compiled.py",
    "docs/requirements.md": "tests/compiled/test_docs_compiled.py",
    "docs/labview.md": "tests/compiled/test_docs_labview.py",
    "docs/library-users.md": "tests/compiled/test_docs_labview.py",
    "docs/c-interface.md": "tests/unit/docs/test_docs_snippets.py",
    "docs/analysis.md": "tests/unit/docs/test_docs_snippets.py",
    "docs/pipeline.md": "tests/unit/docs/test_docs_snippets.py",
    "CONTRIBUTING.md": "tests/unit/docs/test_docs_snippets.py",
    "docs/model-file.md": "tests/unit/docs/test_model_documentation.py",
    "docs/reactions.md": "tests/unit/docs/test_reactions_docs.py",
    "docs/suspension-sheet.md": "tests/unit/docs/test_docs_suspensions.py",
    "docs/suspensions.md": "tests/unit/docs/test_docs_suspensions.py",
    "docs/symbolic-models.md": "tests/unit/docs/test_symbolic_docs.py",
    "docs/compare.md": "tests/unit/docs/test_docs_compare.py",
    "docs/switching.md": "tests/unit/docs/test_switching_docs.py",
    "docs/wire-protocol.md": "tests/unit/hil/test_hil_protocol.py",
}
"""Page with snippets -> the test that runs them."""


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Anchors of the headings of a page, as GitHub spells them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    plain = (re.sub(r"[`*]|\[|\]\([^)]*\)", "", heading).strip().lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_to_a_file_and_a_heading(name: str) -> None:
    """Links to the web are left alone."""
    page = ROOT / name
    for match in LINK.finditer(prose(page)):
        target, _, anchor = (match[1] or match[2]).partition("#")
        if target.startswith(("http://", "https://")):
            continue
        aim = (page.parent / target).resolve() if target else page
        assert aim.exists(), f"{name}: {target} does not exist"
        if anchor:
            assert anchor in anchors(aim), f"{name}: {aim.name} has no heading #{anchor}; it has {sorted(anchors(aim))}"


@pytest.mark.parametrize("name", NAMES)
def test_every_page_with_snippets_is_run(name: str) -> None:
    """By a test that names it, or in the table above."""
    if "```" not in (ROOT / name).read_text(encoding="utf-8"):
        return
    assert name in RUN_BY, f"{name} has snippets that no test runs; add it to RUN_BY"
    runner = ROOT / RUN_BY[name]
    assert Path(name).stem in runner.read_text(encoding="utf-8") or Path(name).name in runner.read_text(
        encoding="utf-8"
    )


def test_every_decision_is_listed() -> None:
    """In the order of their numbers, and titled as they are."""
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\[(\d{4}) (.+?)\]\((.+?)\)", (folder / "README.md").read_text(encoding="utf-8"))
    pages = sorted(path.name for path in folder.glob("[0-9]*.md"))
    assert [file for _, _, file in listed] == pages
    for number, title, file in listed:
        assert (folder / file).read_text(encoding="utf-8").startswith(f"# {number} {title}\n")
        slug = re.sub(r"[^a-z0-9]+", "-", title.lower().replace("'", "")).strip("-")
        assert file == f"{number}-{slug}.md"


def test_readme_leads_to_every_page() -> None:
    """Directly, or through a page that it names."""
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md" or not page.exists():
            continue
        reached.add(page)
        waiting += [
            (page.parent / (found[1] or found[2]).partition("#")[0]).resolve() for found in LINK.finditer(prose(page))
        ]
    assert {page.relative_to(ROOT).as_posix() for page in set(PAGES) - reached} <= {"CHANGELOG.md"}
