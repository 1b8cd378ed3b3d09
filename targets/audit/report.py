"""The audit as tables for a terminal.

In: an `AuditResult`. Used by: `kinefix audit`.
"""

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from targets.audit.result import AuditResult, FunctionAudit

NO_FIGURE = "–"
SHIPPED_LEVEL = "-O2"


def print_audit(result: AuditResult, console: Console) -> None:
    """Print what an engineer wants to see first, the verdict last."""
    console.print(Text(f"{result.model} ({result.real}) for {result.profile}, {result.compiler}"))
    console.print(_functions(result))
    sizes = result.sizes
    console.print(Text(f"object: text {sizes.text} bytes, data {sizes.data} bytes, bss {sizes.bss} bytes"))
    for line in [line for function in result.functions for line in _reasons(function)] + _forbidden(result):
        console.print(Text(line, style="red"))
    for note in result.notes:
        console.print(Text(f"note: {note}"))
    console.print(Text(f"{result.model} for {result.profile}: {result.verdict}", style=_style(passed=result.passed)))


def _functions(result: AuditResult) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("function", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    levels = [level.level for level in result.functions[0].levels] if result.functions else []
    for heading in ("instr.", "kernels", "outside", "stack", *levels):
        table.add_column(heading, justify="right", no_wrap=True)
    for function in result.functions:
        table.add_row(*_row(function))
    return table


def _row(function: FunctionAudit) -> tuple[RenderableType, ...]:
    return (
        function.name,
        Text(function.verdict, style=_style(passed=function.verdict == "single path")),
        _count(function.verdict, function.instructions),
        str(sum(function.kernels.values()) or NO_FIGURE),
        NO_FIGURE if function.outside is None else str(function.outside),
        NO_FIGURE if function.stack_bytes is None else str(function.stack_bytes),
        *(_count(level.verdict, level.instructions) for level in function.levels),
    )


def _count(verdict: str, instructions: int | None) -> str:
    if instructions is None:
        return NO_FIGURE
    return f"≤ {instructions}" if verdict == "acyclic bound" else str(instructions)


def _reasons(function: FunctionAudit) -> list[str]:
    """Each reason once, with the levels that it holds at."""
    by_reason: dict[str, list[str]] = {function.reason: [SHIPPED_LEVEL]} if function.reason else {}
    for level in function.levels:
        if level.reason:
            by_reason.setdefault(level.reason, []).append(level.level)
    return [f"{function.name} ({' '.join(levels)}): {reason}" for reason, levels in by_reason.items()]


def _forbidden(result: AuditResult) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for name, reason in result.forbidden.items():
        by_reason.setdefault(reason, []).append(name)
    return [f"forbidden: {', '.join(names)} ({reason})" for reason, names in by_reason.items()]


def _style(*, passed: bool) -> str:
    return "green" if passed else "red"
