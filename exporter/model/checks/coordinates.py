"""Every independent coordinate has a pose, a range and bounds.

In: a `Mechanism`. Out: nothing, or a `ModelError`.
"""

from fractions import Fraction

from exporter.digits import digits
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.nearest import list_words, nearest
from exporter.model.place import Place
from exporter.model.units import Dimension, si_unit

_SECTION = Place(key="coordinates")


def check_coordinates(mechanism: Mechanism) -> None:
    """Refuse independent coordinates that do not exist or lack pose, range or rate.

    Raises:
        ModelError: naming the coordinate and what to add.
    """
    dimensions = mechanism.dimensions()
    _check_names("independent", mechanism.independent, dimensions)
    _check_names("alternative", mechanism.alternative, dimensions)
    _check_alternative(mechanism)
    for name in (*mechanism.independent, *mechanism.alternative):
        _check_given(mechanism, name, dimensions[name])
    for section, names in (
        ("pose", mechanism.pose),
        ("ranges", mechanism.ranges),
        ("branches", mechanism.branches),
    ):
        for name in names:
            if name not in dimensions:
                raise (_SECTION / section / name).error(unknown_coordinate(name, dimensions))
    for name, bounds in mechanism.ranges.items():
        _check_bounds(name, bounds)


def unknown_coordinate(name: str, dimensions: dict[str, Dimension]) -> str:
    """What to say of a name that is no coordinate."""
    return f'"{name}" is not a coordinate{nearest(name, dimensions)}; known are {list_words(dimensions)}'


def _check_names(key: str, names: tuple[str, ...], dimensions: dict[str, Dimension]) -> None:
    place = _SECTION / key
    if not names and key == "independent":
        raise place.error("no coordinate is named; name those that drive the mechanism")
    for position, name in enumerate(names):
        if name not in dimensions:
            raise place.error(unknown_coordinate(name, dimensions))
        if name in names[:position]:
            raise place.error(f'"{name}" is named twice; name it once')


def _check_alternative(mechanism: Mechanism) -> None:
    """The alternative is another choice of as many coordinates."""
    own, other = mechanism.independent, mechanism.alternative
    if other and len(other) != len(own):
        raise (_SECTION / "alternative").error(
            f"names {len(other)} coordinates; name as many as independent: {len(own)}"
        )
    if other and set(other) == set(own):
        raise (_SECTION / "alternative").error("is the choice that independent names; name another coordinate")


def _check_given(mechanism: Mechanism, name: str, dimension: Dimension) -> None:
    unit = si_unit(dimension)
    if name not in mechanism.pose:
        raise (_SECTION / "pose").error(
            f"the independent coordinate {name} has no pose; add its value at the design pose, in {unit} or alike"
        )
    bounds = mechanism.ranges.get(name)
    if bounds is None:
        raise (_SECTION / "ranges").error(
            f"the independent coordinate {name} has no range; add {name} = [from, to], in {unit} or alike, what it "
            "moves over"
        )
    if bounds.rate is None:
        raise (_SECTION / "rates").error(
            f'the independent coordinate {name} has no bound of its rate; add {name} = "10 {unit}/s"'
        )
    if not bounds.minimum <= mechanism.pose[name] <= bounds.maximum:
        raise (_SECTION / "pose" / name).error(
            f"{digits(mechanism.pose[name])} {unit} is outside its range from {digits(bounds.minimum)} to "
            f"{digits(bounds.maximum)} {unit}; choose a pose within, or widen the range"
        )


def _check_bounds(name: str, bounds: CoordinateRange) -> None:
    if bounds.minimum >= bounds.maximum:
        raise (_SECTION / "ranges" / name).error(
            f"{digits(bounds.minimum)} is not below {digits(bounds.maximum)}; write the smaller bound first"
        )
    limits: tuple[tuple[str, Fraction | None], ...] = (
        ("rates", bounds.rate),
        ("accelerations", bounds.acceleration),
    )
    for section, limit in limits:
        if limit is not None and limit <= 0:
            raise (_SECTION / section / name).error(
                f"{digits(limit)} is not above zero; it bounds the magnitude: write a positive one"
            )
