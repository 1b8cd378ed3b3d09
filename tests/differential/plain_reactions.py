"""What joints transmit, from the balance of every body by itself, for the reference of the differential test.

In: a mechanism in motion with all of its accelerations and forces. Out: forces and torques of joints by the name
of the output, and their sizes. Unknown are all wrenches of all joints at once; their equations are Newton's and Euler's
of every body, and, for each free motion of a joint, that the wrench does along it what acts along its coordinate. A
planar mechanism is balanced in its plane. The whole system is solved by its pseudo-inverse.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from continuation import Driven
from link_spins import held_directions
from plain_closures import dot
from plain_mechanism import GROUND, SLIDE, Joint, Plain, X, Y, Z, tunable
from plain_mechanism import plain as plain_at
from plain_motion import Forced
from plain_rotations import Array, normals_of
from tree_motion import Moving, cross, moving_bodies

RANK = 1e-9
SHARED = 1e-6  # of a direction that nothing decides
PARALLEL = 1e-9


@dataclass(frozen=True)
class Bearings:
    """Wrenches by joint, (rows, 6) in ground axes, and what they are over when rounding is measured, (rows,)."""

    wrenches: Mapping[str, Array]
    decided: Mapping[str, tuple[bool, bool]]  # force and torque
    size: Array  # N
    residual: Array  # of the balance over the size, (rows,)


def reactions_of(driven: Driven, at: Array, rates: Array, forced: Forced, pull: Array) -> tuple[dict[str, Array], ...]:
    """Values and sizes by signal; NaN where nothing decides. `pull` is the size of accelerations over the units."""
    wanted = {n: e for n, e in driven.plain.document.get("outputs", {}).items() if "reaction" in e and type(e) is dict}
    if not wanted:
        return {}, {}
    bodies = moving_bodies(driven.plain, at, rates)
    found = bearings_of(driven, bodies, forced, pull)
    values: dict[str, Array] = {}
    sizes: dict[str, Array] = {}
    for name, entry in wanted.items():
        joint = next(each for each in driven.plain.joints if each.name == entry["reaction"])
        force = entry["part"] == "force"
        vector = found.wrenches[joint.name][:, :3] if force else found.wrenches[joint.name][:, 3:]
        if not found.decided[joint.name][0 if force else 1]:
            vector = np.full_like(vector, np.nan)
        if entry.get("axes", GROUND) != GROUND:
            place = joint.parent if entry["axes"] == "parent" else joint.child
            vector = np.einsum("nji,nj->ni", bodies[place.body].turn @ place.turn, vector)
        for k, letter in enumerate("xyz"):
            values[f"{name}.{letter}"] = vector[:, k]
            sizes[f"{name}.{letter}"] = found.size * (1.0 if force else driven.plain.size)
    return values, sizes


def bearings_of(driven: Driven, bodies: Mapping[str, Moving], forced: Forced, pull: Array) -> Bearings:
    """All wrenches at once."""
    plain = driven.plain
    basis = _basis(plain, bodies)
    columns = _columns(driven, bodies, basis)
    width, names = basis.shape[0], [body for body in bodies if body != GROUND]
    rows = len(forced.size)
    sides = _sides(plain, bodies, forced, names)
    balance = np.zeros((rows, width * len(names), sum(block.shape[2] for _, block, _ in columns)))
    start, at = 0, {}
    for key, block, ends in columns:
        at[key] = start
        for body, sign in ends:
            if body != GROUND:
                k = names.index(body) * width
                balance[:, k : k + width, start : start + block.shape[2]] += sign * (basis @ block)
        start += block.shape[2]
    right = [(basis @ sides[body][:, :, None])[:, :, 0] for body in names]
    motions, efforts = _motions(plain, bodies, basis, at, balance.shape[2], forced)
    matrix = np.concatenate([balance, motions], axis=1)
    side = np.concatenate([*right, efforts], axis=1)
    u, s, vt = np.linalg.svd(matrix, full_matrices=True)
    rank = int((s[0] > RANK * s[0, 0]).sum())
    inverse = np.einsum("nkc,nk,nmk->ncm", vt[:, :rank], 1 / s[:, :rank], u[:, :, :rank])
    solved = np.einsum("ncm,nm->nc", inverse, side)
    left = np.abs(np.einsum("nmc,nc->nm", matrix, solved) - side).max(axis=1)
    size = _size(plain, forced, pull)
    wrenches, decided = {}, {}
    for joint in plain.joints:
        k = at[joint.name]
        whole = np.einsum("wc,nw->nc", basis, solved[:, k : k + width])
        wrenches[joint.name] = whole * np.array([1, 1, 1] + [plain.size] * 3)
        shared = np.abs(vt[0, rank:, k : k + width] @ basis).max(axis=0, initial=0)
        decided[joint.name] = bool(shared[:3].max() < SHARED), bool(shared[3:].max() < SHARED)
    return Bearings(wrenches, decided, size * s[:, 0] / s[:, rank - 1], left / size)


def _basis(plain: Plain, bodies: Mapping[str, Moving]) -> Array:
    """Components of a wrench that are balanced, (w, 6): all, or those of the plane."""
    turns, slides = [], []
    for joint in plain.joints:
        frame = bodies[joint.parent.body].at(joint.parent)
        for kind, axis in joint.motions():
            (slides if kind == SLIDE else turns).append(frame.direction(axis)[0])
        if joint.type in ("spherical", "universal", "free"):
            return np.eye(6)
    if not turns:
        return np.eye(6)
    normal = turns[0]
    lies = [np.linalg.norm(np.cross(normal, turn)) for turn in turns] + [abs(float(normal @ slide)) for slide in slides]
    if max(lies) > PARALLEL or _tilts(plain, bodies, normal):
        return np.eye(6)
    found = np.zeros((3, 6))
    found[0, :3], found[1, :3] = normals_of(normal)
    found[2, 3:] = normal
    return found


def _tilts(plain: Plain, bodies: Mapping[str, Moving], normal: Array) -> bool:
    """Whether a tunable parameter turns a joint's frame about another axis than the normal: then nothing is planar."""
    ends = [{}, *({name: end} for name, limits in tunable(plain.document).items() for end in limits[1:])]
    joints = [plain_at(plain.document, values).joints for values in ends]
    for k, joint in enumerate(plain.joints):
        for side in ("parent", "child"):
            place = getattr(joint, side)
            seen = (bodies[place.body].turn[0] @ place.turn).T @ normal
            normals = np.array([getattr(other[k], side).turn @ seen for other in joints])
            if np.abs(normals - normals[0]).max() > PARALLEL:
                return True
    return False


