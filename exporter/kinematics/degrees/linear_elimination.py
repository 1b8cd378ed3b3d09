"""Takes variables out of a system of polynomials modulo a prime by means of its linear equations.

In: polynomials modulo PRIME. Out: fewer polynomials in fewer variables with the same number of solutions.
"""

from collections.abc import Sequence

PRIME = 2147483629  # 1 modulo 4, so that -1 has a square root

Monomial = tuple[int, ...]  # exponents
Polynomial = dict[Monomial, int]


def without_linear(equations: Sequence[Polynomial], variables: int) -> tuple[list[Polynomial], int]:
    """The system after every linear equation was solved for one variable, and how many variables are left."""
    rest, count = [equation for equation in equations if equation], variables
    while True:
        linear = next((equation for equation in rest if _degree(equation) == 1), None)
        if linear is None:
            return rest, count
        variable = next(k for k in range(count) if _unit(k, count) in linear)
        value = _solve_linear(linear, variable, count)
        others = [equation for equation in rest if equation is not linear]
        rest = [replaced for each in others if (replaced := _substitute_value(each, variable, value))]
        count -= 1


def _degree(equation: Polynomial) -> int:
    return max(sum(monomial) for monomial in equation)


def _unit(variable: int, variables: int) -> Monomial:
    return tuple(int(k == variable) for k in range(variables))


def _without(monomial: Monomial, variable: int) -> Monomial:
    return (*monomial[:variable], *monomial[variable + 1 :])


def _solve_linear(linear: Polynomial, variable: int, variables: int) -> Polynomial:
    """What the variable equals, in the other variables."""
    unit = _unit(variable, variables)
    factor = -pow(linear[unit], -1, PRIME)
    return {
        _without(monomial, variable): value * factor % PRIME for monomial, value in linear.items() if monomial != unit
    }


def _substitute_value(equation: Polynomial, variable: int, value: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for monomial, coefficient in equation.items():
        part = {_without(monomial, variable): coefficient}
        for _ in range(monomial[variable]):
            part = _times(part, value)
        for key, number in part.items():
            total[key] = (total.get(key, 0) + number) % PRIME
    return {monomial: number for monomial, number in total.items() if number}


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for one, a in left.items():
        for other, b in right.items():
            key = tuple(x + y for x, y in zip(one, other, strict=True))
            total[key] = (total.get(key, 0) + a * b) % PRIME
    return total
