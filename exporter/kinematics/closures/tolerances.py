"""How nearly the original closures must hold, and which of their singular values count as zero: one table for all.

Residuals are lengths over the mechanism's length, or cosines. Rounding leaves 1e-16 to 1e-13 of a closed loop.
"""

CLOSING_RESIDUAL = 1e-11
"""Newton's method ends there: a hundred times what rounding leaves, and within one of its steps of rounding."""
SOLUTION_RESIDUAL = 1e-10
"""What a solved form may leave open where no margin is near zero: ten times that, as blocks follow one another."""
ASSEMBLY_RESIDUAL = 1e-6
"""What a single assembly of a form may leave open: at an edge of the workspace a root of rounding, 1e-8, is left."""
ZERO_SINGULAR_VALUE = 1e-8
"""Singular values below this, over the largest, are zero: a root of rounding, which a pose closed to 1e-16 leaves."""
