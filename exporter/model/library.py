"""The mechanisms that come with Kinefix, and how a user names a model: by library name or by path.

In: a name or a path. Out: the path of a TOML file. The library has the systems of the literature that Kinefix is
measured by, and, in a folder of its own, mechanisms of practice.
"""

from pathlib import Path

from exporter.errors import ModelError
from exporter.missing import no_file
from exporter.model.nearest import list_words, nearest

LIBRARY = Path(__file__).resolve().parent.parent / "mechanisms"
PRACTICE = LIBRARY / "practice"


def model_names() -> tuple[str, ...]:
    """The names of the systems of the literature, sorted."""
    return _names_in(LIBRARY)


def practice_names() -> tuple[str, ...]:
    """The names of the mechanisms of practice, sorted."""
    return _names_in(PRACTICE)


def _names_in(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def model_path(name_or_path: str) -> Path:
    """The TOML file that a library name, or a path, stands for. A path ends in .toml or has a separator in it.

    Raises:
        ModelError: neither is there.
    """
    path = Path(name_or_path)
    if path.suffix.lower() == ".toml" or len(path.parts) > 1:
        if not path.is_file():
            raise ModelError(f"{no_file(path, 'mechanism file')}; give the path of one, or a name of `kinefix list`")
        return path
    if name_or_path in practice_names():
        return PRACTICE / f"{name_or_path}.toml"
    known = model_names()
    if name_or_path not in known:
        every = (*known, *practice_names())
        raise ModelError(
            f'"{name_or_path}" is not in the library{nearest(name_or_path, every)}; the library has '
            f"{list_words(every)}: name one of them or the path of a .toml file"
        )
    return LIBRARY / f"{name_or_path}.toml"
