"""Rates and accelerations of joint coordinates, from the motion of the bodies they are between."""

from exporter.kinematics.planar.rates import Acceleration, Motion
from exporter.sequence.builder import Value


def coordinate_rate(motion: Motion, coordinate: str) -> Value:
    """Rate of a joint coordinate."""
    turn = motion.pose.form.turn(coordinate)
    if turn is None:
        return motion.slide_rate[coordinate]
    if coordinate in motion.independent:
        return motion.independent[coordinate]
    return turn.sign * (motion.rate(turn.child) - motion.rate(turn.parent))


def coordinate_acceleration(second: Acceleration, coordinate: str) -> Value:
    """Acceleration of a joint coordinate."""
    turn = second.pose.form.turn(coordinate)
    if turn is None:
        return second.slide_acceleration[coordinate]
    if coordinate in second.independent:
        return second.independent[coordinate]
    return turn.sign * (second.acceleration(turn.child) - second.acceleration(turn.parent))
