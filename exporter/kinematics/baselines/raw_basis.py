"""The lexicographic basis of a mechanism's raw closures: for teaching, and for the tables of the literature.

In: a planar mechanism with frozen parameters and an order of variables. Out: the reduced basis as
polynomials with degree, number of terms and digits. Variables are s.q and c.q of an angle q and d.q of a displacement
q; numbers are exact. Nothing is abstracted or eliminated first, which is what makes such bases large.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpz, fmpz_mpoly_ctx, fmpz_mpoly_vec

from exporter.errors import ModelError
from exporter.kinematics.baselines.singular import INSTALL, lexicographic_basis, singular
from exporter.kinematics.planar.model import Closure, PlanarModel, planar_model
from exporter.kinematics.planar.orientation import sum_at
from exporter.kinematics.planar.planarity import why_spatial
from exporter.model.joints import GROUND
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass

LIMITS = (300, 20000, 20000)  # polynomials, terms of one, bits of a coefficient
METRE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A polynomial with integer coefficients that have no common factor: (exponent by variable, coefficient) terms."""

    variables: tuple[str, ...]  # largest first
    terms: tuple[tuple[tuple[int, ...], int], ...]  # largest first

    @property
    def leading(self) -> str:
        """The largest variable in it."""
        position = min(k for exponents, _ in self.terms for k, power in enumerate(exponents) if power)
        return self.variables[position]

    @property
    def degree(self) -> int:
        """In the leading variable."""
        position = self.variables.index(self.leading)
        return max(exponents[position] for exponents, _ in self.terms)

    @property
    def digits(self) -> int:
        """How many digits the longest coefficient has."""
        return max(len(str(abs(coefficient))) for _, coefficient in self.terms)

    def coefficients(self) -> tuple["Polynomial | None", ...]:
        """Coefficients of the powers 0, 1, ... of the leading variable; None where one is zero."""
        position = self.variables.index(self.leading)
        parts: list[list[tuple[tuple[int, ...], int]]] = [[] for _ in range(self.degree + 1)]
        for exponents, coefficient in self.terms:
            rest = (*exponents[:position], 0, *exponents[position + 1 :])
            parts[exponents[position]].append((rest, coefficient))
        return tuple(Polynomial(self.variables, tuple(part)) if part else None for part in parts)

    def text(self) -> str:
        """As a user writes it: 3*s.theta - 4*c.beta."""
        words = [f"{'-' if k < 0 else '+'} {_term(self.variables, powers, abs(k))}" for powers, k in self.terms]
        first = words[0].removeprefix("+ ").replace("- ", "-", 1)
        return " ".join([first, *words[1:]])


def _term(variables: Sequence[str], powers: Sequence[int], size: int) -> str:
    used = [(name, power) for name, power in zip(variables, powers, strict=True) if power]
    factors = [name if power == 1 else f"{name}^{power}" for name, power in used]
    return "*".join([*([str(size)] if size != 1 or not factors else []), *factors])


def variables_of(mechanism: Mechanism, coordinate: str) -> tuple[str, ...]:
    """The variables that stand for a coordinate."""
    return (f"d.{coordinate}",) if mechanism.is_displacement(coordinate) else (f"s.{coordinate}", f"c.{coordinate}")


def usual_order(mechanism: Mechanism) -> tuple[str, ...]:
    """Displacements before angles, the last angle first, sines before cosines; the independent coordinates last."""
    dependent = [name for name in mechanism.coordinates() if name not in mechanism.independent]
    slides = [name for name in dependent if mechanism.is_displacement(name)]
    angles = [name for name in reversed(dependent) if mechanism.is_angle(name)]
    return tuple(
        variable for name in (*slides, *angles, *mechanism.independent) for variable in variables_of(mechanism, name)
    )


