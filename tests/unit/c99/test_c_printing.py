"""The printed text: one operation a statement, in the order of the sequence, with steps, equations and costs."""

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from types import ModuleType

import pytest

from exporter.c99 import program_files
from exporter.c99.comments import comment_lines, comment_text
from exporter.c99.files import program_texts
from exporter.c99.flags import NUMERIC_FLAGS
from exporter.errors import ModelError
from exporter.sequence.builder import Builder
from exporter.sequence.operations import Group, OperationSequence, Precision, Signal
from exporter.sequence.program import Program

Loader = Callable[[str], ModuleType]


def signal(name: str, group: Group = Group.INPUT, unit: str = "1") -> Signal:
    """A signal with a range."""
    return Signal(name, unit, "", Fraction(-1), Fraction(1), Fraction(0), group=group)


def program(*functions: OperationSequence, name: str = "m", precision: Precision = "float32") -> Program:
    """A program of these functions."""
    return Program(name, "Title", "source.toml", precision, "0" * 64, functions)


def body(text: str, function: str) -> list[str]:
    """The statements of one function of a C file, without comments."""
    match = re.search(rf"{function}\([^;{{]*\)\n\{{\n(.*?)\n\}}", text, re.DOTALL)
    assert match is not None
    return [line.strip() for line in re.sub(r"/\*.*?\*/", "", match.group(1)).splitlines() if line.strip()]


def test_a_statement_holds_one_operation_in_the_order_that_was_written() -> None:
    """(a + b) + c and a + (b + c) are different programs and print as such."""
    texts = []
    for left in (True, False):
        builder = Builder("f", "float32")
        a, b, c = (builder.input(signal(name)) for name in "abc")
        builder.output(signal("sum", Group.OUTPUT), (a + b) + c if left else a + (b + c))
        texts.append(body(program_files(program(builder.finish()))["m.c"], "m_f"))
    assert texts[0][:2] == ["const real t3 = in->a + in->b;", "const real t4 = in->c + t3;"]
    assert texts[1][:2] == ["const real t3 = in->b + in->c;", "const real t4 = in->a + t3;"]


def test_an_unused_input_keeps_its_place_in_the_struct() -> None:
    """A formula that stops using an input changes no interface (compare sympy#13231)."""
    headers = []
    for used in (True, False):
        builder = Builder("f", "float64")
        a, b, c = (builder.input(signal(name)) for name in "abc")
        builder.output(signal("y", Group.OUTPUT), a * b + c if used else a + c)
        headers.append(program_files(program(builder.finish(), precision="float64"))["m.h"])
    interfaces = [re.sub(r"EXPORT_ID.*|One call costs.*", "", header) for header in headers]
    assert interfaces[0] == interfaces[1]
    assert re.search(r"m_real_t a;.*m_real_t b;.*m_real_t c;", headers[1], re.DOTALL)


def test_user_words_cannot_leave_a_comment() -> None:
    """Text of a model file is data: it neither ends a comment nor opens one."""
    builder = Builder("f", "float32")
    with builder.step("E1", "x */ int evil; /* from a // b ??/ é"):
        builder.output(signal("y", Group.OUTPUT), builder.input(signal("x")) + 1)
    text = program_files(program(builder.finish()))["m.c"]
    assert "E1: x * / int evil; / * from a / / b ? ?/ \\xe9" in text
    assert not re.search(r"^\s*int evil", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL), re.MULTILINE)


def test_a_long_comment_is_wrapped_at_120_columns() -> None:
    """Lines of the export are at most 120 wide."""
    lines = comment_lines("word " * 100)
    assert len(lines) > 4
    assert max(map(len, lines)) <= 120
    assert comment_text("two\nlines") == "two lines"


@pytest.mark.parametrize("tunable", [False, True])
def test_there_is_a_par_struct_exactly_where_a_parameter_is_tunable(load_data_module: Loader, tunable: bool) -> None:
    """With all parameters frozen there is no _par_t, no _derived_t, no recalibrate; check_frozen is always there."""
    header = program_files(load_data_module("sample_program").slider_crank_program("float32", tunable=tunable))[
        "slider_crank.h"
    ]
    for word in ("slider_crank_par_t", "slider_crank_derived_t", "slider_crank_recalibrate"):
        assert (word in header) is tunable
    assert "slider_crank_check_frozen(const slider_crank_frozen_t *frozen);" in header


