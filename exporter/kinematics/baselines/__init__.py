"""Baselines: other methods for the same mechanism, which the triangular form is compared with. One file per method.

In: a Mechanism whose solver options name a baseline. Used by: `exporter.kinematics.engine`.
"""
