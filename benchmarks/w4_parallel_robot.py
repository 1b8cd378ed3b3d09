"""W4: the planar parallel robot by the pose of its end effector, parameters frozen, without status and margins.

W4k, kinematics: inputs (x, y, theta), outputs (cos, sin) of the directions of all six links. W4d, dynamics: inputs
(x, y, theta), their rates and three motor torques, outputs three accelerations. Prints the operation counts and the
instructions on the host.
"""

from bare_arithmetic import exported, finished, library, rows, tell

from exporter.functions.mechanism import dynamics
from exporter.kinematics.planar.solution import solve_pose
from exporter.kinematics.planar.triangular import triangular_form
from exporter.kinematics.protocol.scope import Scope
from exporter.sequence.builder import Builder
from exporter.sequence.operations import OperationSequence, Signal

LINKS = tuple(f"{link}{leg}" for leg in (1, 2, 3) for link in ("upper", "lower"))
POSES = ([0.4, 0.2, -0.5], [0.6, 0.4, 0.5])
KINEMATIC_ROWS = rows(*POSES)
DYNAMIC_ROWS = rows([*POSES[0], *[-1.0] * 3, *[-5.0] * 3], [*POSES[1], *[1.0] * 3, *[5.0] * 3])
ACCELERATIONS = tuple(f"{name}.acceleration" for name in ("x", "y", "theta"))


def kinematics() -> OperationSequence:
    """Directions of the links alone; an export gives the angles of the joints between them."""
    form = triangular_form(library("parallel_robot"))
    builder = Builder("position", "float64", contract=False)
    inputs = {name: builder.input(Signal(name, "1")) for name in form.independent}
    pose, _ = solve_pose(form, builder, Scope(builder, form.mechanism), inputs)
    directions = {}
    for link in LINKS:
        unit = pose.unit(link)
        directions |= {f"{link}.cos": unit.re, f"{link}.sin": unit.im}
    return finished(builder, directions)


def accelerations() -> OperationSequence:
    """The arithmetic of the accelerations alone."""
    return exported(library("parallel_robot"), dynamics, ACCELERATIONS)


ITEMS = {"w4k": (kinematics, KINEMATIC_ROWS), "w4d": (accelerations, DYNAMIC_ROWS)}

if __name__ == "__main__":
    tell(kinematics(), KINEMATIC_ROWS)
    tell(accelerations(), DYNAMIC_ROWS)
