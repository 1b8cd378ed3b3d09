"""Numbers for test vectors, the same on every machine: a counter-based generator and nothing of a library's habits.

In: a seed and a stream number; out: raw 64-bit words of Philox 4x64 (Salmon et al. 2011) and what is made of them here.
"""

import numpy as np
from numpy.typing import NDArray


def words(seed: int, stream: int, count: int) -> NDArray[np.uint64]:
    """`count` raw words of one stream."""
    key = np.array([seed & 0xFFFFFFFFFFFFFFFF, stream], dtype=np.uint64)
    return np.asarray(np.random.Philox(key=key).random_raw(count), dtype=np.uint64)


def uniform(seed: int, stream: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Numbers in [0, 1), 53 bits each."""
    raw = words(seed, stream, int(np.prod(shape))) >> np.uint64(11)
    return (raw.astype(np.float64) * 2.0**-53).reshape(shape)


def choices(seed: int, stream: int, shape: tuple[int, ...], count: int) -> NDArray[np.int64]:
    """Integers in [0, count)."""
    return np.floor(uniform(seed, stream, shape) * count).astype(np.int64)
