"""Holds the code of a library against the operation sequences: rows in an emulator, bit for bit, and their cost.

In: a library and vectors. Out: an `Agreement` per function, or CheckFailed naming the first row that differs. Functions
that keep a state run as one row after another, from a state that is set before.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from exporter.errors import CheckFailed
from exporter.manifest import Manifest
from targets.labview.audit.guest import Guest
from targets.labview.interface import argument_of, inputs_of, reads_state, state_fields
from targets.labview.vectors import Vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COUNTED_ROWS = 48
"""Rows that are counted one by one; the last half of them are limits and values that are no numbers."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was seen of one function in one library."""

    function: str
    rows: int  # compared, bit for bit
    instructions: int | None  # of a call with one row, the same on every counted row


@dataclass(frozen=True, slots=True)
class RowCall:
    """The arguments of `<m>_lv_<f>_rows` as addresses, and what to read afterwards."""

    symbol: str
    arguments: tuple[int, ...]
    outputs: int
    output_bytes: int
    status: int
    status_bytes: int


def agree(guest: Guest, manifest: Manifest, made: Vectors) -> Agreement:
    """Run vectors through the emulated library.

    Raises:
        CheckFailed: a row differs, the code faulted or does not keep to its ABI, or calls differ in cost.
    """
    if not inputs_of(made.function, manifest):
        return Agreement(made.function.name, 0, None)
    instance = opened(guest, manifest) if argument_of(made.function, "state") else 0
    outputs, status = run_rows(guest, manifest, made, instance)
    require_equal(guest.name, made, outputs, status)
    counts = _counts(guest, manifest, made, instance)
    if len(counts) > 1:
        raise CheckFailed(
            f"{guest.name}: one row of {made.function.symbol} takes {min(counts)} to {max(counts)} instructions and "
            "should take one number; please report this"
        )
    return Agreement(made.function.name, len(made.inputs), counts.pop())


def opened(guest: Guest, manifest: Manifest) -> int:
    """The number of a fresh instance."""
    number = guest.place(bytes(4))
    guest.call(f"{manifest.name}_lv_open", [number])
    return int(struct.unpack("<i", guest.read(number, 4))[0])


def run_rows(
    guest: Guest, manifest: Manifest, made: Vectors, instance: int
) -> "tuple[NDArray[np.float64], NDArray[np.uint32]]":
    """(outputs, status) of all rows. Without a state the loop over them runs inside the emulated code."""
    import numpy as np  # noqa: PLC0415 - not for --help

    states = len(state_fields(manifest)) if reads_state(made.function, manifest) else 0
    call = row_call(guest.place, manifest, made, instance, len(made.inputs), states)
    if not states:
        guest.call(call.symbol, call.arguments)
    else:
        _one_by_one(guest, manifest, made, call, states)
    outputs = np.frombuffer(guest.read(call.outputs, call.output_bytes), np.float64).reshape(made.outputs.shape)
    return outputs, np.frombuffer(guest.read(call.status, call.status_bytes), np.uint32)


def _one_by_one(guest: Guest, manifest: Manifest, made: Vectors, call: RowCall, states: int) -> None:
    """Each row from its own state."""
    width_in, width_out = 8 * (made.inputs.shape[1] - states), 8 * made.outputs.shape[1]
    given = guest.place(made.inputs[:, :states].tobytes())
    instance, first_in, _, first_out, _, first_status, _ = call.arguments
    for row in range(len(made.inputs)):
        guest.call(f"{manifest.name}_lv_set_state", [instance, given + 8 * states * row, states])
        at = [first_in + width_in * row, width_in // 8, first_out + width_out * row, width_out // 8]
        guest.call(call.symbol, [instance, *at, first_status + 4 * row, 1])


def row_call(
    place: Callable[[bytes], int], manifest: Manifest, made: Vectors, instance: int, rows: int, states: int
) -> RowCall:
    """Put inputs and room for results into memory."""
    import numpy as np  # noqa: PLC0415 - not for --help

    taken = np.ascontiguousarray(made.inputs[:rows, states:])
    output_bytes, status_bytes = 8 * rows * made.outputs.shape[1], 4 * rows
    inputs, outputs, status = place(taken.tobytes()), place(bytes(output_bytes)), place(b"\xff" * status_bytes)
    arguments = (instance, inputs, taken.size, outputs, output_bytes // 8, status, rows)
    symbol = f"{manifest.name}_lv_{made.function.name}_rows"
    return RowCall(symbol, arguments, outputs, output_bytes, status, status_bytes)


def _counts(guest: Guest, manifest: Manifest, made: Vectors, instance: int) -> set[int]:
    """Instructions of a call with one row: nominal, drawn, and the special ones at the end."""
    import numpy as np  # noqa: PLC0415 - not for --help

    states = len(state_fields(manifest)) if reads_state(made.function, manifest) else 0
    half = COUNTED_ROWS // 2
    chosen = np.unique(np.r_[0 : min(half, len(made.inputs)), max(0, len(made.inputs) - half) : len(made.inputs)])
    call = row_call(guest.place, manifest, made, instance, len(made.inputs), states)
    _, first_in, _, _, _, _, _ = call.arguments
    width = made.inputs.shape[1] - states
    counts = set()
    for row in chosen.tolist():
        arguments = [instance, first_in + 8 * width * row, width, call.outputs, made.outputs.shape[1], call.status, 1]
        counts.add(guest.count(call.symbol, arguments)[1])
    return counts


def require_equal(name: str, made: Vectors, outputs: "NDArray[Any]", status: "NDArray[Any]") -> None:
    """Bits against bits; a NaN equals a NaN.

    Raises:
        CheckFailed: a row differs.
    """
    import numpy as np  # noqa: PLC0415 - not for --help

    same = (outputs.view(np.uint64) == made.outputs.view(np.uint64)) | (np.isnan(outputs) & np.isnan(made.outputs))
    wrong = np.flatnonzero(~same.all(axis=1) | (status != made.status))
    if len(wrong):
        row = int(wrong[0])
        raise CheckFailed(
            f"{name}: {made.function.symbol} differs from the operation sequence in {len(wrong)} of {len(status)} "
            f"rows, first at row {row}: {_hex(outputs[row])} and status {int(status[row]):#x} instead of "
            f"{_hex(made.outputs[row])} and {int(made.status[row]):#x}; please report this"
        )


def _hex(values: Sequence[float]) -> str:
    return " ".join(float(value).hex() for value in values)
