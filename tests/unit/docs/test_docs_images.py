"""The pictures under docs/images are what `show` and `analyse` draw. Renew them with pytest --update-golden."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from exporter.cli import kinefix

ROOT = Path(__file__).resolve().parents[3]
IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 150_000  # of a screenshot
TUTORIAL = ROOT / "docs" / "first-mechanism.md"


@pytest.fixture
def drawn(tmp_path: Path) -> Callable[..., str]:
    """A picture's text."""

    def draw(*arguments: str) -> str:
        picture = tmp_path / "picture.svg"
        result = CliRunner().invoke(kinefix, ["show", *arguments, "--picture", str(picture)])
        assert result.exit_code == 0, result.output
        return picture.read_text(encoding="utf-8")

    return draw


@pytest.fixture
def same(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Hold a picture against the one in the pages."""

    def check(name: str, text: str) -> None:
        path = IMAGES / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.read_bytes().decode() == text, f"docs/images/{name} is old; run pytest --update-golden"

    return check


@pytest.mark.parametrize("model", ["slider_crank", "stephenson_iii", "double_wishbone_front"])
def test_pictures_of_the_library(drawn: Callable[..., str], same: Callable[[str, str], None], model: str) -> None:
    """In README.md."""
    same(f"{model}.svg", drawn(model, "--precision", "float64"))


def test_picture_of_the_tutorial(
    drawn: Callable[..., str],
    same: Callable[[str, str], None],
    load_data_module: Callable[[str], ModuleType],
    tmp_path: Path,
) -> None:
    """Both assemblies of the wiper on the page, with the pose that the page gives it."""
    reader = load_data_module("page_blocks")
    blocks = reader.blocks_of(TUTORIAL.read_text(encoding="utf-8"))
    text = next(block.text for block in blocks if block.value == "wiper.toml")
    (tmp_path / "wiper.toml").write_text(text, encoding="utf-8")
    same("wiper.svg", drawn(str(tmp_path / "wiper.toml"), "--pose", "psi=80 deg", "--modes"))


def test_picture_of_the_elements(drawn: Callable[..., str], same: Callable[[str, str], None], tmp_path: Path) -> None:
    """The flap on the page about mechanism files, from its front."""
    page = (ROOT / "docs" / "model-file.md").read_text(encoding="utf-8")
    (tmp_path / "flap.toml").write_text(page.split("<!-- elements -->\n```toml\n")[1].split("```")[0], encoding="utf-8")
    same("flap.svg", drawn(str(tmp_path / "flap.toml"), "--view", "front"))


def test_picture_of_the_analysis(same: Callable[[str, str], None], tmp_path: Path) -> None:
    """The solve order of the six-bar, in docs/analysis.md."""
    picture = tmp_path / "order.svg"
    arguments = ["analyse", "stephenson_iii", "--limit", "1", "--picture", str(picture)]
    result = CliRunner().invoke(kinefix, arguments)
    assert result.exit_code == 0, result.output
    same("stephenson_iii_order.svg", picture.read_text(encoding="utf-8"))


def test_picture_of_the_comparison(same: Callable[[str, str], None], tmp_path: Path) -> None:
    """Every method for the four-bar, in docs/compare.md."""
    picture = tmp_path / "methods.svg"
    arguments = ["compare", "four_bar", "--no-instructions", "--poses", "200", "--picture", str(picture)]
    result = CliRunner().invoke(kinefix, arguments)
    assert result.exit_code == 0, result.output
    same("four_bar_methods.svg", picture.read_text(encoding="utf-8"))


def test_no_picture_is_left_over() -> None:
    """Each is made by a test above, those of suspensions (*_response.svg), ci/screenshots.py or benchmarks."""
    assert {path.name for path in IMAGES.glob("*.svg") if not path.stem.endswith("_response")} == {
        "double_wishbone_front.svg",
        "flap.svg",
        "four_bar_methods.svg",
        "growth.svg",
        "slider_crank.svg",
        "stephenson_iii.svg",
        "stephenson_iii_order.svg",
        "wiper.svg",
    }
    script = (ROOT / "ci" / "screenshots.py").read_text(encoding="utf-8")
    assert {path.name for path in IMAGES.glob("*.png")} == set(re.findall(r"Shot\(\"(\w+\.png)\"", script))
    assert {path.suffix for path in IMAGES.iterdir()} == {".svg", ".png"}


def test_every_picture_is_shown_with_words_for_who_cannot_see_it() -> None:
    """On some page, by an alternative text; and a page shows no other."""
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *ROOT.glob("docs/**/*.md")))
    shown = {*re.findall(r"!\[[^\]]+\]\((?:[\w./]*/)?images/([\w.]+)\)", pages)}
    shown |= {*re.findall(r"<img src=\"(?:docs/)?images/([\w.]+)\"[^>]* alt=\"[^\"]+\"", pages)}
    assert shown == {path.name for path in IMAGES.iterdir()}
    assert pages.count("images/") == len(re.findall(r"images/[\w]+\.(?:svg|png)[)\"]", pages))


def test_screenshots_are_small() -> None:
    """Nobody waits for a page."""
    assert all(path.stat().st_size < MOST_BYTES for path in IMAGES.glob("*.png"))
