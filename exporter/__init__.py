"""Symbols in, C99 text out: the part of Kinefix that knows mechanics and mathematics, but no compiler and no clock."""

__version__ = "0.1.0"

from exporter.moved import find_moved_modules

find_moved_modules()
