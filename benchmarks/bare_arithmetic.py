"""The arithmetic of one function alone: no status, no margins, the outputs that a benchmark asks for and no others.

In: what an export offers, or values that a benchmark wrote itself. Out: a program of one function to count. Rows of
inputs are pinned by a seed, since what libm's sine and cosine cost depends on their arguments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from callgrind_count import Counted, count

from exporter.functions.mechanism import Function
from exporter.functions.program import arithmetic
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder, Value
from exporter.sequence.cost import Cost, cost
from exporter.sequence.operations import Group, OperationSequence, Signal
from exporter.sequence.passes import drop_dead
from exporter.sequence.program import Program

ROWS = 200


def library(model: str) -> Mechanism:
    """A mechanism of the library."""
    return read_mechanism(model_path(model))


def exported(mechanism: Mechanism, write: Function, outputs: Sequence[str]) -> OperationSequence:
    """A function's sequence with the named outputs alone."""
    whole = arithmetic(write, solved_mechanism(mechanism))
    offered = {output.signal.name: output for output in whole.outputs}
    return drop_dead(replace(whole, outputs=tuple(offered[name] for name in outputs)))


def finished(builder: Builder, values: Mapping[str, Value]) -> OperationSequence:
    """The sequence that computes these values, by their names."""
    for name, value in values.items():
        builder.output(Signal(name, "1", group=Group.OUTPUT), value)
    return builder.finish()


def rows(low: Sequence[float], high: Sequence[float]) -> np.ndarray:
    """Inputs between these bounds, (ROWS, inputs)."""
    return np.random.Generator(np.random.Philox(1)).uniform(low, high, (ROWS, len(low)))


def operations(sequence: OperationSequence) -> Cost:
    """How many operations of each kind a sequence takes."""
    return cost(sequence)


def instructions(sequence: OperationSequence, inputs: np.ndarray) -> Counted:
    """Instructions per call on the host, libm's sine and cosine called."""
    return count(alone_in_a_program(sequence), sequence.name, inputs)


def alone_in_a_program(sequence: OperationSequence) -> Program:
    """A program of one function."""
    return Program("bare", "Arithmetic alone", "benchmarks", "float64", "0" * 64, (sequence,))


def tell(sequence: OperationSequence, inputs: np.ndarray) -> None:
    """Print both counts."""
    counted = instructions(sequence, inputs)
    print(f"{operations(sequence).text()}")
    print(f"    host instructions per call: {counted.own:.1f} own, {counted.total:.1f} with libm")
