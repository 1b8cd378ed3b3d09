"""The vectors of one function and how they were flagged, part by part of the parameters. Made by `sil.campaign`."""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exporter.manifest import Field, Manifest
from sil.evidence import flag_counts, flagged_rows, words_of
from sil.parameter_sets import ParameterSet
from sil.runners.runner import RunResult
from sil.vectors import Vectors, npy_bytes


@dataclass(frozen=True, slots=True)
class Part:
    """The vectors at one set of parameters."""

    parameters: ParameterSet
    first: int  # number of its first vector
    vectors: Vectors
    ran: RunResult
    margins: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TestedVectors:
    """All vectors of a function, numbered through its parts."""

    function: str
    fields: tuple[Field, ...]  # of the outputs
    parts: tuple[Part, ...]

    @property
    def vectors(self) -> Vectors:
        """The vectors of all parts, one after the other."""
        first = self.parts[0].vectors
        return Vectors(
            first.names,
            np.concatenate([part.vectors.rows for part in self.parts]),
            np.concatenate([part.vectors.kinds for part in self.parts]),
            first.seed,
        )

    @property
    def sha256(self) -> str:
        """Hash of the vectors as a .npy file, followed by the parameters of each part where they are not nominal."""
        digest = hashlib.sha256(npy_bytes(self.vectors.rows))
        for part in self.parts:
            for name, value in part.parameters.changed.items():
                digest.update(f"{part.first} {name}={value.hex()}\n".encode())
        return digest.hexdigest()

    @property
    def ran(self) -> RunResult:
        """What the host made of them."""
        return RunResult(
            np.concatenate([part.ran.outputs for part in self.parts]),
            np.concatenate([part.ran.status for part in self.parts]),
        )

    @property
    def margins(self) -> NDArray[np.float64]:
        """The smallest margin or pivot of each vector."""
        return np.concatenate([part.margins for part in self.parts])

    def flagged_count(self, manifest: Manifest) -> int:
        """How many vectors are flagged, so that their outputs are not judged."""
        return sum(int(flagged_rows(manifest, part.ran).sum()) for part in self.parts)

    def flag_counts(self, manifest: Manifest) -> dict[str, int]:
        """How many vectors set each condition, in the function or in recalibrate."""
        return flag_counts(manifest, np.concatenate([words_of(part.ran) for part in self.parts]))
