"""What Newton steps may leave of what they close before it is flagged: rounding, and no more.

Tables are made at nominal parameters. At others, steps that start farther away end open, and what an export gives out
is off by that residual times the slope of its outputs.
"""

RESIDUAL_EPS = 64
"""Residual, lengths over the mechanism's length, in eps, above which RESIDUAL_HIGH is set.

Three times the most that was seen over the ranges of thirty mechanisms at nominal parameters, in both precisions.
"""
