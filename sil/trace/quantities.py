"""What of a trace can be drawn by name: its columns, rates, sines and cosines, and the file's own names for them.

In: `TracedPath`. Out: name -> unit and values. Without times the rates are those of the pace at which the path is run.
"""

from sil.reference.rotations import Array
from sil.trace.evaluation import TracedPath
from sil.trace.table import columns_of

Quantities = dict[str, tuple[str, Array]]


def quantities_of(found: TracedPath) -> Quantities:
    """Everything that has a name, the columns of the table first."""
    known = columns_of(found)
    aliases = {signal: alias for alias, signal in found.mechanism.outputs.items()}
    for name, values in (*found.given.items(), *found.rates.items()):
        known.setdefault(name, (found.units[name], values))
        signal = found.mechanism.outputs.get(name, name)
        known.setdefault(signal, known[name])
    for signal, alias in aliases.items():
        if signal in known:
            known[alias] = known[signal]
    return known
