"""The mechanisms of practice: against Newton on the original closures, and against what each is known to do."""

from pathlib import Path

import numpy as np
import pytest

from exporter.export import write_export
from exporter.functions import mechanism as functions
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution import Solution
from exporter.model.canonical import canonical
from exporter.model.library import model_path, practice_names
from exporter.model.points_of_interest import points_of_interest
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence
from sil.reference.angles import angle_motion
from sil.reference.mechanism import Reference, reference_of
from sil.reference.motion import configuration
from sil.reference.points import point_motion

Array = np.ndarray
ROWS = 30

# name -> lowest and highest value of every independent coordinate
CASES: dict[str, tuple[tuple[float, float], ...]] = {
    "jansen_leg": ((-3, 3),),
    "klann_leg": ((-3, 3),),
    "peaucellier": ((0.85, 1.85),),
    "scissor_lift": ((0.2, 0.75),),
    "pantograph": ((0.08, 0.14), (-0.03, 0.06)),
    "backhoe": ((0.1, 0.9), (-2.1, -0.9), (-0.9, 0.1)),
    "wing_flap": ((1.3, 2.3),),
    "macpherson": ((-0.28, 0.28), (-0.45, 0.45)),
    "front_axle": ((-0.35, 0.35), (-0.35, 0.35), (-0.04, 0.04)),
    "quarter_car": ((-0.12, 0.12), (-0.15, 0.15)),
    "tailgate": ((-1.2, 0.4),),
    "pump": ((-3, 3),),
    "engine": ((-3, 3),),
    "cart_pendulum": ((-0.9, 0.9), (-0.55, 0.55)),
}


def outputs(sequence: OperationSequence, rows: Array) -> dict[str, Array]:
    result = interpret(sequence, rows)
    assert not result.status.any(), f"flags {np.unique(result.status)} within reach"
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[str, Solution, Reference, Array, Array]:
    """Name, solved form, reference, poses, and all coordinates by Newton."""
    mechanism = read_mechanism(model_path(request.param))
    ends = np.array(CASES[request.param])
    generator = np.random.Generator(np.random.Philox(5))
    poses = generator.uniform(ends[:, 0], ends[:, 1], (ROWS, len(ends)))
    reference = reference_of(mechanism)
    expected = reference.positions(poses)
    assert np.isfinite(expected).all()
    return request.param, solved_mechanism(mechanism), reference, poses, expected


