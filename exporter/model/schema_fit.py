"""Whether a document fits a JSON Schema (Draft 2020-12), without a validator, whose import takes longer than reading.

In: a document, and a schema of the keywords that the one of a mechanism file has. Out: True, or False where it does not
fit or the schema has another keyword. What does not fit is told by the validator.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description", "then", "else"}
"""Keywords that ask for nothing by themselves."""
TYPES: dict[str, type] = {"string": str, "object": dict, "array": list, "boolean": bool}

Schema = Mapping[str, Any] | bool


class _NotKnownError(Exception):
    """A keyword or a type that is not known here."""


def fits_schema(document: object, schema: Mapping[str, Any]) -> bool:
    """Whether a document is known to fit."""
    try:
        return _fits(document, schema, schema)
    except _NotKnownError:
        return False


def _fits(value: object, schema: Schema, root: Mapping[str, Any]) -> bool:
    if isinstance(schema, bool):
        return schema
    return all(_check(keyword)(value, schema, root) for keyword in schema if keyword not in ANNOTATIONS)


def _check(keyword: str) -> "Check":
    if keyword not in _CHECKS:
        raise _NotKnownError(keyword)
    return _CHECKS[keyword]


def _follows(value: object, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    name = schema["$ref"].removeprefix("#/$defs/")
    if name not in root["$defs"]:
        raise _NotKnownError(schema["$ref"])
    return _fits(value, root["$defs"][name], root)


def _decides(value: object, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    return _fits(value, schema.get("then" if _fits(value, schema["if"], root) else "else", True), root)


def _has_type(value: object, schema: Mapping[str, Any], _: Mapping[str, Any]) -> bool:
    names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if not set(names) <= set(TYPES):
        raise _NotKnownError(names)
    return isinstance(value, tuple(TYPES[name] for name in names))


def _is_listed(value: object, schema: Mapping[str, Any], _: Mapping[str, Any]) -> bool:
    return any(_equal(value, word) for word in schema.get("enum", [schema.get("const")]))


def _equal(one: object, other: object) -> bool:
    """True is no 1."""
    return bool(one == other and isinstance(one, bool) == isinstance(other, bool))


def _matches(value: object, schema: Mapping[str, Any], _: Mapping[str, Any]) -> bool:
    return not isinstance(value, str) or re.search(schema["pattern"], value) is not None


def _has_count(value: object, schema: Mapping[str, Any], _: Mapping[str, Any]) -> bool:
    if isinstance(value, dict):
        return bool(len(value) >= schema.get("minProperties", 0))
    if not isinstance(value, list):
        return True
    return bool(schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)))


def _begins_with(value: object, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    """The first entries of a list, each by a schema of its own."""
    pairs = zip(value, schema["prefixItems"], strict=False) if isinstance(value, list) else ()
    return all(_fits(each, own, root) for each, own in pairs)


def _has_items(value: object, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    """All further entries of a list."""
    rest = value[len(schema.get("prefixItems", ())) :] if isinstance(value, list) else ()
    return all(_fits(each, schema["items"], root) for each in rest)


def _has_keys(value: object, schema: Mapping[str, Any], _: Mapping[str, Any]) -> bool:
    return not isinstance(value, dict) or all(key in value for key in schema["required"])


def _has_names(value: object, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    return not isinstance(value, dict) or all(_fits(key, schema["propertyNames"], root) for key in value)


def _has_values(value: object, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    """The entries of a table that have a schema of their own."""
    own = schema["properties"]
    entries = value.items() if isinstance(value, dict) else ()
    return all(_fits(each, own[key], root) for key, each in entries if key in own)


def _has_others(value: object, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    """All other entries of a table."""
    own = schema.get("properties", {})
    entries = value.items() if isinstance(value, dict) else ()
    return all(_fits(each, schema["additionalProperties"], root) for key, each in entries if key not in own)


Check = Callable[[object, Mapping[str, Any], Mapping[str, Any]], bool]

_CHECKS: dict[str, Check] = {
    "$ref": _follows,
    "if": _decides,
    "type": _has_type,
    "enum": _is_listed,
    "const": _is_listed,
    "pattern": _matches,
    "minItems": _has_count,
    "maxItems": _has_count,
    "minProperties": _has_count,
    "items": _has_items,
    "prefixItems": _begins_with,
    "required": _has_keys,
    "propertyNames": _has_names,
    "properties": _has_values,
    "additionalProperties": _has_others,
}
