"""What `functions` needs of a mechanism that an engine has solved, planar or spatial.

Made by: `solved_mechanism` (see `exporter.kinematics.engine`). A `Solution` writes poses into a sequence; a
`SolvedPose` gives positions and is moved, a `SolvedMotion` gives velocities and is accelerated, which gives
`Accelerations`. One pose moves several times and one motion is accelerated several times, side by side and in any
order.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Protocol

from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.scope import Scope
from exporter.model.expression import Vector
from exporter.model.mechanism import Frame, Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.program import Branch

Triple = tuple[Value, Value, Value]


class Positions(Protocol):
    """All coordinates and bodies at values of the independent coordinates."""

    @property
    def margins(self) -> list[Margin]:
        """Margins and pivots of the blocks."""

    def displacement(self, coordinate: str) -> Value:
        """A displacement, m."""

    def pair(self, coordinate: str) -> tuple[Value, Value]:
        """Cosine and sine of an angle."""

    def angle(self, coordinate: str) -> Value:
        """An angle within [-pi, pi], rad: by its pair, or as it was solved."""

    def point(self, frame: Frame) -> Triple:
        """Where a frame's origin is, ground axes, m."""

    def direction(self, body: str, local: Vector) -> Triple:
        """A direction that is fixed in a body (formulas, body axes) in ground axes."""

    def next_start(self) -> dict[str, Value]:
        """Coordinates that the next call's iteration starts from; none where nothing iterates."""


class Velocities(Protocol):
    """Rates of everything in one motion of a pose."""

    @property
    def pose(self) -> Positions:
        """The pose that moves."""

    def rate(self, coordinate: str) -> Value:
        """Rate of a dependent coordinate, rad/s or m/s."""

    def point_velocity(self, frame: Frame) -> Triple:
        """Velocity of a frame's origin, ground axes, m/s."""

    def direction_rate(self, body: str, local: Vector) -> Triple:
        """Rate of a direction that is fixed in a body, ground axes."""


class Accelerations(Protocol):
    """Accelerations of everything at one acceleration of a motion."""

    @property
    def motion(self) -> Velocities:
        """The motion that is accelerated."""

    def acceleration(self, coordinate: str) -> Value:
        """Acceleration of a dependent coordinate, rad/s^2 or m/s^2."""

    def point_acceleration(self, frame: Frame) -> Triple:
        """Acceleration of a frame's origin, ground axes, m/s^2."""

    def direction_acceleration(self, body: str, local: Vector) -> Triple:
        """Second derivative of a direction that is fixed in a body, ground axes."""


class SolvedMotion(Velocities, Protocol):
    """A motion that can be accelerated, as often as it is asked for: nothing of it changes."""

    def accelerate(self, accelerations: dict[str, Value]) -> Accelerations:
        """The accelerations of everything at these of the independent coordinates.

        Raises:
            ValueError: they are not those of the independent coordinates, all of them and no others.
        """


class SolvedPose(Positions, Protocol):
    """A pose that can be moved, as often as it is asked for: nothing of it changes."""

    def move(self, rates: dict[str, Value]) -> SolvedMotion:
        """The rates of everything at these of the independent coordinates.

        Raises:
            ValueError: they are not those of the independent coordinates, all of them and no others; or the engine
                differentiates by the chain rule, and the pose stands at a constant or at one value twice.
        """


COUPLING = "coupling"
"""The kind of a block that is a coupling."""


@dataclass(frozen=True, slots=True)
class BlockFacts:
    """A block, for a report."""

    id: str
    kind: str
    unknowns: tuple[str, ...]
    coordinates: tuple[str, ...]
    degree: int
    sign: int
    branch: str
    loop: str = ""  # the closing joint whose closure it solves, where it is one

    @property
    def title(self) -> str:
        """The block with what it solves for, "L1 (j8, j5)"."""
        return f"{self.id} ({', '.join(self.coordinates) or self.kind})"


EDGE_ROUNDING = 1e-9
"""A margin down to -EDGE_ROUNDING counts as reachable: rounding at the very edge of the workspace."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """One assembly mode at one pose."""

    signs: tuple[int, ...]  # one per block
    coordinates: dict[str, float]  # rad, m; independent ones included
    margins: dict[str, float]  # block -> dimensionless radicand; below zero it cannot be assembled
    pivots: dict[str, float]  # block -> dimensionless pivot
    closed: bool = True  # the original closures hold; planar blocks have no other failure than their margins

    @property
    def reachable(self) -> bool:
        """Every loop closes in this mode."""
        return self.closed and all(margin >= -EDGE_ROUNDING for margin in self.margins.values())


class Solution(Protocol):
    """A mechanism that an engine has solved."""

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is solved."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was dropped or assumed."""

    def dependent(self) -> tuple[str, ...]:
        """Dependent coordinates in solve order."""

    def exported_coordinates(self) -> tuple[str, ...]:
        """Dependent coordinates that an export gives without being asked."""

    def block_facts(self) -> tuple[BlockFacts, ...]:
        """The blocks in solve order."""

    def branched_solution(self) -> "BranchedSolution | None":
        """This mechanism where blocks can take other roots; None where they cannot."""

    def iterated_solution(self) -> "IteratedSolution | None":
        """This mechanism where poses are iterated from those of the last call; None where they are not."""

    def solve(self, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> SolvedPose:
        """Write the pose of all bodies into a sequence."""


class IteratedPose(SolvedPose, Protocol):
    """A pose that steps lead to."""

    def residual_before(self) -> Value:
        """What the closures were open by where the last step began, over the length."""


class IteratedSolution(Solution, Protocol):
    """A mechanism whose poses are iterated."""

    @property
    def tolerance(self) -> Fraction:
        """The residual at which a loop around `iterate` ends; 0 where the number of steps is fixed."""

    @property
    def most(self) -> int:
        """How many iterations that loop may take."""

    def start_coordinates(self) -> tuple[str, ...]:
        """Coordinates that start from the last call's."""

    def iterate(self, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> IteratedPose:
        """Write one step into a sequence."""


class BranchedSolution(Solution, Protocol):
    """A mechanism whose blocks choose between roots: each combination of their signs is an assembly mode."""

    def with_signs(self, signs: tuple[int, ...]) -> "BranchedSolution":
        """The mechanism on other roots, a sign for each block."""

    def assemblies(self, place: Mapping[str, Fraction], signs: Sequence[tuple[int, ...]]) -> tuple[Assembly, ...]:
        """The modes on these roots, a sign for each block, at values of the independent coordinates (rad, m)."""

    def other_roots(self) -> dict[str, str]:
        """Block with two roots -> where the other one puts its coordinates at the design pose, in words."""


def check_names(independent: Iterable[str], given: Iterable[str], what: str) -> None:
    """Check that rates or accelerations are given for the independent coordinates, all of them and no others.

    Raises:
        ValueError: they are not.
    """
    wanted, known = set(independent), set(given)
    if wanted != known:
        missing, unknown = (", ".join(sorted(some)) or "none" for some in (wanted - known, known - wanted))
        raise ValueError(f"{what} of the independent coordinates: missing {missing}; given though dependent {unknown}")


def branches_of(solved: Solution) -> tuple[Branch, ...]:
    """The root signs that the program takes."""
    return tuple(
        Branch(
            block.branch or f"{block.id}{'+' if block.sign > 0 else '-'}", block.coordinates[0], block.id, block.sign
        )
        for block in solved.block_facts()
        if block.degree > 1 and block.coordinates
    )
