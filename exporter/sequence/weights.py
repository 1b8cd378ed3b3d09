"""Weighted operations, by which choices of coordinates are compared.

Divisions and roots weigh as much as on a Cortex-M4F, 14 cycles for VDIV and VSQRT (ARM DDI 0439); a kernel weighs its
instructions there.
"""

from exporter.sequence.cost import Cost

WEIGHTS = {
    **{"add": 1, "mul": 1, "negate": 1, "div": 14, "sqrt": 14, "sincos": 70, "atan2": 70, "asin": 70, "acos": 70},
    **{"exp": 60, "log": 70, "tanh": 70, "floor": 20, "pow": 210, "mod": 70, "read": 2},
}


def score(cost: Cost) -> int:
    """Weighted operations."""
    return sum(WEIGHTS.get(name, 1) * count for name, count in cost.as_dict().items())
