"""Where in a model something stands, for errors: "my.toml: parameters.l1.value: ...".

In: the file's name, keys. Out: `ModelError` whose text starts with them.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from exporter.errors import ModelError
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A file (may be empty) and a key in it, "bodies.crank.mass"."""

    origin: str = ""
    key: str = ""

    def __truediv__(self, key: str) -> "Place":
        return Place(self.origin, f"{self.key}.{key}" if self.key else key)

    def __getitem__(self, index: int) -> "Place":
        return Place(self.origin, f"{self.key}[{index}]")

    def error(self, sentence: str) -> ModelError:
        """The error to raise for what stands here."""
        return ModelError(": ".join(part for part in (self.origin, self.key, sentence) if part))

    @contextmanager
    def within(self) -> Iterator[None]:
        """Errors raised inside are said to stand here."""
        try:
            yield
        except ModelError as error:
            raise self.error(str(error)) from None
