"""A program against what is right, row by row, for the differential test.

In: a program, its `Expected` sets, and what runs a function (the interpreter, or compiled C). Out: a
`Tally`. A row that is not flagged must agree within a tolerance; a flagged row promises nothing, and is counted as a
false alarm where the reference is on its branch and well conditioned.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from expected import Expected
from judge import BASE, CLEAR, DYNAMIC, LARGEST, Disagreement, Judge, Signs
from plain_rotations import Array

from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Output
from exporter.sequence.program import Program

WELL = {"float64": 30.0, "float32": 10.0}  # conditions of loops and masses below which a flag is a false alarm
TOO_LARGE = "STEP_TOO_LARGE"  # no false alarm where the reference sees a rate leave its bound too
NOTHING = 1e-14  # rad, m, their rates and accelerations: what the reference's rounding leaves of zero
PROMISED = {"float64": 1e-6, "float32": 1e-2}
"""Relative error of accelerations, and of what is made of them, above which an export must flag a pose."""
WARNINGS = 1 << 19 | 1 << 24  # roots about to meet, the end of a table: outputs keep their guarantee

COUNTS = ("rows", "compared", "flagged", "false_alarms", "not_judged", "imprecise", "forced", "forced_beyond")
NEAR = 1e-10
"""Accelerations and reactions beyond it, over the largest quantity of their kind in the row, are counted in float64."""
ACCELERATED = ("acceleration", *DYNAMIC)

Run = Callable[[OperationSequence, Array, Mapping[str, float]], tuple[Array, Array]]


@dataclass
class Tally:
    """What a comparison counted."""

    compared: int = 0  # values
    rows: int = 0
    flagged: int = 0
    false_alarms: int = 0
    not_judged: int = 0  # rows: behind a singular pose, or too near one
    alarms: Counter[str] = field(default_factory=Counter)  # false ones, by condition
    imprecise: int = 0  # outputs beyond rounding by the loops' condition, within what an export promises
    forced: int = 0  # accelerations and reactions that equations of motion give, in float64
    forced_beyond: int = 0  # of these further off than NEAR
    furthest: float = 0.0  # of these, over the largest quantity of the kind in the row
    disagreements: list[Disagreement] = field(default_factory=list)
    worst: float = 0.0  # error over tolerance

    def add(self, other: "Tally") -> None:
        """Count another one too."""
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.alarms.update(other.alarms)
        self.disagreements += other.disagreements
        self.worst, self.furthest = max(self.worst, other.worst), max(self.furthest, other.furthest)


def interpreted(program: Program) -> Run:
    """Functions by the interpreter; derived constants by the program's own recalibration."""

    def run(function: OperationSequence, rows: Array, parameters: Mapping[str, float]) -> tuple[Array, Array]:
        derived, started = _derived(program, parameters)
        values = iter(rows.T)
        columns = [
            np.full(len(rows), derived[signal.name]) if signal.group is Group.DERIVED else next(values)
            for signal in function.inputs
        ]
        result = interpret(function, np.array(columns).T.reshape(len(rows), len(columns)))
        return result.outputs, result.status | np.uint32(started)

    return run


def _derived(program: Program, parameters: Mapping[str, float]) -> tuple[dict[str, float], int]:
    if program.recalibrate is None:
        return {}, 0
    row = [[parameters.get(signal.name, float(signal.nominal or 0)) for signal in program.recalibrate.inputs]]
    found = interpret(program.recalibrate, np.array(row))
    names = (output.signal.name for output in program.recalibrate.outputs)
    return dict(zip(names, found.outputs[0].astype(float).tolist(), strict=True)), int(found.status[0])


def compared(program: Program, sets: list[Expected], run: Run | None = None) -> Tally:
    """Every function at every set."""
    tally = Tally()
    if not sets:
        return tally
    signs = Signs()
    for expected in sets:
        for function in program.functions:
            if function.name != "startup":
                tally.add(_of_function(program, function, expected, run or interpreted(program), signs))
    return tally


