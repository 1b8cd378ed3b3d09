"""A mechanism with a controller as data: which of its signals the controller reads, and which inputs it drives.

The order of a step: outputs of the mechanism at the present state, then the controller, then the step of the mechanism,
during which what the controller gives is held. So one export computes what two that exchange signals do.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from exporter.digits import digits
from exporter.errors import ModelError
from exporter.model.mechanism import Mechanism
from exporter.model.nearest import list_words, nearest
from exporter.records import dataclass
from exporter.symbolic.checks import PREFIX
from exporter.symbolic.model import SymbolicModel
from exporter.symbolic.state import whole_states

KIND = "composed"
"""In the manifest."""


@dataclass(frozen=True, slots=True)
class Composition:
    """Two models that make up one export. Made by `compose`."""

    name: str
    mechanism: Mechanism
    controller: SymbolicModel
    measured: Mapping[str, str]  # input of the controller -> signal of the mechanism
    driven: Mapping[str, str]  # input of the mechanism -> output of the controller
    title: str = ""

    @property
    def whole(self) -> tuple[str, ...]:
        """States that are whole numbers."""
        return whole_states(self.controller.states)


def compose(
    name: str,
    mechanism: Mechanism,
    controller: SymbolicModel,
    *,
    measured: Mapping[str, str] | None = None,
    driven: Mapping[str, str] | None = None,
    title: str = "",
) -> Composition:
    """A mechanism and its controller as one model.

    Args:
        name: C prefix of the export.
        mechanism: with masses, so that it has a step; a copy of one of the library, or of a file.
        controller: a symbolic model, with or without states.
        measured: input of the controller -> signal of the mechanism: a coordinate, its rate, an output. Without it each
            input that has the name of such a signal reads it.
        driven: input of the mechanism -> output of the controller. Without it each input that has the name of one.
        title: one line for the header.

    Raises:
        ModelError: a name that does not exist or belongs to both, nothing that is driven, periods that differ.
    """
    inputs, outputs = {each.name for each in controller.inputs}, {each.name for each in controller.outputs}
    taken = {each.name for each in mechanism.inputs}
    known = mechanism_signals(mechanism)
    reads = {each: each for each in sorted(inputs & set(known))} if measured is None else dict(measured)
    drives = {each: each for each in sorted(taken & outputs)} if driven is None else dict(driven)
    _require_names("controller has no input", reads, inputs)
    _require_names("mechanism has no input", drives, taken)
    _require_names("controller has no output", drives.values(), outputs)
    if not PREFIX.fullmatch(name):
        raise ModelError(f"'{name}' is no prefix for C names; use at most 18 lower-case letters, digits and _")
    _require_alike(mechanism, controller)
    if not drives:
        raise ModelError(
            f"'{controller.name}' drives no input of '{mechanism.name}', which has "
            f"{list_words(sorted(taken)) or 'none'}; name an output like one of them, or give driven={{input: output}}"
        )
    if controller.period not in (None, mechanism.step.period):
        raise ModelError(
            f"'{controller.name}' has a period of {digits(controller.period or 0)} s and '{mechanism.name}' one of "
            f"{digits(mechanism.step.period)} s; give both the same, and every= so many steps to what is slower"
        )
    return Composition(name, mechanism, controller, reads, drives, title)


def mechanism_signals(mechanism: Mechanism) -> tuple[str, ...]:
    """Names that a controller's input may have to read the mechanism without being told."""
    return tuple(f"{name}{part}" for name in mechanism.coordinates() for part in ("", ".rate")) + tuple(
        mechanism.outputs
    )


def _require_alike(mechanism: Mechanism, controller: SymbolicModel) -> None:
    """Refuse a parameter of both that is not the same one."""
    known = {each.name: replace(each, about="") for each in mechanism.parameters}
    for each in controller.parameters:
        if known.get(each.name, replace(each, about="")) != replace(each, about=""):
            raise ModelError(f"parameter '{each.name}' is given twice and not alike; rename it in the controller")


def _require_names(what: str, wanted: Iterable[str], known: Iterable[str]) -> None:
    offered = sorted(known)
    for name in wanted:
        if name not in offered:
            raise ModelError(f"the {what} '{name}'{nearest(name, offered)}; it has {list_words(offered) or 'none'}")
