"""Lengths of a mechanism at its nominal parameters: where its frames are, and how large it is."""

from fractions import Fraction

from exporter.model.evaluate import evaluate
from exporter.model.mechanism import Frame, Mechanism


def nominal_place(mechanism: Mechanism, frame: Frame) -> tuple[Fraction, Fraction, Fraction]:
    """A frame's origin at nominal parameters, body axes, m."""
    values = mechanism.nominal_values()
    x, y, z = (evaluate(part, values) for part in frame.at)
    return (x, y, z)


def length_of(mechanism: Mechanism) -> Fraction:
    """The mechanism's size, m."""
    frames = [frame for joint in mechanism.joints for frame in (joint.parent, joint.child)]
    sizes = [abs(part) for frame in frames for part in nominal_place(mechanism, frame)]
    return max(sizes, default=Fraction(1)) or Fraction(1)
