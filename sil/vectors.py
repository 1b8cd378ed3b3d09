"""Test vectors of one function: a fixed mix, deterministic from a seed, stored and hashed.

In: the function's domain, a seed, a count and, where there is one, a probe that tells margins. Out: `Vectors`. Of every
ten rows one or more is invalid; then boundary, subnormal, near-branch, near-singular and random ones.
"""

import hashlib
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from exporter.errors import KinefixError
from sil.domain import Domain, Rows
from sil.generator import choices, uniform
from sil.near_singular_inputs import near_rows

KINDS = ("invalid", "boundary", "subnormal", "near_branch", "near_singular", "random")
KIND_PATTERN = (
    "invalid", "random", "near_branch", "random", "boundary", "random", "near_singular", "random", "random", "random",
    "invalid", "random", "near_branch", "random", "subnormal", "random", "near_singular", "random", "random", "random",
)  # fmt: skip
"""Kinds of twenty consecutive rows: two in twenty are invalid, and the first of every ten is."""

BINARY, TEXT = ".npy", ".csv"
"""Endings of the files of vectors."""

STREAMS = {kind: 100 * (number + 1) for number, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Margins:
    """What a probe tells of rows: margins and pivots, (rows, k), NaN where unknown."""

    branch: NDArray[np.float64]
    pivot: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Probe:
    """How margins are told of a function's rows, by those of its inputs that margins depend on."""

    name: str  # of the function that tells them
    domain: Domain  # of these inputs
    columns: list[int]  # where they are among the function's
    measure: Callable[[Rows], Margins]
    found: dict[object, Rows] = field(default_factory=dict)
    """Rows of `domain` that were gathered; functions whose margins are the same ones may share them."""

    def gathered(self, kind: str, seed: int, count: int) -> Rows:
        """`count` rows near zeros of margins or of pivots."""
        key = self.name, kind, seed, count
        if key not in self.found:
            self.found[key] = near_rows(self.domain, lambda rows: self._of_kind(kind, rows), seed, STREAMS[kind], count)
        return self.found[key]

    def _of_kind(self, kind: str, rows: Rows) -> NDArray[np.float64]:
        margins = self.measure(rows)
        return margins.pivot if kind == "near_singular" else margins.branch


@dataclass(frozen=True, slots=True)
class Vectors:
    """Rows of inputs and what kind each is (index into KINDS)."""

    names: tuple[str, ...]
    rows: Rows  # (count, inputs), of the export's type
    kinds: NDArray[np.uint8]  # (count,)
    seed: int

    @property
    def sha256(self) -> str:
        """Hash of the .npy file."""
        return hashlib.sha256(npy_bytes(self.rows)).hexdigest()

    def only(self, row: int) -> "Vectors":
        """One of the rows alone.

        Raises:
            KinefixError: there are not that many rows.
        """
        if not 0 <= row < len(self.rows):
            raise KinefixError(f"there is no vector {row}; the set has {len(self.rows)}, counted from 0")
        return replace(self, rows=self.rows[row : row + 1], kinds=self.kinds[row : row + 1])

    def mix(self) -> dict[str, int]:
        """How many rows of each kind."""
        return {kind: int((self.kinds == number).sum()) for number, kind in enumerate(KINDS)}


def vectors(domain: Domain, seed: int, count: int, probe: Probe | None = None) -> Vectors:
    """The fixed mix. Without a probe the near-branch and near-singular rows are random."""
    kinds = np.resize(np.array([KINDS.index(kind) for kind in KIND_PATTERN], dtype=np.uint8), count)
    rows = np.empty((count, len(domain.names)), dtype=domain.minimum.dtype)
    if not domain.names:
        return Vectors((), rows, np.full(count, KINDS.index("random"), dtype=np.uint8), seed)
    for number, kind in enumerate(KINDS):
        places = np.flatnonzero(kinds == number)
        rows[places] = _of_kind(kind, domain, seed, len(places), probe)
    return Vectors(domain.names, rows, kinds, seed)


def _of_kind(kind: str, domain: Domain, seed: int, count: int, probe: Probe | None) -> Rows:
    stream = STREAMS[kind]
    match kind:
        case "invalid":
            return invalid_rows(domain, seed, stream, count)
        case "boundary":
            return _boundary(domain, seed, stream, count)
        case "subnormal":
            return _subnormal(domain, seed, stream, count)
        case "near_branch" | "near_singular" if probe is not None:
            rows = domain.around(seed, stream, count)
            rows[:, probe.columns] = probe.gathered(kind, seed, count)
            return rows
    return domain.spread(seed, stream, count)


def invalid_rows(domain: Domain, seed: int, stream: int, count: int) -> Rows:
    """One input per row, in turn, is not finite or out of range; every 16th row is invalid throughout."""
    rows = domain.spread(seed, stream, count)
    real = rows.dtype.type
    inputs = len(domain.names)
    span = domain.maximum - domain.minimum
    with np.errstate(over="ignore"):
        bad = np.stack(
            [
                np.full(inputs, real(np.nan)),
                np.full(inputs, real(np.inf)),
                np.full(inputs, real(-np.inf)),
                np.nextafter(domain.maximum, real(np.inf)),
                np.nextafter(domain.minimum, real(-np.inf)),
                domain.maximum + span,
                domain.minimum - span,
                np.full(inputs, np.finfo(rows.dtype).max),
                np.full(inputs, np.finfo(rows.dtype).min),
                np.where(domain.whole, domain.nominal + real(0.5), real(np.nan)),
            ]
        )
    everything = choices(seed, stream + 5, (count, inputs), len(bad))
    index = np.arange(count)
    column = index % inputs
    throughout = index % 16 == 15
    rows[index, column] = bad[everything[index, column], column]
    rows[throughout] = bad[everything, np.arange(inputs)][throughout]
    return rows


def _boundary(domain: Domain, seed: int, stream: int, count: int) -> Rows:
    """Most inputs on a bound, one step inside it, at zero of either sign, or nominal."""
    real = domain.minimum.dtype.type
    zero = np.zeros(len(domain.names), dtype=real)
    special = np.stack(
        [
            domain.minimum,
            domain.maximum,
            np.nextafter(domain.minimum, real(np.inf)),
            np.nextafter(domain.maximum, real(-np.inf)),
            zero,
            -zero,
            domain.nominal,
        ]
    )
    picked = special[choices(seed, stream + 5, (count, len(domain.names)), len(special)), np.arange(len(domain.names))]
    keep = uniform(seed, stream + 6, picked.shape) < 0.75
    return _inside_only(domain, np.where(keep, picked, domain.spread(seed, stream, count)), seed, stream)


def _subnormal(domain: Domain, seed: int, stream: int, count: int) -> Rows:
    """Inputs that are subnormal, of either sign, or the smallest normal number, where the range has zero inside."""
    tiny = np.finfo(domain.minimum.dtype).smallest_normal
    shape = (count, len(domain.names))
    part = uniform(seed, stream + 5, shape)
    sign = np.where(choices(seed, stream + 6, shape, 2) == 0, -1.0, 1.0)
    magnitude = np.where(part < 0.1, 1.0, part).astype(domain.minimum.dtype)
    small = (magnitude * tiny * sign.astype(domain.minimum.dtype)).astype(domain.minimum.dtype)
    keep = uniform(seed, stream + 7, shape) < 0.75
    return _inside_only(domain, np.where(keep, small, domain.spread(seed, stream, count)), seed, stream)


def _inside_only(domain: Domain, rows: Rows, seed: int, stream: int) -> Rows:
    return np.where(domain.accepts(rows), rows, domain.spread(seed, stream + 20, len(rows))).astype(
        domain.minimum.dtype
    )


LONGEST_HEADER = 80
"""Characters of a wrong header that are repeated."""


def npy_bytes(rows: Rows) -> bytes:
    """The rows as a .npy file, little endian."""
    buffer = io.BytesIO()
    np.save(buffer, rows.astype(rows.dtype.newbyteorder("<")), allow_pickle=False)
    return buffer.getvalue()


def vector_files(made: Vectors, name: str) -> Iterator[tuple[str, bytes]]:
    """The files <name>.npy and <name>.csv, the latter with hexadecimal floats."""
    yield f"{name}{BINARY}", npy_bytes(made.rows)
    lines = [",".join(("kind", *made.names))]
    for kind, row in zip(made.kinds.tolist(), made.rows.astype(np.float64).tolist(), strict=True):
        lines.append(",".join((KINDS[kind], *(value.hex() for value in row))))
    yield f"{name}{TEXT}", ("\n".join(lines) + "\n").encode()


def read_vectors(path: Path, names: Sequence[str] | None = None) -> Rows:
    """Rows of a .npy file, or of a .csv file of `vector_files` (as float64).

    Raises `ValueError` where a .csv file has another header, columns of other `names`, or numbers that are not
    hexadecimal: "10" would be sixteen.
    """
    if path.suffix.lower() == ".npy":
        return np.asarray(np.load(path, allow_pickle=False))
    header, *lines = path.read_text(encoding="utf-8").splitlines() or [""]
    given = header.split(",")
    if given[0] != "kind" or (names is not None and given[1:] != list(names)):
        wanted = "..." if names is None else ",".join(names)
        raise ValueError(
            f"its header is '{header[:LONGEST_HEADER]}'; hexadecimal floats stand under 'kind,{wanted}', other numbers "
            "under names with units, such as 'theta [rad]'"
        )
    return np.array([[_from_hex(cell) for cell in line.split(",")[1:]] for line in lines])


def _from_hex(cell: str) -> float:
    if "0x" not in cell and cell.lstrip("+-") not in ("nan", "inf"):
        raise ValueError(f"'{cell}' is no hexadecimal float such as 0x1.8p+1")
    return float.fromhex(cell)
