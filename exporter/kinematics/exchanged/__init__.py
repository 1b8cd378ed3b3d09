"""Coordinates that no triangular form is driven by: Newton steps around one that is driven by others."""
