"""Sequences that tests write by hand: inputs by name, and a value per output."""

from fractions import Fraction

from exporter.sequence.builder import Builder, Value
from exporter.sequence.operations import Group, OperationSequence, Signal


def start(names: str, *, contract: bool = True) -> tuple[Builder, list[Value]]:
    """A builder in float64, and unchecked inputs named by one letter each, within 10 of zero."""
    builder = Builder("f", "float64", contract=contract)
    signals = [Signal(name, "1", "", Fraction(-10), Fraction(10), Fraction(1)) for name in names]
    return builder, [builder.input(signal) for signal in signals]


def finished(builder: Builder, *values: Value) -> OperationSequence:
    """The sequence that gives these values as o0, o1 and so on."""
    for number, value in enumerate(values):
        builder.output(Signal(f"o{number}", "1", group=Group.OUTPUT), value)
    return builder.finish()
