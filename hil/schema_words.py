"""What is wrong with a bench file or a faults file by its schema: the value, what it must be, what to write.

In: an error of jsonschema. Out: a sentence without file and key.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from exporter.model.nearest import listed, nearest

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

LONGEST = 60
"""Characters of a value that are repeated."""

KINDS = {
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
            return f"{_plain(error.instance)} {_value(str(error.validator), error.validator_value, about, schema)}"
    return f"{error.message}{about}"


def _unknown(table: Mapping[str, Any], known: tuple[str, ...]) -> str:
    key = next(key for key in table if key not in known)
    return f'there is no key "{key}"{nearest(key, known)}; known are {listed(known)}'


def _value(rule: str, wanted: Any, about: str, schema: Mapping[str, Any]) -> str:
    """What is wrong with one value, and what to write."""
    match rule:
        case "minimum":
            return f"is less than {wanted:,}, the least{about}; give {wanted:,} or more"
        case "exclusiveMinimum":
            return f"is not above {wanted:,}{about}; give more"
        case "maximum":
            return f"is more than {wanted:,}, the most{about}; give {wanted:,} or less"
        case "enum":
            return f"is none of {listed(_plain(each) for each in wanted)}{about}; choose one of them"
    examples = schema.get("examples", ())
    example = f"; write it as {_plain(examples[0])}" if examples else ""
    if rule == "pattern":
        return f"is not read{about}{example}"
    kinds = [wanted] if isinstance(wanted, str) else wanted
    return f"is not {' or '.join(KINDS.get(kind, kind) for kind in kinds)}{about}{example}"


def _plain(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
