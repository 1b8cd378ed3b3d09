"""The Robot Framework library: its names, its arguments, and what it does where there is no clock."""

import json
from pathlib import Path

import pytest
from robot.api import SkipExecution, TypeInfo

from exporter.errors import KinefixError
from hil.duration import Duration
from hil.errors import BenchError
from hil.keywords import Keywords

ROOT = Path(__file__).resolve().parents[3]
PROMISED = {
    "Open Bench", "Close Bench", "Firmware Should Match Model", "Load Test Vectors", "Generate Random Vectors",
    "Run Test Vectors", "Outputs Should Match Reference", "Outputs Should Be Bit Identical", "Measure Cycle Time",
    "Worst Cycle Time Should Be Below", "Cycle Count Should Not Depend On Inputs", "Operation Count Should Be",
    "Run In Real Time", "No Deadline Should Be Missed", "Start Jitter Should Be Below", "Save Deadline Report",
    "Number Should Be Close To", "Set Parameter", "Reset Parameters", "Set Input", "Set Invalid Input", "Set State",
    "Reset Inputs", "Step", "Run For", "Reset Ecu", "Read Output", "Output Should Be", "Output Should Stay Within",
    "Status Should Be", "Load Vectors From Csv", "Save Results To Csv", "Reference Checks Should Pass",
    "Step Under Faults", "No Wrong Result Should Be Accepted", "Send CAN Message", "Commit CAN Step",
    "Expect CAN Message", "Read CAN Signal", "CAN Signal Should Be",
}  # fmt: skip
SOFTWARE = """
schema = 1
[bench]
name = "software"
target = "software"
export = "export"
function = "dostep"
[target.software]
kind = "sil"
[timing]
period = "1 ms"
"""


def test_the_library_has_the_promised_keywords() -> None:
    """As a test engineer says them, each with a sentence of documentation and typed arguments."""
    library = Keywords()
    found = {getattr(library, name).robot_name: getattr(library, name) for name in library.get_keyword_names()}
    assert set(found) == PROMISED
    assert all(method.__doc__ for method in found.values())


def test_the_pages_of_the_keywords_have_all_of_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """For readers and for editors, the library and its resource file, each keyword with its words."""
    monkeypatch.syspath_prepend(str(ROOT / "ci"))
    import keyword_pages

    pages = {page.name: page.read_text(encoding="utf-8") for page in keyword_pages.write_pages(tmp_path)}
    assert all(name in pages["kinefix-keywords.html"] for name in PROMISED)
    for name, least in (("kinefix-keywords.json", PROMISED), ("kinefix-resource.json", {"Open The Bench"})):
        keywords = json.loads(pages[name])["keywords"]
        assert {each["name"] for each in keywords} >= least
        assert all(each["doc"] for each in keywords)
    types = {each["name"] for each in json.loads(pages["kinefix-keywords.json"])["typedocs"]}
    assert {"Duration", "Measure", "Span"} <= types


def test_durations_are_converted_by_a_type_of_their_own() -> None:
    """400 us is not 0.0 s, and zero is refused before a keyword runs."""
    info = TypeInfo.from_type_hint(Duration)
    converters = Keywords.ROBOT_LIBRARY_CONVERTERS
    converted = info.convert("400 us", custom_converters=converters)
    assert float(converted.seconds(1) * 1_000_000) == 400.0
    with pytest.raises(ValueError, match="is zero"):
        info.convert("0 us", custom_converters=converters)


def test_keywords_out_of_order_say_what_to_call_first() -> None:
    """Each points to the keyword that is missing."""
    library = Keywords()
    for call, words in (
        (library.run_test_vectors, "call Generate Random Vectors or Load Test Vectors|call Open Bench first"),
        (library.no_deadline_should_be_missed, "call Run In Real Time first"),
        (library.outputs_should_be_bit_identical, "call Step, Run For or Run Test Vectors first"),
        (library.firmware_should_match_model, "call Open Bench first"),
    ):
        with pytest.raises(BenchError, match=words):
            call()


