"""Makes the screenshots of docs/can.md, from what its commands leave behind.

    .venv/bin/python ci/screenshots.py [OUT]    # left out: docs/images

Types the page into an empty folder, as its test does, opens the reports in a browser, and keeps a part of each page as
a PNG with few colours. Needs QEMU, an ARM compiler and a browser: `ci/setup --browser`. Dates and durations of builds
differ from run to run, so that the bytes do.
"""

import io
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "data"), str(ROOT / "tests" / "tools")]

from browser import Browser  # noqa: E402 - of the folders above
from page_blocks import Reader, blocks_of  # noqa: E402

from hil.report.pdf import find_browser  # noqa: E402

PAGE = ROOT / "docs" / "can.md"
WIDTH = 900
COLORS = 255
PLACE = Path(tempfile.gettempdir()) / "can-bench"
"""Where the page is typed: commands in the pictures name it."""
HEADING_PLACE = """(() => {
  const found = [...document.querySelectorAll("h2")].find(each => each.textContent.startsWith(%r));
  return found ? Math.floor(found.getBoundingClientRect().top + scrollY) - 8 : -1;
})()"""


@dataclass(frozen=True)
class Shot:
    """A part of a page: from a heading (left out: the top) on, so many pixels."""

    name: str
    page: str
    height: int
    heading: str = ""


SHOTS = (
    Shot("can_report.png", "out/can/report.html", 760),
    Shot("can_faults.png", "out/can/report.html", 720, "Under faults"),
    Shot("can_index.png", "out/index.html", 900),
)


def take_all(folder: Path) -> list[Path]:
    """Run the page, and write or replace every picture."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    PLACE.mkdir()  # an error where it is there already: nobody's files are removed
    browser = Browser(find_browser())
    try:
        Reader(PLACE, PAGE.name).read(blocks_of(PAGE.read_text(encoding="utf-8")))
        return [take(browser, PLACE, shot, folder) for shot in SHOTS]
    finally:
        browser.close()
        shutil.rmtree(PLACE, ignore_errors=True)


def take(browser: Browser, place: Path, shot: Shot, folder: Path) -> Path:
    """One picture."""
    browser.open(place / shot.page, width=WIDTH)
    top = int(browser.evaluate(HEADING_PLACE % shot.heading)) if shot.heading else 0
    if top < 0:
        raise SystemExit(f"{shot.page} has no heading '{shot.heading}'; mend SHOTS")
    with Image.open(io.BytesIO(browser.picture(shot.height, top))) as picture:
        few = picture.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
    folder.mkdir(parents=True, exist_ok=True)
    few.save(folder / shot.name, optimize=True)
    return folder / shot.name


if __name__ == "__main__":
    for written in take_all(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"):
        print(written)
