"""Writes the positions of a triangular form into a sequence.

In: a TriangularForm and the values of its independent coordinates. Used by: `rates`, dynamics, the functions
of an export. `Pose` holds what is known so far; every block adds its unknowns (see `blocks`).
"""

from dataclasses import field

from exporter.kinematics.planar.complex_value import Complex, real
from exporter.kinematics.planar.form import TriangularForm
from exporter.kinematics.planar.plane import Term
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.scope import COORDINATES, Scope
from exporter.model.joints import GROUND
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value


@dataclass
class Pose:
    """Known directions, displacements and moving vectors, as values of one sequence."""

    form: TriangularForm
    builder: Builder
    scope: Scope
    root: dict[str, Complex] = field(default_factory=dict)  # D of every known root
    slide: dict[str, Value] = field(default_factory=dict)
    pair: dict[str, Complex] = field(default_factory=dict)  # (cos, sin) of independent angles
    angle: dict[str, Value] = field(default_factory=dict)  # independent angles themselves
    arms: dict[Term, Complex] = field(default_factory=dict)  # moving vectors that a block found on its way
    opening: dict[tuple[str, str], Complex] = field(default_factory=dict)  # D of a root seen from another one
    margins: list[Margin] = field(default_factory=list)
    sign: dict[str, Value] = field(default_factory=dict)  # of the root of a block, +1 or -1, where it is not frozen

    def unit(self, body: str) -> Complex:
        """D of a body."""
        direction = self.form.direction[body]
        return self.root[direction.root] * self.turned(body)

    def turned(self, body: str) -> Complex:
        """exp(i turns): a body's direction relative to its root."""
        total = real(self.builder, 1)
        for coordinate, sign in self.form.direction[body].turns:
            pair = self.pair[coordinate]
            for _ in range(abs(sign)):
                total = total * (pair if sign > 0 else pair.conjugate())
        return total

    def local(self, term: Term) -> Complex:
        """The constant vector of a term, in its body's axes."""
        return Complex(*self.scope.vector(term.vector))

    def carrier(self, term: Term) -> Complex:
        """D z of a term, without its displacement."""
        return self.unit(term.body) * self.local(term)

    def moving(self, term: Term) -> Complex:
        """The moving vector of a term whose body and displacement are known."""
        if term not in self.arms:
            vector = self.carrier(term)
            self.arms[term] = vector.scaled(self.slide[term.slide]) if term.slide else vector
        return self.arms[term]

    def sum(self, terms: tuple[Term, ...]) -> Complex:
        """The sum of moving vectors."""
        total = real(self.builder, 0)
        for term in terms:
            total = total + self.moving(term)
        return total

    def relative(self, coordinate: str) -> Complex:
        """(cos, sin) of a revolute coordinate, dependent or not."""
        if coordinate in self.pair:
            return self.pair[coordinate]
        turn = self.form.turn(coordinate)
        if turn is None:
            raise KeyError(coordinate)
        between = self._between(turn.child, turn.parent)
        if turn.offset is not None:
            between = between * Complex(*self.scope.vector(turn.offset))
        return between if turn.sign > 0 else between.conjugate()

    def _between(self, child: str, parent: str) -> Complex:
        """D of a body seen from another one."""
        ours, theirs = self.form.direction[child], self.form.direction[parent]
        roots = ours.root, theirs.root
        if ours.turns == theirs.turns and roots in self.opening:
            return self.opening[roots]
        if ours.turns == theirs.turns and roots[::-1] in self.opening:
            return self.opening[roots[::-1]].conjugate()
        return self.unit(child) * self.unit(parent).conjugate()


def start_pose(form: TriangularForm, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> Pose:
    """A pose that knows the independent coordinates only; costs a sine and cosine per independent angle."""
    pose = Pose(form, builder, scope)
    pose.root[GROUND] = real(builder, 1)
    for name, value in coordinates.items():
        if form.turn(name) is None:
            pose.slide[name] = value
        else:
            with builder.step(*COORDINATES, part=True):
                sine, cosine = builder.sincos(value)
            pose.pair[name] = Complex(cosine, sine)
            pose.angle[name] = value
    return pose
