"""Couplings name coordinates of the tree, have the right dimensions and ratios that are not zero, and run in no circle.

In: a `Mechanism`. Out: nothing, or a `ModelError`.
"""

from collections.abc import Iterator, Mapping

from exporter.digits import digits
from exporter.model.checks.bodies import Entry, KnownNames, check_formulas
from exporter.model.checks.coordinates import unknown_coordinate
from exporter.model.couplings import Coupling, coupling_text, following, product
from exporter.model.evaluate import evaluate
from exporter.model.expression import Name
from exporter.model.mechanism import Mechanism
from exporter.model.parameter_sets import parameter_sets, set_text
from exporter.model.place import Place
from exporter.model.units import parse_unit

_SECTION = Place(key="couplings")


def check_couplings(mechanism: Mechanism) -> None:
    """Refuse couplings that cannot be.

    Raises:
        ModelError: naming the coupling, what is wrong, and what to write.
    """
    if not mechanism.couplings:
        return
    _check_alone(mechanism)
    for coupling in mechanism.couplings:
        _check_names(coupling, mechanism)
    _check_once(mechanism)
    check_formulas(_formulas(mechanism), _known_names(mechanism))
    _check_ratios(mechanism)
    _check_circles(mechanism)
    _check_given(mechanism)


def _check_alone(mechanism: Mechanism) -> None:
    """What couplings do not go together with."""
    if mechanism.alternative:
        raise Place(key="coordinates.alternative").error(
            "a second choice of coordinates and couplings do not go together in this version; leave one of them out"
        )
    if mechanism.reactions:
        raise (Place(key="outputs") / next(iter(mechanism.reactions))).error(
            "forces and torques of joints are not given where coordinates are coupled, for what gears and belts hand "
            "over is none of a joint's; leave the output out"
        )


def _check_names(coupling: Coupling, mechanism: Mechanism) -> None:
    place, dimensions = _SECTION / coupling.follower, mechanism.dimensions()
    for name in coupling.coordinates:
        if name not in dimensions:
            raise place.error(unknown_coordinate(name, dimensions))
    if not coupling.ratios:
        raise place.error(
            "no other coordinate is named; a coordinate that does not move is a fixed joint, or has no joint at all"
        )
    if coupling.follower in coupling.ratios:
        raise place.error(f'"{coupling.follower}" follows itself; bring it to the left side')


def _check_once(mechanism: Mechanism) -> None:
    seen = set[str]()
    for coupling in mechanism.couplings:
        if coupling.follower in seen:
            raise (_SECTION / coupling.follower).error(
                f'"{coupling.follower}" is coupled twice; write the second coupling by another of its coordinates'
            )
        seen.add(coupling.follower)


def _known_names(mechanism: Mechanism) -> KnownNames:
    units = {parameter.name: parse_unit(parameter.unit).dimension for parameter in mechanism.parameters}
    return KnownNames({**units, **mechanism.dimensions()}, mechanism.nominal_values())


def _formulas(mechanism: Mechanism) -> Iterator[Entry]:
    dimensions = mechanism.dimensions()
    for coupling in mechanism.couplings:
        place, dimension = _SECTION / coupling.follower, dimensions[coupling.follower]
        for name, ratio in coupling.ratios.items():
            yield place, product(ratio, Name(name)), dimension
        yield place, coupling.offset, dimension


def _check_ratios(mechanism: Mechanism) -> None:
    """No ratio is zero, or changes its sign, over the ranges of tunable parameters."""
    for coupling in mechanism.couplings:
        place = _SECTION / coupling.follower
        for name, ratio in coupling.ratios.items():
            signs = set[bool]()
            for values in parameter_sets(mechanism):
                with place.within():
                    value = evaluate(ratio, values)
                signs.add(value > 0)
                if value == 0 or len(signs) > 1:
                    where = set_text(mechanism, values)
                    raise place.error(
                        f"the ratio of {name} is {digits(value) if value == 0 else 'of either sign'}"
                        f"{f' at {where}' if where else ''}; a ratio must not pass zero: leave {name} out, or narrow "
                        "the range of what it is made of"
                    )


def _check_circles(mechanism: Mechanism) -> None:
    """Followed from follower to follower, couplings come to an end."""
    behind = {coupling.follower: coupling.ratios for coupling in mechanism.couplings}
    for start in behind:
        way = _circle(start, behind, ())
        if way:
            raise (_SECTION / start).error(
                f"couplings run in a circle: {', '.join(way)}; each says how one coordinate follows others: write "
                "one of them, by a coordinate that no other coupling gives"
            )


def _circle(name: str, behind: Mapping[str, Mapping[str, object]], way: tuple[str, ...]) -> tuple[str, ...]:
    if name in way:
        return (*way[way.index(name) :], name)
    for other in behind.get(name, ()):
        found = _circle(other, behind, (*way, name))
        if found:
            return found
    return ()


def _check_given(mechanism: Mechanism) -> None:
    """Independent coordinates are not tied to each other."""
    for key, names in (("independent", mechanism.independent), ("alternative", mechanism.alternative)):
        tied = following(mechanism.couplings, names).tied
        if names and tied:
            raise Place(key=f"coordinates.{key}").error(
                f"{', '.join(names)} are tied to each other by the coupling {coupling_text(tied[0])}; leave one out"
            )
