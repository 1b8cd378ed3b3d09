"""The host library: what comes out of Python calls is what the mechanism does, row by row."""

import ctypes
import importlib.util
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from exporter.errors import CheckFailed, KinefixError
from exporter.export import Export, write_export
from targets.python.host import build_host

pytestmark = pytest.mark.compiled

CRANK_M, ROD_M = 0.3, 0.4


@pytest.fixture
def sample(
    load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str], tmp_path: Path
) -> Callable[..., Export]:
    """Writes the slider-crank: precision, and whether the crank length is tunable."""
    require_tool("gcc")

    def write(precision: str, *, tunable: bool = False) -> Export:
        program = load_data_module("sample_program").slider_crank_program(precision, tunable=tunable)
        return write_export(program, tmp_path / f"export_{precision}_{tunable}", {})

    return write


def slide_m(theta: np.ndarray, crank_m: float = CRANK_M) -> np.ndarray:
    """Piston position by the law of cosines, in closed form."""
    return crank_m * np.cos(theta) + np.sqrt(ROD_M**2 - (crank_m * np.sin(theta)) ** 2)


def load_module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"wrapper_{path.parent.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("precision", "limit_m"), [("float64", 1e-15), ("float32", 4e-7)])
def test_positions_of_a_batch_follow_the_law_of_cosines(sample, tmp_path, precision, limit_m):
    """10,000 rows at once; oracle: the closed form in float64."""
    theta = np.linspace(-3.0, 3.0, 10_000)
    called = build_host(sample(precision), tmp_path / "build").call("position", theta[:, None])
    assert called.outputs.dtype == np.dtype(precision)
    exact = slide_m(theta.astype(precision).astype(np.float64))
    assert np.max(np.abs(called.outputs[:, 2] - exact)) <= limit_m
    assert not called.status.any()


def test_a_row_does_not_depend_on_its_neighbours(sample, tmp_path):
    """The batch gives for every row what the exported function gives when it is called alone, by its own prototype."""
    export = sample("float64")
    library = build_host(export, tmp_path / "build")
    rows = np.random.default_rng(5).uniform(-2, 2, (50, 3))
    together = library.call("dostep", rows).outputs
    step = ctypes.CDLL(str(library.path.resolve())).slider_crank_dostep
    for row, expected in zip(rows, together, strict=True):
        state, force, out = (ctypes.c_double * 2)(*row[:2]), (ctypes.c_double * 1)(row[2]), (ctypes.c_double * 2)()
        assert step(state, force, out) == 0
        assert [*state, *out] == expected.tolist()


def test_a_changed_parameter_changes_the_lengths(sample, tmp_path):
    """l1 = 0.2 m instead of 0.3 m; oracle: the closed form with that length."""
    library = build_host(sample("float64", tunable=True), tmp_path / "build")
    theta = np.linspace(-3.0, 3.0, 100)
    called = library.call("position", theta[:, None], {"l1": 0.2})
    assert np.max(np.abs(called.outputs[:, 2] - slide_m(theta, 0.2))) <= 1e-15
    assert called.start_status == 0


def test_a_parameter_out_of_range_is_reported_by_the_start(sample, tmp_path):
    """recalibrate flags ARG_REJECTED, bit 22."""
    library = build_host(sample("float64", tunable=True), tmp_path / "build")
    assert library.call("position", np.zeros((1, 1)), {"l1": 7.0}).start_status == 1 << 22


def test_startup_has_rows_without_columns(sample, tmp_path):
    """The state at the design pose: 45 degrees at rest."""
    called = build_host(sample("float64"), tmp_path / "build").call("startup", np.empty((2, 0)))
    assert called.outputs.tolist() == [[np.pi / 4, 0.0]] * 2


def test_values_that_float32_cannot_hold_are_rejected_by_the_model(sample, tmp_path):
    """1e300, NaN and infinity reach the C code, which flags them and stays finite."""
    called = build_host(sample("float32"), tmp_path / "build").call(
        "position", np.array([[1e300], [np.nan], [-np.inf]])
    )
    assert called.status.tolist() == [1 << 22] * 3
    assert np.isfinite(called.outputs).all()


def test_a_library_with_a_sign_error_fails_its_selftest(sample, tmp_path):
    """One subtraction of the emitted C is turned into an addition; the build must not succeed."""
    export = sample("float64")
    source = export.folder / "slider_crank.c"
    text = source.read_text(encoding="utf-8")
    mutant = text.replace(" = 1.0 - ", " = 1.0 + ", 1)
    assert mutant != text
    source.write_text(mutant, encoding="utf-8")
    with pytest.raises(CheckFailed, match="slider_crank_selftest"):
        build_host(export, tmp_path / "build")


def test_c_that_does_not_compile_is_a_failed_check_with_the_compilers_words(sample, tmp_path):
    export = sample("float64")
    source = export.folder / "slider_crank.c"
    source.write_text(source.read_text(encoding="utf-8") + "\nint broken(;\n", encoding="utf-8")
    with pytest.raises(CheckFailed, match="broken"):
        build_host(export, tmp_path / "build")


def test_the_same_export_gives_the_same_bytes_in_another_folder(sample, tmp_path):
    export = sample("float32", tunable=True)
    build_host(export, tmp_path / "one")
    build_host(export, tmp_path / "deep" / "two")
    for name in ("libslider_crank.so", "slider_crank.py"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "deep" / "two" / name).read_bytes()


def test_a_wrong_number_of_columns_names_both_numbers(sample, tmp_path):
    library = build_host(sample("float64"), tmp_path / "build")
    with pytest.raises(KinefixError, match=r"takes rows of 3 reals; an array of shape \(5, 2\)"):
        library.call("dynamics", np.zeros((5, 2)))


def test_an_unknown_function_lists_those_that_exist(sample, tmp_path):
    library = build_host(sample("float64"), tmp_path / "build")
    with pytest.raises(KinefixError, match="no function 'speed'; it has position, dynamics, startup, dostep"):
        library.call("speed", np.zeros((1, 1)))


def test_the_wrapper_broadcasts_named_arrays(sample, tmp_path):
    """Module <m>.py without Kinefix: names in, names out, shape kept; oracle: the closed form."""
    build_host(sample("float64", tunable=True), tmp_path / "build")
    module = load_module(tmp_path / "build" / "slider_crank.py")
    theta = np.linspace(0, 1, 6).reshape(2, 3)
    result = module.position(theta, parameters={"l1": 0.2})
    assert result.s_m.shape == (2, 3)
    assert np.max(np.abs(result.s_m - slide_m(theta, 0.2))) <= 1e-15
    assert module.conditions(module.position(np.nan).status) == ["ARG_REJECTED"]


def test_the_wrapper_refuses_the_library_of_another_export(sample, tmp_path):
    build_host(sample("float64"), tmp_path / "one")
    build_host(sample("float32"), tmp_path / "other")
    (tmp_path / "mixed").mkdir()
    shutil.copy(tmp_path / "one" / "slider_crank.py", tmp_path / "mixed")
    shutil.copy(tmp_path / "other" / "libslider_crank.so", tmp_path / "mixed")
    with pytest.raises(ImportError, match="another export"):
        load_module(tmp_path / "mixed" / "slider_crank.py")
