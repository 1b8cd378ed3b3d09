"""Errors that a user sees: one sentence with the value, the limit and the next step. Their classes say what is meant.

A search may take an `Unsolved` or a `NotProven` for an answer and go on; a plain `ModelError` says that the file is
wrong, and nothing catches it but to tell it.
"""

from collections.abc import Mapping, Sequence


class KinefixError(Exception):
    """Base of all errors that the command line turns into one line; `exit_code` is what it then exits with."""

    exit_code = 2


class ModelError(KinefixError):
    """The model, or what was asked of it, is wrong. Exit code 2."""


class MissingTool(KinefixError):  # noqa: N818 - it names the condition
    """A compiler, emulator or device is not there. Exit code 2."""


class CheckFailed(KinefixError):  # noqa: N818 - it names the condition
    """Everything ran, and a check did not hold. Exit code 1."""

    exit_code = 1


class Unsolved(ModelError):  # noqa: N818 - it names the condition
    """The file may be right: as it was asked for, the mechanism is not solved. Exit code 2."""


class NoForm(Unsolved):
    """This version solves the mechanism by no form of these independent coordinates. Exit code 2."""


class ZeroPivot(NoForm):
    """Something that is to be divided by is zero in every pose. Exit code 2."""


class SeveralAssemblies(Unsolved):
    """Assemblies fit a pose that does not tell them apart; `listed` has one of them an entry. Exit code 2."""

    def __init__(self, sentence: str, listed: Sequence[str]) -> None:
        super().__init__("\n  ".join((f"{sentence}:", *listed)))
        self.sentence, self.listed = sentence, tuple(listed)


class NotAssembled(Unsolved):
    """No assembly was found at a pose: out of reach there, or too far from where the search began. Exit code 2."""


class SingularPose(Unsolved):
    """The design pose is singular for these independent coordinates; `beside` is one that is not. Exit code 2."""

    def __init__(self, sentence: str, beside: Mapping[str, float] | None = None) -> None:
        super().__init__(sentence)
        self.beside = dict(beside or {})


class RangesRefused(Unsolved):
    """A form was found, and it does not hold over the ranges of the independent coordinates. Exit code 2."""


class NotProven(ModelError):  # noqa: N818 - it names the condition
    """The ranges do not prove that a function is defined and finite everywhere. Exit code 2."""
