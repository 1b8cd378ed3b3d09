"""Reads pose, ranges, rates, accelerations and branches of the coordinates, and the step, of a mechanism file.

In: the tables [coordinates] and [step], which fit the schema, and the dimension of every coordinate. Out: rationals in
SI units by coordinate.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from exporter.digits import digits
from exporter.model.mechanism import USUAL_RATIO, CoordinateRange, StepOptions
from exporter.model.nearest import list_words, nearest
from exporter.model.place import Place
from exporter.model.toml.bodies import Table
from exporter.model.toml.values import quantity, quantity_range
from exporter.model.units import DIMENSIONLESS, TIME, Dimension

Dimensions = Mapping[str, Dimension]
LARGEST_RATIO = 100  # of a switch: beyond, the choice that is left would be next to singular


def read_pose(place: Place, table: Table, dimensions: Dimensions) -> dict[str, Fraction]:
    """The design pose of those coordinates that the file gives."""
    return _quantities(place, table, dimensions)


def read_ranges(place: Place, table: Table, dimensions: Dimensions) -> dict[str, CoordinateRange]:
    """Bounds by coordinate; rate and acceleration are None where the file gives none."""
    ranges = table.get("ranges", {})
    per_time = {name: dimension / TIME for name, dimension in dimensions.items()}
    per_time_squared = {name: dimension / TIME**2 for name, dimension in dimensions.items()}
    rates = _quantities(place / "rates", table.get("rates", {}), per_time)
    accelerations = _quantities(place / "accelerations", table.get("accelerations", {}), per_time_squared)
    for key, bounds in (("rates", rates), ("accelerations", accelerations)):
        for name in bounds:
            if name not in ranges:
                raise (place / "ranges").error(
                    f"{name} has a bound under {key} and no range; add {name} = [smallest, largest]"
                )
    return {
        name: _range(place / "ranges", name, texts, dimensions, rates, accelerations) for name, texts in ranges.items()
    }


def _range(
    place: Place,
    name: str,
    texts: Sequence[str],
    dimensions: Dimensions,
    rates: Mapping[str, Fraction],
    accelerations: Mapping[str, Fraction],
) -> CoordinateRange:
    _require_coordinate(place, name, dimensions)
    low, high = quantity_range(place / name, texts, dimensions[name])
    return CoordinateRange(low, high, rates.get(name), accelerations.get(name))


def read_branches(place: Place, table: Table, dimensions: Dimensions) -> dict[str, str]:
    """Names of assemblies by coordinate."""
    for name in table:
        _require_coordinate(place, name, dimensions)
    return dict(table)


def read_switch_ratio(place: Place, table: Table) -> Fraction:
    """How many times better the other choice of coordinates must be.

    Raises:
        ModelError: it is not above 1, so that two choices as good as each other would alternate; or there is no other.
    """
    if "switch_ratio" not in table:
        return USUAL_RATIO
    if "alternative" not in table:
        raise (place / "switch_ratio").error("there is nothing to switch to; add alternative = [...] or leave it out")
    ratio = quantity(place / "switch_ratio", table["switch_ratio"], DIMENSIONLESS)
    if not 1 < ratio <= LARGEST_RATIO:
        raise (place / "switch_ratio").error(f"{digits(ratio)} is not above 1 and at most {LARGEST_RATIO}; write 2")
    return ratio


def read_step(place: Place, table: Table) -> StepOptions:
    """How `dostep` integrates."""
    default = StepOptions()
    period = quantity(place / "period", table["period"], TIME) if "period" in table else default.period
    return StepOptions(table.get("method", default.method), period, tuple(table.get("implicit", ())))


def _quantities(place: Place, table: Table, dimensions: Dimensions) -> dict[str, Fraction]:
    for name in table:
        _require_coordinate(place, name, dimensions)
    return {name: quantity(place / name, text, dimensions[name]) for name, text in table.items()}


def _require_coordinate(place: Place, name: str, dimensions: Dimensions) -> None:
    if name in dimensions:
        return
    base, _, suffix = name.partition(".")
    if base in dimensions and suffix in ("rate", "acceleration"):
        raise place.error(f'"{name}" has no place here; write {base} = ... under coordinates.{suffix}s')
    raise place.error(f'"{name}" is not a coordinate{nearest(name, dimensions)}; known are {list_words(dimensions)}')
