"""Symbolic models through the C printer and a compiler: the bits of the interpreter, and no symbol of libm or double.

Oracles: the sequence interpreter (which knows no C), and the symbol tables of the object files.
"""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import sympy as sp

from exporter.export import write_export
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Precision, Signal
from exporter.sequence.status import BITS
from exporter.symbolic import SymbolicModel, load
from exporter.symbolic.canonical import canonical
from exporter.symbolic.program import program_of_symbolic, sequence_of_symbolic
from targets.python.host import HostLibrary, build_host

pytestmark = pytest.mark.compiled
ROOT = Path(__file__).resolve().parent.parent.parent
PRECISIONS: tuple[Precision, ...] = ("float32", "float64")
WITHOUT_PARAMETERS = (
    "reciprocal_powers",
    "awkward_names",
    "bearing",
    "versine",
    "arrays",
    "reflection",
    "nested_400",
    "conditional",
    "clips",
    "float_mix",
    "guarded_mix",
    "dense_4",
)


@pytest.fixture(scope="module")
def models(load_data_module: Callable[[str], ModuleType]) -> ModuleType:
    return load_data_module("symbolic_models")


@pytest.fixture(autouse=True)
def _compiler(require_tool: Callable[[str], str]) -> None:
    require_tool("gcc")


def built(model: SymbolicModel, precision: Precision, folder: Path) -> HostLibrary:
    export = write_export(program_of_symbolic(model, precision), folder / "export", canonical(model), "symbolic")
    return build_host(export, folder / "build")


def rows_for(inputs: tuple[Signal, ...], precision: Precision, count: int = 2000) -> np.ndarray:
    """Inside of the ranges, at their ends and at zero, and some that must be rejected."""
    random = np.random.default_rng(len(inputs))
    low = np.array([float(signal.minimum or 0) for signal in inputs])
    high = np.array([float(signal.maximum or 0) for signal in inputs])
    rows = low + (high - low) * random.uniform(0, 1, (count, len(inputs)))
    zero = np.zeros(len(inputs))
    special = np.stack([low, high, zero, -zero, high * 1.5 + 1, zero + np.nan, zero - np.inf])
    for row in range(0, count, 5):
        column = random.integers(len(inputs))
        rows[row, column] = special[random.integers(len(special)), column]
    return rows.astype(np.float32 if precision == "float32" else np.float64)


def bits(values: np.ndarray) -> np.ndarray:
    return values.view(np.uint32 if values.dtype == np.float32 else np.uint64)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", WITHOUT_PARAMETERS)
def test_compiled_model_has_the_bits_of_the_interpreter(
    models: ModuleType, name: str, precision: Precision, tmp_path: Path
) -> None:
    """2,000 rows, a fifth of them with a boundary, a zero or an invalid argument."""
    model = getattr(models, name)()
    function = program_of_symbolic(model, precision).functions[0]
    rows = rows_for(function.inputs, precision)
    expected = interpret(function, rows)
    called = built(model, precision, tmp_path).call("evaluate", rows)
    assert np.array_equal(bits(called.outputs), bits(expected.outputs))
    assert np.array_equal(called.status, expected.status)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_tunable_integer_parameter_reaches_the_function(
    models: ModuleType, precision: Precision, tmp_path: Path
) -> None:
    """N = 7 gives 1/2, -3/7, 7/2, 2; N = 10 through recalibrate gives -0.3, 5, 2.75; N = 7.5 is rejected."""
    library = built(models.gear_ratio(), precision, tmp_path)
    row = np.zeros((1, 1))
    nominal = library.call("evaluate", row)
    assert nominal.outputs[0, :4] == pytest.approx([0.5, -3 / 7, 3.5, 2.0], rel=3e-7)
    assert library.call("evaluate", row, {"N": 10.0}).outputs[0, :4] == pytest.approx([0.5, -0.3, 5, 2.75], rel=3e-7)
    assert library.call("evaluate", row, {"N": 7.5}).start_status == 1 << BITS["ARG_REJECTED"][0]


