"""What follows by couplings, written into a sequence: values, rates and accelerations.

In: couplings in order and values of what they need. Out: the values with those that follow.
"""

from collections.abc import Callable

from exporter.kinematics.coupled.driven import Driven
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import SolvedPose
from exporter.kinematics.protocol.whole_turns import near_center
from exporter.model.couplings import Coupling, coupling_text
from exporter.sequence.builder import Value

Values = dict[str, Value]


def block_id(number: int) -> str:
    """The id of a coupling among the blocks: C1, C2, ..."""
    return f"C{number + 1}"


def with_followers(driven: Driven, scope: Scope, given: Values, solve: Callable[[Values], SolvedPose]) -> Values:
    """Coordinates, with those that follow; `solve` writes the pose that tells what couplings read of loops.

    There what is not known yet stands as in the design pose: what is read does not depend on it.
    """
    known = dict(given)
    for number, coupling in enumerate(driven.order):
        read = driven.read_of_loops(coupling)
        told = dict(known)
        if read:
            rest = {each.follower: scope.builder.real(driven.inner.pose[each.follower]) for each in driven.order}
            with scope.builder.iterate(block_id(number)):
                pose = solve({**rest, **known})
                told |= {name: _near_design(driven, pose, name) for name in read}
        with scope.builder.step(block_id(number), coupling_text(coupling)):
            known[coupling.follower] = _sum(coupling, scope, told) + scope.value(coupling.offset)
    return known


def _near_design(driven: Driven, pose: SolvedPose, name: str) -> Value:
    """A coordinate that loops give; an angle within half a turn of the design pose."""
    if driven.mechanism.is_displacement(name):
        return pose.displacement(name)
    return near_center(*pose.pair(name), float(driven.centers[name]))


def with_following_rates(
    driven: Driven, scope: Scope, given: Values, ending: str, move: Callable[[Values, Values], Callable[[str], Value]]
) -> Values:
    """Rates (".v") or accelerations (".a"), with those that follow: offsets do not move.

    `move` gives those of what loops give, from what is known and from what is not known yet and rests: what is read
    does not depend on that.
    """
    known = dict(given)
    for number, coupling in enumerate(driven.order):
        read = driven.read_of_loops(coupling)
        told = dict(known)
        if read:
            rest = {each.follower: scope.builder.real(0) for each in driven.order if each.follower not in known}
            with scope.builder.iterate(f"{block_id(number)}{ending}", conditions=True):
                rate = move(known, rest)
                told |= {name: rate(name) for name in read}
        with scope.builder.step(f"{block_id(number)}{ending}", coupling_text(coupling)):
            known[coupling.follower] = _sum(coupling, scope, told)
    return known


def _sum(coupling: Coupling, scope: Scope, known: Values) -> Value:
    total = scope.builder.real(0)
    for name, ratio in coupling.ratios.items():
        total = total + scope.value(ratio) * known[name]
    return total
