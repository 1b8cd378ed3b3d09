"""A mechanism and its controller in one export: one state, one `startup`, one `dostep`.

In: a `Mechanism` with masses and a `SymbolicModel`. Out: a `Composition`, and its `Program`. What a user imports.
"""

from exporter.composition.composition import Composition, compose

__all__ = ["Composition", "compose"]
