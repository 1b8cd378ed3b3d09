"""Which identifier carries which signals: the frames of one exported function on a CAN bus.

In: a manifest, one of its functions, the first identifier. Out: `CanLayout`, which the codecs, the DBC and the page
`docs/can.md` are made of. The C side is `targets/ecu/bench_can.c`, which counts in the same way; a test compares them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from exporter.errors import KinefixError
from exporter.manifest import Field, Function, Manifest
from hil.bench import CAN_BASE
from hil.identity import expected_identity
from targets.rows import REAL_TYPES, tunable_fields

FRAME_BYTES = 8
LARGEST_STANDARD = 0x7FF
LARGEST_EXTENDED = 0x1FFF_FFFF
MOST_PARAMETER_BYTES = 1016
"""Parameters beyond these do not fit one packet and travel in the stream."""

Part = Literal["state", "inputs", "parameters", "next_state", "outputs", "in_force"]


@dataclass(frozen=True, slots=True)
class SignalGroup:
    """Reals that follow one another over frames that follow one another."""

    part: Part
    first_id: int
    fields: tuple[Field, ...]
    real_bytes: int

    @property
    def size(self) -> int:
        """Bytes of all reals."""
        return len(self.fields) * self.real_bytes

    @property
    def frames(self) -> int:
        """How many frames they take."""
        return -(-self.size // FRAME_BYTES)

    def frame_size(self, number: int) -> int:
        """Data bytes of the frame of this number."""
        return min(FRAME_BYTES, self.size - FRAME_BYTES * number)

    def fields_of(self, number: int) -> tuple[Field, ...]:
        """What stands in the frame of this number."""
        each = FRAME_BYTES // self.real_bytes
        return self.fields[each * number : each * (number + 1)]

    def split(self, values: bytes) -> Iterator[tuple[int, bytes]]:
        """Identifier and data of each frame."""
        for number in range(self.frames):
            yield self.first_id + number, values[FRAME_BYTES * number : FRAME_BYTES * (number + 1)]


@dataclass(frozen=True, slots=True)
class CanLayout:
    """All identifiers of one exported function, in order."""

    model: str
    function: str
    real: str  # "float32" | "float64"
    commit: int  # to the ECU: ends a request
    to_ecu: int  # bytes of the stream
    state: SignalGroup
    inputs: SignalGroup
    parameters: SignalGroup
    result: int  # to the host: ends an answer
    to_host: int
    stepped: int  # status and ticks of a step
    next_state: SignalGroup
    outputs: SignalGroup
    calibrated: int  # range and status of parameters
    in_force: SignalGroup

    @property
    def last(self) -> int:
        """The last identifier."""
        return self.in_force.first_id + max(self.in_force.frames, 0) - 1

    @property
    def is_extended(self) -> bool:
        """Whether identifiers have 29 bits."""
        return self.last > LARGEST_STANDARD

    @property
    def groups_to_ecu(self) -> tuple[SignalGroup, ...]:
        """What the host sends."""
        return (self.state, self.inputs, self.parameters)

    @property
    def groups_to_host(self) -> tuple[SignalGroup, ...]:
        """What the ECU sends."""
        return (self.next_state, self.outputs, self.in_force)

    @property
    def parameters_fit(self) -> bool:
        """Whether all parameters fit one packet, and so travel as signals."""
        return self.parameters.size <= MOST_PARAMETER_BYTES

    def owns(self, identifier: int) -> bool:
        """Whether an identifier is one of these."""
        return self.commit <= identifier <= self.last


def layout_of(manifest: Manifest, function: Function, base: int = CAN_BASE) -> CanLayout:
    """The frames of a function from the identifier `base` on.

    Raises:
        KinefixError: `base` is negative, or the last identifier would be above 0x1FFFFFFF.
    """
    if base < 0:
        raise KinefixError(f"{base} is no CAN identifier; choose a base from 0 on")
    states = expected_identity(manifest, function).state_values
    real_bytes = int(REAL_TYPES[manifest.real][-1])
    free = base

    def one() -> int:
        nonlocal free
        free += 1
        return free - 1

    def group(part: Part, fields: tuple[Field, ...]) -> SignalGroup:
        nonlocal free
        made = SignalGroup(part, free, fields, real_bytes)
        free += made.frames
        return made

    layout = CanLayout(
        model=manifest.name,
        function=function.name,
        real=manifest.real,
        commit=one(),
        to_ecu=one(),
        state=group("state", function.row_inputs[:states]),
        inputs=group("inputs", function.row_inputs[states:]),
        parameters=group("parameters", tunable_fields(manifest)),
        result=one(),
        to_host=one(),
        stepped=one(),
        next_state=group("next_state", function.row_outputs[:states]),
        outputs=group("outputs", function.row_outputs[states:]),
        calibrated=one(),
        in_force=group("in_force", tunable_fields(manifest)),
    )
    if layout.last > LARGEST_EXTENDED:
        raise KinefixError(
            f"{manifest.name} takes {layout.last - base + 1} CAN identifiers; from 0x{base:X} on the last would be "
            f"0x{layout.last:X}, and 0x{LARGEST_EXTENDED:X} is the largest; choose a lower base"
        )
    return layout
