"""A x = b written into a sequence: one division, the adjugate for two unknowns, LDL or LU in a fixed order above.

Comes in: handles of the entries. Goes out: handles of the unknowns. The order of elimination is fixed at export, from
the values at the nominal point, so that the cost is the same for every input; each pivot is guarded, and told beside
the entry that it is what is left of. About
2n^3/3 + 2n^2 operations for LU, half of the cubic term for LDL (Golub & Van Loan, Matrix Computations, 3.2 and 4.1).
"""

from collections.abc import Callable, Sequence

from exporter.sequence.builder import Value

Matrix = list[list[Value]]
Guard = Callable[[Value, Value], Value]  # a pivot that cannot vanish, and what it was before something was subtracted
Nominal = Callable[[Sequence[Value]], list[float]]  # values at the nominal point

KEEP_ROW = 0.1
"""The next row stays where it is while its pivot is at least this part of the largest one (at the nominal point)."""


LEAST_PIVOT = 1e-6
"""A pivot below this part of its diagonal entry (at the nominal point) is rounding: not positive definite."""


def solve_linear(matrix: Matrix, right: list[Value], guard: Guard, nominal: Nominal) -> list[Value]:
    """The unknowns. The matrix is symmetric where mirrored entries are the same operation."""
    match len(right):
        case 1:
            return [right[0] / guard(matrix[0][0], matrix[0][0])]
        case 2:
            return _adjugate(matrix, right, guard)
    if _symmetric(matrix):
        solution = _ldl(matrix, right, guard, nominal)
        if solution is not None:
            return solution
    return _lu(matrix, right, guard, nominal)


def method(matrix: Matrix) -> str:
    """What `solve_linear` starts with, in words."""
    if len(matrix) <= 2:
        return ("division", "adjugate")[len(matrix) - 1]
    return "LDL" if _symmetric(matrix) else "LU"


def _symmetric(matrix: Matrix) -> bool:
    return all(matrix[i][j] == matrix[j][i] for i in range(len(matrix)) for j in range(i))


def _adjugate(matrix: Matrix, right: list[Value], guard: Guard) -> list[Value]:
    (a, b), (c, d) = matrix
    e, f = right
    determinant = guard(a * d - b * c, a * d)
    return [(e * d - b * f) / determinant, (a * f - e * c) / determinant]


def _lu(matrix: Matrix, right: list[Value], guard: Guard, nominal: Nominal) -> list[Value]:
    rows = [[*row, entry] for row, entry in zip(matrix, right, strict=True)]
    before = list(matrix)
    order = len(rows)
    for k in range(order):
        chosen = k + _pivot_row(nominal([row[k] for row in rows[k:]]))
        rows[k], rows[chosen] = rows[chosen], rows[k]
        before[k], before[chosen] = before[chosen], before[k]
        rows[k][k] = guard(rows[k][k], before[k][k])
        for i in range(k + 1, order):
            factor = rows[i][k] / rows[k][k]
            for j in range(k + 1, order + 1):
                rows[i][j] = rows[i][j] - factor * rows[k][j]
    return _back_substituted(rows)


def _pivot_row(candidates: list[float]) -> int:
    """Position of the row to eliminate with: the first, unless it is much smaller than the largest."""
    sizes = [abs(candidate) for candidate in candidates]
    largest = max(range(len(sizes)), key=lambda position: sizes[position])
    return 0 if sizes[0] > 0 and sizes[0] >= KEEP_ROW * sizes[largest] else largest


def _back_substituted(rows: Matrix) -> list[Value]:
    order = len(rows)
    solution: list[Value] = []
    for i in range(order - 1, -1, -1):
        rest = rows[i][order]
        for j in range(order - 1, i, -1):
            rest = rest - rows[i][j] * solution[order - 1 - j]
        solution.append(rest / rows[i][i])
    return solution[::-1]


def _ldl(matrix: Matrix, right: list[Value], guard: Guard, nominal: Nominal) -> list[Value] | None:
    """None where the matrix is not positive definite at the nominal point: then LDL needs pivoting and LU is used."""
    order = len(matrix)
    lower = [[matrix[i][j] for j in range(i + 1)] for i in range(order)]
    pivots: list[Value] = []
    for k in range(order):
        pivot, diagonal = nominal([lower[k][k], matrix[k][k]])
        if not pivot > LEAST_PIVOT * diagonal:
            return None
        pivots.append(guard(lower[k][k], matrix[k][k]))
        scaled = [lower[i][k] / pivots[k] for i in range(k + 1, order)]
        for i in range(k + 1, order):
            for j in range(k + 1, i + 1):
                lower[i][j] = lower[i][j] - scaled[i - k - 1] * lower[j][k]
        for i in range(k + 1, order):
            lower[i][k] = scaled[i - k - 1]
    return _ldl_solved(lower, pivots, right)


def _ldl_solved(lower: Matrix, pivots: list[Value], right: list[Value]) -> list[Value]:
    order = len(pivots)
    solution = list(right)
    for i in range(order):
        for j in range(i):
            solution[i] = solution[i] - lower[i][j] * solution[j]
    solution = [entry / pivot for entry, pivot in zip(solution, pivots, strict=True)]
    for i in range(order - 1, -1, -1):
        for j in range(i + 1, order):
            solution[i] = solution[i] - lower[j][i] * solution[j]
    return solution
