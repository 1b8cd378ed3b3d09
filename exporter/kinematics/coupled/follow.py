"""What follows by couplings, written into a sequence: values, rates and accelerations.

In: couplings in order and values of what they need. Out: the values with those that follow.
"""

from collections.abc import Sequence

from exporter.kinematics.protocol.scope import Scope
from exporter.model.couplings import Coupling, coupling_text
from exporter.sequence.builder import Value

Values = dict[str, Value]


def block_id(number: int) -> str:
    """The id of a coupling among the blocks: C1, C2, ..."""
    return f"C{number + 1}"


def with_followers(order: Sequence[Coupling], scope: Scope, given: Values) -> Values:
    """Coordinates, with those that follow."""
    known = dict(given)
    for number, coupling in enumerate(order):
        with scope.builder.step(block_id(number), coupling_text(coupling)):
            known[coupling.follower] = _sum(coupling, scope, known) + scope.value(coupling.offset)
    return known


def with_following_rates(order: Sequence[Coupling], scope: Scope, given: Values, ending: str) -> Values:
    """Rates (".v") or accelerations (".a"), with those that follow: offsets do not move."""
    known = dict(given)
    for number, coupling in enumerate(order):
        with scope.builder.step(f"{block_id(number)}{ending}", coupling_text(coupling)):
            known[coupling.follower] = _sum(coupling, scope, known)
    return known


def _sum(coupling: Coupling, scope: Scope, known: Values) -> Value:
    total = scope.builder.real(0)
    for name, ratio in coupling.ratios.items():
        total = total + scope.value(ratio) * known[name]
    return total