Column = tuple[str, Array, list[tuple[str, int]]]  # key, wrench about the ground's origin (rows, 6, c), where it acts


def _columns(driven: Driven, bodies: Mapping[str, Moving], basis: Array) -> list[Column]:
    """Every unknown: wrenches about the origin of the child's frame, and torques that hold the spin of links."""
    plain, found = driven.plain, []
    for joint in plain.joints:
        place = bodies[joint.child.body].at(joint.child).place
        found.append(
            (joint.name, _moved(place, plain.size) @ basis.T, [(joint.child.body, 1), (joint.parent.body, -1)])
        )
    for spin, own in held_directions(plain, driven.spins):
        torque = cross(np.broadcast_to(spin.ground, (len(place), 3)), bodies[spin.body].direction(own))
        column = np.concatenate([np.zeros_like(torque), torque], axis=1)[:, :, None]
        found.append((f"{spin.body}'s spin", column, [(spin.body, 1)]))
    return found


def _moved(place: Array, size: float) -> Array:
    """The wrench about the ground's origin, torques over the size, of one about a place, (rows, 6, 6)."""
    matrix = np.tile(np.eye(6), (len(place), 1, 1))
    for k, axis in enumerate((X, Y, Z)):
        matrix[:, 3:, k] = np.cross(place, axis) / size
    return matrix


