"""What a refusal proposes: other independent coordinates, or narrower ranges, with which the mechanism does export.

In: a mechanism and the refusal. Out: the refusal with a proposal that was tried by making the program, or
with what was tried in vain. How many tries there are is counted, never timed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice

from exporter.errors import ModelError, NoForm, NotProven, RangesRefused, SingularPose
from exporter.functions.program import HAS_ROOTS, program_of_mechanism
from exporter.model.complete import completed
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.sequence.operations import Precision

RANGE_SHARES = (Fraction(1), Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 16))
"""Of the ranges, about the design pose, that are tried."""
PROVEN_SHARES = (Fraction(3, 4), Fraction(1, 2), Fraction(1, 4))
"""The same for what is not proven: where a quarter does not do, the ranges are not the reason."""
WIDEST_HALF_RANGE = Fraction(3)  # rad to either side of the design pose, which an angle is tried over at most
EXAMINED_CHOICES = 400  # other choices of coordinates of which the solve order is looked at
TRIED_CHOICES = 6  # of these that are tried
SAME_POSE = Fraction(1, 10_000)  # rad or m, by which a pose may differ from the tried one without being told
RANGE_DIGITS = 2  # of a narrower range, from the design pose

Tell = Callable[[str], None]


@contextmanager
def with_proposal(mechanism: Mechanism, precision: Precision, tell: Tell = lambda _: None) -> Iterator[None]:
    """Refusals from inside go out with a proposal.

    Raises:
        NoForm, NotProven, RangesRefused, SingularPose: those from inside, and what exports instead.
    """
    looking = f"looking for other coordinates that {mechanism.name} can be driven by"
    ranges = f"looking for ranges that {mechanism.name} can be driven over"
    try:
        yield
    except NoForm as refusal:
        tell(looking)
        raise NoForm(f"{refusal}; {_other_choice(mechanism, precision)}") from None
    except SingularPose as refusal:
        if not refusal.beside:
            raise
        tell(looking)
        aside = {name: Fraction(str(value)) for name, value in refusal.beside.items()}
        found = _other_choice(completed(replace(mechanism, pose=aside)), precision, singular=True)
        raise SingularPose(f"{refusal}; from that pose, {found}") from None
    except RangesRefused as refusal:
        tell(ranges)
        raise RangesRefused(f"{refusal}; {_narrower(mechanism, precision)}") from None
    except NotProven as refusal:
        tell(ranges)
        own = _ranges_in_words(mechanism)
        raise NotProven(f"{mechanism.name}, over {own}: {refusal}; {_provable(mechanism, precision)}") from None


def _refusal_of(mechanism: Mechanism, precision: Precision, *, wholly: bool = False) -> str:
    """Why it does not export, or, where that is asked, not over all of its ranges; empty where it does."""
    from exporter.kinematics.seeded.part_in_words import WHOLLY_REACHED  # noqa: PLC0415 - only a refusal needs it

    try:
        notes = program_of_mechanism(mechanism, precision).notes
    except ModelError as error:
        return str(error)
    parts = [note for note in notes if WHOLLY_REACHED in note]
    return parts[0] if wholly and parts else ""


# -- other coordinates ---------------------------------------------------------------------------------------------


def _other_choice(mechanism: Mechanism, precision: Precision, *, singular: bool = False) -> str:
    """Choices that share most with the given one come first; what the file does not give of them is told.

    Next to a singular pose the coordinates of single joints, as of a free platform, come before them: what shares much
    with the given ones may be next to singular there too.
    """
    given, names = mechanism.independent, mechanism.coordinates()
    others = list(islice(other_choices(names, frozenset(given)), EXAMINED_CHOICES))
    joints = _of_single_joints(mechanism) if singular else []
    from exporter.kinematics.exchanged.exchange import inner_mechanism  # noqa: PLC0415 - only a refusal needs these
    from exporter.kinematics.exchanged.search import assembled_design  # noqa: PLC0415
    from exporter.kinematics.exchanged.structure import Structure  # noqa: PLC0415

    design, structure = assembled_design(mechanism), Structure(mechanism)
    able = (each for each in others if structure.is_triangular(each)) if design else iter(())
    for each in islice(chain(joints, able), TRIED_CHOICES):
        with suppress(ModelError):
            other = inner_mechanism(mechanism, design or {}, each)
            if not _refusal_of(other, precision):
                return (
                    f"driven by {', '.join(each)} it exports: --independent {','.join(each)}{_with(mechanism, other)}"
                )
    count = len(joints) + len(others)
    what = f"none of {count} other choices" if count > 1 else "no other choice"
    return f"{what} of its coordinates was found that exports"


def _of_single_joints(mechanism: Mechanism) -> list[tuple[str, ...]]:
    count = len(mechanism.independent)
    return [joint.coordinates for joint in mechanism.joints if len(joint.coordinates) == count]


def other_choices(names: tuple[str, ...], given: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """As many of the names as are given, the fewest exchanged first, one at a time: there may be millions."""
    for exchanged in range(1, len(given) + 1):
        yield from _chosen(names, given, len(given) - exchanged, exchanged)


def _chosen(names: tuple[str, ...], given: frozenset[str], kept: int, fresh: int) -> Iterator[tuple[str, ...]]:
    """Choices of names in their order: `kept` that are given and `fresh` that are not; nothing where these lack."""
    left = len(given.intersection(names))
    if kept > left or fresh > len(names) - left:
        return
    if not kept and not fresh:
        yield ()
    for position, name in enumerate(names):
        mine = name in given
        if kept if mine else fresh:
            for rest in _chosen(names[position + 1 :], given, kept - mine, fresh - (not mine)):
                yield (name, *rest)


def _with(mechanism: Mechanism, other: Mechanism) -> str:
    """What the file does not say as the tried mechanism did."""
    names = other.independent
    pose = [name for name in names if _has_no_pose(mechanism, other, name)]
    ranges = [name for name in names if not _has_range(mechanism, other, name)]
    said = [f'pose {name} = "{float(other.pose[name]):.9g} {other.unit_of(name)}"' for name in pose]
    said += [f"ranges {_in_words(other, name)}" for name in ranges]
    said += [f'rates {name} = "1 {other.unit_of(name)}/s"' for name in ranges]
    return f", with {', '.join(said)}" if said else ""


def _has_no_pose(mechanism: Mechanism, other: Mechanism, name: str) -> bool:
    return name not in mechanism.pose or abs(mechanism.pose[name] - other.pose[name]) > SAME_POSE


def _has_range(mechanism: Mechanism, other: Mechanism, name: str) -> bool:
    known, tried = mechanism.ranges.get(name), other.ranges[name]
    return known is not None and known.rate is not None and known.minimum <= tried.minimum


# -- narrower ranges -----------------------------------------------------------------------------------------------


def _narrower(mechanism: Mechanism, precision: Precision) -> str:
    why = ""
    for part in RANGE_SHARES:
        narrow = _narrow_ranges(mechanism, part)
        why = _refusal_of(narrow, precision, wholly=True)
        if not why:
            return f"it exports over {_ranges_in_words(narrow)}"
    return f"nor does it export over {_ranges_in_words(narrow)}: {why.removeprefix(f'{mechanism.name}: ')}"


def _provable(mechanism: Mechanism, precision: Precision) -> str:
    """Ranges over which the proof holds: what is reached wholly first, for next to its ends numbers grow."""
    narrow = mechanism
    for narrow in _fewer_places(mechanism):
        if not _refusal_of(narrow, precision):
            return f"it exports over {_ranges_in_words(narrow)}"
    return f"nor is it proven over {_ranges_in_words(narrow)}"


def _fewer_places(mechanism: Mechanism) -> Iterator[Mechanism]:
    """The mechanism over what it reaches wholly, then over parts of its ranges."""
    from exporter.kinematics.engine import solved_mechanism  # noqa: PLC0415 - only a refusal needs these
    from exporter.kinematics.verification.probe import Probe  # noqa: PLC0415
    from exporter.kinematics.verification.reach_notes import reached_ranges  # noqa: PLC0415

    in_blocks = mechanism.solver.method in HAS_ROOTS and not mechanism.alternative
    reached = reached_ranges(Probe(solved_mechanism(mechanism))) if in_blocks else None
    if reached is not None:
        own = mechanism.ranges
        ranges = {name: replace(own[name], minimum=low, maximum=high) for name, (low, high) in reached.items()}
        yield completed(replace(mechanism, ranges={**own, **ranges}))
    for part in PROVEN_SHARES:
        yield _narrow_ranges(mechanism, part)


def _ranges_in_words(mechanism: Mechanism) -> str:
    return ", ".join(_in_words(mechanism, name) for name in mechanism.independent)


def _narrow_ranges(mechanism: Mechanism, part: Fraction) -> Mechanism:
    names = mechanism.independent
    ranges = {name: _shrunk(mechanism, name, part) for name in names}
    return completed(replace(mechanism, ranges={**mechanism.ranges, **ranges}))


def _shrunk(mechanism: Mechanism, name: str, part: Fraction) -> CoordinateRange:
    """About the design pose; ends as they are printed."""
    bounds, design = mechanism.ranges[name], mechanism.pose[name]
    low, high = bounds.minimum, bounds.maximum
    if mechanism.is_angle(name):
        low, high = max(low, design - WIDEST_HALF_RANGE), min(high, design + WIDEST_HALF_RANGE)
    low, high = (_print_end(design + _round_distance(part * (end - design))) for end in (low, high))
    return replace(bounds, minimum=min(low, design), maximum=max(high, design))


def _round_distance(distance: Fraction) -> Fraction:
    return Fraction(f"{float(distance):.{RANGE_DIGITS}g}")


def _print_end(end: Fraction) -> Fraction:
    return Fraction(f"{float(end):.6g}")


def _in_words(mechanism: Mechanism, name: str) -> str:
    bounds, unit = mechanism.ranges[name], mechanism.unit_of(name)
    return f'{name} = ["{float(bounds.minimum):.6g} {unit}", "{float(bounds.maximum):.6g} {unit}"]'
