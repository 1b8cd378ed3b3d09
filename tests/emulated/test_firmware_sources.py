"""Our own firmware sources: strict warnings, and words that have no place in them."""

import re
import subprocess
from pathlib import Path

import pytest

from exporter.errors import KinefixError
from exporter.export import write_export
from targets import flags
from targets.ecu.firmware import ECU, Objects, build_firmware, build_one_of_several

SOURCES = sorted([*ECU.glob("*.c"), *ECU.glob("*.h")])
FORBIDDEN = (
    *("malloc", "calloc", "realloc", "free", "alloca"),  # memory is fixed
    *("printf", "sprintf", "errno", "pow"),  # no stdio, no libm
    *("strcpy", "memcpy", "memset"),  # copies are loops of known length
    *("goto", "TODO", "FIXME"),
)


@pytest.mark.emulated
def test_firmware_passes_strict_warnings(load_data_module, require_tool, tmp_path):
    """Every C file of a batch, a memory and a bench firmware, generated glue included."""
    compiler = require_tool("arm-none-eabi-gcc")
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    export = write_export(program, tmp_path / "export", {})
    seen: set[str] = set()
    for kind in ("batch", "memory", "bench"):
        firmware = build_firmware(export, "dostep", tmp_path / kind, kind)
        options = [*flags.STRICT_WARNINGS, *firmware.profile.core_flags, "-Isrc", "-c", "-o", "/dev/null"]
        fresh = {name for name in firmware.sources if name.endswith(".c")} - seen
        seen |= fresh
        for name in sorted(fresh):
            own = flags.EXPORT_FLAGS if name.startswith("src/model/") else flags.FIRMWARE_FLAGS
            done = subprocess.run(
                [compiler, *own, *options, name], cwd=tmp_path / kind, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_firmware_avoids_what_it_must_not_use(path: Path):
    """No allocation, no stdio, no library copies."""
    code = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert set(re.findall(r"\w+", code)) & set(FORBIDDEN) == set()


@pytest.mark.emulated
def test_a_float32_firmware_links_no_double_and_no_allocation(load_data_module, require_tool, tmp_path):
    """Symbol table of the linked batch firmware."""
    require_tool("arm-none-eabi-gcc")
    names = require_tool("arm-none-eabi-nm")
    program = load_data_module("sample_program").slider_crank_program("float32")
    firmware = build_firmware(write_export(program, tmp_path / "export", {}), "dostep", tmp_path / "build")
    symbols = subprocess.run([names, str(firmware.elf)], capture_output=True, text=True, check=True).stdout
    assert "slider_crank_dostep" in symbols
    assert re.findall(r"__aeabi_d\w+|\b(?:sin|cos|sinf|cosf|sqrtf?|malloc|_sbrk)\b", symbols) == []


@pytest.mark.emulated
def test_firmwares_that_share_objects_are_those_that_are_built_alone(load_data_module, require_tool, tmp_path):
    """ELF, map of stack and record are equal; other sources, or another core, are compiled anew."""
    require_tool("arm-none-eabi-gcc")
    made = load_data_module("sample_program").slider_crank_program
    export = write_export(made("float32", tunable=True), tmp_path / "export", {})
    objects: Objects = {}
    for function in ("position", "dostep"):
        shared = build_one_of_several(export, function, tmp_path / "shared" / function, objects)
        alone = build_firmware(export, function, tmp_path / "alone" / function)
        assert _files(shared.folder) == _files(alone.folder)
    units = len(objects)
    assert units == sum(name.startswith("src/model/") for name in shared.sources)
    build_one_of_several(export, "dostep", tmp_path / "other core", objects, "batch", "arm-m7")
    assert len(objects) == 2 * units
    other = write_export(made("float32"), tmp_path / "other", {})
    build_one_of_several(other, "dostep", tmp_path / "other sources", objects)
    assert len(objects) == 2 * units + len(list((tmp_path / "other").glob("*.c")))


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.emulated
def test_a_firmware_for_a_bench_does_not_step_recalibrate(load_data_module, require_tool, tmp_path):
    """One for batches does: there each row sets the parameters anew. Nothing is written where it is refused."""
    require_tool("arm-none-eabi-gcc")
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    export = write_export(program, tmp_path / "export", {})
    with pytest.raises(KinefixError, match="'recalibrate' is not stepped on a bench"):
        build_firmware(export, "recalibrate", tmp_path / "bench", "bench")
    assert not (tmp_path / "bench").exists()
    assert build_firmware(export, "recalibrate", tmp_path / "batch").elf.is_file()