def test_positions_rates_and_accelerations(case: tuple[str, Solution, Reference, Array, Array]) -> None:
    """Every coordinate and point of interest: positions within 1e-11, derivatives within 1e-9 relative."""
    _, solved, reference, poses, expected = case
    generator = np.random.Generator(np.random.Philox(6))
    rates, accelerations = (generator.uniform(-size, size, poses.shape) for size in (0.1, 0.5))
    at = configuration(expected)
    speeds = reference.velocities(at, rates)
    everything = reference.accelerations(at, speeds, accelerations)
    place = outputs(functions.position(solved, "float64", contract=True), poses)
    first = outputs(functions.velocity(solved, "float64", contract=True), np.hstack([poses, rates]))
    second = outputs(functions.acceleration(solved, "float64", contract=True), np.hstack([poses, rates, accelerations]))
    for name in solved.exported_coordinates():
        column = reference.coordinates.index(name)
        if solved.mechanism.is_displacement(name):
            np.testing.assert_allclose(place[name], expected[:, column], atol=1e-11)
        else:
            np.testing.assert_allclose(place[f"{name}.sin"], np.sin(expected[:, column]), atol=1e-11)
            np.testing.assert_allclose(place[f"{name}.cos"], np.cos(expected[:, column]), atol=1e-11)
        np.testing.assert_allclose(first[f"{name}.rate"], speeds[:, column], rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(second[f"{name}.acceleration"], everything[:, column], rtol=1e-9, atol=1e-9)
    for name, frame in points_of_interest(solved.mechanism):
        moving = point_motion(reference.skeleton, frame, at, speeds, everything)
        for k, axis in enumerate("xyz"):
            np.testing.assert_allclose(place[f"{name}.{axis}"], moving.place[:, k], atol=1e-11)
            np.testing.assert_allclose(first[f"{name}.{axis}.rate"], moving.velocity[:, k], rtol=1e-9, atol=1e-10)


def test_every_mechanism_of_practice_is_tested_here() -> None:
    """None is left out."""
    assert set(CASES) == set(practice_names())


def test_angles_rates_and_accelerations(case: tuple[str, Solution, Reference, Array, Array]) -> None:
    """Toe, camber and caster of the strut, and whatever else asks for an angle of a direction."""
    _, solved, reference, poses, expected = case
    if not solved.mechanism.angles:
        return
    rates, accelerations = np.full_like(poses, 0.2), np.full_like(poses, -0.4)
    at = configuration(expected)
    speeds = reference.velocities(at, rates)
    everything = reference.accelerations(at, speeds, accelerations)
    place = outputs(functions.position(solved, "float64", contract=True), poses)
    first = outputs(functions.velocity(solved, "float64", contract=True), np.hstack([poses, rates]))
    second = outputs(functions.acceleration(solved, "float64", contract=True), np.hstack([poses, rates, accelerations]))
    for name, wanted in solved.mechanism.angles.items():
        moving = angle_motion(reference.skeleton, wanted, at, speeds, everything)
        np.testing.assert_allclose(place[name], moving.angle, atol=1e-12)
        np.testing.assert_allclose(first[f"{name}.rate"], moving.rate, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(second[f"{name}.acceleration"], moving.acceleration, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_it_is_exported(name: str, tmp_path: Path) -> None:
    """In double precision, with every function."""
    program = program_of_mechanism(read_mechanism(model_path(name)), "float64")
    export = write_export(program, tmp_path / "out", canonical(read_mechanism(model_path(name))))
    assert {function.name for function in export.manifest.functions} >= {"position", "velocity", "acceleration"}


def place_of(name: str, rows: Array) -> dict[str, Array]:
    solved = solved_mechanism(read_mechanism(model_path(name)))
    return outputs(functions.position(solved, "float64", contract=True), rows)


def test_peaucellier_draws_a_straight_line() -> None:
    """x = (arm^2 - side^2) / (2 crank) = 0.2 m over the whole range, y moves."""
    values = place_of("peaucellier", np.linspace(0.8, 1.9, 200)[:, None])
    np.testing.assert_allclose(values["pen.x"], 0.2, atol=1e-13)
    assert np.ptp(values["pen.y"]) > 0.1


def test_pantograph_draws_four_times_as_large() -> None:
    """The pen is at four times the tracer's place."""
    generator = np.random.Generator(np.random.Philox(2))
    rows = generator.uniform([0.06, -0.04], [0.15, 0.08], (100, 2))
    values = place_of("pantograph", rows)
    np.testing.assert_allclose(np.stack([values["pen.x"], values["pen.y"]], axis=-1), 4 * rows, atol=1e-12)


def test_backhoe_cylinders_are_as_long_as_their_pins_are_apart() -> None:
    """Law of cosines for the boom's cylinder: its pins on ground and boom, seen from the boom's pin."""
    values = place_of("backhoe", np.array([[0.1, -1.5, -0.5], [0.6, -1.5, -0.5], [0.9, -1.0, 0.0]]))
    ground, boom = np.array([-0.25, 0.3]), np.array([0.7, 0.15])
    lift = np.array([0.1, 0.6, 0.9])
    between = np.arctan2(ground[1], ground[0]) - np.arctan2(boom[1], boom[0]) - lift
    lengths = np.sqrt(ground @ ground + boom @ boom - 2 * np.hypot(*ground) * np.hypot(*boom) * np.cos(between))
    np.testing.assert_allclose(values["boom_length"], lengths, atol=1e-12)


def test_wing_flap_moves_backwards_and_down() -> None:
    """Over the actuator's travel the trailing edge only goes backwards and down, backwards further than down."""
    values = place_of("wing_flap", np.linspace(1.3, 2.3, 50)[:, None])
    assert (np.diff(values["trailing.x"]) > 0).all()
    assert (np.diff(values["trailing.y"]) < 0).all()
    assert np.ptp(values["trailing.x"]) > 4 * np.ptp(values["trailing.y"]) > 0.1


def test_front_axle_is_symmetric() -> None:
    """Left and right arm exchanged, and the rack mirrored: toe, camber, caster and inclination change sides."""
    rows = np.array([[0.2, -0.1, 0.02], [0.3, 0.3, 0.0], [-0.2, 0.1, -0.04]])
    values = place_of("front_axle", np.vstack([rows, rows[:, [1, 0, 2]] * [1, 1, -1]]))
    for name in ("toe", "camber", "caster", "inclination"):
        left, right = values[f"{name}_left"], values[f"{name}_right"]
        np.testing.assert_allclose(left, np.roll(right, 3), atol=1e-13)


def test_front_axle_is_two_double_wishbones() -> None:
    """Every angle of the left wheel, over arm and rack, is that of the library's double wishbone."""
    rows = np.array([[0.2, -0.1, 0.02], [-0.3, 0.3, 0.0], [0.35, 0.1, -0.04]])
    axle, alone = place_of("front_axle", rows), place_of("double_wishbone_front", rows[:, [0, 2]])
    for name in ("toe", "camber", "caster", "inclination"):
        np.testing.assert_allclose(axle[f"{name}_left"], alone[name], atol=1e-13)
