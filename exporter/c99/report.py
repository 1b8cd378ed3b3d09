"""The readable page of an export: signals, cost, solve order, branches, status.

In: a layout and its manifest. Out: Markdown.
"""

from exporter.c99.functions import SUMMARIES, every_function
from exporter.c99.kernels import kernel_costs
from exporter.c99.layout import Layout
from exporter.c99.render import render
from exporter.manifest import Field, Manifest
from exporter.sequence.looped import cost_text, loop_text
from exporter.sequence.status import BITS


def report_text(plan: Layout, manifest: Manifest) -> str:
    """The page as Markdown."""
    functions = [
        {
            "function": function,
            "verb": SUMMARIES.get(function.name, "").format(start=plan.program.start),
            "cost": cost_text(plan.program, sequence),
            "inputs": [_row(field) for field in function.row_inputs],
            "outputs": [_row(field) for field in function.row_outputs],
        }
        for function, sequence in every_function(plan)
    ]
    return render(
        "report.md.j2",
        manifest=manifest,
        loop=loop_text(plan.program.loop) if plan.program.loop else "",
        functions=functions,
        kernels=kernel_costs([sequence for _, sequence in every_function(plan)], plan.program.precision),
        status={name: (bit, BITS[name][1]) for name, bit in manifest.status.items()},
        parameters=[
            (each, "tunable" if each.tunable else "frozen", _range(each.minimum, each.maximum))
            for each in manifest.parameters
        ],
    )


def _row(field: Field) -> dict[str, str]:
    return {
        "field": field.field,
        "name": _cell(field.name),
        "unit": _cell(field.unit),
        "range": _range(field.minimum, field.maximum),
        "about": _cell(field.about),
    }


def _range(minimum: float | None, maximum: float | None) -> str:
    return "" if minimum is None or maximum is None else f"{minimum:.9g} to {maximum:.9g}"


def _cell(text: str) -> str:
    """Text that breaks no table."""
    return text.replace("|", "\\|").replace("\n", " ")
