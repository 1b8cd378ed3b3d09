"""Pages of reports as text: whole, linked, named for those who cannot see them; and pages made wrong on purpose."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from page_dom import problems_of

KINDS = ("hil", "sil", "requirements", "index")
PRINTED = ("hil/report.pdf", "sil/report.pdf", "requirements/requirements.pdf", "index.pdf", "other.pdf")
SOUND = """<!DOCTYPE html>
<html lang="en"><head><title>t</title><style>p { background: url(data:x) }</style></head><body>
<p id="a"><a href="#a">here</a> <a href="made.html#a">too</a> <a href="b%20b.txt">file</a></p>
<table><tr><th>x</th><th>y</th></tr><tr><td colspan="2">1</td></tr></table>
<img src="data:image/png;base64,AA" alt="picture"><svg role="img" aria-label="drawing"><line x1="1"/></svg>
<svg><title>drawing</title></svg>
</body></html>
"""


@pytest.fixture(scope="module")
def pages(load_data_module: Callable[[str], ModuleType], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Written into folders where pages of another day were printed."""
    folder = tmp_path_factory.mktemp("pages")
    for printed in PRINTED:
        (folder / printed).parent.mkdir(exist_ok=True)
        (folder / printed).touch()
    written: dict[str, Path] = load_data_module("report_pages").write_pages(folder)
    return written


@pytest.fixture
def made(tmp_path: Path) -> Callable[[str], Path]:
    """A page of this text, with a file beside it."""
    (tmp_path / "b b.txt").touch()

    def write(text: str) -> Path:
        page = tmp_path / "made.html"
        page.write_text(text, encoding="utf-8")
        return page

    return write


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_as_pages_must_be(pages: dict[str, Path], kind: str) -> None:
    """Unique ids, links that lead somewhere, tables with headers, named pictures, a language, nothing from outside."""
    assert problems_of(pages[kind]) == []


def test_a_new_page_does_not_stand_beside_the_pdf_of_an_old_one(pages: dict[str, Path]) -> None:
    """A PDF of another name stays."""
    folder = pages["index"].parent
    assert [name for name in PRINTED if (folder / name).exists()] == ["other.pdf"]


def test_the_index_has_a_picture_of_the_mechanism(pages: dict[str, Path]) -> None:
    """Drawn from the export, inside the page."""
    assert '<img src="data:image/svg+xml;base64,' in pages["index"].read_text(encoding="utf-8")


SPOILED = {
    "no doctype": ("<!DOCTYPE html>", "", "does not begin with <!DOCTYPE html>"),
    "no language": (' lang="en"', "", "does not begin with <html lang>"),
    "no title": ("<title>t</title>", "", "has no title"),
    "an id twice": ("<table>", '<table id="a">', "the id 'a' stands twice"),
    "a link to no id": ("#a", "#b", "the link #b leads to no id"),
    "a link to no id of a page": ("made.html#a", "made.html#b", "the link made.html#b leads to no id"),
    "a link to no file": ("b%20b", "c", "the link c.txt leads to no file"),
    "an empty link": ("b%20b.txt", "", "a link leads nowhere"),
    "a link outside": ("b%20b.txt", "http://kinefix.invalid", "the link http://kinefix.invalid leads out"),
    "a link to a path of this computer": ("b%20b.txt", "/etc/hosts", "the link /etc/hosts leads out"),
    "a table without headers": ("th>", "td>", "a table has no header"),
    "a row that is too short": (' colspan="2"', "", "rows of a table have [1, 2] cells"),
    "a picture without words": (' alt="picture"', "", "a picture has no alt"),
    "a picture from outside": ("data:image/png;base64,AA", "//kinefix.invalid/a", "asks for //kinefix.invalid/a"),
    "a picture that is not there": ("data:image/png;base64,AA", "a.png", "'a.png' does not exist"),
    "a drawing without words": (' aria-label="drawing"', "", "has neither aria-label nor title"),
    "a drawing with an empty title": ("<title>drawing</title>", "<title> </title>", "has neither aria-label nor title"),
    "a script from outside": ("</body>", '<script src="//kinefix.invalid/a"></script></body>', "asks for //kinefix"),
    "a style from outside": ("<body>", '<link href="http://kinefix.invalid/a"><body>', "asks for http://kinefix"),
    "a font from outside": ("url(data:x)", "url(http://kinefix.invalid)", "the style asks for url(http"),
    "an element that is not closed": ("</p>", "", "ends what is not open"),
}


@pytest.mark.parametrize("case", SPOILED)
def test_a_page_made_wrong_is_seen(made: Callable[[str], Path], case: str) -> None:
    """One change to a sound page, of which nothing is said before."""
    assert problems_of(made(SOUND)) == []
    sound, spoiled, words = SPOILED[case]
    assert sound in SOUND
    found = problems_of(made(SOUND.replace(sound, spoiled)))
    assert any(words in each for each in found), found
