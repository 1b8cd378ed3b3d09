"""A program: everything that one export prints, still without a line of C.

In: `exporter.symbolic`, or kinematics and dynamics. Used by: c99, the interpreters, sil.
"""

from fractions import Fraction

from exporter.records import dataclass
from exporter.sequence.operations import OperationSequence, Precision, Signal


@dataclass(frozen=True, slots=True)
class FrozenParameter:
    """A parameter that was substituted before the algebra: a #define, listed in the manifest."""

    name: str
    value: Fraction  # in `unit`
    unit: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """An assembly choice frozen into the program: which root a block takes."""

    name: str  # "piston right"
    unknown: str  # the coordinate whose root it is
    equation: str  # step id
    sign: int  # +1 or -1
    alternatives: tuple[str, ...] = ()  # the roots not taken: what they give at the design pose, in words


@dataclass(frozen=True, slots=True)
class Loop:
    """A bounded iteration before some functions, outside the fixed-time contract: their cost depends on the data.

    Such a function runs `body` on its own inputs, lets `carried` replace some of them, and repeats that while the
    body's output `residual` exceeds the tolerance, at least once and at most `most` times. Then comes its own sequence;
    the status is what all of them say together.
    """

    body: str  # a function of the program: one iteration
    functions: tuple[str, ...]  # whose inputs include the body's
    carried: tuple[tuple[str, str], ...]  # (input, output of the body that replaces it)
    residual: str
    tolerance: Fraction
    most: int


@dataclass(frozen=True, slots=True)
class Program:
    """What is exported.

    Each function becomes `<name>_<function.name>`. A function's signals are spread over structs by their group:
    IN -> <m>_<function>_in_t, OUT -> <m>_<function>_out_t, STATE -> <m>_state_t, DERIVED -> <m>_derived_t.
    A sequence has STATE signals among its inputs and its outputs (dostep), or among its outputs only (startup).
    `recalibrate` maps PARAMETER inputs to DERIVED outputs and is None when every parameter is frozen.
    """

    name: str  # C prefix, at most 18 characters
    title: str
    source: str
    precision: Precision
    model_hash: str  # SHA-256 (hex) of the canonical model
    functions: tuple[OperationSequence, ...]
    recalibrate: OperationSequence | None = None
    frozen: tuple[FrozenParameter, ...] = ()
    parameters: tuple[Signal, ...] = ()  # tunable ones, in the order of <m>_par_t
    branches: tuple[Branch, ...] = ()
    notes: tuple[str, ...] = ()  # what was assumed or dropped; printed in the report and the manifest
    loop: Loop | None = None  # None: every function is straight line
    design: tuple[tuple[str, float], ...] = ()  # the assembled design pose where the model leaves it open; rad, m
    start: str = "the design pose"  # what `startup` sets the state to

    def function(self, name: str) -> OperationSequence:
        """The function of this name.

        Raises:
            KeyError: there is none.
        """
        return {function.name: function for function in self.functions}[name]

    def iterates(self, name: str) -> bool:
        """Whether a function runs the loop first."""
        return self.loop is not None and name in self.loop.functions
