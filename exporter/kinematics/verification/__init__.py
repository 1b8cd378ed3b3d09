"""Holds a solved mechanism against its original closures: at its design pose, and over all of its ranges."""
