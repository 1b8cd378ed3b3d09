"""What decides the bytes of an export beside the model: the sources of the exporter, and what they are run by.

In: nothing. Out: a digest, the same as long as nothing of this changes on this computer.
"""

import hashlib
import os
import platform
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
LIBRARIES = ("jinja2", "mpmath", "networkx", "numpy", "python-flint", "sympy", "passagemath-singular")
"""What models are solved with and texts written by; the last one is used where it is installed."""


@cache
def made_with() -> str:
    """SHA-256 over the exporter's files, its libraries' versions, Python's, and the kind of computer."""
    digest = hashlib.sha256()
    for fact in (*_environment(), *_sources()):
        digest.update(len(fact).to_bytes(8, "big") + fact)
    return digest.hexdigest()


def _environment() -> Iterator[bytes]:
    yield f"{sys.implementation.name} {sys.version} {sys.platform} {platform.machine()}".encode()
    for name in LIBRARIES:
        yield f"{name} {_version(name)}".encode()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def _sources() -> Iterator[bytes]:
    """Names and contents of all files, in one order; not of what Python and Jinja keep compiled beside them."""
    for folder, inner, names in os.walk(SOURCES):
        inner[:] = sorted(set(inner) - {"__pycache__"})
        for name in sorted(names):
            yield f"{os.path.relpath(folder, SOURCES)}/{name}".encode()
            with open(f"{folder}/{name}", "rb") as file:  # noqa: PTH123 - hundreds of paths take longer to make
                yield file.read()
