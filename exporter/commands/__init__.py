"""Subcommands of kinefix that need the exporter only."""
