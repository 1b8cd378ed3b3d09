"""Proofs over pieces of the ranges: values stay within their enclosures, and guards that cannot fire go."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from exporter.errors import NotProven
from exporter.functions.mechanism import functions_of
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence import in_pieces, pieces
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import checked_input, signed_pivot
from exporter.sequence.in_pieces import CUTS, analysis_in_pieces
from exporter.sequence.interpreter import interpret
from exporter.sequence.intervals import Intervals
from exporter.sequence.limiting import limit_where_needed
from exporter.sequence.operations import SORT_OF, Kind, OperationSequence, Output, Signal, Sort
from exporter.sequence.pieces import Pieces
from exporter.sequence.pipeline import Pass, finished

ROWS = 400
COMPARISONS = {Kind.LESS: np.less, Kind.LESS_EQUAL: np.less_equal}


def function_of(x_range: tuple[int, int], write: Callable[[Builder, Value], Value]) -> OperationSequence:
    """y = write(x), x checked for its range."""
    builder, (low, high) = Builder("f", "float64"), x_range
    x = checked_input(builder, Signal("x", "1", minimum=Fraction(low), maximum=Fraction(high), nominal=Fraction(low)))
    builder.output(Signal("y", "1"), write(builder, x))
    return builder.finish()


def mixed_rows(sequence: OperationSequence) -> np.ndarray:
    """Rows inside the ranges, at their ends, near zero, and some that are not accepted."""
    random = np.random.Generator(np.random.Philox(11))
    ends = [(float(each.minimum or 0), float(each.maximum or 0)) for each in sequence.inputs]
    low, high = (np.array(column) for column in zip(*ends, strict=True))
    rows = random.uniform(low, high, (ROWS, len(low)))
    rows[1::4] = np.where(random.uniform(size=rows[1::4].shape) < 0.5, low, high)
    rows[2::16] *= 1e-6
    rows[3::16, 0] = np.nan
    return rows


def escaping(sequence: OperationSequence, intervals: Intervals) -> list[int]:
    """Operations of which a value is outside its enclosure, or a comparison not what was decided."""
    reals = [k for k, op in enumerate(sequence.operations) if SORT_OF.get(op.kind, sequence.sort(k)) is Sort.REAL]
    outputs = tuple(Output(Signal(f"v{k}", "1"), k) for k in reals)
    found = interpret(replace(sequence, outputs=outputs), mixed_rows(sequence)).outputs.astype(np.float64)
    values = dict(zip(reals, found.T, strict=True))
    bounded = [k for k in reals if intervals.of(k).bounded]
    wrong = [k for k in bounded if not within(intervals, k, values[k])]
    for index, outcome in intervals.decided.items():
        operation = sequence.operations[index]
        if operation.kind in COMPARISONS:
            left, right = (values[operand] for operand in operation.operands)
            wrong += [index] if (COMPARISONS[operation.kind](left, right) != bool(outcome)).any() else []
    return wrong


def within(intervals: Intervals, index: int, values: np.ndarray) -> bool:
    known = intervals.of(index)
    inside = (known.low <= values) & (values <= known.high) & (np.abs(values) >= known.smallest)
    return bool(inside.all())


def written(name: str, function: str, precision: str) -> OperationSequence:
    mechanism = read_mechanism(model_path(name))
    form = solved_mechanism(mechanism)
    return functions_of(mechanism, form)[function](form, precision, contract=True)


CASES = [
    ("five_link", "position", "float32"),
    ("double_wishbone_front", "acceleration", "float64"),
    ("double_wishbone_front", "acceleration", "float32"),
    ("landing_gear", "dynamics", "float32"),
    ("parallel_robot", "dynamics", "float64"),
    ("excavator", "dostep", "float32"),
]


@pytest.mark.parametrize(("name", "function", "precision"), CASES)
def test_values_stay_within_their_enclosures(name: str, function: str, precision: str) -> None:
    """All operations of a function at 400 rows, ends of ranges and rejected inputs among them."""
    sequence = written(name, function, precision)
    assert analysis_in_pieces(sequence) is not None
    limited, intervals = limit_where_needed(sequence)
    assert escaping(limited, intervals) == []


@pytest.mark.parametrize("broken", ["mul", "cosine", "sqrt", "chosen"])
def test_an_enclosure_that_is_too_narrow_is_seen(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each operation gives bounds a hundredth too narrow; the landing gear's proof does not notice it."""
    true = getattr(pieces, broken)

    def narrower(*arguments: object) -> Pieces:
        found = true(*arguments)
        margin = (found.high - found.low) / 200
        return Pieces(found.low + margin, found.high - margin)

    monkeypatch.setattr(pieces, broken, narrower)
    monkeypatch.setattr(
        in_pieces, "_ARITHMETIC", {kind: getattr(pieces, way.__name__) for kind, way in in_pieces._ARITHMETIC.items()}
    )
    limited, intervals = limit_where_needed(written("landing_gear", "position", "float64"))
    assert escaping(limited, intervals)


