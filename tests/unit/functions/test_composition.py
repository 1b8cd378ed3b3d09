"""A mechanism with its controller: bit for bit what two exports that exchange signals do, and what physics says.

Oracles: the two exports apart, stepped side by side; the textbook's equations of the cart and its pole, integrated in
numpy. Masses and lengths are those of exporter/mechanisms/practice/cart_pendulum.toml.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

from exporter.c99.layout import layout
from exporter.c99.rows import run_rows
from exporter.composition import Composition, compose
from exporter.composition.canonical import canonical, from_canonical, model_hash
from exporter.composition.program import program_of_composition
from exporter.errors import ModelError
from exporter.export import export_source, load_export, program_of_export
from exporter.functions.program import program_of_mechanism
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.program import Program
from exporter.sequence.status import BITS
from exporter.symbolic import Division, SymbolicModel, given, load, output, state, tunable
from exporter.symbolic.loading import load_object
from exporter.symbolic.program import program_of_symbolic

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "pendulum.py"
GAINS = {"summed": 8.8, "lacking": 15.7, "speed": -10.4, "theta": 42.3, "turning": 8.15}
x, theta = sp.symbols("x theta")


@pytest.fixture(scope="module")
def pendulum() -> Composition:
    found = load_object(f"{EXAMPLE}:model")
    assert isinstance(found, Composition)
    return found


def mechanism() -> Mechanism:
    return read_mechanism(model_path("cart_pendulum"))


def stepper(program: Program) -> Callable[[str, Any], Any]:
    """Runs one row of a function: outputs and status."""
    plan = layout(program)

    def step(name: str, row: Any) -> Any:
        ran = run_rows(plan, name, np.array([row]) if len(row) else np.empty((1, 0)))
        return ran.outputs[0].astype(float), int(ran.status[0])

    return step


def test_one_export_has_the_bits_of_two_that_exchange_signals(pendulum: Composition) -> None:
    """300 steps in float32 with a place that jumps: state, outputs and status."""
    both = stepper(program_of_composition(pendulum, "float32"))
    plant = stepper(program_of_mechanism(mechanism(), "float32"))
    control = stepper(program_of_symbolic(load(f"{EXAMPLE}:controller"), "float32"))
    whole, moving, summed = both("startup", [])[0], plant("startup", [])[0], control("startup", [])[0]
    for number in range(300):
        wanted = 0.3 if number % 100 > 50 else -0.2
        made, status = both("dostep", [*whole, wanted])
        place, angle, speed, turning = moving
        told, first = control("dostep", [*summed, wanted, place, speed, angle, turning])
        stepped, second = plant("dostep", [*moving, told[1]])
        assert list(made) == [*stepped[:4], told[0], *stepped[4:], told[1]]
        assert status == first | second
        whole, moving, summed = made[:5], stepped[:4], told[:1]


def test_the_controller_holds_the_pole_up_as_the_textbook_says(pendulum: Composition) -> None:
    """(M + m) a - m l cos b = F - m l sin w^2, (I + m l^2) b - m l cos a = m g l sin; RK4 with F held, 2,000 steps."""
    step = stepper(program_of_composition(pendulum, "float64"))
    made = step("startup", [])[0]
    place, summed = np.array([0.0, 0.1, 0.0, 0.0]), 0.0
    for _ in range(2000):
        made, status = step("dostep", [*made[:5], 0.2])
        lacking = 0.2 - place[0]
        force = -sum(
            gain * value
            for gain, value in zip(GAINS.values(), (summed, lacking, place[2], place[1], place[3]), strict=True)
        )
        summed += 1e-3 * lacking
        place = runge_kutta(place, force)
        assert status == 0
    assert made[:4] == pytest.approx(place, abs=1e-10)
    assert abs(made[1]) < 0.02
    assert made[0] == pytest.approx(0.2, abs=0.1)


def runge_kutta(at: Any, force: float, step: float = 1e-3) -> Any:
    def slope(now: Any) -> Any:
        _, angle, speed, turning = now
        cart, pole, arm, inertia = 0.5, 0.2, 0.3, 0.006
        matrix = np.array(
            [[cart + pole, -pole * arm * np.cos(angle)], [-pole * arm * np.cos(angle), inertia + pole * arm**2]]
        )
        right = [force - pole * arm * np.sin(angle) * turning**2, pole * 9.81 * arm * np.sin(angle)]
        return np.array([speed, turning, *np.linalg.solve(matrix, right)])

    k1 = slope(at)
    k2 = slope(at + step / 2 * k1)
    k3 = slope(at + step / 2 * k2)
    return at + step / 6 * (k1 + 2 * k2 + 2 * k3 + slope(at + step * k3))


def test_a_command_beyond_the_range_of_the_input_is_limited_and_told() -> None:
    """The controller asks for 60 N of 20 N at 0.6 rad; the mechanism moves as under 20 N."""
    strong = SymbolicModel("strong", (given("theta", -1, 1),), (output("force", 100 * theta),))
    step = stepper(program_of_composition(compose("limited", mechanism(), strong), "float64"))
    alone = stepper(program_of_mechanism(mechanism(), "float64"))
    made, status = step("dostep", [0.0, 0.6, 0.0, 0.0])
    assert status == 1 << BITS["LIMITED"][0]
    assert list(made[:4]) == list(alone("dostep", [0.0, 0.6, 0.0, 0.0, 20.0])[0][:4])
    assert made[-1] == 60.0
    assert step("dostep", [0.0, 0.1, 0.0, 0.0])[1] == 0


def test_a_guard_of_the_controller_is_not_dropped_for_ranges_that_its_input_loses() -> None:
    """m in [-1, 1] is cut into pieces alone, and is the turning of the pole, which nothing cuts, in the mechanism.

    With p = (m + 1) / 2 the force is sin(m) / (3/10 - p (1 - p)) / 100 and its denominator at least 1/20 in pieces.
    """
    m = sp.Symbol("m")
    p = (m + 1) / 2
    force = output("force", sp.sin(m) / (sp.Rational(3, 10) - p * (1 - p)) / 100)
    law = SymbolicModel("law", (given("m", -1, 1),), (force,), division=Division("1e-6"), period="1 ms")
    made = compose("cut", mechanism(), law, measured={"m": "theta.rate"})
    found = stepper(program_of_composition(made, "float64"))("dostep", [0.0, 0.1, 0.0, 0.5])
    assert found[1] == 0
    assert found[0][-1] == pytest.approx(np.sin(0.5) / (0.3 - 0.75 * 0.25) / 100, rel=1e-14)


def test_parameters_of_the_controller_stay_tunable() -> None:
    gain = SymbolicModel(
        "gain", (given("theta", -1, 1),), (output("force", sp.Symbol("kp") * theta),), (tunable("kp", 10, 0, 20),)
    )
    program = program_of_composition(compose("tuned", mechanism(), gain), "float64")
    assert [signal.name for signal in program.parameters] == ["kp"]
    assert stepper(program)("dostep", [0.0, 0.25, 0.0, 0.0])[0][-1] == 2.5


def test_the_export_holds_the_composition(pendulum: Composition, tmp_path: Path) -> None:
    """From the command line's SOURCE to the folder, and back from its manifest."""
    export_source(f"{EXAMPLE}:model", tmp_path / "pendulum", "float32")
    found = load_export(tmp_path / "pendulum")
    program = program_of_export(found)
    assert found.manifest.kind == "composed"
    assert program is not None
    assert program.model_hash == model_hash(pendulum) == model_hash(from_canonical(canonical(pendulum)))
    assert [function.name for function in found.manifest.functions] == ["startup", "dostep"]


