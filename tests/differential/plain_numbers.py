"""Quantities and formulas of a mechanism file as plain floats, for the reference of the differential test.

In: the text of one entry, values of the names that it may use. Out: a float in SI units, or an array where
a value is one. Nothing of the product is imported: units, formulas and rounding are those of this module.
"""

import ast
import re
from collections.abc import Mapping
from math import pi
from typing import Any

import numpy as np

UNITS = {
    "m": 1.0, "km": 1e3, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254, "ft": 0.3048,
    "rad": 1.0, "mrad": 1e-3, "deg": pi / 180, "rev": 2 * pi, "rpm": pi / 30,
    "kg": 1.0, "g": 1e-3, "t": 1e3, "lb": 0.45359237,
    "s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0, "Hz": 1.0, "kHz": 1e3,
    "N": 1.0, "mN": 1e-3, "kN": 1e3, "lbf": 4.4482216152605, "J": 1.0, "W": 1.0, "kW": 1e3,
    "Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "bar": 1e5,
}  # fmt: skip
QUANTITY = re.compile(r"\s*([+-]?\d*\.?\d*(?:[eE][+-]?\d+)?)(?:\s+(\S+))?\s*")
FACTOR = re.compile(r"([*/]?)([A-Za-z]+)(?:\^(-?\d+))?")


def _larger(a: Any, b: Any) -> Any:
    return np.where(np.real(a) < np.real(b), b, a)


def _smaller(a: Any, b: Any) -> Any:
    return np.where(np.real(a) < np.real(b), a, b)


def _magnitude(a: Any) -> Any:
    return np.where(np.real(a) < 0, -a, a)


CALLS = {
    "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "tanh": np.tanh, "pow": np.power,
    "abs": _magnitude, "max": _larger, "min": _smaller,
}  # fmt: skip
"""Functions that give a derivative where an argument has a small imaginary part."""
ALLOWED = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Load, ast.Constant, ast.Add, ast.Sub, ast.Mult,
    ast.Div, ast.Pow, ast.USub, ast.UAdd,
)  # fmt: skip


def factor_of(unit: str) -> float:
    """What one of a unit is in SI units: "N*m", "kg*m^2", "1/s"."""
    total = 1.0
    for sign, name, power in FACTOR.findall(unit.removeprefix("1")):
        total *= UNITS[name] ** ((-1 if sign == "/" else 1) * int(power or 1))
    return total


def number_of(text: str, names: Mapping[str, Any]) -> Any:
    """The value of a quantity or a formula in SI units; formulas of arrays give arrays."""
    quantity = QUANTITY.fullmatch(text)
    if quantity and quantity[1].strip("+-."):
        return float(quantity[1]) * (factor_of(quantity[2]) if quantity[2] else 1.0)
    tree = ast.parse(text.strip().replace("^", "**"), mode="eval")
    if not all(isinstance(node, ALLOWED) for node in ast.walk(tree)):
        raise ValueError(f"{text!r} is no formula")
    return eval(compile(tree, text, "eval"), {"__builtins__": {}}, {**CALLS, **names})


def without_unit(text: str) -> str:
    """A quantity as a number in SI units, a formula as it is, either in parentheses."""
    quantity = QUANTITY.fullmatch(text)
    return f"({number_of(text, {})!r})" if quantity and quantity[1].strip("+-.") else f"({text})"


def vector_of(texts: list[str], names: Mapping[str, float]) -> np.ndarray:
    """Three components."""
    return np.array([number_of(text, names) for text in texts], dtype=float)
