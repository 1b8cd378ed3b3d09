"""Writes a campaign into a folder: report.json, report.xml, report.html, and the vectors."""

import json
from pathlib import Path

from sil.campaign import Campaign
from sil.report.document import document
from sil.report.junit import junit
from sil.report.page import page
from sil.vectors import write_vectors


def write_report(campaign: Campaign, folder: Path) -> Path:
    """Write everything; the path of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "report.json": json.dumps(document(campaign), indent=1, ensure_ascii=False) + "\n",
        "report.xml": junit(campaign),
        "report.html": page(campaign),
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    for tested in campaign.tested:
        made = tested.vectors
        if made.names:
            write_vectors(made, folder / "vectors", tested.function)
    return folder / "report.html"
