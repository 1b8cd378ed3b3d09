"""Charts put what they show where a reader finds it: places are read off the drawn ticks and their texts."""

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import numpy as np
import pytest

from exporter.drawing.charts.bar_table import BarTable, Column, Extent, bar_table_svg
from exporter.drawing.charts.bins import bars_up_to, counts, greatest
from exporter.drawing.charts.chart import Bar, Chart, Curve, Mark, Panel, Point
from exporter.drawing.charts.scale import Scale, linear
from exporter.drawing.charts.svg import SMALL_SHEET, WIDE_SHEET, chart_svg

SVG = "{http://www.w3.org/2000/svg}"
Number = Callable[[float], float]


def chart(panel: Panel, scale: Scale, x: tuple[float, ...] = ()) -> ET.Element:
    return ET.fromstring(chart_svg(Chart("title", "caption", "x", x, (panel,), scale=scale)))


def read(root: ET.Element, *, logarithmic: tuple[bool, bool] = (False, False)) -> tuple[Number, Number]:
    """Values of both axes by pixels, as a ruler laid along two ticks gives them."""
    found = []
    for end, anchor, kind in (("x", "middle", logarithmic[0]), ("y", "end", logarithmic[1])):
        texts = [each for each in root.iter(f"{SVG}text") if each.get("text-anchor") == anchor]
        ticks = [each for each in texts if re.fullmatch(r"-?[\d,.]+(e-?\d+)?", each.text or "")]
        first, last = ticks[0], ticks[-1]
        at = [float(each.get(end, "nan")) - (4 if end == "y" else 0) for each in (first, last)]
        worth = [float((each.text or "").replace(",", "")) for each in (first, last)]
        found.append(_between(at, [math.log10(each) for each in worth] if kind else worth, is_power=kind))
    return found[0], found[1]


def _between(at: list[float], worth: list[float], *, is_power: bool) -> Number:
    def value(pixel: float) -> float:
        place = worth[0] + (pixel - at[0]) / (at[1] - at[0]) * (worth[1] - worth[0])
        return 10**place if is_power else place

    return value


def places(root: ET.Element, tag: str, kind: str, *keys: str) -> list[list[float]]:
    return [[float(e.get(k, "nan")) for k in keys] for e in root.iter(f"{SVG}{tag}") if e.get("class") == kind]


def test_bars_points_and_limits_stand_at_their_values() -> None:
    """Half a pixel of some 600 is 0.5 of 500, and of 190 is 0.3 of 80."""
    marks = (Mark(400.0, "deadline"), Mark(30.0, "most", axis="y", is_written=True))
    panel = Panel("y", bars=(Bar(100, 150, 20, 60),), points=(Point(250, 70),), marks=marks, y=Scale(0, 80))
    root = chart(panel, Scale(0, 500))
    x, y = read(root)
    ((left, top, width, height),) = places(root, "rect", "bar", "x", "y", "width", "height")
    assert [x(left), x(left + width), y(top + height), y(top)] == pytest.approx([100, 150, 20, 60], abs=0.5)
    ((across, up),) = places(root, "circle", "point", "cx", "cy")
    assert (x(across), y(up)) == pytest.approx((250, 70), abs=0.5)
    deadline, most = places(root, "line", "mark limit", "x1", "y1")
    assert (x(deadline[0]), y(most[1])) == pytest.approx((400, 30), abs=0.5)


def test_a_logarithmic_axis_goes_by_powers_of_ten() -> None:
    """A bar up to 300 between the ticks of 100 and 1,000, a curve down by the half of a decade."""
    xs = (1e-6, 1e-4, 1e-2)
    panel = Panel(
        "y",
        (Curve("c", (1000.0, 1000 / math.sqrt(10), 10.0)),),
        (Bar(1e-5, 1e-3, 1, 300),),
        y=Scale(1, 1e4, logarithmic=True),
    )
    root = chart(panel, Scale(1e-7, 1e-1, logarithmic=True), xs)
    x, y = read(root, logarithmic=(True, True))
    ((left, top, width, _),) = places(root, "rect", "bar", "x", "y", "width", "height")
    assert [x(left), x(left + width), y(top)] == pytest.approx([1e-5, 1e-3, 300], rel=0.01)
    path = next(root.iter(f"{SVG}path")).get("d", "")
    drawn = [(x(float(a)), y(float(b))) for a, b in re.findall(r"[ML]([\d.]+) ([\d.]+)", path)]
    assert np.array(drawn) == pytest.approx(np.array([(1e-6, 1000), (1e-4, 316.2), (1e-2, 10)]), rel=0.01)


def test_a_curve_is_interrupted_where_it_has_no_place() -> None:
    """At what is not finite, and at zero on a logarithmic axis."""
    values = (1.0, 2.0, float("nan"), 4.0, 0.0, 6.0)
    for y, pieces in ((Scale(0, 10), 2), (Scale(1, 10, logarithmic=True), 3)):
        root = chart(Panel("y", (Curve("c", values),), y=y), Scale(0, 5), tuple(range(6)))
        assert next(root.iter(f"{SVG}path")).get("d", "").count("M") == pieces


