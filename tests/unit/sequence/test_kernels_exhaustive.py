"""Every float32 of the domain of the kernels of one argument, against numpy's float64 functions.

Marked slow: about five minutes each. `test_kernels_float32.py` samples the same.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from exporter.sequence.interpreter import interpret
from exporter.sequence.kernels import ERROR_ULP, kernel
from exporter.sequence.operations import Kind

pytestmark = pytest.mark.slow

BLOCK = 1 << 22
Reference = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def magnitudes(last: float) -> Iterator[NDArray[np.float32]]:
    """All float32 from 0 to the last, in blocks: non-negative floats are ordered like their bits."""
    end = int(np.float32(last).view(np.uint32)) + 1
    for first in range(0, end, BLOCK):
        yield np.arange(first, min(first + BLOCK, end), dtype=np.uint32).view(np.float32)


def worst_ulp(kind: Kind, references: tuple[Reference, ...], last: float, sign: int) -> list[float]:
    """The largest error of each output, in units of the last place of the true result."""
    worst = [0.0] * len(references)
    for block in magnitudes(last):
        arguments = np.float32(sign) * block
        outputs = interpret(kernel(kind, "float32"), arguments[:, None]).outputs
        wide = arguments.astype(np.float64)
        for position, reference in enumerate(references):
            truth = reference(wide)
            unit = np.spacing(np.abs(truth).astype(np.float32)).astype(np.float64)
            errors = np.abs(outputs[:, position].astype(np.float64) - truth) / unit
            worst[position] = max(worst[position], float(errors.max()))
    return worst


def test_sine_and_cosine_of_every_angle() -> None:
    """All 1,176,256,513 float32 in [0, 1e4]; the kernel is odd and even bit for bit (tested by samples)."""
    sine, cosine = worst_ulp(Kind.SINCOS, (np.sin, np.cos), 1e4, 1)
    assert sine < ERROR_ULP[Kind.SINCOS]["float32"]
    assert cosine < ERROR_ULP[Kind.SINCOS]["float32"]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("kind", "reference"), [(Kind.ASIN, np.arcsin), (Kind.ACOS, np.arccos)])
def test_arcsine_and_arccosine_of_every_ratio(kind: Kind, reference: Reference, sign: int) -> None:
    """All 1,065,353,217 float32 in [0, 1], and their negatives."""
    assert worst_ulp(kind, (reference,), 1.0, sign)[0] < ERROR_ULP[kind]["float32"]
