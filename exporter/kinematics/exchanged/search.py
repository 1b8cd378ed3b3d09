"""Finds the triangular form behind given coordinates, and makes the table that seeds the steps.

In: a mechanism whose independent coordinates give no triangular form. Out: a `ExchangedForm`. Candidates
share as many coordinates with the given ones as possible; among those that share as many, the cheapest iterate wins
whose sought coordinates follow the given ones over their ranges.
"""

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np

from exporter.errors import NotAssembled, Unsolved
from exporter.kinematics.closures.assemblies import pick_assembly
from exporter.kinematics.closures.closing import Array, jacobians
from exporter.kinematics.closures.passive_spins import closures_of
from exporter.kinematics.closures.rank import motions, ranks
from exporter.kinematics.degrees.planar_degree import joined_loops
from exporter.kinematics.degrees.spatial_degree import joined_bodies
from exporter.kinematics.exchanged.exchange import Solve, exchange_coordinates
from exporter.kinematics.exchanged.following import probe_of
from exporter.kinematics.exchanged.form import Exchange, ExchangedForm, SeedTable
from exporter.kinematics.exchanged.structure import Structure
from exporter.kinematics.exchanged.table import Tell, table_of
from exporter.kinematics.planar.planarity import is_planar
from exporter.kinematics.seeded.nominal import nominal_note
from exporter.model.mechanism import Mechanism
from exporter.sequence.cost import cost
from exporter.sequence.weights import score

LEAST_DRIVE = 1e-6  # |det| of the motions below which coordinates drive nothing
DRIVE_DECIMALS = 9  # of these: choices that drive alike keep their order on every computer
MOST_EXCHANGES = 400  # exchanges of as many coordinates; of more, only whole joints are tried
COSTED_CANDIDATES = 4  # candidates whose iterates are written and counted


def exchanged_form(mechanism: Mechanism, solve: Solve, tell: Tell) -> ExchangedForm | None:
    """The form with exchanged coordinates; None where the own choice is triangular, or no other is.

    Raises:
        SeveralAssemblies: the pose picks none of several assemblies.
        ModelError: the ranges are not reached from the design pose or need too large a table.
    """
    structure = Structure(mechanism)
    if structure.is_triangular(mechanism.independent):
        return None
    try:
        found, unclear = pick_assembly(mechanism)
    except NotAssembled:
        return None
    design = found.coordinates
    exchanges = _cheapest_first(structure, design, solve, tell)
    if not exchanges:
        return None
    if unclear is not None:
        raise unclear
    exchange, table = _first_with_table(exchanges, design, tell)
    degree = _degree(mechanism, tell)
    return ExchangedForm(exchange, table, degree, (_note(exchange, table, degree),))


def assembled_design(mechanism: Mechanism) -> dict[str, float] | None:
    """All coordinates of the assembly that the design pose picks, or of one of several; None where none is found."""
    try:
        return pick_assembly(mechanism)[0].coordinates
    except NotAssembled:
        return None


def _first_with_table(exchanges: list[Exchange], design: dict[str, float], tell: Tell) -> tuple[Exchange, SeedTable]:
    """A sought coordinate that turns back within the ranges has no table; another one of the same motion may have.

    Raises:
        ModelError: none has, in the words of the first.
    """
    refusals = []
    for exchange in exchanges:
        try:
            return exchange, table_of(exchange, design, tell)
        except Unsolved as error:
            refusals.append(error)
    raise refusals[0]


def _note(exchange: Exchange, table: SeedTable, degree: int | None) -> str:
    mechanism = exchange.mechanism
    together = f" (degree {degree} in complex numbers)" if degree else ""
    found = f"{', '.join(exchange.sought)} {'is' if len(exchange.sought) == 1 else 'are'} found"
    return (
        f"no triangular form is driven by {', '.join(mechanism.independent)}{together}: {found} for "
        f"{', '.join(exchange.given)} by polynomials of degree {table.degree} and {table.steps_text}; what is "
        f"left is an output, and RESIDUAL_HIGH is set where it is above rounding{nominal_note(mechanism)}"
    )


def _degree(mechanism: Mechanism, tell: Tell) -> int | None:
    """The number of solutions of what the given coordinates leave to be solved together; None where not counted."""
    tell(f"counting the assemblies of {mechanism.name} by {', '.join(mechanism.independent)}")
    try:
        systems = joined_loops(mechanism) if is_planar(mechanism) else joined_bodies(mechanism)
    except Unsolved:
        return None
    degrees = [system.degree for system in systems if system.degree is not None]
    return max(degrees) if len(degrees) == len(systems) else None


# -- candidates ----------------------------------------------------------------------------------------------------


def _cheapest_first(structure: Structure, design: dict[str, float], solve: Solve, tell: Tell) -> list[Exchange]:
    mechanism = structure.mechanism
    moving = _motion_directions(mechanism, design)
    if moving.shape[1] != len(mechanism.independent):
        return []

    def drive(names: tuple[str, ...]) -> float:
        rows = [mechanism.coordinates().index(name) for name in names]
        return round(abs(float(np.linalg.det(moving[rows]))), DRIVE_DECIMALS)

    if drive(mechanism.independent) < LEAST_DRIVE:
        return []
    for count in range(1, len(mechanism.independent) + 1):
        tell(f"looking for a triangular form that shares all but {count} of {', '.join(mechanism.independent)}")
        able = [names for names in _candidates(mechanism, count) if structure.is_triangular(names)]
        able.sort(key=lambda names: -drive(names))
        found = []
        for names in able[:COSTED_CANDIDATES]:
            if drive(names) < LEAST_DRIVE:
                break
            try:
                found.append(exchange_coordinates(mechanism, design, names, solve))
            except Unsolved:
                continue
        if found:
            return sorted(found, key=lambda exchange: score(cost(probe_of(exchange).sequence)))
    return []


def _motion_directions(mechanism: Mechanism, design: dict[str, float]) -> Array:
    """Orthonormal directions of motion at the design pose, (c, f)."""
    row = np.array([[design[name] for name in mechanism.coordinates()]])
    jacobian = jacobians(closures_of(mechanism), row)
    return np.asarray(motions(jacobian, row.shape[1] - int(ranks(jacobian)[0]))[0])


def _candidates(mechanism: Mechanism, count: int) -> Iterator[tuple[str, ...]]:
    """Choices in which this many of the given coordinates are exchanged."""
    given = mechanism.independent
    others = [name for name in mechanism.coordinates() if name not in given]
    outgoing = list(combinations(given, count))
    incoming = list(combinations(others, count)) if len(outgoing) * comb(len(others), count) <= MOST_EXCHANGES else []
    if not incoming:
        whole = [joint.coordinates for joint in mechanism.joints if joint.coordinates]
        whole = [each for each in whole if not set(each) & set(given)]
        sets = (sum(each, ()) for k in range(1, count + 1) for each in combinations(whole, k))
        incoming = [each for each in sets if len(each) == count]
    for leaving in outgoing:
        kept = tuple(name for name in given if name not in leaving)
        for entering in incoming:
            yield (*kept, *entering)
