"""Headings over the statements of a function: every statement stands under its step's, or names it."""

from exporter.c99.headings import headings
from exporter.sequence.operations import Kind, Operation, Step

A, B, C = Step("A", "first"), Step("B", "second"), Step("C", "third")


def told(*steps: Step | None) -> tuple[dict[int, str], dict[int, str]]:
    """Headings and tags by the place of the operation."""
    operations = [Operation(Kind.ABS, (0,), None, step) for step in steps]
    heads, tags = headings(operations, range(len(operations)))
    return {k: str(step) for k, step in heads.items()}, {k: step.equation for k, step in tags.items()}


def test_each_step_has_a_heading_at_its_first_operation() -> None:
    """One, and no tag."""
    assert told(A, A, B, C, C) == ({0: "A: first", 2: "B: second", 3: "C: third"}, {})


def test_few_operations_amid_another_step_are_tagged() -> None:
    """The heading goes on behind them."""
    assert told(A, B, B, A, C, C, C, C) == ({0: "A: first", 4: "C: third"}, {1: "B", 2: "B"})


def test_many_operations_amid_another_step_have_a_heading() -> None:
    """So has what follows them, which is the first one's again."""
    assert told(A, B, B, B, B, B, A) == ({0: "A: first", 1: "B: second", 6: "A: first"}, {})


def test_few_operations_between_two_steps_have_a_heading() -> None:
    """They belong to neither."""
    assert told(A, B, C) == ({0: "A: first", 1: "B: second", 2: "C: third"}, {})


def test_tags_stay_where_runs_are_joined_twice() -> None:
    """A step that others break into again and again has one heading."""
    assert told(A, B, A, C, A, B, A) == ({0: "A: first"}, {1: "B", 3: "C", 5: "B"})


def test_few_operations_of_two_steps_are_tagged_together() -> None:
    """Each with its own."""
    assert told(A, B, C, C, A) == ({0: "A: first"}, {1: "B", 2: "C", 3: "C"})


def test_a_function_without_steps_has_no_heading() -> None:
    """There is nothing to tell."""
    assert told(None, None) == ({}, {})


def test_what_belongs_to_no_step_is_not_left_under_anothers_heading() -> None:
    """It says so."""
    assert told(A, None) == ({0: "A: first", 1: "what belongs to no step"}, {})
