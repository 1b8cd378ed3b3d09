"""A TOML file that a schema describes: read whole, checked, with the hash of its bytes.

Every error names the file, the key, what is there, what was expected and what to do. Goes to `hil.bench` and
`hil.faults.fault_file`.
"""

import hashlib
import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from hil.errors import BenchError
from sil.stated import not_finite


def read_checked(path: Path, schema: Path, missing: str) -> tuple[dict[str, Any], str]:
    """Read `path` and hold it against `schema`; returns the table and the SHA-256 of the file.

    Raises `BenchError` where there is no such file (with `missing` as the sentence), where it is no TOML, where a
    number is not finite, or where something is not as the schema says.
    """
    if not path.is_file():
        raise BenchError(missing)
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
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - 0.2 s that --help does not need

    for key, value in not_finite(table):
        raise BenchError(f"{path}: {key}: {value} is no finite number; state one")
    found = Draft202012Validator(_read(schema)).iter_errors(table)
    errors = sorted(found, key=lambda error: list(map(str, error.path)))
    if errors:
        first = errors[0]
        key = ".".join(str(part) for part in first.absolute_path) or "the file"
        about = first.schema.get("description", "") if isinstance(first.schema, dict) else ""
        hint = f" ({about})" if about else ""
        raise BenchError(f"{path}: {key}: {first.message}{hint}; see the schema in {schema.name}")
