"""What compilers say of exported C: strict warnings, C++, refusal of wrong options, the self-test, awkward names."""

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from exporter.c99 import program_files
from exporter.c99.flags import NUMERIC_FLAGS, STRICT_WARNINGS
from exporter.sequence.builder import Builder
from exporter.sequence.operations import Group, Precision, Signal
from exporter.sequence.program import FrozenParameter, Program

pytestmark = pytest.mark.compiled
Loader = Callable[[str], ModuleType]
Tool = Callable[[str], str]
M4F = ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")
KINDS = [(precision, tunable) for precision in ("float32", "float64") for tunable in (False, True)]


def write(program: Program, folder: Path) -> Path:
    """The files of a program in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in program_files(program).items():
        (folder / name).write_text(text)
    return folder


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command; what it prints is in the result."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def compiled(*command: str | Path) -> None:
    """Run a compiler; any word of it fails the test."""
    result = run(*command)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""


@pytest.mark.parametrize(("precision", "tunable"), KINDS)
@pytest.mark.parametrize(("compiler", "machine"), [("gcc", ()), ("arm-none-eabi-gcc", M4F)])
def test_every_file_compiles_without_a_warning(
    load_data_module: Loader, require_tool: Tool, tmp_path: Path, precision: Precision, tunable: bool, compiler: str,
    machine: tuple[str, ...],
) -> None:  # fmt: skip
    """All of -Wall -Wextra -Wpedantic -Wconversion and their relatives, as errors."""
    gcc = require_tool(compiler)
    write(load_data_module("sample_program").slider_crank_program(precision, tunable=tunable), tmp_path)
    for source in ("slider_crank.c", "slider_crank_selftest.c"):
        compiled(gcc, *machine, *NUMERIC_FLAGS, *STRICT_WARNINGS, "-c", tmp_path / source, "-o", tmp_path / "x.o")


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize(("compiler", "machine"), [("gcc", ()), ("arm-none-eabi-gcc", M4F)])
def test_every_kernel_compiles_without_a_warning(
    load_data_module: Loader, require_tool: Tool, tmp_path: Path, precision: Precision, compiler: str,
    machine: tuple[str, ...],
) -> None:  # fmt: skip
    """The bundled headers under the same flags, and in a self-test that passes where it can run."""
    gcc = require_tool(compiler)
    write(load_data_module("kernel_program").every_kernel(precision), tmp_path)
    for source in ("every_kernel.c", "every_kernel_selftest.c"):
        compiled(gcc, *machine, *NUMERIC_FLAGS, *STRICT_WARNINGS, "-c", tmp_path / source, "-o", tmp_path / "x.o")


def test_every_kernel_gives_the_value_of_its_function(
    load_data_module: Loader, require_tool: Tool, tmp_path: Path
) -> None:
    """Against libm at x = 0.75, y = -0.5."""
    gcc = require_tool("gcc")
    folder = write(load_data_module("kernel_program").every_kernel("float64"), tmp_path)
    (folder / "main.c").write_text(
        '#include "every_kernel.h"\n#include <math.h>\n#include <stdio.h>\nint main(void)\n{\n'
        "    every_kernel_angles_in_t in = { 0.75, -0.5 };\n    every_kernel_angles_out_t out;\n"
        "    (void)every_kernel_angles(&in, &out);\n"
        "    double error = fabs(out.sine - sin(0.75)) + fabs(out.cosine - cos(0.75));\n"
        "    error += fabs(out.angle - atan2(-0.5, 0.75)) + fabs(out.arcsine - asin(-0.5));\n"
        "    error += fabs(out.arccosine - acos(-0.5)) + fabs(out.exponential - exp(-0.5));\n"
        "    error += fabs(out.logarithm - log(1.5)) + fabs(out.tangent - tanh(-0.5)) + fabs(out.whole + 2);\n"
        "    error += fabs(out.power - pow(1.5, 0.75)) + fabs(out.rest - 2.25) + fabs(out.table - 1);\n"
        '    printf("%d\\n", error < 1e-15);\n'
        "    return every_kernel_selftest();\n}\n"
    )
    sources = [folder / name for name in ("main.c", "every_kernel.c", "every_kernel_selftest.c")]
    compiled(gcc, *NUMERIC_FLAGS, *sources, "-lm", "-o", folder / "main")
    result = run(folder / "main")
    assert (result.returncode, result.stdout) == (0, "1\n")


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize(("compiler", "language"), [("gcc", "c"), ("g++", "c++")])
def test_every_header_compiles_alone_in_c_and_in_cpp(
    load_data_module: Loader, require_tool: Tool, tmp_path: Path, precision: Precision, compiler: str, language: str
) -> None:
    """Each header brings what it needs."""
    tool = require_tool(compiler)
    write(load_data_module("sample_program").slider_crank_program(precision, tunable=True), tmp_path)
    standard = "-std=c99" if language == "c" else "-std=c++11"
    for header in sorted(tmp_path.glob("*.h")):
        (tmp_path / "alone.c").write_text(f'#include "{header.name}"\nextern int alone;\n')
        compiled(
            tool, "-x", language, standard, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror",
            "-c", tmp_path / "alone.c", "-o", tmp_path / "alone.o",
        )  # fmt: skip


def selftest(gcc: str, folder: Path, *flags: str) -> int:
    """What the self-test of the export in a folder returns."""
    (folder / "main.c").write_text('#include "slider_crank.h"\nint main(void) { return slider_crank_selftest(); }\n')
    sources = [folder / name for name in ("main.c", "slider_crank.c", "slider_crank_selftest.c")]
    compiled(gcc, *NUMERIC_FLAGS, *flags, *sources, "-lm", "-o", folder / "main")
    return run(folder / "main").returncode


@pytest.mark.parametrize(("precision", "tunable"), KINDS)
def test_the_self_test_passes_at_every_optimisation(
    load_data_module: Loader, require_tool: Tool, tmp_path: Path, precision: Precision, tunable: bool
) -> None:
    """The compiled vectors give the interpreter's bits."""
    gcc = require_tool("gcc")
    folder = write(load_data_module("sample_program").slider_crank_program(precision, tunable=tunable), tmp_path)
    assert [selftest(gcc, folder, level) for level in ("-O0", "-O1", "-O2", "-O3", "-Os")] == [0] * 5


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_the_self_test_tells_contraction(
    load_data_module: Loader, require_tool: Tool, tmp_path: Path, precision: Precision
) -> None:
    """Fused, 1.0000001 * 1.0000004 - 1.0000002 * 1.0000003 is -1.19209247e-07 in place of -1.1920929e-07: check 1."""
    gcc = require_tool("gcc")
    if " fma " not in Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor has no fused multiply-add")
    folder = write(load_data_module("sample_program").slider_crank_program(precision), tmp_path)
    assert selftest(gcc, folder, "-mfma", "-ffp-contract=fast") == 1


