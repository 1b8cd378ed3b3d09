"""A log of all frames of a session, which stands under its name once it is whole.

In: frames as they come, and at the end what was asked of the ECU. Out: an .asc or .blf file. No log that was there is
lost to a session that had nothing to put in its place, nor to one that replays it.
"""

import itertools
import os
from collections.abc import Set
from pathlib import Path

import can

from exporter.errors import KinefixError
from hil.protocol import Type

NUMBERS = itertools.count(1)
STEPPING = frozenset({Type.STEP, Type.BATCH, Type.RUN})
"""What a session is about; the rest opens it, sets parameters, and asks who is there."""


class FrameLog:
    """Grows beside its place, under a name of its own: others may write theirs."""

    def __init__(self, path: Path) -> None:
        """Raises `KinefixError` where no file can be written there."""
        self._path = path
        self._growing = path.with_name(f".{path.stem}-{os.getpid()}-{next(NUMBERS)}{path.suffix}")
        self._is_replayed = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._logger = can.Logger(str(self._growing))
        except (OSError, ValueError) as error:
            raise KinefixError(f"the CAN log {path} cannot be written ({error}); correct [link.main] log") from error

    def keep(self, message: can.Message) -> None:
        """Take a frame into the log."""
        message.channel = None  # one bus, one channel, however the interface names what it heard
        self._logger.on_message_received(message)

    def spare(self, read: Path) -> bool:
        """A file was read; where it is the log that stands there, by whatever name, it stays, and this one is dropped.

        Returns whether it is.
        """
        if self._path.exists() and read.exists() and self._path.samefile(read):
            self._is_replayed = True
        return self._is_replayed

    def finish(self, asked: Set[Type]) -> None:
        """Put the log in its place. Without any step it does not replace one that is there, and stands beside it."""
        self._logger.stop()
        if self._is_replayed:
            self._growing.unlink()
        elif self._path.exists() and STEPPING.isdisjoint(asked):
            self._growing.replace(self._path.with_name(f"{self._path.stem}-without-steps{self._path.suffix}"))
        else:
            self._growing.replace(self._path)
