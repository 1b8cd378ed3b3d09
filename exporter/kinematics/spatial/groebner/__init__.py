"""Lexicographic Groebner bases of one loop, found offline, and the equations in one unknown each that they give."""
