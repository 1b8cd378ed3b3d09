"""Draws what makes a machine of a mechanism: distances, elements, loads that read the state, reactions, the step.

In: a sketch with bodies, joints and masses. Out: the sketch with more entries.
"""

from collections.abc import Callable

import numpy as np
from drawn_formulas import Length, Machine, drawn_formula
from plain_mechanism import GROUND
from sketch import Sketch

METHODS = ("euler", "semi_implicit_euler", "rk4", "linearly_implicit", "linearly_implicit")
NEAREST = 0.12  # m between the ends of a distance at the design pose


def draw_machine(sketch: Sketch, kind: str) -> None:
    """All of it."""
    quantities = sketch.quantities
    random = quantities.random
    lengths = [Length(name, "rad" if sketch.angles[name] else "m", drawn.value) for name, drawn in sketch.pose.items()]
    machine = Machine(sketch, lengths, random.choice((1.0, 1.0, 10.0)))
    for _ in range(random.choice((0, 1, 1, 2))):
        ends = _ends(machine)
        if ends:
            name = sketch.name("d")
            sketch.document.setdefault("distances", {})[name] = ends
            machine.lengths.append(Length(name, "m", _apart(sketch, ends)))
    for _ in range(random.choice((1, 1, 2, 3))):
        _draw_element(machine)
    for _ in range(random.choice((0, 1, 1, 2))):
        _draw_load(machine)
    for _ in range(random.choice((0, 1, 2)) if quantities.chance(0.6 if kind in ("planar", "open") else 0.3) else 0):
        _draw_reaction(sketch)
    _ask_distances(machine)
    _draw_step(machine)


def _ends(machine: Machine) -> list[str] | None:
    """Two places of two bodies that stand apart, None where none were met."""
    sketch, random = machine.sketch, machine.sketch.quantities.random
    for _ in range(12):
        first, second = (_somewhere(sketch) for _ in range(2))
        ends = [first, second]
        if first.split(".")[0] != second.split(".")[0] and _apart(sketch, ends) > NEAREST:
            return random.sample(ends, 2)
    return None


def _somewhere(sketch: Sketch) -> str:
    """A place that is there, or a new one."""
    quantities = sketch.quantities
    body = quantities.random.choice([GROUND, *sketch.document["bodies"]])
    if quantities.chance(0.5):
        return sketch.place(body, [quantities.length(0.6) for _ in range(3)])
    return quantities.random.choice([body, *(place for place in sketch.stands if place.startswith(f"{body}."))])


def _apart(sketch: Sketch, ends: list[str]) -> float:
    start, end = (sketch.stands[place][1] for place in ends)
    return float(np.linalg.norm(end - start))


def _draw_element(machine: Machine) -> None:
    sketch, random = machine.sketch, machine.sketch.quantities.random
    name = sketch.name("e")
    ends = _ends(machine) if random.random() < 0.5 else None
    if ends:
        x, where = Length(name, "m", _apart(sketch, ends)), {"between": ends}
        machine.lengths.append(x)
    else:
        x = machine.length()
        where = {"along": x.name}
    kind = random.choice(list(ELEMENTS))
    sketch.document.setdefault("elements", {})[name] = {"type": kind, **where, **ELEMENTS[kind](machine, x)}


def _spring(machine: Machine, x: Length) -> dict[str, object]:
    chance, unit = machine.sketch.quantities.chance, _effort(x)
    if chance(0.2):
        return {"force": drawn_formula(machine, unit)}
    found = {"stiffness": machine.quantity(machine.scale * machine.spread(1, 100), f"{unit}/{x.unit}")}
    if chance(0.7):
        found["free"] = machine.quantity(x.value + machine.sketch.quantities.random.uniform(-0.3, 0.3), x.unit)
    if chance(0.4):
        found["preload"] = machine.quantity(machine.scale * machine.spread(0.1, 3), unit)
    return {**found, **_damping(machine, x, 0.5)}


def _damping(machine: Machine, x: Length, probability: float) -> dict[str, object]:
    if not machine.sketch.quantities.chance(probability):
        return {}
    return {"damping": machine.quantity(machine.scale * machine.spread(0.05, 5), f"{_effort(x)}*s/{x.unit}")}


def _damper(machine: Machine, x: Length) -> dict[str, object]:
    return _damping(machine, x, 0.7) or {"force": drawn_formula(machine, _effort(x))}