def test_without_frozen_parameters_check_frozen_takes_nothing() -> None:
    """C99 has no empty struct."""
    builder = Builder("f", "float32")
    builder.output(signal("y", Group.OUTPUT), builder.input(signal("x")) + 1)
    assert "m_status_t m_check_frozen(void);" in program_files(program(builder.finish()))["m.h"]


def test_the_header_names_only_the_conditions_that_can_be_set(load_data_module: Loader) -> None:
    """A status constant that never occurs would promise a check that is not made."""
    header = program_files(load_data_module("sample_program").slider_crank_program("float32"))["slider_crank.h"]
    defined = re.findall(r"#define SLIDER_CRANK_([A-Z_]+) UINT32_C\(0x([0-9A-F]{8})\)", header)
    assert [(name, int(mask, 16)) for name, mask in defined if name != "EXPORT_ID"] == [
        ("OUT_OF_WORKSPACE", 1 << 16),
        ("NEAR_SINGULAR", 1 << 17),
        ("FROZEN_MISMATCH", 1 << 21),
        ("ARG_REJECTED", 1 << 22),
    ]


def test_fields_carry_their_unit_and_range(load_data_module: Loader) -> None:
    """A caller sees what a number means without the model."""
    header = program_files(load_data_module("sample_program").slider_crank_program("float64"))["slider_crank.h"]
    assert "slider_crank_real_t theta_rate_rad_s; /* crank rate, [-500, 500] */" in header
    assert re.search(r"F_N; +/\* force on the piston along \+x, \[-1000, 1000\] \*/", header)


def test_no_line_of_an_export_is_longer_than_120_columns(load_data_module: Loader) -> None:
    """The files are read by people."""
    sample = load_data_module("sample_program").slider_crank_program("float64", tunable=True)
    files = program_files(replace(sample, title="word " * 40, source="word " * 40, name="slider_crank_of_18"))
    too_long = [f"{name}: {line}" for name, text in files.items() for line in text.splitlines() if len(line) > 120]
    assert not too_long


def test_a_banner_has_at_most_six_lines(load_data_module: Loader) -> None:
    """Who made the file from what, and no licence text."""
    for text in program_files(
        load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    ).values():
        assert text.startswith("/* ")
        banner = text[: text.index("*/")]
        assert banner.count("\n") < 6
        assert "GENERATED by kinefix" in banner
        assert "Do not edit" in banner


def test_the_export_id_changes_with_the_content(load_data_module: Loader) -> None:
    """A bench tells firmware of another model by it."""
    sample = load_data_module("sample_program")
    programs = [
        sample.slider_crank_program(precision, tunable=tunable)
        for precision in ("float32", "float64")
        for tunable in (False, True)
    ]
    identities = [program_texts(each).export_id for each in programs]
    assert len(set(identities)) == 4
    assert identities == [program_texts(each).export_id for each in programs]


def test_a_function_that_reads_an_underived_parameter_is_refused() -> None:
    """Every division of parameters belongs in recalibrate."""
    builder = Builder("f", "float32")
    builder.output(signal("y", Group.OUTPUT), builder.input(signal("l", Group.PARAMETER)) + 1)
    with pytest.raises(ModelError, match="'f' reads 'l', which recalibrate does not derive"):
        program_files(program(builder.finish()))


def test_a_function_that_writes_part_of_the_state_is_refused() -> None:
    """What it leaves out would keep an old value unnoticed."""
    whole, part = Builder("startup", "float32"), Builder("dostep", "float32")
    for name in ("x", "v"):
        whole.output(signal(name, Group.STATE), 0)
    part.output(signal("x", Group.STATE), part.input(signal("x", Group.STATE)) + 1)
    with pytest.raises(ModelError, match="'dostep' writes the state without 'v'"):
        program_files(program(whole.finish(), part.finish()))


def test_the_flags_never_allow_reassociation_or_contraction() -> None:
    """One place for the numeric flags; -ffreestanding would turn sqrt into a call."""
    assert "-ffp-contract=off" in NUMERIC_FLAGS
    assert not {"-ffast-math", "-Ofast", "-ffreestanding", "-funsafe-math-optimizations"} & set(NUMERIC_FLAGS)
