"""Writes a campaign into a folder: the vectors, and report.html, report.json and report.xml, which judge them."""

import json
from collections.abc import Iterator
from pathlib import Path, PurePath

from exporter.interruption import unbroken
from exporter.progress import counted, say
from exporter.whole_file import write_together
from exporter.writable import remove_earlier, require_folder
from sil.campaign import Campaign
from sil.report.document import KIND, document
from sil.report.junit import junit
from sil.report.page import page
from sil.vectors import BINARY, TEXT, vector_files

PAGE, DATA, JUNIT, VECTORS = "report.html", "report.json", "report.xml", "vectors"


def require_report(folder: Path) -> None:
    """Raises `KinefixError` where a report cannot be written into the folder."""
    require_folder("--report", folder, (PAGE, DATA, JUNIT))
    require_folder("--report", folder / VECTORS)


def remove_report(folder: Path) -> None:
    """Remove the report of an earlier run, its vectors too. Raises `KinefixError` where it cannot be removed."""
    vectors = _earlier_vectors(folder)
    with unbroken():
        remove_earlier("--report", folder, (PAGE, JUNIT, *vectors, DATA))  # which tells what its vectors are: the last
        if vectors:
            _remove_empty(folder / VECTORS)


def write_report(campaign: Campaign, folder: Path) -> Path:
    """Write everything, in place of an earlier report, and say what is being written; the path of the page."""
    write_together(folder, _files(campaign), lambda: remove_report(folder))
    return folder / PAGE


def _files(campaign: Campaign) -> Iterator[tuple[str, bytes]]:
    """The vectors first: a verdict never stands without what it is of."""
    taking = [tested for tested in campaign.tested if tested.parts[0].vectors.names]  # the others take no inputs
    for tested in counted("vectors of", taking, lambda tested: tested.function):
        for name, content in vector_files(tested.vectors, tested.function):
            yield f"{VECTORS}/{name}", content
    say("page and data")
    yield PAGE, page(campaign).encode()
    yield DATA, (json.dumps(document(campaign), indent=1, ensure_ascii=False) + "\n").encode()
    yield JUNIT, junit(campaign).encode()


def _earlier_vectors(folder: Path) -> list[str]:
    """The files of vectors that the report in a folder names; none where there is no report of ours."""
    try:
        report = json.loads((folder / DATA).read_text(encoding="utf-8"))
        functions = [str(each["function"]) for each in report["vectors"] if report["report"] == KIND]
    except (OSError, ValueError, LookupError, TypeError):
        return []
    return [f"{VECTORS}/{each}{end}" for each in functions if PurePath(each).name == each for end in (BINARY, TEXT)]


def _remove_empty(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
        folder.rmdir()
