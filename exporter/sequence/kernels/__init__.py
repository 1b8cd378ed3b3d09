"""Fixed-time kernels as operation sequences: sine and cosine, arctangent, arcsine, arccosine.

Comes in: a kernel's kind and a precision. Goes out: a branch-free sequence of plain operations, the same for every
caller, that the interpreters run bit for bit and the C printer prints.
"""

from functools import cache

from exporter.sequence.operations import Kind, OperationSequence, Precision


@cache
def kernel(kind: Kind, precision: Precision) -> OperationSequence:
    """The sequence of a kernel."""
    raise NotImplementedError(f"kernel {kind} in {precision}")
