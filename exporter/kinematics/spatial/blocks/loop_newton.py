"""The loop block: the coordinates of loops from their closure equations, by a seed and two or four Newton steps.

The seed is a series in the independent coordinates: no history, the same branch after every restart. Rates and
accelerations solve the same linear system at the solution; what is left of the equations is an output. The steps drop
the conditions of their iterates: where one led astray the residual is high, and where it is not the result is right.
"""

from fractions import Fraction

from exporter.kinematics.closures.written import Coordinates, Equation, Walker
from exporter.kinematics.protocol.derivatives import Derivatives
from exporter.kinematics.protocol.limits import ACCELERATION_LIMIT, RATE_LIMIT
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.whole_turns import near_center
from exporter.kinematics.seeded.ordered_elimination import Rows, determinant_ratio, eliminate
from exporter.kinematics.seeded.residuals import RESIDUAL_EPS
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.loops.border import Border
from exporter.kinematics.spatial.loops.constraint import equations_of
from exporter.kinematics.spatial.loops.system import LoopSystem
from exporter.kinematics.spatial.loops.table import SMALL_DETERMINANT, LoopSeed, LoopTable, ReachedPart
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.kinematics.spatial.roots import Angle
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.guards import saturated

PART_RESIDUAL_EPS = 16  # as RESIDUAL_EPS, over a part of the ranges, at whose end the steps get too few
HALF_TURN = Fraction(3)  # rad, with room for rounding
BEYOND_BORDER = "a place is beyond what is reached from the design pose clear of singular poses"
SMALL_PIVOT = "a pivot of the Newton steps of a loop is small"

Values = dict[str, Value]


def loop_newton(block: Block, pose: SpatialPose, table: LoopTable) -> None:
    """Write seed, steps, and what rates need."""
    _LoopWriter(block, pose, _system_of(block), table).write()


def _system_of(block: Block) -> LoopSystem:
    assert block.system is not None
    return block.system


