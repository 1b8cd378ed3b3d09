"""The kinds of blocks that the spatial engine has, and how many solutions each has."""

from enum import StrEnum


class SpatialKind(StrEnum):
    """The spatial block library."""

    CIRCLE_AND_SPHERE = "circle and sphere"  # a turning body and a link of constant length
    LINE_AND_SPHERE = "line and sphere"  # a sliding body and a link of constant length
    THREE_SPHERES = "three spheres with a rigid base edge"
    LENGTH_OF_ARM = "length from a universal joint"  # a slide behind two turns whose axes meet
    TWO_TURNS = "universal joint, length known"
    TWO_TURNS_ALIGNED = "two turns to a hinge"  # its point and its axis known
    ONE_TURN = "turn towards a point"
    ONE_SLIDE = "slide to a point"
    TURN_AND_SLIDE = "turn and slide to a point"
    THREE_SLIDES = "three slides and spheres"  # a body that does not turn, held at three known distances
    SLIDES_TO_PLANES = "slides to planes"  # a body that does not turn, held in as many planes
    TURN_AND_PLANES = "slides and a turn to planes"  # held in one plane more than it has slides
    POLYNOMIAL = "lexicographic basis"
    SEEDED_NEWTON = "seeded Newton: a table and Newton steps"
    LOOP_NEWTON = "loop closure: a table and Newton steps"  # two; four over a part of the ranges
    LOOP_POINT = "turn to a point of a loop"
    LOOP_DIRECTION = "turn to a direction of a loop"
    LOOP_AXES = (
        "last turn of a loop, to its axes"  # all else of the loop is known, and nothing turns in its closing joint
    )
    LOOP_SLIDE = "slide to a point of a loop"
    LOOP_SLIDES = "one of several slides of a loop"
    LOOP_PLANE_SLIDE = "slide to a plane of a loop"
    LOOP_ANGLE = "constant angle of two directions in a loop"
    LOOP_PLANE = "constant distance of a point and a plane in a loop"
    LOOP_DISTANCE = "constant distance of two points in a loop"


DEGREE = {
    SpatialKind.CIRCLE_AND_SPHERE: 2,
    SpatialKind.LINE_AND_SPHERE: 2,
    SpatialKind.THREE_SLIDES: 2,
    SpatialKind.TURN_AND_PLANES: 2,
    SpatialKind.THREE_SPHERES: 2,
    SpatialKind.LENGTH_OF_ARM: 2,
    SpatialKind.TWO_TURNS: 2,
    SpatialKind.TWO_TURNS_ALIGNED: 1,
    SpatialKind.ONE_TURN: 1,
    SpatialKind.ONE_SLIDE: 1,
    SpatialKind.TURN_AND_SLIDE: 1,
    SpatialKind.LOOP_ANGLE: 2,
    SpatialKind.LOOP_PLANE: 2,
    SpatialKind.LOOP_DISTANCE: 2,
}