def test_quotients_are_printed_in_real_arithmetic(models: ModuleType, tmp_path: Path) -> None:
    """No literal of the generated functions is an integer beside a real operator."""
    folder = tmp_path / "export"
    write_export(
        program_of_symbolic(models.gear_ratio(), "float32"), folder, canonical(models.gear_ratio()), "symbolic"
    )
    text = (folder / "gears.c").read_text()
    right_sides = re.findall(r"const real t\d+ = (.*?);", text)
    literals = {literal for side in right_sides for literal in re.findall(r"(?<![\w.])\d[\w.]*", side)}
    assert {"3.0F", "0.5F"} <= literals
    assert all(re.fullmatch(r"\d+\.\d+(e\d+)?F", literal) for literal in literals)


def test_delta_on_the_host_is_the_delta_of_the_interpreter(tmp_path: Path) -> None:
    """The printer at, and 0.07 mm beyond, the edge of its reach: same bits, same flag."""
    model = load(f"{ROOT / 'examples' / 'linear_delta.py'}:model")
    rows = np.array([[0, 0, 0], [0.1343, 0.10445, 0], [0.1344, 0.10445, 0]])
    called = built(model, "float64", tmp_path).call("evaluate", rows)
    expected = interpret(sequence_of_symbolic(model, "float64"), rows)
    assert np.array_equal(bits(called.outputs), bits(expected.outputs))
    assert list(called.status) == [0, 0, 1 << BITS["OUT_OF_WORKSPACE"][0]]


def compiled_object(export: Path, stem: str, compiler: list[str], folder: Path) -> Path:
    target = folder / f"{stem}.o"
    flags = ["-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno", f"-I{export}"]
    subprocess.run([*compiler, *flags, "-c", str(export / f"{stem}.c"), "-o", str(target)], check=True)
    return target


def test_float_model_links_no_double_and_no_libm(
    models: ModuleType, require_tool: Callable[[str], str], tmp_path: Path
) -> None:
    """x^(3/2), x^2/3 and a sine on a Cortex-M4F: no __aeabi_d*, pow, sin or sqrt is undefined in the object."""
    compiler = require_tool("arm-none-eabi-gcc")
    model = models.float_mix()
    export = tmp_path / "export"
    write_export(program_of_symbolic(model, "float32"), export, canonical(model), "symbolic")
    machine = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]
    target = compiled_object(export, "float_mix", [compiler, *machine], tmp_path)
    listing = subprocess.run(
        [require_tool("arm-none-eabi-nm"), "--undefined-only", str(target)], capture_output=True, text=True, check=True
    )
    assert listing.stdout.split() == []


@pytest.mark.parametrize("depth", [20, 400, pytest.param(5000, marks=pytest.mark.slow)])
def test_frame_of_a_deep_chain_is_static_and_at_most_eight_bytes_a_step(
    models: ModuleType, require_tool: Callable[[str], str], tmp_path: Path, depth: int
) -> None:
    """gcc -O2 for a Cortex-M4F: -fstack-usage says "static"; 400 steps stay below 4 KiB.

    A frame holds one (sine, cosine) pair per kernel call, since gcc gives each its own place.
    """
    compiler = require_tool("arm-none-eabi-gcc")
    model = models.nested(depth)
    export = tmp_path / "export"
    write_export(program_of_symbolic(model, "float32"), export, canonical(model), "symbolic")
    machine = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-fstack-usage"]
    compiled_object(export, "nested", [compiler, *machine], tmp_path)
    lines = [line.split("\t") for line in (tmp_path / "nested.su").read_text().splitlines()]
    frames = [(int(size), kind) for where, size, kind in lines if where.endswith("nested_evaluate")]
    assert [kind for _, kind in frames] == ["static"]
    assert frames[0][0] <= 8 * depth + 128


def test_names_that_differ_only_in_assumptions_are_one_field(models: ModuleType, tmp_path: Path) -> None:
    """f = c x0^2 + c (x0^4 - x0^2) with c = 1, x0 = 2 and c = 0.5, x0 = 1.5, from C."""
    rows = np.zeros((2, len(models.AWKWARD)))
    position = {name: models.AWKWARD.index(name) for name in ("x0", "c")}
    rows[:, position["x0"]], rows[:, position["c"]] = (2.0, 1.5), (1.0, 0.5)
    library = built(models.awkward_names(), "float64", tmp_path)
    assert list(library.call("evaluate", rows).outputs[:, 0]) == [16.0, 2.53125]
    assert len(set(library.manifest.mangling.values())) == len(library.manifest.mangling)
    assert sp.Symbol("x0") != sp.Symbol("x0", real=True)
