"""An `Analysis` as text for a terminal."""

import math
import textwrap
from collections.abc import Sequence

import click

from exporter.commands.analysis_facts import Analysis, Coordinate
from exporter.commands.printing import joined_notes, print_head, print_rows
from exporter.commands.tunable_costs import TunableCost
from exporter.kinematics.analysis.choices import Choice, Singularities, sizes_of
from exporter.kinematics.analysis.ranking import is_free
from exporter.kinematics.analysis.solve_order import OrderedBlock
from exporter.sequence.cost import Cost

WIDTH = 112  # characters of a paragraph
LISTED_REFUSALS = 6  # that are written out; the JSON has all
CLOSED_FORM_SOLUTIONS = 2  # solutions of a block that is solved in closed form
NO_FORM = "no triangular form"
NOT_COUNTED = "not counted (infinitely many solutions, or too large a computation)"


def print_analysis(analysis: Analysis) -> None:
    """Everything, from the loops to the parameters."""
    print_head(analysis.mechanism.name, analysis.mechanism.title)
    _print_loops(analysis)
    _print_choices(analysis)
    _print_order(analysis)
    _print_export(analysis)
    _print_stability(analysis)
    _print_parameters(analysis.parameters)


def _paragraph(text: str, indent: str) -> None:
    """Wrapped; lines behind the first are a list."""
    head, *listed = text.split("\n")
    click.echo(textwrap.fill(head, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False))
    for line in listed:
        click.echo(f"{indent}{line}")


# -- loops ---------------------------------------------------------------------------------------------------------


def _print_loops(analysis: Analysis) -> None:
    mechanism, samples = analysis.mechanism, analysis.samples
    count = len(mechanism.coordinates())
    click.echo(f"loops: {len(analysis.loops)}")
    rows = [
        (loop.joint, loop.type, _redundant(loop.equations, loop.redundant), " - ".join(loop.bodies))
        for loop in analysis.loops
    ]
    if rows:
        print_rows(rows)
    click.echo(f"degrees of freedom: {samples.freedom}, of {count} coordinates: {', '.join(mechanism.coordinates())}")
    for place in analysis.meetings:
        at = ", ".join(f"{name} = {value:.4g}" for name, value in place.items())
        click.echo(f"assemblies meet near {at}: the closures lose rank, and the mechanism may go either way")


def _redundant(equations: int, redundant: int) -> str:
    return f"{equations} equations, {redundant} redundant" if redundant else f"{equations} equations"


# -- choices -------------------------------------------------------------------------------------------------------


def _print_choices(analysis: Analysis) -> None:
    samples = analysis.samples
    over = ", ".join(analysis.mechanism.independent)
    some = "" if len(analysis.choices) >= analysis.combinations else f"{len(analysis.choices):,} of "
    click.echo(
        f"choices of independent coordinates: {some}{analysis.combinations:,}, best first, at {len(samples.rows)} of "
        f"{samples.asked} poses over the range of {over}"
    )
    print_rows(
        [
            ("", "choice", "blocks", "degree", "position", _largest(analysis.choices), "over the range"),
            *(_choice_row(analysis, choice) for choice in analysis.choices),
        ]
    )
    if some:
        click.echo("  the others drive the mechanism less well at its design pose; --limit judges more")
    _print_refusals(analysis.choices, analysis.shown)
    recommended = analysis.recommended
    if recommended is None:
        click.echo("recommended: none; no choice has a triangular form")
    else:
        click.echo(f"recommended: {', '.join(recommended.independent)}: {recommended.reason}")


def _largest(choices: Sequence[Choice]) -> str:
    names = [name for choice in choices for name in choice.costs if name != "position"]
    return names[0] if names else "dynamics"


def _choice_row(analysis: Analysis, choice: Choice) -> tuple[str, ...]:
    mark = "*" if choice.independent == analysis.mechanism.independent else ""
    blocks = "+".join(str(size) for size in sizes_of(choice)) or "?"
    degree = _degree(choice)
    if not choice.solvable:
        return mark, ", ".join(choice.independent), blocks, degree, NO_FORM, "", _places(choice)
    costs = list(choice.costs.values())
    return mark, ", ".join(choice.independent), blocks, degree, *(_short(each) for each in costs), _places(choice)


def _degree(choice: Choice) -> str:
    """All assemblies, and in brackets the largest number that one system has, where that is above two and not all."""
    if choice.degree is None:
        return "?"
    largest = max((system.degree or 1 for system in choice.systems), default=1)
    some = f" ({largest:,})" if CLOSED_FORM_SOLUTIONS < largest < choice.degree else ""
    return f"{choice.degree:,}{some}"


