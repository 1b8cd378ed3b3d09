"""Why nothing can be read at a path: it does not exist, or a folder stands where a file is meant, or the reverse."""

from pathlib import Path


def no_file(path: Path, what: str) -> str:
    """In words, where `path` is no file: "there is no bench file x.toml", "x.toml is a folder and no bench file"."""
    return f"{path} is a folder and no {what}" if path.is_dir() else f"there is no {what} {path}"


def no_folder(path: Path) -> str:
    """In words, where `path` is no folder: "there is no folder out", "out is a file and no folder"."""
    return f"{path} is a file and no folder" if path.exists() else f"there is no folder {path}"
