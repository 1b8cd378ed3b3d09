"""Poses of the bodies of a spatial mechanism as polynomials modulo a prime, at random values of what is known.

In: a mechanism and the bodies that must be solved together. Out: a ring of their unknown motions, origins
and matrices in it. Angles that are no quarter turns get random sines and cosines; directions keep their printed
components up to a factor, so that parallel axes stay parallel.
"""

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from exporter.kinematics.degrees.legs import legs_of
from exporter.kinematics.degrees.linear_elimination import PRIME, Polynomial
from exporter.kinematics.degrees.rings import Part, Ring, ring_of
from exporter.kinematics.protocol.frames import IDENTITY
from exporter.kinematics.protocol.motions import ElementaryMotion, motions_of
from exporter.model.evaluate import evaluate
from exporter.model.joints import GROUND
from exporter.model.mechanism import Frame, Joint, Mechanism
from exporter.model.size import nominal_place
from exporter.model.units import PI

SEED = 2011
BALL_JOINT_TYPES = ("spherical", "free")  # joints whose three turns are one rotation

Vector = tuple[Polynomial, Polynomial, Polynomial]
Matrix = tuple[Vector, Vector, Vector]  # columns


class PosesModulo:
    """Poses of bodies as polynomials; equations that known Euler angles are come on the way."""

    def __init__(self, mechanism: Mechanism, together: Sequence[str]) -> None:
        self.mechanism = mechanism
        self.carriers = mechanism.spanning_tree().joints
        self.legs = legs_of(mechanism, together)
        inside = {body for leg in self.legs for body in leg.bodies}
        self.together = [body for body in together if body not in inside]
        self.random = random.Random(SEED)
        self.numbers: dict[object, tuple[int, int]] = {}
        self.values = mechanism.nominal_values()
        self.equations: list[Polynomial] = []
        unknowns = [each for body in self.together for each in self._unknowns(body)]
        self.ring: Ring = ring_of([(kind, norm) for kind, norm, _ in unknowns])
        self.parts: dict[str, Part] = {name: part for part, (_, _, name) in zip(self.ring.parts, unknowns, strict=True)}
        self.poses: dict[str, tuple[Vector, Matrix]] = {GROUND: (self.fixed((0, 0, 0)), self.identity())}

    # -- unknowns ----------------------------------------------------------------------------------------------------

    def _unknowns(self, body: str) -> list[tuple[Literal["slide", "turn", "rotation"], int, str]]:
        joint = self.carriers[body]
        found: list[tuple[Literal["slide", "turn", "rotation"], int, str]] = []
        for motion in motions_of(joint):
            known = motion.coordinate in self.mechanism.independent
            if motion.kind == "turn" and self._is_rotation(joint):
                continue
            if not known:
                found.append((motion.kind, square_of(motion.axis), motion.coordinate))
        return [*found, ("rotation", 1, joint.name)] if self._is_rotation(joint) else found

    def _is_rotation(self, joint: Joint) -> bool:
        """Whether the turns of a joint are one unknown: three Euler angles, at most one of them known.

        By two known ones the matrix would be told up to half turns only.
        """
        turns = [motion.coordinate for motion in motions_of(joint) if motion.kind == "turn"]
        known = sum(name in self.mechanism.independent for name in turns)
        return joint.type in BALL_JOINT_TYPES and known <= 1

    # -- arithmetic --------------------------------------------------------------------------------------------------

    def add(self, *terms: Polynomial) -> Polynomial:
        """The sum."""
        total: Polynomial = {}
        for term in terms:
            for monomial, value in term.items():
                total[monomial] = (total.get(monomial, 0) + value) % PRIME
        return {monomial: value for monomial, value in total.items() if value}

    def scaled(self, polynomial: Polynomial, factor: int) -> Polynomial:
        """Times a number."""
        return {m: value * factor % PRIME for m, value in polynomial.items()} if factor % PRIME else {}

    def fixed(self, parts: Sequence[Fraction | int]) -> Vector:
        """A vector of numbers."""
        x, y, z = (self.ring.constant(modulo(part)) for part in parts)
        return x, y, z

    def identity(self) -> Matrix:
        """Columns of the unit matrix."""
        x, y, z = (self.fixed(row) for row in IDENTITY)
        return x, y, z

    def plus(self, one: Vector, other: Vector, sign: int = 1) -> Vector:
        """one + sign * other."""
        x, y, z = (self.add(a, self.scaled(b, sign)) for a, b in zip(one, other, strict=True))
        return x, y, z

    def dot(self, one: Vector, other: Vector) -> Polynomial:
        """Scalar product."""
        return self.add(*(self.ring.times(a, b) for a, b in zip(one, other, strict=True)))

    def applied(self, matrix: Matrix, vector: Vector) -> Vector:
        """Matrix times vector."""
        x, y, z = (
            self.add(*(self.ring.times(column[k], part) for column, part in zip(matrix, vector, strict=True)))
            for k in range(3)
        )
        return x, y, z

    def product(self, one: Matrix, other: Matrix) -> Matrix:
        """Matrix times matrix."""
        x, y, z = (self.applied(one, column) for column in other)
        return x, y, z

    # -- numbers -----------------------------------------------------------------------------------------------------

    def half_tangent(self, key: object) -> int:
        """A random number, the same at every call."""
        if key not in self.numbers:
            self.numbers[key] = (self.random.randrange(2, PRIME - 1), 0)
        return self.numbers[key][0]

    def turn(self, axis: Sequence[Fraction], cosine: Polynomial, sine: Polynomial) -> Matrix:
        """About an axis v of any length: c + s [v] + (1 - c) v v^T / v.v, where c^2 + v.v s^2 = 1."""
        v = [modulo(part) for part in axis]
        inverse = pow(square_of(axis), -1, PRIME)
        bracket = ((0, -v[2], v[1]), (v[2], 0, -v[0]), (-v[1], v[0], 0))
        rest = self.add(self.ring.constant(1), self.scaled(cosine, -1))

        def entry(i: int, j: int) -> Polynomial:
            diagonal = cosine if i == j else {}
            return self.add(diagonal, self.scaled(sine, bracket[i][j]), self.scaled(rest, v[i] * v[j] * inverse))

        x, y, z = ((entry(0, j), entry(1, j), entry(2, j)) for j in range(3))
        return x, y, z

    def known_turn(self, axis: Sequence[Fraction], key: object, sign: int = 1) -> Matrix:
        """A turn by a random angle."""
        t, norm = self.half_tangent(key), square_of(axis)
        inverse = pow(1 + norm * t * t, -1, PRIME)
        cosine, sine = self.ring.constant((1 - norm * t * t) * inverse), self.ring.constant(sign * 2 * t * inverse)
        return self.turn(axis, cosine, sine)

    def frame_turn(self, frame: Frame) -> Matrix:
        """A frame's constant turn."""
        matrix = self.identity()
        for letter, formula in frame.rotation.turns:
            axis = IDENTITY["xyz".index(letter)]
            angle = evaluate(formula, self.values)
            quarters = round(angle / (PI / 2))
            if abs(angle - quarters * PI / 2) < Fraction(1, 10**30):
                c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarters % 4]
                turn = self.turn(axis, self.ring.constant(c), self.ring.constant(s))
            else:
                turn = self.known_turn(axis, abs(angle), 1 if angle > 0 else -1)
            matrix = self.product(matrix, turn)
        return matrix

    # -- poses -------------------------------------------------------------------------------------------------------

    def pose(self, body: str) -> tuple[Vector, Matrix]:
        """Origin and orientation. A body that is known and not of this system has a random pose."""
        if body not in self.poses:
            self.poses[body] = self._carried(body) if body in self.together else self._somewhere(body)
        return self.poses[body]

    def _somewhere(self, body: str) -> tuple[Vector, Matrix]:
        """The pose of a body that other blocks place: of its joint at random values of all motions."""
        return self._through(body, known=True)

    def _carried(self, body: str) -> tuple[Vector, Matrix]:
        return self._through(body, known=False)

    def _through(self, body: str, *, known: bool) -> tuple[Vector, Matrix]:
        joint = self.carriers[body]
        parent, turn = self.frame(joint.parent)
        place, before = parent, turn
        free = self._is_rotation(joint) and not known
        for motion in motions_of(joint):
            if motion.kind == "slide":
                shift = self.slide(motion, known=known)
                step = self.applied(before, self.fixed(motion.axis))
                x, y, z = (self.ring.times(part, shift) for part in step)
                place = self.plus(place, (x, y, z))
            elif not free:
                before = self.product(before, self._turned(motion, known=known))
        if free:
            before = self.rotation(self.parts[joint.name])
            self._euler(joint, turn, before)
        to = self.frame_turn(joint.child)
        matrix = self.product(before, _transpose(to))
        local = self.fixed(nominal_place(self.mechanism, joint.child))
        return self.plus(place, self.applied(matrix, local), -1), matrix

    def slide(self, motion: ElementaryMotion, *, known: bool) -> Polynomial:
        """A displacement."""
        if known or motion.coordinate in self.mechanism.independent:
            return self.ring.constant(self.half_tangent(motion.coordinate))
        return self.ring.variable(self.parts[motion.coordinate].start)

    def _turned(self, motion: ElementaryMotion, *, known: bool) -> Matrix:
        if known or motion.coordinate in self.mechanism.independent:
            return self.known_turn(motion.axis, motion.coordinate)
        part = self.parts[motion.coordinate]
        return self.turn(motion.axis, self.ring.variable(part.last), self.ring.variable(part.start))

    def rotation(self, part: Part) -> Matrix:
        """The matrix of a unit quaternion (w, x, y, z)."""
        x, y, z, w = range(part.start, part.last + 1)

        def twice(i: int, j: int, sign: int = 1) -> Polynomial:
            exponents = [0] * self.ring.variables
            exponents[i] += 1
            exponents[j] += 1
            return {m: 2 * sign * f % PRIME for m, f in self.ring.reduced(tuple(exponents))}

        one = self.ring.constant(1)
        return (
            (
                self.add(one, twice(y, y, -1), twice(z, z, -1)),
                self.add(twice(x, y), twice(z, w)),
                self.add(twice(x, z), twice(y, w, -1)),
            ),
            (
                self.add(twice(x, y), twice(z, w, -1)),
                self.add(one, twice(x, x, -1), twice(z, z, -1)),
                self.add(twice(y, z), twice(x, w)),
            ),
            (
                self.add(twice(x, z), twice(y, w)),
                self.add(twice(y, z), twice(x, w, -1)),
                self.add(one, twice(x, x, -1), twice(y, y, -1)),
            ),
        )

    def _euler(self, joint: Joint, base: Matrix, turned: Matrix) -> None:
        """Known 3-2-1 angles by M = base^T turned: tan phi = m21 / m11, sin theta = -m31, tan psi = m32 / m33."""
        entries = {}
        for i, j in ((0, 0), (1, 0), (2, 0), (2, 1), (2, 2)):
            entries[i, j] = self.dot(base[i], turned[j])
        turns = [motion for motion in motions_of(joint) if motion.kind == "turn"]
        for motion, (sine, cosine) in zip(turns, (((1, 0), (0, 0)), ((2, 0), None), ((2, 1), (2, 2))), strict=True):
            if motion.coordinate in self.mechanism.independent:
                matrix = self.known_turn(IDENTITY[0], motion.coordinate)
                c, s = ((matrix[1][k].get((0,) * self.ring.variables, 0)) for k in (1, 2))
                if cosine is None:
                    self.equations.append(self.add(entries[sine], self.ring.constant(s)))
                else:
                    self.equations.append(self.add(self.scaled(entries[sine], c), self.scaled(entries[cosine], -s)))

    def frame(self, frame: Frame) -> tuple[Vector, Matrix]:
        """Origin and orientation of a frame."""
        origin, matrix = self.pose(frame.body)
        local = self.fixed(nominal_place(self.mechanism, frame))
        return self.plus(origin, self.applied(matrix, local)), self.product(matrix, self.frame_turn(frame))


def _transpose(matrix: Matrix) -> Matrix:
    x, y, z = ((matrix[0][k], matrix[1][k], matrix[2][k]) for k in range(3))
    return x, y, z


def modulo(number: Fraction | int) -> int:
    """A rational number modulo PRIME."""
    value = Fraction(number)
    return value.numerator * pow(value.denominator, -1, PRIME) % PRIME


def square_of(axis: Sequence[Fraction]) -> int:
    """v.v modulo PRIME."""
    return sum(modulo(part) ** 2 for part in axis) % PRIME
