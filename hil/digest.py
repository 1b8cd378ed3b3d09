"""The digest of a free run: one number by which the host tells whether 60,000 activations computed right.

The digest is a CRC-32 as `zlib.crc32` computes it, over the bytes of each activation in order: status (u32), then the
bits of all outputs. A wrong bit anywhere changes it; several wrong bits leave it as it was by chance alone, once in
4.3e9. The device computes it in `targets/ecu/bench_tally.c`.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
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
class RunDigest:
    """Three numbers for the results of all activations of a free run: those of a device, or those it should have."""

    digest: int = 0
    flagged: int = 0  # activations whose status is not zero
    status_or: int = 0  # bits that are set in the status of any activation

    def text(self, bits: Mapping[str, int]) -> str:
        """In words, flags by the status table `bits` (name -> bit): "digest 1f2e3d4c, 3 flagged (ARG_REJECTED)"."""
        flags = f" ({', '.join(flag_names(self.status_or, bits))})" if self.status_or else ""
        return f"digest {self.digest:08x}, {self.flagged:,} flagged{flags}"

    def after(self, outputs: NDArray[Any], status: NDArray[np.uint32]) -> "RunDigest":
        """With more activations."""
        return RunDigest(
            digest_of(outputs, status, self.digest),
            self.flagged + int(np.count_nonzero(status)),
            self.status_or | int(np.bitwise_or.reduce(status, initial=0)),
        )


def flag_names(status: int, bits: Mapping[str, int]) -> tuple[str, ...]:
    """Names of the bits that are set, lowest first; one that the table does not have is called by its number."""
    names = {bit: name for name, bit in bits.items()}
    return tuple(names.get(bit, f"bit {bit}") for bit in range(status.bit_length()) if status >> bit & 1)


def expected_digest(call: Call, ring: NDArray[Any], state: NDArray[Any], activations: Sequence[int]) -> RunDigest:
    """What a right device answers after these activations: activation i steps with ring[i mod len(ring)].

    Without state all rows are independent and go through `call` at once.
    """
    if state.size == 0:
        return RunDigest().after(*call(ring[np.array(activations, dtype=np.int64) % len(ring)]))
    computed, current = RunDigest(), state
    for index in activations:
        outputs, status = call(np.concatenate([current, ring[index % len(ring)]])[None, :])
        current = outputs[0, : state.size]
        computed = computed.after(outputs, status)
    return computed
