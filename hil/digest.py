"""A digest over a free run, so that the host can tell whether 60,000 activations computed right.

CRC-32 as `zlib.crc32` computes it, over the bytes of each activation in order: status (u32), then the bits of all
outputs. Every bit of it depends on every bit that goes in, so no errors cancel but by chance, 1 in 4.3e9. The C side is
in `targets/ecu/bench_tally.c`.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Call = Callable[[NDArray[Any]], tuple[NDArray[Any], NDArray[np.uint32]]]
"""Rows (n, row_inputs) to outputs (n, row_outputs) and status (n,)."""


def digest_of(outputs: NDArray[Any], status: NDArray[np.uint32] | None = None, start: int = 0) -> int:
    """Digest of activations with these outputs (n, row_outputs) and status (n,), going on from `start`.

    Without `status` that of activations none of which was flagged.
    """
    rows = np.zeros(len(outputs), dtype=[("status", "<u4"), ("outputs", outputs.dtype, outputs.shape[1:])])
    rows["outputs"] = outputs
    if status is not None:
        rows["status"] = status
    return zlib.crc32(rows.tobytes(), start)


@dataclass(frozen=True, slots=True)
class Computed:
    """What a device tells of the results of a free run."""

    digest: int = 0
    flagged: int = 0  # activations whose status is not zero
    status_or: int = 0  # of all of them

    def text(self) -> str:
        """As words."""
        return f"digest {self.digest:08x}, {self.flagged:,} flagged, flags {self.status_or:#x}"

    def after(self, outputs: NDArray[Any], status: NDArray[np.uint32]) -> "Computed":
        """With more activations."""
        return Computed(
            digest_of(outputs, status, self.digest),
            self.flagged + int(np.count_nonzero(status)),
            self.status_or | int(np.bitwise_or.reduce(status, initial=0)),
        )


def expected_of(call: Call, ring: NDArray[Any], state: NDArray[Any], activations: Sequence[int]) -> Computed:
    """What a right device answers after these activations: activation i steps with ring[i mod len(ring)].

    Without state all rows are independent and go through `call` at once.
    """
    if state.size == 0:
        return Computed().after(*call(ring[np.array(activations, dtype=np.int64) % len(ring)]))
    computed, current = Computed(), state
    for index in activations:
        outputs, status = call(np.concatenate([current, ring[index % len(ring)]])[None, :])
        current = outputs[0, : state.size]
        computed = computed.after(outputs, status)
    return computed
