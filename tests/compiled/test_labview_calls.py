"""The flat interface as a caller meets it: right values, and never a crash on what is null, too long or no number."""

import ctypes
import math
import threading
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from exporter.export import write_export
from targets.labview.interface import INSTANCES

pytestmark = pytest.mark.compiled

NULL_POINTER, WRONG_LENGTH, NO_INSTANCE, NO_SUCH_INDEX, POOL_FULL, ABORTED, FROZEN = range(-1, -8, -1)
ARG_REJECTED = 1 << 22
CRANK_M, ROD_M = 0.3, 0.4
CANARY = 1234.5
WIDTH = 5
"""Outputs of the sample's position: sine, cosine, slide, margin, pivot."""


class Library:
    """`<m>_lv_<name>(...)` with numbers and arrays as they come."""

    def __init__(self, loaded: ctypes.CDLL) -> None:
        self.loaded = loaded

    def __call__(self, name: str, *arguments: object) -> int:
        """Call a function; its result."""
        return int(getattr(self.loaded, f"slider_crank_lv_{name}")(*(passed(each) for each in arguments)))

    def words(self, result: int) -> str:
        """A result in words."""
        text = ctypes.create_string_buffer(200)
        assert self("status_text", result, text, 200) == 0
        return text.value.decode()

    def opened(self) -> int:
        """A fresh instance."""
        number = ctypes.c_int()
        assert self("open", number) == 0
        return number.value


def passed(argument: object) -> object:
    """Arrays and ctypes objects by reference, floats as double."""
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    if isinstance(argument, float):
        return ctypes.c_double(argument)
    if argument is None:
        return ctypes.c_void_p(None)
    if isinstance(argument, (ctypes.c_double, ctypes.c_int)):
        return ctypes.byref(argument)
    return argument


@pytest.fixture(scope="module")
def make(
    load_data_module: Callable[[str], ModuleType], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Library]:
    """The sample slider-crank as this computer's library: precision, and whether l1 is tunable."""
    case, samples = load_data_module("labview_case"), load_data_module("sample_program")
    made: dict[tuple[str, bool], Library] = {}

    def library(precision: str = "float64", *, tunable: bool = False) -> Library:
        if (precision, tunable) not in made:
            folder = tmp_path_factory.mktemp("library")
            program = samples.slider_crank_program(precision, tunable=tunable)
            export = write_export(program, folder / "export", {})
            made[precision, tunable] = Library(case.Case(export, program, folder).loaded())
        return made[precision, tunable]

    return library


@pytest.fixture(autouse=True)
def _compiler(require_tool: Callable[[str], str]) -> None:
    require_tool("x86_64-linux-gnu-gcc")


def position(library: Library, theta: float, instance: int = 0) -> tuple[int, list[float]]:
    """(result, outputs) of one call with a terminal for each output."""
    places = [ctypes.c_double(CANARY) for _ in range(WIDTH)]
    result = library("position", instance, theta, *places)
    return result, [each.value for each in places]


def slide_m(theta: float, crank_m: float = CRANK_M) -> float:
    """Closed form: the law of cosines."""
    return crank_m * math.cos(theta) + math.sqrt(ROD_M**2 - (crank_m * math.sin(theta)) ** 2)


def outputs_of(library: Library, function: str) -> list[str]:
    """Names of a function's outputs, as the library tells them."""
    name, unit = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
    taken, given = ctypes.c_int(), ctypes.c_int()
    index = 0
    while library("function", index, name, 64, taken, given) == 0 and name.value.decode() != function:
        index += 1
    found = []
    for number in range(given.value):
        assert library("signal", index, 1, number, name, 64, unit, 64) == 0
        found.append(f"{name.value.decode()} ({unit.value.decode()})")
    return found


