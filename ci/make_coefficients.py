"""Makes the coefficients of the fixed-time kernels: `exporter/sequence/kernels/coefficients.py`.

Each polynomial is the minimax of its function (Remez exchange in 60 digits, relative error of the kernel's result as
weight); its coefficients are rounded one by one, lowest power first, the remaining ones fitted again after each.
Run it without arguments; a second run gives the same bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import jinja2
import mpmath
from mpmath import mpf

from exporter.sequence.operations import Precision
from exporter.sequence.rounding import FORMATS

TARGET = Path(__file__).parent.parent / "exporter" / "sequence" / "kernels" / "coefficients.py"
TEMPLATE = Path(__file__).with_name("coefficients.py.j2")
DIGITS = 60
GRID = 40  # points searched between two neighbouring reference points
EXCHANGES = 12
SETTLED = mpf("1e-4")  # relative spread of the error's extrema at which the exchange stops
OCTAVES_BITS: dict[Precision, int] = {"float32": 8, "float64": 11}  # exponents of two that a float has
ZERO = mpf(0)
QUARTERS_BITS = 13  # |angle| <= 1e4 rad is at most 6,367 quarter turns: so many bits

Real = Callable[[mpf], mpf]


@dataclass(frozen=True)
class Approximation:
    """A function of z to be fitted by a polynomial on (start, limit], and the weight of its error."""

    name: str
    about: str
    function: Real
    weight: Real
    limit: mpf
    terms: dict[Precision, int]
    start: mpf = ZERO


def approximations() -> tuple[Approximation, ...]:
    """What the kernels need; z is the square of the argument, of the exponential the argument itself."""
    root, margin = mpmath.sqrt, mpf("1.002")  # the quarter turn is found by a rounded product: a little beyond pi/4
    eighth = (mpmath.pi / 4 * margin) ** 2
    half_octave = mpmath.log(2) / 2 * margin
    side = ((root(2) - 1) / (root(2) + 1) * margin) ** 2
    return (
        Approximation(
            "SINE", "(sin r / r - 1) / r^2 in powers of r^2, |r| <= 1.002 pi/4",
            lambda z: (mpmath.sin(root(z)) / root(z) - 1) / z, lambda z: z * root(z) / mpmath.sin(root(z)),
            eighth, {"float32": 3, "float64": 6},
        ),
        Approximation(
            "COSINE", "(1 - cos r) / r^2 in powers of r^2, |r| <= 1.002 pi/4",
            lambda z: (1 - mpmath.cos(root(z))) / z, lambda z: z / mpmath.cos(root(z)),
            eighth, {"float32": 4, "float64": 7},
        ),
        Approximation(
            "ARCTANGENT", "(atan q / q - 1) / q^2 in powers of q^2, 0 <= q <= 1",
            lambda z: (mpmath.atan(root(z)) / root(z) - 1) / z, lambda z: z * root(z) / mpmath.atan(root(z)),
            mpf(1), {"float32": 8, "float64": 19},
        ),
        Approximation(
            "ARCSINE", "(asin s / s - 1) / s^2 in powers of s^2, 0 <= s <= 1/2",
            lambda z: (mpmath.asin(root(z)) / root(z) - 1) / z, lambda z: z * root(z) / mpmath.asin(root(z)),
            mpf(1) / 4, {"float32": 5, "float64": 12},
        ),
        Approximation(
            "EXPONENTIAL", "(exp r - 1 - r) / r^2 in powers of r, |r| <= 1.002 (ln 2)/2",
            lambda r: (mpmath.expm1(r) - r) / r**2, lambda _: root(2) * half_octave**2,
            half_octave, {"float32": 6, "float64": 11}, -half_octave * mpf("1.0001"),
        ),
        Approximation(
            "LOGARITHM", "(ln((1 + s)/(1 - s)) / s - 2) / s^2 in powers of s^2, 0 <= s <= (sqrt 2 - 1)/(sqrt 2 + 1)",
            lambda z: (2 * mpmath.atanh(root(z)) / root(z) - 2) / z,
            lambda z: z * root(z) / (2 * mpmath.atanh(root(z))),
            side, {"float32": 4, "float64": 7},
        ),
        Approximation(
            "LOGARITHM_TAIL", "(3 ln((1 + s)/(1 - s)) / (2 s) - 3 - s^2) / s^4 in powers of s^2, s as for LOGARITHM",
            lambda z: (3 * mpmath.atanh(root(z)) / root(z) - 3 - z) / z**2,
            lambda z: z**2 * root(z) / (3 * mpmath.atanh(root(z))),
            side, {"float32": 4, "float64": 8},
        ),
    )  # fmt: skip


def rounded(value: mpf, bits: int) -> mpf:
    """To nearest in so many significant bits."""
    with mpmath.workprec(bits):
        return +value


def polynomial(coefficients: list[mpf], z: mpf) -> mpf:
    """Horner's rule, lowest power first."""
    return mpmath.polyval(coefficients[::-1], z)


