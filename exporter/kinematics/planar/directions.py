"""Which bodies share an unknown direction: D_body = D_root * exp(i * sum of known turns).

In: the turns and rigid pairs of a planar model and the choice of independent coordinates. Used by:
`decomposition` (unknowns are the roots other than ground) and `position`.
"""

from collections.abc import Collection

from exporter.errors import Unsolved
from exporter.kinematics.planar.model import PlanarModel
from exporter.model.joints import GROUND
from exporter.records import dataclass

Turns = tuple[tuple[str, int], ...]  # (independent angle, +1 or -1), sorted by coordinate


@dataclass(frozen=True, slots=True)
class Direction:
    """D_body = D_root * exp(i * sum of sign * coordinate). The root is "ground" where the direction is known."""

    root: str
    turns: Turns = ()


def directions(model: PlanarModel, independent: Collection[str]) -> dict[str, Direction]:
    """The direction of every body, ground included. A root is the first body of its group in tree order.

    Raises:
        ModelError: independent angles that the joints tie to each other.
    """
    links: dict[str, list[tuple[str, Turns]]] = {body: [] for body in (GROUND, *model.bodies)}
    for one, other in model.rigid:
        links[one].append((other, ()))
        links[other].append((one, ()))
    for turn in model.turns:
        if turn.coordinate in independent:
            links[turn.parent].append((turn.child, ((turn.coordinate, turn.sign),)))
            links[turn.child].append((turn.parent, ((turn.coordinate, -turn.sign),)))
    found: dict[str, Direction] = {}
    for root in links:
        if root not in found:
            found[root] = Direction(root)
            _spread(root, links, found, model)
    return found


def _spread(
    root: str, links: dict[str, list[tuple[str, Turns]]], found: dict[str, Direction], model: PlanarModel
) -> None:
    waiting = [root]
    while waiting:
        body = waiting.pop()
        for other, turns in links[body]:
            direction = Direction(found[body].root, _sum(found[body].turns, turns))
            if other not in found:
                found[other] = direction
                waiting.append(other)
            elif found[other] != direction:
                names = ", ".join(sorted({name for name, _ in (*direction.turns, *found[other].turns)}))
                raise Unsolved(
                    f"{model.mechanism.name}: the joints around '{other}' tie {names or 'its direction'} to each "
                    "other; they cannot all be independent coordinates"
                )


def _sum(left: Turns, right: Turns) -> Turns:
    total = dict(left)
    for name, sign in right:
        total[name] = total.get(name, 0) + sign
    return tuple(sorted((name, sign) for name, sign in total.items() if sign != 0))
