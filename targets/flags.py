"""The one place for compiler flags of a build. What a core needs stands in its profile.

The arithmetic of an export is verified under EXPORT_FLAGS and holds under nothing weaker: contraction changes results,
and without -fno-math-errno a square root becomes a call. -ffreestanding is forbidden for the same reason.
"""

from collections.abc import Iterable

from exporter.c99.flags import NUMERIC_FLAGS, STRICT_WARNINGS
from exporter.errors import KinefixError

EXPORT_FLAGS: tuple[str, ...] = NUMERIC_FLAGS
"""For every translation unit of an export, on every target; a manifest records them."""

FORBIDDEN_FLAGS: tuple[str, ...] = (
    "-ffast-math",
    "-Ofast",
    "-ffreestanding",
    "-funsafe-math-optimizations",
    "-mfpmath=387",
    "-mno-sse2",
    "-ffp-contract=fast",
)
"""Flags under which an export is not what it says."""

FIRMWARE_FLAGS: tuple[str, ...] = ("-std=c11", *EXPORT_FLAGS[1:])
"""For our own firmware, which uses static assertions."""

SECTION_FLAGS: tuple[str, ...] = ("-ffunction-sections", "-fdata-sections")
"""So that the linker can drop what nobody calls."""

BARE_LINK: tuple[str, ...] = ("-nostartfiles", "-nostdlib", "-Wl,--gc-sections", "-Wl,--build-id=none")
"""For a firmware: our own start-up, only what is used, no bytes that depend on the build."""

SHARED_LINK: tuple[str, ...] = ("-shared", "-Wl,-Bsymbolic", "-Wl,--build-id=none")
"""For a host library: its own symbols first, whatever else the process has loaded."""

X86_FLAGS: tuple[str, ...] = ("-msse2", "-mfpmath=sse")
"""What 32-bit x86 needs: its compilers otherwise compute on the x87 stack, whose registers round to 64 bits."""

STRICT_WARNINGS_CXX: tuple[str, ...] = tuple(
    flag for flag in STRICT_WARNINGS if flag not in {"-Wstrict-prototypes", "-Wmissing-prototypes"}
)
"""STRICT_WARNINGS of `exporter.c99.flags` where a header is compiled as C++."""


def check_flags(recorded: Iterable[str]) -> tuple[str, ...]:
    """The flags that a manifest records, once they are seen to keep the numbers.

    Raises:
        KinefixError: one of EXPORT_FLAGS is not among them, or one of FORBIDDEN_FLAGS is.
    """
    known = tuple(recorded)
    lacking = [flag for flag in EXPORT_FLAGS if flag not in known]
    harmful = [flag for flag in known if flag in FORBIDDEN_FLAGS]
    if lacking or harmful:
        what = f"lacks {lacking[0]}" if lacking else f"has {harmful[0]}"
        raise KinefixError(
            f"the manifest's compiler flags are not those of an export: it {what}; export the model again"
        )
    return known


def check_core_flags(machine: str, core: Iterable[str]) -> tuple[str, ...]:
    """The flags of a core, once they are seen to keep the numbers on that machine.

    Raises:
        KinefixError: 32-bit x86 without X86_FLAGS, or one of FORBIDDEN_FLAGS is among them.
    """
    known = tuple(core)
    lacking = [flag for flag in X86_FLAGS if flag not in known] if machine == "x86" else []
    harmful = [flag for flag in known if flag in FORBIDDEN_FLAGS]
    if lacking or harmful:
        what = f"have {harmful[0]}" if harmful else f"lack {lacking[0]}"
        raise KinefixError(
            f"the compiler flags for {machine} {what}, and a 32-bit build must not compute on the x87 stack, whose "
            f"results differ; compile with {' '.join(X86_FLAGS)}"
        )
    return known
