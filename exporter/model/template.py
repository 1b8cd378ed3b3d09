"""The commented mechanism file that `kinefix new` writes.

In: the name of the new mechanism. Out: TOML text that reads without an error.
"""

import re
from pathlib import Path

from exporter.errors import ModelError
from exporter.model.check_names import LONGEST_PREFIX

_TEMPLATE = Path(__file__).with_name("template.toml")
_PLACEHOLDER = '"my_mechanism"'


def new_model_text(name: str) -> str:
    """A mechanism file called `name`, with comments, that works as it stands.

    Raises:
        ModelError: the name cannot prefix C functions.
    """
    if not re.fullmatch(rf"[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_PREFIX - 1}}}", name):
        raise ModelError(
            f'"{name}" cannot prefix C functions; write at most {LONGEST_PREFIX} letters, digits and _, a letter first'
        )
    return _TEMPLATE.read_text(encoding="utf-8").replace(_PLACEHOLDER, f'"{name}"', 1)
