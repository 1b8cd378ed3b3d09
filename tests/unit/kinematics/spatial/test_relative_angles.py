"""Angles of a joint between placed bodies: an order of axes that no rule reads is refused, the others are read."""

from typing import Any

import pytest

from exporter.errors import NoForm
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.motions import ElementaryMotion, X, Y, Z
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.spatial import relative
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.operations import Signal

UNREAD = [(Y, X), (X, Z), (X, Y, Z), (Z, X, Y)]


@pytest.fixture
def pose() -> Any:
    """A spatial pose with all bodies placed."""
    solved = solved_mechanism(read_mechanism(model_path("spatial_four_bar")))
    builder = Builder("position", "float64")
    given = {name: builder.input(Signal(name, "1")) for name in solved.mechanism.independent}
    placed: Any = solved.solve(builder, Scope(builder, solved.mechanism), given)
    return placed.pose


@pytest.mark.parametrize("axes", [(X, Y), (Z, Y, X), *UNREAD])
def test_only_known_orders_of_axes_are_read(pose: Any, monkeypatch: pytest.MonkeyPatch, axes: tuple[Any, ...]) -> None:
    """As if a joint type turned about these: two turns are not always a universal joint, three not always 3-2-1."""
    joint = pose.form.mechanism.joints[0]
    motions = tuple(ElementaryMotion("turn", axis, f"q{number}") for number, axis in enumerate(axes))
    monkeypatch.setattr(relative, "motions_of", lambda _: motions)
    if axes in UNREAD:
        with pytest.raises(NoForm, match=f"the joint {joint.name} .* turns about the axes .*; angles are read from"):
            relative.relative_coordinates(pose, joint, beyond=False)
    else:
        angles, slides = relative.relative_coordinates(pose, joint, beyond=False)
        assert (list(angles), slides) == ([motion.coordinate for motion in motions], {})
