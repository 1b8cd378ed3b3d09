"""Holds the code of a library against the operation sequences: rows in an emulator, bit for bit, and their cost.

In: a library and vectors. Out: an `Agreement` per function, or CheckFailed naming the first row that differs.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from exporter.errors import CheckFailed
from exporter.manifest import Function, Manifest
from targets.labview.audit.guest import Guest
from targets.labview.interface import argument_of, has_rows, reads_state, state_fields
from targets.labview.vectors import Vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from exporter.sequence.program import Program

COUNTED_ROWS = 24
"""Rows that are counted one by one; the last half of them are limits and values that are no numbers."""


class Caller(Protocol):
    """A library that can be called, in an emulator or in this process."""

    @property
    def name(self) -> str:
        """For messages."""
        ...

    def place(self, content: bytes) -> int:
        """Put bytes into memory of the library's; their address."""
        ...

    def read(self, address: int, size: int) -> bytes:
        """Bytes from that memory."""
        ...

    def call(self, symbol: str, arguments: Sequence[int]) -> int:
        """Call a function that takes integers and pointers."""
        ...


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was seen of one function in one library."""

    function: str
    rows: int  # compared, bit for bit
    instructions: int | None  # of a call with one row, the same on every counted row


def agree(guest: Guest, manifest: Manifest, made: Vectors) -> Agreement:
    """Run vectors through the emulated library, each row from its own state, and count.

    Raises:
        CheckFailed: a row differs, the code faulted or does not keep to its ABI, or calls differ in cost.
    """
    instance = open_instance(guest, manifest) if argument_of(made.function, "state") else 0
    if not has_rows(made.function, manifest):
        outputs, status = _call_once(guest, manifest, made, instance)
        require_equal(guest.name, made, outputs, status)
        return Agreement(made.function.name, 1, None)
    outputs, status = run_rows(guest, manifest, made, instance)
    require_equal(guest.name, made, outputs, status)
    counts = _counts(guest, manifest, made, instance)
    if len(counts) > 1:
        raise CheckFailed(
            f"{guest.name}: one row of {made.function.symbol} takes {min(counts)} to {max(counts)} instructions and "
            "should take one number; please report this"
        )
    return Agreement(made.function.name, len(made.inputs), counts.pop())


def agree_in_series(caller: Caller, manifest: Manifest, program: "Program", made: Vectors) -> int:
    """Run all rows in one call, as LabVIEW would; how many agreed.

    A function with a state goes on from row to row. It gives the state among its outputs, so each step is held against
    the sequence from the state that the library itself reached: agreement of all steps is agreement of the series.

    Raises:
        CheckFailed: a row differs.
    """
    import numpy as np  # noqa: PLC0415 - not for --help

    from exporter.c99.rows import interpret_rows  # noqa: PLC0415

    states = _states(manifest, made.function)
    instance = open_instance(caller, manifest) if argument_of(made.function, "state") else 0
    before = _state_of(caller, manifest, instance) if states else np.empty(0)
    outputs, status = _in_one_call(caller, manifest, made, instance, states)
    if states:
        reached = np.vstack([before, outputs[:-1, :states]])
        inputs = np.hstack([reached, made.inputs[:, states:]])
        done = interpret_rows(program, made.function.name, inputs)
        made = replace(made, inputs=inputs, outputs=done.outputs.astype(np.float64), status=done.status)
    require_equal(caller.name, made, outputs, status)
    return len(status)


def open_instance(caller: Caller, manifest: Manifest) -> int:
    """The number of a fresh instance."""
    number = caller.place(bytes(4))
    caller.call(f"{manifest.name}_lv_open", [number])
    return int(struct.unpack("<i", caller.read(number, 4))[0])


def run_rows(
    caller: Caller, manifest: Manifest, made: Vectors, instance: int
) -> "tuple[NDArray[np.float64], NDArray[np.uint32]]":
    """(outputs, status) of all rows, each from its own state."""
    states = _states(manifest, made.function)
    if not states:
        return _in_one_call(caller, manifest, made, instance, 0)
    call = _place_vectors(caller, manifest, made, instance, states)
    given = caller.place(made.inputs[:, :states].tobytes())
    for row in range(len(made.inputs)):
        caller.call(f"{manifest.name}_lv_set_state", [instance, given + 8 * states * row, states])
        caller.call(call.symbol, call.arguments(row, 1))
    return call.results(caller)


def _states(manifest: Manifest, function: Function) -> int:
    """How many reals at the beginning of a row are the state."""
    return len(state_fields(manifest)) if reads_state(function, manifest) else 0


def _state_of(caller: Caller, manifest: Manifest, instance: int) -> "NDArray[np.float64]":
    import numpy as np  # noqa: PLC0415 - not for --help

    count = len(state_fields(manifest))
    place = caller.place(bytes(8 * count))
    caller.call(f"{manifest.name}_lv_get_state", [instance, place, count])
    return np.frombuffer(caller.read(place, 8 * count), np.float64)


def _in_one_call(
    caller: Caller, manifest: Manifest, made: Vectors, instance: int, states: int
) -> "tuple[NDArray[np.float64], NDArray[np.uint32]]":
    """The loop over the rows runs inside the library."""
    call = _place_vectors(caller, manifest, made, instance, states)
    caller.call(call.symbol, call.arguments(0, call.rows))
    return call.results(caller)


def _call_once(
    caller: Caller, manifest: Manifest, made: Vectors, instance: int
) -> "tuple[NDArray[np.float64], NDArray[np.uint32]]":
    """A function that takes nothing: the call with a place for each output."""
    import numpy as np  # noqa: PLC0415 - not for --help

    width = made.outputs.shape[1]
    place = caller.place(bytes(8 * width))
    places = [place + 8 * number for number in range(width)]
    status = caller.call(f"{manifest.name}_lv_{made.function.name}", [instance, *places])
    outputs = np.frombuffer(caller.read(place, 8 * width), np.float64).reshape(1, width)
    return outputs, np.array([status], np.uint32)


@dataclass(frozen=True, slots=True)
class _Placed:
    """Rows in the library's memory, with room for results, and the call that works on them."""

    symbol: str
    instance: int
    rows: int
    width_in: int
    width_out: int
    inputs: int  # addresses
    outputs: int
    status: int

    def arguments(self, first: int, count: int) -> list[int]:
        """For `count` rows from `first`."""
        taken = [self.inputs + 8 * self.width_in * first, self.width_in * count] if self.width_in else []
        given = [self.outputs + 8 * self.width_out * first, self.width_out * count]
        return [self.instance, *taken, *given, self.status + 4 * first, count]

    def results(self, caller: Caller) -> "tuple[NDArray[np.float64], NDArray[np.uint32]]":
        """(outputs, status) of all rows."""
        import numpy as np  # noqa: PLC0415 - not for --help

        outputs = np.frombuffer(caller.read(self.outputs, 8 * self.rows * self.width_out), np.float64)
        status = np.frombuffer(caller.read(self.status, 4 * self.rows), np.uint32)
        return outputs.reshape(self.rows, self.width_out), status


def _place_vectors(caller: Caller, manifest: Manifest, made: Vectors, instance: int, states: int) -> _Placed:
    import numpy as np  # noqa: PLC0415 - not for --help

    taken = np.ascontiguousarray(made.inputs[:, states:])
    rows, width_out = made.outputs.shape
    return _Placed(
        symbol=f"{manifest.name}_lv_{made.function.name}_rows",
        instance=instance,
        rows=rows,
        width_in=taken.shape[1],
        width_out=width_out,
        inputs=caller.place(taken.tobytes()),
        outputs=caller.place(bytes(8 * rows * width_out)),
        status=caller.place(b"\xff" * (4 * rows)),
    )


def _counts(guest: Guest, manifest: Manifest, made: Vectors, instance: int) -> set[int]:
    """Instructions of a call with one row: nominal, drawn, and the special ones at the end."""
    import numpy as np  # noqa: PLC0415 - not for --help

    half, rows = COUNTED_ROWS // 2, len(made.inputs)
    chosen = np.unique(np.r_[0 : min(half, rows), max(0, rows - half) : rows])
    call = _place_vectors(guest, manifest, made, instance, _states(manifest, made.function))
    return {guest.count(call.symbol, call.arguments(row, 1))[1] for row in chosen.tolist()}


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
