"""Kinetic energy and power, projected from the velocities of all bodies onto the independent rates.

In: T = 1/2 sum m_ij x_i x_j and P = sum f_i x_i over rates x of a linear graph. Out: the mass matrix and the
generalised forces. Rates are eliminated from the last written to the first, x = sum c_k y_k, so that what many bodies
share is met after it was summed: every loop is projected onto what moves it before that is projected further (inside
out), and no wide Jacobian is formed.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field

from exporter.dynamics.factorisation import LARGEST_ENTRY, LARGEST_FACTOR, limitable_value
from exporter.dynamics.linear_graph import Terms, linear_graph
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.operations import Kind, Step

Matrix = list[list[Value]]
OPERATIONS_PER_HEADING = 60
"""Operations from which on the next rate of a step has a heading of its own."""


@dataclass
class Projection:
    """The two forms while they are being projected."""

    rows: dict[int, dict[int, Value]] = field(default_factory=dict)  # symmetric: rows[i][j] is rows[j][i]
    forces: dict[int, Value] = field(default_factory=dict)

    def add_mass(self, rate: Value, mass: Value) -> None:
        """Add mass * rate^2 to 2 T."""
        if rate.constant is None and mass.constant != 0:
            self._add(rate.index, rate.index, mass)

    def add_product(self, left: Value, right: Value, mass: Value) -> None:
        """Add 2 * mass * left * right to 2 T; both may be the same value."""
        if left == right:
            self.add_mass(left, 2 * mass)
        elif left.constant is None and right.constant is None and mass.constant != 0:
            self._add(left.index, right.index, mass)

    def add_force(self, rate: Value, force: Value) -> None:
        """Add force * rate to P."""
        if rate.constant is None and force.constant != 0:
            known = self.forces.get(rate.index)
            self.forces[rate.index] = force if known is None else known + force

    def onto(
        self, builder: Builder, rates: list[Value], given: Mapping[int, Terms] | None = None
    ) -> tuple[Matrix, list[Value]]:
        """Mass matrix and generalised forces of these rates.

        `given` tells further rates as sums of these, by their index: they end the graph too.
        """
        given = given or {}
        velocities = [Value(builder, index) for index in sorted(self.rows.keys() | self.forces.keys())]
        graph = linear_graph(builder, [*rates, *(Value(builder, index) for index in given)], velocities)
        base = {rate.index for rate in rates}
        told = _Told(builder)
        while waiting := (self.rows.keys() | self.forces.keys()) - base:
            index = max(waiting)
            with told.passing(index):
                found = given[index] if index in given else graph.terms(index)
                terms = {key: limitable_value(factor, LARGEST_FACTOR) for key, factor in found.items()}
                own = self._mix(index, terms)
            with told.passing(index):
                if own is not None:
                    self._spread(own, terms)
                self._push(index, terms)
        zero = rates[0].builder.real(0)
        matrix = [[self.rows.get(left.index, {}).get(right.index, zero) for right in rates] for left in rates]
        return matrix, [self.forces.get(rate.index, zero) for rate in rates]

    def _mix(self, index: int, terms: Terms) -> Value | None:
        """Replace one rate by what it is a sum of, in its products with others; gives the mass of its square."""
        row = {key: _clamp_entry(mass) for key, mass in self.rows.pop(index, {}).items()}
        own = row.pop(index, None)
        for other in row:
            del self.rows[other][index]
        for other, mass in sorted(row.items()):
            for key, factor in terms.items():
                product = factor * mass
                self._add(key, other, 2 * product if key == other else product)
        return own

    def _push(self, index: int, terms: Terms) -> None:
        """Put the force along a rate on what the rate is a sum of."""
        force = self.forces.pop(index, None)
        if force is not None:
            force = _clamp_entry(force)
            for key, factor in terms.items():
                known = self.forces.get(key)
                self.forces[key] = factor * force if known is None else known + factor * force

    def _spread(self, own: Value, terms: Terms) -> None:
        """own * (sum c_k y_k)^2."""
        pairs = list(terms.items())
        for number, (key, factor) in enumerate(pairs):
            moved = factor * own
            for other, second in pairs[number:]:
                self._add(key, other, moved * second)

    def _add(self, left: int, right: int, mass: Value) -> None:
        for one, other in {(left, right), (right, left)}:
            row = self.rows.setdefault(one, {})
            row[other] = row[other] + mass if other in row else mass


@dataclass
class _Told:
    """Headings over what is passed on: by the step that rates were written for, a new one where that is long."""

    builder: Builder
    step: Step | None = None
    number: int = 0
    since: int = 0

    def passing(self, index: int) -> AbstractContextManager[None]:
        """The heading over the elimination of one rate."""
        step, written = self.builder.operation(index).step, self.builder.written
        if step != self.step:
            self.step, self.number, self.since = step, 1, written
        elif written - self.since > OPERATIONS_PER_HEADING:
            self.number, self.since = self.number + 1, written
        if step is None:
            return nullcontext()
        if self.number > 1:
            return self.builder.part(f"{step.equation}/{self.number}", f"the next of {step.subject}")
        return self.builder.part(step.equation, f"M, Q passed on from {step.subject}")


def _clamp_entry(entry: Value) -> Value:
    """An entry that takes part in a product, limited; its sign stays outside, where products fold it."""
    operation = entry.builder.operation(entry.index)
    if operation.kind is Kind.NEG:
        return -_clamp_entry(Value(entry.builder, operation.operands[0]))
    return limitable_value(entry, LARGEST_ENTRY)
