"""Stage 4: projection of the equations of motion onto the independent coordinates."""
