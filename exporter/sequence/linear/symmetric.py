"""L D L^T written into a sequence: the one for all symmetric systems that are positive definite.

In: values of a symmetric matrix and of a right side, and a `Policy`. Out: values of the unknowns. No pivoting, half of
the operations of an elimination (Golub & Van Loan, Matrix Computations, section 4.1).
"""

from collections.abc import Sequence
from contextlib import nullcontext

from exporter.sequence.builder import Value
from exporter.sequence.linear.elimination import quotient_by
from exporter.sequence.linear.policy import Policy


def solve_symmetric(matrix: Sequence[Sequence[Value]], right: Sequence[Value], policy: Policy) -> list[Value]:
    """The unknowns (n,) of matrix (n, n) * x = right (n,); the matrix is read below its diagonal only."""
    builder, size = right[0].builder, len(right)
    lower: list[list[Value]] = [[] for _ in range(size)]
    scaled: list[list[Value]] = [[] for _ in range(size)]
    quotients = []
    for j in range(size):
        with policy.told(builder, "L", j, "its column of A = L D L^T"):
            pivot = matrix[j][j]
            for k in range(j):
                pivot = pivot - lower[j][k] * scaled[j][k]
            quotients.append(quotient_by(policy.guarded(pivot, j, j), policy))
            for i in range(j + 1, size):
                entry = matrix[i][j]
                for k in range(j):
                    entry = entry - scaled[i][k] * lower[j][k]
                entry = policy.entry(entry, i, j)
                scaled[i].append(entry)
                lower[i].append(policy.factor(quotients[j](entry), i, j))
    with builder.part("y", "L D y = right side") if policy.names else nullcontext():
        forward = _forward(lower, right, policy)
        solution = [
            policy.unknown(quotient(side), i) for i, (quotient, side) in enumerate(zip(quotients, forward, strict=True))
        ]
    with builder.part("x", f"{', '.join(policy.names)}: L^T x = y") if policy.names else nullcontext():
        return _backward(lower, solution, policy)


def _forward(lower: Sequence[Sequence[Value]], right: Sequence[Value], policy: Policy) -> list[Value]:
    """L^-1 right."""
    found: list[Value] = []
    for i, side in enumerate(right):
        left = side
        for entry, before in zip(lower[i], found, strict=True):
            left = left - entry * before
        found.append(policy.side(left, i))
    return found


def _backward(lower: Sequence[Sequence[Value]], solution: list[Value], policy: Policy) -> list[Value]:
    """L^-T solution; what others are computed from is limited again."""
    size = len(solution)
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            solution[i] = solution[i] - lower[k][i] * solution[k]
        if 0 < i < size - 1:
            solution[i] = policy.unknown(solution[i], i)
    return solution
