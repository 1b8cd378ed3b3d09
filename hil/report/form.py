"""The form that is signed: when, where, by whom, on which unit, with which tools, on which files.

In: a run, and what the bench file or the command line say of the unit. Out: `Form`. Dates and places stand in reports
alone: no export has any.
"""

import platform
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from exporter import __version__
from exporter.export_folder import MANIFEST_NAME
from hil.campaign import BenchResult
from hil.report.commit import commit_of

PACKAGES = ("numpy", "pyserial", "python-can", "cantools", "robotframework")
BLANKS = ("operator", "unit under test", "serial number")
"""What a person fills in where nothing was stated."""


@dataclass(frozen=True, slots=True)
class Form:
    """Everything on it is text."""

    time: str  # with the offset to UTC
    station: str
    target: str  # with its core
    link: str
    operator: str  # empty: to be filled in by hand, as are the next two
    unit: str
    serial_number: str
    tools: Mapping[str, str]  # with versions
    hashes: Mapping[str, str]  # SHA-256
    commits: Mapping[str, str]
    command_line: str
    folder: str  # that the command ran in

    @property
    def entries(self) -> dict[str, str]:
        """What stands at its head, by name."""
        people = dict(zip(BLANKS, (self.operator, self.unit, self.serial_number), strict=True))
        return {"date and time": self.time, "station": self.station, "target": self.target, "link": self.link, **people}

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            **self.entries,
            "tools": dict(self.tools),
            "sha256": dict(self.hashes),
            "commits": dict(self.commits),
            "command_line": self.command_line,
            "folder": self.folder,
        }

    def flat(self) -> dict[str, str]:
        """For JUnit: one text for each name; what was left blank is left out."""
        told = {name: text for name, text in self.entries.items() if text}
        told |= {f"tool.{name}": text for name, text in self.tools.items()}
        told |= {f"sha256.{name}": text for name, text in self.hashes.items()}
        told |= {f"commit.{name}": text for name, text in self.commits.items()}
        return told | {"command line": self.command_line, "folder": self.folder}


def form_of(result: BenchResult, now: datetime, command: Sequence[str]) -> Form:
    """The form of a run; `command` is what was called, `now` has its offset to UTC."""
    stated = result.bench.report
    return Form(
        time=now.isoformat(sep=" ", timespec="seconds"),
        station=stated.station or platform.node() or "not known",
        target=result.identity.get("target", result.bench.target.words),
        link=result.identity.get("link", result.bench.link_words),
        operator=stated.operator,
        unit=stated.unit,
        serial_number=stated.serial_number,
        tools=_tools(result.identity),
        hashes=result.coverage.hashes,
        commits={
            "export": commit_of(result.coverage.export / MANIFEST_NAME),
            "bench file": commit_of(result.bench.path),
        },
        command_line=shlex.join((Path(command[0]).name, *command[1:])) if command else "",
        folder=str(Path.cwd()),
    )


def _tools(identity: Mapping[str, str]) -> dict[str, str]:
    told = {
        "kinefix": __version__,
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "operating system": platform.platform(),
    }
    names = {"compiler": "compiler of the firmware", "host compiler": "compiler here", "emulator": "emulator"}
    told |= {name: identity[key] for key, name in names.items() if key in identity}
    return told | {name: version(name) for name in PACKAGES}
