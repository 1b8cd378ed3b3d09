"""`kinefix dbc`: the CAN database of an export."""

from pathlib import Path

import click


def _identifier(_: click.Context, __: click.Parameter, text: str) -> int:
    """A CAN identifier, decimal or hexadecimal."""
    try:
        return int(text, 0)
    except ValueError:
        raise click.BadParameter(f"'{text}' is no number; write 1024 or 0x400") from None


@click.command(short_help="Write the CAN database (DBC) of an export.")
@click.argument("export", type=click.Path(path_type=Path), metavar="EXPORT_DIR")
@click.option("--function", metavar="NAME", help="Which function the ECU runs; without it the step, or the last one.")
@click.option("--base", default="0x400", callback=_identifier, show_default=True, metavar="ID",
              help="First CAN identifier, as link.main.base of the bench file.")  # fmt: skip
@click.option("--words", is_flag=True, help="Reals of eight bytes as two words, for tools that know no doubles.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Where to; EXPORT_DIR-dbc/NAME.dbc without."
)
def dbc(export: Path, function: str | None, base: int, *, words: bool, out: Path | None) -> None:
    """Write the CAN database (DBC) of an export.

    It names every frame that the bench firmware takes and sends over CAN: inputs, state, outputs and parameters as
    floating-point signals with units, ranges and comments, and the frames that end a request and an answer. Any CAN
    tool can read it.

    \b
    Example:
      kinefix dbc out/slider_crank --out out/slider_crank.dbc
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from exporter.export import load_export  # noqa: PLC0415 - not for --help
    from exporter.whole_file import write_whole  # noqa: PLC0415
    from exporter.writable import require_file  # noqa: PLC0415
    from hil.can.database import dbc_text  # noqa: PLC0415
    from hil.can.layout import layout_of  # noqa: PLC0415
    from targets.build import default_function  # noqa: PLC0415
    from targets.rows import stepped_function  # noqa: PLC0415

    manifest = load_export(export).manifest
    layout = layout_of(manifest, stepped_function(manifest, function or default_function(manifest)), base)
    path = out or export.with_name(f"{export.name}-dbc") / f"{manifest.name}.dbc"
    require_file("--out", path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, dbc_text(layout, words).encode())
    click.echo(f"{path}: {layout.model}, {layout.function}, identifiers 0x{layout.commit:X} to 0x{layout.last:X}")
