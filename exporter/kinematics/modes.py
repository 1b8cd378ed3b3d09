"""Assembly modes of a solved mechanism of either engine, evaluated at a pose.

In: a `Solution` of the plane, of space or with exchanged coordinates. Used by: show (tables, pictures side by side).
"""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from itertools import islice

import numpy as np

from exporter.kinematics.protocol.rooted_poses import every_sign, flipped_signs
from exporter.kinematics.protocol.solution import Assembly, Solution
from exporter.kinematics.protocol.solution_rows import solution_rows

MOST_MODES = 16
"""Modes that are evaluated; of more, the exported one and those that differ from it in the fewest roots."""


def modes_of(solved: Solution, place: Mapping[str, Fraction]) -> tuple[Assembly, ...]:
    """The modes at values of the independent coordinates (rad, m), in a fixed order of signs.

    At most `MOST_MODES`; the exported one alone where the blocks cannot take other roots.
    """
    rooted = solved.branched_solution()
    if rooted is None:
        return (exported_mode(solved, place),)
    if number_of_modes(solved) > MOST_MODES:
        return rooted.assemblies(place, list(islice(flipped_signs(solved.block_facts()), MOST_MODES)))
    return rooted.assemblies(place, every_sign(solved.block_facts()))


def number_of_modes(solved: Solution) -> int:
    """Combinations of root signs."""
    return 1 << sum(block.degree > 1 for block in solved.block_facts())


def exported_mode(solved: Solution, place: Mapping[str, Fraction]) -> Assembly:
    """The exported mode: it is within reach where nothing is flagged."""
    mechanism = solved.mechanism
    found = solution_rows(solved, np.array([[float(place[name]) for name in mechanism.independent]]))
    seen: dict[str, dict[str, float]] = defaultdict(dict)
    for name, values in found.margins.items():
        block, _, role = name.partition(".")
        seen[role][block] = float(values[0])
    return Assembly(
        tuple(block.sign for block in solved.block_facts()),
        {name: float(value) for name, value in zip(mechanism.coordinates(), found.coordinates[0], strict=True)},
        seen["margin"],
        seen["pivot"],
        closed=bool(found.good[0]),
    )
