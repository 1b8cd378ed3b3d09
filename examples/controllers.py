"""Controllers as symbolic models with states: PI with anti-windup, filter, rate limiter, sequence, cascade.

docs/controllers.md builds them step by step.

    kinefix export examples/controllers.py:pi --out build/pi
    kinefix sil build/pi
"""

import sympy as sp

from exporter.symbolic import SymbolicModel, define, frozen, given, output, state, tunable

error, raw, integral, kp, ki, gain, period = sp.symbols("error raw integral kp ki gain T")
value, mean, tau = sp.symbols("value mean tau")
target, held, slope = sp.symbols("target held slope")
start, stop, hot, phase, waited = sp.symbols("start stop hot phase waited")


def pi() -> SymbolicModel:
    """A PI controller whose output is limited, and whose integral rests while it is."""
    return SymbolicModel(
        name="pi_control",
        title="PI controller with anti-windup",
        inputs=(
            given("wanted", "-100 rad/s", "100 rad/s"),
            given("measured", "-100 rad/s", "100 rad/s"),
            given("restart", 0, 1, about="above 1/2: the integral starts again"),
        ),
        parameters=(tunable("kp", "0.5", 0, 2), tunable("ki", "4", 0, 20), frozen("T", "1 ms")),
        steps=(
            define("error", sp.Symbol("wanted") - sp.Symbol("measured")),
            define("raw", kp * error + integral, about="the command without a limit"),
            define("gain", ki * period, about="of parameters alone: recalibrate computes it"),
        ),
        outputs=(output("command", sp.Max(-12, sp.Min(12, raw)), "N*m"),),
        states=(
            state(
                "integral",
                "-12 N*m",
                "12 N*m",
                next=sp.Piecewise((integral + gain * error, sp.Abs(raw) <= 12), (integral, True)),
                reset=sp.Symbol("restart"),
            ),
        ),
        period="1 ms",
    )


def low_pass() -> SymbolicModel:
    """A first-order filter, integrated by the export."""
    return SymbolicModel(
        name="low_pass",
        title="First-order filter",
        inputs=(given("value", -10, 10),),
        parameters=(tunable("tau", "20 ms", "5 ms", "1 s", about="time constant"),),
        outputs=(output("filtered", mean),),
        states=(state("mean", -10, 10, rate=(value - mean) / tau, about="the filtered value"),),
        period="1 ms",
    )


def rate_limiter() -> SymbolicModel:
    """Follows its input by no more than a given amount in each step."""
    change = sp.Max(-slope, sp.Min(slope, target - held))
    return SymbolicModel(
        name="limiter",
        title="Rate limiter",
        inputs=(given("target", -1, 1),),
        parameters=(tunable("slope", "0.01", "0.001", "0.5", about="the most that one step changes"),),
        outputs=(output("followed", held),),
        states=(state("held", -1, 1, next=held + change),),
    )


def sequence() -> SymbolicModel:
    """Off, heating, running, cooling: a machine of four states, sampled at every tenth step, that waits in one."""
    phases = sp.Piecewise(
        (0, stop > sp.Rational(1, 2)),
        (1, sp.Eq(phase, 0) & (start > sp.Rational(1, 2))),
        (2, sp.Eq(phase, 1) & (waited >= 50)),
        (3, sp.Eq(phase, 2) & (hot > 90)),
        (2, sp.Eq(phase, 3) & (hot < 70)),
        (phase, True),
    )
    return SymbolicModel(
        name="sequence",
        title="Start sequence of a heater",
        inputs=(given("start", 0, 1), given("stop", 0, 1), given("hot", 0, 150, about="temperature in degrees")),
        outputs=(
            output("heat", sp.Piecewise((1, sp.Eq(phase, 1) | sp.Eq(phase, 2)), (0, True))),
            output("phase_now", phase),
        ),
        states=(
            state("phase", 0, 3, next=phases, every=10, integer=True, about="0 off, 1 heating, 2 running, 3 cooling"),
            state(
                "waited",
                0,
                1000,
                next=sp.Min(1000, waited + 1),
                reset=sp.Ne(phase, 1),
                integer=True,
                about="steps of heating so far",
            ),
        ),
        period="10 ms",
    )


def cascade() -> SymbolicModel:
    """Position over speed: the outer loop is sampled at every tenth step and holds its command between."""
    place, speed, outer = sp.symbols("place speed outer")
    inner = sp.Symbol("inner")
    return SymbolicModel(
        name="cascade",
        title="Position control over speed control",
        inputs=(
            given("goal", "-1 m", "1 m"),
            given("place", "-1 m", "1 m"),
            given("speed", "-2 m/s", "2 m/s"),
            given("hold", 0, 1, about="above 1/2: both loops start again"),
        ),
        steps=(
            define("gap", outer - speed, about="what the speed lacks"),
            define("push", 30 * sp.Symbol("gap") + inner, about="the force without a limit"),
        ),
        outputs=(output("force", sp.Max(-20, sp.Min(20, sp.Symbol("push"))), "N"),),
        states=(
            state(
                "outer",
                "-1 m/s",
                "1 m/s",
                next=sp.Max(-1, sp.Min(1, 4 * (sp.Symbol("goal") - place))),
                every=10,
                reset=sp.Symbol("hold"),
                about="wanted speed",
            ),
            state(
                "inner",
                "-20 N",
                "20 N",
                next=sp.Max(-20, sp.Min(20, inner + sp.Rational(1, 10) * sp.Symbol("gap"))),
                reset=sp.Symbol("hold"),
                about="force that the speed loop has summed up",
            ),
        ),
        period="1 ms",
    )
