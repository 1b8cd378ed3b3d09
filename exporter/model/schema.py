"""Checks the structure of a mechanism file against the published JSON Schema, `mechanism.schema.json`.

In: the document that a TOML reader made. Out: nothing, or one `ModelError` for the first fault, in our words: which
key, what is wrong, what to write. An unknown key comes first, as it explains missing ones.
"""

import json
import math
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from exporter.errors import ModelError
from exporter.model.nearest import nearest_word
from exporter.model.place import Place
from exporter.model.schema_fit import fits_schema

SCHEMA_VERSION = 1
SCHEMA_PATH = Path(__file__).with_name("mechanism.schema.json")

_FIRST_FAULTS = ("additionalProperties", "required")  # the order in which faults are told; the rest after these
_HINTS = {  # keys that other formats, or habits, suggest
    ("inputs", "unit"): "the unit of an input is that of its range",
    ("parameters", "unit"): 'the unit stands in the value, as in "0.3 m"',
    ("parameters", "tunable"): "a parameter without `frozen = true` is tunable",
    ("bodies", "com"): "write center_of_mass",
    ("joints", "coordinate"): 'write coordinates = ["name"]',
    ("joints", "range"): "write it under [coordinates] ranges",
    ("bodies", "ground"): "the fixed body has its own table, [ground]",
}


@cache
def mechanism_schema() -> dict[str, Any]:
    """The JSON Schema of a mechanism file."""
    schema: dict[str, Any] = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))
    return schema


def require_structure(document: Mapping[str, Any], place: Place) -> None:
    """Refuse a document that the schema does not allow.

    Raises:
        ModelError: the first fault, with its key and what to write.
    """
    _require_version(document, place)
    if fits_schema(document, mechanism_schema()):
        return
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - only a fault needs it

    faults = list(Draft202012Validator(mechanism_schema()).iter_errors(document))
    if faults:
        raise _first(faults, place)


def _require_version(document: Mapping[str, Any], place: Place) -> None:
    if "schema" not in document:
        raise place.error(f"the key `schema` is missing; write `schema = {SCHEMA_VERSION}` as the first line")
    if unknown := unknown_version(document["schema"], SCHEMA_VERSION):
        raise (place / "schema").error(unknown)


def unknown_version(version: object, known: int) -> str:
    """Why a file that says `schema = version` is not read; empty where it is. Also 1.0 and true are no version 1."""
    if type(version) is int and version == known:
        return ""
    said = json.dumps(version, ensure_ascii=False, default=str)
    return f"version {said} is not known; this version of Kinefix reads schema {known}"


def _first(faults: list[Any], place: Place) -> ModelError:
    def rank(fault: Any) -> tuple[int, list[str]]:
        order = _FIRST_FAULTS.index(fault.validator) if fault.validator in _FIRST_FAULTS else len(_FIRST_FAULTS)
        return order, [str(step) for step in fault.absolute_path]

    fault = min(faults, key=rank)
    for step in fault.absolute_path:
        place = place[step] if isinstance(step, int) else place / step
    return place.error(_sentence(fault))


def _sentence(fault: Any) -> str:
    if list(fault.absolute_path)[:1] == ["each"] and fault.validator == "pattern":
        rule = _NAME_RULE if len(fault.absolute_path) == 1 else _INSTANCE_RULE
        return f'"{fault.instance}" is not a name; {rule}'
    if "propertyNames" in fault.absolute_schema_path:
        rule = _NAME_RULE if "{" not in fault.instance else _BRACES_RULE
        return f'"{fault.instance}" is not a name; {rule}'
    write = _SENTENCES.get(fault.validator)
    return write(fault) if write else str(fault.message)


_NAME_RULE = "write a letter or _, then letters, digits or _, at most 31 characters"
_INSTANCE_RULE = "write letters, digits or _, at most 31 characters"
_BRACES_RULE = "braces repeat an entry for what [each] lists: declare it there, or write the name without them"


def _unknown_key(fault: Any) -> str:
    known = list(fault.schema["properties"])
    key = next(key for key in fault.instance if key not in known)
    section = fault.absolute_path[0] if fault.absolute_path else ""
    near = nearest_word(key, known)
    if (section, key) in _HINTS:
        advice = _HINTS[section, key]
    elif near:
        advice = f'did you mean "{near}"?'
    else:
        advice = f"known here: {', '.join(known)}"
    return f'key "{key}" is not known; {advice}'


