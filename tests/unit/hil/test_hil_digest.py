"""The digest of a free run: no set of errors cancels, status included."""

import numpy as np
import pytest

from hil.digest import RunDigest, digest_of, expected_digest


def crc_by_division(data: bytes) -> int:
    """CRC-32 by dividing bit by bit: the definition, without a table and without zlib."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@pytest.mark.parametrize("real", ["float32", "float64"])
def test_it_is_the_crc_of_status_then_outputs(real: str) -> None:
    """Byte for byte, and the same in parts."""
    outputs = np.random.default_rng(3).standard_normal((7, 5)).astype(real)
    status = np.arange(7, dtype=np.uint32) << 20
    data = b"".join(int(s).to_bytes(4, "little") + o.tobytes() for s, o in zip(status, outputs, strict=True))
    assert digest_of(outputs, status) == crc_by_division(data)
    assert digest_of(outputs[3:], status[3:], digest_of(outputs[:3], status[:3])) == digest_of(outputs, status)


@pytest.mark.parametrize("real", ["float32", "float64"])
def test_errors_do_not_cancel(real: str) -> None:
    """Signs wrong in every activation, in pairs, in 300 random sets, zeros of the other sign, swaps, stale rows."""
    rng = np.random.default_rng(1)
    right = rng.standard_normal((1000, 8)).astype(real)
    digest = digest_of(right)
    for count in (2, 999, 1000):
        for column in range(8):
            wrong = right[:count].copy()
            wrong[:, column] *= -1
            assert digest_of(wrong) != digest_of(right[:count])
    for _ in range(300):
        wrong = right.copy()
        wrong.ravel()[rng.choice(8000, size=rng.integers(1, 40), replace=False)] *= -1
        assert digest_of(wrong) != digest
    swapped, stale = right.copy(), right.copy()
    swapped[:, [1, 2]] = swapped[:, [2, 1]]
    stale[500] = stale[499]
    assert digest not in (digest_of(swapped), digest_of(stale), digest_of(right[:999]), digest_of(right[::-1]))
    zeros = np.zeros((1000, 8), dtype=real)
    negative = zeros.copy()
    negative[:, 2] = -0.0
    assert digest_of(zeros) != digest_of(negative)


def test_a_wrong_status_shows() -> None:
    """One bit in one activation, one bit in all, two bits in two."""
    outputs, right = np.ones((1000, 8), dtype=np.float32), np.zeros(1000, dtype=np.uint32)
    for places, bit in (([999], 1), (slice(None), 1), ([3, 4], 1 << 31)):
        wrong = right.copy()
        wrong[places] ^= np.uint32(bit)
        assert digest_of(outputs, wrong) != digest_of(outputs, right)


def test_results_are_told_by_the_names_of_their_flags() -> None:
    """Bits 17 and 22 by the table, lowest first; bit 3 has no name in it."""
    told = RunDigest(0xAB, flagged=1_200, status_or=1 << 22 | 1 << 17 | 1 << 3)
    bits = {"ARG_REJECTED": 22, "NEAR_SINGULAR": 17, "IDLE": 0}
    assert told.text(bits) == "digest 000000ab, 1,200 flagged (bit 3, NEAR_SINGULAR, ARG_REJECTED)"
    assert RunDigest(7).text(bits) == "digest 00000007, 0 flagged"


def test_the_expected_digest_is_of_the_activations_that_ran() -> None:
    """With state the run goes on from its own outputs, and a skipped activation is not part of it."""

    def call(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.stack([rows[:, 0] + rows[:, 1], rows[:, 1]], axis=1), np.zeros(len(rows), dtype=np.uint32)

    ring = np.array([[1.0], [10.0], [100.0]], dtype=np.float32)
    outputs = np.array([[1, 1], [11, 10], [12, 1], [22, 10]], dtype=np.float32)  # 0, 1, 3, 4 of the ring of three
    expected = expected_digest(call, ring, np.zeros(1, dtype=np.float32), [0, 1, 3, 4])
    assert expected == RunDigest(digest_of(outputs), flagged=0, status_or=0)


def test_flagged_activations_are_counted_and_their_flags_joined() -> None:
    """With state and without it."""

    def call(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return rows[:, :1].copy(), np.where(rows[:, -1] > 5, rows[:, -1], 0).astype(np.uint32)

    ring = np.array([[1.0], [16.0], [64.0]], dtype=np.float32)
    for state in (np.zeros(0, dtype=np.float32), np.zeros(1, dtype=np.float32)):
        expected = expected_digest(call, ring, state, [0, 1, 2, 3, 4])
        assert (expected.flagged, expected.status_or) == (3, 16 | 64)
