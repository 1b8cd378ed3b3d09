"""Independent angles that do not bring the loops back after a turn, for couplings make something else of them.

In: a mechanism. Out: their names: a motor behind a gear of 1 to 50, a screw. They are bounded as displacements are.
"""

from fractions import Fraction

from exporter.model.evaluate import evaluate
from exporter.model.mechanism import Mechanism


def wound_angles(mechanism: Mechanism) -> frozenset[str]:
    """Angles with a follower that is a displacement, or that turns by other than a whole number of their turns."""
    return frozenset(name for name in mechanism.independent if mechanism.is_angle(name) and _is_wound(mechanism, name))


def _is_wound(mechanism: Mechanism, name: str) -> bool:
    gains, parameters = {name: Fraction(1)}, mechanism.nominal_values()
    for coupling in mechanism.following().order:
        parts = (evaluate(ratio, parameters) * gains.get(other, 0) for other, ratio in coupling.ratios.items())
        gains[coupling.follower] = sum(parts, Fraction(0))
    return any(
        gain and (mechanism.is_displacement(follower) or gain.denominator != 1) for follower, gain in gains.items()
    )
