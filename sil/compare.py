"""Compares two arrays of numbers: absolute, in units in the last place, relative, angles modulo a turn.

Everything is written so that a NaN fails: a number passes only where `error <= limit` holds. -0.0 equals 0.0 except in
`different_bits`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.errors import KinefixError
from sil.stated_limits import require_tolerance

Numbers = NDArray[Any]
_INTEGERS: dict[str, type[np.int32] | type[np.int64]] = {"float32": np.int32, "float64": np.int64}


def require_type(values: Numbers, real: str, what: str) -> None:
    """Refuse an array of another type: a silent promotion would judge something else.

    Raises:
        KinefixError: the type differs.
    """
    if values.dtype != np.dtype(real):
        raise KinefixError(f"{what} is {values.dtype}, not {real}; convert it before it is compared")


def ordinals(values: Numbers) -> NDArray[np.int64]:
    """Integers in the order of the floats, neighbours one apart, both zeros 0."""
    narrow = _INTEGERS[str(values.dtype)]
    bits = np.ascontiguousarray(values).view(narrow).astype(np.int64)
    return np.where(bits < 0, int(np.iinfo(narrow).min) - bits, bits)


def ulp_distance(left: Numbers, right: Numbers) -> NDArray[np.float64]:
    """Floats between two numbers of one type, as a float64; infinite where either is not finite.

    Raises:
        KinefixError: the types differ.
    """
    require_type(right, str(left.dtype), "the second operand")
    a, b = ordinals(left), ordinals(right)
    same_side = (a < 0) == (b < 0)  # else the difference may overflow
    across = np.abs(a.astype(np.float64)) + np.abs(b.astype(np.float64))
    apart = np.where(same_side, np.abs(np.where(same_side, a - b, 0)), across)
    return np.where(np.isfinite(left) & np.isfinite(right), apart, np.inf)


def angle_difference(left: Numbers, right: Numbers) -> Numbers:
    """Difference of two angles, left - right, brought into [-pi, pi].

    The remainder is exact, so that numbers too large to be an angle do not come out as equal.
    """
    part = np.fmod(left - right, 2 * np.pi)
    return np.asarray(np.where(np.abs(part) > np.pi, part - np.copysign(2 * np.pi, part), part))


def different_bits(left: Numbers, right: Numbers) -> NDArray[np.bool_]:
    """Where the bits differ; two NaN count as the same whatever their payload.

    Raises:
        KinefixError: the types differ.
    """
    require_type(right, str(left.dtype), "the second operand")
    unsigned = f"u{left.dtype.itemsize}"
    same = np.ascontiguousarray(left).view(unsigned) == np.ascontiguousarray(right).view(unsigned)
    return np.asarray(np.logical_not(same | (np.isnan(left) & np.isnan(right))))


@dataclass(frozen=True, slots=True)
class Tolerance:
    """A number passes within `ulp` of the last place, or within `absolute`, or within `relative` of the right value.

    Where all three are 0, it passes where every bit agrees: -0.0 is not 0.0 then. What is not finite never passes.

    Raises:
        KinefixError: one of the three is not finite, or negative.
    """

    ulp: float = 0.0
    absolute: float = 0.0
    relative: float = 0.0
    angle: bool = False

    def __post_init__(self) -> None:
        for name in ("ulp", "absolute", "relative"):
            require_tolerance(getattr(self, name), f"the tolerance '{name}'")

    def holds(self, actual: Numbers, right: Numbers) -> NDArray[np.bool_]:
        """Where `actual` passes. Both must be of one type if ulp is used.

        Raises:
            KinefixError: the types differ although ulp is used.
        """
        if not (self.ulp or self.absolute or self.relative):
            return np.asarray((actual == right) & (np.signbit(actual) == np.signbit(right)) & np.isfinite(actual))
        with np.errstate(invalid="ignore", over="ignore"):
            difference = angle_difference(actual, right) if self.angle else actual - right
            passes = np.abs(difference) <= np.maximum(self.absolute, self.relative * np.abs(right))
        if self.ulp:
            passes = passes | (ulp_distance(actual, right) <= self.ulp)
        return np.asarray(passes & np.isfinite(actual) & np.isfinite(right))
