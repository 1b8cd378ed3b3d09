"""Couplings of coordinates as equations of the reference: wheel = "-2*pinion".

In: a `Plain` mechanism, coordinates (rows, n). Out: an equation per coupling, over the mechanism's size where it is a
length. A coupling is linear, so that its slopes are differences of its values.
"""

import re
from collections.abc import Mapping

import numpy as np
from plain_closures import Row
from plain_mechanism import Plain
from plain_numbers import number_of
from plain_rotations import Array


def coupled(plain: Plain, at: Array) -> list[Row]:
    """How far each coupled coordinate is from what the others ask of it."""
    return [_row(plain, at, name, text) for name, text in plain.document.get("couplings", {}).items()]


def told(plain: Plain) -> set[str]:
    """Coordinates that couplings tell where the independent ones are given: their angles count whole turns."""
    known, waiting = (
        set(plain.independent),
        [_names(plain, *each) for each in plain.document.get("couplings", {}).items()],
    )
    while ready := [names for names in waiting if len(names - known) == 1]:
        known |= ready[0]
        waiting.remove(ready[0])
    return known - set(plain.independent)


def _names(plain: Plain, name: str, text: str) -> set[str]:
    return {name, *(each for each in plain.coordinates if re.search(rf"\b{each}\b", text))}


def _row(plain: Plain, at: Array, name: str, text: str) -> Row:
    def follower(values: Mapping[str, float]) -> float:
        return float(number_of(text, {**plain.values, **values}))

    zero = dict.fromkeys(plain.coordinates, 0.0)
    offset = follower(zero)
    slopes = np.array([-(follower({**zero, other: 1.0}) - offset) for other in plain.coordinates])
    slopes[plain.coordinates.index(name)] += 1
    unit = plain.size if name in plain.displacements else 1.0
    return (at @ slopes - offset) / unit, np.tile(slopes / unit, (len(at), 1)), np.zeros(len(at))
