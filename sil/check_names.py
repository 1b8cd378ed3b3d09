"""The names of all checks of SIL, in one place: a verdict's `check` begins with one of them.

What follows a name says of which vectors: ", near singular, over the condition number", " of m7 and host", or the
coordinates that drive a group.
"""

from enum import StrEnum


class Check(StrEnum):
    """Every check; members read as their names."""

    FINITE = "outputs that are not finite"
    REPEATED = "vectors that differ when repeated"
    REJECTED = "arguments flagged wrongly"
    REPLACED = "rejected arguments not replaced"
    PARAMETERS_REJECTED = "parameters flagged wrongly"
    PARAMETERS_REPLACED = "rejected parameters not replaced"
    AGREEMENT = "bit agreement"
    SPREAD = "spread of the instruction count"
    CLOSURE = "closure residual"
    COORDINATES = "coordinates"
    VELOCITIES = "velocities"
    ACCELERATIONS = "accelerations"
    VELOCITY_SLOPES = "velocities against finite differences"
    ACCELERATION_SLOPES = "accelerations against finite differences"
    POINTS = "points of interest"
    ANGLES = "angles of directions"
    DISTANCES = "distances"
    ATTITUDES = "attitudes"
    CONTINUITY = "attitudes along a path"
    DYNAMICS = "dynamics"
    POWER = "power balance"
    REACTIONS = "joint reactions"
    STEP = "integration step"
    STATE_RANGE = "states out of range"
    RATE_RANGE = "rates out of range"
    STEP_FLAGS = "steps flagged wrongly"
    START = "start state"
    TRAJECTORY = "trajectory from the start"
    FALSE_ALARMS = "false alarms"
    MISSED_FLAGS = "missed flags"
    RATIO = "ratio of the choices"
    RULE = "rule of the switch"
    ROOTS = "root of the other choice"
    OUTPUTS = "outputs"
    REFERENCE = "held against the reference"


def name_of(check: str) -> Check:
    """The name that a verdict's `check` begins with; of several the longest.

    Raises:
        ValueError: it begins with none.
    """
    found = [name for name in Check if check.startswith(name.value)]
    if not found:
        raise ValueError(f"'{check}' begins with the name of no check; add it to sil.check_names")
    return max(found, key=len)
