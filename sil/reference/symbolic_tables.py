"""Tables of the symbolic reference, each with a bound of what rounding may do to it.

In: the numbers of a `LookUp` node and its arguments with their errors. Out: value and error, as mpf.
"""

from typing import Any

from sil.reference.tables import at_one, at_two

Pair = tuple[Any, Any]  # a number and a bound of its error
ROUNDINGS = 32
"""Rounding units of the largest term that a polynomial of a table may be off by."""


def table_value(operands: list[Pair], unit: float, axis: int | None = None) -> Pair:
    """The value of a table, or its slope along an axis: number of axes, arguments, method, sizes, knots, values.

    At both ends of what the arguments may be it is asked again; a slope may jump there, a value may not.
    """
    count = int(operands[0][0])
    arguments, rest = operands[1 : 1 + count], [value for value, _ in operands[1 + count :]]
    cubic, sizes, numbers = int(rest[0]) == 1, [int(size) for size in rest[1 : 1 + count]], rest[1 + count :]
    axes = []
    for size in sizes:
        axes.append(numbers[:size])
        numbers = numbers[size:]
    place = 0 if axis is None else 1 + axis

    def at(shifts: list[Any]) -> Any:
        points = [value + shift for (value, _), shift in zip(arguments, shifts, strict=True)]
        if count > 1:
            return at_two(axes[0], axes[1], numbers, (points[0], points[1]))[place]
        return at_one(axes[0], numbers, cubic, points[0])[place]

    room = [error + 2 * unit * max(map(abs, knots)) for (_, error), knots in zip(arguments, axes, strict=True)]
    value = at([0] * count)
    moved = sum(
        max(abs(at([sign * shift if k == number else 0 for k in range(count)]) - value) for sign in (1, -1))
        for number, shift in enumerate(room)
    )
    size = max(map(abs, numbers))
    scale = size if axis is None else 4 * size / min(b - a for a, b in zip(axes[axis], axes[axis][1:], strict=False))
    return value, moved + ROUNDINGS * unit * scale
