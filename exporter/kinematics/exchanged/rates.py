"""Rates and accelerations of the sought coordinates at the end of the steps: J h' = g' - what there is anyhow.

In: values of the triangular form's coordinates, rates and accelerations of those that are given. Out: the
same of the triangular form's coordinates. What there is anyhow comes from the common coordinates and from the rates.
"""

from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction

from exporter.kinematics.exchanged.form import BLOCK_ID, MotionLimits
from exporter.kinematics.exchanged.iterate import Values, Writer
from exporter.kinematics.seeded.ordered_elimination import Rows, eliminate
from exporter.records import dataclass

UNDRIVEN_POSE = "the given coordinates do not drive the mechanism in this pose"


@dataclass
class Transfer:
    """From given to sought at one place; the Jacobian is written when it is first needed."""

    writer: Writer
    at: Values  # sought and common
    limits: MotionLimits
    _jacobian: Rows = field(default_factory=list)

    def rates(self, wanted: Values) -> Values:
        """Rates of the triangular form's coordinates, from those of the mechanism's."""
        common = {name: wanted[name] for name in self.writer.exchange.common}
        anyhow = self.writer.rates(self.at, common) if common else {}
        return {**common, **self._solved(wanted, anyhow, "rates", self.limits.rates)}

    def accelerations(self, rates: Values, wanted: Values) -> Values:
        """Accelerations likewise, at these rates of the triangular form's coordinates."""
        common = {name: wanted[name] for name in self.writer.exchange.common}
        anyhow = self.writer.accelerations(self.at, rates, common)
        return {**common, **self._solved(wanted, anyhow, "accelerations", self.limits.accelerations)}

    def _solved(self, wanted: Values, anyhow: Values, what: str, limits: Sequence[Fraction]) -> Values:
        exchange, builder = self.writer.exchange, self.writer.builder
        label = f"{BLOCK_ID}.{what[0]}"
        with builder.step(label, f"{what} of {', '.join(exchange.sought)} from those of {', '.join(exchange.given)}"):
            if not self._jacobian:
                self._jacobian = self.writer.jacobian(self.at)
            sides = [wanted[name] - anyhow.get(name, builder.real(0)) for name in exchange.given]
            names = [f"{name}.{what.removesuffix('s')}" for name in exchange.sought]
            found = eliminate(exchange.order, names, self._jacobian, sides, limits, UNDRIVEN_POSE)
        return dict(zip(exchange.sought, found, strict=True))
