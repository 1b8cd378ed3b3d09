"""Serial ports and pseudo terminals, through pyserial: `/dev/ttyUSB0`, `COM7`, `/dev/pts/3`.

Never flushes (blocks without limit on some drivers) and never changes the timeout after opening (reconfigures the
port).
"""

from typing import Any

import serial

from hil.errors import LinkError

POLL_S = 0.05
"""How long one read blocks: the delay with which a closed link or the end of a session is noticed."""


class SerialLink:
    """A byte stream through pyserial."""

    def __init__(self, url: str, baud: int, write_timeout_s: float) -> None:
        """Open `url`; raises `LinkError` when it is missing, busy or not answering."""
        self.name = url
        try:
            self._port: Any = serial.serial_for_url(  # type: ignore[no-untyped-call]
                url, baudrate=baud, timeout=POLL_S, write_timeout=write_timeout_s, **_exclusive(url)
            )
        except (serial.SerialException, OSError, ValueError) as error:
            raise LinkError(_why_not_open(url, error)) from error

    def read(self) -> bytes:
        """Block for one byte, then take what else has come."""
        try:
            first: bytes = self._port.read(1)
            return first + self._port.read(self._port.in_waiting) if first else b""
        except (serial.SerialException, OSError, TypeError, AttributeError) as error:
            raise LinkError(f"{self.name} broke while reading ({error}); is the device still there?") from error

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        try:
            self._port.write(data)
        except (serial.SerialException, OSError, TypeError, AttributeError) as error:
            raise LinkError(f"{self.name} broke while writing ({error}); is the device still there?") from error

    def close(self) -> None:
        """Release the port."""
        self._port.close()


def _exclusive(url: str) -> dict[str, bool]:
    """Lock real ports, so that a second program is told instead of stealing bytes."""
    return {} if "://" in url else {"exclusive": True}


def _why_not_open(url: str, error: Exception) -> str:
    text = str(error)
    if "busy" in text.lower() or "exclusively lock" in text or "Access is denied" in text:
        return f"port {url} is busy; close the other program that holds it"
    if "No such file" in text or "FileNotFoundError" in text:
        return f"port {url} does not exist; connect the device or correct [link.main] in the bench file"
    return f"port {url} cannot be opened ({text}); check [link.main] in the bench file"
