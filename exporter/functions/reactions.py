"""Forces and torques of joints as outputs of a function that has the accelerations of everything.

In: a function with an accelerated pose. Out: three outputs for every reaction that [outputs] asks for.
"""

from dataclasses import replace

from exporter.dynamics.equations import AcceleratedPose
from exporter.dynamics.reactions.balance import Balance
from exporter.dynamics.reactions.forces import Mechanics
from exporter.dynamics.reactions.plan import reaction_plan, refuse_indeterminate
from exporter.errors import ModelError
from exporter.functions.signals import FunctionWriter
from exporter.kinematics.protocol.solution import Solution, Triple
from exporter.model.joints import GROUND
from exporter.model.mechanism import Mechanism, ReactionOutput
from exporter.model.points_of_interest import AXES
from exporter.sequence.operations import Group, Signal

STEP = ("F1", "forces and torques of joints from the equilibrium of the bodies")
UNITS = {"force": "N", "torque": "N*m"}


def write_reactions(writer: FunctionWriter, moving: AcceleratedPose) -> None:
    """Declare the reactions that are asked for.

    Raises:
        ModelError: one of them is statically indeterminate.
    """
    asked, bodies = writer.mechanism.reactions, moving.bodies
    if not asked or bodies is None:
        return
    with writer.builder.step(*STEP):
        mechanics = bodies.mechanics()
        plan = reaction_plan(replace(writer.mechanism, independent=bodies.mechanism.independent))
        balance = Balance(plan, mechanics, bodies.state)
        balance.solve()
        for name, wanted in asked.items():
            with writer.output(name):
                _write_reaction(writer, name, wanted, _in_axes(writer.mechanism, mechanics, balance, wanted))


def check_reactions(mechanism: Mechanism, form: Solution) -> None:
    """Refuse reactions that are statically indeterminate, by joints too that the other loops imply.

    Raises:
        ModelError: the output, and which joints share what it asks for.
    """
    if not mechanism.reactions:
        return
    refuse_indeterminate(mechanism)
    known = [joint.name for joint in form.mechanism.joints]
    for name, wanted in mechanism.reactions.items():
        if wanted.joint not in known:
            raise ModelError(
                f"{mechanism.name}: output '{name}' asks for the {wanted.part} of '{wanted.joint}', which the other "
                "loops hold closed by themselves; ask for another joint, or leave the others out"
            )


def _in_axes(mechanism: Mechanism, mechanics: Mechanics, balance: Balance, wanted: ReactionOutput) -> Triple:
    vector = balance.reaction(wanted.joint, wanted.part)
    if wanted.axes == GROUND:
        return mechanics.in_ground_axes(vector)
    joint = next(each for each in mechanism.joints if each.name == wanted.joint)
    return mechanics.in_frame_axes(joint.parent if wanted.axes == "parent" else joint.child, vector)


def _write_reaction(writer: FunctionWriter, name: str, wanted: ReactionOutput, triple: Triple) -> None:
    whose = "ground" if wanted.axes == GROUND else f"the {wanted.axes}'s frame"
    for axis, value in zip(AXES, triple, strict=True):
        about = f"{wanted.part} of {wanted.joint} on its child along {axis} of {whose}"
        writer.builder.output(Signal(f"{name}.{axis}", UNITS[wanted.part], about, group=Group.OUTPUT), value)
