"""Checks of a symbolic model that need no expression: names, shapes, units, policies."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from exporter.digits import digits
from exporter.errors import ModelError
from exporter.symbolic.state import METHODS, clock_name, sample_times

if TYPE_CHECKING:
    from exporter.symbolic.model import LinearSolve, SymbolicModel

PREFIX = re.compile(r"[a-z][a-z0-9_]{0,17}")
"""C prefix: external names have at most 31 characters, so a prefix has at most 18."""

ROLES = ("value", "margin", "pivot", "residual")


def check_model(model: "SymbolicModel") -> None:
    """Raise ModelError where the model contradicts itself."""
    if not PREFIX.fullmatch(model.name):
        raise ModelError(
            f"model name '{model.name}' is no prefix for C names; use at most 18 lower-case letters, digits and _, "
            "starting with a letter"
        )
    if not model.outputs:
        raise ModelError(f"model '{model.name}' has no output; add output(name, expression, unit)")
    signals = [*(given.name for given in model.inputs), *(parameter.name for parameter in model.parameters)]
    states = [state.name for state in model.states] + [clock_name(every) for every in sample_times(model.states)]
    _unique("name", [*signals, *model.step_names(), *states])
    _unique("output", [output.name for output in model.outputs])
    _outputs_differ_from_signals(model, set(signals), set(states))
    _require_period(model)


def _require_period(model: "SymbolicModel") -> None:
    if model.method not in METHODS:
        raise ModelError(f"model '{model.name}' has the method '{model.method}'; choose one of {', '.join(METHODS)}")
    if model.period is not None and model.period <= 0:
        raise ModelError(f"model '{model.name}' has the period {digits(model.period)} s; give a positive one")
    continuous = [state.name for state in model.states if state.rate is not None]
    if continuous and model.period is None:
        raise ModelError(
            f"state '{continuous[0]}' has a rate, and model '{model.name}' no period to integrate it over; "
            'give period="1 ms"'
        )


def _unique(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not name or name != name.strip():
            raise ModelError(f"'{name}' cannot be a {what}; give it at least one letter and no spaces around it")
        if name in seen:
            raise ModelError(
                f"{what} '{name}' is given twice; inputs, parameters, steps and states each need a name of their own"
            )
        seen.add(name)


def _outputs_differ_from_signals(model: "SymbolicModel", signals: set[str], states: set[str]) -> None:
    for output in model.outputs:
        if output.name in states:
            raise ModelError(f"output '{output.name}' has the name of a state; name the output differently")
        if output.name in signals:
            raise ModelError(
                f"output '{output.name}' has the name of an input or parameter; name the output differently"
            )
        if output.role not in ROLES:
            raise ModelError(f"output '{output.name}' has the role '{output.role}'; choose one of {', '.join(ROLES)}")


def check_square(step: "LinearSolve") -> None:
    """Raise ModelError where unknowns, matrix and right side differ in size."""
    order, name = len(step.unknowns), ", ".join(step.unknowns)
    rows = {len(row) for row in step.matrix}
    if order == 0 or len(step.matrix) != order or rows != {order} or len(step.right) != order:
        raise ModelError(
            f"the solve step for ({name}) has {order} unknowns, a matrix of {len(step.matrix)} rows of "
            f"{sorted(rows)} entries and {len(step.right)} right sides; all must be {order}"
        )
