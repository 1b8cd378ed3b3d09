"""Coordinates that follow others by couplings: given to the mechanism without them as if they were independent."""
