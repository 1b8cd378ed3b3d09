"""`kinefix compare`: cost, accuracy and constancy of all methods for one mechanism, side by side."""
