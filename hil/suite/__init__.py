"""A Robot Framework suite for an export: written readable, run on any target of a bench file, extended by hand."""