@pytest.mark.parametrize("name", ["double_wishbone_front", "five_link"])
def test_positions_need_no_guards_but_those_of_their_inputs(name: str) -> None:
    """One box of the ranges leaves 16 and 42 comparisons open; `RESIDUAL_HIGH` of Newton's steps is one that stays."""
    sequence = finished(written(name, "position", "float64"))
    kinds = [operation.kind for operation in sequence.operations]
    checked = sum(kind is Kind.SELECT for kind in kinds)
    assert checked == len(sequence.inputs)
    assert sum(kind in COMPARISONS for kind in kinds) == checked + (name == "five_link")


def test_what_one_box_leaves_open_is_decided_in_pieces() -> None:
    """x (1 - x) is at most 1/4, where the box says 1: a pivot of 0.3 - x (1 - x) needs no guard, one of 0.2 does."""
    for offset, guarded in ((Fraction(3, 10), False), (Fraction(1, 5), True)):
        sequence = function_of(
            (0, 1), lambda b, x, offset=offset: 1 / signed_pivot(b, offset - x * (1 - x), Fraction(1, 10**6))
        )
        kept = [operation.kind for operation in finished(sequence, {Pass.PROOF}).operations]
        assert kept.count(Kind.SELECT) == 1 + guarded
        limited, intervals = limit_where_needed(sequence)
        assert escaping(limited, intervals) == []


def test_what_has_no_guard_is_proven_in_pieces_or_refused() -> None:
    """Denominators without a guard: one is proven to be above zero, and one that may be zero is refused."""
    finished(function_of((0, 1), lambda _, x: 1 / (Fraction(3, 10) - x * (1 - x))))
    with pytest.raises(NotProven, match="a denominator that may be zero"):
        finished(function_of((0, 1), lambda _, x: 1 / (Fraction(1, 5) - x * (1 - x))))


def test_limits_are_taken_where_no_piece_shows_that_they_are_idle() -> None:
    """1e152 / (0.3 - x (1 - x)) squared is finite in pieces, 1e153 is not everywhere; one box tells neither."""
    for scale, limits in ((10**152, 0), (10**153, 1)):

        def write(builder: Builder, x: Value, scale: int = scale) -> Value:
            large = scale / (Fraction(3, 10) - x * (1 - x))
            builder.may_limit(large, Fraction(10**154), "NEAR_SINGULAR", "")
            return large * large

        kept = [operation.kind for operation in finished(function_of((0, 1), write)).operations]
        assert kept.count(Kind.SELECT) == 1 + limits


def test_ranges_that_decide_nothing_are_not_cut() -> None:
    """A force is a factor; an angle and a denominator's input are cut, into so many pieces together."""
    builder, one = Builder("f", "float64"), Fraction(1)
    signals = [Signal(name, "1", minimum=-one, maximum=one, nominal=Fraction(0)) for name in ("force", "angle", "s")]
    force, angle, s = (checked_input(builder, signal) for signal in signals)
    builder.output(Signal("y", "1"), force * builder.sincos(angle)[0] / (2 + s))
    analysis = analysis_in_pieces(builder.finish())
    assert analysis is not None
    assert len(analysis.axes) == 2
    for index in range(len(analysis.sequence.operations)):
        analysis.enclose(index)
    assert {len(found.low) for found in analysis.pieces.values()} == {CUTS[2] ** 2}


def test_a_box_that_shows_more_than_pieces_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no piece can be shown to be finite, a division of the box is not refused, nor its guard dropped."""

    def no_bounds(*_: object) -> Pieces:
        return Pieces(np.array([-np.inf]), np.array([np.inf]))

    monkeypatch.setitem(in_pieces._ARITHMETIC, Kind.MUL, no_bounds)
    sequence = function_of((0, 1), lambda b, x: 1 / signed_pivot(b, Fraction(1, 5) - x * (1 - x), Fraction(1, 10**6)))
    kept = [operation.kind for operation in finished(sequence, {Pass.PROOF}).operations]
    assert kept.count(Kind.SELECT) == 2


def test_pieces_of_the_widest_range_have_ends_that_are_numbers() -> None:
    """The length of a range of both signs may overflow where its ends do not."""
    widest = Fraction(17, 10) * 10**308
    builder = Builder("f", "float64")
    x = checked_input(builder, Signal("x", "1", minimum=-widest, maximum=widest, nominal=Fraction(0)))
    builder.output(Signal("y", "1"), 1 / (2 + builder.abs(x)))
    analysis = analysis_in_pieces(builder.finish())
    assert analysis is not None
    analysis.whole()
    assert all(np.isfinite(found.low).all() for found in analysis.pieces.values())
