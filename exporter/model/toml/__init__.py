"""Reads mechanism files (TOML, schema 1): the tables of a file become a `Mechanism`."""
