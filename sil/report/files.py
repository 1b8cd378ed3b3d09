"""Writes a campaign into a folder: report.json, report.xml, report.html, and the vectors."""

import json
from pathlib import Path

from exporter.whole_file import write_page, write_whole
from exporter.writable import remove_earlier, require_folder
from sil.campaign import Campaign
from sil.report.document import document
from sil.report.junit import junit
from sil.report.page import page
from sil.vectors import write_vectors

PAGE, DATA, JUNIT, VECTORS = "report.html", "report.json", "report.xml", "vectors"


def require_report(folder: Path) -> None:
    """Raises `KinefixError` where a report cannot be written into the folder."""
    require_folder("--report", folder, (PAGE, DATA, JUNIT))
    require_folder("--report", folder / VECTORS)


def remove_report(folder: Path) -> None:
    """Remove the report of an earlier run. Raises `KinefixError` where it cannot be removed."""
    remove_earlier("--report", folder, (PAGE, DATA, JUNIT))


def write_report(campaign: Campaign, folder: Path) -> Path:
    """Write everything; the path of the page."""
    texts = {
        DATA: json.dumps(document(campaign), indent=1, ensure_ascii=False) + "\n",
        JUNIT: junit(campaign),
    }
    write_page(folder / PAGE, page(campaign))
    for name, text in texts.items():
        write_whole(folder / name, text.encode())
    for tested in campaign.tested:
        made = tested.vectors
        if made.names:
            write_vectors(made, folder / VECTORS, tested.function)
    return folder / PAGE
