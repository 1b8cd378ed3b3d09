"""Whether a document obeys the JSON Schema of mechanism files, by the few keywords that this one has.

In: a document and the schema. Out: a truth value. Most documents obey, and to say so takes no library, which needs half
as long as numpy to load. What is wrong with a document that does not obey is told by `exporter.model.schema`.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

Schema = Mapping[str, Any]
Rule = Callable[["_Obedience", Any, Schema], bool]

_TYPES: dict[str, type] = {"object": dict, "array": list, "string": str, "boolean": bool}
_ABOUT = frozenset({"$schema", "$id", "$defs", "title", "description", "then", "else"})
"""Keywords that demand nothing by themselves."""


class _Obedience:
    """A schema whose references are looked up in it."""

    def __init__(self, whole: Schema) -> None:
        self.whole = whole

    def holds(self, value: Any, schema: Schema | bool) -> bool:
        """Whether a value obeys a part of the schema."""
        if isinstance(schema, bool):
            return schema
        return all(keyword in _ABOUT or _RULES[keyword](self, value, schema) for keyword in schema)

    def reference(self, value: Any, schema: Schema) -> bool:
        """$ref: a definition of the whole schema."""
        place, _, name = schema["$ref"].rpartition("/")
        return place == "#/$defs" and self.holds(value, self.whole["$defs"][name])

    def condition(self, value: Any, schema: Schema) -> bool:
        """If, then, else."""
        return self.holds(value, schema.get("then" if self.holds(value, schema["if"]) else "else", True))

    def properties(self, value: Any, schema: Schema) -> bool:
        """Each of the known keys."""
        known = schema["properties"]
        return not isinstance(value, dict) or all(self.holds(value[key], known[key]) for key in known if key in value)

    def others(self, value: Any, schema: Schema) -> bool:
        """additionalProperties: each of the keys that are not known."""
        known = schema.get("properties", {})
        return not isinstance(value, dict) or all(
            self.holds(each, schema["additionalProperties"]) for key, each in value.items() if key not in known
        )

    def names(self, value: Any, schema: Schema) -> bool:
        """propertyNames: each key."""
        return not isinstance(value, dict) or all(self.holds(key, schema["propertyNames"]) for key in value)

    def first(self, value: Any, schema: Schema) -> bool:
        """prefixItems: the items that stand at given places."""
        return not isinstance(value, list) or all(map(self.holds, value, schema["prefixItems"]))

    def rest(self, value: Any, schema: Schema) -> bool:
        """Items: those behind the first ones."""
        behind = value[len(schema.get("prefixItems", ())) :] if isinstance(value, list) else ()
        return all(self.holds(each, schema["items"]) for each in behind)


def _has_type(_: _Obedience, value: Any, schema: Schema) -> bool:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return any(isinstance(value, _TYPES[kind]) for kind in kinds)


def _is_one_of(allowed: list[Any], value: Any) -> bool:
    """True is no 1."""
    return any(type(value) is type(each) and value == each for each in allowed)


_RULES: dict[str, Rule] = {
    "$ref": _Obedience.reference,
    "type": _has_type,
    "const": lambda _, value, schema: _is_one_of([schema["const"]], value),
    "enum": lambda _, value, schema: _is_one_of(schema["enum"], value),
    "pattern": lambda _, value, schema: not isinstance(value, str) or bool(re.search(schema["pattern"], value)),
    "required": lambda _, value, schema: not isinstance(value, dict) or all(key in value for key in schema["required"]),
    "properties": _Obedience.properties,
    "additionalProperties": _Obedience.others,
    "propertyNames": _Obedience.names,
    "minProperties": lambda _, value, schema: not isinstance(value, dict) or len(value) >= schema["minProperties"],
    "items": _Obedience.rest,
    "prefixItems": _Obedience.first,
    "minItems": lambda _, value, schema: not isinstance(value, list) or len(value) >= schema["minItems"],
    "maxItems": lambda _, value, schema: not isinstance(value, list) or len(value) <= schema["maxItems"],
    "if": _Obedience.condition,
}


def obeys(document: Mapping[str, Any], schema: Schema) -> bool:
    """Whether it does; False too where the schema has a keyword or a type that is not known here."""
    try:
        return _Obedience(schema).holds(document, schema)
    except KeyError:
        return False
