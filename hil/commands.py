"""The commands `kinefix hil` and `kinefix report`. Heavy modules are imported when a command runs."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exporter.commands.options import assignments
from exporter.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hil.bench import Bench
    from hil.campaign import BenchResult, Plan
    from hil.faults.steps import FaultRun
    from hil.report.index import Index
    from hil.report.report import Report


@click.command(short_help="Run an export on an emulated or real ECU, in time (hardware in the loop).")
@click.argument("bench", type=click.Path(path_type=Path), metavar="BENCH.toml|EXPORT")
@click.option("--lockstep", type=click.IntRange(0, 10_000_000), metavar="N", help="Vectors stepped one by one.")
@click.option(
    "--free-run", type=click.IntRange(0, 2**32 - 1), metavar="N", help="Activations paced by the device's timer."
)
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Of the vectors.")
@click.option("--vectors", type=click.Path(path_type=Path), metavar="FILE",
              help="Rows for lockstep from a .npy or .csv file, or a log of CAN frames (.asc, .blf).")  # fmt: skip
@click.option("--parameter", "parameters", multiple=True, metavar="NAME=QUANTITY",
              help="Run at this value of a tunable parameter, such as l1='200 mm'; may be repeated.")  # fmt: skip
@click.option("--faults", type=click.Path(path_type=Path), metavar="FAULTS.toml",
              help="Then also step while faults of this file happen to frames on the link.")  # fmt: skip
@click.option("--suite", is_flag=True, help="Write a Robot Framework suite for EXPORT and run it, with --bench.")
@click.option("--bench", "bench_file", type=click.Path(path_type=Path), metavar="BENCH.toml",
              help="With --suite: the bench file, of the same export.")  # fmt: skip
@click.option("--target", metavar="NAME", help="A target of the bench file, instead of the one that it names.")
@click.option("--baseline", type=click.Path(path_type=Path), metavar="REPORT.json",
              help="Hold times and misses against this earlier report of the same model, core and clock.")  # fmt: skip
@click.option("--beside", multiple=True, type=click.Path(path_type=Path), metavar="REPORT.json",
              help="A run to stand beside this one, instead of those in folders beside --report; repeat.")  # fmt: skip
@click.option("--operator", metavar="NAME", help="Who runs the bench, for the report.")
@click.option("--unit", metavar="NAME", help="The unit under test, for the report.")
@click.option("--serial-number", metavar="TEXT", help="Of the unit under test, for the report.")
@click.option("--report", "report_folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Write report.html, report.json and report.xml there; with --suite the logs.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def hil(  # noqa: PLR0913 - one per option
    bench: Path,
    *,
    lockstep: int | None,
    free_run: int | None,
    seed: int | None,
    vectors: Path | None,
    parameters: tuple[str, ...],
    faults: Path | None,
    suite: bool,
    bench_file: Path | None,
    target: str | None,
    baseline: Path | None,
    beside: tuple[Path, ...],
    operator: str | None,
    unit: str | None,
    serial_number: str | None,
    report_folder: Path | None,
    as_json: bool,
) -> None:
    """Run an export on an emulated or real ECU, in time.

    The bench file names the export, the target, the link and the deadline. Lockstep holds every output of the device
    against the same C on this computer, bit for bit; the free run lets the device's own timer pace the step and looks
    for missed deadlines. On an emulator the verdict is in virtual time. With --faults the device is stepped again while
    frames are damaged, lost, repeated and delayed: no wrong answer may be accepted, no step be done twice.

    The report of --report can be signed: it has date, station, unit and tools, what was not shown, and runs of the same
    model beside this one. With --baseline a run that is slower than an earlier one fails.

    With --suite the argument is an export: its tests are written beside the bench file, as a suite of Robot Framework
    to be read and extended, and run on a target of the bench file. What was changed by hand is left as it is.

    Exit code 1 where a check fails or nothing could be measured, 2 where the bench is not as its file says.

    \b
    Example:
      kinefix hil examples/bench.toml --lockstep 200 --free-run 1000 --report out/hil
      kinefix hil examples/bench.toml --lockstep 0 --free-run 0 --faults examples/faults.toml
      kinefix hil out/slider_crank --suite --bench examples/bench.toml --target software
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from dataclasses import replace

    from hil.baseline import read_baseline
    from hil.bench import read_bench, with_entries
    from hil.campaign import plan_of
    from hil.faults.fault_file import read_faults
    from hil.report.beside import read_beside

    of_runs: dict[str, object] = {
        "--lockstep": lockstep, "--free-run": free_run, "--seed": seed, "--vectors": vectors, "--faults": faults,
        "--parameter": parameters or None, "--baseline": baseline, "--json": as_json or None,
    }  # fmt: skip
    of_reports: dict[str, object] = {
        "--beside": beside or None, "--operator": operator, "--unit": unit, "--serial-number": serial_number,
    }  # fmt: skip
    if suite or bench_file is not None:
        _run_suite(bench, _bench_of_suite(suite, bench_file, of_runs | of_reports), target, report_folder)
        return
    _require_report(report_folder, of_reports)
    read = with_entries(read_bench(bench, target), operator=operator, unit=unit, serial_number=serial_number)
    plan = plan_of(read, lockstep, free_run, seed)
    if vectors is not None:
        plan = replace(plan, rows=vectors, lockstep=lockstep or 0)
    plan = replace(
        plan,
        parameters=assignments("--parameter", parameters),
        faults=None if faults is None else read_faults(faults),
        baseline=None if baseline is None else read_baseline(baseline),
        beside=read_beside(beside),
    )
    _require_something_to_run(plan)
    _run_bench(read, plan, report_folder, as_json)


