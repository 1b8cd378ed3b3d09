"""What the walk over a symbolic model carries for each node: a number, a condition, or infinity.

In: handles of operands. Out: the same, checked to be real numbers or conditions.
"""

from collections.abc import Callable, Sequence
from typing import Any

from exporter.errors import ModelError
from exporter.records import dataclass
from exporter.sequence.builder import Flag, Value
from exporter.symbolic.guards import Guards


@dataclass(frozen=True, slots=True)
class Infinity:
    """Plus or minus infinity: allowed in Min and Max, where it vanishes."""

    sign: int


Handle = Value | Flag | Infinity
Rule = Callable[[Guards, Any, list[Handle]], Handle]


def real(guards: Guards, handle: Handle) -> Value:
    """The handle as a number.

    Raises:
        ModelError: it is infinite or a condition.
    """
    if isinstance(handle, Infinity):
        raise ModelError(f"{guards.place} contains oo outside of Min and Max; write a finite bound")
    if isinstance(handle, Flag):
        raise ModelError(f"{guards.place} uses a condition as a number; write Piecewise((1, condition), (0, True))")
    return handle


def reals(guards: Guards, handles: Sequence[Handle]) -> list[Value]:
    """All handles as numbers."""
    return [real(guards, handle) for handle in handles]


def condition(guards: Guards, handle: Handle) -> Flag:
    """The handle as a condition.

    Raises:
        ModelError: it is a number.
    """
    if isinstance(handle, Flag):
        return handle
    raise ModelError(f"{guards.place} uses a number as a condition; write a comparison")
