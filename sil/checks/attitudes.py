"""Attitudes: unit quaternions of bodies and frames against the orientations and spins of the reference's own tree."""

import numpy as np

from exporter.model.expression import ZERO
from exporter.model.mechanism import Frame, Mechanism
from sil.check_names import Check
from sil.checks.condition_scaling import Judgement, judge_errors, scale_floor
from sil.checks.mechanism_case import Case
from sil.checks.rates import acceleration_scale, rate_scale
from sil.reference.drift import moving_bodies
from sil.reference.rotations import Array
from sil.reference.skeleton import frame_place

QUATERNION_PARTS = ("w", "x", "y", "z")
SUFFIX = ".quaternion"


def check_attitudes(case: Case) -> Judgement:
    """Matrices; angular velocities 2 q' q* and accelerations 2 q'' q* over the row's largest rate or acceleration.

    Either of q and -q is an attitude. Rates must be those of the one that the export gives for the same pose; which one
    that is along a path is judged by `sil.checks.continuity`.
    """
    errors = [
        error
        for name, frame in quaternion_outputs(case.reference.skeleton.mechanism)
        for error in _errors(case, name, frame)
    ]
    if not errors:
        return [], []
    detail = "against the tree of bodies at the reference's pose"
    return judge_errors(case, Check.ATTITUDES, np.stack(errors, axis=1), case.evidence.limits.relative, detail)


def quaternion_outputs(mechanism: Mechanism) -> list[tuple[str, Frame]]:
    """The entries of [outputs] that ask for the quaternion of a body or frame."""
    frames = {frame.name: frame for body in mechanism.bodies for frame in body.frames}
    frames.update({body.name: Frame(body.name, (ZERO, ZERO, ZERO), name=body.name) for body in mechanism.bodies})
    outputs = [(name, signal.removesuffix(SUFFIX)) for name, signal in mechanism.outputs.items() if SUFFIX in signal]
    return [(name, frames[signal]) for name, signal in outputs]


def _errors(case: Case, name: str, frame: Frame) -> list[Array]:
    skeleton, at = case.reference.skeleton, case.at
    rates, second = case.moving, case.driven
    place = frame_place(skeleton, frame)
    moving = moving_bodies(skeleton, at, rates, second)
    right = {".rate": moving.drift.spins[place.body].T, ".acceleration": moving.turning(place.body).T}
    scales = {
        ".rate": np.maximum(rate_scale(case), scale_floor()),
        ".acceleration": np.maximum(acceleration_scale(case, second), scale_floor()),
    }
    orientation = np.moveaxis(moving.drift.placed.turns[place.body], -1, 0) @ place.turn
    given, q = _quaternions(case, name, ""), quaternion_of(orientation)
    shown = _companions(case, name) if given is None else given
    signs: tuple[int, ...] = (1, -1)
    if shown is not None:
        q, signs = q * np.where(np.einsum("nk,nk->n", q, shown) < 0, -1.0, 1.0)[:, None], (1,)
    if given is None:
        errors = _errors_of_parts(case, name, q, "", 1.0)
    else:
        errors = list(np.abs(matrix_of(given) - orientation).reshape(-1, 9).T)
    for suffix, value in right.items():
        change, size = _quaternions(case, name, suffix), np.maximum(scales[suffix], np.linalg.norm(value, axis=1))
        if change is None:
            errors += _errors_of_parts(case, name, _derivatives(q, right)[suffix], suffix, size / 2)
        else:
            differences = [np.abs(_vector(sign * 2 * change, q) - value).max(axis=1) / size for sign in signs]
            errors.append(np.minimum.reduce(differences))
    return errors


def _errors_of_parts(case: Case, name: str, right: Array, suffix: str, size: Array | float) -> list[Array]:
    """Differences of single parts of a quaternion, or of a derivative, (rows, 4), over its size."""
    columns = [case.outputs.others.get(f"{name}.{part}{suffix}") for part in QUATERNION_PARTS]
    return [np.abs(case.output(n) - right[:, k]) / size for k, n in enumerate(columns) if n is not None]


def _derivatives(q: Array, right: dict[str, Array]) -> dict[str, Array]:
    """First and second derivatives of a quaternion, (rows, 4), whose frame has these angular velocities."""
    spins = right[".rate"]
    first = _product(spins, q) / 2
    return {".rate": first, ".acceleration": _product(right[".acceleration"], q) / 2 + _product(spins, first) / 2}


def _product(vector: Array, q: Array) -> Array:
    """A vector, as a quaternion without a real part, times a quaternion, (rows, 4)."""
    w, v = q[:, :1], q[:, 1:]
    real = -np.einsum("nk,nk->n", vector, v)[:, None]
    return np.concatenate([real, w * vector + np.cross(vector, v)], axis=1)


def columns_of_quaternion(case: Case, name: str, suffix: str = "") -> list[int] | None:
    """Output columns of w, x, y, z, or of their derivatives; None where the function does not give them."""
    wanted, given = [f"{name}.{part}{suffix}" for part in QUATERNION_PARTS], case.outputs.others
    return [given[each] for each in wanted] if all(each in given for each in wanted) else None


def _companions(case: Case, name: str) -> Array | None:
    """The quaternion that another function gives for the same inputs, (rows, 4); None where none does."""
    evidence = case.evidence
    names = [field.name for field in evidence.function.row_inputs]
    for function in evidence.telling.manifest.functions:
        made = [field.name for field in function.row_outputs]
        wanted = [f"{name}.{part}" for part in QUATERNION_PARTS]
        if set(wanted) <= set(made) and {field.name for field in function.row_inputs} <= set(names):
            columns = np.array([names.index(field.name) for field in function.row_inputs])
            outputs = evidence.telling.call(function.name, evidence.vectors.rows[np.ix_(case.rows, columns)]).outputs
            return evidence.doubles(outputs)[:, [made.index(each) for each in wanted]]
    return None


def _quaternions(case: Case, name: str, suffix: str) -> Array | None:
    columns = columns_of_quaternion(case, name, suffix)
    return None if columns is None else np.stack([case.output(column) for column in columns], axis=-1)


def quaternion_of(matrices: Array) -> Array:
    """Quaternions (rows, 4) of rotation matrices: the eigenvectors of the largest eigenvalue (Bar-Itzhack 2000)."""
    m = np.moveaxis(matrices, 0, -1)
    trace, a, b, c = m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    rows = [[trace, a, b, c]]
    for k, mixed in enumerate((a, b, c)):
        rows.append([mixed, *((m[k, j] + m[j, k] - (trace if j == k else 0)) for j in range(3))])
    return np.linalg.eigh(np.moveaxis(np.array(rows), -1, 0))[1][:, :, -1]


def matrix_of(q: Array) -> Array:
    """Rotation matrices (rows, 3, 3) of quaternions (rows, 4); a wrong length shows in them."""
    w, x, y, z = q.T
    return np.moveaxis(
        np.array(
            [
                [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
            ]
        ),
        2,
        0,
    )


def _vector(one: Array, other: Array) -> Array:
    """Vector part of one times the conjugate of the other."""
    w, v = one[:, :1], one[:, 1:]
    s, u = other[:, :1], -other[:, 1:]
    return np.asarray(w * u + s * v + np.cross(v, u))
