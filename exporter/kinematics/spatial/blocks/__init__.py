"""The blocks of the spatial engine, one module for each kind: which unknowns it gives from which knowns."""
