"""Which assembly the design pose picks: one rule for the plane, for space and for exchanged coordinates.

In: assembly modes at the design pose and the blocks that tell them apart. Out: the mode that is clearly the
nearest, or a refusal that lists them. A coordinate that the pose does not give tells nothing.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Protocol

from exporter.errors import NoForm, SeveralAssemblies
from exporter.kinematics.protocol.euler_triples import respell_angles
from exporter.kinematics.protocol.solution import Assembly
from exporter.model.mechanism import Mechanism

SAME_MODE_DISTANCE = 1e-6  # rad or m: two assembly modes as close as this to the pose cannot be told apart
CLEAR_GAP_RATIO = (
    0.5  # a pose is a rough drawing of a mode where its gap to it is below this part of the gap to any other
)
PRINTED_ZERO = 1e-12  # rad or m: less is rounding, and is told as 0
LAST_DIGIT = 1e-8  # of nine
LISTED_MODES = 10  # assembly modes that a refusal spells out, one a line


class RootBlock(Protocol):
    """A block, as far as the choice of its root goes."""

    @property
    def coordinates(self) -> tuple[str, ...]:
        """What is known once it is solved."""


def closest(mechanism: Mechanism, blocks: Sequence[RootBlock], modes: Sequence[Assembly]) -> Assembly:
    """The mode that the pose picks among these; `signs` of a mode has one entry for every block.

    Raises:
        SeveralAssemblies: two are about as far from the pose; they are listed.
        NoForm: two meet at the design pose.
    """
    dependent = [name for block in blocks for name in block.coordinates]
    far = [sorted(differences(mechanism, dependent, mode), reverse=True) for mode in modes]
    order = sorted(range(len(modes)), key=lambda number: [round(each / SAME_MODE_DISTANCE) for each in far[number]])
    chosen, own = modes[order[0]], far[order[0]]
    meant = [
        modes[number]
        for number in order[1:]
        if _are_alike(own, far[number]) or _may_be_meant(mechanism, blocks, chosen, modes[number])
    ]
    if any(not _differ(mechanism, dependent, chosen, other) for other in meant):
        raise NoForm(
            f"{mechanism.name}: {', '.join(mechanism.independent)} cannot drive the mechanism from its design pose, "
            f"where two assembly modes meet: {in_words(mechanism, chosen)}"
        )
    if meant:
        raise several(mechanism, [chosen, *meant], _differing_coordinates(blocks, [chosen, *meant]))
    return chosen


def check_left_behind(
    mechanism: Mechanism, blocks: Sequence[RootBlock], chosen: Assembly, left: Sequence[Assembly], gaps: Sequence[float]
) -> None:
    """Refuse a choice where the pose may mean a mode that was not followed to its end.

    Args:
        mechanism: with its pose.
        blocks: those that tell modes apart.
        chosen: the nearest of the modes that were followed.
        left: modes that were left behind after some of the blocks.
        gaps: how far each of `left` is from the pose up to there, rad or m: it is no nearer in the end.

    Raises:
        SeveralAssemblies: one of them may be nearer, or about as near.
    """
    dependent = [name for block in blocks for name in block.coordinates]
    own = gap(mechanism, dependent, chosen)
    meant = [
        other
        for other, far in zip(left, gaps, strict=True)
        if far - own < SAME_MODE_DISTANCE or _may_be_meant(mechanism, blocks, chosen, other)
    ]
    if meant:
        raise several(mechanism, [chosen, *meant], _differing_coordinates(blocks, [chosen, *meant]))


def gap(mechanism: Mechanism, names: Sequence[str], mode: Assembly) -> float:
    """The largest difference, rad or m, over those of the coordinates that the pose gives; 0 where it gives none."""
    return max(differences(mechanism, names, mode), default=0.0)


def differences(mechanism: Mechanism, names: Sequence[str], mode: Assembly) -> list[float]:
    """The differences, rad or m, of those of the coordinates that the pose gives."""
    pose, own = mechanism.pose, respell_angles(mechanism, mode.coordinates, mechanism.pose)
    known = frozenset(mechanism.coordinates())
    given = [name for name in names if name in pose and name in known]
    return [abs(mechanism.difference(name, own[name], float(pose[name]))) for name in given]


def _are_alike(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two modes are as far from the pose by all coordinates, and not only by the worst: it may be of both."""
    return all(abs(left - right) < SAME_MODE_DISTANCE for left, right in zip(one, other, strict=True))


