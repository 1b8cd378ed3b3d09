"""Prints what a trace found."""

import click

from exporter.commands.printing import print_head, print_next, print_rows
from sil.trace.findings import Findings, JumpFacts, Spot

MOST_LISTED = 8  # jumps that are spelled out


def print_findings(model: str, findings: Findings) -> None:
    """Flags, margins, jumps, the worst pose and what may be done there."""
    print_head(findings.name, findings.title, findings.precision)
    state = "the path is followed without a jump" if findings.continuous else "the path is NOT followed"
    click.echo(f"{findings.rows} poses along {', '.join(findings.independent)}: {state}")
    if findings.flags:
        click.echo("flags")
        print_rows((f.name, f"{f.rows} poses", f"from {_spot(f.first)} to {_spot(f.last)}") for f in findings.flags)
    if findings.margins:
        click.echo("smallest margins and pivots")
        print_rows((m.name, f"{m.smallest:.4g}", f"at {_spot(m.at)}") for m in findings.margins)
    if findings.jumps:
        click.echo("jumps")
        print_rows(_jump(jump) for jump in findings.jumps[:MOST_LISTED])
        if len(findings.jumps) > MOST_LISTED:
            click.echo(f"  and {len(findings.jumps) - MOST_LISTED} more")
    if findings.signs:
        click.echo("quaternions that go on with the other sign, half a turn from the design pose's attitude")
        print_rows((each.name, "", f"after {_spot(each.before)}") for each in findings.signs[:MOST_LISTED])
    if findings.worst is not None:
        click.echo(f"worst pose {_spot(findings.worst)}")
    _print_choices(model, findings)


def _spot(spot: Spot) -> str:
    time = "" if spot.time is None else f"t = {spot.time:.6g} s, "
    return f"{time}{', '.join(f'{name} = {value:.6g}' for name, value in spot.independent.items())} (pose {spot.row})"


def _jump(jump: JumpFacts) -> tuple[str, str, str]:
    expected = "the reference is lost" if jump.expected is None else f"its rate allows {jump.expected:.4g}"
    return jump.coordinate, f"{jump.moved:.4g} {jump.unit}, {expected}", f"after {_spot(jump.before)}"


def _print_choices(model: str, findings: Findings) -> None:
    if findings.worst is None or not findings.narrow:
        return
    if not findings.choices:
        click.echo("no exchange of one independent coordinate drives it well there")
        return
    click.echo("independent coordinates that drive it well there")
    print_rows(
        (", ".join(c.independent), f"condition {c.condition:.3g}{'' if c.ranged else ', needs a range in the file'}")
        for c in findings.choices
    )
    worst = findings.worst.independent.items()
    at = [word for name, value in worst for word in ("--at", f"{name}={value:.6g} {findings.units[name]}")]
    print_next(
        ("kinefix", "show", model, *at),
        ("kinefix", "analyse", model, "--independent", ",".join(findings.choices[0].independent)),
        *(
            ("kinefix", "export", model, "--out", "DIR", "--alternative", ",".join(c.independent))
            for c in findings.choices[:1]
            if c.ranged
        ),
    )
