"""Functions of formulas: choices in loads and in geometry that tunable parameters decide; exponentials in loads.

Oracle: a mass at the tip of an arm without gravity accelerates by torque / (m r^2), in Python's own functions.
"""

import math

import pytest
from arm_model import ARM, arm_acceleration

from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical, from_canonical
from exporter.model.complete import with_tunable
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.cost import cost
from exporter.sequence.status import BITS
from sil.reference.mechanism import reference_of

TEXT = (
    ARM
    + """value = "max(-limit, min(gain*u, limit))*abs(v)"
[parameters]
a = { value = "2 m", range = ["1 m", "3 m"] }
b = { value = "1.5 m", range = ["1 m", "3 m"] }
mass = { value = "2 kg", frozen = true }
gain = { value = "4 N*m", frozen = true }
limit = { value = "3 N*m", frozen = true }
[inputs]
u = { range = ["-2", "2"] }
v = { range = ["-2", "2"] }
[bodies.arm]
mass = "mass"
center_of_mass = ["max(a, b)", "0", "0"]
"""
)
AT = [
    (a, b, u, v) for a, b in [(2.0, 1.5), (1.0, 2.5), (2.0, 2.0)] for u in (-2, -0.5, 0, 0.25, 2) for v in (-1, 0, 1.5)
]


def right(a: float, b: float, u: float, v: float) -> float:
    """The acceleration that a person would write."""
    return max(-3.0, min(4 * u, 3.0)) * abs(v) / (2 * max(a, b) ** 2)


@pytest.mark.parametrize(("a", "b", "u", "v"), AT)
def test_the_export_chooses_as_the_formula_says(a: float, b: float, u: float, v: float) -> None:
    """Both sides of every choice, and its edge."""
    made, status = arm_acceleration(parse_mechanism(TEXT, "text"), {"u": u, "v": v}, {"a": a, "b": b})
    assert status == 0
    assert made == pytest.approx(right(a, b, u, v), rel=1e-14)


def test_a_choice_is_a_comparison_and_a_select() -> None:
    """The two limits of the load, whatever the input: beside those of the checks."""
    plain = parse_mechanism(TEXT.replace("max(-limit, min(gain*u, limit))*abs(v)", "gain*u*v"), "text")
    chosen, without = (
        cost(program_of_mechanism(each, "float64").function("dynamics"))
        for each in (parse_mechanism(TEXT, "text"), plain)
    )
    assert chosen.select - without.select == 2
    assert chosen.compare - without.compare == 2
    assert chosen.abs - without.abs == 1


def test_the_stored_model_has_the_functions() -> None:
    """An export stands alone: its manifest gives the mechanism back."""
    mechanism = parse_mechanism(TEXT, "text")
    assert from_canonical(canonical(mechanism)) == mechanism


def test_the_reference_evaluates_the_geometry() -> None:
    """The reference's own place of the centre of mass is max(a, b) along the arm."""
    reference = reference_of(parse_mechanism(TEXT, "text"), {"a": 1.0, "b": 2.5})
    assert reference.skeleton.masses[0].center == pytest.approx([2.5, 0, 0])


FUNCTIONS = {
    "exp(u)": lambda u, _: math.exp(u),
    "log(u + 2.5)*tanh(4*v)": lambda u, v: math.log(u + 2.5) * math.tanh(4 * v),
    "pow(u + 2.5, v)": lambda u, v: (u + 2.5) ** v,
}


def torque(text: str, u: float, v: float) -> tuple[float, int]:
    """The torque of a load, in N m, and the status."""
    mechanism = parse_mechanism(TEXT.replace("max(-limit, min(gain*u, limit))*abs(v)", f"gain*({text})"), "text")
    acceleration, status = arm_acceleration(with_tunable(mechanism, []), {"u": u, "v": v})
    return acceleration * 8, status


@pytest.mark.parametrize("text", list(FUNCTIONS))
@pytest.mark.parametrize(("u", "v"), [(-2.0, 1.5), (0.5, -0.25), (2.0, 0.0)])
def test_a_load_takes_exponentials(text: str, u: float, v: float) -> None:
    """Within the ranges nothing is flagged."""
    made, status = torque(text, u, v)
    assert made == pytest.approx(4 * FUNCTIONS[text](u, v), rel=1e-14, abs=1e-14)
    assert status == 0


@pytest.mark.parametrize(
    ("text", "u", "flagged"),
    [
        ("log(1 - u)", 1.5, True),
        ("log(1 - u)", 0.5, False),
        ("pow(1 - u, v + 2)", 1.0, True),
        ("exp(600*u)", 1.5, True),
    ],
)
def test_a_load_beyond_a_domain_is_flagged(text: str, u: float, flagged: bool) -> None:
    """The result stays finite."""
    made, status = torque(text, u, 0.5)
    assert math.isfinite(made)
    assert bool(status & 1 << BITS["OUT_OF_WORKSPACE"][0]) is flagged
