"""Draws what a mechanism carries and gives: masses, loads, outputs, the step.

In: a sketch with bodies and joints. Out: the sketch with more entries. Inertias are those of a few points of
mass, so that a body could have them.
"""

import numpy as np
from drawn_quantities import Drawn, Quantities, written
from sketch import Sketch

ENTRIES = (("xx", 0, 0), ("yy", 1, 1), ("zz", 2, 2), ("xy", 0, 1), ("xz", 0, 2), ("yz", 1, 2))
METHODS = ("euler", "semi_implicit_euler", "rk4")


def draw_masses(sketch: Sketch, kind: str, heavy: float) -> None:
    """Gravity, and mass on most bodies: each has one with the probability `heavy`."""
    quantities = sketch.quantities
    random = quantities.random
    field = [written(random.uniform(-10, 10), random.choice(("m/s^2", "ft/s^2")), 4).text for _ in range(3)]
    sketch.document["mechanism"]["gravity"] = ["0", "0", "0"] if quantities.chance(0.1) else field
    scale = random.choice((0.1, 1.0, 1.0, 20.0))
    for body in sketch.document["bodies"].values():
        if quantities.chance(heavy):
            _draw_mass(quantities, body, scale * random.choice((0.2, 1.0, 1.0, 3.0)), kind == "planar")


def _draw_mass(quantities: Quantities, body: dict[str, object], scale: float, planar: bool) -> None:
    random = quantities.random
    mass = written(scale * random.uniform(0.3, 3), random.choice(("kg", "g", "lb", "t")), 5)
    named = quantities.chance(quantities.named)
    body["mass"] = quantities.parameter(mass, "kg") if named and mass.text.endswith(" kg") else mass.text
    points = np.array([[random.gauss(0, 0.3) for _ in range(3)] for _ in range(4)])
    inertia = mass.value / 4 * sum((p @ p * np.eye(3) - np.outer(p, p) for p in points), np.zeros((3, 3)))
    if quantities.chance(0.8):
        body["center_of_mass"] = [quantities.length(0.4, zero=0.3).text for _ in range(3)]
    body["inertia"] = _inertia(quantities, inertia, planar and quantities.chance(0.5))


def _inertia(quantities: Quantities, matrix: np.ndarray, alone: bool) -> dict[str, str]:
    if alone:
        return {"zz": written(float(matrix[2, 2]), "kg*m^2", 5).text}
    if quantities.chance(0.3):
        matrix = np.diag(np.linalg.eigvalsh(matrix))
    units = ("kg*m^2", "kg*m^2", "N*m*s^2", "lb*in^2")
    drawn = {key: float(matrix[i, j]) for key, i, j in ENTRIES}
    return {key: written(value, quantities.random.choice(units), 9).text for key, value in drawn.items() if value}


def draw_loads(sketch: Sketch) -> None:
    """Inputs, and forces and torques that use them."""
    quantities, random = sketch.quantities, sketch.quantities.random
    for _ in range(random.randint(0, 3)):
        kind = random.choice(("force", "torque", "coordinate"))
        if kind == "coordinate":
            on = random.choice(list(sketch.pose))
            unit = "N*m" if sketch.angles[on] else "N"
            value: object = _effort(sketch, unit)
        else:
            body = random.choice(list(sketch.document["bodies"]))
            on, unit = (body, "N*m") if kind == "torque" else (random.choice(_places(sketch, body)), "N")
            value = [_effort(sketch, unit) if quantities.chance(0.7) else "0" for _ in range(3)]
        sketch.document.setdefault("loads", {})[sketch.name("f")] = {"type": kind, "on": on, "value": value}


def _effort(sketch: Sketch, unit: str) -> str:
    random = sketch.quantities.random
    if sketch.quantities.chance(0.4):
        return f"{random.uniform(-5, 5):.3g} {unit}"
    name, bound = sketch.name("u"), random.uniform(1, 10)
    sketch.document.setdefault("inputs", {})[name] = {"range": [f"{-bound:.4g} {unit}", f"{bound:.4g} {unit}"]}
    return random.choice(("{0}", "-{0}", "2*{0} - {0}/4", "{0}*cos(0.3)")).format(name)


def _places(sketch: Sketch, body: str) -> list[str]:
    return [body, *(place for place in sketch.stands if place.startswith(f"{body}."))]


def draw_outputs(sketch: Sketch, fewest: int) -> None:
    """Coordinates by names of their own, points, attitudes, angles of directions."""
    random = sketch.quantities.random
    bodies = list(sketch.document["bodies"])
    for _ in range(random.randint(fewest, 3)):
        kind = random.choice(("coordinate", "point", "point", "attitude", "axis", "line"))
        body = random.choice(bodies)
        wanted: object
        if kind == "coordinate":
            dependent = [name for name in sketch.pose if name not in sketch.driven]
            if not dependent:
                continue
            wanted = random.choice(dependent)
            if wanted in sketch.document.get("outputs", {}).values():
                continue
        elif kind == "point":
            wanted = random.choice(_places(sketch, body))
        elif kind == "attitude":
            wanted = f"{random.choice(_places(sketch, body))}.quaternion"
        else:
            wanted = _angle(sketch, body, kind)
        sketch.document.setdefault("outputs", {})[sketch.name("o")] = wanted


def _angle(sketch: Sketch, body: str, kind: str) -> dict[str, object]:
    random = sketch.quantities.random
    letters = random.sample("xyz", 3)
    sign = random.choice(("", "-"))
    start = random.choice((f"{sign}{letters[0]}", "".join(sorted(letters[:2]))))
    wanted: dict[str, object] = {"of": random.choice(_places(sketch, body)), "axis": random.choice(("x", "y", "-z"))}
    if kind == "line":
        ends = [place for place in sketch.stands if "." in place]
        line = random.sample(ends, min(2, len(ends)))
        if len(line) > 1 and not all(place.startswith("ground.") for place in line):
            wanted = {"line": line}
    towards = letters[2] if len(start.strip("-")) == 2 else letters[1]
    wanted |= {"from": start, "to": f"{random.choice(('', '-'))}{towards}"}
    named = [str(wanted["of"])] if kind == "axis" or "of" in wanted else list(wanted["line"])  # type: ignore[call-overload]
    others = [other for other in sketch.document["bodies"] if other not in {name.split(".")[0] for name in named}]
    if others and sketch.quantities.chance(0.3):
        wanted["seen_from"] = random.choice(others)
    return wanted


def draw_step(sketch: Sketch) -> None:
    """Method and period."""
    random = sketch.quantities.random
    sketch.document["step"] = {
        "method": random.choice(METHODS),
        "period": random.choice(("1 ms", "0.0005 s", "2 ms", "100 us")),
    }


def pose_texts(sketch: Sketch, independent: list[str], rough: bool) -> dict[str, str]:
    """The design pose; dependent coordinates to two decimals where it is rough."""
    return {
        name: drawn.text if name in independent or not rough else _rough(drawn, sketch.angles[name])
        for name, drawn in sketch.pose.items()
    }


def _rough(drawn: Drawn, angle: bool) -> str:
    return f"{drawn.value:.2f} {'rad' if angle else 'm'}"
