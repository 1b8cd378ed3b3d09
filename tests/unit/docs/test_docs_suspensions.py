"""The pages of suspensions: their commands run and draw their pictures. Renew them with pytest --update-golden."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
DRAWN = {
    "suspensions.md": {
        "five_link.svg": "five_link_response",
        "double_wishbone.svg": "double_wishbone_response",
        "wheel.svg": "wheel_response",
    },
    "suspension-sheet.md": {"toe_camber.svg": "sheet_response"},
}


@pytest.mark.slow
@pytest.mark.parametrize("page", DRAWN)
def test_the_page_draws_its_pictures(
    page: str, load_data_module: Callable[[str], ModuleType], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Every command, in order, in an empty folder; every picture as it stands in docs/images."""
    reader = load_data_module("page_blocks")
    reader.Reader(tmp_path, f"docs/{page}").read(reader.blocks_of((ROOT / "docs" / page).read_text(encoding="utf-8")))
    for drawn, name in DRAWN[page].items():
        text, path = (tmp_path / drawn).read_bytes(), ROOT / "docs" / "images" / f"{name}.svg"
        if request.config.getoption("--update-golden"):
            path.write_bytes(text)
        assert path.read_bytes() == text, f"docs/images/{path.name} is old; run pytest --update-golden"