@pytest.mark.parametrize(("precision", "limit_m"), [("float64", 1e-15), ("float32", 4e-7)])
def test_a_call_with_terminals_gives_the_law_of_cosines(make, precision, limit_m):
    """Double at the border, whatever is inside."""
    library = make(precision)
    names = outputs_of(library, "position")
    for theta in (-2.5, 0.0, 0.75, 3.0):
        result, outputs = position(library, theta)
        assert result == 0
        assert abs(outputs[names.index("s (m)")] - slide_m(theta)) <= limit_m


def test_rows_are_the_single_calls_one_after_the_other(make):
    library = make()
    theta = np.linspace(-3, 3, 50)
    out, status = np.full((51, WIDTH), CANARY), np.full(51, 99, np.int32)
    assert library("position_rows", 0, theta, 50, out, 50 * WIDTH, status, 50) == 0
    for row, angle in enumerate(theta.tolist()):
        assert position(library, angle) == (0, out[row].tolist())
    assert out[50].tolist() == [CANARY] * WIDTH
    assert status.tolist() == [0] * 50 + [99]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 1e300, -1e5])
def test_what_is_no_number_or_out_of_range_is_reported_and_outputs_stay_finite(make, value):
    for precision in ("float64", "float32"):
        library = make(precision)
        result, outputs = position(library, value)
        assert result == ARG_REJECTED
        assert library.words(result) == "ARG_REJECTED"
        assert np.isfinite(outputs).all()


@pytest.mark.parametrize("missing", range(WIDTH))
def test_a_null_pointer_is_refused_and_nothing_is_written(make, missing):
    places: list[ctypes.c_double | None] = [ctypes.c_double(CANARY) for _ in range(WIDTH)]
    places[missing] = None
    assert make()("position", 0, 0.5, *places) == NULL_POINTER
    assert {each.value for each in places if each is not None} == {CANARY}


@pytest.mark.parametrize("missing", [1, 3, 5])
def test_a_null_array_is_refused(make, missing):
    arguments: list[object] = [0, np.zeros(2), 2, np.zeros(10), 10, np.zeros(2, np.int32), 2]
    arguments[missing] = None
    assert make()("position_rows", *arguments) == NULL_POINTER


@pytest.mark.parametrize(
    "lengths",
    [(1, 10, 2), (3, 10, 2), (2, 9, 2), (2, 11, 2), (-2, -10, -2), (0, 0, 2), (2, 10, 2**31 - 1), (2, 10, -(2**31))],
)
def test_a_wrong_length_is_refused_and_nothing_is_written(make, lengths):
    """T09: an array that is too short is not written beyond its end, nor at all."""
    out, status = np.full(10, CANARY), np.full(2, 99, np.int32)
    taken, given, rows = lengths
    assert make()("position_rows", 0, np.zeros(2), taken, out, given, status, rows) == WRONG_LENGTH
    assert set(out.tolist()) == {CANARY}
    assert status.tolist() == [99, 99]


def test_no_rows_are_no_error_even_where_labview_passes_null(make):
    assert make()("position_rows", 0, None, 0, None, 0, None, 0) == 0


@pytest.mark.parametrize("number", [-1, INSTANCES + 1, 0x1A2B3C4D, -(2**31), 2**31 - 1, INSTANCES])
def test_a_number_that_is_no_open_instance_is_refused(make, number):
    """T10: a pointer that was cut to 32 bits is no instance and is never followed."""
    library = make()
    assert position(library, 0.5, number) == (NO_INSTANCE, [CANARY] * WIDTH)
    assert library("close", number) == NO_INSTANCE
    assert library("set_state", number, np.zeros(2), 2) == NO_INSTANCE
    assert library("set_parameter", number, 0, 1.0) == NO_INSTANCE
    assert library("get_parameter", number, 0, ctypes.c_double()) == NO_INSTANCE


def test_a_state_needs_an_instance_of_its_own(make):
    """Number 0 is everybody's."""
    library = make()
    places = [ctypes.c_double(CANARY) for _ in outputs_of(library, "dostep")]
    assert library("dostep", 0, 1.0, *places) == NO_INSTANCE
    assert library.words(NO_INSTANCE) == "no open instance of this number"


