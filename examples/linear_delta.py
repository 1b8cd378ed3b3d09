"""Carriage heights of a linear delta printer, as a symbolic model.

Three carriages ride on vertical towers; a rod of fixed length joins each to the effector. Past the rods' reach a
radicand is negative: the root policy clamps it and the status says OUT_OF_WORKSPACE, instead of a NaN that would drive
a carriage wild.

    kinefix export examples/linear_delta.py:model --out build/linear_delta
"""

import sympy as sp

from exporter.symbolic import Root, SymbolicModel, frozen, given, output

TOWERS = {"a": 210, "b": 330, "c": 90}
"""Where each tower stands, in degrees from the x axis."""


def model() -> SymbolicModel:
    """(x, y, z) of the effector -> height of each carriage."""
    x, y, z, rod, radius = sp.symbols("x y z rod radius", real=True)
    heights = []
    for tower, degrees in TOWERS.items():
        angle = sp.rad(degrees)
        dx, dy = radius * sp.cos(angle) - x, radius * sp.sin(angle) - y
        height = z + sp.sqrt(rod**2 - dx**2 - dy**2)
        heights.append(output(f"h_{tower}", height, "m", about=f"carriage of tower {tower.upper()}"))
    return SymbolicModel(
        name="linear_delta",
        title="Carriage heights of a linear delta printer",
        source="examples/linear_delta.py",
        inputs=(
            given("x", "-150 mm", "150 mm", about="effector"),
            given("y", "-150 mm", "150 mm", about="effector"),
            given("z", "0 mm", "300 mm", about="effector"),
        ),
        parameters=(
            frozen("rod", "274 mm", about="between the joints of a rod"),
            frozen("radius", "104.45 mm", about="of the circle of the towers, less carriage and effector offsets"),
        ),
        outputs=tuple(heights),
        root=Root(),
    )