def _grouped(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"


def _short(cost: Cost) -> str:
    """mul and div / add / sqrt, kernels behind."""
    kernels = cost.kernels
    return f"{cost.mul + cost.div}/{cost.add}/{cost.sqrt}{f' + {kernels} sincos' if kernels else ''}"


def _places(choice: Choice) -> str:
    found = choice.singularities
    if not choice.solvable and found.free:
        return ""
    kept = f"branch kept at {choice.kept} of {found.samples}" if choice.solvable and not is_free(choice) else ""
    return ", ".join(word for word in (_singular(found), kept) if word)


def _singular(found: Singularities) -> str:
    if found.free:
        return "regular"
    if found.below == found.samples:
        return "drives nothing"
    at = "; ".join(" ".join(f"{name}={value:.4g}" for name, value in place.items()) for place in found.places[:2])
    what = "dead point" if found.changes_sign else "nearly singular"
    return f"{what} at {at}" if at else f"{what} in between"


def _print_refusals(choices: Sequence[Choice], shown: Choice) -> None:
    refused = [choice for choice in choices if choice.refusal]
    for choice in refused[:LISTED_REFUSALS]:
        _paragraph(f"{', '.join(choice.independent)}: {choice.refusal}", "  ")
    if len(refused) > LISTED_REFUSALS:
        click.echo(f"  and {len(refused) - LISTED_REFUSALS} more without a triangular form; --json has their reasons")
    if any(choice is not shown for choice in refused):
        click.echo("  through a table some of these are solved all the same: name one with --independent to try it")


# -- the choice shown ----------------------------------------------------------------------------------------------


def _print_order(analysis: Analysis) -> None:
    shown = analysis.shown
    click.echo(f"solve order, driven by {', '.join(shown.independent)}")
    if shown.refusal:
        _paragraph(shown.refusal, "  ")
        for system in shown.systems:
            degree = NOT_COUNTED if system.degree is None else str(system.degree)
            unknowns = ", ".join(system.unknowns)
            what = f"loops {', '.join(system.loops)}: degree {degree}; {unknowns}"
            _paragraph(what if system.loops else f"{unknowns}: degree {degree}", "  ")
        return
    for block in analysis.order:
        _print_block(block)
    real = "" if analysis.assemblies is None else f", {analysis.assemblies:,} of them real at the design pose"
    click.echo(f"assemblies: {_grouped(shown.degree)}{real}")
    for note in joined_notes(analysis.notes):
        _paragraph(f"note: {note}", "  ")


def _print_block(block: OrderedBlock) -> None:
    root = "" if not block.sign else f", root {'+' if block.sign > 0 else '-'}"
    branch = f", branch '{block.branch}'" if block.branch else ""
    click.echo(f"  {block.id}  {block.kind}, degree {block.degree}{branch}{root}")
    rows = [("needs", ", ".join(block.needs) or "nothing"), ("solves", ", ".join(block.unknowns))]
    if block.gives and block.gives != block.unknowns:
        rows.append(("gives", ", ".join(block.gives)))
    rows += [("cost", block.cost.text()), ("guards", ", ".join(block.guards) or "none")]
    for margin in block.margins:
        at = ", ".join(f"{name} = {value:.4g}" for name, value in margin.at.items())
        rows.append((margin.role, f"at least {margin.smallest:.4g}, at {at}"))
    print_rows(rows, "      ")


def _print_export(analysis: Analysis) -> None:
    if analysis.shown.refusal:
        return
    lacking = [each for each in analysis.coordinates if not each.in_file]
    if analysis.refused:
        click.echo("no export as it stands:")
        _paragraph(analysis.refused, "  ")
    else:
        click.echo("operations of one call, with guards and status")
        print_rows((name, each.text()) for name, each in analysis.exported.items())
    if lacking:
        click.echo("for the model file (ranges as sampled; the rates are yours to give):")
        for line in model_lines(analysis.coordinates):
            click.echo(f"  {line}")


def model_lines(coordinates: Sequence[Coordinate]) -> list[str]:
    """The choice as lines of a model file."""
    names = ", ".join(f'"{each.name}"' for each in coordinates)
    ranges = ", ".join(
        f'{each.name} = ["{each.minimum:.6g} {each.unit}", "{each.maximum:.6g} {each.unit}"]' for each in coordinates
    )
    rates = ", ".join(f'{each.name} = "1 {each.unit}/s"' for each in coordinates)
    return ["[coordinates]", f"independent = [{names}]", f"ranges = {{ {ranges} }}", f"rates = {{ {rates} }}"]


def _print_stability(analysis: Analysis) -> None:
    found = analysis.stability
    if found is None:
        return
    click.echo(
        f"largest stable period of dostep, at rest, nominal inputs and parameters; the fastest eigenvalue of "
        f"{found.poses} poses is {found.fastest:.4g} 1/s"
    )
    rows: list[tuple[str, ...]] = [("method", "design pose", "worst pose", "")]
    for each in found.steps:
        told = f"at {each.where}" if each.where else ""
        if each.method == found.method and each.worst < found.period:
            told = f"{told}; the file's period of {_period_text(found.period)} is too long".removeprefix("; ")
        rows.append((each.method, _period_text(each.at_design), _period_text(each.worst), told))
    print_rows(rows)


def _period_text(period: float) -> str:
    """A period in ms, or in words where there is no limit."""
    if period == 0:
        return "none"
    return "any" if math.isinf(period) else f"{1e3 * period:.4g} ms"


# -- parameters ----------------------------------------------------------------------------------------------------


def _print_parameters(costs: Sequence[TunableCost]) -> None:
    if not costs:
        return
    click.echo(
        "making a frozen parameter tunable costs, of one call (inside the function; after recalibrate took its part)"
    )
    rows = []
    for each in costs:
        if each.refusal:
            rows.append((each.name, "", "", each.refusal))
            continue
        for number, function in enumerate(each.functions):
            inside = _more(function.frozen, function.before)
            after = _more(function.frozen, function.after)
            rows.append((each.name if not number else "", function.function, f"{inside} inside", f"{after} after"))
        rows.append(("", "recalibrate", _more(Cost(), each.recalibrate), "" if each.has_range else "give it a range"))
    print_rows(rows)


def _more(before: Cost, after: Cost) -> str:
    old, new = before.as_dict(), after.as_dict()
    order = ("mul", "add", "div", "sqrt", "sincos")
    words = [f"{new[name] - old[name]:+d} {name}" for name in order if new[name] != old[name]]
    return ", ".join(words) or "nothing"
