"""A body that slides, and turns behind its slides at most, held in planes by as many loops as it has unknown motions.

With s_k the displacements and t the turn, each plane is a row  A cos t + B sin t + sum D_k s_k = C. The product of rows
that is normal to all D_k leaves the turn; the rows then leave the displacements. Planes at rest hold points p of the
body: N . (sum s_k d_k + T p) = v. Planes of the body hold points q at rest: N . T^-1 (q - sum s_k d_k) = v; behind a
turn the displacements are sought turned back, which keep to the plane that two slides span across the axis.
"""

from collections.abc import Sequence
from functools import cached_property

from exporter.kinematics.protocol.turning import turn_vector
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.blocks.turns import give_margins, texts
from exporter.kinematics.spatial.chain import Chain, Segment
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.kinematics.spatial.relations.planes import PlaneRelation
from exporter.kinematics.spatial.relations.runs import plane_of
from exporter.kinematics.spatial.roots import solve_turn
from exporter.model.mechanism import Joint
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.guards import signed_pivot

THREE = 3


@dataclass(frozen=True)
class _Slides:
    """Unknown slides, in the axes in front of the first of them."""

    pose: SpatialPose
    chain: Chain

    @cached_property
    def names(self) -> list[str]:
        """All unknown coordinates, outwards."""
        return [motion.coordinate for motion in self.chain.unknown]

    @cached_property
    def directions(self) -> list[Vector]:
        """The direction of every slide."""
        found = []
        for place, motion in enumerate(self.chain.unknown):
            direction = constant_vector(self.pose.builder, motion.axis)
            for segment in reversed(self.chain.segments[1 : place + 1]):
                direction = segment.direction(direction)
            found += [direction] if motion.kind == "slide" else []
        return found

    @cached_property
    def inner(self) -> Segment:
        """From the axes in front of the last unknown motion, the slides at zero."""
        return Segment(tuple(item for each in self.chain.segments[1:-1] for item in each.items), self.pose.rules)

    @cached_property
    def origin(self) -> Vector:
        """Where those axes begin."""
        return self.inner.point(constant_vector(self.pose.builder, (0, 0, 0)))


@dataclass(frozen=True, slots=True)
class _Row:
    """One plane: cosine, sine, displacements, and the other side."""

    cosine: Value
    sine: Value
    displacements: list[Value]
    side: Value


def slides_to_planes(block: Block, pose: SpatialPose, joints: dict[str, Joint]) -> None:
    """The displacements of a body that does not turn."""
    slides = _Slides(pose, pose.chain(tuple(joints[name] for name in block.path)))
    columns, sides = list[list[Value]](), list[Value]()
    for relation in block.holds:
        plane = plane_of(pose, slides.names, relation)
        normal = plane.normal if plane.moves_point else slides.inner.direction(plane.normal)
        sides.append(_side(slides, plane, normal))
        columns.append([normal.dot(direction) for direction in slides.directions])
    across = [_product(pose, each) for each in zip(*columns, strict=True)]
    for name, value in zip(slides.names, _displacements(block, pose, across, _product(pose, sides)), strict=True):
        pose.slides[name] = value


def _side(slides: _Slides, plane: PlaneRelation, normal: Vector) -> Value:
    """How far the slides must move the body along the normal."""
    if plane.moves_point:
        return plane.value - normal.dot(slides.inner.point(plane.point))
    return normal.dot(plane.point - slides.origin) - plane.value


def turn_and_planes(block: Block, pose: SpatialPose, joints: dict[str, Joint]) -> None:
    """The turn of a body, then its displacements."""
    slides = _Slides(pose, pose.chain(tuple(joints[name] for name in block.path)))
    axis = constant_vector(pose.builder, slides.chain.unknown[-1].axis)
    planes = [plane_of(pose, slides.names, relation) for relation in block.holds]
    on_body = not planes[0].moves_point
    rows = [(_row_of_body if on_body else _row_at_rest)(slides, plane, axis) for plane in planes]
    columns = [_product(pose, each) for each in zip(*(row.displacements for row in rows), strict=True)]
    cosines, sines = _product(pose, [row.cosine for row in rows]), _product(pose, [row.sine for row in rows])
    sides = _product(pose, [row.side for row in rows])
    normal = _normal(columns)
    a, b, c = (normal.dot(each) for each in (cosines, sines, sides))
    solution = solve_turn(pose.tools, a, b, c, pose.sign_of(block), pose.form.length**2, texts(block))
    give_margins(block, pose, solution)
    angle = pose.angles[slides.names[-1]] = solution.angle
    rest = sides - cosines.scaled(angle.cosine) - sines.scaled(angle.sine)
    found = _displacements(block, pose, columns, rest)
    if on_body:
        turned_back = [slides.inner.back_direction(direction) for direction in slides.directions]
        turned = turned_back[0].scaled(found[0]) + turned_back[1].scaled(found[1])
        moved = turn_vector(slides.chain.unknown[-1].axis, angle.cosine, angle.sine, turned)
        found = _displacements(block, pose, turned_back, moved)
    for name, value in zip(slides.names, found, strict=False):
        pose.slides[name] = value


def _row_at_rest(slides: _Slides, plane: PlaneRelation, axis: Vector) -> _Row:
    normal = slides.inner.back_direction(plane.normal)
    along = axis.dot(plane.point)
    return _Row(
        normal.dot(plane.point - axis.scaled(along)),
        normal.dot(axis.cross(plane.point)),
        [plane.normal.dot(direction) for direction in slides.directions],
        plane.value - plane.normal.dot(slides.origin) - normal.dot(axis) * along,
    )


def _row_of_body(slides: _Slides, plane: PlaneRelation, axis: Vector) -> _Row:
    point = slides.inner.back(plane.point)
    along = axis.dot(point)
    return _Row(
        plane.normal.dot(point - axis.scaled(along)),
        -plane.normal.dot(axis.cross(point)),
        [-plane.normal.dot(slides.inner.back_direction(direction)) for direction in slides.directions],
        plane.value - plane.normal.dot(axis) * along,
    )


def _product(pose: SpatialPose, values: Sequence[Value]) -> Vector:
    """A value of each plane as a vector, zeros where there are less than three planes."""
    zero = pose.builder.real(0)
    x, y, z = [*values, zero][:THREE]
    return Vector(x, y, z)


def _normal(columns: list[Vector]) -> Vector:
    """Normal to one column of two rows, or to two of three."""
    if len(columns) == 1:
        (column,) = columns
        return Vector(column.y, -column.x, column.z)
    return columns[0].cross(columns[1])


def _displacements(block: Block, pose: SpatialPose, columns: list[Vector], sides: Vector) -> list[Value]:
    """The s_k with sum s_k columns_k = sides, which are known to have them."""
    if len(columns) == 1:
        return [sides.dot(columns[0]) / _pivot(block, pose, columns[0].squared(), 2)]
    first, second, *third = columns
    normal = first.cross(second)
    if third:
        volume = _pivot(block, pose, normal.dot(third[0]), 1)
        across = (second.cross(third[0]), third[0].cross(first), normal)
        return [each.dot(sides) / volume for each in across]
    square = _pivot(block, pose, normal.squared(), 2)
    return [each.dot(normal) / square for each in (sides.cross(second), first.cross(sides))]


def _pivot(block: Block, pose: SpatialPose, value: Value, power: int) -> Value:
    return signed_pivot(pose.builder, value, pose.tools.threshold**power, texts(block)[1])
