"""A link to a program whose end explains why the link broke: an emulator's last words go into the error."""

from collections.abc import Callable

from hil.errors import LinkError
from hil.links.link import Link, MendableLink, why_silent


class WitnessedLink:
    """A link, and what the other end says when it ends."""

    def __init__(self, reach: Callable[[], Link], last_words: Callable[[], str]) -> None:
        """Open the link by `reach`; `last_words` is empty where the other end still runs."""
        self._last_words = last_words
        try:
            self.inner = reach()
        except LinkError as error:
            raise self._explain(error) from error
        self.name = self.inner.name

    def read(self) -> bytes:
        """Bytes of the link."""
        try:
            return self.inner.read()
        except LinkError as error:
            raise self._explain(error) from error

    def write(self, data: bytes) -> None:
        """Send over the link."""
        try:
            self.inner.write(data)
        except LinkError as error:
            raise self._explain(error) from error

    def mend(self) -> str:
        """Ask the controller of the link, where it has one."""
        return self.inner.mend() if isinstance(self.inner, MendableLink) else ""

    def why_silent(self) -> str:
        """What the link asks about a silent device."""
        return why_silent(self.inner)

    def close(self) -> None:
        """Close the link."""
        self.inner.close()

    def _explain(self, error: LinkError) -> LinkError:
        said = self._last_words()
        return LinkError(f"the link broke: {said}") if said else error
