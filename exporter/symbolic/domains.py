"""Logarithms, powers, exponentials and rests of a symbolic model: in their kernel's domain, or refused.

In: the guards and the handles of arguments. Out: the handle of the value. A logarithm and a real power need an argument
above zero, which the ranges prove or the root policy clamps; an exponential and a power must not overflow.
"""

from exporter.errors import ModelError
from exporter.sequence.builder import Value
from exporter.sequence.enclosure import Enclosure, text
from exporter.sequence.kernels.domains import EXPONENT, OCTAVES, QUOTIENT, within_domain
from exporter.sequence.kernels.logarithm import smallest_normal
from exporter.sequence.operations import Kind
from exporter.symbolic.guards import Guards


def positive(guards: Guards, value: Value, of: str) -> Value:
    """An argument of a logarithm, or a base of a power.

    Raises:
        ModelError: it may be zero or negative, and there is no policy.
    """
    if value.constant is not None and value.constant <= 0:
        raise ModelError(f"{guards.place} takes {of} of {float(value.constant):g}; it must be above zero")
    if value.constant is not None or is_normal(guards, value) or not guards.builder.contract:
        return value
    bounds, least = guards.enclosures.of(value), smallest_normal(guards.builder.precision)
    safe = _clamped(guards, value, of) if guards.root is not None else _claimed(guards, value, of)
    guards.enclosures.declare(safe, Enclosure(max(bounds.low, float(least)), max(bounds.high, float(least))))
    return safe


def is_normal(guards: Guards, value: Value) -> bool:
    """Whether the ranges show that a value is above zero, with all its digits."""
    return guards.enclosures.of(value).low >= smallest_normal(guards.builder.precision)


def _clamped(guards: Guards, value: Value, of: str) -> Value:
    builder, least = guards.builder, smallest_normal(guards.builder.precision)
    with builder.guarding() as guarded:
        builder.condition("OUT_OF_WORKSPACE", value < least, f"an argument of {of} in {guards.place}")
        guarded.append(builder.select(value < least, least, value))
    return guarded[0]


def _claimed(guards: Guards, value: Value, of: str) -> Value:
    least = smallest_normal(guards.builder.precision)

    def above_zero(at: Enclosure) -> bool:
        return at.low >= least

    what = guards.refusal(
        f"takes {of} of a value in {{}}, which may be zero or negative", "Max(value, least)", "root=Root()"
    )
    return guards.claim(value, guards.builder.select(value < least, least, value), above_zero, above_zero, what)


def exponential(guards: Guards, value: Value) -> Value:
    """exp(value); what is too small counts as the smallest result.

    Raises:
        ModelError: it may overflow.
    """
    last = float(EXPONENT[guards.builder.precision])
    instead = f"write exp(Min(value, {last:g}))"
    return _not_above(guards, value, guards.builder.exp(value), last, "takes exp of a value in {}", instead)


def power(guards: Guards, base: Value, exponent: Value) -> Value:
    """base**exponent of a positive base; what is too small counts as the smallest result.

    Raises:
        ModelError: it may overflow.
    """
    result = guards.builder.pow(base, exponent)
    most = float(2 ** (OCTAVES[guards.builder.precision] - 1))
    return _not_above(guards, result, result, most, "takes a power with a value in {}", "write Min(exponent, limit)")


def _not_above(guards: Guards, value: Value, result: Value, limit: float, what: str, instead: str) -> Value:
    """The result, which claims that a value is not above a limit."""
    if not guards.builder.contract or guards.enclosures.of(value).high <= limit:
        return result
    place = guards.place

    def below(at: Enclosure) -> bool:
        return at.high <= limit

    def refusal(at: Enclosure) -> str:
        return (
            f"{place} {what.format(text(at))}, beyond {limit:.3g}, which may overflow; narrow the ranges, or {instead}"
        )

    return guards.claim(value, result, below, below, refusal)


def rest(guards: Guards, value: Value, modulus: Value) -> Value:
    """Mod(value, modulus), with the sign of the modulus.

    Raises:
        ModelError: the modulus may vanish, or the quotient has too many digits.
    """
    bounds, size = guards.enclosures.of(modulus), guards.enclosures.of(value)
    if bounds.high < 0:
        return -rest(guards, -value, -modulus)
    if not within_domain(Kind.MOD, guards.builder.precision, (size, bounds)):
        most = QUOTIENT[guards.builder.precision]
        raise ModelError(
            f"{guards.place} takes Mod of a value in {text(size)} by one in {text(bounds)}; the modulus must keep its "
            f"sign and be at least 1/{most} of the value: narrow the ranges"
        )
    return guards.builder.mod(value, modulus)