@pytest.mark.parametrize(
    ("actual", "expected", "atol", "passes"),
    [
        (0.25, 0.2500000000001, 1e-9, True),
        (0.00000012, 0.00000049, 1e-9, False),
        (59.850000000000364, 59.85, 1e-9, True),
    ],
)
def test_numbers_are_compared_without_rounding(actual: float, expected: float, atol: float, passes: bool) -> None:
    """Robot's own keyword rounds both sides: the first fails there and the second passes."""
    library = Keywords()
    if passes:
        library.number_should_be_close_to(actual, expected, atol)
    else:
        with pytest.raises(AssertionError, match="the limit is"):
            library.number_should_be_close_to(actual, expected, atol)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_nothing_is_close_to_nan_or_infinity(bad: float) -> None:
    """On either side, and not to itself; an allowance without an end is refused, also where a product gives it."""
    library = Keywords()
    for actual, expected in ((1.0, bad), (bad, 1.0), (bad, bad)):
        with pytest.raises(AssertionError, match="nothing is close to it"):
            library.number_should_be_close_to(actual, expected, 1e300, 1e-3)
    for atol, rtol in ((bad, 0.0), (0.0, bad), (-1.0, 0.0), (0.0, -1.0)):
        with pytest.raises(KinefixError, match="finite and not negative"):
            library.number_should_be_close_to(-12.0, 7.0, atol, rtol)
    with pytest.raises(KinefixError, match="finite and not negative"):
        library.number_should_be_close_to(-12.0, 1e10, 0.0, 1e300)


@pytest.mark.compiled
def test_without_a_clock_tests_are_skipped_with_the_reason(load_data_module, require_tool, tmp_path: Path) -> None:
    """The software backend agrees bit for bit, counts operations, and skips whatever needs time."""
    from exporter.export import write_export

    require_tool("gcc")
    program = load_data_module("sample_program").slider_crank_program("float32")
    export = write_export(program, tmp_path / "export", {})
    (tmp_path / "bench.toml").write_text(SOFTWARE, encoding="utf-8")
    library = Keywords()
    library.open_bench(str(tmp_path / "bench.toml"))
    try:
        library.firmware_should_match_model()
        library.generate_random_vectors(60)
        library.run_test_vectors()
        library.outputs_should_be_bit_identical()
        cost = next(each.cost for each in export.manifest.functions if each.name == "dostep")
        library.operation_count_should_be(sum(cost.values()), sqrt=cost["sqrt"])
        with pytest.raises(AssertionError, match="1 operations were expected"):
            library.operation_count_should_be(1)
        with pytest.raises(BenchError, match="carries no model to evaluate"):
            library.outputs_should_match_reference()
        for timed in (library.measure_cycle_time, library.cycle_count_should_not_depend_on_inputs):
            with pytest.raises(SkipExecution, match="no measurement"):
                timed()
        with pytest.raises(SkipExecution, match="no measurement"):
            library.run_in_real_time(100)
    finally:
        library.close_bench()


@pytest.mark.compiled
def test_a_parameter_is_set_by_name_and_unit_and_stands_in_the_report(load_data_module, require_tool, tmp_path) -> None:
    """Device and computer agree at 200 mm, the report says so; out of range is refused and 200 mm stay in force."""
    from exporter.export import write_export

    require_tool("gcc")
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    write_export(program, tmp_path / "export", {})
    (tmp_path / "bench.toml").write_text(SOFTWARE, encoding="utf-8")
    library = Keywords()
    library.open_bench(str(tmp_path / "bench.toml"))
    try:
        library.generate_random_vectors(60, seed=7)
        library.run_test_vectors()
        state = library.run_test_vectors.__self__._state
        nominal = state.lockstep.outputs
        library.set_parameter("l1", "200 mm")
        library.run_test_vectors()
        library.outputs_should_be_bit_identical()
        assert state.lockstep.outputs.tobytes() != nominal.tobytes()
        assert state.lockstep.stimulus.tuned == "l1 = 0.2"
        for value, words in (("4 m", "recalibrate flags"), ("3 kg", "wanted is a length"), ("nan", "no|not start")):
            with pytest.raises(KinefixError, match=words):
                library.set_parameter("l1", value)
        library.run_test_vectors()
        library.outputs_should_be_bit_identical()
        page = Path(library.save_deadline_report(str(tmp_path / "report"))).read_text(encoding="utf-8")
        assert "60 vectors, seed 7" in page
        assert f"kinefix hil {tmp_path}/bench.toml --lockstep 60 --free-run 0 --seed 7 --parameter=l1=0.2" in page
        library.reset_parameters()
        library.run_test_vectors()
        assert state.lockstep.outputs.tobytes() == nominal.tobytes()
    finally:
        library.close_bench()
