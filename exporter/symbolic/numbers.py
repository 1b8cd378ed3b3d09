"""Numbers in a symbolic model: exact rationals of the sequence.

In: a SymPy number. Out: a constant, exact where it is rational, else with 60 digits.
"""

from fractions import Fraction
from typing import Any

from exporter.errors import ModelError
from exporter.model.exact_numbers import exact_float
from exporter.symbolic.guards import Guards
from exporter.symbolic.handles import Handle, Infinity


def rational(guards: Guards, node: Any, _: list[Handle]) -> Handle:
    """Exact."""
    return guards.builder.real(Fraction(int(node.p), int(node.q)))


def decimal(guards: Guards, node: Any, _: list[Handle]) -> Handle:
    """The decimal text that the Float was written as, exactly."""
    return guards.builder.real(exact_float(node))


def irrational(guards: Guards, node: Any, _: list[Handle]) -> Handle:
    """Pi and its like, to 60 digits."""
    return guards.builder.real(Fraction(str(node.evalf(60))))


def infinite(_guards: Guards, node: Any, _: list[Handle]) -> Handle:
    """Oo or -oo."""
    return Infinity(1 if node.is_extended_positive else -1)


def no_number(guards: Guards, node: Any, _: list[Handle]) -> Handle:
    """zoo, nan and the imaginary unit are refused."""
    raise ModelError(
        f"{guards.place} contains {node}, which is no finite real number: a division by zero or an "
        "undefined value when the expression was made; check the parameters that went into it"
    )
