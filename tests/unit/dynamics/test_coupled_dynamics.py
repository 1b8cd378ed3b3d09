"""Gears, racks and screws carry torque and inertia: accelerations against closed forms written down here, by hand."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from exporter.functions.program import program_of_mechanism
from exporter.model.complete import with_independent
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret

FILES = Path(__file__).resolve().parents[2] / "data" / "couplings"


def mechanism_named(name: str, *changes: tuple[str, str]) -> Mechanism:
    """A file of `data/couplings`, with texts in it replaced."""
    text = (FILES / f"{name}.toml").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_mechanism(text, name)


def outputs_of(mechanism: Mechanism, function: str, **given: float) -> Mapping[str, float]:
    """Outputs of one call in float64; inputs that are not given are nominal."""
    program = program_of_mechanism(mechanism, "float64", only=[function])
    (sequence,) = (each for each in program.functions if each.name == function)
    row = [given.get(each.name.replace(".", "_"), float(each.nominal)) for each in sequence.inputs]
    result = interpret(sequence, np.array([row]))
    assert result.status[0] == 0
    return {output.signal.name: float(result.outputs[0, k]) for k, output in enumerate(sequence.outputs)}


@pytest.mark.parametrize("ratio", [1.5, 2.0])
def test_wheel_is_felt_by_the_square_of_the_ratio(ratio: float) -> None:
    """T = (J1 + J2 / n^2) alpha'' of two gears, n tunable."""
    pair = mechanism_named("gear_pair", ('value = "2"', f'value = "{ratio}"'))
    found = outputs_of(pair, "dynamics", alpha=0.4, T=3.0)
    assert found["alpha.acceleration"] == pytest.approx(3.0 / (0.01 + 0.08 / ratio**2), rel=1e-12)


def test_torque_of_the_pinion_drives_the_wheel_by_the_ratio() -> None:
    """By the wheel's own angle: -n T = (n^2 J1 + J2) beta''."""
    given = mechanism_named(
        "gear_pair",
        ("alpha = [", 'beta = ["-3 rad", "3 rad"], alpha = ['),
        ('alpha = "20', 'beta = "9 rad/s", alpha = "20'),
    )
    found = outputs_of(with_independent(given, ["beta"], pose={"beta": given.pose["alpha"]}), "dynamics", T=3.0)
    assert found["beta.acceleration"] == pytest.approx(-2 * 3.0 / (4 * 0.01 + 0.08), rel=1e-12)


def test_rack_is_felt_as_mass_times_square_of_the_radius() -> None:
    """T - r F = (J + m r^2) alpha'', F of a spring along the rack."""
    found = outputs_of(mechanism_named("rack_pinion"), "dynamics", alpha=10.0, T=2.0)
    r, x = 0.05, 0.05 * 10.0
    assert found["x"] == pytest.approx(x, rel=1e-15)
    assert found["alpha.acceleration"] == pytest.approx((2.0 - r * 100 * (x - 0.1)) / (0.002 + 4 * r**2), rel=1e-12)


def test_epicyclic_gear_has_two_degrees_of_freedom() -> None:
    """M = diag(Js, Jr) + Jc a a^T with c = a . (s, r)."""
    found = outputs_of(mechanism_named("planetary"), "dynamics", Ts=1.0, Tr=-2.0)
    part = np.array([1.0, 3.0]) / 4
    matrix = np.diag([0.002, 0.02]) + 0.01 * np.outer(part, part)
    wanted = np.linalg.solve(matrix, [1.0, -2.0])
    assert [found["s.acceleration"], found["r.acceleration"]] == pytest.approx(wanted, rel=1e-12)


def test_bevel_differential_in_space() -> None:
    """The planet turns with the cage, about y, and about its own axis by half the difference."""
    found = outputs_of(mechanism_named("bevel"), "dynamics", T=1.0, Tl=0.5)
    mean, half = np.array([0.5, 0.5]), np.array([0.5, -0.5])
    matrix = 0.003 * np.eye(2) + (0.008 + 0.0001) * np.outer(mean, mean) + 0.0001 * np.outer(half, half)
    matrix += 0.001 * 3.5**2 * np.outer(mean, mean)
    wanted = np.linalg.solve(matrix, 1.0 * 3.5 * mean + np.array([0.5, 0.0]))
    assert [found["l.acceleration"], found["r.acceleration"]] == pytest.approx(wanted, rel=1e-12)


