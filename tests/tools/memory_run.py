"""Runs a Cortex-M7 firmware of kind "memory" in unicorn: rows through double-precision machine code, bit for bit.

In: an export and rows (or a firmware and rows). Out: outputs and status. Unicorn's own Cortex-M7 model lacks double
precision; its A-profile model executes the same Thumb code with the same VFP, so that one is used. The loop over the
rows is part of the firmware: one emulation per call, whatever the number of rows. Nothing is timed here.
"""

import struct
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exporter.errors import CheckFailed, KinefixError
from exporter.time_limits import UNICORN_S
from targets.ecu.firmware import Firmware, build_firmware
from targets.rows import REAL_TYPES, parameter_reals, real_rows
from targets.unicorn_limit import stop_after

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from exporter.export import Export

PROFILE = "arm-m7"
PAGE = 0x1000
MEMORY = ((0x00000000, 0x400000), (0x20000000, 0x400000), (0xE000E000, PAGE))  # code, data, system control as memory
ROWS_ADDRESS = 0x60000000
FPEXC_ENABLE = 1 << 30
CPACR_ENABLE = 0xF << 20  # coprocessors 10 and 11 for everyone
MAILBOX, DONE, RESET = "ecu_mailbox", "ecu_memory_done", "Reset_Handler"


@dataclass(frozen=True, slots=True)
class MemoryRun:
    """What came back, row by row."""

    outputs: "NDArray[np.floating]"  # (rows, outputs), the export's real type
    status: "NDArray[np.uint32]"  # (rows,)
    start_status: int  # of recalibrate at the parameters that were used


def run_unicorn(
    export: "Export",
    function: str,
    rows: "NDArray[np.floating]",
    folder: Path | None = None,
    profile: str = PROFILE,
    parameters: Mapping[str, float] | None = None,
) -> MemoryRun:
    """Build a memory firmware in `folder` (a temporary one without it) and run rows (n, inputs) through it.

    `parameters` are values by the user's name for tunable parameters that differ from nominal, SI units.

    Raises:
        MissingTool: no compiler.
        CheckFailed: the build or the emulation failed.
        KinefixError: wrong number of columns, or no such parameter.
    """
    if folder is not None:
        return run_memory(build_firmware(export, function, folder, "memory", profile), rows, UNICORN_S, parameters)
    with tempfile.TemporaryDirectory(prefix="kinefix-") as temporary:
        firmware = build_firmware(export, function, Path(temporary), "memory", profile)
        return run_memory(firmware, rows, UNICORN_S, parameters)


def run_memory(
    firmware: Firmware,
    rows: "NDArray[np.floating]",
    limit_s: float = UNICORN_S,
    parameters: Mapping[str, float] | None = None,
) -> MemoryRun:
    """Run rows (n, inputs) through a firmware of kind "memory", with parameters by name that differ from nominal.

    Raises:
        KinefixError: a firmware of another kind, no such parameter, or wrong number of columns.
        CheckFailed: the code faulted or did not finish in time.
    """
    import numpy as np

    if firmware.kind != "memory":
        raise KinefixError(f"a run in memory needs a firmware of kind 'memory', this one is '{firmware.kind}'")
    real, width = REAL_TYPES[firmware.manifest.real], len(firmware.function.row_outputs)
    record = np.dtype([("outputs", real, (width,)), ("status", "<u4"), ("ticks", "<u4")])
    content = real_rows(firmware.manifest, firmware.function, rows).tobytes()
    given = parameter_reals(firmware.manifest, parameters).tobytes()
    start_status, answer = _emulate(firmware.elf, (content, given), len(rows), record.itemsize, limit_s)
    records = np.frombuffer(answer, record)
    return MemoryRun(records["outputs"].copy(), records["status"].copy(), start_status)


def _emulate(elf: Path, given: tuple[bytes, bytes], count: int, record_bytes: int, limit_s: float) -> tuple[int, bytes]:
    """Rows and parameters in; status of the start and records out."""
    import unicorn
    from unicorn.arm_const import UC_ARM_REG_PC

    engine: Any = unicorn  # it is untyped
    machine = engine.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB)
    symbols = _load(machine, elf)
    rows, parameters = given
    parameters_address = ROWS_ADDRESS + _pages(len(rows))
    records_address = parameters_address + _pages(len(parameters))
    size = record_bytes * count
    machine.mem_map(ROWS_ADDRESS, records_address - ROWS_ADDRESS + _pages(size))
    machine.mem_write(ROWS_ADDRESS, rows)
    machine.mem_write(parameters_address, parameters)
    mailbox = (ROWS_ADDRESS, records_address, count, 0, parameters_address if parameters else 0)
    machine.mem_write(symbols[MAILBOX], struct.pack("<IIIII", *mailbox))
    done = symbols[DONE] & ~1
    try:
        with stop_after(machine, limit_s):
            machine.emu_start(symbols[RESET] | 1, done)
    except engine.UcError as error:
        at = machine.reg_read(UC_ARM_REG_PC)
        raise CheckFailed(f"{elf.name} faulted in unicorn at address 0x{at:08X}: {error}") from error
    if machine.reg_read(UC_ARM_REG_PC) != done:
        raise CheckFailed(
            f"{elf.name} did not finish {count} rows in unicorn within {limit_s:g} s of CPU; look for a loop in the "
            "exported C that does not end, or pass fewer rows"
        )
    (start_status,) = struct.unpack("<I", machine.mem_read(symbols[MAILBOX] + 12, 4))
    return start_status, bytes(machine.mem_read(records_address, size))


def _pages(size: int) -> int:
    """Bytes of whole pages, at least one."""
    return max(1, -(-size // PAGE)) * PAGE


def _load(machine: Any, elf: Path) -> dict[str, int]:
    """Put the firmware into memory, switch the FPU on; the addresses of its symbols."""
    from elftools.elf.elffile import ELFFile
    from unicorn.arm_const import (
        UC_ARM_REG_C1_C0_2,
        UC_ARM_REG_FPEXC,
        UC_ARM_REG_SP,
        UC_CPU_ARM_MAX,
    )

    machine.ctl_set_cpu_model(UC_CPU_ARM_MAX)
    for address, size in MEMORY:
        machine.mem_map(address, size)
    with elf.open("rb") as file:
        image = ELFFile(file)
        for segment in image.iter_segments("PT_LOAD"):
            machine.mem_write(segment["p_paddr"], segment.data())
        table: Any = image.get_section_by_name(".symtab")
        symbols = {symbol.name: symbol["st_value"] for symbol in table.iter_symbols()}
    machine.reg_write(UC_ARM_REG_C1_C0_2, machine.reg_read(UC_ARM_REG_C1_C0_2) | CPACR_ENABLE)
    machine.reg_write(UC_ARM_REG_FPEXC, FPEXC_ENABLE)
    (stack_top,) = struct.unpack("<I", machine.mem_read(0, 4))
    machine.reg_write(UC_ARM_REG_SP, stack_top)
    return symbols
