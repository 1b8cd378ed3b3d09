"""Looks for a cheaper solution of a loop than the block library's: lexicographic bases over all orders of its unknowns.

In: a SpatialForm of library blocks. Out: the same form, or one in which the blocks of a loop that closes in
a ball and has three unknown turns are replaced by steps of the cheapest basis, by the score
mul + add + `DIVISION_WEIGHT` (div + sqrt).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from exporter.errors import NoForm
from exporter.kinematics.protocol.motions import ElementaryMotion, motions_of
from exporter.kinematics.spatial.arithmetic import bare_position
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.groebner.bases import HIGHEST_DEGREE, SEARCH_LIMITS, Limits, basis, candidates, orders
from exporter.kinematics.spatial.groebner.polynomials import LARGEST_DENOMINATOR, Ideal, irrational_joints, point_loop
from exporter.kinematics.spatial.groebner.steps import UnivariateEquation
from exporter.model.mechanism import Joint
from exporter.model.parameter_sets import shaping_names
from exporter.sequence.cost import cost

Candidates = dict[str, list[UnivariateEquation]]  # of every unknown variable
Tell = Callable[[str], None]

DIVISION_WEIGHT = 8  # of a division or root, in multiplications
UNKNOWN_TURNS = 3  # turns of a loop that is searched
MOST_KNOWN = 2  # known motions of such a loop
COUNTED_ORDERS = 12  # orders, of fewest terms, that are written to count their operations


def with_cheapest_blocks(form: SpatialForm, tell: Tell = lambda _: None) -> SpatialForm:
    """The form with the loops replaced whose lexicographic basis is cheaper; `tell` hears of a long search.

    A loop that the block library solves is searched on the first rung of the limits only: what does not finish there
    is no cheaper solution.

    Raises:
        NoForm: a loop that the block library does not solve has no basis of low degree within the limits.
    """
    for joint in form.tree.joints:
        unknown = _searched_turns(form, joint)
        ideal = point_loop(form.tree, joint, unknown) if unknown else None
        if ideal is not None:
            known = () if _is_open(form) else (form,)
            rungs = SEARCH_LIMITS[:1] if known else SEARCH_LIMITS
            form = min((*known, *_alternatives(form, ideal, rungs, tell)), key=score, default=form)
    if _is_open(form):
        raise NoForm(_no_basis(form))
    return form


def _is_open(form: SpatialForm) -> bool:
    """Whether a loop still waits for its basis."""
    return any(_waits(block) for block in form.blocks)


def _waits(block: Block) -> bool:
    return block.kind is SpatialKind.POLYNOMIAL and not block.steps


def _no_basis(form: SpatialForm) -> str:
    block = next(block for block in form.blocks if _waits(block))
    joint = next(joint for joint in form.tree.joints if joint.name == block.centers[0])
    return (
        f"{form.mechanism.name}: with {', '.join(form.independent)} independent, {', '.join(block.coordinates)} must "
        f"be solved together from the loop of '{joint.name}', and {_why_no_basis(form, joint)}"
    )


def _why_no_basis(form: SpatialForm, joint: Joint) -> str:
    """What was tried, or why nothing was."""
    motions = _motions(form, joint)
    known = [motion.coordinate for motion in motions if motion.coordinate in form.independent]
    tunable = shaping_names(form.tree)
    if tunable:
        return f"lexicographic bases are of numbers: freeze {', '.join(sorted(tunable))} for such a search"
    if len(known) > MOST_KNOWN:
        return (
            f"lexicographic bases are searched for loops with up to {MOST_KNOWN} known coordinates, while this one has "
            f"{len(known)} ({', '.join(known)})"
        )
    unknown = _searched_turns(form, joint)
    if not unknown:
        return "no lexicographic basis is searched for it, for blocks before it give some of the loop's coordinates"
    irrational = irrational_joints(form.tree, joint)
    if irrational:
        return (
            "lexicographic bases are of fractions, while a direction or place of "
            f"{', '.join(map(repr, irrational))} is none with a denominator of {LARGEST_DENOMINATOR} or less"
        )
    polynomials, terms, _ = SEARCH_LIMITS[-1]
    return (
        "none of the lexicographic bases in any order of their sines and cosines gives them by equations "
        f"of degree {HIGHEST_DEGREE} at most within {polynomials} polynomials of {terms} terms"
    )


def score(form: SpatialForm) -> int:
    """What the order search minimises: of all dependent coordinates."""
    counted = cost(bare_position(form, form.dependent()))
    return counted.mul + counted.add + DIVISION_WEIGHT * (counted.div + counted.sqrt)


def _searched_turns(form: SpatialForm, joint: Joint) -> tuple[str, ...]:
    """The unknown turns of a loop worth searching, else nothing."""
    if not joint.closes or joint.type != "spherical" or shaping_names(form.tree):
        return ()
    motions = _motions(form, joint)
    unknown = tuple(motion.coordinate for motion in motions if motion.coordinate not in form.independent)
    kinds = {motion.kind for motion in motions if motion.coordinate in unknown}
    solved = [set(block.coordinates) for block in form.blocks if set(block.coordinates) & set(unknown)]
    alone = set(unknown) == set().union(*solved) if solved else False
    fits = len(unknown) == UNKNOWN_TURNS and kinds == {"turn"} and len(motions) <= UNKNOWN_TURNS + MOST_KNOWN
    return unknown if fits and alone else ()


def _motions(form: SpatialForm, joint: Joint) -> list[ElementaryMotion]:
    """Motions of both ways from a closing joint to ground."""
    tree = form.tree.spanning_tree()
    chain = [each for frame in (joint.parent, joint.child) for each in reversed(tree.path(frame.body))]
    return [motion for each in chain for motion in motions_of(each)]


def _alternatives(form: SpatialForm, ideal: Ideal, rungs: Sequence[Limits], tell: Tell) -> list[SpatialForm]:
    """The cheapest forms of the orders whose bases have steps of low degree and few terms, by the first rung."""
    for number, limits in enumerate(rungs, start=1):
        if number > 1:
            tell(f"lexicographic bases of {', '.join(ideal.unknown)}: up to {limits[1]} terms")
        found = _solvable(ideal, limits)
        if found:
            return [_cheapest(form, ideal, order, steps) for _, order, steps in found[:COUNTED_ORDERS]]
    return []


def _solvable(ideal: Ideal, limits: Limits) -> list[tuple[int, tuple[str, ...], Candidates]]:
    """Orders with a basis of low degree, the fewest terms first."""
    found = []
    for order in orders(ideal):
        polynomials = basis(ideal, order, limits)
        steps = candidates(polynomials, ideal, order) if polynomials is not None else None
        if steps is not None and all(_one_root(steps, order, name) for name in ideal.unknown):
            terms = sum(min(step.terms for step in entries) for entries in steps.values())
            found.append((terms, order, steps))
    return sorted(found, key=lambda entry: entry[0])


def _one_root(steps: Candidates, order: Sequence[str], coordinate: str) -> bool:
    """Whether at most one of sine and cosine needs a root: a sign per angle."""
    pair = [variable for variable in order if variable.endswith(f".{coordinate}")]
    return sum(steps[variable][0].degree > 1 for variable in pair) <= 1


def _cheapest(form: SpatialForm, ideal: Ideal, order: Sequence[str], steps: Candidates) -> SpatialForm:
    """Choose among the candidates of each variable in turn, the others at their first."""
    chosen = {variable: entries[0] for variable, entries in steps.items()}
    for variable in reversed(order):
        if len(steps[variable]) > 1:
            chosen[variable] = min(
                steps[variable],
                key=lambda step: score(_replace_blocks(form, ideal, order, {**chosen, step.variable: step})),
            )
    return _replace_blocks(form, ideal, order, chosen)


def _replace_blocks(
    form: SpatialForm, ideal: Ideal, order: Sequence[str], chosen: dict[str, UnivariateEquation]
) -> SpatialForm:
    """The form with one block per angle of the basis in the place of the library's blocks."""
    turns = list(dict.fromkeys(variable.partition(".")[2] for variable in reversed(order)))
    blocks = [
        Block(
            "",
            SpatialKind.POLYNOMIAL,
            (),
            (),
            coordinates=(name,),
            steps=tuple(chosen[variable] for variable in reversed(order) if variable.endswith(f".{name}")),
        )
        for name in turns
    ]
    kept = [block for block in form.blocks if not set(block.coordinates) & set(ideal.unknown)]
    place = next(k for k, block in enumerate(form.blocks) if set(block.coordinates) & set(ideal.unknown))
    everything = (*kept[:place], *blocks, *kept[place:])
    numbered = tuple(replace(block, id=f"L{k}") for k, block in enumerate(everything, start=1))
    return replace(form, plan=replace(form.plan, blocks=numbered))
