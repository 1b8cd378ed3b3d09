"""The last step of making a mechanism, from a file or by the Python API: defaults, checks, hash.

In: a `Mechanism` put together by hand or by the reader. Out: the same, complete and checked. Also: the same mechanism
with other independent coordinates, outputs or parameters.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from exporter.errors import ModelError
from exporter.model.canonical import model_hash
from exporter.model.checks.mechanism import check_mechanism
from exporter.model.mechanism import CoordinateRange, Mechanism, Parameter
from exporter.model.nearest import list_words, nearest


def completed(mechanism: Mechanism) -> Mechanism:
    """The mechanism with default acceleration bounds and its hash.

    A bound of an acceleration that is not given is the bound of the rate over the step's period: what brings the
    coordinate from rest to its fastest within one step.

    Raises:
        ModelError: something in the mechanism is wrong; the sentence starts with the key.
    """
    period = mechanism.step.period
    ranges = {name: _with_acceleration(bounds, period) for name, bounds in mechanism.ranges.items()}
    whole = replace(mechanism, ranges=ranges)
    check_mechanism(whole)
    return replace(whole, model_hash=model_hash(whole))


def _with_acceleration(bounds: CoordinateRange, period: Fraction) -> CoordinateRange:
    if bounds.acceleration is not None or bounds.rate is None or period <= 0:
        return bounds
    return replace(bounds, acceleration=bounds.rate / period)


def with_independent(
    mechanism: Mechanism,
    names: Sequence[str],
    pose: Mapping[str, Fraction] | None = None,
    ranges: Mapping[str, CoordinateRange] | None = None,
) -> Mechanism:
    """The mechanism driven by other coordinates; another choice than its own drops the alternative to it.

    `pose` and `ranges` (SI units) add to those that it has.

    Raises:
        ModelError: a name that is no coordinate, or one without pose, range or rate.
    """
    return completed(
        replace(
            mechanism,
            independent=tuple(names),
            alternative=mechanism.alternative if set(names) == set(mechanism.independent) else (),
            pose={**mechanism.pose, **(pose or {})},
            ranges={**mechanism.ranges, **(ranges or {})},
        )
    )


def by_alternative(mechanism: Mechanism) -> Mechanism:
    """The mechanism driven by its alternative coordinates alone."""
    return completed(replace(mechanism, independent=mechanism.alternative, alternative=()))


def with_outputs(mechanism: Mechanism, names: Collection[str] = ()) -> Mechanism:
    """The mechanism whose functions give these outputs, by name or pattern; all of them where none is named."""
    if tuple(names) == mechanism.chosen_outputs:
        return mechanism
    return completed(replace(mechanism, chosen_outputs=tuple(names)))


def with_tunable(mechanism: Mechanism, names: Collection[str]) -> Mechanism:
    """The mechanism with exactly these parameters tunable and all others frozen.

    Raises:
        ModelError: a name that is no parameter, or one without a range.
    """
    known = [parameter.name for parameter in mechanism.parameters]
    for name in names:
        if name not in known:
            raise ModelError(f'"{name}" is not a parameter{nearest(name, known)}; known are {list_words(known)}')
    parameters = tuple(replace(parameter, frozen=parameter.name not in names) for parameter in mechanism.parameters)
    return completed(replace(mechanism, parameters=parameters))


def with_values(mechanism: Mechanism, values: Mapping[str, Fraction]) -> Mechanism:
    """The mechanism with other values (SI units) of some parameters.

    Raises:
        ModelError: a name that is no parameter, or a value that is not allowed.
    """
    known = [parameter.name for parameter in mechanism.parameters]
    for name in values:
        if name not in known:
            raise ModelError(f'"{name}" is not a parameter{nearest(name, known)}; known are {list_words(known)}')

    def changed(parameter: Parameter) -> Parameter:
        return replace(parameter, value=values.get(parameter.name, parameter.value))

    return completed(replace(mechanism, parameters=tuple(changed(parameter) for parameter in mechanism.parameters)))