def _missing_key(fault: Any) -> str:
    key = next(key for key in fault.validator_value if key not in fault.instance)
    about = fault.schema["properties"][key].get("description")
    return f"the key `{key}` is missing" + (f"; it is: {about}" if about else "; add it")


def _wrong_type(fault: Any) -> str:
    value, wanted = fault.instance, fault.validator_value
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} is not finite; write a finite quantity as text"
    if (
        isinstance(value, int | float)
        and wanted == "string"
        and "pattern" not in fault.schema
        and not isinstance(value, bool)
    ):
        return f'{value} is a bare number; write text with its unit ("0.3 m", "2 kg"), or "{value}" if it has none'
    words = {"string": "a text in quotes", "object": "a table", "array": "a list", "boolean": "true or false"}
    wanted_words = " or ".join(words[word] for word in ([wanted] if isinstance(wanted, str) else wanted))
    found = json.dumps(value, default=str)
    section = fault.absolute_path[0] if fault.absolute_path else ""
    if wanted == "object" and section in _TABLES and len(fault.absolute_path) == 2:
        return f"{found} is not a table; write one such as {_TABLES[section]}"
    return f"{found} is not {wanted_words}; write {wanted_words}"


_TABLES = {  # what an entry of a section looks like
    "parameters": '{ value = "0.3 m", frozen = true }',
    "inputs": '{ range = ["-10 N", "10 N"] }',
    "bodies": '{ mass = "1 kg" }',
    "joints": '{ type = "revolute", parent = "ground", child = "crank" }',
    "loads": '{ type = "force", on = "crank", value = ["F", "0", "0"] }',
    "coordinates": '{ theta = "45 deg" }',
}


def _unknown_word(fault: Any) -> str:
    known = [str(word) for word in fault.validator_value]
    near = nearest_word(str(fault.instance), known)
    advice = f'did you mean "{near}"? ' if near else ""
    what = fault.absolute_path[-1] if isinstance(fault.absolute_path[-1], str) else "word"
    return f'{what} "{fault.instance}" is not known; {advice}known are {", ".join(known)}'


def _wrong_pattern(fault: Any) -> str:
    path = [step for step in fault.absolute_path if isinstance(step, str)]
    last = "mirror" if path[:2] == ["hardpoints", "mirror"] else next(reversed(path), "")
    rules = {
        "axis": 'write "x", "y", "z", "-x", "-y", "-z", or a list of three numbers',
        "mirror": 'write the axes that change their sign: "y", or "xy"',
        "axes": 'write two of "x", "y", "z", "-x", "-y", "-z", as in ["y", "x"]',
        "name": "write at most 18 letters, digits and _, a letter first: it becomes the prefix of the C functions",
        "parent": 'write a body, "crank", or a point or frame on it, "crank.pin"',
        "child": 'write a body, "rod", or a point or frame on it, "rod.pin"',
        "on": 'write a body, "crank", a point or frame on it, "crank.pin", or a coordinate',
        "of": 'write a body, "crank", or a frame on it, "crank.pin"',
        "seen_from": 'write a body, "crank", or a frame on it, "crank.pin"',
        "line": 'write a body, "crank", or a point on it, "crank.pin"',
        "coordinates": _NAME_RULE,
        "independent": _NAME_RULE,
        "outputs": 'write the name of an output, or a pattern of names, as in ["*.acceleration", "rho1"]',
    }
    return f'"{fault.instance}" does not fit; {rules.get(last, "write one line of text, without control characters")}'


def _wrong_count(fault: Any) -> str:
    wanted = fault.validator_value
    if len(fault.instance) == 0 and wanted == 1:
        return "is empty; write at least one entry"
    return f"has {len(fault.instance)} entries; write {wanted}"


_SENTENCES: dict[str, Callable[[Any], str]] = {
    "additionalProperties": _unknown_key,
    "required": _missing_key,
    "type": _wrong_type,
    "enum": _unknown_word,
    "pattern": _wrong_pattern,
    "minItems": _wrong_count,
    "maxItems": _wrong_count,
    "minProperties": _wrong_count,
}
