"""The planar engine: a loop closure is one complex equation, and each block solves one for two unknowns."""
