"""The 32-bit status mask of every exported function. Bits 0 to 5 are eFMI's and set by an eFMI wrapper only."""

BITS: dict[str, tuple[int, str]] = {
    "OUT_OF_WORKSPACE": (16, "a radicand is below zero; its root was clamped to zero"),
    "NEAR_SINGULAR": (
        17,
        "a pivot is below its threshold and was replaced by it, or what follows from one was limited",
    ),
    "GUARD_SMALL": (18, "a leading coefficient of the triangular set is below its threshold"),
    "BRANCH_NEAR_SWAP": (19, "two roots of a block are about to meet: a warning, outputs keep their guarantee"),
    "RESIDUAL_HIGH": (20, "the closure residual over the length scale exceeds 1e3 eps"),
    "FROZEN_MISMATCH": (21, "a frozen parameter differs from the one substituted at export"),
    "ARG_REJECTED": (22, "an argument is not finite or out of range; its nominal value was used"),
    "STEP_TOO_LARGE": (
        23,
        "the rate of an independent coordinate left its range, or a step of Newton's method was cut",
    ),
    "TABLE_CLAMPED": (24, "the argument of a look-up table is beyond its axis; the value at the end was taken"),
    "LIMITED": (25, "a state would have left its range; its limit was taken: a warning, outputs keep their guarantee"),
}
"""Name -> (bit number, meaning)."""

EFMI_BITS: dict[str, int] = {
    "INVALID_ARGUMENT": 0,
    "OVERFLOW": 1,
    "NAN": 2,
    "SOLVE_LINEAR_EQUATIONS_FAILED": 3,
    "NO_SOLUTION_FOUND": 4,
    "UNSPECIFIED_ERROR": 5,
}
"""Reserved: set by an eFMI wrapper only."""
