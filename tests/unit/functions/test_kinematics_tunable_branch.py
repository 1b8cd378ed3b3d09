"""Making a parameter tunable changes when it is known, never the assembly. Oracle: the export with all frozen."""

import numpy as np
import pytest
from numpy.typing import NDArray

from exporter.functions.program import program_of_mechanism
from exporter.model.complete import with_tunable
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from sil.runners.interpreted import interpret_rows


def tunable_choices(name: str) -> list[tuple[str, str]]:
    """Each parameter that has a range, alone."""
    parameters = read_mechanism(model_path(name)).parameters
    return [(name, each.name) for each in parameters if each.minimum is not None]


CHOICES = [choice for name in ("slider_crank", "four_bar") for choice in tunable_choices(name)]


def positions(mechanism: Mechanism) -> NDArray[np.float64]:
    """Around the design pose, nominal parameters; margins and pivots included."""
    nominal = np.array([float(mechanism.pose[name]) for name in mechanism.independent])
    rows = nominal + np.linspace(-0.2, 0.2, 9)[:, None]
    return np.asarray(interpret_rows(program_of_mechanism(mechanism, "float64"), "position", rows).outputs)


@pytest.mark.parametrize(("name", "parameter"), CHOICES)
def test_a_tunable_parameter_keeps_the_assembly(name: str, parameter: str) -> None:
    """At nominal values both exports spell the same pose."""
    mechanism = read_mechanism(model_path(name))
    frozen = positions(with_tunable(mechanism, []))
    assert positions(with_tunable(mechanism, [parameter])) == pytest.approx(frozen, abs=1e-12)