def raw_equations(mechanism: Mechanism, order: Sequence[str], unit: Fraction = METRE) -> tuple[Polynomial, ...]:
    """The closures and the unit circles, lengths in `unit`.

    Raises:
        ModelError: the mechanism is not planar, has tunable parameters, or the order is not one of its variables.
    """
    _check(mechanism, order)
    model = planar_model(mechanism)
    context = fmpq_mpoly_ctx.get(list(order), Ordering.lex)
    variable = dict(zip(order, context.gens(), strict=True))
    pairs = _directions(model, context, variable)
    found = [
        part
        for closure in model.closures
        for part in _closure_components(model, closure, context, variable, pairs, unit)
    ]
    found += _parallel(model, pairs)
    circles = [v**2 + variable[f"c.{name[2:]}"] ** 2 - 1 for name, v in variable.items() if name.startswith("s.")]
    return tuple(_integer(order, poly) for poly in (*found, *circles) if poly != 0)


def raw_basis(mechanism: Mechanism, order: Sequence[str] = (), unit: Fraction = METRE) -> tuple[Polynomial, ...]:
    """The reduced lexicographic basis, the smallest leading variable first; by Singular where flint does not finish.

    Raises:
        ModelError: see `raw_equations`; or the basis is beyond the limits, or [1].
        KinefixError: see `singular.lexicographic_basis`.
    """
    names = tuple(order) or usual_order(mechanism)
    equations = raw_equations(mechanism, names, unit)
    return reduced_basis(mechanism.name, names, equations)


def reduced_basis(title: str, names: Sequence[str], equations: Sequence[Polynomial]) -> tuple[Polynomial, ...]:
    """The reduced lexicographic basis of any polynomials in these variables, the largest variable first.

    Raises:
        ModelError: the basis is beyond the limits, or [1]; `title` says of what.
        KinefixError: see `singular.lexicographic_basis`.
    """
    basis = _by_flint(names, equations)
    if basis is None and singular() is None:
        raise ModelError(
            f"{title}: the raw lexicographic basis is beyond its limits and was stopped; Singular may finish it: "
            f"{INSTALL}"
        )
    if basis is None:
        try:
            found = lexicographic_basis((each.terms for each in equations), len(names))
        except ModelError as error:
            raise ModelError(f"{title}: {error}") from None
        basis = [_positive(names, terms) for terms in found]
    if any(not any(exponents) for each in basis for exponents, _ in each.terms if len(each.terms) == 1):
        raise ModelError(f"{title}: the basis is [1]: the equations contradict each other")
    return tuple(sorted(basis, key=lambda each: (-list(names).index(each.leading), each.degree, len(each.terms))))


def _by_flint(names: Sequence[str], equations: Sequence[Polynomial]) -> list[Polynomial] | None:
    """The reduced basis, None beyond the limits."""
    context = fmpz_mpoly_ctx.get(list(names), Ordering.lex)
    vector: Any = fmpz_mpoly_vec([_flint(context, each) for each in equations], context)
    found, finished = vector.buchberger_naive(limits=LIMITS)
    return [_integer(names, poly) for poly in found.autoreduction()] if finished else None


# -- polynomials of the closures -----------------------------------------------------------------------------------


def _check(mechanism: Mechanism, order: Sequence[str]) -> None:
    reason = why_spatial(mechanism)
    if reason:
        raise ModelError(f"{mechanism.name}: raw bases are made of planar mechanisms, and {reason}")
    sliding = [joint.name for joint in mechanism.joints if joint.closes and joint.type == "prismatic"]
    if sliding:
        raise ModelError(
            f"{mechanism.name}: a raw basis has no variable for the displacement of '{sliding[0]}', which closes a "
            "loop; close the loop at another joint"
        )
    tunable = mechanism.tunable_names()
    if tunable:
        raise ModelError(f"{mechanism.name}: a raw basis is of numbers; freeze {', '.join(tunable)} (--frozen all)")
    expected = {variable for name in mechanism.coordinates() for variable in variables_of(mechanism, name)}
    if len(order) != len(expected) or set(order) != expected:
        raise ModelError(f"{mechanism.name}: the order must name each of {', '.join(sorted(expected))} once")


