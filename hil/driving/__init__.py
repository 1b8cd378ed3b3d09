"""Drives the device of an open bench by names and units: what the keywords and the pytest fixtures do."""
