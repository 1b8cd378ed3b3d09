"""Small faults in C: the same operators as for Python, found line by line by the shape of the text.

In: source text. Out: `Fault`s in a fixed order, and mutated source. Comments and preprocessor lines are left
alone. A fault that does not compile is no fault: the caller leaves it out.
"""

import re
from collections.abc import Callable, Iterator

from python_operators import Fault

Rewrite = Callable[[re.Match[str]], str]
_RULES: tuple[tuple[str, str, Rewrite], ...] = (
    ("sign", r" (\+|-)(=?) (?=\S)", lambda found: f" {'-' if found[1] == '+' else '+'}{found[2]} "),
    ("operand", r"\b(\w[\w.>\-]*) (-|<|>|<=|>=) (\w[\w.>\-]*)\b", lambda found: f"{found[3]} {found[2]} {found[1]}"),
    ("constant", r"(?<![\w\[.])(\d+)(U?)(?![\w.\]])", lambda found: f"{int(found[1]) + 1}{found[2]}"),
    ("dropped guard", r"\bif \((?!0\))", lambda _: "if (0 && "),
    ("swapped index", r"\[(\w+)\]", lambda found: f"[{'1' if found[1] in ('0', '0U') else found[1] + ' - 1U'}]"),
    ("stale value", r"^(\s+)[\w.>\-\[\]]+ (?:[-+|&^]|<<|>>)?= [^=].*;$", lambda found: f"{found[1]};"),
)


def faults_of(source: str) -> list[Fault]:
    """Every fault that the operators can make."""
    return [
        Fault(operator, line + 1, source.splitlines()[line].strip()[:100], number)
        for number, (operator, line, _) in enumerate(_changes(source))
    ]


def with_fault(source: str, number: int) -> str:
    """The source with the fault of this number."""
    _, line, text = list(_changes(source))[number]
    lines = source.splitlines()
    lines[line] = text
    return "\n".join(lines) + "\n"


def _changes(source: str) -> Iterator[tuple[str, int, str]]:
    comment = False
    for number, line in enumerate(source.splitlines()):
        code = not (comment or line.lstrip().startswith(("#", "//", "/*", "*")) or not line.startswith("    "))
        comment = ("/*" in line or comment) and "*/" not in line
        if not code:
            continue
        text, _, remark = line.partition(" /*")
        remark = f" /*{remark}" if remark else ""
        for operator, pattern, rewrite in _RULES:
            for found in re.finditer(pattern, text):
                yield operator, number, text[: found.start()] + rewrite(found) + text[found.end() :] + remark
