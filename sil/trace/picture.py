"""A trace as a picture: coordinates and outputs over the path, margins below, flags as bands, jumps as marks.

In: a trace and what was found. Out: SVG text. Angles are in degrees, lengths below a metre in mm.
"""

import numpy as np

from exporter.drawing.charts.chart import Band, Chart, Curve, Mark, Panel
from exporter.drawing.charts.svg import chart_svg
from exporter.errors import ModelError
from exporter.model.nearest import list_words, nearest
from sil.reference.rotations import Array
from sil.trace.continuity import assembled_rows
from sil.trace.evaluation import PACE_SHARE, TracedPath
from sil.trace.findings import Findings
from sil.trace.quantities import quantities_of

UNREACHED_COLOUR, FLAGGED_COLOUR = "#b03030", "#d9a400"
MILLIMETRES_BELOW = 1.0  # m
POSE_AXIS = "pose"  # the axis where nothing better is there
QUANTITIES = {
    "deg": "angles in deg",
    "m": "lengths in m",
    "mm": "lengths in mm",
    "rad/s": "angular rates in rad/s",
    "m/s": "speeds in m/s",
}


def picture_of(found: TracedPath, findings: Findings, shown: tuple[str, ...] = (), against: str = "") -> str:
    """The picture.

    Args:
        found: the trace.
        findings: what was found in it.
        shown: the quantities that are drawn; all dependent coordinates and outputs where empty.
        against: the quantity along the axis; the time, the one coordinate that moves, or the number of the pose
            where empty.

    Raises:
        ModelError: a quantity that the trace does not have, or two poses with one value along the axis.
    """
    columns = quantities_of(found)
    label, x = _axis(found, columns, against)
    return chart_svg(
        Chart(
            title=f"{found.mechanism.title or found.mechanism.name}: trace",
            caption=_caption(findings),
            x_label=label,
            x=x.tolist(),
            panels=_panels(found, columns, shown or _usual_columns(found)),
            bands=_bands(found, x),
            marks=tuple(Mark(float(x[j.before.row] + x[j.after.row]) / 2, _jump(j.coordinate)) for j in findings.jumps),
        )
    )


def _caption(findings: Findings) -> str:
    state = "continuous" if findings.continuous else "not continuous"
    jumps = f", {len(findings.jumps)} jump{'s' if len(findings.jumps) != 1 else ''} (dashed)" if findings.jumps else ""
    lost = findings.unreached + findings.outside
    unreached = f", {lost} out of {'reach' if findings.unreached else 'range'} (red)" if lost else ""
    return f"{findings.rows} poses, {findings.precision}: {state}{jumps}{unreached}"


def _jump(coordinate: str) -> str:
    return f"{coordinate} leaves the branch"


def _usual_columns(found: TracedPath) -> tuple[str, ...]:
    dependent = [name for name in found.mechanism.coordinates() if name not in found.path.names]
    return (*dependent, *found.outputs)


def _axis(found: TracedPath, columns: dict[str, tuple[str, Array]], against: str) -> tuple[str, Array]:
    moving = found.path.moving()
    name = against or ("time" if found.path.times is not None else moving[0] if len(moving) == 1 else POSE_AXIS)
    if name == POSE_AXIS:
        return POSE_AXIS, np.arange(len(found.status), dtype=np.float64)
    unit, factor = _drawn_in(*(column := _column_of("--against", columns, name)))
    return f"{name} in {unit}" if unit != "1" else name, column[1] * factor


def _drawn_in(unit: str, *columns: Array) -> tuple[str, float]:
    """The unit of drawings, and how many of it make one of SI: degrees, and mm where all lengths are below a metre."""
    if unit == "m" and all(abs(values[np.isfinite(values)]).max(initial=0) < MILLIMETRES_BELOW for values in columns):
        return "mm", 1e3
    return ("deg", float(np.rad2deg(1))) if unit == "rad" else (unit, 1.0)


def _column_of(option: str, columns: dict[str, tuple[str, Array]], name: str) -> tuple[str, Array]:
    if name not in columns:
        raise ModelError(f'{option}: "{name}" is not traced{nearest(name, columns)}; known are {list_words(columns)}')
    return columns[name]


def _panels(found: TracedPath, columns: dict[str, tuple[str, Array]], shown: tuple[str, ...]) -> tuple[Panel, ...]:
    """One per unit, and one for margins and pivots."""
    by_unit: dict[str, dict[str, Array]] = {}
    for name in shown:
        unit, values = _column_of("--show", columns, name)
        by_unit.setdefault(unit, {})[name] = np.where(assembled_rows(found), values, np.nan)
    panels = []
    for unit, curves in by_unit.items():
        drawn, factor = _drawn_in(unit, *curves.values())
        scaled = tuple(Curve(name, (values * factor).tolist()) for name, values in curves.items())
        panels.append(Panel(_title(found, drawn), scaled))
    margins = tuple(Curve(name, values.tolist()) for name, values in found.margins.items() if name not in shown)
    return (*panels, Panel("margins and pivots", margins)) if margins else tuple(panels)


def _title(found: TracedPath, unit: str) -> str:
    """What a panel shows; rates of a path without times are those of the pace at which it was run."""
    paced = found.path.times is None and unit.endswith("/s")
    return QUANTITIES.get(unit, f"in {unit}") + (f", at {PACE_SHARE:.0%} of the largest rate" if paced else "")


def _bands(found: TracedPath, x: Array) -> tuple[Band, ...]:
    reached = assembled_rows(found)
    flagged = reached & (found.status != 0)
    red, amber = _runs(~reached), _runs(flagged)
    return (
        *(Band(*_span(x, run), "out of reach", UNREACHED_COLOUR) for run in red),
        *(Band(*_span(x, run), "flagged", FLAGGED_COLOUR) for run in amber),
    )


def _runs(mask: Array) -> list[tuple[int, int]]:
    """First and last row of every run."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(first), int(last) - 1) for first, last in zip(edges[::2], edges[1::2], strict=True)]


def _span(x: Array, run: tuple[int, int]) -> tuple[float, float]:
    """From half a row before to half a row after."""
    first, last = max(run[0] - 1, 0), min(run[1] + 1, len(x) - 1)
    ends = (float(x[first] + x[run[0]]) / 2, float(x[run[1]] + x[last]) / 2)
    return min(ends), max(ends)
