"""Takes the assembled design pose from a mechanism's own parameters to other values, on its branch.

In: a mechanism, its closures at other values of the parameters. Out: the design there. Newton from the file's pose
would take whichever assembly is near; in small steps from the mechanism's own values it is that of the branch.
"""

from collections.abc import Mapping

import numpy as np

from exporter.errors import NotAssembled
from exporter.model.mechanism import Mechanism
from sil.reference.assembly import Design, design_of, sides_of
from sil.reference.closures import Closures, closures_of, least_squares
from sil.reference.rotations import Array
from sil.reference.skeleton import skeleton_of

CONTINUATION_STEPS = 16  # from the design parameters to those of a set
PASSING_STEP, SETTLED_STEP = 1e-4, 1e-8
"""Last steps of Newton's method, in rad and m: on the way, and so that the next one would be below rounding."""
ROUNDING_SHARE = 1e-6
"""Part of a parameter below which a change is what rounding to float32 makes of it."""


def differs_from_design(mechanism: Mechanism, parameters: Mapping[str, float]) -> bool:
    """Whether a value differs from the mechanism's own by more than rounding."""
    own = {each.name: float(each.value) for each in mechanism.parameters}
    return any(abs(value - own[name]) > ROUNDING_SHARE * abs(own[name]) for name, value in parameters.items())


def continue_design(
    mechanism: Mechanism, closures: Closures, parameters: Mapping[str, float], start: Array | None = None
) -> Design:
    """Assemble the design pose at other values of the parameters, from that at the own ones and this start, (c,).

    Raises:
        ModelError: on the way it does not close, or the branch ends.
    """
    own = {each.name: float(each.value) for each in mechanism.parameters}
    first = design_of(closures_of(skeleton_of(mechanism)), start, SETTLED_STEP)
    at = first.coordinates
    for step in range(1, CONTINUATION_STEPS):
        part = step / CONTINUATION_STEPS
        between = {name: own[name] + part * (value - own[name]) for name, value in parameters.items()}
        here = closures_of(skeleton_of(mechanism, between))
        at = _settle(here, at)
        _require_branch(mechanism, here, at, first)
    design = design_of(closures, at, SETTLED_STEP)
    _require_branch(mechanism, closures, design.coordinates, first)
    return design


def _settle(closures: Closures, at: Array) -> Array:
    return least_squares(closures, at[None], PASSING_STEP)[0] if closures.skeleton.dependent else at


def _require_branch(mechanism: Mechanism, closures: Closures, at: Array, start: Design) -> None:
    """The side of every fold that the design pose is on at the mechanism's own parameters."""
    if not closures.skeleton.dependent:
        return
    if not np.array_equal(sides_of(closures, start.rows, at), start.sides):
        raise NotAssembled(
            f"the branch of '{mechanism.name}' ends between its own parameters and these values at its design pose"
        )