def test_the_self_test_names_a_wrong_function(load_data_module: Loader, require_tool: Tool, tmp_path: Path) -> None:
    """A sign error in one solve step of position is check 100, the first vector of the first function."""
    gcc = require_tool("gcc")
    folder = write(load_data_module("sample_program").slider_crank_program("float32"), tmp_path)
    source = folder / "slider_crank.c"
    text = source.read_text()
    wrong = re.sub(r"= (t\d+) \+ (t\d+);(?=(?:(?!\n\}).)*out->s_m)", r"= \1 - \2;", text, count=1, flags=re.DOTALL)
    assert wrong != text
    source.write_text(wrong)
    assert selftest(gcc, folder) == 100


@pytest.mark.parametrize(
    ("flags", "message"),
    [(("-ffast-math",), "compile without -ffast-math"), (("-mfpmath=387",), "every operation must be rounded")],
)
def test_wrong_options_stop_the_compiler(
    load_data_module: Loader, require_tool: Tool, tmp_path: Path, flags: tuple[str, ...], message: str
) -> None:
    """What would change the bits is an #error."""
    gcc = require_tool("gcc")
    folder = write(load_data_module("sample_program").slider_crank_program("float32"), tmp_path)
    result = run(gcc, *NUMERIC_FLAGS, *flags, "-c", folder / "slider_crank.c", "-o", folder / "x.o")
    assert result.returncode != 0
    assert message in result.stderr