def controller(*names: str, drives: str = "force", period: Any = None, **more: Any) -> SymbolicModel:
    """Reads these names."""
    value = sum((sp.Symbol(name) for name in names), sp.Integer(0))
    return SymbolicModel(
        "sum", tuple(given(name, -1, 1) for name in names), (output(drives, value),), period=period, **more
    )


def measuring(unit: str = "N*m") -> SymbolicModel:
    """Reads a length and gives a force in this unit."""
    return SymbolicModel("sum", (given("long", "-1 m", "1 m"),), (output("force", sp.Symbol("long"), unit),))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: compose("Bad", mechanism(), controller("theta")), "no prefix for C names"),
        (lambda: compose("bad", mechanism(), controller("theta", drives="push")), "drives no input of 'cart_pendulum'"),
        (lambda: compose("bad", mechanism(), controller("theta"), driven={"forces": "force"}), "has no input 'forces'"),
        (lambda: compose("bad", mechanism(), controller("theta"), driven={"force": "f"}), "has no output 'f'"),
        (lambda: compose("bad", mechanism(), controller("theta"), measured={"thet": "x"}), "has no input 'thet'"),
        (lambda: compose("bad", mechanism(), controller("theta", period="2 ms")), "has a period of 0.002 s"),
        (
            lambda: program_of_composition(
                compose("bad", mechanism(), controller("theta"), measured={"theta": "tilt"}), "float64"
            ),
            "reads 'tilt', which is no signal",
        ),
        (
            lambda: program_of_composition(
                compose("bad", mechanism(), controller("a"), measured={"a": "x.acceleration"}), "float64"
            ),
            "depends on 'force', which the controller drives: an algebraic loop",
        ),
        (
            lambda: program_of_composition(compose("bad", mechanism(), controller("x.acceleration")), "float64"),
            "depends on 'force', which the controller drives: an algebraic loop",
        ),
        (
            lambda: program_of_composition(compose("bad", mechanism(), measuring(), measured={}), "float64"),
            "the mechanism's input 'force' is in N, and 'force' of the controller in N.m; give both the same",
        ),
        (
            lambda: program_of_composition(
                compose("bad", mechanism(), measuring("N"), measured={"long": "theta"}), "float64"
            ),
            "the controller's input 'long' is in m, and 'theta' of the mechanism in rad; give both the same dimension",
        ),
        (
            lambda: program_of_composition(
                compose(
                    "bad",
                    mechanism(),
                    controller("theta", states=(state("x", -1, 1, next=x),)),
                ),
                "float64",
            ),
            "'x' is a signal of the mechanism and of the controller",
        ),
        (
            lambda: program_of_composition(
                compose("bad", read_mechanism(model_path("planar_3r")), controller("q1", drives="f"), driven={}),
                "float64",
            ),
            "drives no input of 'planar_3r'",
        ),
        (
            lambda: program_of_composition(
                compose("bad", mechanism(), controller("theta", parameters=(tunable("arm", 1, 0, 2),))), "float64"
            ),
            "parameter 'arm'",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ModelError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_the_loader_tells_what_it_is_given() -> None:
    """A composition is no symbolic model, for what takes nothing else."""
    with pytest.raises(ModelError, match="returned Composition; it must return a SymbolicModel"):
        load(f"{EXAMPLE}:model")
