"""docs/controllers.md: typed by a reader, its picture drawn from its snippets, its models as in the examples."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from exporter.drawing.charts.chart import Chart, Curve, Mark, Panel
from exporter.drawing.charts.svg import chart_svg
from exporter.symbolic import load
from exporter.symbolic.canonical import canonical

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "controllers.md").read_text(encoding="utf-8")
IMAGE = ROOT / "docs" / "images" / "pi_response.svg"
EXAMPLES = ROOT / "examples" / "controllers.py"
TOLD_APART = {"title", "source", "about"}
"""What the examples say in more words than the page."""


@pytest.mark.compiled
def test_a_reader_gets_what_the_page_says(
    load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Every file, command and snippet, in order, beside a copy of the examples."""
    for tool in ("gcc", "arm-none-eabi-gcc"):
        require_tool(tool)
    (tmp_path / "examples").mkdir()
    shutil.copy(EXAMPLES, tmp_path / "examples")
    reader = load_data_module("page_blocks")
    reader.Reader(tmp_path, "docs/controllers.md").read(reader.blocks_of(PAGE))


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the files of the page define."""
    namespace: dict[str, Any] = {}
    for snippet in re.findall(r"<!-- file: \w+\.py -->\n```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(snippet, "docs/controllers.md", "exec"), namespace)
    return namespace


def test_picture_of_the_flywheel(names: dict[str, Any], request: pytest.FixtureRequest) -> None:
    """The picture is what the snippets give; renew it with pytest --update-golden."""
    runs = {"anti-windup": names["spin_up"](names["pi"]()), "without": names["spin_up"](names["pi"](False))}
    panels = tuple(
        Panel(label, tuple(Curve(name, run[:, column].tolist()) for name, run in runs.items()), marks=marks)
        for column, label, marks in (
            (0, "speed in rad/s", (Mark(60.0, "wanted", "y", is_written=True),)),
            (1, "command in N m", (Mark(12.0, "limit", "y"), Mark(-12.0, "limit", "y"))),
        )
    )
    times = (np.arange(len(runs["without"])) * 1e-3).tolist()
    caption = "60 rad/s wanted from rest; the integral rests while the command is at its limit, or not"
    text = chart_svg(Chart("A flywheel under a PI controller", caption, "time in s", times, panels))
    if request.config.getoption("--update-golden"):
        IMAGE.write_bytes(text.encode())
    assert IMAGE.read_bytes().decode() == text, f"{IMAGE.name} is old; run pytest --update-golden"


@pytest.mark.parametrize(("page", "example"), [("pi", "pi"), ("low_pass", "low_pass"), ("limiter", "rate_limiter")])
def test_the_page_and_the_examples_are_the_same_models(names: dict[str, Any], page: str, example: str) -> None:
    """But for words, and for the period of a model that integrates nothing."""
    on_page = names[page]() if callable(names[page]) else names[page]
    there = load(f"{EXAMPLES}:{example}")
    assert bare(canonical(on_page)) == bare(canonical(there))


def bare(data: Any) -> Any:
    """The data without words and period."""
    if isinstance(data, dict):
        return {key: bare(value) for key, value in data.items() if key not in {*TOLD_APART, "period"}}
    return json.loads(json.dumps(data)) if not isinstance(data, list) else [bare(each) for each in data]
