"""The kinds of elements that a mechanism file may name: which values each takes, and of which dimension.

Used by: the reader, the checks, and whoever writes or evaluates the force. x is the length or coordinate that the
element acts along, v its rate; a positive force F makes x larger:

    spring      F = preload - stiffness (x - free) - damping v, or F = force
    damper      F = -damping v, or F = force
    actuator    F = force
    gas_spring  F = force (column / (column + x - at))^exponent - damping v
    end_stop    F = stiffness d (1 - dissipation v) where d = lower - x is above zero, and likewise at `upper`; F >= 0
                at `lower`, F <= 0 at `upper` (Hunt and Crossley 1975, with exponent 1)
    friction    F = -force v / sqrt(v^2 + smoothing_speed^2), whose slope at rest is force over smoothing_speed
"""

from collections.abc import Mapping

from exporter.model.mechanism import ElementType
from exporter.model.units import ANGLE, DIMENSIONLESS, FORCE, TIME, TORQUE, Dimension
from exporter.records import dataclass

READS_STATE = "force"
"""The value whose formula may read the state; all others read parameters and inputs."""


@dataclass(frozen=True, slots=True)
class ElementKind:
    """What an element of a kind is given by."""

    required: tuple[tuple[str, ...], ...]  # of each tuple one, and no more than one where they are alternatives
    optional: tuple[str, ...] = ()


ELEMENT_KINDS: Mapping[ElementType, ElementKind] = {
    "spring": ElementKind((("stiffness", "force"),), ("free", "preload", "damping")),
    "damper": ElementKind((("damping", "force"),)),
    "actuator": ElementKind((("force",),)),
    "gas_spring": ElementKind((("force",), ("at",), ("column",)), ("exponent", "damping")),
    "end_stop": ElementKind((("stiffness",), ("lower", "upper")), ("dissipation",)),
    "friction": ElementKind((("force",), ("smoothing_speed",))),
}
BOTH_ALLOWED = ("lower", "upper")
"""Alternatives of which an element may have both."""
NOT_BY_FORMULA = ("free", "preload", "damping")
"""Values that say nothing where a spring's force is a formula of its own."""

ABOVE_ZERO = ("column", "exponent", "smoothing_speed")
NOT_NEGATIVE = ("damping", "dissipation")
"""Values with a sign that every element of the kind must have, whatever the parameters."""


def element_dimensions(along: Dimension) -> dict[str, Dimension]:
    """The dimension of every value, where x has this one (length or angle)."""
    force = TORQUE if along == ANGLE else FORCE
    return {
        "stiffness": force / along,
        "damping": force / along * TIME,
        "force": force,
        "preload": force,
        "free": along,
        "at": along,
        "lower": along,
        "upper": along,
        "column": along,
        "exponent": DIMENSIONLESS,
        "dissipation": TIME / along,
        "smoothing_speed": along / TIME,
    }
