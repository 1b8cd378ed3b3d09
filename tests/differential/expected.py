"""Rows of inputs of a mechanism and what is right there, for the differential test.

In: TOML text, a seeded generator of numbers. Out: an `Expected` per set of tunable parameters. Sets:
nominal, every parameter at its low and at its high end, random ones. Rows: the design pose, each end of each range,
random poses. Every number is one of float32, so that both precisions are asked the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from continuation import Driven, Reached, assembled, corrected, followed, moved_to
from plain_implicit import Now, step_implicitly
from plain_mechanism import document_of, limits_of, plain, tunable
from plain_motion import Forced, all_accelerations, all_rates, forced
from plain_numbers import number_of
from plain_outputs import Outputs, outputs_of
from plain_reactions import reactions_of
from plain_rotations import Array
from plain_state import state_of
from tree_motion import moving_bodies

SLOW = 1e-6  # rad/s, or sizes per second: rates below it are measured by it
RANDOM_SETS = 1
MANY = 100  # random rows


@dataclass(frozen=True)
class Stepped:
    """Independent coordinates and rates one step later, by name, the period, and where a rate may leave its bound.

    A stage of a step may be faster than its end: half as much again as the accelerations give is allowed for.
    """

    after: dict[str, Array]
    period: float
    too_fast: Array  # (rows,)


@dataclass(frozen=True)
class Expected:
    """Inputs by signal, and what is right, at one set of parameters."""

    driven: Driven
    parameters: dict[str, float]
    inputs: dict[str, Array]
    reached: Reached
    rates: Array
    moving: Outputs  # at the given accelerations
    forced: Forced | None
    falling: Outputs | None  # at the accelerations of the equations of motion
    stepped: Stepped | None
    accelerations: Array


def representable(value: float, low: float, high: float) -> float:
    """The nearest float32 within limits."""
    near = np.float32(value)
    if float(near) > high:
        near = np.nextafter(near, np.float32(-np.inf))
    if float(near) < low:
        near = np.nextafter(near, np.float32(np.inf))
    return float(near)


def expectations(text: str, random: Random, rows: int) -> list[Expected]:
    """What is right, set by set; none where the file's own pose does not close.

    Of many random rows nominal parameters have two fifths, where there are others, and these a fifth each.
    """
    document = document_of(text)
    rows = rows if rows < MANY or not tunable(document) else -(-2 * rows // 5)
    design = assembled(plain(document))
    if design is None:
        return []
    start, _, _ = corrected(design, design.plain.design(), 12)
    found = [_expected(document, design, start, {}, random, rows)]
    for values in _parameter_sets(document, random):
        placed = followed(_between(document, design, values), start, start[:, design.given])
        if placed.on_branch[0]:
            held = Driven(plain(document, values), design.spins, design.rank)
            found.append(_expected(document, held, placed.at, values, random, max(rows // 2, 3)))
    return found


def drives_to(text: str, place: Mapping[str, float]) -> bool:
    """Whether the branch of the file's pose can be followed to values of tunable parameters and of coordinates."""
    document = document_of(text)
    design = assembled(plain(document))
    if design is None:
        return False
    start, _, _ = corrected(design, design.plain.design(), 12)
    values = {name: value for name, value in place.items() if name in tunable(document)}
    placed = followed(_between(document, design, values), start, start[:, design.given])
    held = Driven(plain(document, values), design.spins, design.rank)
    goal = placed.at[:, held.given].copy()
    for position, name in enumerate(held.plain.independent):
        goal[0, position] = place.get(name, goal[0, position])
    return bool(placed.on_branch[0]) and bool(followed(lambda _: held, placed.at, goal).on_branch[0])


def _between(document: dict[str, Any], design: Driven, values: Mapping[str, float]) -> Callable[[float], Driven]:
    nominal = {name: limits[0] for name, limits in tunable(document).items()}

    def at(way: float) -> Driven:
        mixed = {name: nominal[name] + way * (value - nominal[name]) for name, value in values.items()}
        return Driven(plain(document, mixed), design.spins, design.rank)

    return at


def _parameter_sets(document: dict[str, Any], random: Random) -> list[dict[str, float]]:
    limits = tunable(document)
    if not limits:
        return []
    ends = [{name: entry[1 + end] for name, entry in limits.items()} for end in (0, 1)]
    drawn = [{n: random.uniform(low, high) for n, (_, low, high) in limits.items()} for _ in range(RANDOM_SETS)]
    return [{n: representable(v, *limits[n][1:]) for n, v in values.items()} for values in [*ends, *drawn]]


def _expected(
    document: dict[str, Any], driven: Driven, start: Array, values: dict[str, float], random: Random, rows: int
) -> Expected:
    inputs = _inputs(document, driven, random, rows)
    names = driven.plain.independent
    given = {ending: np.stack([inputs[f"{n}{ending}"] for n in names], -1) for ending in ("", ".rate", ".acceleration")}
    reached = followed(lambda _: driven, start, given[""])
    rates = all_rates(driven, reached.at, given[".rate"])
    second = all_accelerations(driven, reached.at, rates, given[".acceleration"])
    moving = outputs_of(driven, reached.at, rates, second)
    dynamic = _forced(driven, reached.at, rates, inputs)
    falling = stepped = None
    if dynamic is not None:
        falling = _falling(driven, reached.at, rates, dynamic)
        stepped = _stepped(document, driven, reached.at, rates, inputs)
    return Expected(driven, values, inputs, reached, rates, moving, dynamic, falling, stepped, second)


