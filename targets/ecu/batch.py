"""Runs rows through a batch firmware on an emulator: outputs, status and the exact instruction count of every call.

In: a firmware of kind "batch" and rows. Out: a BatchRun. The emulator's clock advances by a fixed time per instruction
(`-icount`), so the ticks of the board's 25 MHz timer give instructions exactly: at shift 10 an instruction takes
2^10 ns = 25.6 ticks, and a span of n instructions is off by less than one tick. The emulator counts instructions, not
cycles.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exporter.errors import CheckFailed, KinefixError
from exporter.programs import Program, TookTooLong
from exporter.time_limits import BATCH, Limit
from targets.ecu.firmware import Firmware
from targets.profile import Emulator
from targets.rows import REAL_TYPES, parameter_reals, real_rows
from targets.toolchain import find_program

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ICOUNT_SHIFT = 10  # an instruction takes 2^10 ns of the emulated clock
INSTRUCTION_NS = 1 << ICOUNT_SHIFT
NANOSECONDS_PER_S = 1_000_000_000
MAGIC, VERSION = 0x4258464B, 2
EMPTY_INSTRUCTIONS = 1  # kfx_model_empty is one return
ROWS_NAME, RESULTS_NAME = "rows.bin", "results.bin"
COUNTERS = {0: "none", 1: "cycles", 2: "timer", 3: "systick"}
ANSWER_FIELDS = (
    "magic", "version", "rows", "selftest", "start_status", "counter_kind", "counter_rate_hz", "overhead_ticks",
    "export_id", "build_id", "real_bytes", "inputs", "outputs", "states", "operations",
)  # fmt: skip
FAILURES = {
    10: "it found no rows.bin",
    11: "rows.bin is of another model or version",
    12: "rows.bin ended early",
    13: "results.bin could not be written",
    14: "it ran into a hard fault",
}


@dataclass(frozen=True, slots=True)
class BatchRun:
    """What came back, row by row."""

    outputs: "NDArray[np.floating]"  # (rows, outputs), the export's real type
    status: "NDArray[np.uint32]"  # (rows,)
    instructions: "NDArray[np.int64]"  # (rows,) of the exported function, its return included
    overhead_instructions: int  # between the two time stamps around a call, without the callee; already taken off
    start_status: int  # of recalibrate at the parameters that were used
    counter: str  # "timer"
    machine: str  # "mps2-an386"


def run_batch(
    firmware: Firmware,
    rows: "NDArray[np.floating]",
    limit: Limit = BATCH,
    parameters: Mapping[str, float] | None = None,
) -> BatchRun:
    """Run rows (n, inputs) on the emulator of the firmware's board.

    Rows are converted to the export's real type. Files rows.bin and results.bin stay in the firmware's folder.
    `parameters` are values by the user's name for tunable parameters that differ from nominal, SI units.

    Raises:
        KinefixError: wrong number of columns, no such parameter, a firmware of another kind, or a board without an
            emulator.
        MissingTool: the emulator is not installed.
        CheckFailed: the firmware stopped, wrote no row within the limit, or answers with another build's identity.
    """
    emulator = _emulator(firmware)
    count = _write_rows(firmware, rows, parameters)
    _emulate(firmware, emulator, limit)
    return _read_results(firmware, emulator, count)


def _emulator(firmware: Firmware) -> Emulator:
    if firmware.kind != "batch":
        raise KinefixError(f"a batch run needs a firmware of kind 'batch', this one is '{firmware.kind}'")
    board = firmware.profile.board
    if board is None or board.emulator is None:
        raise KinefixError(f"profile '{firmware.profile.name}' has no emulator; batch runs need one")
    return board.emulator


def _write_rows(firmware: Firmware, rows: "NDArray[np.floating]", parameters: Mapping[str, float] | None) -> int:
    import numpy as np  # noqa: PLC0415 - not for --help

    content = real_rows(firmware.manifest, firmware.function, rows)
    given = parameter_reals(firmware.manifest, parameters)
    request = np.array([MAGIC, VERSION, *content.shape, len(given), 0], dtype="<u4")
    (firmware.folder / ROWS_NAME).write_bytes(request.tobytes() + given.tobytes() + content.tobytes())
    return len(rows)


def _emulate(firmware: Firmware, emulator: Emulator, limit: Limit) -> None:
    program = find_program(emulator.program, emulator.package, f"it emulates the {emulator.machine}")
    results = firmware.folder / RESULTS_NAME
    results.unlink(missing_ok=True)
    command = [
        str(program), "-machine", emulator.machine, "-kernel", firmware.elf.name,
        "-display", "none", "-monitor", "none", "-serial", "none",
        "-semihosting-config", "enable=on,target=native", "-icount", f"shift={ICOUNT_SHIFT},sleep=off",
    ]  # fmt: skip
    try:
        with Program(command, firmware.folder) as running:
            done = running.finish(limit, lambda: results.stat().st_size if results.exists() else 0)
    except TookTooLong as late:
        raise CheckFailed(f"the batch run on {emulator.machine} stands still: {late}") from late
    if done.code != 0:
        reason = FAILURES.get(done.code, (done.err or "it gave no reason").strip())
        raise CheckFailed(
            f"the batch firmware of {firmware.function.symbol} stopped with exit code {done.code}: {reason}"
        )


def _read_results(firmware: Firmware, emulator: Emulator, count: int) -> BatchRun:
    import numpy as np  # noqa: PLC0415 - not for --help

    content = (firmware.folder / RESULTS_NAME).read_bytes()
    words = len(ANSWER_FIELDS)
    head = dict(zip(ANSWER_FIELDS, np.frombuffer(content, "<u4", words).tolist(), strict=True))
    body = words * 4 + len(bytes.fromhex(firmware.manifest.model_hash))
    _check_identity(firmware, head, content[words * 4 : body].hex(), count)
    real, width = REAL_TYPES[firmware.manifest.real], len(firmware.function.row_outputs)
    record = np.dtype([("outputs", real, (width,)), ("status", "<u4"), ("ticks", "<u4")])
    records = np.frombuffer(content, record, count, body)
    overhead = _instructions(head["overhead_ticks"], head["counter_rate_hz"]) - EMPTY_INSTRUCTIONS
    counts = np.rint(records["ticks"].astype(np.float64) * _ns_per_tick(head["counter_rate_hz"]) / INSTRUCTION_NS)
    return BatchRun(
        records["outputs"].copy(), records["status"].copy(), counts.astype(np.int64) - overhead, overhead,
        head["start_status"], COUNTERS.get(head["counter_kind"], "unknown"), emulator.machine,
    )  # fmt: skip


def _ns_per_tick(rate_hz: int) -> float:
    return NANOSECONDS_PER_S / rate_hz


def _instructions(ticks: int, rate_hz: int) -> int:
    return round(ticks * _ns_per_tick(rate_hz) / INSTRUCTION_NS)


def _check_identity(firmware: Firmware, head: dict[str, int], model_hash: str, count: int) -> None:
    """The results are of this build and complete, and time was counted."""
    expected = {
        "magic": MAGIC, "version": VERSION, "rows": count, "export_id": firmware.manifest.export_id,
        "build_id": firmware.build_id, "outputs": len(firmware.function.row_outputs),
    }  # fmt: skip
    for name, value in expected.items():
        if head[name] != value:
            raise CheckFailed(f"results.bin says {name} {head[name]}, expected {value}; build the firmware again")
    if model_hash != firmware.manifest.model_hash:
        raise CheckFailed(f"results.bin is of model {model_hash[:16]}, not {firmware.manifest.model_hash[:16]}")
    if head["selftest"] != 0:
        name = f"{firmware.manifest.name}_selftest.c"
        raise CheckFailed(f"check {head['selftest']} of {name} failed on {firmware.profile.title}; see that file")
    if head["counter_rate_hz"] == 0:
        raise CheckFailed("no counter moves on this machine, so instructions cannot be counted")
