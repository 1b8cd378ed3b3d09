"""Rival methods for the same mechanism: what the triangular form is compared with. One file per method.

Comes from: `exporter.kinematics.engine`, by the mechanism's solver options. Goes to: functions, like any engine.
"""
