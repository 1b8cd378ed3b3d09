"""Stage 1: the operation sequence. It knows arithmetic, not mechanics."""
