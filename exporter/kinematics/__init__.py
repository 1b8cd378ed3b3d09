"""Stage 3: loop closures to a triangular form, written into a sequence."""
