"""The files that `kinefix new` writes: a commented mechanism, one with a sheet of hardpoints, or a copy of another.

In: the name of the new mechanism, and the model that it is to be like. Out: TOML text that reads without an error, and
the sheets and tables beside it.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

from exporter.errors import ModelError
from exporter.model.checks.names import LONGEST_PREFIX
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism

_TEMPLATE = Path(__file__).with_name("template.toml")
_SHEET_TEMPLATE = Path(__file__).with_name("sheet_template.toml")
_SHEET = Path(__file__).with_name("sheet_template.csv")
_PLACEHOLDER = "my_mechanism"
_NAME = re.compile(r"""^(\s*name\s*=\s*)(?:"[^"\n]*"|'[^'\n]*')""", re.MULTILINE)


def new_model_files(name: str, like: str = "", *, sheet: bool = False) -> dict[str, bytes]:
    """The files of a mechanism called `name`, by their names: the mechanism first, then what it reads.

    Raises:
        ModelError: the name cannot prefix C functions, the model cannot be read or copied, or it is to be like a model
            and have the sheet of the template.
    """
    if like and sheet:
        raise ModelError("--like copies a model with the sheet that it has; leave --like or --sheet out")
    if sheet:
        _require_name(name)
        text = _SHEET_TEMPLATE.read_text(encoding="utf-8").replace(_PLACEHOLDER, name)
        return {f"{name}.toml": text.encode("utf-8"), f"{name}.csv": _SHEET.read_bytes()}
    beside = _files_beside(model_path(like)) if like else {}
    return {f"{name}.toml": new_model_text(name, like).encode("utf-8"), **beside}


def new_model_text(name: str, like: str = "") -> str:
    """A mechanism file called `name` that works as it stands: with a comment on every section, or `like` a model.

    Raises:
        ModelError: the name cannot prefix C functions, or the model cannot be read or copied.
    """
    _require_name(name)
    if like:
        return _rename_model(model_path(like), name)
    return _TEMPLATE.read_text(encoding="utf-8").replace(f'"{_PLACEHOLDER}"', f'"{name}"', 1)


def _require_name(name: str) -> None:
    if not re.fullmatch(rf"[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_PREFIX - 1}}}", name):
        raise ModelError(
            f'"{name}" cannot prefix C functions; write at most {LONGEST_PREFIX} letters, digits and _, a letter first'
        )


def _rename_model(path: Path, name: str) -> str:
    """The text of a model that reads, with another name."""
    read_mechanism(path)
    text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    head, mark, rest = text.partition("[mechanism]")
    renamed, count = _NAME.subn(rf'\g<1>"{name}"', rest, count=1)
    if not mark or not count:
        raise ModelError(
            f"{path}: the name under [mechanism] does not stand on a line of its own; copy the file by hand"
        )
    return head + mark + renamed


def _files_beside(path: Path) -> dict[str, bytes]:
    """The sheets and tables that a model which reads takes from its folder."""
    read_mechanism(path)
    document: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    readers = [document.get("hardpoints", {}), *document.get("tables", {}).values()]
    names = [reader[key] for reader in readers for key in ("csv", "json") if key in reader]
    return {name: (path.parent / name).read_bytes() for name in names}
