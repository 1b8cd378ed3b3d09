"""Linear systems A x = b written into a sequence at fixed cost; a policy says how pivots are chosen and guarded."""
