"""Loops that no block of the library solves: a table and Newton steps on their closure equations."""
