"""A function that computes on a mechanism, with the reference's answer on the vectors that are judged.

In: evidence and a reference; out: a `Case`, or None where the function is none of a mechanism's. Judged are vectors
without a flag; where the branch is not reached by continuation from the design pose, only the residual is.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sil.domain import Rows
from sil.evidence import Evidence
from sil.limits import rounding_share
from sil.reference.mechanism import Reference
from sil.reference.motion import Configuration, configuration
from sil.reference.rotations import Array
from sil.signals import Columns, columns_of, columns_of_names, state_width
from sil.warm_start import REGULAR_CONDITION, starts_from_previous


@dataclass(frozen=True, eq=False)
class Case:
    """Rows that are judged, in float64, and what the reference says about their poses and rates."""

    evidence: Evidence
    reference: Reference
    inputs: Columns
    state: Columns  # the state that is written, columns of the outputs
    outputs: Columns
    left_out: Columns  # what the model would give and does not choose: names alone, at no column of a row
    unflagged: NDArray[np.int64]  # rows without a flag
    rows: NDArray[np.int64]  # of these, the rows that the reference reaches
    at: Configuration  # the reference's pose on `rows`
    rates: Array | None  # all rates on `rows`, where the function takes rates
    regular: NDArray[np.bool_]  # margin above the limit, on `rows`
    before: "Case | None" = None  # of a function of the same poses and rates, which covers `rows`

    @property
    def beyond(self) -> int:
        """How many rows without a flag the reference does not reach."""
        return len(self.unflagged) - len(self.rows)

    def independent(self, columns: dict[str, int], rows: NDArray[np.int64]) -> Array:
        """Inputs of the independent coordinates, (rows, f)."""
        chosen = [columns[name] for name in self.reference.skeleton.mechanism.independent]
        return np.asarray(self.evidence.doubles(self.evidence.vectors.rows[np.ix_(rows, np.array(chosen))]))

    def output(self, column: int) -> Array:
        """An output on `rows`."""
        return np.asarray(self.evidence.doubles(self.evidence.ran.outputs[self.rows, column]))

    def model_inputs(self) -> dict[str, Array]:
        """Forces and torques by name, on `rows`."""
        rows, doubles = self.evidence.vectors.rows, self.evidence.doubles
        return {name: doubles(rows[self.rows, column]) for name, column in self.inputs.others.items()}

    @cached_property
    def conditions(self) -> Array:
        """Condition numbers of the closure, cond(Phi_d), on `rows`; 1 where they are regular, where nobody asks."""
        found, asked = np.ones(len(self.rows)), np.flatnonzero(~self.regular)
        found[asked] = self._conditions_of(asked)
        return found

    def conditions_at(self, rows: NDArray[np.int64]) -> Array:
        """Condition numbers on some rows without a flag, regular ones too; 1 where the reference does not reach."""
        found, reached = np.ones(len(rows)), np.isin(rows, self.rows)
        found[reached] = self._conditions_of(_among(self.rows, rows[reached]))
        return found

    def _conditions_of(self, places: NDArray[np.int64]) -> Array:
        """Condition numbers at places among `rows`, none computed twice."""
        found = self.told_conditions
        fresh = places[np.isnan(found[places])]
        found[fresh] = self.reference.conditions(self.at.values[fresh])
        return np.asarray(found[places])

    @cached_property
    def told_conditions(self) -> Array:
        """Condition numbers on `rows` so far, NaN where nobody asked."""
        found = self._known("told_conditions")
        return np.full(len(self.rows), np.nan) if found is None else found

    @cached_property
    def moving(self) -> Array:
        """All rates on `rows`; zero where the function takes none."""
        return np.zeros_like(self.at.values) if self.rates is None else self.rates

    @cached_property
    def driven(self) -> Array:
        """All accelerations on `rows` that the inputs ask for; zero where the function takes none."""
        given = self.inputs.acceleration
        if self.rates is None or not all(name in given for name in self.reference.skeleton.mechanism.independent):
            return np.zeros_like(self.at.values)
        return self.reference.accelerations(self.at, self.rates, self.independent(given, self.rows))

    @cached_property
    def drift(self) -> Array:
        """All accelerations on `rows` where no independent coordinate accelerates."""
        found = self._known("drift")
        return self.reference.drifts(self.at, self.moving) if found is None else found

    @cached_property
    def forced(self) -> Array:
        """All accelerations on `rows` under gravity, loads and the inputs."""
        found = self._known("forced") if self._has_same_inputs else None
        return self.reference.forward_dynamics(self.at, self.moving, self.model_inputs()) if found is None else found

    @cached_property
    def forced_sizes(self) -> Array:
        """What these accelerations of the independent coordinates are sums of, (rows, f), in 1/s^2."""
        found = self._known("forced_sizes") if self._has_same_inputs else None
        if found is None:
            found = self.reference.force_sizes(self.at, self.moving, self.forced, self.drift, self.model_inputs())
        return found

    @cached_property
    def judged_sizes(self) -> Array:
        """What these accelerations of all coordinates are sums of, (rows, c), spins told as well as they are judged."""
        found = self._known("judged_sizes") if self._has_same_inputs else None
        if found is None:
            limits = self.evidence.limits
            share = rounding_share(limits, limits.relative)
            found = self.reference.dynamics_sizes(
                self.at, self.moving, self.forced, self.drift, self.model_inputs(), share
            )
        return found

    @cached_property
    def _has_same_inputs(self) -> bool:
        """Whether the case before has the same vectors altogether."""
        own, other = self.evidence.vectors, self.before.evidence.vectors if self.before else None
        return other is not None and own.names == other.names and np.array_equal(own.rows, other.rows, equal_nan=True)

    def _known(self, name: str) -> Array | None:
        """What the case before found, on `rows`; None where it was not asked."""
        if self.before is None or name not in vars(self.before):
            return None
        return np.asarray(vars(self.before)[name][_among(self.before.rows, self.rows)])

    def covers(self, evidence: Evidence, reference: Reference, inputs: Columns) -> bool:
        """Whether another function has the same poses and rates, and has flagged all that are flagged here."""
        if self.reference is not reference or not np.isin(evidence.unflagged, self.unflagged).all():
            return False
        names = reference.skeleton.mechanism.independent
        own, other = _motion(self.evidence, self.inputs, names), _motion(evidence, inputs, names)
        return own is not None and other is not None and np.array_equal(own, other, equal_nan=True)


def _motion(evidence: Evidence, inputs: Columns, names: tuple[str, ...]) -> Rows | None:
    """Values and rates of the independent coordinates in all vectors; None where the function takes no rates."""
    if not all(name in inputs.rate for name in names):
        return None
    return evidence.vectors.rows[:, [*(inputs.value[name] for name in names), *(inputs.rate[name] for name in names)]]


def _among(rows: NDArray[np.int64], some: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places of some of the ascending rows."""
    return np.searchsorted(rows, some)


