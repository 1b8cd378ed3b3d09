"""The vectors of one function at every set of parameters, or one of them alone.

In: an export, a function, the sets. Out: lots, one for each set, numbered one after the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from exporter.errors import KinefixError
from exporter.export import Export
from exporter.manifest import Function
from sil.domain import Domain, Rows
from sil.margins import probe_of
from sil.options import Options
from sil.parameter_sets import NOMINAL_NAME, function_domain, shares
from sil.reference.mechanism import Reference
from sil.runners.runner import Runner, RunResult
from sil.setting import Setting
from sil.vectors import Vectors, vectors
from sil.warm_start import starts_from_previous, with_previous
from sil.whole_poses import whole_poses

FEWEST_PROBED_ROWS = 200
"""A set with fewer vectors takes random ones where others are near a branch or a singular pose."""
SEEDS_APART = 7919  # between one parameter set and the next


@dataclass(frozen=True, slots=True)
class ParameterLot:
    """The vectors at one set of parameters."""

    setting: Setting
    first: int  # number of its first vector
    share: float  # part of all vectors
    made: Vectors


@dataclass(frozen=True, slots=True)
class LotPlace:
    """Which vectors stand at one set of parameters."""

    number: int  # of the set
    first: int  # number of its first vector
    size: int
    total: int  # vectors of the function


def lot_places(domain: Domain, options: Options, settings: int) -> list[LotPlace]:
    """One place for each set of parameters, or that of the one vector that is asked for.

    A function without inputs gets one empty row in each.

    Raises:
        KinefixError: the one vector that is asked for does not exist.
    """
    sizes = shares(options.count, settings) if domain.names else [1] * settings
    total = sum(sizes)
    places = [LotPlace(number, sum(sizes[:number]), size, total) for number, size in enumerate(sizes)]
    if options.row is None:
        return places
    if not 0 <= options.row < total:
        raise KinefixError(f"there is no vector {options.row}; the set has {total}, counted from 0")
    return [place for place in places if place.first <= options.row < place.first + place.size]


def lot_at(
    export: Export, function: Function, options: Options, place: LotPlace, setting: Setting, host: Runner
) -> ParameterLot:
    """The vectors at a place, or of these the one that is asked for."""
    domain = function_domain(export.manifest, function)
    drawn = options.seed + SEEDS_APART * place.number, place.size
    made = replace(_vectors_at(export, function, domain, drawn, setting, host), seed=options.seed)
    if options.row is None:
        return ParameterLot(setting, place.first, place.size / place.total, made)
    return ParameterLot(setting, options.row, 1.0, made.only(options.row - place.first))


def lots_of(
    export: Export, function: Function, options: Options, settings: Sequence[Setting], host: Runner
) -> Iterator[ParameterLot]:
    """One lot for each set of parameters, one after the other."""
    for place in lot_places(function_domain(export.manifest, function), options, len(settings)):
        yield lot_at(export, function, options, place, settings[place.number], host)


def _vectors_at(
    export: Export, function: Function, domain: Domain, drawn: tuple[int, int], setting: Setting, host: Runner
) -> Vectors:
    """The fixed mix of one set; previous solutions that an iterative method starts from are the reference's."""
    seed, size = drawn
    if not domain.names:
        return vectors(domain, seed, size)

    def call(name: str, rows: Rows) -> RunResult:
        return host.run(name, rows, setting.parameters.changed)

    wanted = setting.parameters.name == NOMINAL_NAME or size >= FEWEST_PROBED_ROWS
    whole = whole_poses(export, call, setting.parameters.changed)
    probe = probe_of(whole, function, setting.gathered) if wanted else None
    made = vectors(domain, seed, size, probe)
    if starts_from_previous(function) and isinstance(setting.reference, Reference):
        made = with_previous(made, function, domain, setting.reference)
    return made
