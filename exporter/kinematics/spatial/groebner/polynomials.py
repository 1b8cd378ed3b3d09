"""A loop that closes in a point, as exact polynomials in sines and cosines.

In: a mechanism and a closing ball joint whose unknowns are turns. Out: the closure and the unit circles as
integer polynomials in variables s.<coordinate>, c.<coordinate> (turns) and d.<coordinate> (known slides). Numbers are
exact; a loop with irrational constants is left to the block library.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from exporter.kinematics.protocol.frames import Matrix3, rotation_matrix
from exporter.kinematics.protocol.motions import motions_of
from exporter.model.mechanism import Frame, Joint, Mechanism
from exporter.model.size import nominal_place
from exporter.records import dataclass

Term = tuple[tuple[int, ...], Fraction]  # exponents in the order of the variables, coefficient
LARGEST_DENOMINATOR = 10**9  # largest denominator of a constant that counts as rational


@dataclass(frozen=True, slots=True)
class Ideal:
    """Equations in variables, the unknown ones first; coefficients are integers, free of common factors."""

    unknown: tuple[str, ...]  # coordinates, all of them turns
    known: tuple[str, ...]  # variables
    equations: tuple[tuple[tuple[tuple[str, ...], int], ...], ...]  # terms: variables with repetition, coefficient


def variables_of(coordinate: str) -> tuple[str, str]:
    """The variables of a turn."""
    return f"s.{coordinate}", f"c.{coordinate}"


def point_loop(mechanism: Mechanism, joint: Joint, unknown: Sequence[str]) -> Ideal | None:
    """The polynomials of a closing ball joint; None where a constant is irrational or tunable."""
    chains = [mechanism.spanning_tree().path(frame.body) for frame in (joint.parent, joint.child)]
    motions = [motion for chain in chains for each in chain for motion in motions_of(each)]
    turns = [motion.coordinate for motion in motions if motion.kind == "turn"]
    slides = [f"d.{motion.coordinate}" for motion in motions if motion.kind == "slide"]
    others = [name for name in turns if name not in unknown]
    names = [v for name in (*unknown, *others) for v in variables_of(name)] + slides
    if irrational_joints(mechanism, joint):
        return None
    from flint import Ordering, fmpq_mpoly_ctx  # noqa: PLC0415 - only bases need it

    context = fmpq_mpoly_ctx.get(names, Ordering.lex)
    variable = dict(zip(names, context.gens(), strict=True))
    sides = [
        _place(mechanism, chain, frame, context, variable)
        for chain, frame in zip(chains, (joint.parent, joint.child), strict=True)
    ]
    closure = [left - right for left, right in zip(*sides, strict=True)]
    circles = [variable[s] ** 2 + variable[c] ** 2 - 1 for s, c in map(variables_of, (*unknown, *others))]
    equations = tuple(_integer(names, poly) for poly in (*closure, *circles) if poly != 0)
    return Ideal(tuple(unknown), tuple(names[2 * len(unknown) :]), equations)


def irrational_joints(mechanism: Mechanism, closing: Joint) -> tuple[str, ...]:
    """Joints of a loop of which a constant is no simple fraction."""
    around = [each for frame in (closing.parent, closing.child) for each in mechanism.spanning_tree().path(frame.body)]
    names = (each.name for each in (*around, closing) if not _is_simple(mechanism, each))
    return tuple(dict.fromkeys(names))


def _is_simple(mechanism: Mechanism, joint: Joint) -> bool:
    values = mechanism.nominal_values()
    frames = (joint.parent, joint.child)
    numbers = [*joint.axis, *(part for frame in frames for part in nominal_place(mechanism, frame))]
    numbers += [part for frame in frames for row in rotation_matrix(frame.rotation, values) for part in row]
    return all(number.denominator <= LARGEST_DENOMINATOR for number in numbers)


def _place(mechanism: Mechanism, chain: Sequence[Joint], frame: Frame, context: Any, variable: dict[str, Any]) -> Any:
    values = mechanism.nominal_values()
    vector = [context.constant(_rational(part)) for part in nominal_place(mechanism, frame)]
    for joint in reversed(chain):
        child = nominal_place(mechanism, joint.child)
        vector = [part - _rational(at) for part, at in zip(vector, child, strict=True)]
        vector = _times(rotation_matrix(joint.child.rotation, values), vector, transposed=True)
        for motion in reversed(motions_of(joint)):
            vector = _move_vector(motion.kind, motion.axis, motion.coordinate, vector, variable)
        vector = _times(rotation_matrix(joint.parent.rotation, values), vector, transposed=False)
        parent = nominal_place(mechanism, joint.parent)
        vector = [part + _rational(at) for part, at in zip(vector, parent, strict=True)]
    return vector


def _move_vector(
    kind: str, axis: Sequence[Fraction], coordinate: str, vector: list[Any], variable: dict[str, Any]
) -> Any:
    n = [_rational(part) for part in axis]
    if kind == "slide":
        return [part + k * variable[f"d.{coordinate}"] for part, k in zip(vector, n, strict=True)]
    s, c = (variable[name] for name in variables_of(coordinate))
    along = sum((k * part for k, part in zip(n, vector, strict=True)), 0 * s)
    turned = [
        n[1] * vector[2] - n[2] * vector[1],
        n[2] * vector[0] - n[0] * vector[2],
        n[0] * vector[1] - n[1] * vector[0],
    ]
    return [k * along + c * (part - k * along) + s * t for k, part, t in zip(n, vector, turned, strict=True)]


def _times(matrix: Matrix3, vector: list[Any], *, transposed: bool) -> list[Any]:
    rows = tuple(zip(*matrix, strict=True)) if transposed else matrix
    return [sum((_rational(k) * part for k, part in zip(row, vector, strict=True)), 0 * vector[0]) for row in rows]


def _rational(number: Fraction) -> Any:
    from flint import fmpq  # noqa: PLC0415

    return fmpq(number.numerator, number.denominator)


def _integer(names: Sequence[str], poly: Any) -> tuple[tuple[tuple[str, ...], int], ...]:
    terms = poly.to_dict()
    scale = lcm(*(int(value.denominator) for value in terms.values()))
    return tuple(
        (
            tuple(name for name, power in zip(names, exponents, strict=True) for _ in range(power)),
            int(value.numerator) * (scale // int(value.denominator)),
        )
        for exponents, value in sorted(terms.items(), reverse=True)
    )


def polynomial_in(order: Sequence[str], terms: Sequence[tuple[tuple[str, ...], int]]) -> Any:
    """One equation of an ideal as a flint polynomial, lexicographic in this order of variables."""
    from flint import Ordering, fmpz, fmpz_mpoly_ctx  # noqa: PLC0415

    context = fmpz_mpoly_ctx.get(list(order), Ordering.lex)
    return context.from_dict(
        {tuple(names.count(name) for name in order): fmpz(coefficient) for names, coefficient in terms}
    )