def _of_function(program: Program, function: OperationSequence, expected: Expected, run: Run, signs: Signs) -> Tally:
    asked = [signal.name for signal in function.inputs if signal.group is not Group.DERIVED]
    rows = np.stack([expected.inputs[name] for name in asked], axis=1)
    got, status = run(function, rows, expected.parameters)
    status = status & ~np.uint32(WARNINGS)
    tally = Tally(rows=len(rows), flagged=int((status != 0).sum()))
    dynamic = function.name in DYNAMIC
    if dynamic and expected.falling is None:
        tally.not_judged += len(rows)
        return tally
    judge = Judge(program, function, expected, got.astype(float), signs)
    judged = expected.reached.on_branch & (judge.tolerance(0) < LARGEST[program.precision])
    _count_alarms(tally, program, function, expected, judged & (status != 0), status)
    judged &= status == 0
    tally.not_judged += int((~judged & (status == 0)).sum())
    for output, right, tolerance in judge.outputs():
        _hold(tally, judge, output, right, tolerance, judged)
    if function.name == "position":
        _hold_open(tally, judge, (status == 0) & ~expected.reached.closes)
    return tally


def _count_alarms(
    tally: Tally, program: Program, function: OperationSequence, expected: Expected, flagged: Array, status: Array
) -> None:
    good = flagged & (expected.reached.condition < WELL[program.precision])
    if function.name in DYNAMIC and expected.forced is not None:
        good &= expected.forced.condition < WELL[program.precision]
    good &= ~_across(expected)
    if function.name == "dostep" and expected.stepped is not None:
        late = np.uint32(sum(1 << condition.bit for condition in function.conditions if condition.name == TOO_LARGE))
        good &= ~(expected.stepped.too_fast & (status & ~late == 0))
    tally.false_alarms += int(good.sum())
    for condition in function.conditions:
        tally.alarms[condition.name] += int((good & (status & np.uint32(1 << condition.bit) != 0)).sum())


def _across(expected: Expected) -> Array:
    """Rows where a direction whose angle is asked for lies where it has none: a flag is right there."""
    angles = [
        name
        for name, wanted in expected.driven.plain.document.get("outputs", {}).items()
        if type(wanted) is dict and "reaction" not in wanted
    ]
    clear = [expected.moving.clearance[name] for name in angles]
    return np.any([~(each > CLEAR) for each in clear], axis=0) if clear else np.zeros(len(expected.rates), dtype=bool)


def _hold(tally: Tally, judge: "Judge", output: Output, right: Array, tolerance: Array, judged: Array) -> None:
    """One output of all rows."""
    column = judge.function.outputs.index(output)
    mine = judged & np.isfinite(tolerance) & ~np.isnan(right)
    error = np.abs(judge.got[:, column] - right)
    if judge.is_angle(output):
        error = np.abs(np.remainder(error + np.pi, 2 * np.pi) - np.pi)
    error = np.where(np.isfinite(error), error, np.inf)
    tally.compared += int(mine.sum())
    if not mine.any():
        return
    if judge.program.precision == "float64" and output.signal.name in judge.sizes:
        far = np.maximum(error[mine] - NOTHING, 0) / judge.sizes[output.signal.name][mine]
        tally.forced += len(far)
        tally.forced_beyond += int((far > NEAR).sum())
        tally.furthest = max(tally.furthest, float(far.max()))
    ratio = np.where(mine, error / np.maximum(tolerance, NOTHING), 0.0)
    worst = int(np.argmax(ratio))
    tally.worst = max(tally.worst, float(ratio[worst]))
    if ratio[worst] > 1 and judge.function.name in ACCELERATED and not _is_broken(judge, error, right, mine):
        tally.imprecise += 1
    elif ratio[worst] > 1:
        tally.disagreements.append(judge.disagreement(output.signal.name, column, worst, right, tolerance))


def _is_broken(judge: "Judge", error: Array, right: Array, mine: Array) -> bool:
    """Whether an output misses what an export promises at some row."""
    return bool((error > PROMISED[judge.program.precision] * np.abs(right))[mine].any())


def _hold_open(tally: Tally, judge: "Judge", rows: Array) -> None:
    """Unflagged rows that the reference did not close: what came must close, whichever assembly it is."""
    placed = judge.placed()
    if placed is None or not rows.any():
        return
    driven = judge.expected.driven
    bound = 1e3 * BASE[judge.program.precision]
    open_by = np.abs(driven.closures(placed).residual).max(axis=1)
    for row in np.flatnonzero(rows & (open_by > bound)):
        tally.disagreements.append(
            Disagreement("position", "closures", judge.expected.parameters, judge.row(row), open_by[row], 0.0, bound)
        )
        break
