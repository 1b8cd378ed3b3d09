"""A cache of builds: an entry is found by a key over all that decides its bytes, or built, once.

In: a folder, a key, what to build. Out: the folder of the entry. An entry is built in a folder of its own under a lock
and renamed into place, with the SHA-256 of each of its files; one whose files are not those is never used but built
again. So any number of processes may share a cache, be killed in it, and delete it at any time.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from exporter.errors import KinefixError

KEY_DIGITS = 32  # hexadecimal ones that name an entry
SUMS_NAME = "sums.json"
"""SHA-256 by file of an entry."""


def key_of(facts: Iterable[str | bytes]) -> str:
    """A key over everything that decides the bytes of a build, in order."""
    digest = hashlib.sha256()
    for fact in facts:
        content = fact.encode() if isinstance(fact, str) else fact
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()[:KEY_DIGITS]


def cached_entry(cache: Path, key: str, build: Callable[[Path], object]) -> Path:
    """The folder of an entry, built where it is not there or not whole.

    Args:
        cache: where entries are; made if need be.
        key: of this entry, see `key_of`.
        build: fills an empty folder.

    Raises:
        KinefixError: the cache cannot be written; or what `build` raises, and then there is no entry.
    """
    entry = cache / key
    if _is_whole(entry):
        return entry
    from filelock import FileLock  # noqa: PLC0415 - not for --help

    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / f"{key}.lock"):
            if not _is_whole(entry):
                _build(entry, build)
    except OSError as error:
        raise KinefixError(f"cannot build in '{cache}' ({error}); free it or name another folder") from error
    return entry


def _build(entry: Path, build: Callable[[Path], object]) -> None:
    with tempfile.TemporaryDirectory(prefix=".new-", dir=entry.parent) as temporary:
        fresh = Path(temporary) / "entry"
        fresh.mkdir()
        build(fresh)
        (fresh / SUMS_NAME).write_text(json.dumps(_sums(fresh), indent=2) + "\n", encoding="utf-8")
        if entry.exists():
            shutil.move(entry, Path(temporary) / "broken")
        fresh.rename(entry)


def _is_whole(entry: Path) -> bool:
    """Whether each file that was built is there as it was built; others may have come beside them."""
    try:
        known = json.loads((entry / SUMS_NAME).read_text(encoding="utf-8"))
        return bool(known) and all(_sum(entry / name) == value for name, value in known.items())
    except (OSError, ValueError, AttributeError):
        return False


def _sums(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): _sum(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
