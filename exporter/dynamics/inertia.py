"""Inertia of a planar mechanism, reduced to what moves it: few point masses, one moment of inertia per direction.

In: bodies and a TriangularForm. Used by: `projected`. A rigid body whose centre of mass lies on the line of
two of its joints A, B is dynamically equivalent to point masses m (1 - lambda) at A and m lambda at B, with
lambda = AC / AB, and the moment of inertia I + m |AC|^2 - m lambda |AB|^2 (base inertial parameters: the mass moves
to points that other bodies share). A point that moves on a circle about ground adds m |z|^2 to its body's moment of
inertia; a point fixed to ground adds nothing. Points are written by the way around the loops that has the fewest
dependent coordinates, and those of one body that remain are merged.
"""

from collections.abc import Iterator
from dataclasses import field
from functools import partial

from exporter.dynamics.merged_masses import merge_masses
from exporter.kinematics.planar.complex_value import Complex
from exporter.kinematics.planar.form import TriangularForm
from exporter.kinematics.planar.orientation import in_plane
from exporter.kinematics.planar.plane import Term
from exporter.kinematics.planar.shortcuts import Terms, shortest
from exporter.kinematics.protocol.frames import apply, transpose
from exporter.kinematics.protocol.scope import Scope
from exporter.model.expression import ZERO
from exporter.model.joints import GROUND
from exporter.model.mechanism import Body, Frame
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value


@dataclass
class Inertia:
    """What kinetic energy and gravity need.

    T = 1/2 sum m |v|^2 over `masses` + 1/2 sum J w^2 over `moments`; the weight acts on `weights`: mass * vector of
    every term on which a mass hangs.
    """

    masses: dict[Terms, Value] = field(default_factory=dict)  # moving point (its terms, ground dropped) -> m
    moments: dict[str, Value] = field(default_factory=dict)  # body (first of its direction) -> J
    weights: dict[tuple[str, str], Complex] = field(default_factory=dict)  # (body, slide) -> mass * vector


def reduced_inertia(form: TriangularForm, builder: Builder, scope: Scope) -> Inertia:
    """Spread every body's mass over its joints where that is exact, else keep it at the centre of mass."""
    inertia = Inertia()
    for body in form.mechanism.bodies:
        _Spreading(form, builder, scope, inertia).body(body)
    inertia.masses = {terms: mass for terms, mass in inertia.masses.items() if mass.constant != 0}
    merge_masses(scope, inertia.masses, inertia.moments)
    inertia.moments = {body: moment for body, moment in inertia.moments.items() if moment.constant != 0}
    return inertia


def moment_about_normal(form: TriangularForm, scope: Scope, body: Body) -> Value:
    """n . I n with the plane's normal in body axes, about the centre of mass."""
    normal = apply(transpose(form.model.orientation[body.name].constant), form.model.plane.normal)
    xx, yy, zz, xy, xz, yz = body.inertia
    rows = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    total = scope.builder.real(0)
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            if entry != ZERO and normal[i] * normal[j] != 0:
                total = total + normal[i] * normal[j] * scope.value(entry)
    return total


@dataclass(frozen=True)
class _Spreading:
    form: TriangularForm
    builder: Builder
    scope: Scope
    inertia: Inertia

    def body(self, body: Body) -> None:
        mass = self.scope.value(body.mass)
        moment = moment_about_normal(self.form, self.scope, body)
        translating = self.form.direction[body.name] == self.form.direction[GROUND]
        if mass.constant == 0 and moment.constant == 0:
            return
        centre = self._vector(body, Frame(body.name, body.center_of_mass))
        if translating:
            self._add_mass(self.form.model.origin[body.name], mass)
            return
        pair = self._joints_in_line(body, centre)
        if pair is None:
            self._add_mass(self._place(body, Frame(body.name, body.center_of_mass)), mass)
            self._add_moment(body.name, moment)
            return
        near, far = pair
        arm, reach = centre - self._vector(body, near), self._vector(body, far) - self._vector(body, near)
        share = reach.dot(arm) / reach.squared()
        self._add_mass(self._place(body, near), mass * (1 - share))
        self._add_mass(self._place(body, far), mass * share)
        self._add_moment(body.name, moment + mass * (arm.squared() - share * reach.squared()))

    def _joints_in_line(self, body: Body, centre: Complex) -> tuple[Frame, Frame] | None:
        """Two joints of the body with the centre of mass on their line."""
        frames = list(_joint_frames(self.form, body.name))
        for number, near in enumerate(frames):
            for far in frames[number + 1 :]:
                arm = centre - self._vector(body, near)
                reach = self._vector(body, far) - self._vector(body, near)
                if reach.is_zero:
                    continue
                if reach.cross(arm).constant == 0:
                    return near, far
        return None

    def _vector(self, body: Body, frame: Frame) -> Complex:
        model = self.form.model
        return Complex(*self.scope.vector(in_plane(model.plane, model.orientation[body.name], frame.at)))

    def _place(self, body: Body, frame: Frame) -> Terms:
        model = self.form.model
        return (
            *model.origin[body.name],
            Term(body.name, in_plane(model.plane, model.orientation[body.name], frame.at)),
        )

    def _add_moment(self, body: str, moment: Value) -> None:
        direction = self.form.direction[body]
        first = next(name for name, other in self.form.direction.items() if other == direction)
        if first != GROUND:
            self.inertia.moments[first] = self.inertia.moments.get(first, self.builder.real(0)) + moment

    def _add_mass(self, place: Terms, mass: Value) -> None:
        terms = shortest_terms(self.form, place)
        for term in terms:
            self._add_weight(term, mass)
        if len(terms) == 1 and not terms[0].slide:
            vector = Complex(*self.scope.vector(terms[0].vector))
            self._add_moment(terms[0].body, mass * vector.squared())
        elif terms:
            known = self.inertia.masses.get(terms, self.builder.real(0))
            self.inertia.masses[terms] = known + mass

    def _add_weight(self, term: Term, mass: Value) -> None:
        key = (term.body, term.slide)
        vector = Complex(*self.scope.vector(term.vector)).scaled(mass)
        known = self.inertia.weights.get(key)
        self.inertia.weights[key] = vector if known is None else known + vector


def _joint_frames(form: TriangularForm, body: str) -> Iterator[Frame]:
    for joint in form.mechanism.joints:
        for frame in (joint.parent, joint.child):
            if frame.body == body:
                yield frame


def shortest_terms(form: TriangularForm, place: Terms) -> Terms:
    """The moving terms of a point by the way around the loops with the fewest dependent ones, then the fewest."""
    closures = (block.closure for block in form.blocks)
    return shortest(place, closures, partial(_length, form), partial(_moving_terms, form))


def _length(form: TriangularForm, terms: Terms) -> tuple[int, int]:
    """Terms that move by dependent coordinates, and all."""
    dependent = [
        term
        for term in terms
        if form.direction[term.body].root != GROUND or (term.slide and term.slide not in form.independent)
    ]
    return len(dependent), len(terms)


def _moving_terms(form: TriangularForm, terms: Terms) -> Terms:
    return tuple(term for term in form.terms(terms) if term.body != GROUND or term.slide)
