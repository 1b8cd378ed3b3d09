"""ci/screenshots.py makes the pictures of docs/can.md anew, from a run of the page."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.browser, pytest.mark.emulated, pytest.mark.slow]


@pytest.mark.usefixtures("require_browser")
def test_the_screenshots_can_be_made_again(require_tool: Callable[[str], str], tmp_path: Path) -> None:
    """Names and sizes of the pictures stay; what they show has other times."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)
    subprocess.run([sys.executable, ROOT / "ci" / "screenshots.py", tmp_path], check=True)
    kept = sorted((ROOT / "docs" / "images").glob("*.png"))
    assert kept
    assert [path.name for path in sorted(tmp_path.iterdir())] == [path.name for path in kept]
    for path in kept:
        with Image.open(path) as old, Image.open(tmp_path / path.name) as new:
            assert old.size == new.size
