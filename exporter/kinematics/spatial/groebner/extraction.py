"""Writes the steps of a lexicographic basis into a sequence.

In: steps in solve order and the values of the known variables. Out: the values of all variables. Numerator
and denominator are made monic, a fraction whose numerator holds its denominator is split into a constant and a rest,
and the square of a root is its radicand, so that like parts are shared.
"""

from collections import Counter
from dataclasses import field
from fractions import Fraction

from exporter.kinematics.protocol.frames import square_root
from exporter.kinematics.spatial.groebner.steps import Monomial, Polynomial, UnivariateEquation, has_no_zero
from exporter.kinematics.spatial.roots import Root, RootWriter, Sign, with_sign
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.guards import signed_pivot
from exporter.sequence.operations import Kind

LARGEST_SQUARE = 4  # magnitude of the terms that a radicand of a sine or cosine is the difference of


@dataclass
class Variables:
    """Values of variables, and of the squares of those that are roots."""

    tools: RootWriter
    texts: tuple[str, str]  # what OUT_OF_WORKSPACE and NEAR_SINGULAR mean
    values: dict[str, Value]
    squares: dict[str, Value] = field(default_factory=dict)
    roots: list[Root] = field(default_factory=list)

    def solve(self, step: UnivariateEquation, sign: Sign) -> None:
        """Write the variable of a step."""
        if step.degree == 1:
            numerator, denominator = step.coefficients
            self.values[step.variable] = self._fraction(_negative(numerator), denominator)
        elif not step.coefficients[1]:
            self._pure_square(step, sign)
        else:
            self._quadratic(step, sign)

    def _pure_square(self, step: UnivariateEquation, sign: Sign) -> None:
        """v^2 = N / D."""
        numerator, denominator = _negative(step.coefficients[0]), step.coefficients[2]
        if not _is_constant(denominator):
            above = _largest(numerator) if has_no_zero(denominator) else None
            minuend = above / abs(dict(denominator)[()]) if above else None
            self._take_root(step.variable, self._fraction(numerator, denominator), Fraction(1), sign, minuend)
            return
        square = _scaled(numerator, 1 / denominator[0][1])
        scale = abs(square[0][1])
        monic = _scaled(square, 1 / scale)
        positive = has_no_zero(monic) and monic[0][1] > 0
        root = self.polynomial(monic), square_root(scale)
        self._take_root(step.variable, *root, sign, _largest(monic), positive=positive)

    def _quadratic(self, step: UnivariateEquation, sign: Sign) -> None:
        """v^2 + 2 p v + q = 0:  v = -p +- sqrt(p^2 - q)."""
        constant, linear, leading = step.coefficients
        half = self._fraction(_scaled(linear, Fraction(-1, 2)), leading)
        radicand = half * half - self._fraction(constant, leading)
        root = self.tools.root(radicand, Fraction(LARGEST_SQUARE), *self.texts, minuend=half * half)
        self.roots.append(root)
        self.values[step.variable] = half + with_sign(root.value, sign)

    def _take_root(
        self,
        variable: str,
        radicand: Value,
        factor: Fraction,
        sign: Sign,
        minuend: Fraction | None,
        *,
        positive: bool = False,
    ) -> None:
        """variable = +-factor * sqrt(radicand)."""
        scale = LARGEST_SQUARE / (factor * factor)
        root = (
            self.tools.positive_root(radicand)
            if positive
            else self.tools.root(radicand, scale, *self.texts, minuend=minuend)
        )
        self.roots.append(root)
        if factor == 1:
            self.squares[variable] = radicand
        magnitude = root.value * factor
        self.values[variable] = with_sign(magnitude, sign)

    def _fraction(self, numerator: Polynomial, denominator: Polynomial) -> Value:
        """N / D, both monic, split where N holds D."""
        if not numerator:
            return self.tools.builder.real(0)
        if _is_constant(denominator):
            return self.polynomial(_scaled(numerator, 1 / denominator[0][1]))
        leading = denominator[0][1]
        monic, above = _scaled(denominator, 1 / leading), _scaled(numerator, 1 / leading)
        whole, rest = _split_quotient(above, monic)
        below = self._guarded(monic)
        if not rest:
            return self.tools.builder.real(whole)
        return _plus(self.tools.builder.real(whole), self.polynomial(rest) / below)

    def _guarded(self, denominator: Polynomial) -> Value:
        if has_no_zero(denominator):
            return self.polynomial(denominator)
        limit = self.tools.threshold * abs(denominator[0][1])
        return signed_pivot(self.tools.builder, self.polynomial(denominator), limit, self.texts[1], "GUARD_SMALL")

    # -- polynomials -------------------------------------------------------------------------------------------------

    def polynomial(self, terms: Polynomial) -> Value:
        """Horner's form, the variable of most terms outside."""
        builder = self.tools.builder
        if not terms:
            return builder.real(0)
        if _is_constant(terms):
            return builder.real(terms[0][1])
        if len(terms) == 1:
            return self._monomial(terms[0][0]) * terms[0][1]
        count = Counter(name for monomial, _ in terms for name, _ in monomial)
        variable = max(sorted(count), key=lambda name: count[name])
        inside = [(monomial, value) for monomial, value in terms if variable in dict(monomial)]
        outside = tuple((monomial, value) for monomial, value in terms if variable not in dict(monomial))
        power = min(dict(monomial)[variable] for monomial, _ in inside)
        inner = tuple((_divide_monomial(monomial, variable, power), value) for monomial, value in inside)
        if len(inner) == 1 and not inner[0][0]:
            product = self._power(variable, power) * inner[0][1]
        elif len(inner) == 1:
            product = self._monomial(inside[0][0]) * inner[0][1]
        else:
            product = self._power(variable, power) * self.polynomial(inner)
        return _plus(product, self.polynomial(outside)) if outside else product

    def _monomial(self, monomial: Monomial) -> Value:
        total = self.tools.builder.real(1)
        for name, power in monomial:
            total = total * self._power(name, power)
        return total

    def _power(self, name: str, power: int) -> Value:
        if power == 1:
            return self.values[name]
        square = self.squares.get(name)
        if square is None:
            square = self.values[name] * self.values[name]
        total = square
        for _ in range(power // 2 - 1):
            total = total * square
        return total * self.values[name] if power % 2 else total


def _is_constant(terms: Polynomial) -> bool:
    return len(terms) == 1 and not terms[0][0]


def _largest(terms: Polynomial) -> Fraction | None:
    """Bound of the terms that can be above zero, sines and cosines being 1 at most; None where slides are in it."""
    if any(name.startswith("d.") for monomial, _ in terms for name, _ in monomial):
        return None
    odd = [any(power % 2 for _, power in monomial) for monomial, _ in terms]
    positive = [abs(value) for is_odd, (_, value) in zip(odd, terms, strict=True) if is_odd or value > 0]
    return sum(positive, Fraction(0)) or None


def _negative(terms: Polynomial) -> Polynomial:
    return _scaled(terms, Fraction(-1))


def _scaled(terms: Polynomial, factor: Fraction) -> Polynomial:
    return tuple((monomial, value * factor) for monomial, value in terms)


def _split_quotient(numerator: Polynomial, denominator: Polynomial) -> tuple[Fraction, Polynomial]:
    """numerator = whole * denominator + rest, where that leaves fewer terms; whole is 0 elsewhere."""
    whole = dict(numerator).get(denominator[0][0], Fraction(0)) / denominator[0][1]
    difference = dict(numerator)
    for monomial, value in denominator:
        difference[monomial] = difference.get(monomial, Fraction(0)) - whole * value
    rest = tuple((monomial, value) for monomial, value in difference.items() if value != 0)
    return (whole, rest) if whole and len(rest) < len(numerator) else (Fraction(0), numerator)


def _divide_monomial(monomial: Monomial, variable: str, power: int) -> Monomial:
    return tuple(
        (name, exponent - power if name == variable else exponent)
        for name, exponent in monomial
        if name != variable or exponent > power
    )


def _plus(left: Value, right: Value) -> Value:
    """left + right; a constant goes into a difference with a constant."""
    builder = left.builder
    if right.constant is not None:
        left, right = right, left
    if left.constant is None:
        return left + right
    operation = builder.operation(right.index)
    sign = 1
    if operation.kind is Kind.NEG:
        sign, operation = -1, builder.operation(operation.operands[0])
    if operation.kind is not Kind.SUB:
        return left + right
    first, second = (Value(builder, index) for index in operation.operands)
    if first.constant is None:
        return left + right
    constant = builder.real(left.constant + sign * first.constant)
    return constant - second if sign > 0 else constant + second
