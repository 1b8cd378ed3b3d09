"""What a command is given as MODEL or SOURCE: a library name, the path of a file, or module:function.

In: that text and what the command line changes. Out: a checked mechanism, its branch chosen.
"""

from typing import TYPE_CHECKING

from exporter.errors import ModelError

if TYPE_CHECKING:
    from exporter.model.changes import Changes
    from exporter.model.mechanism import Mechanism


def names_function(source: str) -> bool:
    """Whether a source is module:function; a drive letter or a .toml path is not."""
    place, colon, name = source.rpartition(":")
    return bool(colon and place and name.isidentifier())


def mechanism_of(source: str, changes: "Changes", command: str) -> "Mechanism":
    """The mechanism as if its file had said what the command line says.

    Raises:
        ModelError: it is a symbolic model, which `command` is not for, or the file, a change or a branch is wrong.
    """
    from exporter.model.changes import apply_changes  # noqa: PLC0415 - not for --help
    from exporter.model.library import model_path  # noqa: PLC0415
    from exporter.model.toml.reader import read_mechanism  # noqa: PLC0415

    if names_function(source):
        raise ModelError(
            f"'{source}' names a symbolic model, and {command} is for mechanisms; export it and read "
            "its report/export.md"
        )
    mechanism = apply_changes(read_mechanism(model_path(source)), changes)
    if not changes.branch:
        return mechanism
    from exporter.kinematics.branch_choice import in_branch  # noqa: PLC0415 - NumPy only where it is needed

    return in_branch(mechanism, changes.branch)
