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

    def why_silent(self) -> str:
        """What to look at where the device says nothing at all, as a question."""
        ...


def why_silent(link: Link) -> str:
    """What to look at where the device behind a link says nothing at all, as a question."""
    if isinstance(link, MendableLink):
        return link.why_silent()
    return "is this the bench firmware, and does its UART run at the bench file's baud rate?"
