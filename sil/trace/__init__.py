"""Follows a path of the independent coordinates through an exported mechanism: flags, margins, continuity."""
