"""What a link is: bytes out, bytes in, within a time."""

from typing import Protocol, runtime_checkable


class Link(Protocol):
    """A byte stream to a device. Opened by `hil.links.serial_link`, `hil.links.socket_link` or `hil.links.loop`."""

    name: str
    """How a message to the user calls it."""

    def read(self) -> bytes:
        """Block for the first byte, at most the link's polling time, then return all that came; empty when none did.

        Raises `LinkError` when the link broke.
        """
        ...

    def write(self, data: bytes) -> None:
        """Send `data`; raises `LinkError` when the link broke or the limit for writing passed."""
        ...

    def close(self) -> None:
        """Release the port. May be called twice."""
        ...


@runtime_checkable
class MendableLink(Protocol):
    """A link whose controller can fall silent and be brought back: CAN."""

    def mend(self) -> str:
        """Ask the controller, where nothing was heard, and bring it back; what it was, "bus-off", or empty."""
        ...
