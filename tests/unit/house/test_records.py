"""Fast dataclasses behave like those of `dataclasses`, which are the oracle."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import pytest

from exporter.records import dataclass

Make = Callable[..., Any]
MAKERS = (dataclass, dataclasses.dataclass)
OPTIONS = ({}, {"frozen": True}, {"slots": True}, {"frozen": True, "slots": True})


@dataclass(frozen=True, slots=True)
class Kept:
    """A record that pickle finds by its name."""

    name: str
    size: int = 1


def part_of(make: Make, **options: bool) -> Any:
    """A class with all that fields may have."""

    @make(**options)
    class Part:
        """A part."""

        name: str
        size: "float"
        tags: list[str] = field(default_factory=list)
        note: str = field(default="", compare=False)
        seen: dict[str, int] = field(default_factory=dict, init=False, compare=False, repr=False)
        secret: int = field(default=3, hash=False, repr=False)

    return Part


@pytest.mark.parametrize("options", OPTIONS)
def test_records_are_made_compared_and_shown_alike(options: dict[str, bool]) -> None:
    """By place, by name, with defaults; other values; another class."""
    mine, theirs = (part_of(make, **options) for make in MAKERS)
    for given in ((("a", 1.0), {}), (("a",), {"size": 2.0, "tags": ["x"], "note": "n"}), (("a", 1.0, [], "", 7), {})):
        assert repr(mine(*given[0], **given[1])) == repr(theirs(*given[0], **given[1]))
        one, other = mine(*given[0], **given[1]), theirs(*given[0], **given[1])
        assert dataclasses.asdict(one) == dataclasses.asdict(other)
        assert replace(one, size=9.0) == mine(one.name, 9.0, one.tags, "other note", one.secret)
        assert replace(one, size=9.0) != one != other
    assert mine("a", 1.0).tags is not mine("a", 1.0).tags
    assert mine("a", float("nan")) != mine("a", float("nan"))
    assert [each.name for each in dataclasses.fields(mine)] == [each.name for each in dataclasses.fields(theirs)]
    assert mine.__match_args__ == theirs.__match_args__
    assert hasattr(mine("a", 1.0), "__dict__") == hasattr(theirs("a", 1.0), "__dict__")


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("given", [(), ("a",), ("a", 1, [], "", 3, 4)])
def test_wrong_arguments_are_refused_in_the_same_words(options: dict[str, bool], given: tuple[object, ...]) -> None:
    """What is missing, or too much."""
    told = []
    for make in MAKERS:
        with pytest.raises(TypeError) as refused:
            part_of(make, **options)(*given)
        told.append(str(refused.value))
    assert told[0] == told[1]


@pytest.mark.parametrize("options", OPTIONS)
def test_signatures_are_alike(options: dict[str, bool]) -> None:
    """Names, annotations and kinds of the parameters."""
    mine, theirs = (inspect.signature(part_of(make, **options)).parameters.values() for make in MAKERS)
    assert [(each.name, each.annotation, each.kind) for each in mine] == [
        (each.name, each.annotation, each.kind) for each in theirs
    ]


def test_frozen_records_refuse_changes_in_the_same_words() -> None:
    """To set, and to delete."""
    told = []
    for make in MAKERS:
        part = part_of(make, frozen=True)("a", 1.0)
        for change in (lambda part=part: setattr(part, "name", "b"), lambda part=part: delattr(part, "name")):
            with pytest.raises(dataclasses.FrozenInstanceError) as refused:
                change()
            told.append(str(refused.value))
        assert part.name == "a"
    assert told[:2] == told[2:]


def test_records_that_may_change_do() -> None:
    """And have no hash."""
    part = part_of(dataclass)("a", 1.0)
    part.size = 2.0
    assert part.size == 2.0
    with pytest.raises(TypeError, match="unhashable"):
        hash(part)


@pytest.mark.parametrize("make", MAKERS)
def test_hashes_leave_out_what_is_not_hashed(make: Make) -> None:
    """One field, several, none; what is not compared is not hashed either."""

    @make(frozen=True, slots=True)
    class One:
        name: str
        note: str = field(default="", compare=False)

    @make(frozen=True)
    class Nothing:
        pass

    assert hash(One("a", "x")) == hash(One("a")) == hash(("a",))
    assert hash(Nothing()) == hash(())
    assert Nothing() == Nothing()
    assert {One("a"): 1}[One("a", "y")] == 1


@pytest.mark.parametrize("make", MAKERS)
def test_methods_that_a_class_writes_itself_are_kept(make: Make) -> None:
    """Hash, text and what follows the making of a class; a property is found once."""

    @make(frozen=True)
    class Own:
        name: str

        def __post_init__(self) -> None:
            object.__setattr__(self, "name", self.name.upper())

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "own"

        @cached_property
        def double(self) -> str:
            return self.name * 2

    assert (hash(Own("a")), repr(Own("a")), Own("a").double, Own("a") == Own("A")) == (7, "own", "AA", True)


@pytest.mark.parametrize("make_base", MAKERS)
@pytest.mark.parametrize("make", MAKERS)
def test_records_inherit_fields(make_base: Make, make: Make) -> None:
    """The base comes first; base and heir are never equal, and one is frozen as the other."""

    @make_base(frozen=True, slots=True)
    class Base:
        name: str

    @make(frozen=True, slots=True)
    class Heir(Base):
        size: int = 2

    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):

        @make
        class Loose(Base):
            pass

    assert (Heir("a").name, Heir("a", 3).size) == ("a", 3)
    assert Heir("a") != Base("a")
    assert Heir("a") == Heir("a", 2)
    assert repr(Heir("a")).endswith("Heir(name='a', size=2)")


def test_records_are_copied_and_pickled() -> None:
    """Frozen ones with slots cannot be filled from outside."""
    kept = Kept("a", 5)
    assert copy.copy(kept) == copy.deepcopy(kept) == pickle.loads(pickle.dumps(kept)) == kept


def test_other_options_are_those_of_dataclasses() -> None:
    """An order, for one."""

    @dataclass(frozen=True, order=True)
    class Ranked:
        rank: int

    assert Ranked(1) < Ranked(2)


@pytest.mark.parametrize("make", MAKERS)
def test_rare_classes_are_those_of_dataclasses(make: Make) -> None:
    """A default that is no parameter, no hash though frozen, names that a maker may want for itself."""

    @make(slots=True)
    class Hidden:
        count: int = field(default=4, init=False)

    @make(frozen=True)
    class Unhashed:
        name: str
        __hash__ = None  # type: ignore[assignment]

    @make(frozen=True)
    class Taken:
        set_field: int
        MISSING: int = 2

    assert Hidden().count == 4
    with pytest.raises(TypeError, match="unhashable"):
        hash(Unhashed("a"))
    assert (Taken(1).set_field, Taken(1).MISSING) == (1, 2)
    with pytest.raises(TypeError, match="Cannot overwrite attribute __setattr__"):

        @make(frozen=True)
        class Open:
            def __setattr__(self, name: str, value: object) -> None:
                pass


def test_a_record_that_holds_itself_is_shown() -> None:
    """With dots in its place."""
    holder = part_of(dataclass)("a", 1.0)
    holder.tags.append(holder)
    assert "tags=[...]" in repr(holder)


def test_a_mutable_default_is_refused() -> None:
    """All records would share it."""
    with pytest.raises(ValueError, match="mutable default"):

        @dataclass
        class Shared:
            tags: list[str] = []  # noqa: RUF012
