"""The compiler flags that exported C is verified with. Recorded in every manifest; builds take them from there."""

NUMERIC_FLAGS: tuple[str, ...] = ("-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno")
"""Language, optimisation, and what keeps the bits: no contraction, no errno around the square root."""

STRICT_WARNINGS: tuple[str, ...] = (
    "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wdouble-promotion", "-Wfloat-conversion",
    "-Wfloat-equal", "-Wshadow", "-Wundef", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wcast-qual", "-Werror",
)  # fmt: skip
"""Every export compiles without a word under these."""
