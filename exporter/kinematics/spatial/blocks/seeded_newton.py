"""The seeded Newton block: coordinates of a body from as many constant distances, by a seed and Newton steps.

F_k = (|P_k - J_k|^2 - L_k^2) / 2;  dF/dq = u.a for a slide along a, a.((P - o) x u) for a turn about a through o, with
u = P_k - J_k. The seed is a polynomial in the independent coordinate: no history, the same branch after every restart.
Rates and accelerations solve the same system at the solution; the residual is an output.
"""

from fractions import Fraction

from exporter.kinematics.protocol.derivatives import Derivatives, Rules
from exporter.kinematics.protocol.limits import ACCELERATION_LIMIT, RATE_LIMIT
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.motions import ElementaryMotion, motions_of
from exporter.kinematics.protocol.turning import KnownSlide, KnownTurn, Step, resting, through
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.kinematics.seeded.ordered_elimination import Rows, eliminate
from exporter.kinematics.seeded.residuals import RESIDUAL_EPS
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.blocks.newton_table import ConstantDistance, NewtonTable
from exporter.kinematics.spatial.placement import CarriedPlacement, Placement
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.kinematics.spatial.roots import Angle
from exporter.records import dataclass
from exporter.sequence.builder import Value

LARGEST_TURN = Fraction(1, 2)  # rad, of a Newton step
HALF_TURN = Fraction(3)  # rad, with room for rounding
SMALL_PIVOT = "a pivot of seeded Newton steps is small"


@dataclass(frozen=True, slots=True)
class _Iterate:
    """The body at some values of the unknowns, and what the distances say there."""

    residuals: list[Value]
    jacobian: Rows


def seeded_newton(block: Block, pose: SpatialPose, table: NewtonTable) -> None:
    """Write seed, steps, and what rates need."""
    builder = pose.builder
    (driver,) = pose.inputs.values()
    t = (driver - table.middle) * (1 / table.half)
    values = {name: _horner(t, each) for name, each in zip(table.unknowns, table.coefficients, strict=True)}
    limits = [pose.form.length / 2 if name in pose.displacements else LARGEST_TURN for name in table.unknowns]
    for number in range(table.steps):
        about = f"Newton step {number + 1} of {table.steps} on {', '.join(table.unknowns)}"
        with builder.step(f"{block.id}.{number + 1}", about):
            at = _iterate(block, pose, table, values)
            names = [f"d {name}" for name in table.unknowns]
            step = eliminate(table.order, names, at.jacobian, [-part for part in at.residuals], limits, SMALL_PIVOT)
            values = {name: values[name] + part for name, part in zip(table.unknowns, step, strict=True)}
    _finish(block, pose, table, values)


