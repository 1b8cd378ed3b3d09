"""Assembly modes of a solved mechanism of either engine, evaluated at a pose.

Comes from: a planar, spatial or driven `Solved`. Goes to: show (tables, and pictures side by side).
"""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import numpy as np

from exporter.kinematics.analysis.solving import solved_rows
from exporter.kinematics.assembly import Assembly, assemblies, assembly_at
from exporter.kinematics.driven.solution import DrivenSolution
from exporter.kinematics.form import TriangularForm
from exporter.kinematics.planar_solution import PlanarSolution
from exporter.kinematics.spatial.solution import SpatialSolution
from exporter.kinematics.spatial.verification import assembly_of

MOST = 16  # spatial modes that are evaluated; of more, the exported one is

TriangularSolution = PlanarSolution | SpatialSolution | DrivenSolution


def modes_of(solved: TriangularSolution, place: Mapping[str, Fraction]) -> tuple[Assembly, ...]:
    """The modes at values of the independent coordinates (rad, m), in a fixed order of signs.

    All of a planar mechanism. Of a spatial one with more than `MOST`, and of a driven one, the exported one only.
    """
    if isinstance(solved, DrivenSolution):
        return (_driven_mode(solved, place),)
    if isinstance(solved, PlanarSolution):
        return assemblies(solved.form, place)
    own = tuple(block.sign for block in solved.form.blocks)
    every = product(*((1, -1) if block.degree > 1 else (1,) for block in solved.form.blocks))
    chosen = (own,) if number_of_modes(solved) > MOST else tuple(every)
    return tuple(mode_with(solved, signs, place) for signs in chosen)


def mode_with(
    solved: PlanarSolution | SpatialSolution, signs: tuple[int, ...], place: Mapping[str, Fraction]
) -> Assembly:
    """The mode of these root signs, one per block."""
    if isinstance(solved, PlanarSolution):
        return assembly_at(solved.form.with_signs(signs), {name: place[name] for name in solved.form.independent})
    return assembly_of(solved.form.with_signs(signs), place)


def number_of_modes(solved: TriangularSolution) -> int:
    """Combinations of root signs."""
    return 1 << sum(block.degree > 1 for block in solved.block_facts())


def planar_form(solved: TriangularSolution) -> TriangularForm | None:
    """The planar form that a mechanism is solved by, its own or the one that it is driven from; None where spatial."""
    whole = solved.form.exchange.inner if isinstance(solved, DrivenSolution) else solved
    return whole.form if isinstance(whole, PlanarSolution) else None


def _driven_mode(solved: DrivenSolution, place: Mapping[str, Fraction]) -> Assembly:
    """The exported mode: it is within reach where nothing is flagged."""
    mechanism = solved.mechanism
    found = solved_rows(solved, np.array([[float(place[name]) for name in mechanism.independent]]))
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
