"""The command `kinefix requirements`. Heavy modules are imported when it runs."""

from pathlib import Path

import click

from exporter.visible import visible


@click.command(short_help="Say which requirement was shown by which test.")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULT.xml...")
@click.option("--list", "listed", type=click.Path(path_type=Path), metavar="FILE",
              help="Requirements that must be tested: one a line, its number first.")  # fmt: skip
@click.option("--title", default="Requirements", show_default=True, help="Of the page.")
@click.option("--out", "folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Write requirements.html, .json, .txt and .xml there.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the matrix as JSON.")
def requirements(
    results: tuple[Path, ...], listed: Path | None, title: str, folder: Path | None, as_json: bool
) -> None:
    """Say which requirement was shown by which test.

    Results are output.xml of Robot Framework, whose tests name requirements by tags as req:SYS-12, and JUnit files of
    pytest, whose tests name them by the mark requirement("SYS-12"). A requirement is passed where tests name it and
    all of them passed.

    Exit code 1 where a requirement failed, is open, untested or not in the list, or where there is none.

    \b
    Example:
      kinefix requirements examples/requirements/results.xml --list examples/requirements/requirements.txt
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    import json

    from exporter.commands.printing import progress
    from exporter.progress import counted
    from exporter.writable import require_folder
    from hil.requirements.files import MATRIX_FILES, matrix_document, matrix_text, write_matrix
    from hil.requirements.matrix import matrix_of
    from hil.requirements.requirement_list import read_requirement_list
    from hil.requirements.results import read_results

    if folder is not None:
        require_folder("--out", folder, MATRIX_FILES)
    wanted = None if listed is None else read_requirement_list(listed)
    with progress("reading the results"):
        tests = [test for path in counted("reading", results) for test in read_results(path)]
    matrix = matrix_of(tests, wanted, title)
    page = None if folder is None else write_matrix(matrix, folder)
    if as_json:
        click.echo(json.dumps(matrix_document(matrix), indent=2, ensure_ascii=False))
    else:
        for line in matrix_text(matrix):
            click.echo(visible(line))
        if page is not None:
            click.echo(f"matrix: {page}")
    if not matrix.passed:
        raise SystemExit(1)
