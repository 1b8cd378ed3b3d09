"""An arm without gravity on a motor: a mass m at r accelerates by theta'' = torque / (m r^2)."""

from collections.abc import Mapping

import numpy as np

from exporter.functions.program import program_of_mechanism
from exporter.model.mechanism import Mechanism
from exporter.sequence.interpreter import interpret

ARM = """schema = 1
[mechanism]
name = "arm"
gravity = ["0", "0", "0"]
[joints.theta]
type = "revolute"
parent = "ground"
child = "arm"
[coordinates]
independent = ["theta"]
pose = { theta = "0" }
ranges = { theta = ["-3 rad", "3 rad"] }
rates = { theta = "10 rad/s" }
[loads.motor]
type = "coordinate"
on = "theta"
"""
"""What is to follow: the `value` of the motor, and [bodies.arm]."""


def arm_acceleration(
    mechanism: Mechanism, given: Mapping[str, float], parameters: Mapping[str, float] | None = None
) -> tuple[float, int]:
    """Acceleration of an arm by its exported `dynamics` in float64, rad/s^2, and the status."""
    program = program_of_mechanism(mechanism, "float64")
    known = {"theta": 0.3, "theta.rate": 0.0, **given}
    if program.recalibrate is not None:
        values = {each.name: float(each.nominal or 0) for each in program.recalibrate.inputs} | (parameters or {})
        row = np.array([[values[signal.name] for signal in program.recalibrate.inputs]])
        derived = interpret(program.recalibrate, row).outputs[0]
        known |= values | {each.signal.name: float(derived[k]) for k, each in enumerate(program.recalibrate.outputs)}
    dynamics = program.function("dynamics")
    result = interpret(dynamics, np.array([[known[signal.name] for signal in dynamics.inputs]]))
    names = [each.signal.name for each in dynamics.outputs]
    return float(result.outputs[0, names.index("theta.acceleration")]), int(result.status[0])
