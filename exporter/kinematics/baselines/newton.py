"""Newton's method on all dependent coordinates at once or block by block; as many steps as the export fixes.

In: a Mechanism and its structure at the design pose. Out: `functions`, through the protocol of `solution`. A call
starts from the previous solution, which the caller gives as inputs "<coordinate>.previous" and takes from the outputs
"<coordinate>.next" of the last call; their nominal values are the design pose. So a function keeps nothing, may be
called in any order, and is restarted by nominal inputs. A block of displacements alone is linear: one step, no start.

With a tolerance the number of steps is not fixed: `NewtonSolution.iterate` writes one iteration, which a loop outside
the sequence repeats, and `solve` takes no step but evaluates where the loop has ended.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction

import mpmath

from exporter.errors import ModelError
from exporter.kinematics.baselines.design import design_row, numbers_of
from exporter.kinematics.baselines.elimination import LinearSystem
from exporter.kinematics.baselines.newton_motion import NewtonMotion, move_pose
from exporter.kinematics.baselines.structure import NewtonBlock, blocks_of
from exporter.kinematics.closures.written import Coordinates, Equation, Walker
from exporter.kinematics.protocol.derivatives import Rules
from exporter.kinematics.protocol.frames import rational
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import BlockFacts, Solution, Triple
from exporter.model.expression import Name, Vector
from exporter.model.mechanism import Frame, Mechanism
from exporter.model.size import length_of
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import checked_input, saturated
from exporter.sequence.operations import Signal

ANGLE_RANGE = Fraction(4)  # rad; a previous angle, wrapped to [-pi, pi] with room for rounding
LONGEST_TURN = Fraction(1, 2)  # rad, of one step
LONGEST_SLIDE = Fraction(1, 2)  # of the mechanism's length, of one step
SLIDE_RANGE = 10  # lengths about the design pose
HIGH_RESIDUAL = 1000  # eps; a residual above it sets RESIDUAL_HIGH
STEP_BEYOND_LIMIT = "a step of Newton's method is beyond its limit: the previous solution is too far away"
LOOPS_LEFT_OPEN = "Newton's method has not closed the loops within its steps"


@dataclass(frozen=True)
class NewtonSolution:
    """A mechanism that Newton's method solves."""

    mechanism: Mechanism
    blocks: tuple[NewtonBlock, ...]
    design: dict[str, Fraction]  # every coordinate, assembled; angles within [-pi, pi]
    length: Fraction  # m
    steps: int  # that are written
    tolerance: Fraction = Fraction(0)  # of a loop around `iterate`; 0: there is none
    most: int = 0  # of its iterations

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the export must know."""
        which = "block by block" if len(self.blocks) > 1 else "on all dependent coordinates"
        much = f"{self.steps} steps"
        if self.tolerance:
            much = f"at most {self.most} steps to a residual of {float(self.tolerance):g}, which is NOT fixed-time,"
        return (
            f"baseline for comparison: Newton's method {which}, {much} from the previous solution; it may end open "
            "(RESIDUAL_HIGH) or on another branch, which the triangular form cannot",
        )

    def dependent(self) -> tuple[str, ...]:
        """Dependent coordinates in solve order."""
        return tuple(name for block in self.blocks for name in block.coordinates)

    def exported_coordinates(self) -> tuple[str, ...]:
        """All dependent coordinates."""
        return self.dependent()

    def block_facts(self) -> tuple[BlockFacts, ...]:
        """The blocks in solve order; the degree of an iteration is told as 1, since it takes no root."""
        return tuple(
            BlockFacts(block.id, "Newton's method", block.coordinates, block.coordinates, 1, 1, "")
            for block in self.blocks
        )

    def branched_solution(self) -> None:
        """None: it is on the root that it was prepared for."""

    def iterated_solution(self) -> "NewtonSolution":
        """This solution: each pose is iterated from the last call's."""
        return self

    def start_coordinates(self) -> tuple[str, ...]:
        """Coordinates that start from a previous value."""
        return tuple(name for block in self.blocks if not self.is_linear(block) for name in block.coordinates)

    def is_linear(self, block: NewtonBlock) -> bool:
        """Whether one step from anywhere is exact."""
        return all(self.mechanism.is_displacement(name) for name in block.coordinates)

    def solve(self, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> "NewtonPose":
        """Write the iteration into a sequence; declares the previous solution as inputs."""
        pose = _iterate_pose(self, builder, scope, coordinates, self._start(builder, scope))
        for block in self.blocks if builder.contract else ():
            with builder.step(f"{block.id}.r", "what is left open"):
                _judge(pose, block)
        return pose

    def iterate(self, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> "NewtonPose":
        """Write one step into a sequence, without a verdict, and without linear blocks that no other starts from."""
        last = max((k for k, block in enumerate(self.blocks) if not self.is_linear(block)), default=-1)
        stepping = replace(self, blocks=self.blocks[: last + 1], steps=1)
        return _iterate_pose(stepping, builder, scope, coordinates, self._start(builder, scope))

    def _start(self, builder: Builder, scope: Scope) -> dict[str, Value]:
        """The previous solution; poses of one sequence start from the same one."""
        start = {}
        for name in self.start_coordinates():
            signal = self._previous(name)
            if not scope.knows(signal.name):
                scope.define(signal.name, checked_input(builder, signal))
            start[name] = scope.value(Name(signal.name))
        return start

    def _previous(self, name: str) -> Signal:
        design = self.design[name]
        about = f"{name}.next of the last call; at first as at the design pose"
        if self.mechanism.is_displacement(name):
            room = SLIDE_RANGE * max(self.length, abs(design))
            return Signal(f"{name}.previous", "m", about, design - room, design + room, design)
        return Signal(f"{name}.previous", "rad", about, -ANGLE_RANGE, ANGLE_RANGE, design)


def newton_solution(mechanism: Mechanism, triangular: Solution | None) -> NewtonSolution:
    """Prepare Newton's method as the mechanism's solver options say.

    Args:
        mechanism: planar or spatial.
        triangular: its triangular form, whose branch the design pose is taken from; None where there is none.

    Raises:
        ModelError: the design pose cannot be assembled, or is singular.
    """
    numbers = numbers_of(mechanism)
    row = design_row(numbers, triangular)
    options = mechanism.solver
    per_loop = options.method == "newton-per-loop"  # block by block in solve order; else all at once
    blocks = blocks_of(numbers, row, per_loop=per_loop) if numbers.patterns else ()
    names = mechanism.coordinates()
    turn = 2 * float(mpmath.pi)
    wrapped = {
        name: value if mechanism.is_displacement(name) else value - turn * round(value / turn)
        for name, value in zip(names, row.tolist(), strict=True)
    }
    design = {name: Fraction(f"{value:.12g}") for name, value in wrapped.items()}
    solution = NewtonSolution(mechanism, blocks, design, length_of(mechanism), options.steps)
    if not options.tolerance:
        return solution
    if not solution.start_coordinates():
        raise ModelError(f"{mechanism.name}: nothing is iterated, so there is nothing that --tolerance could end")
    return replace(solution, steps=0, tolerance=options.tolerance, most=options.steps)


# -- positions -----------------------------------------------------------------------------------------------------


@dataclass
class NewtonPose:
    """The last iterate of a sequence."""

    solution: NewtonSolution
    builder: Builder
    walker: Walker
    inputs: dict[str, Value]  # independent coordinates
    values: dict[str, Value]  # all coordinates, as angles and displacements
    pairs: dict[str, tuple[Value, Value]]  # (cosine, sine) of every angle
    rules: Rules
    margins: list[Margin] = field(default_factory=list)  # residuals
    stepped_from: list[Equation] = field(default_factory=list)  # closures as each step found them
    _equations: dict[str, list[Equation]] = field(default_factory=dict)

    @property
    def blocks(self) -> tuple[NewtonBlock, ...]:
        """Coordinates that are solved together, in order."""
        return self.solution.blocks

    @property
    def coordinates(self) -> Coordinates:
        """All coordinates as closures take them."""
        return Coordinates(self.pairs, self.values)

    def displacement(self, coordinate: str) -> Value:
        """A displacement."""
        return self.values[coordinate]

    def pair(self, coordinate: str) -> tuple[Value, Value]:
        """Cosine and sine of an angle."""
        return self.pairs[coordinate]

    def angle(self, coordinate: str) -> Value:
        """The last iterate, wrapped."""
        return _wrap_angle(self.values[coordinate])

    def point(self, frame: Frame) -> Triple:
        """Where a frame's origin is, ground axes."""
        return self.walker.point(frame, self.coordinates).parts()

    def direction(self, body: str, local: Vector) -> Triple:
        """A body-fixed direction, ground axes."""
        return self.walker.direction(body, local, self.coordinates).parts()

    def residual_before(self) -> Value:
        """What the steps found open: the sum of magnitudes over the length."""
        return _size(self, self.stepped_from)

    def next_start(self) -> dict[str, Value]:
        """What the next call starts from."""
        mechanism = self.solution.mechanism
        return {
            name: self.values[name] if mechanism.is_displacement(name) else _wrap_angle(self.values[name])
            for name in self.solution.start_coordinates()
        }

    def equations(self, block: NewtonBlock) -> list[Equation]:
        """The equations of a block at the last iterate."""
        if block.id not in self._equations:
            self._equations[block.id] = self.equations_now(block)
        return self._equations[block.id]

    def equations_now(self, block: NewtonBlock) -> list[Equation]:
        """The equations of a block at the present iterate."""
        closures = dict.fromkeys(closure for closure, _ in block.equations)
        found = {}
        for closure in closures:
            with self.builder.part(closure, f"closure of '{closure}', and its row of the Jacobian"):
                found[closure] = self.walker.equations(self.coordinates, closure)
        return [found[closure][number] for closure, number in block.equations]

    def system(self, block: NewtonBlock, limits: Mapping[bool, Fraction]) -> LinearSystem:
        """The linear system of rates or accelerations; limits by whether a coordinate is a displacement."""
        return _system(self.solution, block, self.equations(block), limits)

    def move(self, rates: dict[str, Value]) -> NewtonMotion:
        """The motion at these rates."""
        return move_pose(self, rates)

    def set(self, name: str, value: Value) -> None:
        """Take a value of a coordinate."""
        self.values[name] = value
        if self.solution.mechanism.is_angle(name):
            sine, cosine = self.builder.sincos(value)
            self.pairs[name] = (cosine, sine)


def _iterate_pose(
    solution: NewtonSolution, builder: Builder, scope: Scope, known: dict[str, Value], start: dict[str, Value]
) -> NewtonPose:
    pose = NewtonPose(solution, builder, Walker(solution.mechanism, scope), known, {}, {}, Rules(builder))
    with builder.step("q", "sines and cosines of all coordinates to start from", part=True):
        for name in solution.mechanism.coordinates():
            pose.set(name, known.get(name, start.get(name, builder.real(0))))
    for block in solution.blocks:
        linear = solution.is_linear(block)
        for number in range(1, 1 + (1 if linear else solution.steps)):
            label = f"{block.id}.{number}"
            with builder.step(label, f"{', '.join(block.coordinates)}: Newton step {number}"):
                _step(pose, block, limited=not linear)
    return pose


def _step(pose: NewtonPose, block: NewtonBlock, *, limited: bool) -> None:
    """One Newton step of a block."""
    solution, builder = pose.solution, pose.builder
    limits = {False: LONGEST_TURN, True: LONGEST_SLIDE * solution.length if limited else SLIDE_RANGE * solution.length}
    chosen = pose.equations_now(block)
    pose.stepped_from.extend(chosen if limited else ())
    system = _system(solution, block, chosen, limits)
    for name, change in zip(block.coordinates, system.solve([each.value for each in chosen]), strict=True):
        limit = limits[solution.mechanism.is_displacement(name)]
        bounded = saturated(builder, change, limit, STEP_BEYOND_LIMIT, "STEP_TOO_LARGE") if limited else change
        pose.set(name, pose.values[name] - bounded)


def _system(
    solution: NewtonSolution, block: NewtonBlock, equations: list[Equation], limits: Mapping[bool, Fraction]
) -> LinearSystem:
    zero = equations[0].value.builder.real(0)
    matrix = tuple(tuple(each.partials.get(name, zero) for name in block.coordinates) for each in equations)
    bounds = tuple(limits[solution.mechanism.is_displacement(name)] for name in block.coordinates)
    return LinearSystem(block, matrix, bounds)


def _judge(pose: NewtonPose, block: NewtonBlock) -> None:
    """The residual of a block; RESIDUAL_HIGH above rounding, or above the tolerance where that is larger."""
    builder = pose.builder
    total = _size(pose, pose.equations(block))
    builder.condition(
        "RESIDUAL_HIGH", total > max(HIGH_RESIDUAL * builder.epsilon, pose.solution.tolerance), LOOPS_LEFT_OPEN
    )
    pose.margins.append(Margin(block.id, "residual", total, f"closures left open, block {block.id}, over the length"))


def _size(pose: NewtonPose, equations: list[Equation]) -> Value:
    """The sum of magnitudes over the length."""
    total = pose.builder.real(0)
    for equation in equations:
        size = abs(equation.value)
        total = total + (size / pose.solution.length if equation.is_length else size)
    return total


def _wrap_angle(angle: Value) -> Value:
    """An angle without its full turns, within [-pi, pi]."""
    builder = angle.builder
    half = rational(mpmath.mp.pi)
    above = builder.select(angle > half, angle - 2 * half, angle)
    return builder.select(angle < -half, angle + 2 * half, above)
