"""W1: positions, velocities and acceleration of the planar slider-crank, parameters frozen, without status and margins.

Inputs (theta, theta', F), outputs (sin, cos of beta, s, beta', s', theta''). Prints the operation count, the
instructions on the host, and what the contract (checked inputs, guards, status) adds.
"""

import numpy as np
from callgrind_count import Counted, count

from exporter.functions.program import program_of_mechanism
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.cost import Cost, cost
from exporter.sequence.operations import OperationSequence
from exporter.sequence.program import Program

ROWS = np.random.Generator(np.random.Philox(1)).uniform([-3.0, -10.0, -100.0], [3.0, 10.0, 100.0], (200, 3))


def bare_program() -> Program:
    """The arithmetic alone, in double."""
    return program_of_mechanism(read_mechanism(model_path("slider_crank")), "float64", contract=False)


def full_program() -> Program:
    """What is exported."""
    return program_of_mechanism(read_mechanism(model_path("slider_crank")), "float64")


def dynamics(program: Program) -> OperationSequence:
    """The function that is counted."""
    return next(function for function in program.functions if function.name == "dynamics")


def operations(program: Program) -> Cost:
    """Operation count of the dynamics function."""
    return cost(dynamics(program))


def instructions(program: Program) -> Counted:
    """Instructions per call on the host, libm's sine and cosine called."""
    return count(program, "dynamics", ROWS)


if __name__ == "__main__":
    for title, program in (("arithmetic alone", bare_program()), ("with the contract", full_program())):
        counted = instructions(program)
        print(f"{title}: {operations(program).text()}")
        print(f"    host instructions per call: {counted.own:.1f} own, {counted.total:.1f} with libm")
