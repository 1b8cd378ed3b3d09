"""Stage 2: what is modelled: bodies, joints, loads, parameters with units."""
