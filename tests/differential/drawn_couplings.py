"""Draws a coupling: one of the coordinates that drive a sketch follows others instead.

In: a sketch, the names of what drives it, a generator of its own, so that mechanisms without couplings stay as they
were. Out: the sketch with a coupling that the design pose fulfils, and what drives it still.
"""

from random import Random

from drawn_quantities import DIGITS, Drawn, written
from sketch import Sketch

SHARE = 0.15  # of all mechanisms that could have a coupling
FROM_LOOPS = 0.1  # of couplings, that read a coordinate which loops give
RATIOS = (1.0, -1.0, 2.0, -0.5, 1.5, -3.0, 0.37)
RADII = (0.05, 0.2, 0.5, 1.3)  # m


def draw_coupling(sketch: Sketch, driven: list[str], random: Random) -> list[str]:
    """What drives the sketch afterwards."""
    if len(driven) < 2 or random.random() > SHARE:
        return driven
    follower = random.choice(driven)
    rest = [name for name in driven if name != follower]
    loops = [name for name in sketch.pose if name not in driven]
    pool = loops if loops and random.random() < FROM_LOOPS else rest
    terms, total = [], 0.0
    for name in random.sample(pool, min(len(pool), random.choice((1, 1, 2)))):
        text, value = _term(sketch, follower, name, random)
        terms.append(text)
        total += value
    apart = written(sketch.pose[follower].value - total, "rad" if sketch.angles[follower] else "m", DIGITS)
    if abs(apart.value) > 1e-12:
        terms.append(sketch.quantities.parameter(apart, apart.text.split()[1]))
        total += apart.value
    sketch.pose[follower] = Drawn(total, sketch.pose[follower].text)
    sketch.document["couplings"] = {follower: " + ".join(terms)}
    outputs = sketch.document.get("outputs", {})
    for name in [name for name, wanted in outputs.items() if isinstance(wanted, dict) and "reaction" in wanted]:
        del outputs[name]
    return rest


def _term(sketch: Sketch, follower: str, name: str, random: Random) -> tuple[str, float]:
    """Ratio times a coordinate, and its value at the design pose."""
    value, alike = sketch.pose[name].value, sketch.angles[follower] == sketch.angles[name]
    if alike:
        ratio = random.choice(RATIOS)
        return f"({ratio:g})*{name}", ratio * value
    radius = written(random.choice(RADII), "m", 6)
    parameter = sketch.quantities.parameter(radius, "m")
    if sketch.angles[name]:
        return f"{parameter}*{name}", radius.value * value
    return f"{name}/{parameter}", value / radius.value
