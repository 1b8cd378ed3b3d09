"""The triangular set within a raw lexicographic basis, as the literature prints it.

In: a basis of `exporter.kinematics.baselines.raw_basis`. Out: one polynomial per unknown variable.
"""

from collections.abc import Sequence

from exporter.kinematics.baselines.raw_basis import Polynomial


def triangular_set(basis: Sequence[Polynomial], unknown: Sequence[str]) -> tuple[Polynomial, ...]:
    """For each unknown variable the polynomial that leads with it: of lowest degree, then with the fewest terms."""
    return tuple(
        min((each for each in basis if each.leading == name), key=lambda each: (each.degree, len(each.terms)))
        for name in reversed(unknown)
    )
