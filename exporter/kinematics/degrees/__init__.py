"""How many solutions loops have that must be solved together: counted modulo a prime."""