def _differ(mechanism: Mechanism, names: Sequence[str], one: Assembly, other: Assembly) -> bool:
    """Whether two modes are more than one: at a dead point they meet."""
    this, that = one.coordinates, respell_angles(mechanism, other.coordinates, one.coordinates)
    own = frozenset(mechanism.coordinates()).intersection(names)
    return any(abs(mechanism.difference(name, this[name], that[name])) > SAME_MODE_DISTANCE for name in own)


def is_clear(nearest: float, second: float) -> bool:
    """Whether the gap to one mode is clearly smaller than that to another."""
    return second - nearest >= SAME_MODE_DISTANCE and nearest <= CLEAR_GAP_RATIO * second


def _may_be_meant(mechanism: Mechanism, blocks: Sequence[RootBlock], chosen: Assembly, other: Assembly) -> bool:
    """Whether the first block that tells two modes apart is drawn about as far from the chosen one as from the other.

    Such a pose was that of other values of the independent coordinates, or is wrong.
    """
    signs = zip(blocks, chosen.signs, other.signs, strict=True)
    block = next(block for block, one, two in signs if one != two)
    own, others = (gap(mechanism, block.coordinates, mode) for mode in (chosen, other))
    return own > CLEAR_GAP_RATIO * others


def _differing_coordinates(blocks: Sequence[RootBlock], modes: Sequence[Assembly]) -> list[str]:
    """Coordinates of the blocks in which the modes differ."""
    differ = [len(set(signs)) > 1 for signs in zip(*(mode.signs for mode in modes), strict=True)]
    return [name for block, apart in zip(blocks, differ, strict=True) if apart for name in block.coordinates]


def several(mechanism: Mechanism, modes: Sequence[Assembly], telling: Sequence[str]) -> SeveralAssemblies:
    """That these modes, the likeliest first, fit the pose; values of the `telling` coordinates would pick one."""
    names = ", ".join(name for name in telling if name in modes[0].coordinates)
    more = f", the first {LISTED_MODES} of them" if len(modes) > LISTED_MODES else ""
    return SeveralAssemblies(
        f"{mechanism.name}: {len(modes)} assembly modes fit the pose, none clearly; give a value near the wanted one "
        f"for {names or 'dependent coordinates'} under [coordinates], or one of these lines{more}",
        [pose_line(mechanism, mode.coordinates) for mode in modes[:LISTED_MODES]],
    )


def pose_line(mechanism: Mechanism, coordinates: Mapping[str, float]) -> str:
    """All coordinates as the line `pose` of a file; angles in the spelling that lies nearer to its own pose."""
    values = respell_angles(mechanism, coordinates, mechanism.pose)
    texts = {name: _within_range(mechanism, name, values[name]) for name in mechanism.independent}
    texts = {name: texts.get(name, f"{_printed(values[name]):.6g}") for name in mechanism.coordinates()}
    parts = [f'{name} = "{text} {mechanism.unit_of(name)}"' for name, text in texts.items()]
    return f"pose = {{ {', '.join(parts)} }}"


def _within_range(mechanism: Mechanism, name: str, value: float) -> str:
    """Nine digits, the last one changed where they would lie beyond the end of a range."""
    bounds = mechanism.ranges[name]
    tried = [f"{_printed(value * (1 + step * LAST_DIGIT)):.9g}" for step in (0, 1, -1)]
    return next((text for text in tried if bounds.minimum <= Fraction(text) <= bounds.maximum), tried[0])


def _printed(value: float) -> float:
    return 0.0 if abs(value) < PRINTED_ZERO else value


def in_words(mechanism: Mechanism, mode: Assembly) -> str:
    """The dependent coordinates of a mode, Euler angles in the spelling that lies nearer to the pose."""
    values = respell_angles(mechanism, mode.coordinates, mechanism.pose)
    names = [name for name in mechanism.coordinates() if name not in mechanism.independent]
    return ", ".join(f"{name} = {_printed(values[name]):.6g} {mechanism.unit_of(name)}" for name in names)
