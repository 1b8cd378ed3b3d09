"""W1 to W5 as users link them: guards, status and own kernels included, in double on the host.

    .venv/bin/python benchmarks/as_linked.py            # all items
    .venv/bin/python benchmarks/as_linked.py w4d w5

Beside the arithmetic alone (`w1_slider_crank.py` and the others) this is what checked inputs, guards and status cost.
"""

import sys

import numpy as np
import w1_slider_crank
import w2_spatial_four_bar
import w3_gough_stewart
import w3d_gough_stewart
import w4_parallel_robot
import w5_five_link
from bare_arithmetic import library
from callgrind_count import Counted, count

from exporter.functions.program import program_of_mechanism
from exporter.sequence.cost import cost
from exporter.sequence.program import Program

ITEMS: dict[str, tuple[str, str, np.ndarray]] = {
    "w1": ("slider_crank", "dynamics", w1_slider_crank.ROWS),
    "w2": ("spatial_four_bar", "position", w2_spatial_four_bar.ROWS),
    "w3": ("gough_stewart", "position", w3_gough_stewart.ROWS),
    "w3d": ("gough_stewart", "dynamics", w3d_gough_stewart.ROWS),
    "w4k": ("parallel_robot", "position", w4_parallel_robot.KINEMATIC_ROWS),
    "w4d": ("parallel_robot", "dynamics", w4_parallel_robot.DYNAMIC_ROWS),
    "w5": ("five_link", "position", w5_five_link.ROWS),
}
"""Model, function and rows of each item."""


def program_of(item: str) -> Program:
    """What is exported, in double, with this function alone."""
    model, function, _ = ITEMS[item]
    return program_of_mechanism(library(model), "float64", only=(function,))


def instructions(item: str) -> Counted:
    """Instructions per call."""
    _, function, rows = ITEMS[item]
    return count(program_of(item), function, rows, linked=True)


if __name__ == "__main__":
    for name in sys.argv[1:] or ITEMS:
        written = next(each for each in program_of(name).functions if each.name == ITEMS[name][1])
        counted = instructions(name)
        print(f"{name}: {counted.total:.0f} instructions, {counted.own:.0f} of its own; {cost(written).text()}")
