"""How exports grow with the mechanism: operations of an export, and operations written while it is made.

In: the families of `families`. Out: the table and the picture of docs/growth.md, which are the same on every computer;
processor time, in multiples of what importing numpy takes, and memory are printed and held by nothing.

    .venv/bin/python benchmarks/growth.py            # what differs from the page
    .venv/bin/python benchmarks/growth.py --write
    .venv/bin/python benchmarks/growth.py four_bars 4,32,100
"""

import math
import re
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from families import FAMILIES

from exporter.drawing.charts.chart import Chart, Curve, Panel
from exporter.drawing.charts.scale import Scale
from exporter.drawing.charts.svg import chart_svg
from exporter.functions.program import program_of_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.cost import cost
from exporter.sequence.kernels import kernel
from exporter.sequence.operations import KERNELS, OperationSequence

PAGE = Path(__file__).resolve().parent.parent / "docs" / "growth.md"
PICTURE = PAGE.parent / "images" / "growth.svg"
MARKED = re.compile(r"(<!-- table: growth -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)
SHOWN = {
    "four_bars": (1, 4, 8, 16, 32),
    "scissors": (1, 4, 8, 16),
    "open_chain": (3, 6, 12, 24),
    "platforms": (1, 2, 4),
    "plates": (1, 2, 4),
}
WORDS = {
    "four_bars": "four-bars in a row",
    "scissors": "stages of a scissor lift",
    "open_chain": "bodies of a spatial open chain",
    "platforms": "platforms on six legs beside each other",
    "plates": "platforms on six legs on each other",
}

MEASURED = count()  # exports so far: results are kept by a mechanism's hash, and each shall be made anew
CURVES = {
    "four_bars": "four-bars",
    "scissors": "scissor lift",
    "open_chain": "open chain",
    "platforms": "beside others",
    "plates": "on each other",
}  # as short as the picture's margin is


@dataclass(frozen=True)
class Size:
    """One mechanism of a family. Operations are mul, add, div and sqrt of one call, guards included."""

    parts: int
    positions: int
    step: int  # of the costliest function
    written: int  # while the export was made, by every search and check
    seconds: float  # of processor time


def measured(family: str, parts: int) -> Size:
    """Export a mechanism of so many parts, float64, and count."""
    for kind in sorted(KERNELS):
        kernel(kind, "float64")  # these are kept once they are written
    written = 0
    as_written = Builder.as_written

    def counted(builder: Builder) -> OperationSequence:
        nonlocal written
        written += builder.written
        return as_written(builder)

    Builder.as_written = counted  # type: ignore[method-assign] - the exporter does not count what it throws away
    read = parse_mechanism(FAMILIES[family](parts), family)
    mechanism = replace(read, model_hash=f"{read.model_hash}.{next(MEASURED)}")  # nothing of it is known yet
    start = time.process_time()
    try:
        program = program_of_mechanism(mechanism, "float64")
    finally:
        Builder.as_written = as_written  # type: ignore[method-assign]
    seconds = time.process_time() - start
    counts = {each.name: _arithmetic(each) for each in program.functions}
    return Size(parts, counts["position"], max(counts.values()), written, seconds)


def every_size() -> dict[str, list[Size]]:
    """Everything that the page shows."""
    return {family: [measured(family, parts) for parts in shown] for family, shown in SHOWN.items()}


def _arithmetic(sequence: OperationSequence) -> int:
    counts = cost(sequence).as_dict()
    return sum(counts[kind] for kind in ("mul", "add", "div", "sqrt"))


def exponent(small: int, large: int, ratio: float) -> float:
    """p of a quantity that grows as the number of parts to the power p."""
    return math.log(large / small) / math.log(ratio)


def table(sizes: dict[str, list[Size]]) -> str:
    """The table of the page."""
    lines = [
        "| family | parts | positions | costliest function | written | exponent |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for family, found in sizes.items():
        for before, size in zip([None, *found], found, strict=False):
            grown = "" if before is None else f"{exponent(before.written, size.written, size.parts / before.parts):.1f}"
            row = (WORDS[family], size.parts, f"{size.positions:,}", f"{size.step:,}", f"{size.written:,}", grown)
            lines.append(f"| {' | '.join(map(str, row))} |")
    return "\n".join(lines) + "\n"


def picture(sizes: dict[str, list[Size]]) -> str:
    """Operations written over the number of parts, both axes logarithmic."""
    places = sorted({size.parts for found in sizes.values() for size in found})
    curves = [Curve(CURVES[family], _over(places, found)) for family, found in sizes.items()]
    every = [size.written for found in sizes.values() for size in found]
    up = Scale(10.0 ** math.floor(math.log10(min(every))), 10.0 ** math.ceil(math.log10(max(every))), logarithmic=True)
    panel = Panel("operations written while exporting", tuple(curves), y=up)
    along = Scale(float(places[0]), float(places[-1]), logarithmic=True)
    caption = "Operations written while exporting over the number of parts, for five families of mechanisms"
    return chart_svg(Chart("Growth of exports", caption, "number of parts", places, (panel,), scale=along))


def fresh_page(known: str, sizes: dict[str, list[Size]]) -> str:
    """The page with its table made anew."""
    return MARKED.sub(lambda found: f"{found[1]}{table(sizes)}{found[3]}", known)


def _over(places: Sequence[int], found: Sequence[Size]) -> list[float]:
    """Values at all places; between a family's sizes along a straight line of the picture, beyond them none."""
    known = {size.parts: float(size.written) for size in found}
    values = []
    for place in places:
        below = max((parts for parts in known if parts <= place), default=None)
        above = min((parts for parts in known if parts >= place), default=None)
        if below is None or above is None:
            values.append(math.nan)
            continue
        part = 0.0 if above == below else math.log(place / below) / math.log(above / below)
        values.append(known[below] ** (1 - part) * known[above] ** part)
    return values


def numpy_seconds() -> float:
    """Processor time of importing numpy in a program of its own: the least of five."""
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", "import numpy"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main(arguments: list[str]) -> int:
    """Print one family, write the page, or say whether it differs."""
    if arguments and arguments[0] in FAMILIES:
        unit = numpy_seconds()
        for parts in map(int, arguments[1].split(",")):
            size = measured(arguments[0], parts)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            times = f"{size.seconds / unit:.1f} times numpy's import, at most {memory} MiB so far"
            print(f"{parts:4}: {size.positions:,} / {size.step:,} operations, {size.written:,} written, {times}")
        return 0
    sizes = every_size()
    known = PAGE.read_text(encoding="utf-8")
    fresh = fresh_page(known, sizes)
    if "--write" in arguments:
        PAGE.write_text(fresh, encoding="utf-8")
        PICTURE.write_text(picture(sizes), encoding="utf-8")
        return 0
    if fresh != known:
        print(f"{PAGE.name} differs; run this with --write")
    return int(fresh != known)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
