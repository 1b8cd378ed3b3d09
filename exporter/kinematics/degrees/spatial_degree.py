"""How many assemblies a spatial mechanism has in complex numbers, bodies that must be solved together included.

In: a mechanism with a choice of independent coordinates. Out: its blocks, and what is left for no block,
with the number of solutions of each at random values of what is known and of tunable parameters. Legs are eliminated
first; they are solved after the bodies that they join.
"""

from collections.abc import Callable

from exporter.kinematics.degrees.closures_modulo import ClosuresModulo
from exporter.kinematics.degrees.planar_degree import JoinedLoops
from exporter.kinematics.degrees.solutions_modulo import LARGEST_ECHELON_FORM, solutions_in
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.kinematics.spatial.plan import partial_plan
from exporter.model.mechanism import Mechanism
from exporter.model.parameter_sets import generic


def joined_bodies(
    mechanism: Mechanism, largest: int = LARGEST_ECHELON_FORM, tell: Callable[[str], None] = lambda _: None
) -> tuple[JoinedLoops, ...]:
    """The systems of a spatial mechanism in solve order; degree None where more than `largest` monomials are needed."""
    mechanism = generic(mechanism)
    plan, waiting = partial_plan(mechanism, mechanism)
    systems = [_of_block(mechanism, block, largest, tell) for block in plan.blocks]
    if not waiting:
        return tuple(systems)
    closures = ClosuresModulo(mechanism, waiting)
    systems.append(_count_solutions(closures, largest, tell))
    rest, left = partial_plan(mechanism, mechanism, closures.together)
    known = {block.coordinates for block in plan.blocks}
    systems += [_of_block(mechanism, block, largest, tell) for block in rest.blocks if block.coordinates not in known]
    if left:
        systems.append(JoinedLoops((), left, None))
    return tuple(systems)


def _count_solutions(closures: ClosuresModulo, largest: int, tell: Callable[[str], None]) -> JoinedLoops:
    mechanism, inside = closures.mechanism, set(closures.together)
    inside |= {body for leg in closures.legs for body in leg.bodies}
    loops = [j.name for j in mechanism.joints if j.closes and set(j.bodies) & inside]
    unknowns = [
        name
        for body in closures.together
        for name in closures.carriers[body].coordinates
        if name not in mechanism.independent
    ]
    degree = solutions_in(closures.ring, closures.all_equations(), largest, tell)
    return JoinedLoops(tuple(loops), tuple(unknowns), degree)


def _of_block(mechanism: Mechanism, block: Block, largest: int, tell: Callable[[str], None]) -> JoinedLoops:
    """A block of the library has its degree; what a table or a basis solves is counted."""
    if block.kind not in (SpatialKind.SEEDED_NEWTON, SpatialKind.POLYNOMIAL):
        return JoinedLoops((), block.coordinates or (f"centre of {block.centers[0]}",), block.degree)
    joints = {joint.name: joint for joint in mechanism.joints}
    bodies = {joint.child.body for joint in mechanism.joints if set(joint.coordinates) & set(block.coordinates)}
    if block.kind is SpatialKind.SEEDED_NEWTON:
        bodies |= {b for name in block.centers[::2] for b in joints[name].bodies}
    closures = ClosuresModulo(mechanism, sorted(bodies))
    equations = closures.all_equations(block.centers)
    return JoinedLoops((), block.coordinates, solutions_in(closures.ring, equations, largest, tell))
