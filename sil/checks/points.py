"""Points of interest: place, velocity and acceleration against the reference's own tree of bodies."""

import numpy as np

from exporter.model.expression import ZERO
from exporter.model.mechanism import Frame, Mechanism
from exporter.model.signals import coordinate_of
from sil.check_names import Check
from sil.checks.condition_scaling import Judgement, judge_errors, scale_floor
from sil.checks.mechanism_case import Case
from sil.checks.rates import acceleration_scale, rate_scale
from sil.reference.points import PointMotion, point_motion
from sil.reference.rotations import Array

AXES = ("x", "y", "z")


def check_points(case: Case) -> Judgement:
    """Places over the length scale; velocities and accelerations over the row's largest rate or acceleration."""
    skeleton = case.reference.skeleton
    rates, second = case.moving, case.driven
    scales = {
        "": np.ones(len(case.rows)),
        ".rate": np.maximum(rate_scale(case), scale_floor()),
        ".acceleration": np.maximum(acceleration_scale(case, second), scale_floor()),
    }
    errors = []
    for name, frame in point_outputs(skeleton.mechanism):
        motion = point_motion(skeleton, frame, case.at, rates, second)
        for suffix, scale in scales.items():
            errors += _errors(case, name, suffix, _part(motion, suffix), scale)
    if not errors:
        return [], []
    detail = "against the tree of bodies at the reference's pose"
    return judge_errors(case, Check.POINTS, np.stack(errors, axis=1), case.evidence.limits.relative, detail)


def point_outputs(mechanism: Mechanism) -> list[tuple[str, Frame]]:
    """The entries of [outputs] that name a body's origin, point or frame."""
    coordinates = mechanism.coordinates()
    frames = {frame.name: frame for body in mechanism.bodies for frame in body.frames}
    found = []
    for name, signal in mechanism.outputs.items():
        if coordinate_of(signal, coordinates):
            continue
        if signal in frames:
            found.append((name, frames[signal]))
        elif signal in {body.name for body in mechanism.bodies}:
            found.append((name, Frame(signal, (ZERO, ZERO, ZERO), name=signal)))
    return found


def _part(motion: PointMotion, suffix: str) -> Array:
    return {"": motion.place, ".rate": motion.velocity, ".acceleration": motion.acceleration}[suffix]


def _errors(case: Case, name: str, suffix: str, right: Array, scale: Array) -> list[Array]:
    """Differences of the components that the function gives, over the scale or the vector itself."""
    columns = [case.outputs.others.get(f"{name}.{axis}{suffix}") for axis in AXES]
    size = np.maximum(scale, np.linalg.norm(right, axis=1) / case.reference.skeleton.length)
    return [
        np.abs(case.output(column) - right[:, k]) / case.reference.skeleton.length / size
        for k, column in enumerate(columns)
        if column is not None
    ]
