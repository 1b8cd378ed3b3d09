"""Keywords that feed vectors to the device and judge what it computes."""

import math
from pathlib import Path

import numpy as np
from robot.api import logger
from robot.api.deco import keyword

from hil.errors import BenchError
from hil.keywords.state import HERE, State
from hil.lockstep import fields_names, hex_row, random_vectors
from hil.reference import Mismatch, compare_with_reference
from hil.stimulus import Stimulus
from sil.figures import count_text, figure
from sil.stated_limits import require_tolerance


class VectorKeywords:
    """Load and generate vectors, run them in lockstep, judge the outputs."""

    def __init__(self, state: State) -> None:
        self._state = state

    @keyword("Load Test Vectors")
    def load_test_vectors(self, path: str) -> int:
        """Take rows of inputs (state first) from a .npy or .csv file, or a log of CAN frames; returns how many.

        Example: | Load Test Vectors | ${CURDIR}/dostep.npy |
        """
        runtime = self._state.bench()
        rows, stimulus = runtime.load_rows(Path(path))
        self._state.rows, self._state.stimulus = rows, stimulus
        logger.info(f"{count_text(len(rows), 'vector')}, {stimulus.source}")
        for note in stimulus.notes:
            logger.warn(f"{path}: {note}")
        return len(rows)

    @keyword("Generate Random Vectors")
    def generate_random_vectors(self, count: int, seed: int = 1) -> str:
        """Make the fixed mix of invalid, boundary, subnormal and random rows; returns its SHA-256.

        Example: | Generate Random Vectors | 500 | seed=7 |
        """
        if count < 1:
            raise BenchError(f"{count} vectors were asked for; at least 1 is needed")
        made = random_vectors(self._state.bench(), count, seed)
        self._state.rows, self._state.stimulus = made.rows, Stimulus(seed=seed)
        logger.info(f"{count} vectors, seed {seed}, {made.mix()}")
        return made.sha256

    @keyword("Run Test Vectors")
    def run_test_vectors(self) -> None:
        """Step the device once for each vector, in lockstep; the same is computed on this computer.

        Vectors of a CAN log run at the parameters that the log states, unless Set Parameter has named others.
        """
        rows, stimulus = self._state.rows, self._state.stimulus
        if rows is None or stimulus is None:
            raise BenchError(f"there are no vectors{HERE}; call Generate Random Vectors or Load Test Vectors first")
        driver = self._state.driving()
        if stimulus.is_sequence:
            self._state.lockstep = driver.step_rows(rows, stimulus)
        else:
            self._state.lockstep = driver.run_rows(rows, stimulus, as_stated=not self._state.is_tuned)

    @keyword("Outputs Should Be Bit Identical")
    def outputs_should_be_bit_identical(self) -> None:
        """Outputs and status of the device equal those of the same C on this computer, in every bit."""
        lockstep, runtime = self._state.ran(), self._state.bench()
        wrong = np.flatnonzero(lockstep.wrong)
        if len(wrong):
            first = int(wrong[0])
            outputs = fields_names(runtime.function.row_outputs)
            raise AssertionError(
                f"{len(wrong)} of {len(lockstep.rows)} vectors differ, the first is vector {first}: the device says "
                f"{hex_row(outputs, lockstep.outputs[first])} with status {lockstep.status[first]:#010x}, "
                f"this computer says {hex_row(outputs, lockstep.host_outputs[first])} "
                f"with status {lockstep.host_status[first]:#010x}."
            )

    @keyword("Outputs Should Match Reference")
    def outputs_should_match_reference(self) -> None:
        """Outputs are as near to the model in double precision as the bench file says; flagged rows are left out."""
        lockstep, runtime = self._state.ran(), self._state.bench()
        compared = compare_with_reference(runtime, lockstep)
        if compared.numbers == 0:
            raise AssertionError(f"All {compared.flagged_rows} vectors carry a status, so no output can be judged.")
        if compared.mismatches:
            raise AssertionError(" ".join(_sentence(each) for each in compared.mismatches))
        logger.info(f"{compared.numbers} outputs held, {compared.flagged_rows} rows with a status left out")

    @keyword("Number Should Be Close To")
    def number_should_be_close_to(self, actual: float, expected: float, atol: float = 0.0, rtol: float = 0.0) -> None:
        """|actual - expected| <= atol + rtol |expected|, without rounding either of them.

        Nothing is close to NaN or infinity; tolerances are finite and not negative.

        Example: | Number Should Be Close To | ${x} | 59.85 | atol=1e-9 |
        """
        require_tolerance(atol, "atol")
        require_tolerance(rtol, "rtol")
        for number in (actual, expected):
            if not math.isfinite(number):
                raise AssertionError(f"{number!r} is no finite number, and nothing is close to it.")
        allowed = require_tolerance(atol + rtol * abs(expected), f"atol + rtol {abs(expected):g}")
        if not abs(actual - expected) <= allowed:
            raise AssertionError(
                f"{actual!r} is {abs(actual - expected):.6g} away from {expected!r}, the limit is {allowed:.6g}."
            )


def _sentence(mismatch: Mismatch) -> str:
    allowed = mismatch.tolerance
    return (
        f"{mismatch.signal} of vector {mismatch.row} is {mismatch.actual!r} {mismatch.unit}, the reference says "
        f"{mismatch.expected!r} {mismatch.unit}: {abs(mismatch.actual - mismatch.expected):.3g} apart, allowed are "
        f"{figure(allowed.ulp)} ulp, {allowed.absolute:g} absolute or {allowed.relative:g} relative."
    )