@dataclass(frozen=True)
class _LoopWriter:
    block: Block
    pose: SpatialPose
    system: LoopSystem
    table: LoopTable

    def write(self) -> None:
        """Seed, steps, and the end of them."""
        builder, unknowns = self.pose.builder, self.system.unknowns
        values = self._seeds()
        for number in range(1, self.table.steps + 1):
            label, about = (
                f"{self.block.id}.{number}",
                f"Newton step {number} of {self.table.steps} on {', '.join(unknowns)}",
            )
            with builder.step(label, about), builder.iterate(label):
                equations = self._chosen(self._every(values)[0])
                limits = [seed.longest_step for seed in self.table.seeds]
                names = [f"d {name}" for name in unknowns]
                sides = [-each.value for each in equations]
                step = eliminate(self.system.order, names, self._matrix(equations), sides, limits, SMALL_PIVOT)
            values = {name: values[name] + part for name, part in zip(unknowns, step, strict=True)}
        self._finish(values)

    def _seeds(self) -> Values:
        pose, table = self.pose, self.table
        known = {name: pose.inputs[name] for name in table.variables}
        pairs = {name: pose.pair(name) for name in table.basis.turning}
        found = {}
        for name, seed in zip(self.system.unknowns, table.seeds, strict=True):
            with pose.builder.part(name, f"seed of {name}, a series in {', '.join(table.variables)}"):
                away = table.basis.write(seed.series, known, pairs) if known else pose.builder.real(0)
                with pose.builder.iterate(self.block.id):
                    found[name] = saturated(pose.builder, away, seed.reach) + seed.middle
                for crank, turns in zip(table.basis.turning, seed.winding, strict=True):
                    found[name] = found[name] + known[crank] * turns if turns else found[name]
        return found

    def _chosen(self, every: list[list[Equation]]) -> list[Equation]:
        """The equations in the order of elimination."""
        return [every[number][place] for number, place in self.system.equations]

    def _every(self, values: Values) -> tuple[list[list[Equation]], Coordinates]:
        """All equations of every constraint."""
        pose, builder = self.pose, self.pose.builder
        pairs = {name: (builder.real(1), builder.real(0)) for name in pose.form.tree.coordinates()}
        slides = {name: builder.real(0) for name in pose.form.tree.coordinates()}  # of what does not matter
        for name in sorted(self.system.depends - values.keys()):
            if name in pose.displacements:
                slides[name] = pose.displacement(name)
            else:
                pairs[name] = pose.pair(name)
        for name, value in values.items():
            if name in pose.displacements:
                slides[name] = value
            else:
                sine, cosine = builder.sincos(value)
                pairs[name] = (cosine, sine)
        angles = {name: self._known_angle(name, center) for name, center in self.system.centers}
        at = Coordinates(pairs, slides, angles | values)
        walker, every = Walker(pose.form.tree, pose.scope), []
        for constraint in self.system.constraints:
            with builder.part(constraint.name, f"closure of '{constraint.name}', and its rows of the Jacobian"):
                every.append(equations_of(walker, constraint, at))
        return every, at

    def _known_angle(self, name: str, center: float) -> Value:
        """An angle that a coupling reads, with its whole turns: given, or within half a turn of the design pose."""
        known = self.pose.inputs.get(name)
        if known is not None:
            return known
        cosine, sine = self.pose.pair(name)
        return near_center(cosine, sine, center)

    def _matrix(self, equations: list[Equation]) -> Rows:
        zero = self.pose.builder.real(0)
        return [[each.partials.get(name, zero) for name in self.system.unknowns] for each in equations]

    def _finish(self, values: Values) -> None:
        """Take the values as coordinates; register rates and accelerations; give the residual."""
        pose, block, unknowns = self.pose, self.block, self.system.unknowns
        with pose.builder.step(f"{block.id}.r", f"closures at the solution, and {', '.join(unknowns)} there"):
            every, at = self._every(values)
            equations = self._chosen(every)
            matrix = self._matrix(equations)
            for name, seed in zip(unknowns, self.table.seeds, strict=True):
                value = values[name]
                if name in pose.displacements:
                    pose.slides[name] = value
                else:
                    cosine, sine = at.pairs[name]
                    itself = value if _turns_little(seed, self.table.steps) else None
                    pose.angles[name] = Angle(cosine, sine, lambda d, value=value: d.of(value), itself)  # type: ignore[misc]

        def rates(motion: Derivatives) -> tuple[Value, ...]:
            sides = [self._known_rate(each, motion) for each in equations]
            limits = [RATE_LIMIT[pose.builder.precision]] * len(sides)
            names = [f"{name}.rate" for name in unknowns]
            solved = eliminate(self.system.order, names, matrix, sides, limits, SMALL_PIVOT)

            def accelerations(second: Derivatives) -> tuple[Value, ...]:
                d = second.of
                moved = [
                    d(side) - _sum(pose, [d(entry) * rate for entry, rate in zip(row, solved, strict=True)])
                    for side, row in zip(sides, matrix, strict=True)
                ]
                limits = [ACCELERATION_LIMIT[pose.builder.precision]] * len(moved)
                names = [f"{name}.acceleration" for name in unknowns]
                return tuple(eliminate(self.system.order, names, matrix, moved, limits, SMALL_PIVOT))

            for k, rate in enumerate(solved):
                motion.register(rate, lambda d, k=k: d.once(accelerations)[k])  # type: ignore[misc]
            return tuple(solved)

        for k, name in enumerate(unknowns):
            pose.rules.register(values[name], lambda d, k=k: d.once(rates)[k])  # type: ignore[misc]
        self._give_residual(every)
        if self.table.part is not None:
            self._give_determinant(matrix, self.table.part)
            self._check_border(self.table.part.border)

    def _known_rate(self, equation: Equation, motion: Derivatives) -> Value:
        """Minus what the known coordinates change of an equation."""
        pose, total = self.pose, self.pose.builder.real(0)
        for name, partial in equation.partials.items():
            if name in self.system.unknowns:
                continue
            rate = motion.of(pose.displacement(name)) if name in pose.displacements else pose.angle(name).rate(motion)
            total = total - partial * rate
        return total

    def _give_residual(self, every: list[list[Equation]]) -> None:
        pose = self.pose
        about = f"what the steps leave of the closures of {self.system.title}, lengths over the mechanism's length"
        with pose.builder.step(f"{self.block.id}.r", about):
            units = [pose.form.length**each.power for each in self.system.constraints]
            sizes = [
                abs(each.value) / (unit if each.is_length else 1)
                for unit, equations in zip(units, every, strict=True)
                for each in equations
            ]
            total = _sum(pose, sizes)
            if pose.builder.contract:
                open_text = f"{about}, is above its limit"
                limit = PART_RESIDUAL_EPS if self.table.part else RESIDUAL_EPS
                pose.builder.condition("RESIDUAL_HIGH", total > limit * pose.builder.epsilon, open_text)
        pose.margins.append(Margin(self.block.id, "residual", total, about))

    def _give_determinant(self, matrix: Rows, part: ReachedPart) -> None:
        """Flag what is not on the side of the design pose: the series may run into another assembly."""
        builder = self.pose.builder
        about = f"determinant of the loops of {self.system.title} over that at the design pose"
        with builder.step(f"{self.block.id}.d", about):
            ratio = determinant_ratio(self.system.order, matrix, SMALL_PIVOT) * part.side
            if builder.contract:
                builder.condition("NEAR_SINGULAR", ratio < part.least, SMALL_DETERMINANT)
        self.pose.margins.append(Margin(self.block.id, "pivot", ratio, about))

    def _check_border(self, border: Border | None) -> None:
        """Flag what is beyond the border of what is reached, whatever the steps end at there."""
        pose = self.pose
        if border is None or not pose.builder.contract:
            return
        about = f"how far {', '.join(pose.form.independent)} are inside of what is reached from the design pose"
        with pose.builder.step(f"{self.block.id}.b", about):
            pairs = {name: pose.pair(name) for name in border.basis.turning}
            inside = border.write(pose.inputs, pairs)
            pose.builder.condition("OUT_OF_WORKSPACE", inside < border.least, BEYOND_BORDER)


def _turns_little(seed: LoopSeed, steps: int) -> bool:
    """Whether an angle stays within half a turn: seed and steps."""
    return not any(seed.winding) and abs(seed.middle) + seed.reach + steps * seed.longest_step < HALF_TURN


def _sum(pose: SpatialPose, parts: list[Value]) -> Value:
    total = pose.builder.real(0)
    for part in parts:
        total = total + part
    return total
