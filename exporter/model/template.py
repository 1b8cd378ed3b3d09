"""The mechanism file that `kinefix new` writes: a commented one, or a copy of one that is there.

In: the name of the new mechanism, and the model that it is to be like. Out: TOML text that reads without an error.
"""

import re
from pathlib import Path

from exporter.errors import ModelError
from exporter.model.checks.names import LONGEST_PREFIX
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism

_TEMPLATE = Path(__file__).with_name("template.toml")
_PLACEHOLDER = '"my_mechanism"'
_NAME = re.compile(r"""^(\s*name\s*=\s*)(?:"[^"\n]*"|'[^'\n]*')""", re.MULTILINE)


def new_model_text(name: str, like: str = "") -> str:
    """A mechanism file called `name` that works as it stands: with a comment on every section, or `like` a model.

    Raises:
        ModelError: the name cannot prefix C functions, or the model cannot be read or copied.
    """
    if not re.fullmatch(rf"[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_PREFIX - 1}}}", name):
        raise ModelError(
            f'"{name}" cannot prefix C functions; write at most {LONGEST_PREFIX} letters, digits and _, a letter first'
        )
    if like:
        return _rename_model(model_path(like), name)
    return _TEMPLATE.read_text(encoding="utf-8").replace(_PLACEHOLDER, f'"{name}"', 1)


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
