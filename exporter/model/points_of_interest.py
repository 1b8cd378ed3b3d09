"""Points of interest: entries of [outputs] that name a point of a body instead of a coordinate's signal.

In: a Mechanism. Out: (name of the output, frame); the signals are <name>.x, .y and .z in ground axes, with
.rate and .acceleration behind them.
"""

from exporter.model.expression import ZERO
from exporter.model.mechanism import Frame, Mechanism
from exporter.model.signals import coordinate_of

AXES = ("x", "y", "z")


def points_of_interest(mechanism: Mechanism) -> tuple[tuple[str, Frame], ...]:
    """The points that [outputs] asks for, in the order of the file."""
    coordinates = set(mechanism.coordinates())
    asked = [(alias, signal) for alias, signal in mechanism.outputs.items() if not coordinate_of(signal, coordinates)]
    return tuple((alias, frame) for alias, signal in asked if (frame := frame_named(mechanism, signal)) is not None)


def frame_named(mechanism: Mechanism, reference: str) -> Frame | None:
    """The frame that "body" or "body.point" names; None where there is none."""
    for body in mechanism.bodies:
        if reference == body.name:
            return Frame(body.name, (ZERO, ZERO, ZERO), name=body.name)
        for frame in body.frames:
            if frame.name == reference:
                return frame
    return None
