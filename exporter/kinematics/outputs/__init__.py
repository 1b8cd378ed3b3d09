"""Outputs that are no coordinates: angles of lines and attitudes of frames, with their derivatives."""
