"""Loops that no block of the library solves: a table and two Newton steps on their closure equations."""
