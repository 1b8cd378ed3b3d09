"""Mechanisms of any size, as the text of a model file: what grows with the number of their parts, and nothing else.

Each family is a function of the number of parts n. All lengths are in metres and angles in radians; poses are exact to
three decimals, which picks the branch.
"""

import math
from collections.abc import Callable

HEAD = 'schema = 1\n[mechanism]\nname = "{name}"\ngravity = ["0", "-9.81 m/s^2", "0"]\n'
CRANK, COUPLER, ROCKER, BASE = 1.0, 2.5, 2.0, 2.5


def four_bars(n: int) -> str:
    """Four-bars in a row, every rocker the crank of the next: one degree of freedom, n loops."""
    lines = [HEAD.format(name=f"four_bars_{n}"), "[ground]\npoints = {"]
    lines[-1] += ", ".join(f' p{k} = ["{BASE * k:g} m", "0", "0"]' for k in range(1, n + 1)) + " }"
    lines += [_bar("crank", {"pin": CRANK}), _revolute("a0", "ground", "crank")]
    pose, turned, reach, driver = {"a0": 1.0}, 1.0, CRANK, "crank"
    for k in range(1, n + 1):
        coupler, rocker = _close(reach, turned, COUPLER, ROCKER, BASE)
        lines += [_bar(f"coupler{k}", {"pin": COUPLER}), _bar(f"rocker{k}", {"pin": ROCKER, "mid": CRANK})]
        lines += [
            _revolute(f"b{k}", f"{driver}.{'pin' if k == 1 else 'mid'}", f"coupler{k}"),
            _revolute(f"a{k}", f"ground.p{k}", f"rocker{k}"),
            _revolute(f"c{k}", f"coupler{k}.pin", f"rocker{k}.pin", closes=True),
        ]
        pose |= {f"b{k}": coupler - turned, f"a{k}": rocker}
        turned, reach, driver = rocker, CRANK, f"rocker{k}"
    return "\n".join([*lines, _coordinates("a0", pose, (0.9, 1.1), "rad", "1 rad/s")])


def scissors(n: int) -> str:
    """A lift of n stages of crossed arms of 0.8 m, its foot driven along the floor."""
    foot, arm = 0.5, 0.8
    turn = math.acos(foot / arm)
    lines = [HEAD.format(name=f"scissors_{n}"), "[bodies.foot]"]
    lines += ['[joints.x]\ntype = "prismatic"\nparent = "ground"\nchild = "foot"']
    pose, below = {"x": foot}, ("ground", "foot")
    for k in range(1, n + 1):
        lines += [_bar(f"{side}{k}", {"mid": arm / 2, "end": arm}) for side in ("rising", "falling")]
        lines += [
            _revolute(f"a{k}", below[0], f"rising{k}"),
            _revolute(f"b{k}", below[1], f"falling{k}"),
            _revolute(f"c{k}", f"rising{k}.mid", f"falling{k}.mid", closes=True),
        ]
        angles = (turn, math.pi - turn) if k == 1 else (2 * turn - math.pi, math.pi - 2 * turn)
        pose |= {f"a{k}": angles[0], f"b{k}": angles[1]}
        below = (f"falling{k}.end", f"rising{k}.end")
    return "\n".join([*lines, _coordinates("x", pose, (0.45, 0.55), "m", "0.2 m/s")])


def open_chain(n: int) -> str:
    """n bodies with mass on hinges whose axes stand across each other: a tree, n degrees of freedom."""
    lines, below = [HEAD.format(name=f"open_chain_{n}")], "ground"
    for k in range(1, n + 1):
        axis = ('["1", "0", "0"]', '["0", "1", "0"]', '["0", "0", "1"]')[k % 3]
        lines += [
            f'[bodies.link{k}]\nmass = "1 kg"\ncenter_of_mass = ["0.1 m", "0.02 m", "0"]\n'
            'inertia = { xx = "0.01 kg*m^2", yy = "0.02 kg*m^2", zz = "0.03 kg*m^2" }\n'
            'points = { tip = ["0.2 m", "0", "0.05 m"] }',
            f'[joints.q{k}]\ntype = "revolute"\nparent = "{below}"\nchild = "link{k}"\naxis = {axis}',
        ]
        below = f"link{k}.tip"
    names = [f"q{k}" for k in range(1, n + 1)]
    listed, pose = ", ".join(f'"{name}"' for name in names), ", ".join(f'{name} = "0.3 rad"' for name in names)
    ranges = ", ".join(f'{name} = ["-1 rad", "1 rad"]' for name in names)
    rates = ", ".join(f'{name} = "3 rad/s"' for name in names)
    lines += [
        f"[coordinates]\nindependent = [{listed}]\npose = {{ {pose} }}\nranges = {{ {ranges} }}\nrates = {{ {rates} }}"
    ]
    return "\n".join(lines)


def plates(n: int) -> str:
    """Plates on plates, each on six legs of its own that stand on the one below: 6 n degrees of freedom, 6 n loops."""
    return _platforms(n, stacked=True)


def platforms(n: int) -> str:
    """Plates beside each other, each on six legs that stand on the ground: 6 n degrees of freedom, 6 n loops."""
    return _platforms(n, stacked=False)


