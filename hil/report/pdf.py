"""Prints pages of reports to PDF by a browser that is there: Chromium, Chrome or Edge, without a window or a network.

In: HTML pages. Out: a PDF beside each, whole or not at all.
"""

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from exporter.errors import MissingTool
from exporter.programs import TookTooLong, run
from exporter.progress import counted
from exporter.time_limits import PRINT_PAGE, Limit
from hil.errors import BenchError

NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("msedge", "microsoft-edge", "microsoft-edge-stable"),
)
"""Programs that are looked for, in this order."""
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
"""Where installers leave them that put nothing on the PATH."""
QUIET_OPTIONS = (
    *("--headless", "--disable-gpu", "--no-first-run", "--disable-sync", "--disable-extensions", "--disable-breakpad"),
    *("--disable-background-networking", "--disable-component-update", "--disable-quic"),
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
"""No window, nothing of the user's, no host of any network."""
PDF_MARK = b"%PDF-"


def find_browser(wanted: str | None = None) -> str:
    """The program that prints.

    Args:
        wanted: a name on the PATH or a path, instead of those that are looked for.

    Raises:
        MissingTool: there is none.
    """
    names = (*NAMES, *PLACES) if wanted is None else (wanted,)
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is not None:
        return found
    if wanted is not None:
        raise MissingTool(f"--browser: there is no program '{wanted}'; name Chromium, Chrome or Edge")
    raise MissingTool(
        "no browser was found that prints to PDF (Chromium, Chrome or Edge); install one, as by "
        "'sudo apt-get install chromium', or name it with --browser"
    )


def browser_command(browser: str, profile: Path) -> list[str]:
    """How a browser is called: quiet, with an empty profile of its own; as root without a sandbox, or it refuses."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [browser, *QUIET_OPTIONS, *(["--no-sandbox"] if is_root else []), f"--user-data-dir={profile}"]


def print_pages(browser: str, pages: Sequence[Path], limit: Limit = PRINT_PAGE) -> tuple[Path, ...]:
    """Print each page to a PDF of its name beside it.

    Raises:
        BenchError: the browser left no PDF, or was stopped at its limit.
    """
    return tuple(_print_page(browser, page, limit) for page in counted("printing", pages, lambda page: page.name))


def _print_page(browser: str, page: Path, limit: Limit) -> Path:
    pdf = page.with_suffix(".pdf")
    fresh = page.resolve().with_name(f".{pdf.name}.{os.getpid()}.new")
    with tempfile.TemporaryDirectory(prefix="kinefix-browser-", ignore_cleanup_errors=True) as profile:
        options = ["--no-pdf-header-footer", f"--print-to-pdf={fresh}", page.resolve().as_uri()]
        try:
            done = run([*browser_command(browser, Path(profile)), *options], limit)
            if not _is_pdf(fresh):
                words = " ".join(done.err.split())[-200:] or f"exit code {done.code}"
                raise BenchError(
                    f"{Path(browser).name} did not print {page} ({words}); open the page and print it there"
                )
            fresh.replace(pdf)
        except TookTooLong as error:
            raise BenchError(f"{page} was not printed: {error}") from error
        except OSError as error:
            raise BenchError(
                f"{pdf} cannot be written ({error.strerror}); mend that place, or print by hand"
            ) from error
        finally:
            fresh.unlink(missing_ok=True)
    return pdf


def _is_pdf(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as content:
        return content.read(len(PDF_MARK)) == PDF_MARK
