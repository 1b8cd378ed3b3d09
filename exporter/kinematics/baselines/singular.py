"""Lexicographic bases by Singular, where it is there: a program of its own that is asked through a pipe.

In: polynomials and an order of their variables, when flint's Buchberger was stopped at its limits. Out: the
reduced lexicographic basis. Singular goes by way of a graded basis, which flint's does not. Nothing of it is linked.
"""

import re
import shutil
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from exporter.errors import KinefixError, MissingTool, ModelError
from exporter.programs import TookTooLong, run
from exporter.time_limits import SINGULAR, Limit

Terms = tuple[tuple[tuple[int, ...], int], ...]  # (exponent by variable, coefficient)
INSTALL = "pip install --no-deps passagemath-singular"
_PROGRAM = """ring graded = 0, ({names}), dp;
option(redSB);
ideal equations = {equations};
ideal basis = slimgb(equations);
ring lexicographic = 0, ({names}), lp;
option(redSB);
ideal basis = interred(slimgb(fetch(graded, basis)));
short = 0;
int k;
for (k = 1; k <= size(basis); k++) {{ print(cleardenom(basis[k])); }}
quit;
"""


def singular() -> Path | None:
    """The program: on the PATH, or out of the wheel of passagemath-singular; None where it is not installed."""
    found = shutil.which("Singular")
    if found:
        return Path(found)
    spec = find_spec("sage_wheels")
    places = [Path(place) / "bin" / "Singular" for place in (spec.submodule_search_locations or ())] if spec else []
    return next((place for place in places if place.is_file()), None)


def lexicographic_basis(equations: Iterable[Terms], variables: int, limit: Limit = SINGULAR) -> tuple[Terms, ...]:
    """The reduced basis over the rationals, coefficients whole and without a common factor, variables largest first.

    Raises:
        MissingTool: Singular is not installed.
        ModelError: it takes too long.
        KinefixError: it does not start, or gives no answer.
    """
    program = singular()
    if program is None:
        raise MissingTool(f"Singular is not installed; `{INSTALL}` brings it (33 MB, GPL)")
    names = [f"x{number}" for number in range(1, variables + 1)]
    text = _PROGRAM.format(names=", ".join(names), equations=",\n".join(_text(names, each) for each in equations))
    try:
        done = run([program, "--quiet", "--no-rc"], limit, stdin=text)
    except TookTooLong as late:
        raise ModelError(f"the basis is too large: {late}") from late
    except OSError as broken:
        raise KinefixError(f"{program} does not start: {broken.strerror}") from broken
    lines = [line for line in done.out.split() if line]
    if done.code != 0 or not lines or "?" in done.out:
        raise KinefixError(f"Singular gives no basis: {' '.join(done.out.split())[:200] or done.err.strip()}")
    return tuple(_terms(names, line) for line in lines)


def _text(names: Sequence[str], terms: Terms) -> str:
    return "+".join(
        "*".join([f"({value})", *(f"{name}^{power}" for name, power in zip(names, powers, strict=True) if power)])
        for powers, value in terms
    )


def _terms(names: Sequence[str], line: str) -> Terms:
    """Exponents and coefficients of a polynomial like 3*x1^2*x3-4*x2+7."""
    found = []
    for sign, word in re.findall(r"([+-]?)([^+-]+)", line):
        coefficient, powers = 1, [0] * len(names)
        for factor in word.split("*"):
            name, _, power = factor.partition("^")
            if name in names:
                powers[names.index(name)] += int(power or 1)
            else:
                coefficient *= int(name)
        found.append((tuple(powers), -coefficient if sign == "-" else coefficient))
    return tuple(sorted(found, reverse=True))
