"""`kinefix trace`: follows a path of the independent coordinates and says whether the export stays on it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exporter.commands.options import mechanism_options, names
from exporter.sources import mechanism_of

if TYPE_CHECKING:
    from exporter.model.changes import Changes
    from exporter.model.mechanism import Mechanism
    from exporter.sequence.operations import Precision
    from sil.trace.findings import Findings
    from sil.trace.path import Path as Course


@click.command(short_help="Follow a path: flags, margins, continuity, and a picture.")
@click.argument("model")
@mechanism_options
@click.option(
    "--path", "course", type=click.Path(path_type=Path), metavar="FILE", help="CSV: a column per coordinate, or time."
)
@click.option(
    "--sweep", multiple=True, metavar="NAME=FROM..TO:POSES", help='As "theta=0deg..360deg:361"; several move together.'
)
@click.option(
    "--precision",
    type=click.Choice(["float32", "float64"]),
    default="float64",
    show_default=True,
    help="Of the export.",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write every pose there, as .csv.")
@click.option("--picture", type=click.Path(path_type=Path), metavar="FILE", help="Draw it there, as .svg.")
@click.option("--show", "shown", metavar="NAMES", default="", help="Draw these only, joined by commas.")
@click.option("--against", metavar="NAME", default="", help="Draw over this quantity.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def trace(  # noqa: PLR0913 - one per option
    model: str,
    changes: "Changes",
    *,
    course: Path | None,
    sweep: tuple[str, ...],
    precision: "Precision",
    out: Path | None,
    picture: Path | None,
    shown: str,
    against: str,
    as_json: bool,
) -> None:
    """Follow a path through MODEL, a name of the library or the path of a mechanism file.

    The path is a CSV file, whose titles name independent coordinates, with a unit in brackets where it is not the SI's
    ("theta [deg]"), and perhaps a rising "time"; or it is swept evenly. Coordinates that are not named stay at the
    design pose. Printed are the flags that the exported functions set along it, the smallest margins and where they
    are, and every jump: a pose that does not continue the one before it, judged by the reference, which follows the
    mechanism's closures on its own. Exit code 1 where the path jumps or leaves what the mechanism reaches; then the
    worst pose is named with what may be done.

    \b
    Example:
      kinefix trace four_bar --sweep alpha1=0deg..360deg:361 --picture four_bar.svg
      kinefix trace slider_crank --sweep theta=0deg..180deg:91 --show s --picture stroke.svg --out stroke.csv
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from dataclasses import asdict

    from exporter.commands.printing import print_json, progress
    from exporter.errors import CheckFailed
    from exporter.whole_file import write_whole

    _check_files(out, picture, drawing=bool(shown or against))
    with progress(f"following {model}") as tell:
        from sil.trace.evaluation import trace_path
        from sil.trace.findings import findings_of
        from sil.trace.picture import picture_of
        from sil.trace.table import csv_text
        from sil.trace.text import print_findings

        mechanism = mechanism_of(model, changes, "trace")
        found = trace_path(mechanism, precision, _course(mechanism, course, sweep))
        findings = findings_of(found)
        tell("drawing")
        table = "" if out is None else csv_text(found)
        drawn = "" if picture is None else picture_of(found, findings, names(shown), against)
    for file, text in ((out, table), (picture, drawn)):
        if file is not None:
            write_whole(file, text.encode())
    if as_json:
        print_json({**asdict(findings), "out": _text(out), "picture": _text(picture)})
    else:
        print_findings(model, findings)
        for what, file in (("table", out), ("picture", picture)):
            if file is not None:
                click.echo(f"{what} {file}")
    if not findings.continuous:
        raise CheckFailed(_summary(findings))


def _text(file: Path | None) -> str | None:
    return None if file is None else str(file)


def _summary(findings: "Findings") -> str:
    jumps, rows = len(findings.jumps), findings.rows
    parts = [f"{jumps} jump{'s' if jumps != 1 else ''}"] if jumps else []
    parts += [f"{findings.unreached} of {rows} poses out of reach"] if findings.unreached else []
    parts += [f"{findings.outside} of {rows} poses beyond the ranges of the file"] if findings.outside else []
    change = "the path, the coordinates or the branch" if jumps or findings.unreached else "the path or the ranges"
    return f"{findings.name} does not follow the path: {', '.join(parts)}; change {change}"


def _check_files(out: Path | None, picture: Path | None, *, drawing: bool) -> None:
    from exporter.errors import ModelError
    from exporter.writable import require_file

    if out is not None and out.suffix.lower() != ".csv":
        raise ModelError(f"'{out}' does not end in .csv; give it that ending")
    if picture is not None and picture.suffix.lower() != ".svg":
        raise ModelError(f"'{picture}' does not end in .svg; give it that ending")
    if picture is None and drawing:
        raise ModelError("--show and --against are of a picture; say where to with --picture FILE")
    for option, file in (("--out", out), ("--picture", picture)):
        if file is not None:
            require_file(option, file)


def _course(mechanism: "Mechanism", file: Path | None, sweeps: tuple[str, ...]) -> "Course":
    from exporter.errors import ModelError
    from sil.trace.path import read_path, sweep_path

    if (file is None) == (not sweeps):
        raise ModelError("a trace needs a path: give either --path FILE or --sweep NAME=FROM..TO:POSES")
    return sweep_path(mechanism, sweeps) if file is None else read_path(file, mechanism)
