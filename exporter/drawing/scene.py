"""What a picture shows: bodies, pivots and rails at one pose, in metres in the plane of motion.

In: a TriangularForm and the coordinates of one assembly. Used by: `svg`, `png`. The scene of a
mechanism in space comes from `spatial_scene`.
"""

import cmath
from collections.abc import Mapping, Sequence
from functools import partial, singledispatch

import numpy as np

from exporter.drawing.forces.drivers import driver_marks
from exporter.drawing.forces.marks import Look, Mark, marks_of
from exporter.drawing.hull import Point, hull
from exporter.drawing.outlines import Spot, outlined, spots_of
from exporter.drawing.placed import Placed
from exporter.drawing.trails import Trail
from exporter.kinematics.closures.numeric import Array
from exporter.kinematics.coupled.solution import CoupledSolution
from exporter.kinematics.exchanged.solution import ExchangedSolution
from exporter.kinematics.planar.engine import PlanarSolution
from exporter.kinematics.planar.form import TriangularForm
from exporter.kinematics.planar.model import PlanarModel, Turn
from exporter.kinematics.planar.orientation import in_plane, sum_at
from exporter.kinematics.planar.plane import Plane, Term
from exporter.kinematics.protocol.linear_sums import PlaneVector
from exporter.model.evaluate import evaluate
from exporter.model.joints import GROUND
from exporter.model.mechanism import Body, Frame, Joint, Mechanism
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """A body: the hull of its joints and named points."""

    name: str
    corners: tuple[Point, ...]
    center_of_mass: Point | None


@dataclass(frozen=True, slots=True)
class Pivot:
    """A joint: of a planar mechanism a revolute one, in space one of any type."""

    name: str
    at: Point
    grounded: bool
    type: str = ""  # in space
    label: str | None = None  # None: the name
    axis: Point = (0.0, 0.0)  # of a hinge in space: its unit vector as it is seen


@dataclass(frozen=True, slots=True)
class Rail:
    """A prismatic joint: the line that its slider follows, and where the slider is."""

    name: str
    start: Point
    end: Point
    slider: Point
    foot: Point  # where the parent's frame is
    grounded: bool


@dataclass(frozen=True, slots=True)
class Guide:
    """A joint in space that slides: the line between its frames."""

    name: str
    start: Point
    end: Point
    slider: Point
    grounded: bool
    reaches: bool  # the line is from frame to frame, not a piece of the axis
    slides_only: bool


@dataclass(frozen=True, slots=True)
class Path:
    """Where a point goes while a driver goes through its range."""

    point: str
    driver: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture's content. All lengths in m, in the plane of the picture."""

    title: str
    caption: str
    links: tuple[Link, ...]
    pivots: tuple[Pivot, ...]
    rails: tuple[Rail, ...]
    guides: tuple[Guide, ...] = ()  # in space
    axes: tuple[tuple[str, Point], ...] = ()  # in space: the ground's unit vectors as they are seen
    marks: tuple[Mark, ...] = ()
    spots: tuple[Spot, ...] = ()
    paths: tuple[Path, ...] = ()
    seen_from: str = ""  # in space, in words
    has_scale: bool = True

    def points(self) -> tuple[Point, ...]:
        """Everything that must fit into the picture."""
        return (
            *(corner for link in self.links for corner in link.corners),
            *(link.center_of_mass for link in self.links if link.center_of_mass is not None),
            *(pivot.at for pivot in self.pivots),
            *(point for rail in self.rails for point in (rail.start, rail.end, rail.slider)),
            *(point for guide in self.guides for point in (guide.start, guide.end)),
            *(spot.at for spot in self.spots),
            *(point for path in self.paths for point in path.points),
            *(point for mark in self.marks for point in (mark.start, mark.end, *mark.stops)),
        )


@singledispatch
def planar_form(_: object) -> TriangularForm | None:
    """The planar form that a mechanism is solved by, perhaps driven by other coordinates; None elsewhere."""
    return None


@planar_form.register
def _(solved: PlanarSolution) -> TriangularForm:
    return solved.form


@planar_form.register
def _(solved: ExchangedSolution) -> TriangularForm | None:
    return planar_form(solved.form.exchange.inner)


@planar_form.register
def _(solved: CoupledSolution) -> TriangularForm | None:
    return planar_form(solved.inner)


