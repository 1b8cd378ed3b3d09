"""Coordinates that no triangular form is driven by: two Newton steps around one that is driven by others."""
