"""`kinefix audit`: what the machine code of an export says."""

from pathlib import Path

import click


@click.command(short_help="Prove the single path and count instructions in the machine code.")
@click.argument("export", type=click.Path(path_type=Path), metavar="EXPORT_DIR")
@click.option("--profile", default="arm-m4f", show_default=True, help="One of arm-m4f, arm-m7, arm-m3, host-gcc.")
@click.option("--function", "functions", multiple=True, metavar="NAME", help="Only this function; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def audit(export: Path, profile: str, functions: tuple[str, ...], *, as_json: bool) -> None:
    """Prove that every function of an export runs along one path, and count its instructions.

    The machine code itself is read: calls and counted loops are followed, anything whose length depends on data is
    refused with its place. Symbols, stack and sizes come from the same object. The result is a count of
    instructions, never of cycles.

    Exit code 1 where a function is not a single path or a forbidden symbol is linked, 2 where a tool is missing.

    \b
    Example:
      kinefix audit out/slider_crank --profile arm-m4f --function position
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    import json  # noqa: PLC0415

    from rich.console import Console  # noqa: PLC0415

    from exporter.commands.printing import progress  # noqa: PLC0415
    from exporter.export import load_export  # noqa: PLC0415
    from targets.audit.export import audit_export  # noqa: PLC0415
    from targets.audit.report import print_audit  # noqa: PLC0415

    with progress("compiling at four levels and following the machine code"):
        result = audit_export(load_export(export), profile, functions or None)
    if as_json:
        click.echo(json.dumps(result.as_dict(), indent=2, ensure_ascii=False))
    else:
        print_audit(result, Console())
    if not result.passed:
        raise SystemExit(1)
