"""A call of the slider-crank's x64 DLL on this computer, in ns beside instructions: empty, one row, a row among many.

The DLL is the one that is shipped, mapped into this process. Instructions are counted in an emulator and hold
everywhere; the times are of this computer, at this moment, the least of several attempts.
"""

import tempfile
from pathlib import Path

from exporter.export import export_source, program_of_export
from targets.labview.audit.agreement import agree
from targets.labview.audit.guest import guest
from targets.labview.audit.mapped import MappedDll, build_shim, map_dll
from targets.labview.interface import has_rows
from targets.labview.libraries import build_library
from targets.labview.oracle import nominal_derived
from targets.labview.shim import texts
from targets.labview.vectors import vectors
from targets.toolchain import find

CALLS = 100_000
ROWS = 1_000


def rows_ns(dll: MappedDll, symbol: str, inputs: bytes, widths: tuple[int, int], rows: int, calls: int) -> float:
    """Time of one call with so many rows, in ns."""
    out, status = dll.native.place(bytes(8 * widths[1] * rows)), dll.native.place(bytes(4 * rows))
    arguments = [0, dll.native.place(inputs), widths[0] * rows, out, widths[1] * rows, status, rows]
    return dll.time_ns(symbol, arguments, calls)


def main(folder: Path) -> None:
    """Build, count, time, print."""
    export = export_source("slider_crank", folder / "export", "float64")
    program = program_of_export(export)
    assert program is not None
    built = build_library(find("win64"), export, texts(export.manifest, nominal_derived(program)), folder / "win64")
    dll, emulated = map_dll(built.file, build_shim(folder)), guest(built.file, "x86-64")
    name = export.manifest.name
    print(f"{built.file.name}, {built.file.stat().st_size} bytes, {built.compiler}")
    print(f"call of an empty function             {dll.time_ns('', [], CALLS):8.1f} ns")
    _, count = emulated.count(f"{name}_lv_interface", [])
    print(
        f"{name}_lv_interface        {dll.time_ns(f'{name}_lv_interface', [], CALLS):8.1f} ns  {count:5d} instructions"
    )
    for function in export.manifest.functions:
        if has_rows(function, export.manifest) and not any(each.name == "state" for each in function.arguments):
            made = vectors(export.manifest, program, function, ROWS)
            instructions = agree(emulated, export.manifest, made).instructions
            symbol, widths = f"{name}_lv_{function.name}_rows", (made.inputs.shape[1], made.outputs.shape[1])
            once = rows_ns(dll, symbol, made.inputs[1:2].tobytes(), widths, 1, CALLS)
            many = rows_ns(dll, symbol, made.inputs.tobytes(), widths, ROWS, CALLS // ROWS) / ROWS
            print(f"{symbol:37} {once:8.1f} ns  {instructions:5d} instructions; a row among {ROWS}: {many:.1f} ns")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary))