def test_a_closed_instance_is_refused(make):
    library = make()
    number = library.opened()
    assert position(library, 0.5, number)[0] == 0
    assert library("close", number) == 0
    assert position(library, 0.5, number)[0] == NO_INSTANCE
    assert library("close", number) == NO_INSTANCE


def test_the_pool_ends_with_an_error_and_is_whole_again_after_closing(make):
    library = make()
    numbers = [library.opened() for _ in range(INSTANCES)]
    assert sorted(numbers) == list(range(1, INSTANCES + 1))
    one_more = ctypes.c_int(77)
    assert library("open", one_more) == POOL_FULL
    assert one_more.value == 0
    assert [library("close", number) for number in numbers] == [0] * INSTANCES
    assert library("open", None) == NULL_POINTER


def test_instances_taken_by_many_threads_at_once_are_all_different(make):
    """Eight threads, each opening and closing; no number is held twice at any time."""
    library, held, wrong = make(), set(), []
    guard = threading.Lock()

    def work() -> None:
        for _ in range(300):
            number = library.opened()
            with guard:
                wrong.extend([number] if number in held else [])
                held.add(number)
            with guard:
                held.discard(number)
            library("close", number)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


def test_callbacks_open_and_close_the_instance_of_a_node(make):
    """As LabVIEW does: reserve, run, unreserve, with eight bytes of instance data that begin as zero."""
    library, slot, number = make(), ctypes.c_int64(0), ctypes.c_int(77)
    place = ctypes.byref(slot)
    assert library("own", place, number) == NO_INSTANCE
    assert number.value == 0
    assert library("reserve", place) == 0
    assert library("own", place, number) == 0
    assert position(library, 0.5, number.value)[0] == 0
    assert library("unreserve", place) == 0
    assert slot.value == 0
    assert position(library, 0.5, number.value)[0] == NO_INSTANCE
    assert library("unreserve", place) == NO_INSTANCE
    assert [library(name, None) for name in ("reserve", "unreserve", "abort")] == [NULL_POINTER] * 3


def test_abort_stops_rows_and_a_new_reservation_starts_afresh(make):
    library, slot = make(), ctypes.c_int(0)
    assert library("reserve", slot) == 0
    arguments = [slot.value, np.zeros(2), 2, np.full(10, CANARY), 10, np.zeros(2, np.int32), 2]
    assert library("position_rows", *arguments) == 0
    assert library("abort", slot) == 0
    assert library("position_rows", *arguments) == ABORTED
    assert library("unreserve", slot) == 0
    assert library("reserve", slot) == 0
    assert library("position_rows", *arguments) == 0
    assert library("unreserve", slot) == 0
    assert library("abort", slot) == NO_INSTANCE


def test_a_step_begins_where_the_one_before_ended(make):
    """Rows of steps, against the state read and set by hand: the same bits."""
    library = make()
    force = np.linspace(-50, 50, 20)
    width = len(outputs_of(library, "dostep"))
    out, status = np.zeros((20, width)), np.zeros(20, np.int32)
    together, alone = library.opened(), library.opened()
    assert library("dostep_rows", together, force, 20, out, 20 * width, status, 20) == 0
    state = np.zeros(2)
    for row in range(20):
        assert library("get_state", alone, state, 2) == 0
        again = library.opened()
        assert library("set_state", again, state, 2) == 0
        places = [ctypes.c_double() for _ in range(width)]
        assert library("dostep", again, float(force[row]), *places) == 0
        assert [each.value for each in places] == out[row].tolist()
        assert library("set_state", alone, np.array([each.value for each in places[:2]]), 2) == 0
        library("close", again)
    library("close", together), library("close", alone)
    assert library("get_state", together, state, 2) == NO_INSTANCE


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_changed_parameter_changes_the_lengths_of_one_instance_only(make, precision):
    library = make(precision, tunable=True)
    limit = 1e-15 if precision == "float64" else 4e-7
    column = outputs_of(library, "position").index("s (m)")
    number, value = library.opened(), ctypes.c_double()
    assert library("set_parameter", number, 0, 0.2) == 0
    assert library("get_parameter", number, 0, value) == 0
    assert value.value == np.dtype(precision).type(0.2)
    assert abs(position(library, 0.75, number)[1][column] - slide_m(0.75, 0.2)) <= limit
    assert abs(position(library, 0.75)[1][column] - slide_m(0.75)) <= limit
    assert library("set_parameters", number, np.array([0.25]), 1) == 0
    assert abs(position(library, 0.75, number)[1][column] - slide_m(0.75, 0.25)) <= limit
    assert library("close", number) == 0


