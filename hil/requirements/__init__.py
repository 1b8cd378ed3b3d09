"""Which requirement was shown by which test: from results of Robot Framework and pytest to a matrix."""
