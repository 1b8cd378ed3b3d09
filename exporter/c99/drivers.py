"""What the template prints around a function that iterates first: the only loop that an export can have.

In: a layout and one of its functions. Out: a `Driver`, None where the function is straight line.
"""

from exporter.c99.layout import Layout
from exporter.c99.literals import real_literal
from exporter.c99.readback import SUFFIX_AFTER_LOOP
from exporter.c99.signatures import signature
from exporter.manifest import Function
from exporter.records import dataclass
from exporter.sequence.operations import OperationSequence
from exporter.sequence.program import Loop


@dataclass(frozen=True, slots=True)
class Driver:
    """A function that runs a body until its residual is small, then its own straight line."""

    after: str  # first line of the straight-line part
    after_symbol: str
    body: str  # symbol of one iteration
    input_type: str  # of the function
    body_input_type: str
    body_output_type: str
    derived: bool  # whether all of them take derived constants
    copied: tuple[str, ...]  # fields of the body's inputs
    carried: tuple[tuple[str, str], ...]  # (field of the inputs, field of the body's outputs)
    residual: str  # field of the body's outputs
    tolerance: str  # as a literal
    most: int


def driver_of(layout: Layout, function: Function, sequence: OperationSequence) -> Driver | None:
    """The loop in front of a function."""
    loop = layout.program.loop
    if loop is None or not layout.program.iterates(sequence.name):
        return None
    body, types = _body(layout, loop), {each.name: each.struct for each in function.arguments}
    body_types = {each.name: each.struct for each in body.arguments}
    made = {each.name: each.field for each in body.row_outputs}
    given = {each.name: each.field for each in body.row_inputs}
    after = f"{function.symbol}{SUFFIX_AFTER_LOOP}"
    return Driver(
        after=signature(
            f"static inline {layout.prefix}_status_t {after}",
            [f"{'const ' if each.const else ''}{each.struct} *const {each.name}" for each in function.arguments],
        ),
        after_symbol=after,
        body=body.symbol,
        input_type=types["in"],
        body_input_type=body_types["in"],
        body_output_type=body_types["out"],
        derived="derived" in types,
        copied=tuple(given.values()),
        carried=tuple((given[into], made[taken]) for into, taken in loop.carried),
        residual=made[loop.residual],
        tolerance=real_literal(loop.tolerance, layout.program.precision),
        most=loop.most,
    )


def _body(layout: Layout, loop: Loop) -> Function:
    return next(
        function
        for function, sequence in zip(layout.functions, layout.program.functions, strict=True)
        if sequence.name == loop.body
    )