def test_files_of_two_exports_do_not_compile_together(
    load_data_module: Loader, require_tool: Tool, tmp_path: Path
) -> None:
    """A source with another export's header is an #error, whatever the include path found."""
    gcc, sample = require_tool("gcc"), load_data_module("sample_program")
    write(sample.slider_crank_program("float32"), tmp_path)
    other = program_files(replace(sample.slider_crank_program("float32"), title="Another"))
    (tmp_path / "slider_crank.h").write_text(other["slider_crank.h"])
    for source in ("slider_crank.c", "slider_crank_selftest.c"):
        result = run(gcc, *NUMERIC_FLAGS, "-c", tmp_path / source, "-o", tmp_path / "x.o")
        assert "slider_crank.h belongs to another export" in result.stderr


def test_exports_of_both_precisions_link_into_one_program(
    load_data_module: Loader, require_tool: Tool, tmp_path: Path
) -> None:
    """In one folder, with one include path: kernels carry their precision in name and file."""
    gcc, sample = require_tool("gcc"), load_data_module("sample_program")
    for name, precision in (("single", "float32"), ("twice", "float64")):
        write(replace(sample.slider_crank_program(precision), name=name), tmp_path)
    (tmp_path / "main.c").write_text(
        '#include "single.h"\n#include "twice.h"\nint main(void) { return single_selftest() + twice_selftest(); }\n'
    )
    compiled(gcc, *NUMERIC_FLAGS, *STRICT_WARNINGS[:-1], *sorted(tmp_path.glob("*.c")), "-lm", "-o", tmp_path / "both")
    assert run(tmp_path / "both").returncode == 0


def test_structs_go_to_arrays_and_back(load_data_module: Loader, require_tool: Tool, tmp_path: Path) -> None:
    """The index enum names the place of each field; a struct equals its array."""
    gcc = require_tool("gcc")
    folder = write(load_data_module("sample_program").slider_crank_program("float64"), tmp_path)
    (folder / "main.c").write_text(
        '#include "slider_crank_arrays.h"\n#include <string.h>\n'
        "int main(void)\n{\n"
        "    const double given[SLIDER_CRANK_DYNAMICS_IN_COUNT] = { 1.0, 2.0, 3.0 };\n"
        "    double back[SLIDER_CRANK_DYNAMICS_IN_COUNT];\n"
        "    slider_crank_dynamics_in_t in;\n"
        "    slider_crank_dynamics_in_from_array(&in, given);\n"
        "    slider_crank_dynamics_in_to_array(&in, back);\n"
        "    return (in.F_N == 3.0) && (given[SLIDER_CRANK_DYNAMICS_IN_F_N] == 3.0)\n"
        "        && (memcmp(given, back, sizeof back) == 0) && (sizeof in == sizeof given) ? 0 : 1;\n}\n"
    )
    compiled(gcc, "-std=c99", "-Wall", "-Wextra", "-Werror", folder / "main.c", "-o", folder / "main")
    assert run(folder / "main").returncode == 0


AWKWARD = ("x0", "x1", "_t0", "tmp0", "int", "I", "E", "lambda", "double", "t3", "X0", "x_0", "x.0", "out", "count")


def awkward_program(precision: Precision) -> Program:
    """f = c x0^2 + c (x0^4 - x0^2), where every other awkward name is an input too, times zero."""
    builder = Builder("f", precision)
    limit = Fraction(100)
    values = {
        name: builder.input(Signal(name, "1", "", -limit, limit, Fraction(1), group=Group.INPUT))
        for name in ("c", *AWKWARD)
    }
    c, square = values["c"], builder.square(values["x0"])
    result = c * square + c * (builder.square(square) - square)
    for name in AWKWARD[1:]:
        result = result + (values[name] - values[name])
    builder.output(Signal("lambda", "1", group=Group.OUTPUT), result)
    frozen = (FrozenParameter("register", Fraction(1), "1"), FrozenParameter("COUNT", Fraction(2), "1"))
    return Program("awkward", "Awkward names", "test", precision, "0" * 64, (builder.finish(),), frozen=frozen)


