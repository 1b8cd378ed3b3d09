"""The spatial engine: bodies placed one after the other by elementary motions, points and distances."""
