"""The subcommands of targets: `kinefix build`, `kinefix doctor`, and `kinefix audit` from targets.audit.command."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

if TYPE_CHECKING:
    from targets.build import BuildResult
    from targets.doctor import Finding
    from targets.labview.package import Package


def __getattr__(name: str) -> click.Command:
    """Import `audit` when it is asked for."""
    if name == "audit":
        from targets.audit.command import audit

        return audit
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@click.command(short_help="Compile an export for the host or a microcontroller.")
@click.argument("export", type=click.Path(path_type=Path), metavar="EXPORT_DIR")
@click.option("--target", default="host", show_default=True, metavar="NAME", help="host, m4f, m7, m3 or labview.")
@click.option("--function", metavar="NAME", help="What a firmware carries; dostep if there is one.")
@click.option(
    "--kind",
    type=click.Choice(["batch", "bench", "memory"]),
    default="batch",
    show_default=True,
    help="Firmware for files (batch), for a serial bench (bench), or for rows in memory.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Where to; EXPORT_DIR-build/TARGET without it."
)
@click.option(
    "--with",
    "systems",
    metavar="NAMES",
    help="What a LabVIEW package holds: win32, win64, linux-x64, linux-armv7, and tdms for vectors, with commas.",
)
@click.option(
    "--compiler",
    type=click.Choice(["auto", "gcc", "zig"]),
    default="auto",
    show_default=True,
    help="For a LabVIEW package: the first that is there, or one of them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def build(  # noqa: PLR0913 - one per option
    export: Path,
    target: str,
    function: str | None,
    kind: Literal["batch", "bench", "memory"],
    out: Path | None,
    systems: str | None,
    compiler: Literal["auto", "gcc", "zig"],
    *,
    as_json: bool,
) -> None:
    """Compile an export.

    For the host: a shared library and a module for Python and numpy, after the export's self-test has passed here.
    For a microcontroller: an ELF with start-up code and one function of the export. The same export, compiler and
    options give the same bytes in any folder.
    For LabVIEW: one zip with DLLs and shared objects for the systems that --with names, the settings of every node,
    headers, sources and vectors, after the bytes have been audited and run in an emulator.

    Exit code 1 where the compiler refuses or the self-test fails, 2 where a tool is missing.

    \b
    Example:
      kinefix build out/slider_crank --target host
      kinefix build out/slider_crank --target labview --with win32,win64,linux-x64
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from exporter.commands.printing import progress
    from exporter.export import load_export
    from targets import build as building

    if target not in building.target_names():
        raise click.BadParameter(f"'{target}' is none of {', '.join(building.target_names())}", param_hint="--target")
    if systems is not None and target != building.LABVIEW:
        raise click.BadParameter(f"it is for --target labview, not for {target}", param_hint="--with")
    folder = out or _build_folder(export) / target
    package = None
    with progress(f"compiling for {target}"):
        if target == building.LABVIEW:
            names = [name.strip() for name in (systems or "").split(",") if name.strip()]
            built, package = building.build_labview(load_export(export), folder, names, compiler)
        else:
            built = building.build(load_export(export), target, folder, function, kind)
    if as_json:
        _print_json(_built_facts(built) | ({} if package is None else _package_facts(package)))
    else:
        _print_built(built)
        _print_package(package)


def _built_facts(built: "BuildResult") -> dict[str, object]:
    return {
        "target": built.target,
        "title": built.title,
        "function": built.function,
        "kind": built.kind,
        "compiler": built.compiler,
        "folder": str(built.folder),
        "products": built.products,
    }


def _package_facts(package: "Package") -> dict[str, object]:
    from dataclasses import asdict

    return {"libraries": [asdict(each) for each in package.libraries], "files": list(package.places)}


def _print_package(package: "Package | None") -> None:
    for each in package.libraries if package else ():
        rows = sum(agreement.rows for agreement in each.agreement)
        counts = [agreement.instructions for agreement in each.agreement if agreement.instructions is not None]
        click.echo(
            f"{each.file}  {each.bytes} bytes, {len(each.headers.exports)} exports, no imports; {rows} rows as the "
            f"operation sequences, {min(counts)} to {max(counts)} instructions a row"
        )


def _print_built(built: "BuildResult") -> None:
    what = "all functions" if built.function is None else f"{built.function}, {built.kind} firmware"
    click.echo(f"{built.title}: {what}")
    click.echo(f"compiler {built.compiler}")
    for name, digest in built.products.items():
        click.echo(f"{built.folder / name}  SHA-256 {digest[:16]}")


@click.command(short_help="Say which tools are present and how to get the others.")
@click.option(
    "--for",
    "wanted",
    multiple=True,
    metavar="PURPOSE",
    help="host, m4f, m7, audit, labview, labview-zig, sil, hil, can or test.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(wanted: tuple[str, ...], *, as_json: bool) -> None:
    """List the tools outside of Kinefix: version, what needs them, how to get them.

    Export, show and the reference need none of them. Exit code 2 where something that a PURPOSE named with --for
    needs is missing, otherwise 0.

    \b
    Example:
      kinefix doctor --for sil
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from targets.doctor import examine, missing_tools, purposes

    unknown = sorted(set(wanted) - set(purposes()))
    if unknown:
        raise click.BadParameter(f"'{unknown[0]}' is none of {', '.join(purposes())}", param_hint="--for")
    findings = examine()
    missing = missing_tools(findings, wanted)
    if as_json:
        _print_json({"tools": [_finding_facts(each) for each in findings], "missing": [each.name for each in missing]})
    else:
        _print_findings(findings)
    for each in missing:
        click.echo(f"missing for {', '.join(wanted)}: {each.name}; get it with: {each.get_it}", err=True)
    if missing:
        raise SystemExit(2)


def _finding_facts(finding: "Finding") -> dict[str, object]:
    return {
        "name": finding.name,
        "version": finding.found,
        "why": finding.why,
        "needed_by": list(finding.needed_by),
        "get_it": finding.get_it,
    }


def _print_findings(findings: "tuple[Finding, ...]") -> None:
    for each in findings:
        click.echo(f"{'missing' if each.found is None else 'present'}  {each.name}  {each.found or ''}".rstrip())
        click.echo(f"         {each.why} ({', '.join(each.needed_by) or 'never required'})")
        if each.found is None:
            click.echo(f"         get it with: {each.get_it}")


def _build_folder(export: Path) -> Path:
    """Beside the export, also where that is the folder that the user is in."""
    named = export if export.name not in ("", "..") else export.resolve()
    return named.parent / f"{export.resolve().name}-build"


def _print_json(facts: dict[str, object]) -> None:
    import json

    click.echo(json.dumps(facts, indent=2, ensure_ascii=False))
