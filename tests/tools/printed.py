"""What a PDF says, read by poppler's pdftotext: whether a page's words stand in it, whole, and on which sheet.

In: a PDF. Out: text by sheet, in the order in which it was painted.
"""

import re
import subprocess
import unicodedata
from collections.abc import Iterable
from pathlib import Path

LONGEST_WHOLE = 20
"""Letters of a word that is never broken; a hash or a path may be."""


def sheets_of(pdf: Path) -> list[str]:
    """The text of every sheet."""
    text = subprocess.run(["pdftotext", "-raw", str(pdf), "-"], capture_output=True, check=True).stdout.decode()
    return [_plain(sheet) for sheet in text.split("\f")[:-1]]


def paper_of(pdf: Path) -> str:
    """The size of its sheets, as "A4"."""
    told = subprocess.run(["pdfinfo", str(pdf)], capture_output=True, check=True).stdout.decode()
    found = re.search(r"^Page size:.*\((\w+)\)", told, re.MULTILINE)
    return found[1] if found else told


def missing_words(texts: Iterable[str], sheets: Iterable[str]) -> list[str]:
    """Words of a page that do not stand on its sheets; a word of letters must not be broken over two lines."""
    written = set(" ".join(sheets).split())
    together = "".join("".join(sheets).split())
    inside = re.compile(r"[^\W\d_]+")
    whole = {part for word in written for part in inside.findall(word)}
    return [
        word
        for text in texts
        for word in _plain(text).split()
        if word not in (whole if word.isalpha() and len(word) <= LONGEST_WHOLE else together)
    ]


def sheets_with(text: str, sheets: Iterable[str]) -> list[int]:
    """On which sheets a text stands as a whole; blanks do not count."""
    words = "".join(_plain(text).split())
    return [number for number, sheet in enumerate(sheets) if words in "".join(sheet.split())]


def _plain(text: str) -> str:
    """Ligatures as their letters."""
    return unicodedata.normalize("NFKC", text)
