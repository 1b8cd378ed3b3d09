"""Loops solved one coordinate at a time, by what the loop's other motions leave where it is."""
