"""A bench of software whose keywords are open. What can refuse is imported by a fixture: its refusals are watched."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hil.keywords import Keywords


@pytest.fixture(scope="module")
def bench(board_export: Path) -> Path:
    """A bench file of the software target."""
    from driven_bench import SOFTWARE

    path = board_export.parent / "driving.toml"
    path.write_text(SOFTWARE.format(export="export", work="work"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def opened(bench: Path) -> Iterator["Keywords"]:
    """The keywords with the bench open, for the module."""
    from hil.keywords import Keywords

    library = Keywords()
    library.open_bench(str(bench))
    yield library
    library.close_bench()


@pytest.fixture
def ecu(opened: "Keywords") -> "Keywords":
    """The keywords as after Open Bench."""
    opened.reset_parameters()
    opened.reset_inputs()
    return opened