@click.command(short_help="Collect the reports of a run into one page.")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--pdf", "as_pdf", is_flag=True, help="Print each page to a PDF beside it, by a browser that is found.")
@click.option("--browser", metavar="PROGRAM", help="Print with this one: Chromium, Chrome or Edge.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def report(folder: Path, *, as_pdf: bool, browser: str | None, as_json: bool) -> None:
    """Collect all reports below a folder into its index.html.

    The page has each mechanism with its cost, its C files and how every check ended in every run, each requirement
    where a matrix lies there, and links to all reports.

    Exit code 1 where one of them has failed, 2 where there is none, or no browser for --pdf.

    \b
    Example:
      kinefix report out
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from exporter.commands.printing import progress
    from hil.report.index import html_pages, index_of, write_index
    from hil.report.pdf import find_browser, print_pages

    if browser is not None and not as_pdf:
        raise click.UsageError("--browser prints to PDF; add --pdf")
    printer = find_browser(browser) if as_pdf else ""
    with progress("reading the reports") as tell:
        index = index_of(folder)
        page = write_index(folder, index)
        tell("printing")
        pdfs = print_pages(printer, html_pages(folder, index)) if as_pdf else ()
    _print_index_json(index, page, pdfs) if as_json else _print_index(index, page, pdfs)
    if not index.passed:
        raise SystemExit(1)


def _given(options: "Mapping[str, object]") -> list[str]:
    return [name for name, value in options.items() if value is not None]


def _bench_of_suite(suite: bool, bench_file: Path | None, others: "Mapping[str, object]") -> Path:
    how = "a suite is run by: kinefix hil EXPORT --suite --bench BENCH.toml [--target NAME] [--report DIR]"
    if not suite or bench_file is None:
        raise click.UsageError(f"{'--bench needs --suite' if not suite else '--suite needs --bench'}; {how}")
    if given := _given(others):
        raise click.UsageError(f"{given[0]} does not go with --suite; state it in the bench file or the suite; {how}")
    return bench_file


def _require_report(folder: Path | None, of_reports: "Mapping[str, object]") -> None:
    from hil.report.files import require_report

    if folder is not None:
        require_report(folder)
    elif given := _given(of_reports):
        raise click.UsageError(f"{given[0]} is told in a report; give --report DIR too")


def _require_something_to_run(plan: "Plan") -> None:
    if plan.rows is None and plan.faults is None and plan.lockstep + plan.free_run == 0:
        raise click.UsageError("nothing to run: --lockstep and --free-run are 0, and no --faults")


def _run_bench(bench: "Bench", plan: "Plan", report_folder: Path | None, as_json: bool) -> None:
    from exporter.commands.printing import progress
    from hil.campaign import run_campaign
    from hil.report.files import remove_report, write_report
    from hil.report.report import make_report

    if report_folder is not None:
        remove_report(report_folder)
    with progress("reading the bench file") as tell:
        result = run_campaign(bench, plan, tell)
    made = make_report(result, report_folder, plan.beside)
    page = None if report_folder is None else write_report(made, report_folder)
    _print_json(made) if as_json else _print_text(result, page)
    if result.interruption is not None:
        raise result.interruption
    if not result.passed:
        raise SystemExit(1)


def _run_suite(export: Path, bench: Path, target: str | None, results: Path | None) -> None:
    from exporter.commands.printing import progress
    from exporter.writable import require_folder
    from hil.suite.suite_run import run_suite

    if results is not None:
        require_folder("--report", results)
    with progress("reading the bench file") as tell:
        ran = run_suite(export, bench, target, results, tell)
    click.echo(ran.headline)
    marks = {"passed": "ok  ", "failed": "FAIL", "skipped": "--  "}
    for test in ran.tests:
        click.echo(visible(f"  {marks[test.ending.value]} {test.name.partition('.')[2]}"))
        if test.message:
            click.echo(visible(f"       {' '.join(test.message.split())}"))
    for file in ran.files:
        click.echo(f"suite: {file.path} ({file.done})")
    if ran.matrix is not None:
        click.echo(f"matrix: {ran.matrix}")
    click.echo(f"log: {ran.results / 'log.html'}")
    if not ran.passed:
        raise SystemExit(1)


def _print_json(made: "Report") -> None:
    import json

    click.echo(json.dumps(made.document, indent=2, ensure_ascii=False))


def _print_text(result: "BenchResult", page: Path | None) -> None:
    click.echo(result.headline)
    for verdict in result.verdicts:
        click.echo(f"  {verdict.sentence()}")
        if verdict.stands_against:
            click.echo(f"       {verdict.detail}{f'; replay: {verdict.replay}' if verdict.replay else ''}")
    for note in result.left_out:
        click.echo(f"  note: {visible(note)}")
    if result.under_faults is not None:
        _print_faults(result.under_faults)
    if result.traffic.unstable:
        counts = ", ".join(f"{name} {count}" for name, count in result.traffic.as_dict().items() if count)
        click.echo(f"  unstable link: {counts}")
    if page is not None:
        click.echo(f"report: {page}")


def _print_faults(run: "FaultRun") -> None:
    from hil.faults.findings import fault_counts_text

    repaired = ", ".join(f"{name} {count:,}" for name, count in run.traffic.as_dict().items() if count)
    click.echo(f"  {fault_counts_text(run)}; {repaired}")


def _print_index(index: "Index", page: Path, pdfs: tuple[Path, ...]) -> None:
    for entry in index.entries:
        click.echo(
            f"{'ok  ' if entry.passed else 'FAIL'} {visible(f'{entry.title} ({entry.place}): {entry.headline}')}"
        )
    for note in index.notes:
        click.echo(f"note: {visible(note)}")
    for mechanism in index.mechanisms:
        if not mechanism.runs:
            click.echo(f"--   {visible(mechanism.title)}: nothing was run of export {mechanism.export_id}")
    for pdf in pdfs:
        click.echo(f"pdf: {pdf}")
    click.echo(f"report: {page}")


def _print_index_json(index: "Index", page: Path, pdfs: tuple[Path, ...]) -> None:
    import json
    from dataclasses import asdict

    told = {
        "index": str(page),
        "passed": index.passed,
        "headline": index.headline,
        "reports": [asdict(entry) for entry in index.entries],
        "mechanisms": [asdict(each) | {"picture": each.picture_file} for each in index.mechanisms],
        "requirements": [asdict(each) for each in index.matrices],
        "notes": list(index.notes),
        "pdfs": [str(pdf) for pdf in pdfs],
    }
    click.echo(json.dumps(told, indent=2, ensure_ascii=False))
