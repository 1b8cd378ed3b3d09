"""The command `kinefix` from its first moment to its last: hears signals before it loads what takes time.

What it does then stands in `exporter.command_line`.
"""

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from exporter.interruption import Interrupted, raised_signals

__all__ = ["kinefix", "main"]

if TYPE_CHECKING:
    from exporter.command_line import kinefix
else:

    def __getattr__(name: str) -> object:
        """Import the group of all commands when it is asked for."""
        if name == "kinefix":
            from exporter.command_line import kinefix  # noqa: PLC0415 - signals are heard first

            return kinefix
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit, see `exporter.command_line.run`; without arguments, those of this process."""
    try:
        with raised_signals(for_good=arguments is None):
            from exporter.command_line import run  # noqa: PLC0415 - signals are heard first

            code = run(arguments)
    except KeyboardInterrupt as error:  # before or after what else would tell it
        code = _tell(error)
    sys.exit(code)


def _tell(error: KeyboardInterrupt) -> int:
    known = error if isinstance(error, Interrupted) else Interrupted()
    with suppress(OSError):  # of a terminal that is closed
        sys.stderr.write(known.line)
    return known.code
