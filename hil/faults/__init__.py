"""Faults on the link, by plan: frames come damaged, twice, late or not at all, and no step may be wrong by it."""