def test_what_is_thin_is_seen_and_nothing_leaves_the_panel() -> None:
    """One of 100,000, and bars beyond the ends of both axes."""
    bars = (Bar(1, 1, 0, 1), Bar(-5, 2, -7, 3), Bar(9, 40, 0, 1e9))
    root = chart(Panel("y", bars=bars, y=Scale(0, 1e5)), Scale(0, 10))
    frame = next(each for each in root.iter(f"{SVG}rect") if each.get("stroke"))
    left, top, width, height = (float(frame.get(key, "nan")) for key in ("x", "y", "width", "height"))
    for x, y, wide, high in places(root, "rect", "bar", "x", "y", "width", "height"):
        assert wide >= 0.8
        assert high >= 2
        assert left <= x <= x + wide <= left + width + 0.8
        assert top <= y <= y + high <= top + height + 0.01


@pytest.mark.parametrize(
    ("scale", "texts"),
    [
        (Scale(0, 500), "0 100 200 300 400 500"),
        (Scale(-0.25, 0.25), "-0.2 -0.1 0.0 0.1 0.2"),
        (Scale(0, 2 * math.pi), "0 1 2 3 4 5 6"),
        (Scale(0, 3e6), "0 500,000 1,000,000 1,500,000 2,000,000 2,500,000 3,000,000"),
        (Scale(0, 4e-7), "0 1e-07 2e-07 3e-07 4e-07"),
        (Scale(0.5, 2e3, logarithmic=True), "1 10 100 1,000"),
        (Scale(1e-3, 1, logarithmic=True), "0.001 0.01 0.1 1"),
        (Scale(1e-12, 1e-3, logarithmic=True), "1e-12 1e-10 1e-8 1e-6 1e-4"),
        (linear(7, 7), "7.0 7.2 7.4 7.6 7.8 8.0"),
    ],
)
def test_ticks_are_round(scale: Scale, texts: str) -> None:
    assert " ".join(tick.text for tick in scale.ticks()) == texts


def test_counts_are_those_of_a_histogram() -> None:
    """numpy's own, of values and of their powers of ten; what lies beyond an end counts at that end."""
    values = np.random.Generator(np.random.Philox(36)).lognormal(0, 2, 5000)
    inside = np.clip(values, 0.01, 100)
    expected, _ = np.histogram(np.log10(inside), bins=40, range=(-2, 2))
    assert counts(values, Scale(0.01, 100, logarithmic=True), 40).tolist() == expected.tolist()
    expected, _ = np.histogram(np.clip(values, 0, 50), bins=25, range=(0, 50))
    assert counts(values, Scale(0, 50), 25).tolist() == expected.tolist()
    assert counts([1.0, 3.0, 3.5], Scale(0, 4), 2, weights=[10, 200, 3000]).tolist() == [10, 3200]


def test_the_greatest_of_each_bin_is_kept_and_an_empty_bin_has_no_bar() -> None:
    found = greatest([0.5, 0.6, 2.5], [3.0, 1.0, 7.0], Scale(0, 3), 3)
    assert found.tolist() == [3.0, -math.inf, 7.0]
    assert bars_up_to(found, Scale(0, 3), 0.5) == (Bar(0, 1, 0.5, 3), Bar(2, 3, 0.5, 7))


def test_bars_of_a_table_are_as_long_as_their_values() -> None:
    """All from the left edge of their column; 20 to 40 has a paler part twice as long as the other."""
    columns = (
        Column("count", (Extent(20, 40, "20 to 40"), Extent(10, 10, "10")), Scale(0, 80)),
        Column("error", (Extent(1e-3, 1e-3, "< 1e-03"), Extent(1e-6, 1e-6, "")), Scale(1e-6, 1, logarithmic=True)),
    )
    root = ET.fromstring(bar_table_svg(BarTable("t", "c", ("one", "two"), columns)))
    (pale,) = places(root, "rect", "range", "width")
    lengths = [width for (width,) in places(root, "rect", "bar", "width")]
    assert np.array([*pale, *lengths]) / lengths[0] == pytest.approx(np.array([2, 1, 0.5, 2, 0]))


def test_a_reader_who_sees_no_picture_gets_title_and_caption() -> None:
    """As the first elements of the drawing, in a file and in a page; a page's has no address of any network."""
    given = Chart("Errors & limits", "none < 3", "x", (0.0, 1.0), (Panel("y", (Curve("c", (0.0, 1.0)),)),))
    table = BarTable("Errors & limits", "none < 3", (), ())
    for text in (chart_svg(given), chart_svg(given, WIDE_SHEET), chart_svg(given, SMALL_SHEET), bar_table_svg(table)):
        root = ET.fromstring(text)
        assert root.get("role") == "img"
        assert [(each.tag.removeprefix(SVG), each.text) for each in list(root)[:2]] == [
            ("title", "Errors & limits"),
            ("desc", "none < 3"),
        ]
    assert "http" not in chart_svg(given, WIDE_SHEET)
