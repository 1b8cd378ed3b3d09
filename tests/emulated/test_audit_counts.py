"""Static equals dynamic: the proved path against unicorn, address by address, and against QEMU's instruction clock."""

import struct
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from exporter.export import Export, write_export
from targets.audit.agreement import agreement
from targets.audit.dynamic import run
from targets.audit.export import audit_export
from targets.audit.path import prove
from targets.ecu.batch import run_batch
from targets.ecu.firmware import build_firmware

pytestmark = pytest.mark.emulated

ANGLES = (0.0, 0.7, -3.1, 9999.0, 1e5, 1.5707963, 1e-40, float("inf"), float("-inf"), float("nan"))
FUNCTIONS = ("slider_crank_position", "slider_crank_dynamics", "slider_crank_dostep")
OUT_BYTES = 256


@pytest.fixture(scope="module")
def programs(load_data_module: Callable[[str], ModuleType]) -> ModuleType:
    return load_data_module("sample_program")


@pytest.fixture
def snippets(load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str]) -> ModuleType:
    require_tool("arm-none-eabi-gcc")
    return load_data_module("compile_snippet")


def export_of(programs: ModuleType, precision: str, folder: Path) -> Export:
    return write_export(programs.slider_crank_program(precision), folder / "export", {})


@pytest.mark.parametrize("core", ["m4f", "m7", "host"])
@pytest.mark.parametrize("level", ["-O2", "-Os"])
def test_float32_trace_equals_the_emulated_one(
    core: str, level: str, programs: ModuleType, snippets: ModuleType, tmp_path: Path
) -> None:
    """On ordinary, huge, subnormal, infinite inputs and on NaN: the same addresses in the same order."""
    same_trace(export_of(programs, "float32", tmp_path), core, level, "<f", snippets, tmp_path)


@pytest.mark.parametrize("core", ["m7", "host"])
def test_float64_trace_equals_the_emulated_one(
    core: str, programs: ModuleType, snippets: ModuleType, tmp_path: Path
) -> None:
    """Double precision of a Cortex-M7, on unicorn's application core in Thumb state."""
    same_trace(export_of(programs, "float64", tmp_path), core, "-O2", "<d", snippets, tmp_path)


def same_trace(export: Export, core: str, level: str, real: str, snippets: ModuleType, folder: Path) -> None:
    elf = snippets.link(folder, [export.folder / "slider_crank.c"], core, FUNCTIONS[0], level)
    for symbol in FUNCTIONS:
        proof = prove(elf, symbol)
        assert (proof.verdict, proof.refusal) == ("single path", None)
        for angle in ANGLES:
            row = b"".join(struct.pack(real, value) for value in (angle, 3.0, -2.0, 1.0))
            measured = run(elf, symbol, [row, row + bytes(OUT_BYTES), bytes(OUT_BYTES)], double=core == "m7")
            assert measured.trace == proof.trace, (symbol, angle)


def test_the_emulator_hides_predicated_instructions_and_the_count_restores_them(
    snippets: ModuleType, tmp_path: Path
) -> None:
    """ite with one instruction each: five are fetched whatever r0 points to, and the proof says so too."""
    source = tmp_path / "predicated.s"
    source.write_text(
        snippets.assembly(
            "f:\n ldr r0, [r0]\n cmp r0, #3\n itte gt\n movgt r0, #7\n addgt r0, #1\n movle r0, #9\n bx lr\n"
        )
    )
    elf = snippets.link(tmp_path, [source], "m4f", "f")
    for word, result in ((9, 8), (1, 9)):
        measured = run(elf, "f", [struct.pack("<I", word)])
        assert (measured.result, measured.instructions) == (result, 7)
        assert measured.trace == prove(elf, "f").trace


@pytest.mark.parametrize("function", ["position", "dynamics", "dostep"])
def test_the_proof_equals_the_instruction_clock_of_qemu(
    function: str, programs: ModuleType, require_tool: Callable[[str], str], tmp_path: Path
) -> None:
    """The firmware that runs is the one that is read: every row takes the proved count."""
    require_tool("arm-none-eabi-gcc")
    require_tool("qemu-system-arm")
    export = export_of(programs, "float32", tmp_path)
    firmware = build_firmware(export, function, tmp_path / "firmware")
    columns = len(firmware.function.row_inputs)
    generator = np.random.default_rng(20)
    rows = generator.uniform(-20.0, 20.0, (500, columns)).astype(np.float32)
    rows[: len(ANGLES), 0] = ANGLES
    proof = prove(firmware.elf, firmware.function.symbol)
    assert (proof.verdict, proof.refusal) == ("single path", None)
    found = agreement(function, proof.instructions, run_batch(firmware, rows).instructions.tolist())
    assert found.holds, found.sentence()
    audited = audit_export(export, functions=[function]).functions[0]
    assert audited.instructions == proof.instructions
