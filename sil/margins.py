"""Margins and pivots of rows: from the function's own outputs, else from the function that solves the positions.

In: what tells whole poses, a function and rows; out: the smallest margin or pivot per row, and a probe for
`sil.vectors`.
"""

import numpy as np
from numpy.typing import NDArray

from exporter.manifest import Function, Manifest
from sil.domain import Rows
from sil.parameter_sets import function_domain
from sil.runners.runner import RunResult
from sil.signals import by_role
from sil.vectors import Margins, Probe
from sil.whole_poses import WholePoses


def companion_of(manifest: Manifest, function: Function) -> Function | None:
    """The first function that tells margins and whose inputs this one has too, itself first."""
    given = {field.name for field in function.row_inputs}
    itself = [other for other in manifest.functions if other.name == function.name]
    for other in (*itself, *manifest.functions):
        needed = {field.name for field in other.row_inputs}
        if (by_role(other, "margin") or by_role(other, "pivot")) and needed and needed <= given:
            return other
    return None


def probe_of(whole: WholePoses, function: Function, found: dict[object, Rows]) -> Probe | None:
    """Margins of any rows of this function, or None where nothing tells them.

    Where there are only margins or only pivots, they serve as both. `found` keeps rows near their zeros, for every
    function at the same parameters.
    """
    companion = companion_of(whole.manifest, function)
    if companion is None:
        return None
    branch, pivot = by_role(companion, "margin"), by_role(companion, "pivot")

    def measure(rows: Rows) -> Margins:
        outputs = whole.call(companion.name, rows).outputs.astype(np.float64)
        return Margins(outputs[:, branch or pivot], outputs[:, pivot or branch])

    domain = function_domain(whole.manifest, companion)
    return Probe(companion.name, domain, columns_of_companion(function, companion), measure, found)


def margins_of(whole: WholePoses, function: Function, rows: Rows, ran: RunResult) -> NDArray[np.float64]:
    """The smallest magnitude of a margin or pivot per row; 1 where nothing tells it."""
    companion = companion_of(whole.manifest, function)
    if companion is None or not len(rows):
        return np.ones(len(rows))
    own = companion == function
    outputs = (
        ran.outputs if own else whole.call(companion.name, rows[:, columns_of_companion(function, companion)]).outputs
    )
    chosen = by_role(companion, "margin") + by_role(companion, "pivot")
    return np.asarray(np.abs(outputs[:, chosen].astype(np.float64)).min(axis=1))


def columns_of_companion(function: Function, companion: Function) -> list[int]:
    """Where a function's rows have the inputs of its companion, in the companion's order."""
    names = [field.name for field in function.row_inputs]
    return [names.index(field.name) for field in companion.row_inputs]
