"""A bench whose target is software, the slider-crank that it steps, and what its keywords share."""

import math
from typing import Any

from hil.driving.measure import parse_measure
from hil.keywords import Keywords

CRANK_M, ROD_M = 0.3, 0.4
SOFTWARE = """
schema = 1
[bench]
name = "driving"
target = "software"
export = "{export}"
work = "{work}"
function = "dostep"
[target.software]
kind = "sil"
[timing]
period = "1 ms"
"""
MM, N = parse_measure("1 mm"), parse_measure("200 N")


def piston_m(theta: float) -> float:
    """Where the piston is, from the crank's pivot."""
    return CRANK_M * math.cos(theta) + math.sqrt(ROD_M**2 - (CRANK_M * math.sin(theta)) ** 2)


def state_of(library: Keywords) -> Any:
    """What the keywords share."""
    return library.step.__self__._state