def _horner(t: Value, coefficients: tuple[Fraction, ...]) -> Value:
    total = t.builder.real(coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * t + coefficient
    return total


def _finish(block: Block, pose: SpatialPose, table: NewtonTable, values: dict[str, Value]) -> None:
    """Take the values as coordinates; register rates and accelerations; give the residual."""
    builder = pose.builder
    with builder.step(f"{block.id}.r", f"distances at the solution, and {', '.join(table.unknowns)} there"):
        final = _iterate(block, pose, table, values)
        for name, value, coefficients in zip(table.unknowns, values.values(), table.coefficients, strict=True):
            if name in pose.displacements:
                pose.slides[name] = value
            else:
                sine, cosine = builder.sincos(value)
                itself = value if _turns_little(coefficients, table.steps) else None
                pose.angles[name] = Angle(cosine, sine, lambda d, value=value: d.of(value), itself)  # type: ignore[misc]

    def rates(motion: Derivatives) -> tuple[Value, ...]:
        given = {value: motion.of(value) for value in pose.inputs.values()}
        partial = Derivatives(Rules(builder), {**dict.fromkeys(values.values(), builder.real(0)), **given})
        sides = [-partial.of(residual) for residual in final.residuals]
        limits = [RATE_LIMIT[builder.precision]] * len(sides)
        names = [f"{name}.rate" for name in table.unknowns]
        solved = eliminate(table.order, names, final.jacobian, sides, limits, SMALL_PIVOT)

        def accelerations(second: Derivatives) -> tuple[Value, ...]:
            d = second.of
            moved = [
                d(side) - _sum(builder.real(0), [d(entry) * rate for entry, rate in zip(row, solved, strict=True)])
                for side, row in zip(sides, final.jacobian, strict=True)
            ]
            limits = [ACCELERATION_LIMIT[builder.precision]] * len(moved)
            names = [f"{name}.acceleration" for name in table.unknowns]
            return tuple(eliminate(table.order, names, final.jacobian, moved, limits, SMALL_PIVOT))

        for k, rate in enumerate(solved):
            motion.register(rate, lambda d, k=k: d.once(accelerations)[k])  # type: ignore[misc]
        return tuple(solved)

    for k, name in enumerate(table.unknowns):
        pose.rules.register(values[name], lambda d, k=k: d.once(rates)[k])  # type: ignore[misc]
    _give_residual(block, pose, final)


def _turns_little(coefficients: tuple[Fraction, ...], steps: int) -> bool:
    """Whether an angle stays within half a turn: seed and steps."""
    return sum(map(abs, coefficients)) + steps * LARGEST_TURN < HALF_TURN


def _give_residual(block: Block, pose: SpatialPose, final: _Iterate) -> None:
    about = f"closure residual of {', '.join(block.centers[::2])} over the squared length"
    with pose.builder.step(f"{block.id}.r", about):
        total = _sum(pose.builder.real(0), [abs(part) for part in final.residuals]) / pose.form.length**2
        if pose.builder.contract:
            open_text = f"the {about} is above its limit"
            pose.builder.condition("RESIDUAL_HIGH", total > RESIDUAL_EPS * pose.builder.epsilon, open_text)
    pose.margins.append(Margin(block.id, "residual", total, about))


def _sum(total: Value, parts: list[Value]) -> Value:
    for part in parts:
        total = total + part
    return total


# -- the distances at some values -----------------------------------------------------------------------------------


def _iterate(block: Block, pose: SpatialPose, table: NewtonTable, values: dict[str, Value]) -> _Iterate:
    joint = pose.form.tree.spanning_tree().joints[block.body]
    motions = motions_of(joint)
    steps = tuple(_step(pose, motion, values) for motion in motions)
    parent = pose.placement(joint.parent.body)
    at, child = pose.frame(joint.parent), pose.frame(joint.child)
    body = CarriedPlacement(parent, at, steps, child, pose.rules, pose.columns(block.body))
    with pose.builder.part("axes", f"axes of the motions of {block.body}"):
        axes = [_axis(pose, parent, block, motions, steps, k) for k in range(len(motions))]
    residuals, jacobian = [], []
    for number, link in enumerate(table.links, start=1):
        name = link.sought.name
        with pose.builder.part(f"{number}", f"{name}: u from joint to joint, f = (|u|^2 - L^2) / 2, row df/dq"):
            place, arm = _arm(pose, body, link)
            square = pose.frame(link.ends[0]).at - pose.frame(link.ends[1]).at
            residuals.append((arm.squared() - square.squared()) / 2)
            entries = {}
            for motion, (axis, origin) in zip(motions, axes, strict=True):
                if motion.coordinate in values:
                    moment = arm if motion.kind == "slide" else (place - origin).cross(arm)
                    entries[motion.coordinate] = axis.dot(moment)
        jacobian.append([entries[name] for name in table.unknowns])
    return _Iterate(residuals, jacobian)


def _arm(pose: SpatialPose, body: Placement, link: ConstantDistance) -> tuple[Vector, Vector]:
    place = body.point(pose.frame(link.near).at)
    return place, place - pose.point(link.anchor)


def _step(pose: SpatialPose, motion: ElementaryMotion, values: dict[str, Value]) -> Step:
    if motion.coordinate not in values:
        return pose.step(motion)
    value = values[motion.coordinate]
    if motion.kind == "slide":
        return KnownSlide(motion.axis, value)
    sine, cosine = pose.builder.sincos(value)
    return KnownTurn(motion.axis, cosine, sine, lambda d: d.of(value))


def _axis(
    pose: SpatialPose,
    parent: Placement,
    block: Block,
    motions: tuple[ElementaryMotion, ...],
    steps: tuple[Step, ...],
    k: int,
) -> tuple[Vector, Vector]:
    """Axis of a motion in ground axes, and a point that it goes through."""
    at = pose.frame(pose.form.tree.spanning_tree().joints[block.body].parent)
    builder = pose.builder
    axis = through(steps[:k], resting(constant_vector(builder, motions[k].axis)), pose.rules, point=False).total()
    zero = resting(constant_vector(builder, (0, 0, 0)))
    origin = through(steps[:k], zero, pose.rules, point=True)
    return (
        parent.direction(at.turn.times(axis)),
        parent.offset(origin.turned(at.turn).plus(at.at)).total(),
    )
