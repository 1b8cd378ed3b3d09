"""An export written by hand in assembler, whose instruction count is known by counting the lines.

`step` copies its input to its output, returns status 7 and takes NOPS + 4 instructions on every input.
"""

import hashlib
from pathlib import Path

from exporter.c99.flags import NUMERIC_FLAGS
from exporter.manifest import Argument, Field, Function, Manifest, Struct, to_json

NOPS = 1000
INSTRUCTIONS = NOPS + 4  # load, store, nops, status, return
STATUS = 7
HASH = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
EXPORT_ID = 0xC0DE0001

HEADER = """#ifndef COUNTED_H
#define COUNTED_H
#include <stdint.h>
typedef float counted_real_t;
typedef uint32_t counted_status_t;
typedef struct counted_step_in_t { float x; } counted_step_in_t;
typedef struct counted_step_out_t { float y; } counted_step_out_t;
counted_status_t counted_step(const counted_step_in_t *in, counted_step_out_t *out);
#endif
"""

SOURCE = f"""#include "counted.h"
__attribute__((naked)) counted_status_t counted_step(const counted_step_in_t *in, counted_step_out_t *out)
{{
    __asm volatile("ldr r2, [r0]\\n\\tstr r2, [r1]\\n\\t"
                   ".rept {NOPS}\\n\\tnop\\n\\t.endr\\n\\t"
                   "movs r0, #{STATUS}\\n\\tbx lr");
}}
"""


def _field(name: str) -> Field:
    return Field(name, name, "1", "", "value", -1.0, 1.0, 0.0)


def counted_manifest(files: dict[str, str] | None = None) -> Manifest:
    """The manifest of the export; `files` where a test adds some."""
    arguments = (Argument("in", "counted_step_in_t", const=True), Argument("out", "counted_step_out_t", const=False))
    function = Function("step", "counted_step", arguments, (_field("x"),), (_field("y"),), {"add": 1}, {}, ())
    structs = (
        Struct("counted_step_in_t", "in", (_field("x"),)),
        Struct("counted_step_out_t", "out", (_field("y"),)),
    )
    return Manifest(
        kinefix="0.0.0",
        name="counted",
        title="Counted",
        source="",
        kind="symbolic",
        model_hash=HASH,
        export_id=EXPORT_ID,
        real="float32",
        flags=NUMERIC_FLAGS,
        mangling={},
        parameters=(),
        structs=structs,
        functions=(function,),
        status={},
        branches=(),
        notes=(),
        files=files or {"counted.c": "", "counted.h": ""},
    )


def write_counted(folder: Path) -> Manifest:
    """Write the two files and return their manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "counted.h").write_text(HEADER, encoding="utf-8")
    (folder / "counted.c").write_text(SOURCE, encoding="utf-8")
    return counted_manifest()


def write_complete(folder: Path) -> None:
    """Write the two files with a manifest.json that holds their hashes."""
    write_counted(folder)
    names = ("counted.c", "counted.h")
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    (folder / "manifest.json").write_text(to_json(counted_manifest(files)), encoding="utf-8")