def case_of(evidence: Evidence, reference: Reference, before: Case | None = None) -> Case | None:
    """Solve the reference on the vectors without a flag, if the function takes the independent coordinates.

    What the case `before` has of the same vectors is not solved again.
    """
    mechanism = reference.skeleton.mechanism
    aliases, names = mechanism.outputs, reference.coordinates
    inputs = columns_of(evidence.function.row_inputs, names, aliases)
    if not all(name in inputs.value for name in mechanism.independent):
        return None
    width = state_width(evidence.export.manifest, evidence.function)
    state = columns_of(evidence.function.row_outputs[:width], names, {})
    outputs = _shift_columns(columns_of(evidence.function.row_outputs[width:], names, aliases), width)
    left_out = columns_of_names(evidence.function.left_out, names, aliases)
    unflagged = evidence.unflagged
    everything = evidence.doubles(evidence.vectors.rows)
    chosen = np.array([inputs.value[name] for name in mechanism.independent])
    known = before if before is not None and before.covers(evidence, reference, inputs) else None
    if before is not None and known is None:
        before.at.kept.clear()  # it takes much memory
    rows, at = _poses(reference, unflagged, everything[np.ix_(unflagged, chosen)], known)
    rates = None
    if all(name in inputs.rate for name in mechanism.independent):
        given = everything[np.ix_(rows, np.array([inputs.rate[name] for name in mechanism.independent]))]
        rates = reference.velocities(at, given)
    regular = np.asarray(evidence.margins[rows] > evidence.limits.regular)
    if starts_from_previous(evidence.function):  # which tells no margins
        regular = reference.conditions(at.values) < REGULAR_CONDITION
    return Case(evidence, reference, inputs, state, outputs, left_out, unflagged, rows, at, rates, regular, known)


def _poses(
    reference: Reference, unflagged: NDArray[np.int64], independent: Array, known: Case | None
) -> tuple[NDArray[np.int64], Configuration]:
    """The rows that the reference reaches, and its poses there; those that are known are not solved again."""
    if known is not None:
        rows = unflagged[np.isin(unflagged, known.rows)]
        same = len(rows) == len(known.rows)
        return rows, known.at if same else configuration(known.at.values[_among(known.rows, rows)])
    coordinates = reference.positions(independent)
    reached = np.isfinite(coordinates).all(axis=1)
    return unflagged[reached], configuration(coordinates[reached])


def _shift_columns(columns: Columns, by: int) -> Columns:
    groups = [
        {name: number + by for name, number in group.items()}
        for group in (columns.value, columns.sine, columns.cosine, columns.rate, columns.acceleration, columns.others)
    ]
    return Columns(*groups)
