"""A vector through the turns of a frame, as formulas: what an axis of a frame is in the axes of the body.

In: a `Vector` and a `Rotation`. Out: a `Vector`, zeros left out of its formulas.
"""

from fractions import Fraction

from exporter.model.expression import ONE, ZERO, Binary, Call, Expression, Number, Vector
from exporter.model.mechanism import Rotation

TURNED_AXES = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}  # a turn about x takes y towards z


def axis_named(name: str) -> Vector:
    """The unit vector of an axis, "z" or "-z"."""
    unit = Number(Fraction(-1)) if name.startswith("-") else ONE
    x, y, z = (unit if letter == name[-1] else ZERO for letter in "xyz")
    return x, y, z


def turn_vector(vector: Vector, rotation: Rotation) -> Vector:
    """Components of a vector in the axes before the turns; the turns are about moving axes, so the last comes first."""
    for axis, angle in reversed(rotation.turns):
        parts, (i, j) = list(vector), TURNED_AXES[axis]
        cosine, sine = Call("cos", (angle,)), Call("sin", (angle,))
        parts[i] = _difference(_product(cosine, vector[i]), _product(sine, vector[j]))
        parts[j] = _sum(_product(cosine, vector[j]), _product(sine, vector[i]))
        vector = (parts[0], parts[1], parts[2])
    return vector


def _product(left: Expression, right: Expression) -> Expression:
    return ZERO if right == ZERO else Binary("*", left, right)


def _sum(left: Expression, right: Expression) -> Expression:
    if ZERO in (left, right):
        return right if left == ZERO else left
    return Binary("+", left, right)


def _difference(left: Expression, right: Expression) -> Expression:
    return left if right == ZERO else Binary("-", left, right)
