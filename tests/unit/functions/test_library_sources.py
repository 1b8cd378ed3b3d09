"""The mechanisms of the library against numbers that their sources print, and what each says of its source."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_names, model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import reference_of


@pytest.mark.parametrize("name", model_names())
def test_every_file_names_its_source(name: str) -> None:
    """And says on its first line what it is."""
    path = model_path(name)
    assert read_mechanism(path).source
    assert path.read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize("name", ["gough_stewart", "gough_stewart_wang"])
def test_gough_stewart_leg_lengths_at_the_printed_start(name: str) -> None:
    """Wang, Gosselin & Cheng 2002, section 3.2.3, at x = -1.5, y = 0.1, z = 1.5, theta = 0.1: within 0.4 mm.

    The printed lengths leave the joints open by up to 0.32 mm, as the springs do that hold them together there.
    """
    sequence = functions.position(solved_mechanism(read_mechanism(model_path(name))), "float64", contract=True)
    result = interpret(sequence, np.array([[-1.5, 0.1, 1.5, 0.0, 0.1, 0.0]]))
    made = dict(zip((output.signal.name for output in sequence.outputs), result.outputs[0], strict=True))
    printed = [1.48341, 1.53551, 1.66955, 1.58501, 1.54805, 1.58566]
    np.testing.assert_allclose([made[f"rho{leg}"] for leg in range(1, 7)], printed, atol=4e-4)


def test_five_link_static_force_is_the_printed_one_with_thicker_links() -> None:
    """Uchida 2011, eq. (5.8), starts from 183.6 N: links of the printed 15 mm need 151.8 N, of 20 mm 183.56 N."""
    forces = {}
    for radius in (Fraction(15, 1000), Fraction(20, 1000)):
        mechanism = read_mechanism(model_path("five_link"))
        changed = {"radius": radius, "line_mass": Fraction("5.654866776") * (radius / Fraction(15, 1000)) ** 2}
        parameters = tuple(replace(p, value=changed.get(p.name, p.value)) for p in mechanism.parameters)
        rest, reference = np.zeros((2, 1)), reference_of(replace(mechanism, parameters=parameters))
        without, with_one = reference.state_derivative(rest, rest, {"F": np.array([0.0, 1.0])})[:, 0]
        forces[float(radius)] = -without / (with_one - without)
    assert forces[0.015] == pytest.approx(151.8, abs=0.05)
    assert forces[0.02] == pytest.approx(183.6, abs=0.05)
