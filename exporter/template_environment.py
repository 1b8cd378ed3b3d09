"""How templates are rendered: one set of options, an unknown name is an error, and each template is compiled once.

Compiled templates are kept where Python keeps compiled modules, in `__pycache__`, and by the same rule: not where
PYTHONDONTWRITEBYTECODE is set or the folder cannot be written. A changed template is compiled anew.
"""

import pickle
import sys
from contextlib import suppress
from pathlib import Path

from jinja2 import BaseLoader, Environment, FileSystemBytecodeCache, StrictUndefined
from jinja2 import __version__ as jinja2_version
from jinja2.bccache import Bucket

CACHE = Path(__file__).parent / "__pycache__"


def environment(loader: BaseLoader, *, autoescape: bool) -> Environment:
    """An environment of Jinja over these templates; `autoescape` for markup, not for C, Python and Markdown."""
    return Environment(
        loader=loader,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=autoescape,
        auto_reload=False,
        bytecode_cache=CompiledTemplates(CACHE),
    )


class CompiledTemplates(FileSystemBytecodeCache):
    """Compiled templates in a folder; what cannot be read or written there is compiled and not kept."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder), "jinja2_%s.cache")

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The name of a template's file: another version of Jinja may compile another code."""
        return super().get_cache_key(f"{jinja2_version}|{name}", filename)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give the bucket its compiled code, where that is kept and fits the source."""
        try:
            super().load_bytecode(bucket)
        except (OSError, EOFError, ValueError, TypeError, pickle.UnpicklingError):
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the compiled code."""
        if sys.dont_write_bytecode:
            return
        with suppress(OSError):
            Path(self.directory).mkdir(exist_ok=True)
            super().dump_bytecode(bucket)
