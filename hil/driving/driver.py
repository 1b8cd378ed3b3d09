"""Steps a device by named inputs, while its own state goes on from step to step.

In: an open bench. Out: `Lockstep` for each run, with the rows as the device met them and the same computed here. Used
by: `hil.keywords`.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.manifest import Field
from exporter.model.nearest import nearest_word
from hil.bench_runtime import BenchRuntime
from hil.driving.measure import Measure, si_value
from hil.driving.span import Span, require_steps, steps_of
from hil.errors import BenchError
from hil.lockstep import Lockstep, run_as_stated, run_lockstep
from hil.stimulus import Stimulus


class Driver:
    """The inputs in force, the state that the device should have, and all that was stepped since they were reset."""

    def __init__(self, runtime: BenchRuntime) -> None:
        self.runtime = runtime
        self.runs: list[Lockstep] = []
        self.reset_inputs()

    def reset_inputs(self) -> None:
        """Every input nominal, the state the nominal one, and nothing stepped yet."""
        self._inputs = {each.name: each.nominal for each in self._input_fields}
        self._state = {each.name: each.nominal for each in self._state_fields}
        self._is_device_elsewhere = True  # its state is not the one here
        self.runs = []

    def set_input(self, name: str, measure: Measure) -> float:
        """Feed this value from the next step on; returns it in SI units.

        Raises `BenchError` where the name is no input, or the unit is one of another dimension.
        """
        self._inputs[name] = value = si_value(self._input(name), measure, "input")
        return value

    def set_raw_input(self, name: str, value: float) -> None:
        """Feed a value in SI units that may be NaN or infinite; raises `BenchError` where the name is no input."""
        self._inputs[self._input(name).name] = value

    def set_state(self, name: str, measure: Measure) -> float:
        """Go on from this value of the state; returns it in SI units.

        Raises `BenchError` where the name is none of the state, or the unit is one of another dimension.
        """
        states = {each.name: each for each in self._state_fields}
        if name not in states:
            raise BenchError(self._no_signal(name, "state", tuple(states), "Set Input", tuple(self._inputs)))
        self._state[name] = value = si_value(states[name], measure, "state")
        self._is_device_elsewhere = True
        return value

    def step(self, count: int) -> Lockstep:
        """Step so often with the inputs in force."""
        return self.step_rows(np.tile(self._row(self._inputs), (require_steps(count), 1)))

    def step_for(self, span: Span) -> Lockstep:
        """Step for a number of steps, or for a time as so many periods."""
        return self.step(steps_of(self.runtime, span))

    def step_rows(self, inputs: NDArray[Any], stimulus: Stimulus | None = None) -> Lockstep:
        """Step once for each row of `inputs` (n, inputs without the state); the device's own state goes on."""
        states = self.runtime.state_values
        with np.errstate(over="ignore"):
            rows = inputs.astype(self.runtime.export.manifest.real)
            before = self._row(self._state).astype(rows.dtype)
        if states and self._is_device_elsewhere:
            self.runtime.session.set_state(tuple(before.tolist()))
        self._is_device_elsewhere = True  # where what follows is interrupted
        stepped = self.runtime.session.step(rows, with_state=False)
        self._is_device_elsewhere = False
        met = np.vstack([before[None, :], stepped.outputs[:-1, :states]])
        full = np.hstack([met, rows])
        host_outputs, host_status = self.runtime.host(full)
        fed = replace(stimulus or Stimulus(), parameters=dict(self.runtime.parameters))
        run = Lockstep(full, stepped.outputs, stepped.status, stepped.ticks, host_outputs, host_status, fed)
        self._state = dict(zip(self._state, run.outputs[-1, :states].tolist(), strict=True))
        self.runs.append(run)
        return run

    def run_rows(self, rows: NDArray[Any], stimulus: Stimulus, *, as_stated: bool = False) -> Lockstep:
        """Step once for each row, each from its own state; what was stepped before is forgotten.

        `as_stated`: at the parameters that the file of the rows states, where it states any; else at those in force.
        """
        self.leave_device()
        run = run_as_stated if as_stated else run_lockstep
        self.runs = [run(self.runtime, rows, stimulus)]
        return self.runs[0]

    def leave_device(self) -> None:
        """Something else steps the device: before the next step here its state is set anew."""
        self._is_device_elsewhere = True

    @property
    def _state_fields(self) -> tuple[Field, ...]:
        return self.runtime.function.row_inputs[: self.runtime.state_values]

    @property
    def _input_fields(self) -> tuple[Field, ...]:
        return self.runtime.function.row_inputs[self.runtime.state_values :]

    def _input(self, name: str) -> Field:
        inputs = {each.name: each for each in self._input_fields}
        if name not in inputs:
            raise BenchError(self._no_signal(name, "input", tuple(inputs), "Set State", tuple(self._state)))
        return inputs[name]

    def _no_signal(self, name: str, what: str, known: tuple[str, ...], other: str, others: tuple[str, ...]) -> str:
        """The sentence for a name that is none of `known`; `other` is the keyword for the `others`."""
        symbol = self.runtime.function.symbol
        if name in others:
            return f"'{name}' is no {what} of {symbol}; use {other} for it"
        near = nearest_word(name, (*known, *others))
        hint = f"did you mean '{near}'? " if near else ""
        return f"{symbol} has no {what} '{name}'; {hint}it has {', '.join(known) or 'none'}"

    def _row(self, values: dict[str, float | None]) -> NDArray[np.float64]:
        for name, value in values.items():
            if value is None:
                raise BenchError(f"'{name}' has no nominal value and was not set; use Set Input or Set State first")
        return np.array(list(values.values()), dtype=np.float64)
