"""Ways to run a function of an export on rows: interpreted, compiled for the host, emulated."""