def test_awkward_names_work_in_c_and_keep_their_values(require_tool: Tool, tmp_path: Path) -> None:
    """c = 1, x0 = 2 gives 16; c = 0.5, x0 = 1.5 gives 2.53125, where a temporary named x0 gave 256 (sympy#25043)."""
    gcc, gpp = require_tool("gcc"), require_tool("g++")
    folder = write(awkward_program("float64"), tmp_path)
    (folder / "main.c").write_text(
        '#include <complex.h>\n#include "awkward_arrays.h"\n#include <stdio.h>\n'
        "static double f(double c, double x0)\n{\n"
        "    double inputs[AWKWARD_F_IN_COUNT] = { c, x0 };\n"
        "    awkward_f_in_t in;\n    awkward_f_out_t out;\n"
        "    awkward_f_in_from_array(&in, inputs);\n    (void)awkward_f(&in, &out);\n    return out.lambda;\n}\n"
        'int main(void) { printf("%.17g %.17g\\n", f(1.0, 2.0), f(0.5, 1.5)); return awkward_selftest(); }\n'
    )
    sources = [folder / name for name in ("main.c", "awkward.c", "awkward_selftest.c")]
    compiled(gcc, *NUMERIC_FLAGS, *STRICT_WARNINGS, *sources, "-lm", "-o", folder / "main")
    result = run(folder / "main")
    assert (result.returncode, result.stdout) == (0, "16 2.53125\n")
    (folder / "alone.cpp").write_text('#include "awkward_arrays.h"\n')
    compiled(gpp, "-Wall", "-Wextra", "-Werror", "-c", folder / "alone.cpp", "-o", folder / "alone.o")


def test_a_float_export_links_no_double_arithmetic_on_a_cortex_m4f(
    load_data_module: Loader, require_tool: Tool, tmp_path: Path
) -> None:
    """Only the object's symbols tell: -Wdouble-promotion is silent where __aeabi_dmul is called."""
    gcc, nm = require_tool("arm-none-eabi-gcc"), require_tool("arm-none-eabi-nm")
    folder = write(load_data_module("sample_program").slider_crank_program("float32", tunable=True), tmp_path)
    compiled(gcc, *M4F, *NUMERIC_FLAGS, "-c", folder / "slider_crank.c", "-o", folder / "x.o")
    assert run(nm, "--undefined-only", folder / "x.o").stdout == ""


def test_a_chain_of_5000_steps_is_printed_and_compiled(require_tool: Tool, tmp_path: Path) -> None:
    """f <- sin(f) cos(f) + x from f = x = 0.3 tends to 0.799792808503297; statements are linear in the steps."""
    gcc = require_tool("gcc")
    builder = Builder("f", "float64")
    x = builder.input(Signal("x", "1", "", Fraction(0), Fraction(1), Fraction(3, 10)))
    value = x
    for _ in range(5000):
        sine, cosine = builder.sincos(value)
        value = sine * cosine + x
    builder.output(Signal("f", "1", group=Group.OUTPUT), value)
    program = Program("chain", "A chain", "test", "float64", "0" * 64, (builder.finish(),))
    folder = write(program, tmp_path)
    assert len((folder / "chain.c").read_text().splitlines()) < 5000 * 5 + 100
    (folder / "main.c").write_text(
        '#include "chain.h"\n#include <stdio.h>\nint main(void)\n{\n'
        "    chain_f_in_t in = { 0.3 };\n    chain_f_out_t out;\n"
        '    (void)chain_f(&in, &out);\n    printf("%.15g\\n", out.f);\n    return 0;\n}\n'
    )
    flags = [flag for flag in NUMERIC_FLAGS if not flag.startswith("-O")]
    compiled(gcc, *flags, "-O0", folder / "main.c", folder / "chain.c", "-lm", "-o", folder / "main")
    assert run(folder / "main").stdout == "0.799792808503297\n"
