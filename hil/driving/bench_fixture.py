"""An open bench as a test in Python takes it: names and units as text, claims as methods.

In: a bench file. Out: `OpenBench`. Every method does what the keyword of the same words does, with the same messages.
Used by: `hil.pytest_plugin`.
"""

from pathlib import Path
from types import TracebackType

from hil.bench import read_bench
from hil.bench_runtime import open_bench
from hil.driving.claims import read_output, require_output, require_status, require_within
from hil.driving.driver import Driver
from hil.driving.measure import parse_measure
from hil.driving.restart import restarted
from hil.driving.result_table import write_result_table
from hil.driving.span import parse_span
from hil.driving.vector_table import read_vector_table
from hil.errors import BenchError
from hil.lockstep import Lockstep, random_vectors
from hil.stimulus import Stimulus
from sil.parameter_texts import parse_parameters


class OpenBench:
    """A bench that is open until it is closed; may be used as a context manager."""

    def __init__(self, path: Path, target: str | None = None) -> None:
        self.runtime = open_bench(read_bench(path, target))
        self._stated = dict(self.runtime.parameters)
        self._take()

    def __enter__(self) -> "OpenBench":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the session and release the port."""
        self.runtime.close()

    def restore(self) -> None:
        """Inputs, state and parameters as they are when the bench is opened; results are forgotten."""
        self.runtime.set_parameters(self._stated)
        self._take()

    def reset_ecu(self) -> None:
        """Start the device anew, a board by its reset command."""
        self.runtime = restarted(self.runtime)
        self._take()

    def set_parameter(self, name: str, value: str) -> None:
        """Set a tunable parameter: "l1", "200 mm"."""
        given = parse_parameters(self.runtime.export.manifest, {name: value})
        self.runtime.set_parameters(self.runtime.parameters | given)

    def set_input(self, name: str, value: str) -> None:
        """Feed this value from the next step on: "F", "200 N"."""
        self.driver.set_input(name, parse_measure(value))

    def set_state(self, name: str, value: str) -> None:
        """Go on from this value of the state: "theta", "30 deg"."""
        self.driver.set_state(name, parse_measure(value))

    def set_raw_input(self, name: str, value: float) -> None:
        """Feed a value in SI units that may be NaN or infinite."""
        self.driver.set_raw_input(name, value)

    def step(self, count: int = 1) -> Lockstep:
        """Step so often; returns rows, outputs, status and ticks."""
        return self._keep(self.driver.step(count))

    def run_for(self, time: str) -> Lockstep:
        """Step for a time as so many periods: "20 ms"."""
        return self._keep(self.driver.step_for(parse_span(time)))

    def run_vectors(self, path: Path) -> Lockstep:
        """Step through a CSV file whose header has names and units."""
        table = read_vector_table(path, self.runtime.function, self.runtime.state_values)
        stimulus = Stimulus(file=path, sha256=table.sha256, is_sequence=not table.has_state)
        run = self.driver.run_rows if table.has_state else self.driver.step_rows
        return self._keep(run(table.rows, stimulus))

    def run_random(self, count: int, seed: int = 1) -> Lockstep:
        """Step through the fixed mix of invalid, boundary, subnormal and random vectors."""
        made = random_vectors(self.runtime, count, seed)
        return self._keep(self.driver.run_rows(made.rows, Stimulus(seed=seed)))

    def read_output(self, name: str, unit: str | None = None) -> float:
        """An output of the last step, in its SI unit or in this one."""
        return read_output(self.runtime, self.last, name, unit)

    def output_should_be(self, name: str, value: str, tolerance: str) -> None:
        """An output of the last step is near a value: "piston_position", "612 mm", "0.5 mm"."""
        require_output(self.runtime, self.last, name, parse_measure(value), parse_measure(tolerance))

    def output_should_stay_within(self, name: str, low: str, high: str, during: str) -> None:
        """Step for a time or a number of steps; both limits hold after every one of them."""
        run = self._keep(self.driver.step_for(parse_span(during)))
        require_within(self.runtime, run, name, parse_measure(low), parse_measure(high))

    def status_should_be(self, *conditions: str) -> None:
        """The status of the last step has exactly these conditions; "ok" is none."""
        require_status(self.runtime, self.last, conditions)

    def save_results(self, path: Path, **units: str) -> int:
        """Write every step since the inputs were reset to a CSV file; returns how many."""
        return write_result_table(path, self.runtime, self.driver.runs, units)

    @property
    def last(self) -> Lockstep:
        """The last run; raises `BenchError` where nothing was stepped."""
        if self._last is None:
            raise BenchError("nothing was stepped; call step, run_for, run_vectors or run_random first")
        return self._last

    def _take(self) -> None:
        self.driver = Driver(self.runtime)
        self._last: Lockstep | None = None

    def _keep(self, run: Lockstep) -> Lockstep:
        self._last = run
        return run
