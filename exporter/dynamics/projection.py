"""Kinetic energy and power, projected from the velocities of all bodies onto the independent rates.

In: T = 1/2 sum m_ij x_i x_j and P = sum f_i x_i over rates x of a linear graph. Out: the mass matrix and the
generalised forces. Rates are eliminated from the last written to the first, x = sum c_k y_k, so that what many bodies
share is met after it was summed: every loop is projected onto what moves it before that is projected further (inside
out), and no wide Jacobian is formed.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from functools import partial
from itertools import islice

from exporter.dynamics.elimination_cost import one_by_one, together
from exporter.dynamics.factorisation import LARGEST_ENTRY, LARGEST_FACTOR, limitable_value
from exporter.dynamics.linear_graph import Terms, linear_graph
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.operations import Kind, Step

Matrix = list[list[Value]]
Heading = Callable[[], AbstractContextManager[None]]
Rows = dict[int, dict[int, Value]]
"""By two rates: the mass of their product."""
OPERATIONS_PER_HEADING = 60
"""Operations from which on the next rate of a step has a heading of its own."""


@dataclass
class Projection:
    """The two forms while they are being projected."""

    rows: Rows = field(default_factory=dict)  # symmetric: rows[i][j] is rows[j][i]
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
            ordered = sorted(waiting, reverse=True)
            heading = partial(told.passing, ordered[0])
            with heading():
                group = self._group(ordered, lambda index: given[index] if index in given else graph.terms(index))
            inside = self._mix(group, heading)
            self._spread(inside, group, heading)
            with heading():
                for index, terms in group.items():
                    self._push(index, terms)
        zero = rates[0].builder.real(0)
        matrix = [[self.rows.get(left.index, {}).get(right.index, zero) for right in rates] for left in rates]
        return matrix, [self.forces.get(rate.index, zero) for rate in rates]

    def _group(self, ordered: list[int], terms_of: Callable[[int], Terms]) -> dict[int, Terms]:
        """The last rate and those before it that have products with it, and what each is a sum of."""
        group: dict[int, Terms] = {}
        for index in ordered:
            if group and not (self.rows.get(index, {}).keys() & group.keys()):
                break
            if any(index in terms for terms in group.values()):
                break
            group[index] = {key: limitable_value(factor, LARGEST_FACTOR) for key, factor in terms_of(index).items()}
        coupled = {index: frozenset(self.rows.get(index, ())) for index in group}
        parts = [dict(islice(group.items(), count)) for count in range(1, len(group) + 1)]
        return max(parts, key=lambda part: one_by_one(part, coupled) - together(part, coupled))

    def _mix(self, group: Mapping[int, Terms], heading: Heading) -> Rows:
        """Replace rates by what they are sums of, in products with others; gives their products with each other."""
        inside: Rows = {}
        for index, terms in group.items():
            row = {key: _clamp_entry(mass) for key, mass in self.rows.pop(index, {}).items()}
            inside[index] = {key: mass for key, mass in row.items() if key in group}
            for other, mass in sorted(row.items()):
                if other in group:
                    continue
                del self.rows[other][index]
                with heading():
                    for key, factor in terms.items():
                        product = factor * mass
                        self._add(key, other, 2 * product if key == other else product)
        return inside

    def _push(self, index: int, terms: Terms) -> None:
        """Put the force along a rate on what the rate is a sum of."""
        force = self.forces.pop(index, None)
        if force is not None:
            force = _clamp_entry(force)
            for key, factor in terms.items():
                known = self.forces.get(key)
                self.forces[key] = factor * force if known is None else known + factor * force

    def _spread(self, inside: Rows, group: Mapping[int, Terms], heading: Heading) -> None:
        """Add sum m_ij x_i x_j of x_i = sum c_ik y_k, as sum_k sum_l y_k y_l sum_i (sum_j m_ij c_jk) c_il."""
        moved: Rows = {index: {} for index in group}
        for index, row in inside.items():
            with heading():
                for other, mass in row.items():
                    for key, factor in group[other].items():
                        _add_to(moved[index], key, factor * mass)
        keys = list(dict.fromkeys(key for terms in group.values() for key in terms))
        for number, key in enumerate(keys):
            for other in keys[number:]:
                one, two = (key, other) if _products(group, other) <= _products(group, key) else (other, key)
                with heading():
                    for index, terms in group.items():
                        if one in moved[index] and two in terms:
                            self._add(key, other, moved[index][one] * terms[two])

    def _add(self, left: int, right: int, mass: Value) -> None:
        for one, other in {(left, right), (right, left)}:
            _add_to(self.rows.setdefault(one, {}), other, mass)


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


def _products(group: Mapping[int, Terms], key: int) -> int:
    """How many products a sum of this rate's coefficients, each times something, has."""
    return sum(key in terms and abs(terms[key].constant or 0) != 1 for terms in group.values())


def _add_to(row: dict[int, Value], key: int, mass: Value) -> None:
    row[key] = row[key] + mass if key in row else mass


def _clamp_entry(entry: Value) -> Value:
    """An entry that takes part in a product, limited; its sign stays outside, where products fold it."""
    operation = entry.builder.operation(entry.index)
    if operation.kind is Kind.NEG:
        return -_clamp_entry(Value(entry.builder, operation.operands[0]))
    return limitable_value(entry, LARGEST_ENTRY)
