"""Forces and torques of joints as outputs of a function that has the accelerations of everything.

In: a function with an accelerated pose. Out: three outputs for every reaction that [outputs] asks for.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from exporter.dynamics.accelerated_pose import AcceleratedPose, BalancedBodies
from exporter.errors import ModelError
from exporter.functions.signals import FunctionWriter
from exporter.kinematics.protocol.solution import Solution, Triple
from exporter.model.joints import GROUND
from exporter.model.mechanism import Mechanism, ReactionOutput
from exporter.model.points_of_interest import AXES
from exporter.sequence.operations import Group, Signal

if TYPE_CHECKING:  # few mechanisms ask for reactions
    from exporter.dynamics.reactions.balance import Balance
    from exporter.dynamics.reactions.forces import Mechanics
    from exporter.dynamics.switching.evaluation import EvaluatedPose

STEP = ("F1", "forces and torques of joints from the equilibrium of the bodies")
UNITS = {"force": "N", "torque": "N*m"}


def write_reactions(writer: FunctionWriter, moving: AcceleratedPose) -> None:
    """Declare the reactions that are asked for.

    Raises:
        ModelError: one of them is statically indeterminate.
    """
    if writer.mechanism.reactions:
        _declare(writer, _values(writer, moving.bodies))


def write_selected_reactions(writer: FunctionWriter, now: "EvaluatedPose") -> None:
    """Declare the reactions by whichever of two choices of coordinates is active."""
    if not writer.mechanism.reactions:
        return
    first, second = now.bodies
    ours = _values(writer, first)
    with writer.builder.within("alternative"):
        theirs = _values(writer, second)
    select = writer.builder.select
    pairs = {name: zip(theirs[name], ours[name], strict=True) for name in ours}
    chosen = {name: [select(now.pose.flag, one, other) for one, other in pair] for name, pair in pairs.items()}
    _declare(writer, {name: (x, y, z) for name, (x, y, z) in chosen.items()})


def _values(writer: FunctionWriter, bodies: BalancedBodies) -> dict[str, Triple]:
    """Three components of everything that is asked for, by name."""
    from exporter.dynamics.reactions.balance import Balance  # noqa: PLC0415
    from exporter.dynamics.reactions.plan import reaction_plan  # noqa: PLC0415

    with writer.builder.step(*STEP):
        mechanics = bodies.mechanics()
        plan = reaction_plan(replace(writer.mechanism, independent=bodies.mechanism.independent))
        balance = Balance(plan, mechanics, bodies.state)
        balance.solve()
        found = {}
        for name, wanted in writer.mechanism.reactions.items():
            with writer.output(name):
                found[name] = _in_axes(writer.mechanism, mechanics, balance, wanted)
        return found


def check_reactions(mechanism: Mechanism, form: Solution) -> None:
    """Refuse reactions that are statically indeterminate, by joints too that the other loops imply.

    Raises:
        ModelError: the output, and which joints share what it asks for.
    """
    if not mechanism.reactions:
        return
    from exporter.dynamics.reactions.plan import refuse_indeterminate  # noqa: PLC0415

    refuse_indeterminate(mechanism)
    known = [joint.name for joint in form.mechanism.joints]
    for name, wanted in mechanism.reactions.items():
        if wanted.joint not in known:
            raise ModelError(
                f"{mechanism.name}: output '{name}' asks for the {wanted.part} of '{wanted.joint}', which the other "
                "loops hold closed by themselves; ask for another joint, or leave the others out"
            )


def _in_axes(mechanism: Mechanism, mechanics: "Mechanics", balance: "Balance", wanted: ReactionOutput) -> Triple:
    vector = balance.reaction(wanted.joint, wanted.part)
    if wanted.axes == GROUND:
        return mechanics.in_ground_axes(vector)
    joint = next(each for each in mechanism.joints if each.name == wanted.joint)
    return mechanics.in_frame_axes(joint.parent if wanted.axes == "parent" else joint.child, vector)


def _declare(writer: FunctionWriter, found: Mapping[str, Triple]) -> None:
    for name, triple in found.items():
        wanted = writer.mechanism.reactions[name]
        whose = "ground" if wanted.axes == GROUND else f"the {wanted.axes}'s frame"
        for axis, value in zip(AXES, triple, strict=True):
            about = f"{wanted.part} of {wanted.joint} on its child along {axis} of {whose}"
            writer.builder.output(Signal(f"{name}.{axis}", UNITS[wanted.part], about, group=Group.OUTPUT), value)
