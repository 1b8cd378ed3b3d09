"""Pieces of mechanism files that several tests put their own entries to: a cart, and joints of a slider-crank."""

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