def _inputs(document: dict[str, Any], driven: Driven, random: Random, rows: int) -> dict[str, Array]:
    """The design pose at rest, each end of each range, random rows."""
    names = driven.plain.independent
    limits = limits_of(document, names)
    poses = [[driven.plain.pose[name] for name in names]]
    for position, name in enumerate(names):
        for end in limits[name][:2]:
            poses.append([*poses[0][:position], end, *poses[0][position + 1 :]])
    poses += [[random.uniform(*limits[name][:2]) for name in names] for _ in range(rows)]
    found = {}
    for position, name in enumerate(names):
        low, high, rate = limits[name]
        found[name] = np.array([representable(pose[position], low, high) for pose in poses])
        for ending in (".rate", ".acceleration"):  # the bound of an acceleration is far above that of the rate
            drawn = [0.0, *(representable(random.uniform(-rate, rate), -rate, rate) for _ in poses[1:])]
            found[f"{name}{ending}"] = np.array(drawn)
    for name, entry in document.get("inputs", {}).items():
        low, high = (number_of(limit, {}) for limit in entry["range"])
        found[name] = np.array([representable(random.uniform(low, high), low, high) for _ in poses])
    return found


def _forced(driven: Driven, at: Array, rates: Array, inputs: Mapping[str, Array]) -> Forced | None:
    if not driven.plain.masses:
        return None
    try:
        return forced(driven, at, rates, inputs)
    except np.linalg.LinAlgError:
        return None


def _falling(driven: Driven, at: Array, rates: Array, dynamic: Forced) -> Outputs:
    """What `dynamics` gives out, with what joints transmit."""
    moving = outputs_of(driven, at, rates, dynamic.accelerations)
    values, sizes = reactions_of(driven, at, rates, dynamic, pull_of(driven, rates, dynamic))
    return Outputs(moving.values | values, moving.clearance, sizes)


def pull_of(driven: Driven, rates: Array, dynamic: Forced) -> Array:
    """The largest acceleration (over the units) that a row can be said to have, (rows,)."""
    units = driven.plain.units()
    fastest = np.maximum(np.abs(rates / units).max(axis=1), SLOW)
    found = np.abs(dynamic.accelerations / units).max(axis=1)
    return np.maximum.reduce([fastest**2, dynamic.size, found])


def _stepped(
    document: dict[str, Any], driven: Driven, at: Array, rates: Array, inputs: Mapping[str, Array]
) -> Stepped | None:
    """One step of the file's method."""
    options = document.get("step", {})
    period = number_of(options.get("period", "1 ms"), {})
    given = driven.given

    def now(x: Array, v: Array) -> Now:
        placed = moved_to(driven, at, x)
        moving = all_rates(driven, placed, v)
        state = state_of(driven, moving_bodies(driven.plain, placed, moving), placed, moving, inputs)
        return Now(forced(driven, placed, moving, inputs), state, given)

    def slope(x: Array, v: Array) -> Array:
        return now(x, v).forced.accelerations[:, given]

    x, v = at[:, given], rates[:, given]
    method = options.get("method", "semi_implicit_euler")
    try:
        if method == "linearly_implicit":
            moved, faster = step_implicitly(document, now, x, v, period)
        else:
            moved, faster = STEPS[method](slope, x, v, period)
    except np.linalg.LinAlgError:
        return None
    names = driven.plain.independent
    bounds = np.array([limits[2] for limits in limits_of(document, names).values()])
    too_fast = (np.abs(v) + 1.5 * np.maximum(np.abs(faster - v), period * np.abs(slope(x, v))) > bounds).any(axis=1)
    after = {name: moved[:, k] for k, name in enumerate(names)}
    return Stepped(after | {f"{name}.rate": faster[:, k] for k, name in enumerate(names)}, period, too_fast)


def _euler(slope: Callable[..., Array], x: Array, v: Array, h: float) -> tuple[Array, Array]:
    return x + h * v, v + h * slope(x, v)


def _semi_implicit(slope: Callable[..., Array], x: Array, v: Array, h: float) -> tuple[Array, Array]:
    faster = v + h * slope(x, v)
    return x + h * faster, faster


def _rk4(slope: Callable[..., Array], x: Array, v: Array, h: float) -> tuple[Array, Array]:
    k1, l1 = v, slope(x, v)
    k2, l2 = v + h / 2 * l1, slope(x + h / 2 * k1, v + h / 2 * l1)
    k3, l3 = v + h / 2 * l2, slope(x + h / 2 * k2, v + h / 2 * l2)
    k4, l4 = v + h * l3, slope(x + h * k3, v + h * l3)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)


STEPS = {"euler": _euler, "semi_implicit_euler": _semi_implicit, "rk4": _rk4}