def fitted(target: Approximation, known: list[mpf], terms: int) -> tuple[list[mpf], mpf]:
    """Coefficients after the known ones that minimise the largest weighted error, and that error."""
    free = terms - len(known)
    width = target.limit - target.start
    angles = [mpmath.pi * (k + mpf(1) / 2) / (free + 1) for k in range(free + 1)]
    points = [target.start + width * (1 - mpmath.cos(angle)) / 2 for angle in angles]
    coefficients, error = list(known), mpf(0)
    for _ in range(EXCHANGES):
        coefficients = known + _level(target, known, points)
        points, error, spread = _extrema(target, coefficients, points)
        if spread < SETTLED:
            break
    return coefficients, error


def _level(target: Approximation, known: list[mpf], points: list[mpf]) -> list[mpf]:
    """The free coefficients with errors of equal size and alternating sign at the points."""
    size = len(points)
    matrix, right = mpmath.matrix(size, size), mpmath.matrix(size, 1)
    for row, z in enumerate(points):
        for column in range(size - 1):
            matrix[row, column] = z ** (column + len(known))
        matrix[row, size - 1] = (-1) ** row / target.weight(z)
        right[row] = target.function(z) - polynomial(known or [mpf(0)], z)
    return list(mpmath.lu_solve(matrix, right))[:-1]


def _extrema(target: Approximation, coefficients: list[mpf], points: list[mpf]) -> tuple[list[mpf], mpf, mpf]:
    """Where the weighted error peaks: one place per sign change, the largest error, the spread of the peaks."""

    def error(z: mpf) -> mpf:
        return (target.function(z) - polynomial(coefficients, z)) * target.weight(z)

    ends = [target.start + (target.limit - target.start) / 10**9, *points, target.limit]
    places = [low + (high - low) * k / GRID for low, high in pairwise(ends) for k in range(GRID)]
    samples = [(z, error(z)) for z in [*places, target.limit]]
    peaks: list[tuple[mpf, mpf]] = []
    for z, value in samples:
        if peaks and peaks[-1][1] * value > 0:
            if abs(value) > abs(peaks[-1][1]):
                peaks[-1] = (z, value)
        else:
            peaks.append((z, value))
    while len(peaks) > len(points):
        peaks.pop(0 if abs(peaks[0][1]) < abs(peaks[-1][1]) else -1)
    if len(peaks) < len(points):
        raise ArithmeticError(f"{target.name}: the error has {len(peaks)} peaks, {len(points)} are needed")
    sizes = [abs(value) for _, value in peaks]
    return [z for z, _ in peaks], max(sizes), (max(sizes) - min(sizes)) / max(sizes)


def rounded_fit(target: Approximation, precision: Precision) -> tuple[list[mpf], mpf]:
    """Coefficients that are floats, and the largest weighted error that they leave."""
    bits, terms = FORMATS[precision].digits, target.terms[precision]
    known: list[mpf] = []
    for _ in range(terms):
        coefficients, _ = fitted(target, known, terms)
        known = [*known, rounded(coefficients[len(known)], bits)]
        if target.start:  # higher powers alone have no minimax around zero
            known = [rounded(coefficient, bits) for coefficient in coefficients]
            break
    z = [target.start + (target.limit - target.start) * k / 2000 for k in range(1, 2001)]
    return known, max(abs((target.function(x) - polynomial(known, x)) * target.weight(x)) for x in z)


