"""Points of interest of planar mechanisms with loops, in tilted planes too, against the reference's bodies in space."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.complete import completed
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.points_of_interest import points_of_interest
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration
from sil.reference.points import point_motion

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"


def asking(mechanism: Mechanism, point: str) -> Mechanism:
    return completed(replace(mechanism, outputs={"foot": point}))


def named(sequence: OperationSequence, rows: np.ndarray) -> dict[str, np.ndarray]:
    result = interpret(sequence, rows)
    assert not result.status.any()
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


def tilted_point() -> Mechanism:
    mechanism = read_mechanism(DATA / "five_bar.toml")
    body = next(body for body in reversed(mechanism.bodies) if body.frames)
    return asking(mechanism, body.frames[0].name)


CASES = {
    "rod's pin of the slider-crank": (lambda: asking(read_mechanism(model_path("slider_crank")), "rod.pin"), 1.0),
    "coupler point of a six-bar": (lambda: asking(read_mechanism(model_path("stephenson_iii")), "coupler.apex"), 0.3),
    "tilted five-bar": (tilted_point, 0.15),
}


@pytest.mark.parametrize("name", CASES)
def test_point_moves_as_the_reference_says(name: str) -> None:
    """Place within 1e-12 m; velocity and acceleration within 1e-10 relative, in ground axes."""
    make, width = CASES[name]
    mechanism = make()
    ((alias, frame),) = points_of_interest(mechanism)
    generator = np.random.Generator(np.random.Philox(5))
    design = np.array([float(mechanism.pose[each]) for each in mechanism.independent])
    q, u, w = (generator.uniform(-size, size, (40, len(design))) for size in (width, 2.0, 5.0))
    q = q + design
    reference = reference_of(mechanism)
    at = configuration(reference.positions(q))
    rates = reference.velocities(at, u)
    expected = point_motion(reference.skeleton, frame, at, rates, reference.accelerations(at, rates, w))
    form = solved_mechanism(mechanism)
    place = named(functions.position(form, "float64", contract=True), q)
    first = named(functions.velocity(form, "float64", contract=True), np.hstack([q, u]))
    second = named(functions.acceleration(form, "float64", contract=True), np.hstack([q, u, w]))
    for k, axis in enumerate("xyz"):
        np.testing.assert_allclose(place[f"{alias}.{axis}"], expected.place[:, k], atol=1e-12)
        np.testing.assert_allclose(first[f"{alias}.{axis}.rate"], expected.velocity[:, k], rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(
            second[f"{alias}.{axis}.acceleration"], expected.acceleration[:, k], rtol=1e-10, atol=1e-10
        )


@pytest.mark.parametrize(
    ("point", "words"),
    [("rod.pim", 'is no point (did you mean "rod.pin"?)'), ("road.pin", "a point is asked for as body.point")],
)
def test_point_that_does_not_exist_is_refused(point: str, words: str) -> None:
    """With what there is."""
    with pytest.raises(ModelError) as caught:
        asking(read_mechanism(model_path("slider_crank")), point)
    assert words in str(caught.value)