@pytest.mark.parametrize("value", [5.0, -1.0, float("nan"), float("inf")])
def test_a_parameter_out_of_range_is_reported_and_not_taken(make, value):
    library = make(tunable=True)
    number, held = library.opened(), ctypes.c_double()
    assert library("set_parameter", number, 0, value) & ARG_REJECTED
    assert library("get_parameter", number, 0, held) == 0
    assert held.value == CRANK_M
    assert position(library, 0.75, number) == position(library, 0.75)
    assert library("close", number) == 0


def test_frozen_parameters_can_be_read_and_not_changed(make):
    library, value = make(), ctypes.c_double()
    number = library.opened()
    assert library("get_parameter", 0, 0, value) == 0
    assert value.value == CRANK_M
    assert library("set_parameter", number, 0, 0.2) == FROZEN
    assert library("set_parameter", number, 1000, 0.2) == NO_SUCH_INDEX
    assert library("get_parameter", 0, -1, value) == NO_SUCH_INDEX
    library("close", number)


def test_the_library_says_what_it_is(make):
    """Names, units and ranges by index, ending with an error and not with rubbish."""
    library = make(tunable=True)
    counts = [ctypes.c_int() for _ in range(4)]
    assert library("counts", *counts) == 0
    functions, parameters, states, instances = (each.value for each in counts)
    assert (states, instances) == (2, INSTANCES)
    name, unit, tunable = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64), ctypes.c_int()
    reals = [ctypes.c_double() for _ in range(3)]
    assert library("parameter", 0, name, 64, unit, 64, *reals, tunable) == 0
    assert (name.value, unit.value, tunable.value) == (b"l1", b"m", 1)
    assert [each.value for each in reals] == [0.3, 0.1, 0.39]
    assert library("parameter", parameters, name, 64, unit, 64, *reals, tunable) == NO_SUCH_INDEX
    assert library("function", functions, name, 64, tunable, tunable) == NO_SUCH_INDEX
    assert library("signal", 0, 2, 0, name, 64, unit, 64) == NO_SUCH_INDEX
    assert library("signal", 0, 0, -1, name, 64, unit, 64) == NO_SUCH_INDEX


@pytest.mark.parametrize("room", [0, -5, 1, 3, 6])
def test_a_text_is_never_written_beyond_its_room(make, room):
    """Cut, ended by zero, and reported."""
    text = ctypes.create_string_buffer(b"\xee" * 32, 32)
    assert make()("version", text, room) == WRONG_LENGTH
    assert text.raw[max(room, 0) :] == b"\xee" * (32 - max(room, 0))
    if room > 0:
        assert text.raw[:room] == b"slider_crank"[: room - 1] + b"\0"
    assert make()("version", None, 10) == NULL_POINTER


@pytest.mark.parametrize("code", [-8, -(2**31), 2**31 - 1, 0, -1])
def test_every_result_has_words_or_is_refused(make, code):
    text = ctypes.create_string_buffer(200)
    assert make()("status_text", code, text, 200) == (NO_SUCH_INDEX if code < -7 else 0)
    assert make()("status_text", code, None, 200) == (NO_SUCH_INDEX if code < -7 else NULL_POINTER)
