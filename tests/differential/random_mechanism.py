"""A random mechanism file from a seed: planar, open, or with loops in space.

In: a seed and an index. Out: TOML text. Sketches that cannot be driven by their coordinates, or whose design
pose is nearly singular, are drawn again. The ranges of the independent coordinates are those over which Newton's method
follows the branch, a little less or more, so that ends lie near dead points at times.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import numpy as np
from continuation import Driven, assembled, corrected, followed
from drawn_contents import draw_loads, draw_masses, draw_outputs, draw_step, pose_texts
from drawn_couplings import draw_coupling
from drawn_machines import draw_machine
from drawn_planar import draw_planar
from drawn_practice import KINDS
from drawn_quantities import Quantities
from drawn_spatial import draw_lifted, draw_loops, draw_open
from plain_mechanism import document_of, plain
from sketch import Sketch, toml_text

ATTEMPTS = 200
LARGEST_CONDITION = 40.0  # of the design pose
REACHES = (0.1, 0.2, 0.35, 0.6, 1.0, 1.6)  # rad, or of the size
REACHED_CONDITION = 150.0
DECIMALS = 1e6  # of the ends of ranges, outwards


@dataclass(frozen=True)
class RandomMechanism:
    """A file and what kind it is of."""

    kind: str
    text: str


def random_mechanism(seed: str, *, machine: bool = False, practice: bool = False) -> RandomMechanism:
    """The mechanism of a seed, the same on every computer.

    Args:
        seed: any text.
        machine: bodies have mass, and forces read the state.
        practice: mechanisms in space as practice has them.

    Raises:
        RuntimeError: no sketch could be driven.
    """
    random, coupling = Random(seed), Random(f"{seed} couplings")
    for _ in range(ATTEMPTS):
        kinds, weights = (tuple(KINDS), None) if practice else (tuple(_DRAW), WEIGHTS)
        kind = random.choices(kinds, weights)[0]
        text = attempt(random, kind, machine=machine, coupling=coupling)
        if text is not None:
            return RandomMechanism(kind, text)
    raise RuntimeError(f"seed {seed}: none of {ATTEMPTS} sketches can be driven")


def attempt(random: Random, kind: str, *, machine: bool, coupling: Random | None = None) -> str | None:
    """A file of a kind; None where its coordinates do not drive what was drawn. With `coupling` some are coupled."""
    named = random.choice((0.0, 0.15, 0.4))
    quantities = Quantities(random, random.random() < 0.35, named, random.choice((0.0, 0.5, 1.0)))
    sketch = Sketch(quantities)
    sketch.document = {"mechanism": {"name": "m"}, **sketch.document}
    {**_DRAW, **KINDS}[kind](sketch)
    driven = list(sketch.driven)
    random.shuffle(driven)
    if kind != "open" and random.random() < 0.12:
        driven = random.sample(list(sketch.pose), len(driven))
    if machine or random.random() < 0.6:
        draw_masses(sketch, kind, 0.93 if machine or kind == "open" else 0.75)
        draw_loads(sketch)
        draw_step(sketch)
    sketch.driven = driven
    draw_outputs(sketch, fewest=int(kind == "open"))
    if machine:
        if not any("mass" in body for body in sketch.document["bodies"].values()):
            return None
        draw_machine(sketch, kind)
    driven = draw_coupling(sketch, driven, coupling) if coupling else driven
    if quantities.parameters:
        sketch.document["parameters"] = dict(quantities.parameters)
    rough = kind != "open" and random.random() < 0.2
    pose = pose_texts(sketch, driven, rough)
    sketch.document["coordinates"] = {"independent": driven, "pose": pose}
    return _with_ranges(sketch, random)


_DRAW: dict[str, Callable[[Sketch], None]] = {
    "planar": lambda sketch: draw_planar(
        sketch, sketch.quantities.random.choice((1, 1, 2, 2, 3)), sketch.quantities.random.choice((1, 1, 2))
    ),
    "open": lambda sketch: draw_open(sketch, sketch.quantities.random.choice((1, 2, 2, 3, 3, 4, 5))),
    "spatial": lambda sketch: draw_loops(sketch, sketch.quantities.random.choice((1, 1, 1, 2)), hard=False),
    "lifted": draw_lifted,
    "hard": lambda sketch: draw_loops(sketch, 1, hard=True),
}
WEIGHTS = (42, 22, 28, 6, 2)


def _with_ranges(sketch: Sketch, random: Random) -> str | None:
    """The file, None where its coordinates do not drive it."""
    driven = _driven(toml_text(sketch.document))
    if driven is None:
        return None
    coordinates = sketch.document["coordinates"]
    names = coordinates["independent"]
    start, condition, _ = corrected(driven, driven.plain.design(), 12)
    if driven.free and condition[0] > LARGEST_CONDITION:
        return None
    reach = _reach(driven, start)
    coordinates["ranges"], coordinates["rates"] = {}, {}
    for position, name in enumerate(names):
        unit = "m" if name in driven.plain.displacements else "rad"
        factors = [random.uniform(0.5, 0.95) if random.random() < 0.9 else random.uniform(1, 1.3) for _ in range(2)]
        if random.random() < 0.08:
            factors[random.randint(0, 1)] = 0.0
        value = driven.plain.pose[name]
        ends = (value - factors[0] * reach[position][0], value + factors[1] * reach[position][1])
        if not ends[0] < ends[1]:
            return None
        low, high = np.floor(ends[0] * DECIMALS) / DECIMALS, np.ceil(ends[1] * DECIMALS) / DECIMALS
        coordinates["ranges"][name] = [f"{low:.9g} {unit}", f"{high:.9g} {unit}"]
        coordinates["rates"][name] = f"{random.choice((1, 5, 20, 100)) * (0.2 if unit == 'm' else 1):g} {unit}/s"
    return toml_text(sketch.document)


def _driven(text: str) -> Driven | None:
    try:
        return assembled(plain(document_of(text)))
    except np.linalg.LinAlgError:
        return None


def _reach(driven: Driven, start: np.ndarray) -> list[tuple[float, float]]:
    """How far each independent coordinate can go down and up from the design pose, the others resting."""
    given = driven.given
    units = driven.plain.units()[given]
    found = []
    for position in range(len(given)):
        goals = np.repeat(start[:, given], 2 * len(REACHES), axis=0)
        goals[:, position] += np.array([-r for r in REACHES] + list(REACHES)) * units[position]
        reached = followed(lambda _: driven, start, goals)
        good = reached.on_branch & (reached.condition < REACHED_CONDITION)
        sides = []
        for side in (good[: len(REACHES)], good[len(REACHES) :]):
            count = int(np.argmin(np.append(side, False)))
            sides.append((REACHES[count - 1] if count else REACHES[0] / 3) * float(units[position]))
        found.append((sides[0], sides[1]))
    return found
