"""An inverted pendulum and its controller, in one export, or the controller alone.

The controller is a PID: proportional and differential parts of the cart's place and of the pole's angle, and the sum of
what the place lacks, which rests while the force is at its limit. Its gains put the poles of the linearised system at
-6 +- 3i, -2.5 +- i and -1.2 1/s.

    kinefix export examples/pendulum.py:model --out build/pendulum
    kinefix export examples/pendulum.py:controller --out build/balance
"""

import sympy as sp

from exporter.composition import Composition, compose
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.symbolic import SymbolicModel, define, frozen, given, output, state

x, speed, theta, turning = sp.symbols("x x.rate theta theta.rate")
wanted, summed, raw, period = sp.symbols("wanted summed raw T")
K = sp.Rational


def controller() -> SymbolicModel:
    """Force on the cart from its place, the pole's angle, and their rates."""
    lacking = wanted - x
    push = K("8.8") * summed + K("15.7") * lacking - K("10.4") * speed + K("42.3") * theta + K("8.15") * turning
    return SymbolicModel(
        name="balance",
        title="PID controller of a cart with a pole",
        inputs=(
            given("wanted", "-0.8 m", "0.8 m", about="place of the cart"),
            given("x", "-1 m", "1 m"),
            given("x.rate", "-5 m/s", "5 m/s"),
            given("theta", "-0.6 rad", "0.6 rad"),
            given("theta.rate", "-10 rad/s", "10 rad/s"),
        ),
        parameters=(frozen("T", "1 ms"),),
        steps=(define("raw", -push, about="the force without a limit"),),
        outputs=(output("force", sp.Max(-20, sp.Min(20, raw)), "N"),),
        states=(
            state(
                "summed",
                "-1 m*s",
                "1 m*s",
                next=sp.Piecewise((summed + period * lacking, sp.Abs(raw) <= 20), (summed, True)),
                about="sum over time of what the place lacks",
            ),
        ),
        period="1 ms",
    )


def model() -> Composition:
    """The pendulum with its controller."""
    return compose("pendulum", read_mechanism(model_path("cart_pendulum")), controller())
