"""Builds a bench firmware with a stall that the host does not know of: evidence that the detector fires.

A detector that was never seen to fire proves nothing. The stall sits in front of the exported function, behind the
bench's time stamps; see `seeded_stall.c`.
"""

from collections.abc import Sequence
from pathlib import Path

from exporter.export import Export
from targets.ecu.firmware import Firmware, build_firmware
from targets.rows import function_of

SOURCE = Path(__file__).with_name("seeded_stall.c")


def build_with_stall(
    export: Export, function: str, folder: Path, at: int | Sequence[int], ticks: int, profile: str = "arm-m4f"
) -> Firmware:
    """Build a bench firmware whose calls number `at` (from 0, since reset; rising) take `ticks` longer.

    Works on boards whose timer 1 is free-running, as on the emulated ones.
    """
    symbol = function_of(export.manifest, function).symbol
    defines = {
        symbol: "kfx_seeded_step",
        "KFX_SEEDED_STEP": f'"{symbol}"',
        "KFX_SEEDED_STALL_AT": ",".join(f"UINT32_C({each})" for each in ([at] if isinstance(at, int) else at)),
        "KFX_SEEDED_STALL_TICKS": f"UINT32_C({ticks})",
    }
    return build_firmware(export, function, folder, "bench", profile, defines, (SOURCE,))
