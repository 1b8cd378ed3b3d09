"""Gives every name of a model a C name, injectively.

In: signal and parameter names as the user wrote them, with their units. Out: identifiers that are legal in
C99, C++ and as macro suffixes, that no two names share even when case is ignored (index enums are upper case), and that
no compiler, keyword or usual header claims.
"""

import re
from collections.abc import Iterable

from exporter.errors import ModelError

PREFIX_LIMIT = 18
"""Longest prefix: what follows it in an external name takes up to 13 characters."""
EXTERNAL_LIMIT = 31
"""C99 guarantees so many significant characters of an external name (5.2.4.1)."""

C_KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    alignas alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual asm fortran
    """.split()  # noqa: SIM905 - reads better as words
)
CPP_KEYWORDS = frozenset(
    """and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl concept
    consteval constinit const_cast decltype delete dynamic_cast explicit export friend mutable namespace new noexcept
    not not_eq operator or or_eq private protected public reinterpret_cast requires static_cast template this throw
    try typeid typename using virtual wchar_t xor xor_eq""".split()  # noqa: SIM905 - reads better as words
)
HEADER_NAMES = frozenset(
    """i complex imaginary nan infinity huge_val errno null eof assert math_errno pi m_pi unix linux i386 near far huge
    small hyper interface in out error min max""".split()  # noqa: SIM905 - reads better as words
)
"""Macros of standard headers and of common tool chains, in lower case."""
RESERVED = C_KEYWORDS | CPP_KEYWORDS | HEADER_NAMES


def checked_prefix(name: str) -> str:
    """The prefix of every name of an export.

    Raises:
        ModelError: it is too long, or not an identifier.
    """
    if not re.fullmatch(r"[A-Za-z](_?[A-Za-z0-9])*", name) or name.lower() in RESERVED:
        raise ModelError(
            f"'{name}' cannot be the prefix of C names: give the model a name of letters, digits and single "
            "underscores that starts with a letter and is no keyword"
        )
    if len(name) > PREFIX_LIMIT:
        raise ModelError(
            f"'{name}' has {len(name)} characters and a C prefix at most {PREFIX_LIMIT} (external names of C99 have "
            f"{EXTERNAL_LIMIT}); give the model a shorter name"
        )
    return name


def external_name(prefix: str, name: str) -> str:
    """The name of an exported function.

    Raises:
        ModelError: it is too long for C99.
    """
    symbol = f"{prefix}_{name}"
    if len(symbol) > EXTERNAL_LIMIT:
        raise ModelError(
            f"function name '{symbol}' has {len(symbol)} characters and C99 guarantees {EXTERNAL_LIMIT}; shorten the "
            "model's or the function's name"
        )
    return symbol


def unit_suffix(unit: str) -> str:
    """What follows a name: rad_s2 for rad/s^2, Nm for N*m, per_s for 1/s, nothing for 1."""
    above, _, below = unit.replace("^", "").partition("/")
    above = "" if above.strip() == "1" else re.sub(r"[^A-Za-z0-9]", "", above)
    below = re.sub(r"[^A-Za-z0-9]", "", below)
    if not below:
        return above
    return f"{above}_{below}" if above else f"per_{below}"


def plain(name: str) -> str:
    """A name in letters, digits and single inner underscores: not yet unique."""
    spelled = re.sub(r"[^A-Za-z0-9_]", _spell_character, name.replace(".", "_"))
    plain_name = re.sub(r"_+", "_", spelled).rstrip("_")
    return plain_name if plain_name[:1].isalpha() else f"v_{plain_name.lstrip('_')}".rstrip("_")


def _spell_character(match: re.Match[str]) -> str:
    """A character that C does not have, by its code point; punctuation of ASCII as an underscore."""
    character = match.group()
    return "_" if character.isascii() else f"u{ord(character):04x}"


class Names:
    """The names of one scope. Asking twice for the same name and unit gives the same identifier."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = {name.upper() for name in reserved}
        self._names: dict[tuple[str, str], str] = {}

    def of(self, name: str, unit: str = "1") -> str:
        """The C name of a quantity, with its unit as a suffix."""
        known = self._names.get((name, unit))
        return known if known is not None else self._new(name, unit)

    def _new(self, name: str, unit: str) -> str:
        suffix = unit_suffix(unit)
        base, ending = plain(name), f"_{suffix}" if suffix else ""
        if f"{base}{ending}".lower() in RESERVED:
            base = f"{base}_v"
        candidate, number = f"{base}{ending}", 1
        while candidate.upper() in self._taken:
            number += 1
            candidate = f"{base}_{number}{ending}"
        self._taken.add(candidate.upper())
        self._names[name, unit] = candidate
        return candidate

    def table(self) -> dict[str, str]:
        """User's name -> C name; a name used with two units appears as "name [unit]"."""
        units: dict[str, list[str]] = {}
        for name, unit in self._names:
            units.setdefault(name, []).append(unit)
        return {
            (name if len(units[name]) == 1 else f"{name} [{unit}]"): c_name
            for (name, unit), c_name in self._names.items()
        }
