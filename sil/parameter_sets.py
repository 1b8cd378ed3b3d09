"""The values of the tunable parameters at which an export is verified: nominal, both ends of each, random ones.

In: a manifest and a seed. Out: `ParameterSet`s, the nominal one first; it is the only one where nothing is tunable.
Values are what the C holds: rounded to the export's type.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from exporter.digits import digits
from exporter.errors import KinefixError
from exporter.manifest import Function, Manifest
from sil.domain import Domain, Rows, domain_of
from sil.figures import count_text
from sil.generator import uniform
from sil.parameter_texts import not_tunable

RANDOM_SETS = 4  # besides the nominal one and the ends
MOST_GROUPS = 8
"""Ends are taken one parameter at a time; with more parameters than this, several at a time in as many groups."""
STREAM = 9100  # of the generator, so that no other vectors draw the same numbers
LEAST_ROWS = 10
"""A set gets at least this many vectors: the first ten of the fixed mix hold every kind but subnormal ones."""
LEAST_NOMINAL = 20  # vectors under the nominal parameters
NOMINAL_NAME, GIVEN_NAME = "nominal", "as given"


@dataclass(frozen=True, slots=True)
class ParameterSet:
    """Values of all tunable parameters, by the user's name, in the order of the parameter struct, SI units."""

    name: str  # "nominal", "r at its least", "random 1"
    values: tuple[tuple[str, float], ...] = ()

    @property
    def changed(self) -> dict[str, float]:
        """The values for a runner; none where all are nominal, which every runner takes by itself."""
        return {} if self.name == NOMINAL_NAME else dict(self.values)

    @property
    def hexadecimal(self) -> dict[str, str]:
        """Values that repeat to the bit; none where all are nominal."""
        return {name: value.hex() for name, value in self.changed.items()}


NOMINAL_SET = ParameterSet(NOMINAL_NAME)


def function_domain(manifest: Manifest, function: Function) -> Domain:
    """The ranges of a function's inputs; parameters that the model declares integer must be whole."""
    return domain_of(function.row_inputs, manifest.real, whole_inputs(manifest))


def parameter_domain(manifest: Manifest) -> Domain | None:
    """The ranges of the tunable parameters; None where every parameter is frozen."""
    if manifest.recalibrate is None:
        return None
    return domain_of(manifest.recalibrate.row_inputs, manifest.real, whole_parameters(manifest))


def whole_parameters(manifest: Manifest) -> set[str]:
    """Parameters that the model declares integer."""
    listed = manifest.model.get("parameters", [])
    return {entry["name"] for entry in listed if entry.get("integer")} if isinstance(listed, list) else set()


def whole_inputs(manifest: Manifest) -> set[str]:
    """Parameters and states that must be whole numbers."""
    listed = manifest.model.get("whole", [])
    return whole_parameters(manifest) | set(listed if isinstance(listed, list) else [])


def parameter_sets(manifest: Manifest, seed: int) -> tuple[ParameterSet, ...]:
    """Nominal, the ends one parameter after the other, and random values of all at once."""
    domain = parameter_domain(manifest)
    if domain is None or not domain.names:
        return (ParameterSet(NOMINAL_NAME),)
    rows, names = [domain.nominal], [NOMINAL_NAME]
    for columns in _groups(len(domain.names)):
        for bound, word in ((domain.minimum, "least"), (domain.maximum, "greatest")):
            row = domain.nominal.copy()
            row[columns] = bound[columns]
            rows.append(row)
            names.append(
                f"{', '.join(domain.names[k] for k in columns)} at {'its' if len(columns) == 1 else 'their'} {word}"
            )
    rows += list(_random(domain, seed))
    names += [f"random {number}" for number in range(1, RANDOM_SETS + 1)]
    return tuple(_set_of_row(name, domain, row) for name, row in zip(names, rows, strict=True))


def user_set(manifest: Manifest, values: Mapping[str, float]) -> ParameterSet:
    """Values that a user asks for, the others nominal; the nominal set where none of them differs.

    Raises:
        KinefixError: no such tunable parameter, or a value out of its range.
    """
    domain = parameter_domain(manifest)
    known = () if domain is None else domain.names
    for name in values:
        if name not in known:
            raise not_tunable(manifest, name)
    if domain is None or manifest.recalibrate is None:
        return ParameterSet(NOMINAL_NAME)
    with np.errstate(over="ignore"):
        row = np.array([values.get(name, domain.nominal[k]) for k, name in enumerate(known)], dtype=manifest.real)
    for column, field in enumerate(manifest.recalibrate.row_inputs):
        if not domain.accepts(row)[column]:
            raise KinefixError(_not_accepted(field.unit, domain, column, row[column]))
    return _set_of_row(NOMINAL_NAME if (row == domain.nominal).all() else GIVEN_NAME, domain, row)


def _not_accepted(unit: str, domain: Domain, column: int, value: float) -> str:
    said = f"{domain.names[column]} = {digits(value)}{'' if unit == '1' else f' {unit}'}"
    if domain.minimum[column] <= value <= domain.maximum[column]:
        return f"{said} is no whole number, which the model says it must be; give one"
    low, high = digits(domain.minimum[column]), digits(domain.maximum[column])
    return f"{said} is not within {low} to {high}{'' if unit == '1' else f' {unit}'}; give a value of its range"


def shares(count: int, sets: int) -> list[int]:
    """Vectors for each set: half of them nominal, the rest shared evenly, so that the time does not multiply."""
    if sets == 1:
        return [count]
    each = max(LEAST_ROWS, count // 2 // (sets - 1))
    return [max(LEAST_NOMINAL, count - (sets - 1) * each, math.ceil(count / 2)), *([each] * (sets - 1))]


def describe_sets(sets: Sequence[ParameterSet]) -> str:
    """In words at which parameters an export was run."""
    if len(sets) == 1:
        return _describe_set(sets[0])
    number = len(sets[0].values)
    groups = len(_groups(number))
    apart = "each apart" if groups == number else f"{groups} groups of them at a time"
    return f"nominal, both ends of {count_text(number, 'tunable parameter')} ({apart}), {RANDOM_SETS} random sets"


def _describe_set(one: ParameterSet) -> str:
    if not one.values:
        return "all frozen"
    values = ", ".join(f"{name} = {value:.6g}" for name, value in one.changed.items())
    return f"{one.name}: {values}" if values else one.name


def _groups(number: int) -> list[list[int]]:
    """Columns whose ends are taken together."""
    groups = min(number, MOST_GROUPS)
    return [list(range(number))[k::groups] for k in range(groups)]


def _random(domain: Domain, seed: int) -> Rows:
    """Evenly over the ranges: what is near a bound has sets of its own."""
    u = uniform(seed, STREAM, (RANDOM_SETS, len(domain.names)))
    low, high = domain.minimum.astype(np.float64), domain.maximum.astype(np.float64)
    return domain.clip(low + u * (high - low))


def _set_of_row(name: str, domain: Domain, row: Rows) -> ParameterSet:
    return ParameterSet(name, tuple(zip(domain.names, row.astype(np.float64).tolist(), strict=True)))
