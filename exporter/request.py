"""What an export is asked to be: the model behind a name, with what is to differ, a precision, and functions.

In: the words of a command or a call. Out: a `Request`, before anything is solved.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, Union

from exporter.errors import ModelError
from exporter.records import dataclass
from exporter.sequence.operations import Precision
from exporter.sources import mechanism_of, names_function

if TYPE_CHECKING:
    from exporter.composition import Composition
    from exporter.model.changes import Changes
    from exporter.model.mechanism import Mechanism
    from exporter.symbolic import SymbolicModel

MECHANISM = "mechanism"
SYMBOLIC = "symbolic"


@dataclass(frozen=True, slots=True)
class Request:
    """A model and how it is to be exported."""

    model: Union["Mechanism", "SymbolicModel", "Composition"]
    kind: str  # "mechanism", "symbolic" or "composed"
    canonical: dict[str, object]  # the model as the manifest keeps it
    precision: Precision
    functions: tuple[str, ...]  # what the export offers; empty: all that the model has


def request_of(source: str, precision: Precision, changes: "Changes", functions: Collection[str] = ()) -> Request:
    """The request for a model by name; its file is read, or its Python function is run.

    Args:
        source: a name of the library, the path of a mechanism file, or "module:function" of a symbolic model.
        precision: "float32" or "float64".
        changes: what is to differ from a mechanism's file.
        functions: what the export offers, with what these need; all that the model has where none is named.

    Raises:
        ModelError: the model is wrong, a change does not fit it, or functions are chosen of Python code.
    """
    if not names_function(source):
        from exporter.model.canonical import canonical  # noqa: PLC0415 - each kind of model imports its own

        mechanism = mechanism_of(source, changes, "the change of a mechanism")
        return Request(mechanism, MECHANISM, canonical(mechanism), precision, tuple(functions))
    if functions:
        raise ModelError(f"'{source}' is Python code, whose export has all of its functions; leave --functions out")
    if changes:
        raise ModelError(
            f"'{source}' is Python code, and coordinates, pose, parameters, step and outputs can be changed in a "
            "mechanism only; change the Python function"
        )
    return _of_code(source, precision)


def _of_code(source: str, precision: Precision) -> Request:
    from exporter.composition import Composition  # noqa: PLC0415 - SymPy only where it is needed
    from exporter.composition.canonical import canonical as of_composition  # noqa: PLC0415
    from exporter.composition.composition import KIND  # noqa: PLC0415
    from exporter.symbolic.canonical import canonical as of_symbolic  # noqa: PLC0415
    from exporter.symbolic.loading import load_object, require_model  # noqa: PLC0415

    loaded = load_object(source)
    if isinstance(loaded, Composition):
        return Request(loaded, KIND, of_composition(loaded), precision, ())
    model = require_model(loaded, source)
    return Request(model, SYMBOLIC, dict(of_symbolic(model)), precision, ())
