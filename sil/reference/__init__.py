"""The reference: a second opinion on a mechanism or a symbolic model that shares no code with the exporter.

Takes the model's data only. Expressions, joint kinematics, loop closures, Newton's method, the equations of motion and
the integrators are its own, in float64 and vectorised over rows.
"""
