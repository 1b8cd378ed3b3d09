"""docs/switching.md: a reader gets what it says, and its picture is a run of the exported step."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from exporter.drawing.charts.chart import Band, Chart, Curve, Panel
from exporter.drawing.charts.svg import chart_svg
from exporter.functions.program import program_of_mechanism
from exporter.model.complete import completed
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret

ROOT = Path(__file__).resolve().parents[3]
PAGE = "docs/switching.md"
IMAGE = ROOT / "docs" / "images" / "rocker_four_bar_response.svg"
STEPS, PERIOD, SPEED = 750, Fraction(1, 500), 4.0
ACTIVE = "#3b8f5a"


def test_a_reader_gets_what_the_page_says(load_data_module: Callable[[str], ModuleType], tmp_path: Path) -> None:
    """Every snippet, in order, in an empty folder beside the file that the page quotes."""
    reader = load_data_module("page_blocks")
    model = model_path("rocker_four_bar")
    (tmp_path / "rocker_four_bar.toml").write_text(Path(model).read_text(encoding="utf-8"), encoding="utf-8")
    reader.Reader(tmp_path, PAGE).read(reader.blocks_of((ROOT / PAGE).read_text(encoding="utf-8")))


def run() -> dict[str, list[float]]:
    """Outputs and state of every step, by name."""
    mechanism = read_mechanism(model_path("rocker_four_bar"))
    step = replace(mechanism.step, method="semi_implicit_euler", period=PERIOD)
    program = program_of_mechanism(completed(replace(mechanism, step=step)), "float64")
    startup, dostep = (next(f for f in program.functions if f.name == name) for name in ("startup", "dostep"))
    start = interpret(startup, np.zeros((1, 0))).outputs[0]
    state = {o.signal.name: float(value) for o, value in zip(startup.outputs, start, strict=True)}
    state["alpha1.rate"] = SPEED
    kept: dict[str, list[float]] = {}
    for _ in range(STEPS):
        result = interpret(dostep, np.array([[state.get(signal.name, 0.0) for signal in dostep.inputs]]))
        assert not result.status[0]
        shown = {**state}
        state = {}
        for output, value in zip(dostep.outputs, result.outputs[0].tolist(), strict=True):
            (state if output.signal.group == "state" else shown)[output.signal.name] = value
        for name, value in shown.items():
            kept.setdefault(name, []).append(value)
    return kept


def bands(active: list[float], times: list[float]) -> tuple[Band, ...]:
    """Where the alternative is active."""
    edges = np.flatnonzero(np.diff([0.0, *active, 0.0]))
    return tuple(
        Band(times[first], times[min(last, len(times) - 1)], "alternative active", ACTIVE)
        for first, last in zip(edges[::2], edges[1::2], strict=True)
    )


def picture() -> str:
    """Angles, rates, the ratio that decides, the roots."""
    kept = run()
    times = [float(k * PERIOD) for k in range(STEPS)]
    angles = [
        Curve(
            n, np.unwrap([math.atan2(s, c) for s, c in zip(kept[f"{n}.sin"], kept[f"{n}.cos"], strict=True)]).tolist()
        )
        for n in ("alpha1", "alpha2", "alpha3")
    ]
    rates = [Curve(f"{n}.rate", kept[f"{n}.rate"]) for n in ("alpha1", "alpha3")]
    ratio = [Curve("switch.ratio", [min(value, 3.0) for value in kept["switch.ratio"]])]
    roots = [Curve(n, kept[n]) for n in ("branch.L1", "alternative.branch.L1")]
    panels = (
        Panel("angles in rad", tuple(angles)),
        Panel("rates in rad/s", tuple(rates)),
        Panel("how much faster the other choice moves; above 2 it goes on", tuple(ratio)),
        Panel("roots", tuple(roots)),
    )
    caption = "shaded: driven by alpha3, else by alpha1"
    return chart_svg(
        Chart(
            "Four-bar of rockers, all the way round", caption, "time in s", times, panels, bands(kept["choice"], times)
        )
    )


def test_picture_of_the_run(request: pytest.FixtureRequest) -> None:
    """The picture is what the exported step gives; renew it with pytest --update-golden."""
    text = picture()
    if request.config.getoption("--update-golden"):
        IMAGE.write_bytes(text.encode())
    assert IMAGE.read_bytes().decode() == text, f"{IMAGE.name} is old; run pytest --update-golden"
