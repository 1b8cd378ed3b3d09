"""The commit of the repository that a file lies in, in words.

In: a path. Out: text. Nothing fails for want of git: the text says why the commit is not known.
"""

from pathlib import Path

from exporter.programs import ProgramResult, TookTooLong, run
from exporter.time_limits import VERSION

NOT_IN_GIT = "not in git"
NO_COMMIT = "in git, without a commit yet"


def commit_of(path: Path) -> str:
    """The commit of the repository around `path`, whether it has uncommitted changes, and whether it holds `path`."""
    folder = path.resolve().parent
    if not any((each / ".git").exists() for each in (folder, *folder.parents)):
        return NOT_IN_GIT
    try:
        head = _git(folder, "rev-parse", "HEAD")
        if head.code != 0:
            return (
                NO_COMMIT if _git(folder, "rev-parse", "--git-dir").code == 0 else f"not known: {_last_line(head.err)}"
            )
        changed = _git(folder, "status", "--porcelain", "--untracked-files=no").out.strip()
        listed = _git(folder, "ls-files", "--", path.name).out.strip()
    except OSError:
        return "not known: git is not installed"
    except TookTooLong as late:
        return f"not known: {late}"
    dirty = ", with uncommitted changes" if changed else ""
    missing = "" if listed else f"; {path.name} itself is not in it"
    return f"{head.out.strip()}{dirty}{missing}"


def _git(folder: Path, *words: str) -> ProgramResult:
    return run(("git", "-C", str(folder), *words), VERSION)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "git said nothing"
