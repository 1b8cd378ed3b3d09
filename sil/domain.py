"""The ranges of a function's inputs as arrays, in the export's own number type.

In: the manifest's fields; out: `Domain`, which samples inside and says what lies inside.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.errors import ModelError
from exporter.manifest import Field
from sil.generator import uniform

Rows = NDArray[Any]
SMALLEST_PART = 1e-6
"""Logarithmic samples reach down to this part of a bound."""


@dataclass(frozen=True, slots=True)
class Domain:
    """Bounds and nominal values, (inputs,), of dtype float32 or float64."""

    names: tuple[str, ...]
    angles: NDArray[np.bool_]
    minimum: Rows
    maximum: Rows
    nominal: Rows
    whole: NDArray[np.bool_]  # inputs that must be whole numbers

    def accepts(self, rows: Rows) -> NDArray[np.bool_]:
        """Per number: finite, within its range, and whole where it must be."""
        with np.errstate(invalid="ignore"):
            inside = (rows >= self.minimum) & (rows <= self.maximum)
            return np.asarray(inside & (~self.whole | (rows == np.rint(rows))))

    def holds(self, rows: Rows) -> NDArray[np.bool_]:
        """Per row: every number is accepted."""
        return np.asarray(self.accepts(rows).all(axis=1))

    def with_nominal(self, rows: Rows) -> Rows:
        """Every number that is not accepted replaced by its nominal value."""
        return np.where(self.accepts(rows), rows, self.nominal).astype(self.minimum.dtype)

    def clip(self, values: NDArray[np.float64]) -> Rows:
        """In the export's type, within the bounds, whole where it must be."""
        low, high = self.minimum.astype(np.float64), self.maximum.astype(np.float64)
        return np.clip(np.where(self.whole, np.rint(values), values), low, high).astype(self.minimum.dtype)

    def spread(self, seed: int, stream: int, count: int) -> Rows:
        """Rows inside: a third over the whole range, a third around the nominal value, a third logarithmic."""
        shape = (count, len(self.names))
        how, u = uniform(seed, stream, shape), uniform(seed, stream + 1, shape)
        low, high = self.minimum.astype(np.float64), self.maximum.astype(np.float64)
        whole = low + u * (high - low)
        magnitude = SMALLEST_PART ** (1.0 - np.abs(2 * u - 1))
        signed = np.where(u < 0.5, low * magnitude, high * magnitude)
        values = np.where(how < 1 / 3, whole, np.where(how < 2 / 3, self._around(u), signed))
        return self.clip(values)

    def around(self, seed: int, stream: int, count: int) -> Rows:
        """Rows around the nominal values: half a turn of an angle, the whole range of anything else."""
        return self.clip(self._around(uniform(seed, stream, (count, len(self.names)))))

    def _around(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        low, high = self.minimum.astype(np.float64), self.maximum.astype(np.float64)
        nominal = self.nominal.astype(np.float64)
        turned = nominal + (2 * u - 1) * np.pi
        return np.where(self.angles, turned, low + u * (high - low))


def domain_of(fields: tuple[Field, ...], real: str, whole: Collection[str] = ()) -> Domain:
    """The domain of these inputs; `whole` names those that must be whole numbers.

    Raises:
        ModelError: an input has no range or no nominal value.
    """
    for field in fields:
        if field.minimum is None or field.maximum is None or field.nominal is None:
            raise ModelError(f"input '{field.name}' has no range or no nominal value in the manifest; export it again")

    def column(values: list[float | None]) -> Rows:
        return np.array(values, dtype=real)

    return Domain(
        names=tuple(field.name for field in fields),
        angles=np.array([field.unit == "rad" for field in fields], dtype=np.bool_),
        minimum=column([field.minimum for field in fields]),
        maximum=column([field.maximum for field in fields]),
        nominal=column([field.nominal for field in fields]),
        whole=np.array([field.name in whole for field in fields], dtype=np.bool_),
    )
