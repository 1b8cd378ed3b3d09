"""The one place for compiler flags that change numbers, warnings or bytes. What a core needs stands in its profile.

The arithmetic of an export is verified under NUMERIC and holds under nothing weaker: contraction changes results, and
without -fno-math-errno a square root becomes a call. -ffreestanding is forbidden for the same reason.
"""

NUMERIC: tuple[str, ...] = ("-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno")
"""For every translation unit of an export, on every target."""

FORBIDDEN: tuple[str, ...] = ("-ffast-math", "-Ofast", "-ffreestanding", "-funsafe-math-optimizations", "-mfpmath=387")
"""Flags under which an export is not what it says."""

FIRMWARE: tuple[str, ...] = ("-std=c11", "-O2", "-ffp-contract=off", "-fno-math-errno")
"""For our own firmware, which uses static assertions."""

SECTIONS: tuple[str, ...] = ("-ffunction-sections", "-fdata-sections")
"""So that the linker can drop what nobody calls."""

BARE_LINK: tuple[str, ...] = ("-nostartfiles", "-nostdlib", "-Wl,--gc-sections", "-Wl,--build-id=none")
"""For a firmware: our own start-up, only what is used, no bytes that depend on the build."""

SHARED_LINK: tuple[str, ...] = ("-shared", "-Wl,-Bsymbolic", "-Wl,--build-id=none")
"""For a host library: its own symbols first, whatever else the process has loaded."""

STRICT_WARNINGS: tuple[str, ...] = (
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wsign-conversion",
    "-Wdouble-promotion",
    "-Wfloat-conversion",
    "-Wfloat-equal",
    "-Wshadow",
    "-Wundef",
    "-Wstrict-prototypes",
    "-Wmissing-prototypes",
    "-Wcast-qual",
    "-Werror",
)
"""What an export and our firmware pass without a word."""

STRICT_WARNINGS_CXX: tuple[str, ...] = tuple(
    flag for flag in STRICT_WARNINGS if flag not in {"-Wstrict-prototypes", "-Wmissing-prototypes"}
)
"""The same where a header is compiled as C++."""
