"""Who the device is: the answer to HELLO, read with suspicion.

Everything that follows is laid out by what stands here, so a number that cannot be ends the conversation in one
sentence. The C side is `targets/ecu/bench_identity.c`.
"""

import struct
from dataclasses import astuple, dataclass
from typing import ClassVar, Self

from hil.errors import FramingError, OtherVersion
from hil.messages import Counter, Record, fields_of
from hil.protocol import MAX_PAYLOAD, VERSION

COUNTER_BITS = 32
BATCH_HEAD_BYTES = 16
"""Bytes before the reals in the answer to a BATCH of one row."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Identity and measuring ability of a device (HELLO reply)."""

    export_id: int
    model_hash: bytes  # 32 bytes, SHA-256 of the canonical model
    build_id: int  # 32 bits of a hash over sources, flags and compiler
    max_payload: int
    real_bytes: int  # 4 or 8
    counter: int  # Counter
    counter_bits: int
    counter_moves: int  # 0 or 1: whether two reads around a known delay differed
    row_inputs: int
    row_outputs: int
    state_values: int
    vector_slots: int
    parameters: int  # tunable ones
    counter_hz: int
    timer_hz: int
    overhead_ticks: int  # least ticks between two reads of the counter
    operations: int  # operations of one step, as the exporter counted them
    digest_ticks: int  # that the digest takes after each activation of a free run
    next_sequence: int  # number of the next request but HELLO
    protocol: int = VERSION
    hardware_reals: int = 0  # 1: the core computes reals of this type by instructions, 0: by routines

    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<I32sIHBBBBHHHHHIIIIIHBB")

    @classmethod
    def unpack(cls, payload: bytes) -> Self:
        """Read a HELLO reply.

        Raises:
            OtherVersion: the device says another version of the protocol.
            FramingError: another length, or numbers that cannot be.
        """
        hello = cls(*fields_of(cls.LAYOUT, payload, "HELLO"))
        if hello.protocol != VERSION:
            raise OtherVersion(
                f"the device speaks version {hello.protocol} of the wire protocol, this Kinefix version {VERSION}; "
                "load firmware that this Kinefix built"
            )
        if wrong := hello._impossible():
            raise FramingError(f"the device's HELLO cannot be: {wrong}; is this the bench firmware of this Kinefix?")
        return hello

    def pack(self) -> bytes:
        """Write a HELLO reply."""
        return self.LAYOUT.pack(*astuple(self))

    def _impossible(self) -> str:
        """What cannot be, in words; empty where all can."""
        reals = self.real_bytes
        longest = max(
            BATCH_HEAD_BYTES + reals * self.row_outputs,
            BATCH_HEAD_BYTES + Record.HEAD.size + reals * self.row_inputs,
            BATCH_HEAD_BYTES + reals * (self.parameters > 0),
        )  # fmt: skip
        measures = bool(self.counter_moves) and self.counter != Counter.NONE
        checks = (
            (reals in (4, 8), f"a real has {reals} bytes, not 4 or 8"),
            (self.row_outputs > 0, "a row has 0 outputs"),
            (
                self.state_values <= min(self.row_inputs, self.row_outputs),
                f"a state of {self.state_values} reals in rows of {self.row_inputs} and {self.row_outputs}",
            ),
            (
                longest <= self.max_payload <= MAX_PAYLOAD,
                f"payloads of up to {self.max_payload} bytes, where rows of {self.row_inputs} reals in and "
                f"{self.row_outputs} out take {longest} and the protocol allows {MAX_PAYLOAD}",
            ),
            (self.counter in set(Counter), f"a counter of kind {self.counter}"),
            (
                not measures or (0 < self.counter_bits <= COUNTER_BITS and self.counter_hz > 0 and self.timer_hz > 0),
                f"a counter of {self.counter_bits} bits at {self.counter_hz} Hz with a timer at {self.timer_hz} Hz",
            ),
        )
        return next((text for holds, text in checks if not holds), "")
