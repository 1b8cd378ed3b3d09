"""Limits of the methods, none of the file's: the smallest pivots to divide by, the largest rates of blocks.

Rates are limited where a sequence could not be shown to be finite otherwise (`exporter.sequence.limiting`), in seeded
Newton blocks always. The bounds of the file are those of arguments (`exporter.functions.signals`) and of steps
(`exporter.dynamics.integration`); exchanged coordinates have `exporter.kinematics.exchanged.limits`.
"""

from fractions import Fraction

from exporter.sequence.operations import Precision

PIVOT_THRESHOLD: dict[Precision, Fraction] = {"float32": Fraction(1, 1000), "float64": Fraction(1, 10**6)}
"""Smallest dimensionless pivot that a block divides by: its rounding is a few eps, rates are off by eps / p."""

FOLD_THRESHOLD: dict[Precision, Fraction] = {"float32": Fraction(1, 24), "float64": Fraction(1, 1024)}
"""Smallest pivot p that is the root of a difference, over the root of the minuend.

Its rounding is a few eps / p, so accelerations are off by some 20 eps / p^2, and by 20 eps / p^3 where two folds meet
and rates stay finite: less than a hundredth in float32 and a millionth in float64 (decision 0027).
"""

RATE_LIMIT: dict[Precision, Fraction] = {"float32": Fraction(10**6), "float64": Fraction(10**9)}
"""Largest rate (rad/s, m/s, or per unit of an independent speed) that a limited block gives.

Beyond any machine's, and small enough that its square and the products of two such rates stay finite: float32 ends at
3.4e38. What exceeds it is cut there and flagged.
"""
ACCELERATION_LIMIT: dict[Precision, Fraction] = {"float32": Fraction(10**12), "float64": Fraction(10**18)}
"""Largest acceleration (rad/s^2, m/s^2) that a limited block gives: the square of the largest rate."""
