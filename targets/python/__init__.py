"""Exports as shared libraries of this computer, for Python: batch calls for verification, and a wrapper for users."""
