"""What is wrong with a bench file or a faults file by its schema: the value, what it must be, what to write.

In: an error of jsonschema. Out: a sentence without file and key.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from exporter.model.nearest import list_words, nearest

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

LONGEST_VALUE = 60
"""Characters of a value that are repeated."""

TYPE_NAMES = {
    "string": "text in quotes",
    "integer": "a whole number such as 3",
    "number": "a number",
    "array": "a list",
    "object": "a table",
    "boolean": "true or false",
}


def sentence_of(error: "ValidationError") -> str:
    """A sentence for the error; one of a kind that is not foreseen is told as jsonschema does."""
    schema: Mapping[str, Any] = error.schema if isinstance(error.schema, Mapping) else {}
    about = f" ({schema['description']})" if "description" in schema else ""
    match error.validator:
        case "additionalProperties":
            return _unknown(error.instance, tuple(schema.get("properties", ())))
        case "required":
            missing = ", ".join(f'"{key}"' for key in error.validator_value if key not in error.instance)
            return f"{missing} is missing; state it"
        case "minItems" | "minLength" | "minProperties":
            return f"{_plain(error.instance)} is empty{about}; fill it in"
        case "uniqueItems":
            return f"{_plain(error.instance)} has an entry twice{about}; state each once"
        case "type" | "pattern" | "enum" | "minimum" | "maximum" | "exclusiveMinimum":
            return f"{_plain(error.instance)} {_value(error, about, schema)}"
    return f"{error.message}{about}"


def _unknown(table: Mapping[str, Any], known: tuple[str, ...]) -> str:
    key = next(key for key in table if key not in known)
    return f'there is no key "{key}"{nearest(key, known)}; known are {list_words(known)}'


def _value(error: "ValidationError", about: str, schema: Mapping[str, Any]) -> str:
    """What is wrong with one value, and what to write."""
    wanted: Any = error.validator_value
    match error.validator:
        case "minimum":
            return f"is less than {wanted:,}, the least{about}; give {wanted:,} or more"
        case "exclusiveMinimum":
            return f"is not above {wanted:,}{about}; give more"
        case "maximum":
            return f"is more than {wanted:,}, the most{about}; give {wanted:,} or less"
        case "enum":
            return f"is none of {list_words(_plain(each) for each in wanted)}{about}; choose one of them"
        case "pattern":
            return f"is not read{about}{_example(schema)}"
    kinds = [wanted] if isinstance(wanted, str) else wanted
    what = " or ".join(TYPE_NAMES.get(kind, kind) for kind in kinds)
    key = ".".join(str(step) for step in error.absolute_path)
    return f"is not {what}{about}{_correction(error.instance, kinds, schema, key) or _example(schema)}"


def _correction(value: object, kinds: Sequence[str], schema: Mapping[str, Any], key: str) -> str:
    """How to write a value that is nearly of the kind; empty where it is not."""
    if "integer" in kinds and isinstance(value, float) and value.is_integer():
        return f"; write {value:.0f}"
    if "array" in kinds and isinstance(value, Mapping) and schema.get("items", {}).get("type") == "object":
        return f"; write [[{key}]]"
    return f"; write [{key}]" if "object" in kinds and isinstance(value, list) else ""


def _example(schema: Mapping[str, Any]) -> str:
    """How a value may be written; empty where the schema has no example."""
    examples = schema.get("examples", ())
    return f"; write it as {_plain(examples[0])}" if examples else ""


def _plain(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."
