"""The exchange of coordinates: which triangular form stands behind given coordinates, in which order it is eliminated.

In: a mechanism, its assembled design pose, and the coordinates of a triangular form. Out: an `Exchange`.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from exporter.errors import SingularPose
from exporter.kinematics.exchanged.following import probe_of
from exporter.kinematics.exchanged.form import Exchange
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.seeded.ordered_elimination import Order, elimination_order
from exporter.model.complete import with_independent
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.size import length_of

Solve = Callable[[Mechanism], Solution]  # the triangular form of a mechanism
LEAST_PIVOT = 1e-6  # smallest pivot of the exchange at the design pose, in units of the coordinates


def inner_mechanism(mechanism: Mechanism, design: dict[str, float], names: Sequence[str]) -> Mechanism:
    """The mechanism by other coordinates, its pose assembled."""
    length = length_of(mechanism)
    pose = {name: Fraction(value) for name, value in design.items()}
    pose.update({name: mechanism.pose[name] for name in mechanism.independent})
    ranges = {}
    for name in names:
        room = length / 4 if mechanism.is_displacement(name) else Fraction(1)
        known = mechanism.ranges.get(name) or CoordinateRange(pose[name] - room, pose[name] + room, Fraction(1))
        ranges[name] = CoordinateRange(
            min(known.minimum, pose[name]), max(known.maximum, pose[name]), known.rate or Fraction(1)
        )
    return with_independent(mechanism, names, pose, ranges)


def exchange_coordinates(
    mechanism: Mechanism, design: dict[str, float], names: Sequence[str], solve: Solve
) -> Exchange:
    """The exchange for these coordinates of the triangular form.

    Raises:
        ModelError: they give no triangular form, or the given coordinates do not move with them at the design pose.
    """
    inner = solve(inner_mechanism(mechanism, design, names))
    given = tuple(name for name in mechanism.independent if name not in names)
    sought = tuple(name for name in names if name not in mechanism.independent)
    count = len(given)
    plain = Order(tuple(range(count)), tuple(range(count)), (Fraction(1),) * count, (Fraction(1),) * count)
    draft = Exchange(mechanism, inner, given, sought, plain, length_of(mechanism))
    rows = (np.array([[design[name] for name in each]]) for each in (sought, draft.common))
    jacobian = probe_of(draft).at(*rows)[1][0, :, :count]
    units = tuple([draft.unit(name) for name in each] for each in (given, sought))
    order = elimination_order(jacobian, *units)
    scaled = [p * u / draft.unit(sought[c]) for p, u, c in zip(order.pivots, order.units, order.columns, strict=True)]
    if min(scaled) < LEAST_PIVOT:
        raise SingularPose(
            f"{mechanism.name}: {', '.join(mechanism.independent)} do not drive the mechanism at its design pose"
        )
    return Exchange(
        mechanism,
        inner,
        tuple(given[row] for row in order.rows),
        tuple(sought[column] for column in order.columns),
        order,
        draft.length,
    )
