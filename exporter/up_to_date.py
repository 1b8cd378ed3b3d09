"""Whether a folder holds already what a request would write: then nothing has to be solved or written.

In: a `Request` and a folder. Out: the manifest that stands there, or None. A stamp beside the files of an export says
what they were made from and with. It is no part of the export: it may be deleted, and then the export is made anew.
"""

import hashlib
import json
from pathlib import Path

from exporter.errors import ModelError
from exporter.export_folder import MANIFEST_NAME, STAMP_NAME, files_in, require_unchanged
from exporter.made_with import made_with
from exporter.manifest import Manifest, from_json
from exporter.request import Request


def stamp_of(request: Request, manifest_text: str) -> str:
    """The text of a stamp: a digest over exporter, model, options, and the manifest, which has all other digests."""
    facts = [
        made_with(),
        request.kind,
        json.dumps(request.canonical),  # in the order of the file: it orders what is written
        request.precision,
        list(request.functions),
        manifest_text,
    ]
    return hashlib.sha256(json.dumps(facts).encode("ascii")).hexdigest() + "\n"


def standing_manifest(request: Request, folder: Path) -> Manifest | None:
    """The manifest of an export that is what the request would write, file by file; None where it is not."""
    try:
        text = (folder / MANIFEST_NAME).read_bytes().decode()
        if (folder / STAMP_NAME).read_text(encoding="utf-8") != stamp_of(request, text):
            return None
        manifest = from_json(text)
        for name, digest in manifest.files.items():
            require_unchanged(folder, name, digest)
    except (OSError, UnicodeDecodeError, ModelError):
        return None
    own = {MANIFEST_NAME, STAMP_NAME, *manifest.files}
    return manifest if files_in(folder) == own else None
