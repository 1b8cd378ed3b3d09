"""C names: legal, injective, within the limits of C99."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporter.c99.names import Names, checked_prefix, external_name, unit_suffix
from exporter.errors import ModelError

AWKWARD = [
    "lambda", "int", "I", "E", "double", "x0", "x1", "_t0", "tmp0", "t0", "f4", "theta", "Theta", "THETA", "a_b",
    "a.b", "a__b", "_a_b", "a_b_", "a_b_2", "class", "in", "out", "count", "λ", "φ.rate", "2nd", "_", "a b", "a-b",
]  # fmt: skip


def test_every_awkward_name_becomes_an_identifier_that_no_compiler_claims() -> None:
    """C99 6.4.2: letters, digits, underscores; a leading or a double underscore belongs to the implementation."""
    names = Names()
    for name in AWKWARD:
        assert re.fullmatch(r"[A-Za-z](_?[A-Za-z0-9])*", names.of(name)), name
    keywords = {"int", "double", "class", "I", "in", "out"}
    assert not keywords & {names.of(name) for name in AWKWARD}


def test_no_two_awkward_names_share_an_identifier_even_in_upper_case() -> None:
    """Index enums are in upper case, so names that differ only in case must part."""
    names = Names()
    assert len({names.of(name).upper() for name in AWKWARD}) == len(AWKWARD)


@given(st.lists(st.text(min_size=1, max_size=12), unique=True, max_size=12), st.sampled_from(["1", "rad", "m/s"]))
def test_naming_is_injective_for_any_text(words: list[str], unit: str) -> None:
    """Whatever two names a user writes, their C names differ."""
    names = Names(("count",))
    assert len({names.of(word, unit).upper() for word in words} - {"COUNT"}) == len(words)


def test_the_same_name_and_unit_has_the_same_identifier_everywhere() -> None:
    """A signal that appears in two structs has one name."""
    names = Names()
    assert names.of("theta", "rad") == names.of("theta", "rad") == "theta_rad"


def test_the_table_lists_every_name_that_was_asked_for() -> None:
    """The manifest's mangling can be read backwards."""
    names = Names()
    names.of("lambda")
    names.of("x", "m")
    names.of("x", "rad")
    assert names.table() == {"lambda": "lambda", "x [m]": "x_m", "x [rad]": "x_rad"}


@pytest.mark.parametrize(
    ("unit", "suffix"),
    [("rad", "rad"), ("rad/s", "rad_s"), ("rad/s^2", "rad_s2"), ("N*m", "Nm"), ("kg*m^2", "kgm2"), ("1", ""),
     ("1/s", "per_s"), ("N", "N")],
)  # fmt: skip
def test_a_unit_becomes_a_suffix(unit: str, suffix: str) -> None:
    """The suffix says the unit."""
    assert unit_suffix(unit) == suffix


def test_a_prefix_of_18_characters_is_the_longest() -> None:
    """What follows takes up to 13 of the 31 characters that C99 guarantees."""
    assert checked_prefix("a" * 18) == "a" * 18
    with pytest.raises(ModelError, match=r"19 characters and a C prefix at most 18.*shorter name"):
        checked_prefix("a" * 19)


@pytest.mark.parametrize("name", ["", "9lives", "slider-crank", "_hidden", "a__b", "a_", "int", "ünder"])
def test_a_prefix_that_is_no_identifier_is_refused(name: str) -> None:
    """Nothing is mangled in what every external name starts with."""
    with pytest.raises(ModelError, match="cannot be the prefix"):
        checked_prefix(name)


def test_an_external_name_beyond_31_characters_is_refused() -> None:
    """C99 5.2.4.1."""
    assert external_name("a" * 18, "b" * 12) == "a" * 18 + "_" + "b" * 12
    with pytest.raises(ModelError, match=r"has 32 characters and C99 guarantees 31"):
        external_name("a" * 18, "b" * 13)
