"""A solved mechanism that is held against its original closures, or why it is refused.

In: a `Solution`. Out: nothing, or a refusal that names the place and what is wrong there.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from exporter.errors import RangesRefused
from exporter.kinematics.closures.closing import Array
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.verification.at_pose import check_pose
from exporter.kinematics.verification.half_turns import check_angles_read
from exporter.kinematics.verification.probe import Probe
from exporter.kinematics.verification.quarter_turns import check_loads
from exporter.kinematics.verification.search import WrongPlace, first_fault
from exporter.progress import say

MOST_TWO_ROOT_BLOCKS = 6  # blocks with two roots of which all combinations are tried
HALVINGS = 40  # of the way from the design pose to a place


def check(solved: Solution) -> None:
    """Hold a solution against its closures, at the design pose and over its ranges.

    Raises:
        NoForm: the pose lies at an assembly that the blocks do not give.
        RangesRefused: positions leave a loop open without a flag, bodies jump, or a load would change its sign.
    """
    if not any(joint.closes for joint in solved.mechanism.joints):
        return
    say("holding the solution against the loops over the ranges")
    probe = Probe(solved)
    check_pose(probe)
    fault = first_fault(probe)
    if fault is None:
        check_loads(probe)
    if fault is None or not fault.residual:  # an angle that is read says more than bodies that jump by it
        check_angles_read(probe)
    if fault is not None:
        raise RangesRefused(f"{solved.mechanism.name}: {_what(probe, fault)}")


def _what(probe: Probe, fault: WrongPlace) -> str:
    if not fault.residual:
        return f"the bodies jump at {probe.where(fault.place)} without a flag"
    right = _right_mode(probe, fault.place)
    if right is None:
        return (
            f"at {probe.where(fault.place)} the blocks leave the original closures open by {fault.residual:.3g} of "
            "the longest length without a flag"
        )
    solved, place = probe.solved, _boundary(probe, fault.place)
    ids = [
        own.title
        for own, other in zip(solved.block_facts(), right.block_facts(), strict=True)
        if own.sign != other.sign
    ]
    return (
        f"the root that closes the loops changes at {probe.where(place)}, in {', '.join(ids)}, for closure equations "
        "that the other roots of these blocks do not satisfy; an export stays on one root"
    )


def _right_mode(probe: Probe, place: Array) -> Solution | None:
    """The mode of other roots that closes at a place; None where there is none or there are too many to try."""
    for mode in _other_modes(probe.solved):
        seen = Probe(mode).at(place[None])
        if seen.clear[0] and not seen.wrong[0]:
            return mode
    return None


def _other_modes(solved: Solution) -> Iterator[Solution]:
    rooted = solved.branched_solution()
    if rooted is None:
        return
    facts = solved.block_facts()
    choices = [(block.sign, -block.sign) if block.degree > 1 else (block.sign,) for block in facts]
    if sum(len(choice) > 1 for choice in choices) > MOST_TWO_ROOT_BLOCKS:
        return
    for signs in list(product(*choices))[1:]:
        yield rooted.with_signs(signs)


def _boundary(probe: Probe, place: Array) -> Array:
    """Where on the way from the design pose to a place the loops open."""
    good, bad = probe.ranges.design, place
    for _ in range(HALVINGS):
        middle = (good + bad) / 2
        good, bad = (good, middle) if probe.at(middle[None]).wrong[0] else (middle, bad)
    return np.asarray(bad)
