"""What the audit says: proofs, sizes, symbols, and the result of a whole export, with its JSON form.

Made by: path, symbols, sizes, export. Used by: report, sil, hil, the command line.
"""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

AUDIT_VERSION = 1
Verdict = Literal["single path", "acyclic bound", "refused"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no count can be given."""

    where: str  # "slider_crank_position+0x1c"
    instruction: str  # "blt #0x10024"
    reason: str  # "a loop whose exit depends on data"

    def sentence(self) -> str:
        """One line for a report."""
        return (
            f"{self.reason} at {self.where}: {self.instruction}"
            if self.instruction
            else f"{self.reason} at {self.where}"
        )


@dataclass(frozen=True, slots=True)
class PathProof:
    """What was proved of one function, calls followed.

    `instructions` is exact for "single path", the longest path for "acyclic bound", None for "refused".
    """

    symbol: str
    verdict: Verdict
    instructions: int | None = None
    fewest: int | None = None  # shortest path; equals `instructions` on a single path
    stack_bytes: int | None = None  # deepest use below the stack pointer at entry, calls included
    functions: dict[str, int] = field(default_factory=dict)  # instructions by the function they lie in
    refusal: Refusal | None = None
    trace: tuple[int, ...] = ()  # addresses along the (longest) path, in order; not part of the JSON form


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes that an object or firmware takes, as `size` counts them: constants belong to text."""

    text: int
    data: int
    bss: int


@dataclass(frozen=True, slots=True)
class LevelCheck:
    """A function at another optimisation level."""

    level: str  # "-O1"
    verdict: Verdict
    instructions: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class FunctionAudit:
    """One exported function. `outside` is what remains of `instructions` without the kernels."""

    name: str
    symbol: str
    verdict: Verdict
    instructions: int | None
    fewest: int | None
    kernels: dict[str, int]
    outside: int | None
    stack_bytes: int | None
    reason: str
    levels: tuple[LevelCheck, ...] = ()

    @property
    def passed(self) -> bool:
        """A single path here and at every other level."""
        return self.verdict == "single path" and all(level.verdict == "single path" for level in self.levels)


@dataclass(frozen=True, slots=True)
class AuditResult:
    """The audit of one export on one target."""

    model: str
    real: str
    profile: str
    compiler: str  # first line of its --version
    flags: tuple[str, ...]
    functions: tuple[FunctionAudit, ...]
    sizes: Sizes
    forbidden: dict[str, str]  # symbol or instruction -> why it may not be there
    notes: tuple[str, ...] = ()
    audit_version: int = AUDIT_VERSION

    @property
    def passed(self) -> bool:
        """Every function a single path at every level, no forbidden symbol, no static mutable data."""
        clean = not self.forbidden and self.sizes.data == 0 and self.sizes.bss == 0
        return clean and all(function.passed for function in self.functions)

    @property
    def verdict(self) -> str:
        """`fixed-time` or `not fixed-time`."""
        return "fixed-time" if self.passed else "not fixed-time"

    def as_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {**asdict(self), "verdict": self.verdict, "passed": self.passed}
