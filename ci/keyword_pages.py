"""Pages of the keywords, made by Robot Framework's libdoc: of the library `hil.keywords` and of its resource file.

    .venv/bin/python ci/keyword_pages.py OUT    # left out: build/keywords

Each comes as HTML for readers and as JSON for editors.
"""

import sys
from pathlib import Path

from robot.libdoc import libdoc

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {"kinefix-keywords": "hil.keywords", "kinefix-resource": str(ROOT / "hil" / "keywords" / "kinefix.resource")}


def write_pages(folder: Path) -> list[Path]:
    """Write or replace all pages; returns them."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = [folder / f"{name}.{kind}" for name in SOURCES for kind in ("html", "json")]
    for page in pages:
        if libdoc(SOURCES[page.stem], str(page), quiet=True):
            raise SystemExit(f"libdoc did not write {page}")
    return pages


if __name__ == "__main__":
    for page in write_pages(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "keywords"):
        print(page)
