"""The one place for compiler flags of a build. What a core needs stands in its profile.

The arithmetic of an export is verified under NUMERIC and holds under nothing weaker: contraction changes results, and
without -fno-math-errno a square root becomes a call. -ffreestanding is forbidden for the same reason.
"""

from exporter.c99.flags import NUMERIC_FLAGS, STRICT_WARNINGS

NUMERIC: tuple[str, ...] = NUMERIC_FLAGS
"""For every translation unit of an export, on every target; a manifest records them."""

FORBIDDEN: tuple[str, ...] = ("-ffast-math", "-Ofast", "-ffreestanding", "-funsafe-math-optimizations", "-mfpmath=387")
"""Flags under which an export is not what it says."""

FIRMWARE: tuple[str, ...] = ("-std=c11", *NUMERIC[1:])
"""For our own firmware, which uses static assertions."""

SECTIONS: tuple[str, ...] = ("-ffunction-sections", "-fdata-sections")
"""So that the linker can drop what nobody calls."""

BARE_LINK: tuple[str, ...] = ("-nostartfiles", "-nostdlib", "-Wl,--gc-sections", "-Wl,--build-id=none")
"""For a firmware: our own start-up, only what is used, no bytes that depend on the build."""

SHARED_LINK: tuple[str, ...] = ("-shared", "-Wl,-Bsymbolic", "-Wl,--build-id=none")
"""For a host library: its own symbols first, whatever else the process has loaded."""

STRICT_WARNINGS_CXX: tuple[str, ...] = tuple(
    flag for flag in STRICT_WARNINGS if flag not in {"-Wstrict-prototypes", "-Wmissing-prototypes"}
)
"""STRICT_WARNINGS of `exporter.c99.flags` where a header is compiled as C++."""
