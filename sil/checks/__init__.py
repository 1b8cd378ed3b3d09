"""Checks: what an export must hold on its vectors. Each takes evidence and gives verdicts and error series."""
