"""The subcommand `kinefix sil`: verifies an export against the reference. Heavy modules load when it runs."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exporter.commands.options import assignments
from sil.options import COUNT, RUNNER, SEED

if TYPE_CHECKING:
    from sil.campaign import Campaign
    from sil.options import Options


@click.command(short_help="Verify an export against the independent reference.")
@click.argument("export", type=click.Path(path_type=Path), metavar="EXPORT_DIR")
@click.option("--function", "functions", multiple=True, metavar="NAME", help="Only this function; may be repeated.")
@click.option("--count", type=click.IntRange(min=20), default=COUNT, show_default=True, help="Vectors per function.")
@click.option("--seed", type=click.IntRange(min=0), default=SEED, show_default=True, help="Of the random vectors.")
@click.option(
    "--runner",
    type=click.Choice(["interpreter", "host", "emulated", "m7", "all"]),
    default=RUNNER,
    show_default=True,
    help="What is held against the host bit for bit besides the interpreter; interpreter alone needs no compiler.",
)
@click.option("--report", type=click.Path(path_type=Path), metavar="DIR", help="Write a report here.")
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=QUANTITY",
    help="Run at this value of a tunable parameter, such as l1='200 mm', instead of at all sets; may be repeated.",
)
@click.option("--replay", type=click.IntRange(min=0), metavar="N", help="Run vector N of one function alone.")
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    help="How many may be busy at once; without it one per core. No result depends on it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report's data as JSON.")
def sil(  # noqa: PLR0913 - one per option
    export: Path,
    *,
    functions: tuple[str, ...],
    count: int,
    seed: int,
    runner: str,
    report: Path | None,
    parameters: tuple[str, ...],
    replay: int | None,
    processes: int | None,
    as_json: bool,
) -> None:
    """Verify an export in software.

    The C is compiled for this computer and run on a fixed mix of vectors, with the tunable parameters at nominal
    values, at both ends of each and at random ones; every function is held against a reference that shares no code
    with the exporter, and bit for bit against the interpreter and, with --runner, against emulated machine code.

    Exit code 1 where a check fails or had nothing to compare, 2 where a tool is missing. A failed check names its
    worst vector and the command that runs it again.

    \b
    Example:
      kinefix sil out/slider_crank --count 20000 --report out/sil
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from sil.options import Options
    from sil.report.files import require_report

    if report is not None:
        require_report(report)
    if replay is not None and len(functions) != 1:
        raise click.BadParameter("names a vector of one function; add --function NAME", param_hint="--replay")
    options = Options(functions=functions, count=count, seed=seed, runner=runner, row=replay)
    campaign = _run(export, options, assignments("--parameter", parameters), report, processes)
    page = None if report is None else _write(campaign, report)
    _print(campaign, page, as_json=as_json)
    if not campaign.passed:
        raise SystemExit(1)


def _run(
    export: Path, options: "Options", parameters: dict[str, str], report: Path | None, processes: int | None
) -> "Campaign":
    from dataclasses import replace

    from exporter.commands.printing import progress
    from exporter.export import load_export
    from sil.campaign import run
    from sil.parameter_texts import parse_parameters
    from sil.processes import usable_processes
    from sil.report.files import remove_report

    loaded = load_export(export)
    options = replace(options, parameters=parse_parameters(loaded.manifest, parameters))
    if report is not None:
        remove_report(report)
    with progress("verifying") as tell:
        return run(loaded, options, progress=tell, processes=processes or usable_processes())


def _write(campaign: "Campaign", folder: Path) -> Path:
    from exporter.commands.printing import progress
    from exporter.progress import within
    from sil.report.files import write_report

    with progress("writing the report"), within("writing the report"):
        return write_report(campaign, folder)


def _print(campaign: "Campaign", page: Path | None, *, as_json: bool) -> None:
    import json

    from sil.replay import replay_text
    from sil.report.document import document, warnings

    if as_json:
        click.echo(json.dumps(document(campaign), indent=2, ensure_ascii=False))
        return
    for line in warnings(campaign):
        click.echo(f"warning: {line}")
    if campaign.options.row is not None:
        click.echo(replay_text(campaign))
    for verdict in campaign.verdicts:
        click.echo(verdict.sentence())
        if verdict.stands_against and verdict.replay:
            click.echo(f"     replay: {verdict.replay}")
    _print_end(campaign, page)


def _print_end(campaign: "Campaign", page: Path | None) -> None:
    from sil.parameter_sets import describe_sets
    from sil.report.document import headline

    for tested in campaign.tested:
        size = len(tested.vectors.rows)
        click.echo(f"vectors of {tested.function}: {size:,}, seed {tested.vectors.seed}, SHA-256 {tested.sha256}")
    click.echo(f"parameters: {describe_sets(campaign.parameter_sets)}")
    for note in campaign.notes:
        click.echo(f"note: {note}")
    if page is not None:
        click.echo(f"report: {page}")
    click.echo(headline(campaign))
