"""An `Overview` as text for a terminal."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import click

from exporter.commands.forces_at_rest import ForceFacts, ValueFacts
from exporter.commands.overview import CoordinateFacts, FunctionFacts, ModeFacts, Overview, unit_of
from exporter.commands.printing import joined_notes, print_head, print_rows
from exporter.kinematics.protocol.closest import PRINTED_ZERO


def print_overview(overview: Overview) -> None:
    """Everything, in the order of the pipeline."""
    _print_head(overview)
    click.echo("coordinates")
    print_rows(_coordinate_row(each) for each in overview.coordinates)
    if overview.couplings:
        click.echo("couplings")
        for coupling in overview.couplings:
            click.echo(f"  {coupling}")
    click.echo("solve order" if overview.blocks else "nothing to solve: all coordinates are independent")
    _print_blocks(overview)
    click.echo(f"assembly modes at {_values(overview, overview.at)}")
    _print_modes(overview)
    if overview.forces:
        _print_forces(overview)
    if overview.refused:
        click.echo(f"no export at {overview.precision}: {overview.refused}")
    else:
        _print_functions(overview)
    if overview.notes:
        click.echo("notes")
        for note in joined_notes(overview.notes):
            click.echo(f"  {note}")


def _print_forces(overview: Overview) -> None:
    """One line per load or element, then its law and the values in it."""
    click.echo(f"forces at {_values(overview, overview.at)}, at rest, inputs nominal")
    for each in overview.forces:
        x = [] if each.x is None else [f"x = {_value(each.x, each.x_unit)}"]
        click.echo(f"  {each.name}: {each.type} {each.acts}")
        click.echo(f"      {', '.join((*x, f'F = {_force_text(each)}'))}")
        click.echo(f"      F = {_as_vector(each.law)}")
        if each.values:
            click.echo(f"      {', '.join(_given(key, value) for key, value in each.values.items())}")


def _force_text(force: ForceFacts) -> str:
    if force.force is None:
        return "no value here"
    return f"{_as_vector([f'{part:.6g}' for part in force.force])} {force.unit}"


def _as_vector(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _given(key: str, given: ValueFacts) -> str:
    """A value by its formula, unless that is its own name or a number, and in SI units."""
    formula = f" = {given.formula}" if given.formula not in ("", key) else ""
    number = "" if given.value is None else f" = {given.value:.6g} {given.unit}"
    return f"{key}{formula}{number}"


def _print_functions(overview: Overview) -> None:
    always = "the same on every input" if overview.fixed_time else "NOT fixed-time where it iterates"
    click.echo(f"operations of one call, {overview.precision}, {always}")
    inside = [(f"inside {name}", text) for name, text in overview.kernels.items()]
    rows = [row for each in overview.functions for row in _function_rows(each)]
    print_rows([*rows, *inside])
    _print_conditions(overview)


def _function_rows(function: FunctionFacts) -> list[tuple[str, str]]:
    """What a call costs, and what it would without joint reactions."""
    plain = [("  without reactions", function.without_reactions)] if function.without_reactions else []
    return [(function.name, function.cost_text), *plain]


def _print_head(overview: Overview) -> None:
    count = len(overview.independent)
    print_head(overview.name, overview.title)
    freedom = f"{count} degree{'' if count == 1 else 's'} of freedom: {', '.join(overview.independent)}"
    print_rows([("source", overview.source or "not given"), ("model", f"SHA-256 {overview.model_hash}")])
    click.echo(freedom)


def _coordinate_row(each: CoordinateFacts) -> tuple[str, ...]:
    role = "independent" if each.independent else "dependent"
    pose = "no pose" if each.pose is None else f"pose {_value(each.pose, each.unit)}"
    return each.name, role, pose, ", ".join(_bounds(each)) or "no range"


def _bounds(each: CoordinateFacts) -> list[str]:
    words = []
    if each.minimum is not None and each.maximum is not None:
        words.append(f"{each.minimum:.6g} to {each.maximum:.6g} {each.unit}")
    if each.rate is not None:
        words.append(f"|rate| up to {each.rate:.6g} {each.unit}/s")
    if each.acceleration is not None:
        words.append(f"|acceleration| up to {each.acceleration:.6g} {each.unit}/s^2")
    return words


def _print_blocks(overview: Overview) -> None:
    for block in overview.blocks:
        branch = f", branch '{block.branch}'" if block.branch else ""
        root = f"{branch}, root {'+' if block.sign > 0 else '-'}" if block.sign else ""
        loop = f"loop '{block.loop}': " if block.loop else ""
        click.echo(f"  {block.id}  {loop}{block.kind}, degree {block.degree}{root}")
        gives = f"; gives {', '.join(block.coordinates)}" if block.loop else ""
        click.echo(f"      {', '.join(block.unknowns)}{gives}")
        print_rows(block.steps, "      ")


def _print_modes(overview: Overview) -> None:
    """All of few modes; of some of many what differs from the first one, where that can be assembled."""
    first, *others = overview.modes
    left = overview.combinations - len(overview.modes)
    _print_mode(overview, first)
    if left and others and first.reachable:
        click.echo("  what differs from it in others")
        others = [_differing(overview, mode, first) for mode in others]
    for mode in others:
        _print_mode(overview, mode)
    if left:
        click.echo(f"  and {left:,} other combinations of roots, {overview.combinations:,} in all")


def _differing(overview: Overview, mode: ModeFacts, first: ModeFacts) -> ModeFacts:
    """The roots and the values of a mode that are printed otherwise than those of the first."""
    known = first.name.split(", ")
    return replace(
        mode,
        name=", ".join(root for root in mode.name.split(", ") if root not in known),
        coordinates={
            name: value
            for name, value in mode.coordinates.items()
            if _value(value, unit := unit_of(overview.coordinates, name)) != _value(first.coordinates[name], unit)
        },
        margins=_changed(mode.margins, first.margins),
        pivots=_changed(mode.pivots, first.pivots),
    )


def _changed(values: Mapping[str, float], known: Mapping[str, float]) -> dict[str, float]:
    return {name: value for name, value in values.items() if f"{value:.6g}" != f"{known.get(name, math.nan):.6g}"}


def _print_mode(overview: Overview, mode: ModeFacts) -> None:
    notes = [
        *(["this one is exported"] if mode.chosen else []),
        *([] if mode.reachable else ["cannot be assembled here"]),
    ]
    click.echo(f"  {mode.name}{': ' if notes else ''}{', '.join(notes)}")
    if mode.reachable and mode.coordinates:
        click.echo(f"      {_values(overview, mode.coordinates)}")
    margins = [f"margin {block} {value:.6g}" for block, value in mode.margins.items()]
    pivots = [f"pivot {block} {value:.6g}" for block, value in mode.pivots.items()]
    if margins or pivots:
        click.echo(f"      {', '.join((*margins, *pivots))}")


def _values(overview: Overview, values: dict[str, float]) -> str:
    return ", ".join(f"{name} = {_value(value, unit_of(overview.coordinates, name))}" for name, value in values.items())


def _value(value: float, unit: str) -> str:
    value = 0.0 if abs(value) < PRINTED_ZERO else value
    degrees = f" ({math.degrees(value):.6g} deg)" if unit == "rad" else ""
    return f"{value:.6g} {unit}{degrees}"


def _print_conditions(overview: Overview) -> None:
    """One line per condition and place, with the functions that can report it."""
    found: dict[tuple[str, str], list[str]] = {}
    for function in overview.functions:
        for name, places in function.conditions.items():
            for place in places:
                found.setdefault((name, place), []).append(function.name)
    click.echo("status conditions" if found else "no status condition can occur")
    print_rows((name, place, ", ".join(functions)) for (name, place), functions in sorted(found.items()))
