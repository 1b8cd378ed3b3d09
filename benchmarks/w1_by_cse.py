"""W1 the other way: the slider-crank as one closed form in SymPy, differentiated, then `cse`.

What a user gets who substitutes the loop's solution and lets a computer algebra system share what recurs. Same inputs,
outputs and numbers as `w1_slider_crank.py`; prints both operation counts and the largest difference of the results.
"""

import numpy as np
import sympy as sp
from w1_slider_crank import ROWS, bare_program, dynamics, operations

from exporter.sequence.interpreter import interpret

ANGLE, RATE, FORCE = sp.symbols("theta omega F", real=True)
CRANK, ROD, GRAVITY = sp.Rational(3, 10), sp.Rational(2, 5), sp.Rational(981, 100)
MASSES = (sp.Integer(1), sp.Rational(3, 2), sp.Integer(2))


def closed_form() -> list[sp.Expr]:
    """sin beta, cos beta, s, beta', s', theta'' as expressions of the inputs; beta from the slide's normal."""
    pin = sp.Matrix([CRANK * sp.cos(ANGLE), CRANK * sp.sin(ANGLE)])
    cosine = pin[1] / ROD
    sine = sp.sqrt(1 - cosine**2)
    slide = pin[0] + ROD * sine
    turn = sp.diff(sp.acos(cosine), ANGLE)
    places = (pin / 2, (pin + sp.Matrix([slide, 0])) / 2, sp.Matrix([slide, 0]))
    inertia = (MASSES[0] * CRANK**2 + MASSES[1] * ROD**2 * turn**2) / 12
    potential = sp.Integer(0)
    for mass, place in zip(MASSES, places, strict=True):
        velocity = sp.diff(place, ANGLE)
        inertia += mass * velocity.dot(velocity)
        potential += mass * GRAVITY * place[1]
    load = FORCE * sp.diff(slide, ANGLE) - sp.diff(potential, ANGLE) - sp.diff(inertia, ANGLE) / 2 * RATE**2
    return [sine, cosine, slide, turn * RATE, sp.diff(slide, ANGLE) * RATE, load / inertia]


def shared_operations(expressions: list[sp.Expr]) -> str:
    """What is left to compute after `cse` with SymPy's basic optimisations, by class."""
    replacements, reduced = sp.cse(expressions, optimizations="basic")
    return str(sp.count_ops([*(value for _, value in replacements), *reduced], visual=True))


def largest_difference(expressions: list[sp.Expr]) -> float:
    """Against the exported sequence, relative to the largest value of each output."""
    function = sp.lambdify((ANGLE, RATE, FORCE), expressions, "numpy")
    theirs = np.stack([np.broadcast_to(column, len(ROWS)) for column in function(*ROWS.T)], axis=1)
    ours = interpret(dynamics(bare_program()), ROWS).outputs
    return float((np.abs(np.abs(ours) - np.abs(theirs)) / np.abs(theirs).max(axis=0)).max())


if __name__ == "__main__":
    form = closed_form()
    print(f"closed form, SymPy {sp.__version__} cse: {shared_operations(form)}")
    print(f"exported sequence: {operations(bare_program()).text()}")
    print(f"largest difference of magnitudes: {largest_difference(form):.1e}")
