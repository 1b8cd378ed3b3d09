"""Operations of one wishbone corner: positions, rates and accelerations of wheel and spring, within the budget."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from exporter.functions.mechanism import acceleration, dostep, dynamics, position, velocity
from exporter.functions.program import arithmetic
from exporter.kinematics.engine import solved_mechanism
from exporter.model.complete import completed
from exporter.model.expression import ZERO
from exporter.model.library import model_path
from exporter.model.mechanism import Body, Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.cost import cost

BUDGETS = tomllib.loads((Path(__file__).resolve().parents[4] / "ci" / "budgets.toml").read_text(encoding="utf-8"))
FUNCTIONS = {each.__name__: each for each in (position, velocity, acceleration, dynamics, dostep)}


def massless(mechanism: Mechanism) -> Mechanism:
    """The linkage alone: the tie rod between two balls, whose turn about itself nobody asks for."""
    joints = tuple(
        replace(joint, type="spherical", coordinates=(*joint.coordinates, "gamma"))
        if joint.name == "tie_rod"
        else joint
        for joint in mechanism.joints
    )
    bodies = tuple(Body(body.name, ZERO, (ZERO,) * 3, (ZERO,) * 6, body.frames) for body in mechanism.bodies)
    return completed(replace(mechanism, joints=joints, bodies=bodies, elements=(), loads=(), inputs=()))


@pytest.mark.parametrize("name", ["corner_front", "corner_rear"])
@pytest.mark.parametrize("kind", ["massless", "with_masses"])
def test_counts_are_within_the_budget(name: str, kind: str) -> None:
    """Additions, products, divisions and roots, without guards and status, of each function by itself."""
    mechanism = read_mechanism(model_path(name))
    solved = solved_mechanism(massless(mechanism) if kind == "massless" else mechanism)
    for function, most in BUDGETS["corner"][kind].items():
        counted = cost(arithmetic(FUNCTIONS[function], solved))
        found = counted.mul + counted.add + counted.div + counted.sqrt
        assert found <= most, f"{name}, {function}: {found} operations, at most {most}"
