"""Total functions: what keeps every input, root and pivot defined, at constant cost, and tells the status.

Each guard registers its condition with the builder. A builder made with `contract=False` (benchmarks only) skips them.
"""

from fractions import Fraction

from exporter.errors import ZeroPivot
from exporter.sequence.builder import CHECKS, Builder, Flag, Value
from exporter.sequence.operations import Precision, Signal

RADICAND_ROUNDING = 8
"""A radicand in [-RADICAND_ROUNDING eps scale, 0) is rounding: clamped without OUT_OF_WORKSPACE."""

SMALLEST_PART: dict[Precision, Fraction] = {"float32": Fraction(1, 2**12), "float64": Fraction(1, 2**30)}
"""Part of what it is left of, below which a pivot of a linear system is singular.

Rounding of a few eps then leaves the solution off by a hundredth in float32 and a millionth in float64 (decision 0027).
"""


def checked_input(builder: Builder, signal: Signal) -> Value:
    """The input where it is finite and within its range, else its nominal value with ARG_REJECTED.

    Raises:
        ValueError: the signal has no range or no nominal value.
    """
    raw = builder.input(signal)
    if not builder.contract:
        return raw
    if signal.minimum is None or signal.maximum is None or signal.nominal is None:
        raise ValueError(f"input '{signal.name}' has no range or no nominal value")
    with builder.under(CHECKS):
        accepted = _within(raw, signal.minimum, signal.maximum)
        builder.condition("ARG_REJECTED", ~accepted)
        return builder.select(accepted, raw, signal.nominal)


def _within(value: Value, minimum: Fraction, maximum: Fraction) -> Flag:
    if minimum == -maximum:
        return abs(value) <= maximum
    return (value >= minimum) & (value <= maximum)


def clamped_radicand(builder: Builder, radicand: Value, scale: Value | Fraction | int = 1, about: str = "") -> Value:
    """max(radicand, 0), with OUT_OF_WORKSPACE where it is below rounding.

    `scale` is the magnitude of the terms that the radicand is the difference of: a bound, or, where that changes much
    with the pose, a value that is not negative.
    """
    if not builder.contract or radicand.constant is not None:
        return radicand
    rounding = -RADICAND_ROUNDING * builder.epsilon
    limit = scale * rounding if isinstance(scale, Value) else builder.real(rounding * Fraction(scale))
    builder.condition("OUT_OF_WORKSPACE", radicand < limit, about)
    return builder.positive_part(radicand)


def positive_pivot(
    builder: Builder, pivot: Value, threshold: Value | Fraction, about: str = "", condition: str = "NEAR_SINGULAR"
) -> Value:
    """A pivot that is never negative: the threshold where it is below the threshold; sets `condition` there.

    Raises:
        ZeroPivot: it is zero in every pose.
    """
    _require_not_zero(pivot, about)
    if not builder.contract or pivot.constant is not None:
        return pivot
    regular = pivot >= threshold
    builder.condition(condition, ~regular, about)
    return builder.select(regular, pivot, threshold)


def warn_below(value: Value, whole: Value, part: Fraction, about: str = "") -> None:
    """NEAR_SINGULAR where a value is below this part of what it was before something was subtracted from it.

    The value stays as it is: `positive_pivot` keeps it defined.
    """
    builder = value.builder
    if builder.contract and value.constant is None:
        builder.condition("NEAR_SINGULAR", value < part * whole, about)


def signed_pivot(
    builder: Builder, pivot: Value, threshold: Fraction, about: str = "", condition: str = "NEAR_SINGULAR"
) -> Value:
    """A pivot of either sign: +-threshold, with the pivot's own sign, where it is smaller; sets `condition`.

    Raises:
        ZeroPivot: it is zero in every pose.
    """
    _require_not_zero(pivot, about)
    if not builder.contract or pivot.constant is not None:
        return pivot
    regular = abs(pivot) >= threshold
    builder.condition(condition, ~regular, about)
    return builder.select(regular, pivot, _with_sign_of(pivot, threshold))


def kept_away(builder: Builder, value: Value, limit: Fraction, side: int) -> Value:
    """A value that is at least `limit` from zero, without a condition.

    Args:
        builder: of the value.
        value: what is limited.
        limit: above zero.
        side: 1 or -1 where the result shall have this sign; 0 keeps the sign of the value.
    """
    if side > 0:
        return builder.select(value >= limit, value, limit)
    if side < 0:
        return builder.select(value <= -limit, value, -limit)
    return builder.select(abs(value) >= limit, value, _with_sign_of(value, limit))


def _require_not_zero(pivot: Value, about: str) -> None:
    if pivot.constant == 0:
        raise ZeroPivot(f"{about or 'a pivot is zero'}, and that in every pose")


def saturated(
    builder: Builder,
    value: Value,
    limit: Fraction,
    about: str = "",
    condition: str = "NEAR_SINGULAR",
    counts: Flag | None = None,
) -> Value:
    """A value of either sign that never exceeds the limit: +-limit where it would; sets `condition` where it counts."""
    if not builder.contract or value.constant is not None:
        return value
    within, kept = kept_within(value, limit)
    builder.condition(condition, ~within if counts is None else counts & ~within, about)
    return kept


def kept_within(value: Value, limit: Fraction) -> tuple[Flag, Value]:
    """Whether a value is within [-limit, limit], and the value, +-limit where it is not."""
    within = abs(value) <= limit
    return within, value.builder.select(within, value, _with_sign_of(value, limit))


def limitable(
    builder: Builder, value: Value, limit: Fraction, about: str = "", condition: str = "NEAR_SINGULAR"
) -> Value:
    """The value as it is; where the ranges do not show that the sequence is finite, a proof may limit it like this."""
    if builder.contract and value.constant is None:
        builder.may_limit(value, limit, condition, about)
    return value


def _with_sign_of(value: Value, magnitude: Fraction) -> Value:
    builder = value.builder
    sign_bit = 1 << (31 if builder.precision == "float32" else 63)
    return ((value.bits() & sign_bit) | builder.real(magnitude).bits()).as_real()
