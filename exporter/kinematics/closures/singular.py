"""Poses that close and are singular: what moves while the independent coordinates rest, and a pose beside that is not.

In: closures and a row of all coordinates that closes. Out: that motion, the nearest pose along it from which the
independent coordinates drive the mechanism, and both in words.
"""

from collections.abc import Sequence

import numpy as np

from exporter.kinematics.closures.closing import Array, Closures, close_rows, jacobians
from exporter.kinematics.closures.rank import motions
from exporter.kinematics.protocol.closest import pose_line
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass

LEAST_DRIVE = 1e-6  # singular value of the independent coordinates' motions below which they do not drive
LEAST_MOTION = 1e-6  # part of a motion that counts as rest
ASIDE = (0.05, -0.05, 0.1, -0.1, 0.2, -0.2, 0.4, -0.4)  # rad or lengths of what moves most, from the singular pose
FREER, LEAST_BESIDE = 30, 1e-4  # times as much, and at least so much, must the independent coordinates move beside it
PRINTED_ZERO = 1e-9  # rad or m of a pose: less is rounding
NAMED = 4  # coordinates that move are named, the others counted


@dataclass(frozen=True)
class Slack:
    """The motion at a pose in which the independent coordinates move least."""

    closures: Closures
    row: Array  # (1, c), closes
    drive: float  # what the independent coordinates move by, per unit of the motion
    motion: Array  # (c,), in units of the coordinates; the largest is 1

    @property
    def moved(self) -> list[str]:
        """What moves, the most first."""
        names, size = self.closures.mechanism.coordinates(), np.round(np.abs(self.motion), 9)
        return [names[k] for k in np.argsort(-size, kind="stable") if size[k] > LEAST_MOTION]


def slack_at(closures: Closures, row: Array) -> Slack:
    """Where the independent coordinates move least at a row (1, c) that closes; as many degrees of freedom as these."""
    mechanism = closures.mechanism
    moving = motions(jacobians(closures, row), len(mechanism.independent))[0]
    _, values, right = np.linalg.svd(moving[_chosen(mechanism)])
    motion = moving @ right[-1]
    return Slack(closures, row, float(values[-1]), motion / motion[np.argmax(np.round(np.abs(motion), 9))])


def pose_beside(slack: Slack) -> dict[str, float] | None:
    """All coordinates, as they are printed, of the nearest tried pose along the motion that is not singular."""
    closures, mechanism = slack.closures, slack.closures.mechanism
    names, lead = mechanism.coordinates(), slack.moved[0]
    for aside in ASIDE:
        aim = slack.row + aside * slack.motion * closures.units
        row, closes = close_rows(closures, aim, (lead,))
        printed = [0.0 if abs(value) < PRINTED_ZERO else float(f"{value:.6g}") for value in row[0]]
        if not closes[0] or not _within_ranges(mechanism, printed):
            continue
        freed = slack_at(closures, row).drive > max(LEAST_BESIDE, FREER * slack.drive)
        if freed and close_rows(closures, np.array([printed]), mechanism.independent)[1][0]:
            return dict(zip(names, printed, strict=True))
    return None


def undriven_in_words(slack: Slack) -> str:
    """What can move while the independent coordinates rest, and by how much they do not quite."""
    names, moved = slack.closures.mechanism.coordinates(), slack.moved
    idle = [name for name in moved if name not in slack.closures.mechanism.independent]
    more = f" and {len(idle) - NAMED} more" if len(idle) > NAMED else ""
    rest = "it rests" if len(slack.closures.mechanism.independent) == 1 else "they rest"
    size = np.abs(slack.motion) * slack.closures.units
    most = max(_chosen(slack.closures.mechanism), key=lambda k: float(np.abs(slack.motion[k])))
    ratio = float(size[most] / size[names.index(moved[0])])
    still = f"; {names[most]} moves by {ratio:.2g} {_by(slack, most, moved[0])}" if slack.drive > LEAST_DRIVE else ""
    return f"{', '.join(idle[:NAMED])}{more} can move there while {rest}{still}"


def next_step(slack: Slack, beside: dict[str, float] | None) -> str:
    """A pose that is not singular, as a line of a file; or that none was found."""
    mechanism = slack.closures.mechanism
    if beside is None:
        return (
            f"no pose beside it, with {', '.join(mechanism.independent)} within their ranges, was found that is not "
            "singular; choose other independent coordinates or another assembly"
        )
    return (
        f"turn the pose off it, as to {pose_line(mechanism, beside)}, which is not singular, or choose other "
        "independent coordinates or another assembly"
    )


def _by(slack: Slack, most: int, lead: str) -> str:
    mechanism = slack.closures.mechanism
    return f"{mechanism.unit_of(mechanism.coordinates()[most])} per {mechanism.unit_of(lead)} of {lead}"


def _within_ranges(mechanism: Mechanism, values: Sequence[float]) -> bool:
    """Whether the independent coordinates are in their ranges."""
    at = dict(zip(mechanism.coordinates(), values, strict=True))
    bounds = [(at[name], mechanism.ranges[name]) for name in mechanism.independent if name in mechanism.ranges]
    return all(float(each.minimum) <= value <= float(each.maximum) for value, each in bounds)


def _chosen(mechanism: Mechanism) -> list[int]:
    return [mechanism.coordinates().index(name) for name in mechanism.independent]
