"""Which symbols an export may not pull in, by the symbol table: the compiler's warnings do not see them.

In: an object (what it leaves undefined) or a linked file (what it holds). Used by: the audit's verdict.
Patterns are the run-time ABI of ARM (IHI 0043), libgcc's soft-float names and the names of math.h.
"""

import re
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from exporter.errors import ModelError
from exporter.sequence.operations import Precision

_MATH_WORDS = (
    "sin cos tan sincos asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 "
    "log1p pow sqrt cbrt hypot fmod remainder remquo drem fabs fma fmax fmin fdim floor ceil round trunc rint "
    "nearbyint lround llround lrint llrint ldexp scalbn scalbln frexp modf logb ilogb copysign nextafter nan tgamma "
    "lgamma erf erfc"
)
_MATH_NAMES = "|".join(sorted(_MATH_WORDS.split(), key=len, reverse=True))
LIBM_NAME = re.compile(rf"^(?:__)?(?:ieee754_|kernel_|builtin_|math_)?(?:{_MATH_NAMES})[fl]?(?:_finite)?$")
DOUBLE_HELPER = re.compile(
    r"^__aeabi_(?:c?d\w+|\w+2d)$"  # dadd, cdcmple, d2f, f2d, i2d, ul2d
    r"|^__\w*df(?:2|3|[sdt]i|sf2|\w*)$"  # __muldf3, __extendsfdf2, __fixdfsi, __floatsidf
)
FLOAT_HELPER = re.compile(r"^__aeabi_(?:c?f\w+|[a-z]+2f)$|^__\w*sf(?:2|3|[sdt]i|\w*)$")
DIVISION_NAME = re.compile(r"^__aeabi_(?:u?[il]div(?:mod)?|uidivmod|idivmod)$|^__u?(?:div|mod)[sdt]i[34]$")
MEMORY_NAME = re.compile(r"^(?:__aeabi_)?mem(?:cpy|set|move|clr|cmp)[48]?(?:_chk)?$|^(?:malloc|calloc|realloc|free)$")
SWITCH_NAME = re.compile(r"^__gnu_thumb1_case_\w+$")

_REASONS: tuple[tuple[re.Pattern[str], str], ...] = (
    (MEMORY_NAME, "a memory routine of the C library: its time depends on what it is given"),
    (LIBM_NAME, "a function of math.h: its time depends on the data"),
    (DIVISION_NAME, "integer division in software: its time depends on the data"),
    (SWITCH_NAME, "a jump table"),
)
DOUBLE_IN_FLOAT = "double precision in a float32 export"
SOFT_FLOAT = "floating point in software: its time depends on the data"


def findings(elf: Path, real: Precision) -> dict[str, str]:
    """Symbols that may not be linked, each with its reason, sorted by name.

    Raises:
        ModelError: not an ELF file.
    """
    found = {name: reason for name in linked_names(elf) if (reason := _reason(name, real))}
    return dict(sorted(found.items()))


def forbidden(elf: Path, real: Precision) -> tuple[str, ...]:
    """The names of `findings`."""
    return tuple(findings(elf, real))


def linked_names(elf: Path) -> tuple[str, ...]:
    """What an object needs from elsewhere; all functions that a linked file holds or imports."""
    try:
        with elf.open("rb") as stream:
            file = ELFFile(stream)
            relocatable = file["e_type"] == "ET_REL"
            tables = [item for item in file.iter_sections() if isinstance(item, SymbolTableSection)]
            symbols = [symbol for table in tables for symbol in table.iter_symbols() if symbol.name]
    except ELFError as error:
        raise ModelError(f"{elf.name} is not an ELF file ({error}); give an object file or an executable") from error
    return tuple(
        sorted({symbol.name.split("@")[0] for symbol in symbols if _is_linked(symbol, relocatable=relocatable)})
    )


def _is_linked(symbol: Any, *, relocatable: bool) -> bool:
    undefined = symbol["st_shndx"] == "SHN_UNDEF"
    return undefined or (not relocatable and symbol["st_info"]["type"] == "STT_FUNC")


def _reason(name: str, real: Precision) -> str:
    for pattern, reason in _REASONS:
        if pattern.match(name):
            return reason
    if DOUBLE_HELPER.match(name):
        return DOUBLE_IN_FLOAT if real == "float32" else SOFT_FLOAT
    return SOFT_FLOAT if FLOAT_HELPER.match(name) else ""
