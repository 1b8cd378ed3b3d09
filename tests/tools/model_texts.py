"""Pieces of mechanism files that several tests put their own entries to: a cart, a slider-crank, a front suspension."""

CART = """schema = 1
[mechanism]
name = "cart"
gravity = ["0", "0", "0"]
[bodies.cart]
mass = "2 kg"
[joints.x]
type = "prismatic"
parent = "ground"
child = "cart"
"""
"""A body of 2 kg on a slide x without gravity: x'' = force / 2 kg."""


def slider_crank_joints(crank: str, rod: str, slide: str, closing: str, end: str) -> str:
    """Names of the four joints of bodies crank, rod and piston, and of the rod's point where the loop closes."""
    return f"""[joints.{crank}]
type = "revolute"
parent = "ground"
child = "crank"
[joints.{rod}]
type = "revolute"
parent = "crank.pin"
child = "rod"
[joints.{slide}]
type = "prismatic"
parent = "ground"
child = "piston"
[joints.{closing}]
type = "revolute"
parent = "piston"
child = "rod.{end}"
closes = true
"""


FRONT_HARDPOINTS = """[hardpoints.points]
A = ["-18.3 mm", "540.7 mm", "428.5 mm"]
B = ["-86.9 mm", "360 mm", "412.6 mm"]
C = ["52.2 mm", "360 mm", "428.5 mm"]
D = ["17.3 mm", "615.5 mm", "159.5 mm"]
E = ["-79.3 mm", "352 mm", "191.6 mm"]
F = ["119 mm", "352 mm", "165.9 mm"]
I = ["149.9 mm", "579 mm", "290 mm"]
J = ["40 mm", "303.3 mm", "298.5 mm"]
wheel = ["0", "635 mm", "290.5 mm"]
"""
"""Those of `double_wishbone_front`, in ground axes."""
