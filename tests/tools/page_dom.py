"""What is wrong with an HTML page, as far as its text says it: for pages that must open alone, and be read by anyone.

In: a page as a file. Out: sentences. What a browser alone can say is in page_checks.js.
"""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

VOID = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})
OUTSIDE_IN_STYLE = re.compile(r"url\(\s*['\"]?(?!data:|#)[^)]+\)|@import[^;]+")


@dataclass
class Table:
    """A table that is being read."""

    heads: int = 0
    rows: list[int] = field(default_factory=list)  # cells of each, as wide as they span


class PageReader(HTMLParser):
    """Notes what a page has and what it lacks."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.sources: list[str] = []
        self.problems: list[str] = []
        self.title = ""
        self._open: list[str] = []
        self._tables: list[Table] = []
        self._named: list[bool] = []  # of each drawing that is open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One element."""
        has = {name: value or "" for name, value in attrs}
        if "id" in has:
            self.ids.append(has["id"])
        if not self._open and (tag != "html" or not has.get("lang")):
            self.problems.append("the page does not begin with <html lang>")
        self._reference(tag, has)
        self._table(tag, has)
        self._picture(tag, has)
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element of a drawing that holds nothing."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """The element that is open must be the one that ends."""
        if not self._open or self._open.pop() != tag:
            self.problems.append(f"</{tag}> ends what is not open")
        if tag == "table":
            self._end_table(self._tables.pop())
        if tag == "svg" and not self._named.pop():
            self.problems.append("a drawing has neither aria-label nor title")

    def handle_data(self, data: str) -> None:
        """Text of the title, of styles."""
        inside = self._open[-1] if self._open else ""
        if inside == "title" and "svg" not in self._open:
            self.title += data
        if inside == "title" and "svg" in self._open and data.strip():
            self._named[-1] = True
        if inside == "style" and (found := OUTSIDE_IN_STYLE.search(data)):
            self.problems.append(f"the style asks for {found[0]}")

    def _reference(self, tag: str, has: dict[str, str]) -> None:
        if tag == "a":
            self.links.append(has.get("href", ""))
        elif "src" in has or tag == "link":
            self.sources.append(has.get("src", has.get("href", "")))

    def _table(self, tag: str, has: dict[str, str]) -> None:
        if tag == "table":
            self._tables.append(Table())
        elif tag == "tr" and self._tables:
            self._tables[-1].rows.append(0)
        elif tag in ("td", "th") and self._tables:
            self._tables[-1].heads += tag == "th"
            self._tables[-1].rows[-1] += int(has.get("colspan", 1))

    def _end_table(self, table: Table) -> None:
        if not table.heads:
            self.problems.append("a table has no header")
        if len(set(table.rows)) > 1:
            self.problems.append(f"rows of a table have {sorted(set(table.rows))} cells")

    def _picture(self, tag: str, has: dict[str, str]) -> None:
        if tag == "img" and not has.get("alt", "").strip():
            self.problems.append("a picture has no alt")
        if tag == "svg":
            self._named.append(bool(has.get("aria-label", "").strip()))


def problems_of(page: Path) -> list[str]:
    """Everything that is wrong with a page."""
    text = page.read_text(encoding="utf-8")
    reader = PageReader()
    reader.feed(text)
    reader.close()
    found = list(reader.problems)
    if not text.startswith("<!DOCTYPE html>\n"):
        found.append("the page does not begin with <!DOCTYPE html>")
    if not reader.title.strip():
        found.append("the page has no title")
    found += [f"the id '{each}' stands twice" for each in sorted({i for i in reader.ids if reader.ids.count(i) > 1})]
    found += [problem for link in reader.links if (problem := _wrong_link(page, link, set(reader.ids)))]
    found += [f"the page asks for {each}" for each in reader.sources if _leads_out(each) and not _is_data(each)]
    found += [
        f"'{each}' does not exist"
        for each in reader.sources
        if not _leads_out(each) and not _target(page, each).is_file()
    ]
    return found


def _wrong_link(page: Path, link: str, ids: set[str]) -> str:
    if not link:
        return "a link leads nowhere"
    if _leads_out(link):
        return f"the link {link} leads out"
    path, _, anchor = link.partition("#")
    target = _target(page, path) if path else page
    if not target.is_file():
        return f"the link {link} leads to no file"
    if not anchor:
        return ""
    if path:
        reader = PageReader()
        reader.feed(target.read_text(encoding="utf-8"))
        ids = set(reader.ids)
    return "" if unquote(anchor) in ids else f"the link {link} leads to no id"


def _target(page: Path, link: str) -> Path:
    return page.parent / unquote(link)


def _leads_out(link: str) -> bool:
    """Whether a reference is more than a path beside the page."""
    parts = urlsplit(link)
    return bool(parts.scheme or parts.netloc) or link.startswith("/")


def _is_data(link: str) -> bool:
    return link.startswith("data:")