def _sides(plain: Plain, bodies: Mapping[str, Moving], forced: Forced, names: list[str]) -> dict[str, Array]:
    """Rate of momentum less what acts, by body, about the ground's origin, torques over the size."""
    rows = len(forced.size)
    found = {body: np.zeros((rows, 6)) for body in names}
    for each in plain.masses:
        center = bodies[each.body].carried(each.center)
        force = each.mass * (np.einsum("nki,nk->ni", center.speeds, forced.accelerations) + center.bias - plain.gravity)
        gyration = np.einsum("nki,nk->ni", center.spins, forced.accelerations) + center.spin_bias
        inertia = center.turn @ each.inertia @ np.swapaxes(center.turn, 1, 2)
        moment = (inertia @ gyration[:, :, None])[:, :, 0]
        moment += cross(center.spin, (inertia @ center.spin[:, :, None])[:, :, 0])
        found[each.body] += _about_ground(center.place, force, moment, plain.size)
    for body, place, force, torque in (pull for each in forced.applied for pull in each.pulls):
        if body != GROUND:
            found[body] -= _about_ground(place, force, torque, plain.size)
    return found


def _about_ground(place: Array, force: Array, torque: Array, size: float) -> Array:
    return np.concatenate([force, (torque + cross(place, force)) / size], axis=1)


def _motions(
    plain: Plain, bodies: Mapping[str, Moving], basis: Array, at: Mapping[str, int], width: int, forced: Forced
) -> tuple[Array, Array]:
    """A row for each free motion: matrix (rows, m, width) and right side (rows, m)."""
    acting: dict[str, Any] = {}
    for each in forced.applied:
        if each.along is not None:
            acting[each.along[0]] = acting.get(each.along[0], 0.0) + each.along[1]
    rows, matrix, side = len(forced.size), [], []
    for joint in plain.joints:
        for twist, name in _twists(plain, bodies, joint):
            unit = plain.size if np.abs(twist[0, 3:]).any() else 1.0
            scaled = np.concatenate([twist[:, :3] / unit, twist[:, 3:] * (plain.size / unit)], axis=1)
            line = np.zeros((rows, width))
            line[:, at[joint.name] : at[joint.name] + len(basis)] = scaled @ basis.T
            matrix.append(line)
            side.append(np.broadcast_to(acting.get(name, 0.0) / unit, rows))
    if not matrix:
        return np.zeros((rows, 0, width)), np.zeros((rows, 0))
    return np.stack(matrix, axis=1), np.stack(side, axis=1)


def _twists(plain: Plain, bodies: Mapping[str, Moving], joint: Joint) -> Iterator[tuple[Array, str]]:
    """Velocity of the origin of the child's frame and spin, (rows, 6), along each free motion; its coordinate."""
    child, parent = bodies[joint.child.body].at(joint.child), bodies[joint.parent.body].at(joint.parent)
    for name in joint.coordinates:
        column = plain.coordinates.index(name)
        yield np.concatenate([child.speeds[:, column], child.spins[:, column]], axis=1), name
    if joint.closes:
        for kind, axis in joint.motions():
            frame = child if (joint.type, axis @ Y) == ("universal", 1.0) else parent
            none, way = np.zeros_like(frame.place), frame.direction(axis)
            yield np.concatenate([way, none] if kind == SLIDE else [none, way], axis=1), ""


def _size(plain: Plain, forced: Forced, pull: Array) -> Array:
    """The sum of the sizes of all forces, N."""
    total = np.zeros_like(pull)
    for each in plain.masses:
        reach = np.linalg.norm(each.center) + plain.size
        total += each.mass * (float(np.linalg.norm(plain.gravity)) + reach * pull)
        total += np.abs(each.inertia).max() * pull / plain.size
    for each in forced.applied:
        for _, _, force, torque in each.pulls:
            total += np.linalg.norm(force, axis=1) + np.linalg.norm(torque, axis=1) / plain.size
        if each.along is not None:
            total += np.abs(each.along[1]) / (1.0 if each.along[0] in plain.displacements else plain.size)
        total += (each.effort / plain.units()).max(axis=1)
    return np.maximum(total, 1e-12)


def joint_power(driven: Driven, bearings: Bearings, bodies: Mapping[str, Moving]) -> Array:
    """The power of all wrenches of joints, W, (rows,): that of what acts along coordinates, and nothing else."""
    total = np.zeros(len(bearings.size))
    for joint in driven.plain.joints:
        at = bodies[joint.child.body].at(joint.child)
        held = bodies[joint.parent.body].shifted(at.place - bodies[joint.parent.body].place)
        wrench = bearings.wrenches[joint.name]
        total += dot(wrench[:, :3], at.velocity - held.velocity) + dot(wrench[:, 3:], at.spin - held.spin)
    return total
