"""A symbolic model as data: SymPy expressions of named inputs and parameters. Written with `exporter.symbolic`.

Used by: `exporter.symbolic.program`, and to the reference of sil, which walks the same expressions by itself. A
symbol stands for the input, parameter or earlier step of its *name*, whatever its assumptions; `q[0]` (a Symbol of that
name, or an Indexed) is a name like any other. All values are SI.
"""

from fractions import Fraction

import sympy as sp

from exporter.model.mechanism import Input, Parameter
from exporter.records import dataclass
from exporter.symbolic.checks import check_model, check_square
from exporter.symbolic.policies import Division, Root
from exporter.symbolic.quantities import in_si
from exporter.symbolic.state import State


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SymbolicOutput:
    """A named result."""

    name: str
    expression: sp.Basic
    unit: str = "1"
    about: str = ""
    role: str = "value"  # value | margin | pivot | residual


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Definition:
    """An intermediate: later steps and outputs use `name` as a symbol."""

    name: str
    expression: sp.Basic
    about: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LinearSolve:
    """matrix * unknowns = right: later steps and outputs use the unknowns as symbols.

    One unknown divides, two use the adjugate, more use LDL (symmetric) or LU. Each pivot (for two unknowns the
    determinant) below `threshold` is replaced by it, with NEAR_SINGULAR; None: the model's division policy. The flag is
    set too where subtractions leave less of the pivot than a 4096th (float32) or 2^-30 (float64) of its own entry.
    """

    unknowns: tuple[str, ...]
    matrix: tuple[tuple[sp.Basic, ...], ...]
    right: tuple[sp.Basic, ...]
    threshold: Fraction | None = None
    about: str = ""

    def __post_init__(self) -> None:
        check_square(self)


SolveStep = Definition | LinearSolve


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SymbolicModel:
    """A model without a mechanism. Steps are evaluated in order, then the outputs; both may read the states.

    Raises:
        ModelError: a name is used twice or is empty, a step is malformed, there is no output; a rate without a period.
    """

    name: str  # C prefix: a lower-case identifier of at most 18 characters
    inputs: tuple[Input, ...]
    outputs: tuple[SymbolicOutput, ...]
    parameters: tuple[Parameter, ...] = ()
    steps: tuple[SolveStep, ...] = ()
    division: Division | None = None
    root: Root | None = None
    title: str = ""
    source: str = ""
    states: tuple[State, ...] = ()
    period: Fraction | None = None  # s, of one step; text with a unit is taken too. What integrates a rate needs it
    method: str = "rk4"  # integrates the rates, see `exporter.symbolic.state.METHODS`

    def __post_init__(self) -> None:
        for field in ("inputs", "outputs", "parameters", "steps", "states"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        if self.period is not None:
            object.__setattr__(self, "period", in_si((self.period,), "s", f"the period of '{self.name}'").values[0])
        check_model(self)

    def step_names(self) -> tuple[str, ...]:
        """What the steps define, in order."""
        return tuple(name for step in self.steps for name in step_results(step))


def step_results(step: SolveStep) -> tuple[str, ...]:
    """The names that a step defines."""
    return (step.name,) if isinstance(step, Definition) else step.unknowns
