"""Whether files can be written at a place: asked before a run, whose result would else be lost at its end.

In: where the files go, and the option that said so. Out: nothing; the disk is as it was.
"""

import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from exporter.errors import KinefixError

EXPORT_MARK = '"export_id"'
"""What tells the manifest of an export from another program's file of that name."""


def require_folder(option: str, folder: Path, names: Iterable[str] = (), asked: Path | None = None) -> None:
    """Try whether files can be written into a folder, which is made where it is missing and then removed again.

    Args:
        option: what said where to.
        folder: where to.
        names: of the files.
        asked: what was asked for, where that is something in the folder.

    Raises:
        KinefixError: they cannot, one of the `names` is a folder there, or the folder is one of an export.
    """
    require_no_export(option, asked or folder, may_be_one=asked is not None)
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except FileExistsError as error:
        raise _refusal_error(option, folder, "it is a file") from error
    except OSError as error:
        raise _refusal_error(option, folder, (error.strerror or str(error)).lower()) from error
    finally:
        for each in missing:
            with suppress(OSError):
                each.rmdir()
    for name in names:
        require_no_folder(option, folder / name)


def remove_earlier(option: str, folder: Path, names: Iterable[str]) -> None:
    """Remove the results of an earlier run, and PDFs of its pages: a run that does not end must not leave them.

    Raises:
        KinefixError: one of them cannot be removed.
    """
    for path in (folder / name for name in names):
        try:
            path.unlink(missing_ok=True)
            if path.suffix == ".html":
                path.with_suffix(".pdf").unlink(missing_ok=True)
        except OSError as error:
            raise KinefixError(
                f"{path} cannot be replaced ({(error.strerror or str(error)).lower()}); choose another {option}"
            ) from error


def require_file(option: str, path: Path) -> None:
    """Try whether a file can be written or replaced.

    Raises:
        KinefixError: it cannot.
    """
    require_no_folder(option, path)
    require_folder(option, path.parent, asked=path)


def require_no_export(option: str, path: Path, *, may_be_one: bool = False) -> None:
    """Refuse a place in an export, which holds what was exported and nothing else: that is compared and hashed.

    Raises:
        KinefixError: the place, unless it `may_be_one`, or a folder around it is an export.
    """
    place = path.resolve()
    for each in (*(() if may_be_one else (place,)), *place.parents):
        if _is_export(each):
            raise _refusal_error(option, path, f"it is in the export '{each.name}'")


def _is_export(folder: Path) -> bool:
    try:
        return EXPORT_MARK in (folder / "manifest.json").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def require_no_folder(option: str, path: Path) -> None:
    """Refuse a folder where a file is to be written."""
    if path.is_dir():
        raise _refusal_error(option, path, "it is a folder, and a file is to be written there")


def _refusal_error(option: str, path: Path, why: str) -> KinefixError:
    return KinefixError(f"{option}: '{path}' cannot be written ({why}); choose another place, or mend that one")
