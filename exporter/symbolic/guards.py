"""Divisions, roots and arc functions of a symbolic model: proven by the ranges, guarded by a policy, or refused.

In: a value of the sequence that divides, stands under a root or in asin, acos, atan2. Out: a value that is
safe there. Refusals name the place, the bounds that the ranges give, and what to write.
"""

import math
from collections.abc import Callable
from dataclasses import field
from fractions import Fraction

from exporter.errors import ModelError
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.enclosure import Enclosure, positive_part, text
from exporter.sequence.guards import (
    RADICAND_ROUNDING,
    SMALLEST_PART,
    clamped_radicand,
    kept_away,
    positive_pivot,
    signed_pivot,
    warn_below,
)
from exporter.sequence.operations import Kind
from exporter.symbolic.claims import Claim, Claims
from exporter.symbolic.enclosures import Enclosures
from exporter.symbolic.policies import Division, Root
from exporter.symbolic.recording_builder import RecordingBuilder


@dataclass(slots=True)
class Guards:
    """The builder, what is known of its values, the model's policies, and the place that is being written."""

    builder: RecordingBuilder
    enclosures: Enclosures
    division: Division | None
    root: Root | None
    place: str = ""  # "output 'y'": named in errors and in the status text
    claims: Claims = field(default_factory=Claims)  # what neither the ranges nor a policy prove

    def pivot(self, denominator: Value, threshold: Fraction | None = None) -> Value:
        """A denominator that cannot vanish.

        Raises:
            ModelError: it is the constant 0, or it may vanish and there is neither a threshold nor a policy.
        """
        if denominator.constant == 0:
            raise ModelError(f"{self.place} divides by zero")
        if denominator.constant is not None or self.enclosures.excludes_zero(denominator):
            return denominator
        if threshold is None:
            if self.division is None:
                return self._claimed_pivot(denominator)
            threshold = self.division.threshold
        bounds = self.enclosures.of(denominator)
        with self.builder.guarding() as guarded:
            make = positive_pivot if bounds.low >= 0 else signed_pivot
            safe = make(self.builder, denominator, threshold, f"a denominator of {self.place}")
            guarded.append(safe)
        self.enclosures.declare(safe, _pivot_bounds(bounds, float(threshold)))
        return safe

    def pivot_left(self, threshold: Fraction | None, pivot: Value, before: Value) -> Value:
        """A pivot of a linear system that cannot vanish, with a warning where cancellation leaves little of `before`.

        Raises:
            ModelError: see `pivot`.
        """
        safe = self.pivot(pivot, threshold)
        if safe not in (pivot, before) and before.constant is None:
            part = SMALLEST_PART[self.builder.precision]
            with self.builder.guarding() as guarded:
                warn_below(abs(pivot), abs(before), part, f"a pivot of {self.place}")
                guarded.append(safe)
        return safe

    def _claimed_pivot(self, denominator: Value) -> Value:
        """A denominator that its arm's condition keeps away from zero, by the limit found in the pass before."""
        if not self.builder.contract:
            return denominator
        known = self.claims.assumption() or self.enclosures.of(denominator)
        known = self.enclosures.of(denominator) if known.empty else known  # of an arm that nothing selects
        limit = known.smallest or 1.0
        safe = kept_away(self.builder, denominator, Fraction(limit), (known.low > 0) - (known.high < 0))
        self.enclosures.declare(safe, _pivot_bounds(self.enclosures.of(denominator), limit, known))
        what = self.refusal(
            "divides by a value in {}, which may vanish",
            "Pivot(denominator, threshold)",
            "division=Division(threshold)",
        )
        return self.claim(denominator, safe, lambda at: at.smallest >= limit, lambda at: at.smallest > 0, what)

    def claim(
        self,
        value: Value,
        safe: Value,
        holds: Callable[[Enclosure], bool],
        provable: Callable[[Enclosure], bool],
        refusal: Callable[[Enclosure], str],
    ) -> Value:
        """Note that a value is within the limit that `safe` keeps, to be proven when all is written."""
        self.claims.made.append(Claim(value, safe, holds, provable, refusal))
        return safe

    def refusal(self, what: str, marker: str, policy: str) -> Callable[[Enclosure], str]:
        """The sentence that refuses a place, from the bounds there: what is done, and two ways out."""
        place = self.place
        return lambda at: (
            f"{place} {what.format(text(at))}, and no policy says what then; narrow the ranges, write {marker}, "
            f"or give the model {policy}"
        )

    def radicand(self, value: Value, *, marked: bool = False, scale: Fraction | None = None) -> Value:
        """A radicand that is not negative.

        Args:
            value: the radicand.
            marked: a Radicand marker stands there: no policy is needed.
            scale: bound of the terms; None takes the policy's, or the ranges'.

        Raises:
            ModelError: it is a negative constant, or it may be negative and there is no policy.
        """
        if value.constant is not None and value.constant < 0:
            raise ModelError(f"{self.place} takes the root of {float(value.constant):g}; the result must be real")
        bounds = self.enclosures.of(value)
        if value.constant is not None or bounds.low >= 0:
            return value
        if not marked and self.root is None:
            return self._claimed_radicand(value, bounds)
        if scale is None:
            scale = self.root.scale if self.root is not None and not marked else None
        with self.builder.guarding() as guarded:
            bound = self._scale(value) if scale is None else scale
            safe = clamped_radicand(self.builder, value, bound, f"a radicand of {self.place}")
            guarded.append(safe)
        self.enclosures.declare(safe, Enclosure(0.0, max(bounds.high, 0.0)))
        return safe

    def ratio(self, value: Value, *, marked: bool = False) -> Value:
        """An argument of asin or acos within [-1, 1].

        Raises:
            ModelError: it may leave [-1, 1] and there is no policy.
        """
        bounds = self.enclosures.of(value)
        if value.constant is None and _is_ratio(bounds):
            return value
        if value.constant is not None and abs(value.constant) > 1:
            raise ModelError(f"{self.place} takes asin or acos of {float(value.constant):g}; it must be within [-1, 1]")
        if value.constant is not None:
            return value
        if not self.builder.contract:
            return value
        return self._clamped_ratio(value) if marked or self.root is not None else self._claimed_ratio(value)

    def _claimed_radicand(self, value: Value, bounds: Enclosure) -> Value:
        if not self.builder.contract:
            return value
        safe = self.builder.positive_part(value)
        self.enclosures.declare(safe, positive_part(bounds))
        what = self.refusal(
            "takes the root of a value in {}, which may be negative", "sqrt(Radicand(value))", "root=Root()"
        )
        return self.claim(value, safe, _never_negative, _never_negative, what)

    def _claimed_ratio(self, value: Value) -> Value:
        safe = self._within_one(value)
        what = self.refusal(
            "takes asin or acos of a value in {}, which may leave [-1, 1]", "Ratio(value)", "root=Root()"
        )
        return self.claim(value, safe, _is_ratio, _is_ratio, what)

    def _within_one(self, value: Value) -> Value:
        raised = self.builder.select(value < -1, -1, value)
        return self.builder.select(raised > 1, 1, raised)

    def _clamped_ratio(self, value: Value) -> Value:
        builder, beyond = self.builder, 1 + RADICAND_ROUNDING * self.builder.epsilon
        with builder.guarding() as guarded:
            safe = self._within_one(value)
            builder.condition("OUT_OF_WORKSPACE", abs(value) > beyond, f"an arc function's argument in {self.place}")
            guarded.append(safe)
        self.enclosures.declare(safe, Enclosure(-1.0, 1.0))
        return safe

    def angle(self, y: Value, x: Value) -> Value:
        """atan2(y, x); NEAR_SINGULAR, and the value 0, where both vanish."""
        builder = self.builder
        if not builder.contract or self.enclosures.excludes_zero(x) or self.enclosures.excludes_zero(y):
            return builder.atan2(y, x)
        with builder.guarding() as guarded:
            angle = builder.atan2(y, x)
            builder.condition("NEAR_SINGULAR", ~(abs(y) + abs(x) > 0), f"both arguments of an atan2 of {self.place}")
            guarded.append(angle)
        return angle

    def _scale(self, radicand: Value) -> Fraction:
        """A power of two above every term of the radicand."""
        largest = max(self.enclosures.of(term).largest for term in self._terms(radicand))
        if not math.isfinite(largest):
            raise ModelError(
                f"{self.place} takes the root of a value that the ranges do not bound; write Radicand(value, scale)"
            )
        return Fraction(2) ** math.frexp(largest)[1]

    def _terms(self, value: Value) -> list[Value]:
        """What sums and differences add up to this value."""
        terms, seen, stack = [], set(), [value.index]
        while stack:
            index = stack.pop()
            if index in seen:
                continue
            seen.add(index)
            operation = self.builder.operation(index)
            if operation.kind in (Kind.ADD, Kind.SUB, Kind.NEG):
                stack.extend(operation.operands)
            else:
                terms.append(Value(self.builder, index))
        return terms


def _never_negative(bounds: Enclosure) -> bool:
    return bounds.low >= 0


def _is_ratio(bounds: Enclosure) -> bool:
    return bounds.low >= -1 and bounds.high <= 1


def _pivot_bounds(bounds: Enclosure, threshold: float, side: Enclosure | None = None) -> Enclosure:
    """A guarded pivot: away from zero by the threshold, on the side or sides where `side` (`bounds` itself) is."""
    side = side or bounds
    low = threshold if side.low >= 0 else min(bounds.low, -threshold)
    high = -threshold if side.high < 0 else max(bounds.high, threshold)
    return Enclosure(low, high, away=threshold)
