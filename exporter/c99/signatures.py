"""Lays out the first line of a function: on one line, or one argument a line under the opening parenthesis.

In: what stands before the parenthesis, and the arguments. Out: text of one or more lines.
"""

from collections.abc import Sequence

from exporter.c99.comments import WIDTH


def signature(head: str, arguments: Sequence[str]) -> str:
    """`head(arguments)`; one character is kept for what follows."""
    pieces = list(arguments) or ["void"]
    line = f"{head}({', '.join(pieces)})"
    if len(line) < WIDTH:
        return line
    return f"{head}(" + f",\n{' ' * (len(head) + 1)}".join(pieces) + ")"
