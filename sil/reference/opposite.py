"""A mechanism on the other side of its folds: assembled with det(Phi_d) of the other sign.

In: a reference. Out: the reference of the other assembly, found by Newton from many starts on the original closures, or
None where none was found. With one loop there are two assemblies, and this is the other one.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from exporter.errors import Unsolved
from sil.reference.assembly import dependent_jacobian, design_of
from sil.reference.closures import closures_of
from sil.reference.mechanism import Reference, reference_of
from sil.reference.skeleton import skeleton_of

RANDOM_STARTS = 60  # of Newton's method, until the opposite assembly is found
SEED = 1992


def opposite_of(reference: Reference) -> Reference | None:
    """The assembly at the same independent coordinates whose orientation is the opposite one."""
    skeleton, design = reference.skeleton, reference.assembly.design
    generator = np.random.Generator(np.random.Philox(SEED))
    names = skeleton.coordinates
    if not np.isfinite(design.coordinates).all():
        return None
    for _ in range(RANDOM_STARTS):
        start = design.coordinates.copy()
        for column in skeleton.dependent:
            start[column] = generator.uniform(-np.pi, np.pi) * skeleton.units[column]
        pose = {name: Fraction(float(value)) for name, value in zip(names, start, strict=True)}
        free = {names[column]: skeleton.mechanism.pose[names[column]] for column in skeleton.independent}
        mechanism = replace(skeleton.mechanism, pose={**pose, **free})
        values = {name: float(value) for name, value in skeleton.values.items()}
        try:
            found = design_of(closures_of(skeleton_of(mechanism, values)))
        except Unsolved:
            continue
        jacobian = dependent_jacobian(reference.assembly.closures, found.coordinates[None])[0]
        if np.linalg.det(jacobian[list(design.rows)]) * design.orientation < 0:
            return reference_of(mechanism, values)
    return None
