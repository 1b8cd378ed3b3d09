"""Every fixed-time kernel is a single path on the cores that compute its precision, and is told apart by its name."""

import hashlib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from exporter.export import Export, write_export
from exporter.sequence import guards
from exporter.sequence.builder import Builder, Value
from exporter.sequence.operations import Group, OperationSequence, Precision, Role, Signal
from exporter.sequence.program import Program
from targets.audit.export import audit_export

pytestmark = pytest.mark.emulated

KERNELS = ("sincos", "atan2", "asin", "acos", "exp", "log", "tanh", "floor", "pow", "mod")


def signal(name: str) -> Signal:
    return Signal(name, "1", name, Fraction(-1), Fraction(1), Fraction(1, 2))


def outputs_of(builder: Builder, kernel: str, x: Value, y: Value) -> tuple[Value, ...]:
    if kernel == "sincos":
        return builder.sincos(x)
    if kernel == "atan2":
        return (builder.atan2(y, x),)
    if kernel in ("pow", "mod"):
        return (getattr(builder, kernel)(x + 2, y + 2),)
    return (getattr(builder, kernel)(x + 2 if kernel == "log" else x),)


def sequence_of(kernel: str, precision: Precision) -> OperationSequence:
    builder = Builder(kernel, precision)
    x, y = (guards.checked_input(builder, signal(name)) for name in ("x", "y"))
    for position, value in enumerate(outputs_of(builder, kernel, x, y)):
        builder.output(Signal(f"u{position}", "1", "result", role=Role.VALUE, group=Group.OUTPUT), value)
    return builder.finish()


def export_of(precision: Precision, folder: Path) -> Export:
    digest = hashlib.sha256(precision.encode()).hexdigest()
    functions = tuple(sequence_of(kernel, precision) for kernel in KERNELS)
    return write_export(Program("trig", "kernels", "test", precision, digest, functions), folder, {})


@pytest.mark.parametrize(("precision", "profile"), [("float32", "arm-m4f"), ("float64", "arm-m7")])
def test_each_kernel_is_a_single_path_under_its_own_name(
    precision: Precision, profile: str, require_tool: Callable[[str], str], tmp_path: Path
) -> None:
    require_tool("arm-none-eabi-gcc")
    result = audit_export(export_of(precision, tmp_path / "trig"), profile)
    assert result.passed, [function.reason for function in result.functions]
    suffix = precision.replace("float", "f")
    for function in result.functions[: len(KERNELS)]:
        assert list(function.kernels) == [f"kfx_{function.name}_{suffix}"]
        assert function.outside is not None
        assert 0 < function.outside < 60  # two inputs checked, a result stored