def split(number: mpf, bits: int, exact: int, parts: int) -> list[mpf]:
    """A number as parts whose product with an integer of QUARTERS_BITS is exact, and a last part of all bits."""
    result: list[mpf] = []
    for _ in range(parts):
        result.append(rounded(number - mpmath.fsum(result), exact))
    return [*result, rounded(number - mpmath.fsum(result), bits)]


def hexadecimal(value: mpf) -> str:
    """A float as C and Python write it; every value given here is a float64."""
    return float(value).hex()


def table(rows: list[mpf]) -> str:
    """A tuple of hexadecimal floats: one a line, a single one beside its key."""
    if len(rows) == 1:
        return f'("{hexadecimal(rows[0])}",)'
    lines = "".join(f'            "{hexadecimal(value)}",\n' for value in rows)
    return f"(\n{lines}        )"


def entry(name: str, about: str, rows: dict[Precision, list[mpf]], errors: dict[Precision, mpf]) -> str:
    """One constant of the file: precision -> floats, with what it is and the error it leaves as its docstring."""
    tables = "".join(f'        "{precision}": {table(values)},\n' for precision, values in rows.items())
    left = ", ".join(f"{mpmath.nstr(error, 2)} in {p}" for p, error in errors.items())
    bound = f"\n\nRelative error that this leaves in the result: {left}.\n" if left else ""
    return f'{name}: Table = _exact(\n    {{\n{tables}    }}\n)\n"""{about}.{bound}"""\n'


def _of_powers(digits: dict[Precision, int]) -> list[str]:
    """What exponentials and logarithms are reduced by."""
    two = mpmath.log(2)
    octave = {p: split(two, bits, bits - OCTAVES_BITS[p], 1) for p, bits in digits.items()}
    halves = {p: split(two, bits, bits // 2, 1) for p, bits in digits.items()}
    thirds = {p: split(2 / (3 * two), bits, bits // 2, 1) for p, bits in digits.items()}
    inverse = {p: [rounded(1 / two, bits)] for p, bits in digits.items()}
    return [
        entry("OCTAVE", "ln 2 as a sum; a number of octaves times the first part is exact", octave, {}),
        entry("OCTAVES_PER_UNIT", "1/ln 2", inverse, {}),
        entry("OCTAVE_HALVES", "ln 2 as a sum; the first part has half of the bits", halves, {}),
        entry("TWO_THIRDS_OF_OCTAVES", "2/(3 ln 2) as a sum; the first part has half of the bits", thirds, {}),
    ]


def text() -> str:
    """The whole file."""
    mpmath.mp.dps = DIGITS
    entries = []
    for target in approximations():
        fits = {precision: rounded_fit(target, precision) for precision in target.terms}
        coefficients = {precision: fit[0] for precision, fit in fits.items()}
        entries.append(entry(target.name, target.about, coefficients, {p: fit[1] for p, fit in fits.items()}))
    quarter = mpmath.pi / 2
    parts: dict[Precision, int] = {"float32": 3, "float64": 2}
    digits = {precision: FORMATS[precision].digits for precision in parts}
    splits = {p: split(quarter, digits[p], digits[p] - QUARTERS_BITS, count) for p, count in parts.items()}
    entries.append(
        entry("QUARTER_TURN_PARTS", "pi/2 as a sum; a quarter-turn number times a part is exact", splits, {})
    )
    inverse = {p: [rounded(1 / quarter, digits[p])] for p in parts}
    entries.append(entry("QUARTERS_PER_RADIAN", "2/pi", inverse, {}))
    nearest = {p: rounded(quarter, digits[p]) for p in parts}
    pairs = {p: [nearest[p], rounded(quarter / nearest[p] - 1, digits[p])] for p in parts}
    entries.append(entry("QUARTER_TURN", "pi/2 rounded, and what relative part of it is missing", pairs, {}))
    entries += _of_powers(digits)
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True, autoescape=False)
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(entries="\n".join(entries).rstrip())


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8", newline="\n")
    print(f"wrote {TARGET.name}")
