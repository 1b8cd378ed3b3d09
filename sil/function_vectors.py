"""The vectors of one function at every set of parameters, or one of them alone.

In: an export, a function, the sets. Out: lots, one for each set, numbered one after the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from exporter.errors import KinefixError
from exporter.export import Export
from exporter.manifest import Function
from sil.domain import Domain, Rows, domain_of
from sil.margins import probe_of
from sil.options import Options
from sil.parameter_sets import NOMINAL_NAME, shares, whole_inputs
from sil.reference.mechanism import Reference
from sil.runners.runner import Runner, RunResult
from sil.setting import Setting
from sil.vectors import Vectors, vectors
from sil.warm_start import starts_from_previous, with_previous

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


def function_domain(export: Export, function: Function) -> Domain:
    """The ranges of a function's inputs; parameters that the model declares integer must be whole."""
    return domain_of(function.row_inputs, export.manifest.real, whole_inputs(export.manifest))


def lots_of(
    export: Export, function: Function, options: Options, settings: Sequence[Setting], host: Runner
) -> Iterator[ParameterLot]:
    """One lot for each set of parameters; a function without inputs gets one empty row in each.

    Raises:
        KinefixError: the one vector that is asked for does not exist.
    """
    domain = function_domain(export, function)
    sizes = shares(options.count, len(settings)) if domain.names else [1] * len(settings)
    total, first = sum(sizes), 0
    if options.row is not None and not 0 <= options.row < total:
        raise KinefixError(f"there is no vector {options.row}; the set has {total}, counted from 0")
    for number, (setting, size) in enumerate(zip(settings, sizes, strict=True)):
        inside = options.row is None or first <= options.row < first + size
        if inside:
            made = _vectors_at(export, function, domain, (options.seed + SEEDS_APART * number, size), setting, host)
            made = replace(made, seed=options.seed)
            if options.row is None:
                yield ParameterLot(setting, first, size / total, made)
            else:
                yield ParameterLot(setting, options.row, 1.0, made.only(options.row - first))
        first += size


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
    made = vectors(domain, seed, size, probe_of(export.manifest, function, call) if wanted else None)
    if starts_from_previous(function) and isinstance(setting.reference, Reference):
        made = with_previous(made, function, domain, setting.reference)
    return made
