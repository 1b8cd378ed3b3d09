"""Dependent rates and accelerations against the constraint Jacobian at the reference's own pose.

Errors are relative to what the coordinate's rate is a sum of, in units of the length scale, and at most to the largest
rate of the row: a rate that passes through zero is judged by what it is the difference of, and a coordinate that is
always slow beside the others by its own terms. The spin of a body is a sum of joint rates, too: it is told to a few
rounding units of these.
"""

import numpy as np

from sil.check_names import Check
from sil.checks.condition_scaling import Judgement, judge_errors, scale_floor
from sil.checks.mechanism_case import Case
from sil.limits import rounding_share
from sil.reference.rotations import Array

REFERENCE_ROUNDING = 2.0**-53
"""Part of the largest rate of a row that every rate of the reference may be off by, which solves all together."""


def check_rates(case: Case) -> Judgement:
    """Rates of the dependent coordinates."""
    columns = {name: column for name, column in case.outputs.rate.items() if name in _dependent(case)}
    if not columns or case.rates is None:
        return [], []
    limit = case.evidence.limits.relative
    share = rounding_share(case.evidence.limits, limit)
    scale = np.fmin(rate_scale(case)[:, None], case.reference.rate_sizes(case.at, case.rates, share))
    errors = _errors(case, columns, case.rates, scale, rate_scale(case))
    return judge_errors(case, Check.VELOCITIES, errors, limit, "against the constraint Jacobian")


def check_accelerations(case: Case) -> Judgement:
    """Accelerations of the dependent coordinates, from given accelerations of the independent ones."""
    columns = {name: column for name, column in case.outputs.acceleration.items() if name in _dependent(case)}
    independent = case.reference.skeleton.mechanism.independent
    given = all(name in case.inputs.acceleration for name in independent)
    if not columns or case.rates is None or not given:
        return [], []
    second = case.driven
    limit = case.evidence.limits.acceleration
    share = rounding_share(case.evidence.limits, limit)
    sizes = case.reference.acceleration_sizes(case.at, case.rates, second, share)
    largest = acceleration_scale(case, second)
    errors = _errors(case, columns, second, np.fmin(largest[:, None], sizes), largest)
    return judge_errors(case, Check.ACCELERATIONS, errors, limit, "against the constraint Jacobian")


def _dependent(case: Case) -> set[str]:
    skeleton = case.reference.skeleton
    return {skeleton.coordinates[number] for number in skeleton.dependent}


def rate_scale(case: Case) -> Array:
    """Largest rate of each row, in 1/s: displacements over the length scale."""
    rates = np.zeros((len(case.rows), 1)) if case.rates is None else case.rates / case.reference.skeleton.units
    return np.asarray(np.abs(rates).max(axis=1))


def acceleration_scale(case: Case, second: Array) -> Array:
    """Largest acceleration, or square of a rate, of each row, in 1/s^2."""
    return np.asarray(np.maximum(np.abs(second / case.reference.skeleton.units).max(axis=1), rate_scale(case) ** 2))


def _errors(case: Case, columns: dict[str, int], right: Array, scale: Array, largest: Array) -> Array:
    """Differences of the columns, beyond the reference's rounding, over the scale of their coordinates, (rows, c)."""
    errors, rounding = [], REFERENCE_ROUNDING * largest
    for name, column in sorted(columns.items()):
        number = case.reference.coordinates.index(name)
        difference = np.abs(case.output(column) - right[:, number]) / case.reference.skeleton.units[number]
        errors.append((difference - np.fmin(difference, rounding)) / np.maximum(scale[:, number], scale_floor()))
    return np.stack(errors, axis=1)