def _platforms(n: int, *, stacked: bool) -> str:
    height, base, top = 1.0, 0.8, 0.5
    feet = [(base * math.cos(k * math.pi / 3), base * math.sin(k * math.pi / 3)) for k in range(6)]
    balls = [(top * math.cos((k + 0.5) * math.pi / 3), top * math.sin((k + 0.5) * math.pi / 3)) for k in range(6)]
    named = [(f"A{k}", x, y) for k, (x, y) in enumerate(feet)] + [(f"B{k}", x, y) for k, (x, y) in enumerate(balls)]
    places = ", ".join(f'{name} = ["{x:.4f} m", "{y:.4f} m", "0"]' for name, x, y in named)
    lines = [HEAD.format(name=f"{'plates' if stacked else 'platforms'}_{n}"), f"[ground]\npoints = {{ {places} }}"]
    pose, free, below = {}, [], "ground"
    for p in range(1, n + 1):
        lines.append(_massive(f"plate{p}", f"points = {{ {places} }}"))
        names = [f"{letter}{p}" for letter in ("x", "y", "z", "phi", "theta", "psi")]
        listed = ", ".join(f'"{name}"' for name in names)
        lines.append(
            f'[joints.pose{p}]\ntype = "free"\nparent = "{below}"\nchild = "plate{p}"\ncoordinates = [{listed}]'
        )
        free += names
        pose |= dict.fromkeys(names, 0.0) | {f"z{p}": height}
        for k in range(6):
            gap = (balls[k][0] - feet[k][0], balls[k][1] - feet[k][1], height)
            rho = math.hypot(*gap)
            own = {f"a{p}_{k}": math.atan2(-gap[1], gap[2]), f"b{p}_{k}": math.asin(gap[0] / rho), f"r{p}_{k}": rho}
            pose |= own
            lines += [_massive(f"lower{p}_{k}", ""), _massive(f"upper{p}_{k}", ""), *_leg(p, k, below, list(own))]
        below = f"plate{p}" if stacked else "ground"
    units = {name: "m" if name[0] in "xyzr" else "rad" for name in pose}
    values = ", ".join(f'{name} = "{value:.3f} {units[name]}"' for name, value in pose.items())
    spans = {name: (pose[name] - 0.1, pose[name] + 0.1) for name in free}
    ranges = ", ".join(f'{name} = ["{a:.3f} {units[name]}", "{b:.3f} {units[name]}"]' for name, (a, b) in spans.items())
    rates = ", ".join(f'{name} = "1 {units[name]}/s"' for name in free)
    listed = ", ".join(f'"{name}"' for name in free)
    return "\n".join(
        [
            *lines,
            f"[coordinates]\nindependent = [{listed}]\npose = {{ {values} }}\nranges = {{ {ranges} }}",
            f"rates = {{ {rates} }}",
        ]
    )


def _leg(plate: int, k: int, below: str, names: list[str]) -> list[str]:
    """A universal joint, a slide and a ball."""
    lower, upper = f"lower{plate}_{k}", f"upper{plate}_{k}"
    return [
        f'[joints.hip{plate}_{k}]\ntype = "universal"\nparent = "{below}.A{k}"\nchild = "{lower}"\n'
        f'coordinates = ["{names[0]}", "{names[1]}"]',
        f'[joints.leg{plate}_{k}]\ntype = "prismatic"\naxis = "z"\nparent = "{lower}"\nchild = "{upper}"\n'
        f'coordinates = ["{names[2]}"]',
        f'[joints.ball{plate}_{k}]\ntype = "spherical"\nparent = "{upper}"\nchild = "plate{plate}.B{k}"\ncloses = true',
    ]


def _massive(name: str, more: str) -> str:
    inertia = 'inertia = { xx = "0.02 kg*m^2", yy = "0.02 kg*m^2", zz = "0.03 kg*m^2" }'
    return f'[bodies.{name}]\nmass = "1 kg"\n{inertia}\n{more}'


FAMILIES: dict[str, Callable[[int], str]] = {
    "four_bars": four_bars,
    "scissors": scissors,
    "open_chain": open_chain,
    "platforms": platforms,
    "plates": plates,
}


def _bar(name: str, points: dict[str, float]) -> str:
    places = ", ".join(f'{point} = ["{x:g} m", "0", "0"]' for point, x in points.items())
    return f"[bodies.{name}]\npoints = {{ {places} }}"


def _revolute(name: str, parent: str, child: str, *, closes: bool = False) -> str:
    text = f'[joints.{name}]\ntype = "revolute"\nparent = "{parent}"\nchild = "{child}"'
    return f"{text}\ncloses = true" if closes else text


def _close(crank: float, turned: float, coupler: float, rocker: float, base: float) -> tuple[float, float]:
    """Angles of coupler and rocker against the ground, the open way."""
    x, y = base - crank * math.cos(turned), -crank * math.sin(turned)
    far = math.hypot(x, y)
    inner = math.acos((far**2 + coupler**2 - rocker**2) / (2 * far * coupler))
    of_coupler = math.atan2(y, x) + inner
    end = (
        crank * math.cos(turned) + coupler * math.cos(of_coupler),
        crank * math.sin(turned) + coupler * math.sin(of_coupler),
    )
    return of_coupler, math.atan2(end[1], end[0] - base)


def _coordinates(independent: str, pose: dict[str, float], limits: tuple[float, float], unit: str, rate: str) -> str:
    values = ", ".join(f'{name} = "{value:.3f} {"m" if name == "x" else "rad"}"' for name, value in pose.items())
    ranges = f'{independent} = ["{limits[0]:g} {unit}", "{limits[1]:g} {unit}"]'
    return (
        f'[coordinates]\nindependent = ["{independent}"]\npose = {{ {values} }}\n'
        f'ranges = {{ {ranges} }}\nrates = {{ {independent} = "{rate}" }}'
    )
