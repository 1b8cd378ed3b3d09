"""The bench's own checks by name: a verdict's `check` begins with one of them, or with one of `sil.check_names`."""

from enum import StrEnum


class BenchCheck(StrEnum):
    """Every check of the bench; members read as their names."""

    LOCKSTEP = "bit agreement in lockstep"
    PARAMETERS = "parameters judged otherwise"
    CONSTANCY = "cost depends on inputs"
    MISSED = "missed deadlines"
    RELEASED = "activations not released"
    RESPONSE = "worst finish after release"
    DURATION = "worst duration with guard"
    RESULTS = "wrong results of the free run"
    UNDER_FAULTS = "wrong results accepted under faults"
    DONE = "steps not done under faults"
    SLOWER = "slower than baseline"
    MORE_MISSES = "more misses than baseline"
    ONCE = "states not advanced once per step under faults"
    FINISHED = "runs cut short"
