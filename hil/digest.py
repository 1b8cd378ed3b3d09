"""A digest over a free run, so that the host can tell whether 60,000 activations computed right.

CRC-32 as `zlib.crc32` computes it, over the bytes of each activation in order: status (u32), then the bits of all
outputs. Every bit of it depends on every bit that goes in, so no errors cancel but by chance, 1 in 4.3e9. The C side is
in `targets/ecu/bench_tally.c`.
"""

import zlib
from collections.abc import Callable, Sequence
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


def expected_digest(call: Call, ring: NDArray[Any], state: NDArray[Any], activations: Sequence[int]) -> int:
    """What a right device answers after these activations: activation i steps with ring[i mod len(ring)].

    Without state all rows are independent and go through `call` at once.
    """
    if state.size == 0:
        return digest_of(*call(ring[np.array(activations, dtype=np.int64) % len(ring)]))
    digest, current = 0, state
    for index in activations:
        outputs, status = call(np.concatenate([current, ring[index % len(ring)]])[None, :])
        current = outputs[0, : state.size]
        digest = digest_of(outputs, status, digest)
    return digest
