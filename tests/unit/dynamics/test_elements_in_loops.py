"""Springs, dampers, stops and loads of the state in loops of every engine, against multipliers in tree coordinates."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.complete import completed, with_independent
from exporter.model.expression import Binary, Call, Expression, Name, Number
from exporter.model.library import model_path
from exporter.model.mechanism import Body, Distance, Element, Frame, Load, Mechanism, Parameter
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

ROWS = 24
CASES = {
    "slider_crank": ("theta",),  # one planar loop
    "parallel_robot": ("theta1", "theta2", "theta3"),  # planar loops, three coordinates
    "stephenson_iii": ("beta1",),  # driven from another triangular form
    "double_wishbone_front": (),  # a carrier on three balls
    "five_link": (),  # a seeded Newton block
    "gough_stewart": (),
    "arm_6r": (),  # an open chain
}


def number(text: str) -> Number:
    return Number(Fraction(text))


def sprung(mechanism: Mechanism) -> Mechanism:
    """Every kind of element and load on the last body, and along the first dependent (or last) coordinate."""
    bodies = tuple(with_mass(body, place) for place, body in enumerate(mechanism.bodies))
    last = bodies[-1].name
    hook = Frame("ground", (number("0.3"), number("-0.4"), number("0.1")), name="hook")
    eye = Frame(last, (number("0.05"), number("0.1"), number("-0.02")), name="eye")
    along = [name for name in mechanism.coordinates() if name not in mechanism.independent] or mechanism.coordinates()
    line = along[0]
    elements = (
        Element("rope", "spring", "rope", {"stiffness": number("700"), "free": number("0.2"), "damping": number("9")}),
        Element("rub", "friction", line, {"force": number("3"), "smoothing_speed": number("0.2")}),
        Element("gas", "gas_spring", "rope", {"force": number("80"), "at": number("0.5"), "column": number("0.9")}),
        Element("stop", "end_stop", line, {"lower": number("0.1"), "stiffness": number("50")}),
    )
    stiff, slow, force = Name("stiff"), Name("slow"), Name("force")
    turned: Expression = Call(
        "sin", (Name(line) if mechanism.is_angle(line) else Binary("/", Name(line), Name("rope")),)
    )
    pull = Binary("*", Binary("*", stiff, Name("rope")), turned)
    loads = (
        Load("drag", "force", eye, (pull, number("2"), Binary("*", slow, Name("rope.rate"))), axes=eye),
        Load(
            "twist",
            "torque",
            Frame(last, (number("0"),) * 3, name=last),
            (number("1"), Binary("*", force, Name("rope")), number("3")),
        ),
    )
    given = tuple(
        Parameter(name, Fraction(value), unit, frozen=True)
        for name, value, unit in (("stiff", 7, "N/m"), ("slow", 3, "N*s/m"), ("force", 2, "N"))
    )
    units = {
        "parameters": (*mechanism.parameters, *given),
        "inputs": (),
        "gravity": (number("0.5"), number("1"), number("-9.81")),
    }
    return replace(
        mechanism, bodies=bodies, elements=elements, loads=loads, distances={"rope": Distance(hook, eye)}, **units
    )


def with_mass(body: Body, place: int) -> Body:
    moments = tuple(number(text) for text in ("0.5", "0.4", "0.3", "0.02", "-0.01", "0.03"))
    centre = (number("0.05"), number(f"-0.0{place % 9 + 1}"), number("0"))
    return replace(body, mass=number("1.5"), center_of_mass=centre, inertia=moments)


@pytest.mark.parametrize("name", CASES)
def test_accelerations_equal_those_with_multipliers(name: str) -> None:
    """Within 1e-10 of the largest of the row, where no flag is set."""
    mechanism = read_mechanism(model_path(name))
    mechanism = completed(sprung(mechanism))
    if CASES[name] and CASES[name] != mechanism.independent:
        mechanism = with_independent(mechanism, CASES[name])
    generator = np.random.Generator(np.random.Philox(8))
    pose = np.array([float(mechanism.pose[name]) for name in mechanism.independent])
    reach = [
        min(1.0, float(mechanism.ranges[name].maximum - mechanism.ranges[name].minimum))
        for name in mechanism.independent
    ]
    states = pose + generator.uniform(-0.2, 0.2, (ROWS, len(pose))) * reach
    rates = generator.uniform(-1, 1, states.shape)
    sequence = functions.dynamics(solved_mechanism(mechanism), "float64", contract=True)
    result = interpret(sequence, np.hstack([states, rates]))
    accepted = result.status == 0
    assert accepted.sum() > ROWS / 3
    outputs = [output.signal.name for output in sequence.outputs]
    found = result.outputs[:, [outputs.index(f"{name}.acceleration") for name in mechanism.independent]]
    reference = reference_of(mechanism)
    at = configuration(reference.positions(states))
    expected = reference.forward_dynamics(at, reference.velocities(at, rates), {})
    wanted = expected[:, [mechanism.coordinates().index(name) for name in mechanism.independent]]
    difference = np.abs(found - wanted).max(axis=1) / np.abs(wanted).max(axis=1)
    assert difference[accepted].max() < 1e-10