def _directions(model: PlanarModel, context: Any, variable: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """(cos, sin) of every body's direction, as polynomials."""
    pairs = {GROUND: (context.constant(1), context.constant(0))}
    turns = {turn.child: turn for turn in model.turns}
    for joint in model.mechanism.spanning_tree().outwards():
        c, s = pairs[joint.parent.body]
        turn = turns.get(joint.child.body)
        if turn is not None:
            cq, sq = variable[f"c.{turn.coordinate}"], turn.sign * variable[f"s.{turn.coordinate}"]
            c, s = c * cq - s * sq, s * cq + c * sq
        if turn is not None and turn.offset is not None:
            values = model.mechanism.nominal_values()
            co, so = (_rational(sum_at(part, values)) for part in (turn.offset.re, turn.offset.im))
            c, s = c * co + s * so, s * co - c * so
        pairs[joint.child.body] = (c, s)
    return pairs


def _parallel(model: PlanarModel, pairs: Mapping[str, tuple[Any, Any]]) -> list[Any]:
    """What keeps the two bodies of a slide or fixed joint that closes a loop from turning against each other."""
    joints = [joint for joint in model.mechanism.joints if joint.closes and joint.type != "revolute"]
    ends = [(pairs[joint.parent.body], pairs[joint.child.body]) for joint in joints]
    return [a - b for one, other in ends for a, b in zip(one, other, strict=True)]


def _closure_components(
    model: PlanarModel,
    closure: Closure,
    context: Any,
    variable: Mapping[str, Any],
    pairs: Mapping[str, tuple[Any, Any]],
    unit: Fraction,
) -> tuple[Any, Any]:
    """The two components of a closure, in `unit`."""
    values = model.mechanism.nominal_values()
    x, y = context.constant(0), context.constant(0)
    for term in closure.terms:
        scale = METRE if term.slide else unit
        re, im = (sum_at(part, values) / scale for part in (term.vector.re, term.vector.im))
        c, s = pairs[term.body]
        slide = variable[f"d.{term.slide}"] if term.slide else context.constant(1)
        x = x + slide * (_rational(re) * c - _rational(im) * s)
        y = y + slide * (_rational(im) * c + _rational(re) * s)
    return x, y


def _rational(number: Fraction) -> Any:
    return fmpq(number.numerator, number.denominator)


def whole_polynomial(names: Sequence[str], terms: Mapping[tuple[int, ...], Fraction]) -> Polynomial:
    """With integer coefficients without a common factor, the leading one positive, out of rational ones."""
    scale = Fraction(lcm(*(value.denominator for value in terms.values())))
    whole = {exponents: int(value * scale) for exponents, value in terms.items()}
    common = int(_common_factor(list(whole.values())))
    return _positive(names, sorted(((exponents, value // common) for exponents, value in whole.items()), reverse=True))


def _integer(names: Sequence[str], poly: Any) -> Polynomial:
    terms = {tuple(int(k) for k in exponents): Fraction(str(value)) for exponents, value in poly.to_dict().items()}
    return whole_polynomial(names, terms)


def _positive(names: Sequence[str], terms: Sequence[tuple[tuple[int, ...], int]]) -> Polynomial:
    """Largest term first, its coefficient positive."""
    sign = -1 if terms[0][1] < 0 else 1
    return Polynomial(tuple(names), tuple((exponents, sign * value) for exponents, value in terms))


def _common_factor(numbers: Sequence[int]) -> int:
    """The greatest common divisor."""
    total = fmpz(0)
    for number in numbers:
        total = total.gcd(fmpz(number))
    return int(total)


def _flint(context: Any, poly: Polynomial) -> Any:
    return context.from_dict({exponents: fmpz(value) for exponents, value in poly.terms})