def _actuator(machine: Machine, x: Length) -> dict[str, object]:
    return {"force": drawn_formula(machine, _effort(x))}


def _gas_spring(machine: Machine, x: Length) -> dict[str, object]:
    random = machine.sketch.quantities.random
    found: dict[str, object] = {
        "force": machine.quantity(machine.scale * machine.spread(0.3, 5), _effort(x)),
        "at": machine.quantity(x.value + random.uniform(-0.1, 0.1), x.unit),
        "column": machine.quantity(machine.spread(0.5, 4), x.unit),
    }
    if random.random() < 0.5:
        found["exponent"] = random.choice(("1", "2", "3"))
    return {**found, **_damping(machine, x, 0.5)}


def _end_stop(machine: Machine, x: Length) -> dict[str, object]:
    random = machine.sketch.quantities.random
    found: dict[str, object] = {
        "stiffness": machine.quantity(machine.scale * machine.spread(10, 300), f"{_effort(x)}/{x.unit}")
    }
    sides = random.choice((("lower",), ("upper",), ("lower", "upper")))
    if "lower" in sides:
        found["lower"] = f"{x.value - random.uniform(0.02, 0.2):.6g} {x.unit}"
    if "upper" in sides:
        found["upper"] = f"{x.value + random.uniform(0.02, 0.2):.6g} {x.unit}"
    if random.random() < 0.6:
        found["dissipation"] = machine.quantity(machine.spread(0.05, 2), f"s/{x.unit}")
    return found


def _friction(machine: Machine, x: Length) -> dict[str, object]:
    return {
        "force": machine.quantity(machine.scale * machine.spread(0.05, 1), _effort(x)),
        "smoothing_speed": machine.quantity(machine.spread(0.02, 0.5), f"{x.unit}/s"),
    }


ELEMENTS: dict[str, Callable[[Machine, Length], dict[str, object]]] = {
    "spring": _spring,
    "damper": _damper,
    "actuator": _actuator,
    "gas_spring": _gas_spring,
    "end_stop": _end_stop,
    "friction": _friction,
}


def _effort(x: Length) -> str:
    return "N*m" if x.unit == "rad" else "N"


def _draw_load(machine: Machine) -> None:
    sketch, random = machine.sketch, machine.sketch.quantities.random
    kind = random.choice(("force", "torque", "coordinate"))
    if kind == "coordinate":
        on = random.choice(list(sketch.pose))
        load = {"type": kind, "on": on, "value": drawn_formula(machine, "N*m" if sketch.angles[on] else "N")}
    else:
        body = random.choice(list(sketch.document["bodies"]))
        places = [body, *(place for place in sketch.stands if place.startswith(f"{body}."))]
        unit = "N" if kind == "force" else "N*m"
        value = [drawn_formula(machine, unit) if random.random() < 0.5 else "0" for _ in range(3)]
        load = {"type": kind, "on": random.choice(places) if kind == "force" else body, "value": value}
        if random.random() < 0.5:
            load["axes"] = random.choice(places)
    sketch.document.setdefault("loads", {})[sketch.name("f")] = load


def _draw_reaction(sketch: Sketch) -> None:
    random = sketch.quantities.random
    joints = [name for name, joint in sketch.document["joints"].items() if joint["type"] != "free"]
    if joints:
        wanted = {"reaction": random.choice(joints), "part": random.choice(("force", "torque"))}
        if random.random() < 0.6:
            wanted["axes"] = random.choice(("ground", "parent", "child"))
        sketch.document.setdefault("outputs", {})[sketch.name("o")] = wanted


def _ask_distances(machine: Machine) -> None:
    for each in machine.lengths:
        if each.name not in machine.sketch.pose and machine.sketch.quantities.chance(0.4):
            machine.sketch.document.setdefault("outputs", {})[machine.sketch.name("o")] = each.name


def _draw_step(machine: Machine) -> None:
    sketch, random = machine.sketch, machine.sketch.quantities.random
    step: dict[str, object] = {
        "method": random.choice(METHODS),
        "period": random.choice(("1 ms", "0.0005 s", "2 ms", "100 us")),
    }
    if step["method"] == "linearly_implicit" and random.random() < 0.4:
        elements = list(sketch.document["elements"])
        step["implicit"] = random.sample(elements, random.randint(1, len(elements)))
    sketch.document["step"] = step
