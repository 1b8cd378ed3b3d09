"""The original loop closures of a mechanism as numbers: one Newton, the assemblies, what exports are held against."""
