"""What must hold of every mechanism, one module for each part of it."""
