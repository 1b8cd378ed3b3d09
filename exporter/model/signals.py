"""What a name in [outputs] stands for: a coordinate or what belongs to it, or a body, point or frame.

A joint's coordinate and a body may have one name: behind the coordinate stand .rate, .acceleration, .sin and .cos, and
the name alone is the coordinate; every other word behind it is a point or frame of the body.
"""

from collections.abc import Collection

SUFFIXES = ("rate", "acceleration", "sin", "cos")


def coordinate_of(signal: str, coordinates: Collection[str]) -> str:
    """The coordinate that a signal belongs to; empty where it names no signal of a coordinate."""
    name, dot, suffix = signal.partition(".")
    return name if name in coordinates and (not dot or suffix in SUFFIXES) else ""
