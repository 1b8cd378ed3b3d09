"""A link between two balls: its spin is told and held, and everything else is right."""

from pathlib import Path

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.spatial.engine import SpatialSolution
from exporter.kinematics.spatial.triangular import spatial_form
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration
from sil.reference.points import point_motion

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"


def outputs(sequence: OperationSequence, rows: np.ndarray) -> dict[str, np.ndarray]:
    result = interpret(sequence, rows)
    assert not result.status.any()
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


@pytest.fixture(scope="module")
def rssr() -> SpatialSolution:
    mechanism = read_mechanism(DATA / "rssr.toml")
    mechanism.outputs.update({"heading": "yaw", "sensor": "rod.sensor"})
    return SpatialSolution(spatial_form(mechanism))


def test_the_spin_is_told(rssr: SpatialSolution) -> None:
    """The export's notes name the link, and no degree of freedom is missing or left over."""
    assert any("link 'rod' may spin about the line between its balls 'inner' and 'outer'" in n for n in rssr.notes)


def test_freudensteins_equation_of_the_rocker(rssr: SpatialSolution) -> None:
    """|rocker tip - crank tip| = 0.4 m with hinges about z and about -y (x turned by a quarter)."""
    crank = np.linspace(-3, 3, 50)
    values = outputs(functions.position(rssr, "float64", contract=True), crank[:, None])
    cosine, sine = values["rocker.cos"], values["rocker.sin"]
    tip = np.stack([0.3 + 0.3 * cosine, 0.2 + 0 * cosine, 0.1 + 0.3 * sine])
    pin = np.stack([0.1 * np.cos(crank), 0.1 * np.sin(crank), 0 * crank])
    np.testing.assert_allclose(np.linalg.norm(tip - pin, axis=0), 0.4, atol=1e-14)


def test_held_spin_and_point_off_the_line(rssr: SpatialSolution) -> None:
    """The rod's own angles and a point off its line follow the documented convention, with rates and accelerations."""
    generator = np.random.Generator(np.random.Philox(3))
    poses, rates, seconds = (generator.uniform(-size, size, (20, 1)) for size in (3, 5, 20))
    reference = reference_of(rssr.mechanism)
    at = configuration(reference.positions(poses))
    velocities = reference.velocities(at, rates)
    accelerations = reference.accelerations(at, velocities, seconds)
    place = outputs(functions.position(rssr, "float64", contract=True), poses)
    second = outputs(functions.acceleration(rssr, "float64", contract=True), np.hstack([poses, rates, seconds]))
    for name in ("yaw", "pitch", "roll", "rocker"):
        k = reference.coordinates.index(name)
        np.testing.assert_allclose(place[f"{name}.sin"], at.sines[:, k], atol=1e-12)
        np.testing.assert_allclose(second[f"{name}.acceleration"], accelerations[:, k], rtol=1e-9, atol=1e-9)
    (frame,) = (frame for body in rssr.mechanism.bodies for frame in body.frames if frame.name == "rod.sensor")
    moving = point_motion(reference.skeleton, frame, at, velocities, accelerations)
    for k, axis in enumerate("xyz"):
        np.testing.assert_allclose(place[f"sensor.{axis}"], moving.place[:, k], atol=1e-12)


def test_rod_in_absolute_coordinates(rssr: SpatialSolution) -> None:
    """With the rod on a free joint and both balls closing loops, the rocker moves as with one closing ball."""
    text = (DATA / "rssr.toml").read_text()
    text = text.replace('type = "spherical"\nparent = "crank.tip"', 'type = "free"\nparent = "ground"')
    text = text.replace('["yaw", "pitch", "roll"]', '["x", "y", "z", "yaw", "pitch", "roll"]')
    closing = '[joints.pin]\ntype = "spherical"\nparent = "crank.tip"\nchild = "rod"\ncloses = true\n\n[coordinates]'
    free = SpatialSolution(spatial_form(parse_mechanism(text.replace("[coordinates]", closing), "rssr")))
    rows = np.linspace(-3, 3, 20)[:, None]
    one, other = (outputs(functions.position(form, "float64", contract=True), rows) for form in (rssr, free))
    np.testing.assert_array_equal(one["rocker.sin"], other["rocker.sin"])


def test_bodies_of_an_open_chain_are_no_links() -> None:
    """A chain of two balls: every angle is independent, and no spin is held."""
    body = '[bodies.{0}]\npoints = {{ end = ["1 m", "0", "0"] }}\n'
    joint = '[joints.{0}]\ntype = "spherical"\nparent = "{1}"\nchild = "{2}"\ncoordinates = ["{0}1", "{0}2", "{0}3"]\n'
    names = [f"{letter}{k}" for letter in "pq" for k in (1, 2, 3)]
    text = (
        'schema = 1\n[mechanism]\nname = "chain"\n'
        + body.format("upper")
        + body.format("lower")
        + joint.format("p", "ground", "upper")
        + joint.format("q", "upper.end", "lower")
        + f"[coordinates]\nindependent = {names}\n".replace("'", '"')
        + "pose = { " + ", ".join(f'{name} = "0"' for name in names) + " }\n"
        + "ranges = { " + ", ".join(f'{name} = ["-3 rad", "3 rad"]' for name in names) + " }\n"
        + "rates = { " + ", ".join(f'{name} = "3 rad/s"' for name in names) + " }\n"
    )  # fmt: skip
    assert SpatialSolution(spatial_form(parse_mechanism(text, "chain"))).form.plan.spins == ()
