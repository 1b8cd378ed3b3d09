"""Couplings in a file: what is read, and what is refused in one sentence."""

from fractions import Fraction
from pathlib import Path

import pytest

from exporter.errors import ModelError
from exporter.model.canonical import canonical, from_canonical
from exporter.model.complete import with_independent
from exporter.model.couplings import coupling_text, ratio_values
from exporter.model.evaluate import evaluate
from exporter.model.mechanism import CoordinateRange
from exporter.model.toml.reader import parse_mechanism

PAIR = (Path(__file__).resolve().parents[2] / "data" / "couplings" / "gear_pair.toml").read_text(encoding="utf-8")
SOUND = 'beta = "-alpha / n"'
FAULTS = {
    "no coordinate": ('gamma = "2 * alpha"', "couplings.gamma", '"gamma" is not a coordinate'),
    "unknown name": ('beta = "2 * gamma"', "couplings.beta", '"gamma" is not a parameter or input'),
    "input": ('beta = "T * alpha"', "couplings.beta", "is an input"),
    "square": ('beta = "alpha^2"', "couplings.beta", "is not linear in alpha"),
    "sine": ('beta = "sin(alpha)"', "couplings.beta", "is not linear in alpha"),
    "product": ('beta = "alpha * alpha"', "couplings.beta", "is not linear in alpha"),
    "quotient": ('beta = "1 / alpha"', "couplings.beta", "is not linear in alpha"),
    "dimension": ('beta = "l * alpha"', "couplings.beta", "but an angle (rad) is needed here"),
    "zero": ('beta = "0 * alpha"', "couplings.beta", "the ratio of alpha is 0"),
    "cancelled": ('beta = "alpha - alpha"', "couplings.beta", "the ratio of alpha is 0"),
    "passes zero": ('beta = "(n - 1.5) * alpha"', "couplings.beta", "must not pass zero"),
    "constant": ('beta = "phase"', "couplings.beta", "no other coordinate is named"),
    "itself": ('beta = "beta + alpha"', "couplings.beta", "follows itself"),
    "circle": ('beta = "2 * alpha"\nalpha = "3 * beta"', "couplings.beta", "run in a circle: beta, alpha, beta"),
}
MORE = """[parameters]
l = { value = "0.1 m", frozen = true }
phase = { value = "30 deg", frozen = true }
"""


def with_couplings(text: str) -> str:
    """The pair of gears with other couplings."""
    return PAIR.replace(SOUND, text).replace("[parameters]\n", MORE)


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_told_in_one_sentence(fault: str) -> None:
    """With the key and what is wrong."""
    text, key, sentence = FAULTS[fault]
    with pytest.raises(ModelError) as caught:
        parse_mechanism(with_couplings(text), "pair.toml")
    assert key in str(caught.value)
    assert sentence in str(caught.value)


def test_formula_becomes_ratios_and_an_offset() -> None:
    """However it is written."""
    pair = parse_mechanism(with_couplings('beta = "phase - (2 * alpha + alpha / n) / 2"'), "pair.toml")
    (coupling,) = pair.couplings
    values = pair.nominal_values()
    assert ratio_values(coupling, values) == {"alpha": Fraction(-5, 4)}
    assert evaluate(coupling.offset, values) == values["phase"]


def test_coupling_is_solved_for_any_of_its_coordinates() -> None:
    """alpha = n (phase - beta)."""
    pair = parse_mechanism(with_couplings('beta = "phase - alpha / n"'), "pair.toml")
    solved = pair.couplings[0].solved_for("alpha")
    values = pair.nominal_values()
    assert ratio_values(solved, values) == {"beta": -2}
    assert evaluate(solved.offset, values) == 2 * values["phase"]


def test_canonical_form_keeps_couplings_and_says_nothing_without_them() -> None:
    """The hash of a mechanism without couplings is what it was."""
    pair = parse_mechanism(PAIR, "pair.toml")
    assert from_canonical(canonical(pair)) == pair
    assert coupling_text(pair.couplings[0]) == "beta = (-1) / n * alpha"
    assert "couplings" not in canonical(
        parse_mechanism(
            PAIR.replace(SOUND, "")
            .replace('["alpha"]\npose = { alpha = "0"', '["alpha", "beta"]\npose = { alpha = "0", beta = "0"')
            .replace("ranges = {", 'ranges = { beta = ["-1 rad", "1 rad"],')
            .replace("rates = {", 'rates = { beta = "1 rad/s",'),
            "pair.toml",
        )
    )


def test_independent_coordinates_must_not_be_tied() -> None:
    """The coupling is told."""
    pair = parse_mechanism(PAIR, "pair.toml")
    bounds = CoordinateRange(Fraction(-1), Fraction(1), Fraction(1))
    with pytest.raises(ModelError, match="alpha, beta are tied to each other by the coupling beta ="):
        with_independent(pair, ["alpha", "beta"], {"beta": Fraction(0)}, {"beta": bounds})


def test_forces_in_joints_are_refused_beside_couplings() -> None:
    """The output is told; without it the file is read."""
    asked = PAIR + '\n[outputs]\npin = { reaction = "a", part = "force" }\n'
    with pytest.raises(ModelError, match=r"outputs\.pin: forces and torques of joints are not given"):
        parse_mechanism(asked, "pair.toml")
