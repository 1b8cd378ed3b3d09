"""A TOML file that a schema describes: read whole, checked, with the hash of its bytes.

Every error names the file, the key, what is there, what was expected and what to do. Used by: `hil.bench` and
`hil.faults.fault_file`.
"""

import hashlib
import json
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exporter.missing import no_file
from exporter.model.schema import unknown_version
from hil.errors import BenchError
from hil.schema_words import sentence_of
from sil.stated_limits import not_finite

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError


def read_checked(path: Path, schema: Path, what: str, example: str) -> tuple[dict[str, Any], str]:
    """Read `path` and hold it against `schema`; returns the table and the SHA-256 of the file.

    Raises `BenchError` where there is no such file (the sentence says `what` it is, and which `example` to copy), where
    it is no TOML, where a number is not finite, or where something is not as the schema says.
    """
    if not path.is_file():
        raise BenchError(f"{no_file(path, what)}; copy {example} and adapt it")
    content = path.read_bytes()
    try:
        table = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BenchError(f"{path} is no TOML file: {error}") from error
    _check(path, table, schema)
    return table, hashlib.sha256(content).hexdigest()


@cache
def _read(schema: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(schema.read_text(encoding="utf-8"))
    return content


def _check(path: Path, table: dict[str, Any], schema: Path) -> None:
    from jsonschema import Draft202012Validator, validators  # noqa: PLC0415 - 0.2 s that --help does not need

    for key, value in not_finite(table):
        raise BenchError(f"{path}: {key}: {value} is no finite number; state one")
    known = _read(schema)["properties"]["schema"]["const"]
    if "schema" in table and (unknown := unknown_version(table["schema"], known)):
        raise BenchError(f"{path}: schema: {unknown}")
    types = Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_whole)
    validator = validators.extend(Draft202012Validator, type_checker=types)  # type: ignore[no-untyped-call]
    errors = list(validator(_read(schema)).iter_errors(table))
    if errors:
        first = min(errors, key=_rank)
        key = ".".join(str(part) for part in first.absolute_path) or "the file"
        raise BenchError(f"{path}: {key}: {sentence_of(first)}")


def _is_whole(_: object, value: object) -> bool:
    """Whether a value is written as a whole number; 3.0, which JSON takes for one, is none in TOML."""
    return isinstance(value, int) and not isinstance(value, bool)


def _rank(error: "ValidationError") -> tuple[bool, list[str]]:
    """An unknown key comes first, as it explains missing ones."""
    return error.validator != "additionalProperties", [str(part) for part in error.absolute_path]
