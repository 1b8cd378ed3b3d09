"""What an export says about itself: `manifest.json` as dataclasses.

One signal table gives the C struct fields, the wire frames, the Robot names and the plot axes. Made by
`exporter.export`; read by targets, sil and hil through `exporter.export.load_export`.
"""

import json
from dataclasses import asdict, field
from typing import Any

from exporter.errors import ModelError
from exporter.field_types import misfit
from exporter.records import dataclass

MANIFEST_VERSION = 4
"""The latest that is read. What is written says 4 where outputs are left out, else 3 where it holds a design pose, 2
where a loop, and else 1."""


@dataclass(frozen=True, slots=True)
class Field:
    """One scalar of a C struct."""

    field: str  # "theta_rad", as in the C struct
    name: str  # the signal's name as the user wrote it, "theta"
    unit: str
    about: str
    role: str  # value | margin | pivot | residual
    minimum: float | None
    maximum: float | None
    nominal: float | None


@dataclass(frozen=True, slots=True)
class Struct:
    """A flat C struct of `real` scalars."""

    type: str  # "slider_crank_position_in_t"
    group: str  # par | derived | state | in | out
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Argument:
    """A pointer argument."""

    name: str  # "derived", "in", "out", "state", "par"
    struct: str  # type name
    const: bool


@dataclass(frozen=True, slots=True)
class Function:
    """An exported function.

    A *row* is how benches talk to it: `row_inputs` are the fields of state (if read) then in, `row_outputs` the
    fields of state (if written) then out. The derived struct is filled once by recalibrate at nominal parameters.
    """

    name: str  # "position"
    symbol: str  # "slider_crank_position"
    arguments: tuple[Argument, ...]  # in C order
    row_inputs: tuple[Field, ...]
    row_outputs: tuple[Field, ...]
    cost: dict[str, int]  # operation class -> count
    conditions: dict[str, str]  # status name -> when it is set, for this function
    equations: tuple[str, ...]  # solve order as text, one step each
    left_out: tuple[str, ...] = ()  # outputs that the model has and does not choose, by signal name


@dataclass(frozen=True, slots=True)
class LoopEntry:
    """A bounded loop around one function: those that run it first are not fixed-time. See `sequence.program.Loop`."""

    body: str  # function that makes one iteration
    functions: tuple[str, ...]  # that run it first; their `cost` is that of `most` iterations and what follows
    carried: tuple[tuple[str, str], ...]  # (input, output of the body that replaces it), names of signals
    residual: str  # output of the body that is compared
    tolerance: float
    most: int


@dataclass(frozen=True, slots=True)
class ParameterEntry:
    """A parameter of the model."""

    name: str
    c_name: str
    value: float
    unit: str
    tunable: bool
    minimum: float | None
    maximum: float | None
    about: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The whole of manifest.json."""

    kinefix: str  # generator version
    name: str
    title: str
    source: str
    kind: str  # "mechanism" | "symbolic" | "composed"
    model_hash: str
    export_id: int  # 32 bits; identity of this export
    real: str  # "float32" | "float64"
    flags: tuple[str, ...]  # compiler flags that the export was verified with
    mangling: dict[str, str]  # user's name -> C name
    parameters: tuple[ParameterEntry, ...]
    structs: tuple[Struct, ...]
    functions: tuple[Function, ...]
    status: dict[str, int]  # name -> bit number
    branches: tuple[dict[str, object], ...]
    notes: tuple[str, ...]
    files: dict[str, str]  # relative path -> SHA-256
    model: dict[str, object] = field(default_factory=dict)  # the canonical model, enough to rebuild the Mechanism
    recalibrate: Function | None = None  # par -> derived; None where every parameter is frozen
    manifest_version: int = 1
    loop: LoopEntry | None = None  # None: every function is straight line, and the text does not mention it
    design_pose: dict[str, float] = field(default_factory=dict)  # assembled; empty: the model spells it

    def iterates(self, function: str) -> bool:
        """Whether a function runs the loop first, so that its cost depends on the data."""
        return self.loop is not None and function in self.loop.functions


def to_json(manifest: Manifest) -> str:
    """The text of manifest.json."""
    data = asdict(manifest)
    if manifest.loop is None:
        del data["loop"]
    if not manifest.design_pose:
        del data["design_pose"]
    for function in (*data["functions"], *([data["recalibrate"]] if data["recalibrate"] else ())):
        if not function["left_out"]:
            del function["left_out"]
    return json.dumps(data, indent=2, ensure_ascii=True) + "\n"


def from_json(text: str) -> Manifest:
    """A manifest out of its text.

    Raises:
        ModelError: the text is no manifest, or one of a later version.
    """
    try:
        data = json.loads(text)
        version = data["manifest_version"]
        if not isinstance(version, int) or version > MANIFEST_VERSION:
            raise ModelError(
                f"the manifest has version {version} and this kinefix reads up to {MANIFEST_VERSION}; update kinefix"
            )
        manifest = _manifest(data)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"manifest.json cannot be read ({error!r}); export the model again") from error
    wrong = misfit(manifest, Manifest)
    if wrong:
        raise ModelError(f"manifest.json cannot be read: {wrong}; export the model again")
    return manifest


def _manifest(data: dict[str, Any]) -> Manifest:
    whole = dict(data)
    whole["flags"] = tuple(data["flags"])
    whole["parameters"] = tuple(ParameterEntry(**each) for each in data["parameters"])
    whole["structs"] = tuple(Struct(**{**each, "fields": _fields(each["fields"])}) for each in data["structs"])
    whole["functions"] = tuple(_function(each) for each in data["functions"])
    whole["recalibrate"] = _function(data["recalibrate"]) if data.get("recalibrate") else None
    whole["branches"] = tuple(data["branches"])
    whole["notes"] = tuple(data["notes"])
    whole["loop"] = _loop(data["loop"]) if data.get("loop") else None
    return Manifest(**whole)


def _loop(data: dict[str, Any]) -> LoopEntry:
    carried = tuple((into, taken) for into, taken in data["carried"])
    return LoopEntry(**{**data, "functions": tuple(data["functions"]), "carried": carried})


def _fields(data: list[dict[str, Any]]) -> tuple[Field, ...]:
    return tuple(Field(**each) for each in data)


def _function(data: dict[str, Any]) -> Function:
    return Function(
        **{
            **data,
            "arguments": tuple(Argument(**each) for each in data["arguments"]),
            "row_inputs": _fields(data["row_inputs"]),
            "row_outputs": _fields(data["row_outputs"]),
            "equations": tuple(data["equations"]),
            "left_out": tuple(data.get("left_out", ())),
        }
    )
