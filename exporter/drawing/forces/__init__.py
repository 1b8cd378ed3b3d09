"""Loads and elements as engineers draw them: what acts where, its symbol, and a place for its name."""