def test_screw_jack_holds_its_load_by_virtual_work() -> None:
    """At rest: T = lead dV/dx and a mass matrix that is twice the kinetic energy at unit speed, by differences."""
    jack = mechanism_named("screw_jack")
    lead, length, reach = 0.005 / (2 * np.pi), 0.4, 0.5
    height = np.sqrt(length**2 - (reach / 2) ** 2)
    slope = -reach / 4 / height  # of the height by x
    weight = 2 * 2.0 * 9.81 * slope / 2  # each arm's centre is at half its height
    kinetic = 0.0002 + lead**2 * (0.5 + 2 * _arm_inertia(slope, reach))
    found = outputs_of(jack, "dynamics", T=0.3)
    assert found["x"] == pytest.approx(0.5, rel=1e-12)
    assert found["motor.acceleration"] == pytest.approx((0.3 - lead * weight) / kinetic, rel=1e-9)


def _arm_inertia(slope: float, reach: float) -> float:
    """Mean kinetic energy of the two arms, doubled, per square of the nut's speed."""
    turning = slope / (reach / 2)  # d sin(angle) = cos(angle) d angle, with sin = height / l and cos = reach / 2 / l
    left = 2.0 * (0.25**2 + (slope / 2) ** 2)
    right = 2.0 * (0.75**2 + (slope / 2) ** 2)
    return (left + right) / 2 + 0.02 * turning**2


def test_angle_is_not_brought_back_where_a_rack_would_jump() -> None:
    """Beyond half a turn dostep goes on; the gear pair with a whole ratio is brought back by a turn."""
    rack = outputs_of(mechanism_named("rack_pinion"), "dostep", alpha=10.0)
    assert rack["alpha"] == pytest.approx(10.0, abs=0.1)
    wide = mechanism_named("gear_pair", ("-alpha / n", "-2 * alpha"), ("-3 rad", "-30 rad"), ('"3 rad"', '"30 rad"'))
    assert outputs_of(wide, "dostep", alpha=10.0)["alpha"] == pytest.approx(10.0 - 4 * np.pi, abs=1e-9)


def test_second_loop_is_felt_through_a_rocker_and_its_gear() -> None:
    """T = d/dt of the kinetic energy at rest: M alpha'' + dV/dalpha = T, both by differences of positions."""
    names = ("beta", "gamma", "delta", "epsilon", "zeta")
    wiper = mechanism_named("wiper")

    def pose(alpha: float) -> tuple[np.ndarray, float]:
        """Coordinates of inertia: places (m) times roots of masses, angles times roots of moments; and V."""
        found = outputs_of(wiper, "position", alpha=alpha)
        angle = {name: np.arctan2(found[f"{name}.sin"], found[f"{name}.cos"]) for name in names}
        turned = {"crank": alpha, "rod": alpha + angle["gamma"], "rocker": angle["beta"]}
        turned |= {"wheel": angle["delta"], "link": angle["delta"] + angle["zeta"], "blade": angle["epsilon"]}
        start = {"rod": 0.08 * np.exp(1j * alpha), "link": 0.6 + 0.1 * np.exp(1j * angle["delta"])}
        start |= {"crank": 0, "rocker": 0.3, "wheel": 0.6, "blade": 0.9}
        arm = {"crank": 0, "rod": 0.15, "rocker": 0, "wheel": 0.02, "link": 0.15, "blade": 0.1}
        masses = {"crank": 0.2, "rod": 0.3, "rocker": 0.4, "wheel": 0.5, "link": 0.3, "blade": 0.4}
        moments = {"crank": 0.001, "rod": 0.002, "rocker": 0.002, "wheel": 0.003, "link": 0.002, "blade": 0.004}
        centres = {body: start[body] + arm[body] * np.exp(1j * turned[body]) for body in masses}
        turns = [np.sqrt(moments[body]) * turned[body] for body in masses]
        parts = [np.sqrt(masses[body]) * centres[body] for body in masses]
        energy = 9.81 * sum(masses[body] * np.imag(centres[body]) for body in masses)
        return np.array([*turns, *np.real(parts), *np.imag(parts)], dtype=float), float(np.real(energy))

    step = 1e-5
    (before, low), (after, high) = pose(0.7 - step), pose(0.7 + step)
    speeds = (after - before) / (2 * step)
    wanted = (2.0 - (high - low) / (2 * step)) / (speeds @ speeds)
    found = outputs_of(wiper, "dynamics", alpha=0.7, T=2.0)
    assert found["alpha.acceleration"] == pytest.approx(wanted, rel=1e-7)


def test_every_file_reads() -> None:
    """Each is driven by fewer coordinates than it has."""
    for path in sorted(FILES.glob("*.toml")):
        found = read_mechanism(path)
        assert found.couplings
        assert set(found.following().names) <= set(found.coordinates())
