"""A digest over all outputs of a free run, so that the host can tell whether 60,000 activations computed right.

FNV-1a by 32-bit words, over the bits of the outputs in order: `digest = (digest xor word) * 16777619 mod 2^32`, from
2166136261. The C side is in `targets/ecu/bench_tally.c`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

START = 2166136261
PRIME = 16777619

Call = Callable[[NDArray[Any]], NDArray[Any]]
"""Rows (n, row_inputs) to outputs (n, row_outputs)."""


def digest_of(outputs: NDArray[Any], start: int = START) -> int:
    """Digest of rows of outputs, going on from `start`."""
    digest = start
    for word in np.ascontiguousarray(outputs).view(np.uint32).ravel().tolist():
        digest = ((digest ^ word) * PRIME) & 0xFFFFFFFF
    return digest


def expected_digest(call: Call, ring: NDArray[Any], state: NDArray[Any], activations: Sequence[int]) -> int:
    """What a right device answers after these activations: activation i steps with ring[i mod len(ring)].

    Without state all rows are independent and go through `call` at once.
    """
    if state.size == 0:
        return digest_of(call(ring[np.array(activations, dtype=np.int64) % len(ring)]))
    digest, current = START, state
    for index in activations:
        outputs = call(np.concatenate([current, ring[index % len(ring)]])[None, :])
        current = outputs[0, : state.size]
        digest = digest_of(outputs, digest)
    return digest
