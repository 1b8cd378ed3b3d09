"""What the seven items' functions must give, by a reference that shares no code with what is compared.

In: an item and rows of its inputs. Out: the value of any output by its name, (rows,). The reference is SIL's: Newton's
method on the closures that the model states, mass matrices of all bodies, derivatives by complex steps.
"""

from collections.abc import Callable

import numpy as np
from as_linked import ITEMS
from bare_arithmetic import library

from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

ALIASES = {"piston_position": "s", "piston_speed": "s.rate"}
DIRECTIONS = {
    **{f"upper{leg}": (f"theta{leg}",) for leg in (1, 2, 3)},
    **{f"lower{leg}": (f"theta{leg}", f"theta{leg + 3}") for leg in (1, 2, 3)},
}
"""Joint angles that add up to the direction of a link of the parallel robot."""
ValueOf = Callable[[str], np.ndarray | None]


def reference_values(item: str, rows: np.ndarray) -> ValueOf:
    """Values by name; None for what is no coordinate, rate or acceleration, such as a margin."""
    model, function, _ = ITEMS[item]
    mechanism = library(model)
    reference = reference_of(mechanism)
    count = len(mechanism.independent)
    places = reference.positions(rows[:, :count])
    found = {"": places, ".cos": np.cos(places), ".sin": np.sin(places)}
    if function == "dynamics":
        at = configuration(places)
        found[".rate"] = reference.velocities(at, rows[:, count : 2 * count])
        inputs = dict(zip((each.name for each in mechanism.inputs), rows[:, 2 * count :].T, strict=True))
        found[".acceleration"] = reference.forward_dynamics(at, found[".rate"], inputs)
    columns = {name: number for number, name in enumerate(reference.coordinates)}

    def value(name: str) -> np.ndarray | None:
        base, dot, part = ALIASES.get(name, name).partition(".")
        if base in DIRECTIONS:
            angle = sum(places[:, columns[each]] for each in DIRECTIONS[base])
            return {"cos": np.cos, "sin": np.sin}[part](angle)
        return found[dot + part][:, columns[base]] if base in columns else None

    return value