def scene_of(
    form: TriangularForm,
    coordinates: Mapping[str, float],
    caption: str = "",
    trails: Sequence[Trail] = (),
    mechanism: Mechanism | None = None,
) -> Scene:
    """The scene at all coordinates (rad, m) of one assembly.

    `mechanism` is what is drawn, where the form is that of the same bodies with other independent coordinates.
    """
    places = _Places(form.model, coordinates)
    mechanism = mechanism or form.mechanism
    pivots = tuple(
        Pivot(joint.name, places.frame(joint.parent), GROUND in joint.bodies)
        for joint in mechanism.joints
        if joint.type == "revolute"
    )
    links = tuple(_link(places, body) for body in mechanism.bodies)
    size = _size([*(corner for link in links for corner in link.corners), *(pivot.at for pivot in pivots)])
    rails = tuple(_rail(places, joint, size / 6) for joint in mechanism.joints if joint.type == "prismatic")
    flat = partial(_flat, form.model.plane)
    placed = Placed(mechanism, coordinates)
    marks = (*marks_of(placed, flat), *driver_marks(placed, flat))
    spots = spots_of(mechanism, places.frame)
    return Scene(
        mechanism.title or mechanism.name,
        caption,
        links,
        pivots,
        rails,
        marks=marks,
        spots=spots,
        paths=paths_of(trails, flat),
    )


def paths_of(trails: Sequence[Trail], look: Look) -> tuple[Path, ...]:
    """Trails as they look."""
    return tuple(Path(each.point, each.driver, tuple(look(place) for place in each.places)) for each in trails)


def _flat(plane: Plane, place: Array) -> Point:
    """A place or a direction of ground axes in the plane of motion."""
    e1, e2 = (np.array([float(part) for part in axis]) for axis in (plane.e1, plane.e2))
    return float(e1 @ place), float(e2 @ place)


class _Places:
    """Positions of frames from joint coordinates, walking the tree."""

    def __init__(self, model: PlanarModel, coordinates: Mapping[str, float]) -> None:
        self.model = model
        self.values = model.mechanism.nominal_values()
        self.coordinates = coordinates
        self.angle = {GROUND: 0.0}
        for joint in _tree(model):
            turn = next((turn for turn in model.turns if turn.child == joint.child.body), None)
            step = self._step(turn) if turn else 0.0
            self.angle[joint.child.body] = self.angle[joint.parent.body] + step

    def _step(self, turn: Turn) -> float:
        """By how much phi of the child is larger than that of the parent."""
        offset = cmath.phase(self._vector(turn.offset)) if turn.offset else 0.0
        return turn.sign * self.coordinates[turn.coordinate] - offset

    def _vector(self, vector: PlaneVector) -> complex:
        return complex(sum_at(vector.re, self.values), sum_at(vector.im, self.values))

    def _term(self, term: Term) -> complex:
        length = self.coordinates[term.slide] if term.slide else 1.0
        return cmath.exp(1j * self.angle[term.body]) * self._vector(term.vector) * length

    def frame(self, frame: Frame) -> Point:
        """In-plane position of a frame's origin."""
        arm = Term(frame.body, in_plane(self.model.plane, self.model.orientation[frame.body], frame.at))
        total = sum((self._term(term) for term in (*self.model.origin[frame.body], arm)), 0j)
        return total.real, total.imag

    def rail_direction(self, joint: Joint) -> complex:
        """Unit vector along which a prismatic joint slides."""
        name = joint.coordinates[0] if joint.coordinates else f"{joint.name}.slide"
        everything = [*self.model.origin.values(), *(closure.terms for closure in self.model.closures)]
        rail = next(term for terms in everything for term in terms if term.slide == name)
        return cmath.exp(1j * self.angle[rail.body]) * self._vector(rail.vector)


def _tree(model: PlanarModel) -> list[Joint]:
    carriers = model.mechanism.spanning_tree().joints
    return [carriers[body] for body in model.bodies]


def _link(places: _Places, body: Body) -> Link:
    corners = hull(list(dict.fromkeys(places.frame(frame) for frame in outlined(places.model.mechanism, body))))
    centre = places.frame(Frame(body.name, body.center_of_mass)) if evaluate(body.mass, places.values) else None
    return Link(body.name, corners, centre)


def _rail(places: _Places, joint: Joint, half_length: float) -> Rail:
    start = complex(*places.frame(joint.parent))
    slider = complex(*places.frame(joint.child))
    along = places.rail_direction(joint) * half_length
    ends = sorted((start, slider), key=lambda point: (point * along.conjugate()).real)
    first, last = ends[0] - along, ends[1] + along
    line = ((first.real, first.imag), (last.real, last.imag), (slider.real, slider.imag), (start.real, start.imag))
    return Rail(joint.name, *line, GROUND in joint.bodies)


def _size(points: list[Point]) -> float:
    width = max(x for x, _ in points) - min(x for x, _ in points)
    height = max(y for _, y in points) - min(y for _, y in points)
    return max(width, height, 1e-9)
