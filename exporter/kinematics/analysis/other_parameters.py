"""What an engine has solved, for a mechanism that differs in parameters no joint or coupling reads.

In: a `Solution` and the mechanism with other parameters. Out: the same blocks with the other mechanism behind them.
"""

from dataclasses import replace
from functools import singledispatch

from exporter.kinematics.planar.engine import PlanarSolution
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.spatial.engine import SpatialSolution
from exporter.model.mechanism import Mechanism


def with_parameters_of(solved: Solution, other: Mechanism) -> Solution | None:
    """The solution with `other` in place of its mechanism; None where that must be solved itself.

    Both mechanisms must differ in parameters alone, and in none of the `shaping_names` of either. Solutions by tables
    whose limits depend on whether any parameter is tunable are not taken over, nor those of a mechanism with fewer
    loops than the file's.
    """
    return _with(solved, other)


@singledispatch
def _with(_: object, other: Mechanism) -> Solution | None:  # noqa: ARG001 - other engines are asked for no reuse
    return None


@_with.register
def _(solved: PlanarSolution, other: Mechanism) -> Solution | None:
    model = solved.form.model
    if model.mechanism.joints != other.joints:
        return None
    return PlanarSolution(replace(solved.form, model=replace(model, mechanism=other)))


@_with.register
def _(solved: SpatialSolution, other: Mechanism) -> Solution | None:
    form = solved.form
    if form.loop_tables:
        return None
    tree = None if form.other_tree is None else replace(form.other_tree, parameters=other.parameters)
    return SpatialSolution(replace(form, mechanism=other, other_tree=tree))
