"""Fetches a symbolic model from the user's own Python code: "module:function" or "path/to/file.py:function".

This runs that code, with the rights of the user who named it. A TOML file never does.
"""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from exporter.errors import KinefixError, ModelError
from exporter.missing import no_file
from exporter.symbolic.model import SymbolicModel


def load(source: str) -> SymbolicModel:
    """The model that a function without arguments returns.

    Args:
        source: "module:function" (the current folder is searched too) or "path.py:function".

    Raises:
        ModelError: there is no such module, file or function, it fails, or it returns something else.
    """
    return require_model(load_object(source), source)


def require_model(loaded: object, source: str) -> SymbolicModel:
    """What was loaded, as a symbolic model.

    Raises:
        ModelError: it is something else.
    """
    if not isinstance(loaded, SymbolicModel):
        raise ModelError(f"'{source}' returned {type(loaded).__name__}; it must return a SymbolicModel")
    return loaded


def load_object(source: str) -> object:
    """Whatever a function without arguments returns; see `load`."""
    place, colon, name = source.rpartition(":")
    if not colon or not place or not name.isidentifier():
        raise ModelError(f"'{source}' names no function; write module:function or path/to/file.py:function")
    path = Path(place)
    folder = path.resolve().parent if path.suffix == ".py" else Path.cwd()
    with _search_path(folder):
        module = _from_file(path) if path.suffix == ".py" else _from_import(place)
        return _call(_function(module, name, source), source)


@contextmanager
def _search_path(folder: Path) -> Iterator[None]:
    """The user's folder first on the import path, as Python does for a script."""
    entry = str(folder)
    sys.path.insert(0, entry)
    try:
        yield
    finally:
        sys.path.remove(entry)


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ModelError(f"{no_file(path, 'Python file')}; give the path of one from here")
    spec = importlib.util.spec_from_file_location(f"kinefix_model_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ModelError(f"'{path}' cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    with _explain_errors(f"'{path}'"):
        spec.loader.exec_module(module)
    return module


def _from_import(name: str) -> ModuleType:
    with _explain_errors(f"module '{name}'"):
        return importlib.import_module(name)


@contextmanager
def _explain_errors(what: str) -> Iterator[None]:
    """Whatever the user's code raises becomes one sentence; the cause stays attached."""
    try:
        yield
    except KinefixError:
        raise
    except (Exception, SystemExit) as error:
        raise ModelError(f"{what} failed with {type(error).__name__}: {error}") from error


def _function(module: ModuleType, name: str, source: str) -> Callable[[], Any]:
    function = getattr(module, name, None)
    if not callable(function):
        raise ModelError(f"'{source}': the module has no function '{name}'; define it to return a SymbolicModel")
    return function  # type: ignore[no-any-return]


def _call(function: Callable[[], Any], source: str) -> object:
    with _explain_errors(f"'{source}'"):
        return function()
