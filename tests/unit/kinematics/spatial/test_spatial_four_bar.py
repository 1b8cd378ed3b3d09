"""The spatial four-bar against the printed equations (4.12) and basis (4.19), twisted and tunable as well."""

from fractions import Fraction

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.spatial.groebner.bases import basis
from exporter.kinematics.spatial.groebner.polynomials import Ideal, point_loop
from exporter.model.complete import with_independent, with_tunable, with_values
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret

LC, LR, LF, LG = 1.5, 4.0, 2.0, 5.0


@pytest.fixture
def four_bar() -> Mechanism:
    """The library's mechanism."""
    return read_mechanism(model_path("spatial_four_bar"))


def printed_closure(beta0: float, beta1: np.ndarray, angle: dict[str, np.ndarray]) -> np.ndarray:
    """Eq. (4.12) of Uchida 2011, three rows."""
    s0, c0, s1, c1 = np.sin(beta0), np.cos(beta0), np.sin(beta1), np.cos(beta1)
    s2, c2, s3, c3, s4, c4 = (angle[f"beta{k}.{part}"] for k in (2, 3, 4) for part in ("sin", "cos"))
    return np.array(
        [
            LC * s1 - LR * (s0 * c3 * c4 + c0 * s4),
            LC * c1 - LF * c2 - LR * s0 * s2 * s4 + LR * c4 * (c0 * s2 * c3 - c2 * s3),
            LG - LF * s2 + LR * s0 * c2 * s4 - LR * c4 * (c0 * c2 * c3 + s2 * s3),
        ]
    )


@pytest.mark.parametrize("twist", [Fraction(0), Fraction(1, 10)])
@pytest.mark.parametrize("tunable", [False, True])
def test_printed_equations_hold_over_a_turn(four_bar: Mechanism, twist: Fraction, tunable: bool) -> None:
    """Residual of (4.12) below 1e-13 of the ground link over a full turn, twist frozen or tunable."""
    mechanism = with_values(four_bar, {"beta0": twist})
    mechanism = with_tunable(mechanism, ["beta0"]) if tunable else mechanism
    sequence = functions.position(solved_mechanism(mechanism), "float64", contract=True)
    beta1 = np.linspace(-np.pi, np.pi, 100)
    columns = {"beta1": beta1, "beta0": np.full_like(beta1, float(twist))}
    result = interpret(sequence, np.stack([columns[signal.name] for signal in sequence.inputs], axis=-1))
    assert not result.status.any()
    angle = {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}
    assert np.abs(printed_closure(float(twist), beta1, angle)).max() < 1e-13 * LG


DRIVEN = {"beta1": "0.5", "beta2": "0.5717", "beta3": "0.4787", "beta4": "0.1808"}  # one pose of the mechanism


@pytest.mark.parametrize("driver", ["beta2", "beta3", "beta4"])
def test_every_angle_drives_the_mechanism(four_bar: Mechanism, driver: str) -> None:
    """Driven by another angle, the loop is solved from a lexicographic basis of its own; (4.12) holds as before."""
    pose = {name: Fraction(text) for name, text in DRIVEN.items()}
    width = Fraction(1, 200)  # the range of beta3 is narrow
    limits = CoordinateRange(pose[driver] - width, pose[driver] + width, Fraction(10), Fraction(100))
    mechanism = with_independent(four_bar, [driver], pose, {driver: limits})
    form = solved_mechanism(mechanism)
    assert {block.kind for block in form.block_facts()} == {"lexicographic basis"}
    sequence = functions.position(form, "float64", contract=True)
    values = np.linspace(float(limits.minimum), float(limits.maximum), 50)
    result = interpret(sequence, values[:, None])
    angle = {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}
    angle |= {f"{driver}.sin": np.sin(values), f"{driver}.cos": np.cos(values)}
    reached = result.status == 0
    beta1 = np.arctan2(angle["beta1.sin"], angle["beta1.cos"])
    assert reached.sum() > len(values) // 2
    assert np.abs(printed_closure(0.0, beta1, angle))[:, reached].max() < 1e-13 * LG


def test_basis_is_the_printed_one(four_bar: Mechanism) -> None:
    """With beta2 last, the basis holds the polynomials of (4.19) that the thesis solves, term for term."""
    joint = next(joint for joint in four_bar.joints if joint.name == "ball")
    ideal = point_loop(four_bar, joint, ("beta2", "beta3", "beta4"))
    assert ideal is not None
    order = ("s.beta2", "c.beta2", "s.beta3", "c.beta3", "s.beta4", "c.beta4")
    polynomials = basis(ideal, order)
    assert polynomials is not None
    names = ("s2", "c2", "s3", "c3", "s4", "c4", "s1", "c1")
    found = {
        frozenset(
            (
                tuple(sorted((name, int(power)) for name, power in zip(names, exponents, strict=True) if power)),
                int(value),
            )
            for exponents, value in poly.to_dict().items()
        )
        for poly in polynomials
    }
    printed = [
        {(("c1", 2),): 9, (("c4", 2),): -64, (): 55},
        {(("s1", 1),): 3, (("s4", 1),): -8},
        {(("c1", 2), ("c3", 2)): 576, (("c1", 2),): -576, (("c3", 2),): 3520, (): -2679},
        {(("s3", 1),): 29, (("c3", 2), ("c4", 1)): 64, (("c4", 1),): -64},
        {(("c1", 2), ("c2", 1)): 72, (("c1", 1),): -183, (("c2", 1),): 800, (("c3", 1), ("c4", 1)): -640},
        {(("c1", 1), ("c2", 1)): 24, (("s2", 1),): 80, (): -61},
    ]
    for polynomial in printed:
        both = {frozenset((m, sign * v) for m, v in polynomial.items()) for sign in (1, -1)}
        assert found & both, polynomial


def test_contradicting_equations_are_told_as_such() -> None:
    """Basis [1]: a circle of radius one and the same sine given as two."""
    square = (("s.a", "s.a"), 1), (("c.a", "c.a"), 1), ((), -1)
    ideal = Ideal(("a",), (), (square, ((("s.a",), 1), ((), -2)), ((("c.a",), 1), ((), -1))))
    with pytest.raises(ModelError, match=r"contradict"):
        basis(ideal, ("s.a", "c.a"))
