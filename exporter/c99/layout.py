"""Spreads the signals of a program over C structs and names everything: the one signal table.

In: a program. Out: a `Layout` with the structs, the functions with their arguments and rows as the manifest
lists them, and the C name of every signal.
"""

from collections.abc import Iterable
from dataclasses import replace

from exporter.c99.names import Names, checked_prefix, external_name
from exporter.errors import ModelError
from exporter.manifest import Argument, Field, Function, Struct
from exporter.records import dataclass
from exporter.sequence.builder import Builder
from exporter.sequence.looped import cost_of_call
from exporter.sequence.operations import Group, OperationSequence, Signal
from exporter.sequence.program import Program

ARGUMENT_OF: dict[Group, str] = {
    Group.PARAMETER: "par",
    Group.DERIVED: "derived",
    Group.STATE: "state",
    Group.INPUT: "in",
    Group.OUTPUT: "out",
}
"""Group -> the name of the pointer argument."""
RESERVED_FUNCTIONS = (
    *("recalibrate", "check_frozen", "selftest", "arrays"),
    *(f"{name}{end}" for name in ("par", "derived", "state", "frozen", "real", "status") for end in ("", "_t")),
)
"""What a function of the program cannot be called; it gets a number."""
FROZEN_STRUCT = "frozen"
"""Group and argument name of the struct that check_frozen takes."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A program with its C names."""

    program: Program
    names: Names
    structs: tuple[Struct, ...]
    functions: tuple[Function, ...]  # in the order of program.functions
    recalibrate: Function | None
    check_frozen: Function
    frozen_check: OperationSequence

    @property
    def prefix(self) -> str:
        """What every external name starts with."""
        return self.program.name

    @property
    def macro(self) -> str:
        """What every macro starts with."""
        return self.program.name.upper()

    def struct(self, type_name: str) -> Struct:
        """The struct of this type."""
        return next(struct for struct in self.structs if struct.type == type_name)

    def reference(self, function: Function, signal: Signal) -> str:
        """How the body of a function reads or writes a signal: `in->theta_rad`."""
        name = FROZEN_STRUCT if function is self.check_frozen else ARGUMENT_OF[signal.group]
        return f"{name}->{self.names.of(signal.name, signal.unit)}"


def layout(program: Program) -> Layout:
    """Name the signals of a program.

    Raises:
        ModelError: a name is too long, a function reads a parameter that nothing derives, or writes part of the state.
    """
    prefix = checked_prefix(program.name)
    names, function_names = Names(("count",)), Names(RESERVED_FUNCTIONS)
    frozen_check = frozen_sequence(program)
    shared = _shared_structs(program, names, frozen_check)
    structs = list(shared.values())
    functions = []
    for sequence in program.functions:
        own = _own_structs(prefix, function_names.of(sequence.name), sequence, names)
        _require_whole_state(sequence, shared)
        structs.extend(own.values())
        functions.append(_function(program, function_names.of(sequence.name), sequence, {**shared, **own}))
    derive = program.recalibrate
    recalibrate = None if derive is None else _function(program, "recalibrate", derive, shared)
    check = _function(program, "check_frozen", frozen_check, {**shared, **_frozen_as_input(shared)})
    return Layout(program, names, tuple(structs), tuple(functions), recalibrate, check, frozen_check)


def frozen_sequence(program: Program) -> OperationSequence:
    """Compares every frozen parameter with the value that was substituted."""
    builder = Builder("check_frozen", program.precision)
    with builder.step("frozen", "the caller's values against those that were substituted", part=True):
        for parameter in program.frozen:
            signal = Signal(parameter.name, parameter.unit, parameter.about, nominal=parameter.value)
            given, substituted = builder.input(signal), builder.real(parameter.value)
            builder.condition("FROZEN_MISMATCH", ~((given <= substituted) & (substituted <= given)))
    return builder.finish()


def _signals(sequence: OperationSequence, group: Group) -> list[Signal]:
    """Signals of a group: inputs in order, then outputs that are not among them."""
    every = [*sequence.inputs, *(output.signal for output in sequence.outputs)]
    unique = {signal.name: signal for signal in reversed(every) if signal.group is group}
    return [unique[name] for name in dict.fromkeys(signal.name for signal in every if signal.group is group)]


def _shared_structs(program: Program, names: Names, frozen: OperationSequence) -> dict[str, Struct]:
    """Argument name -> struct, for what all functions share: par, derived, state, frozen."""
    _check_parameters(program)
    state: dict[str, Signal] = {}
    for sequence in program.functions:
        for signal in _signals(sequence, Group.STATE):
            state.setdefault(signal.name, signal)
    derived = [output.signal for output in program.recalibrate.outputs] if program.recalibrate else []
    members: dict[str, Iterable[Signal]] = {
        FROZEN_STRUCT: frozen.inputs,
        "par": program.parameters if program.recalibrate else (),
        "derived": derived,
        "state": state.values(),
    }
    return {
        name: Struct(f"{program.name}_{name}_t", name, _fields(signals, names))
        for name, signals in members.items()
        if signals
    }


def _check_parameters(program: Program) -> None:
    known = {output.signal.name for output in program.recalibrate.outputs} if program.recalibrate else set()
    for sequence in program.functions:
        for signal in sequence.inputs:
            if signal.group is Group.PARAMETER or (signal.group is Group.DERIVED and signal.name not in known):
                raise ModelError(
                    f"function '{sequence.name}' reads '{signal.name}', which recalibrate does not derive; "
                    "hoist the parameters before printing"
                )


def _require_whole_state(sequence: OperationSequence, shared: dict[str, Struct]) -> None:
    written = {output.signal.name for output in sequence.outputs if output.signal.group is Group.STATE}
    left_out = [field.name for field in shared["state"].fields if field.name not in written] if written else []
    if left_out:
        raise ModelError(f"function '{sequence.name}' writes the state without '{left_out[0]}'; write all of it")


def _own_structs(prefix: str, function: str, sequence: OperationSequence, names: Names) -> dict[str, Struct]:
    """The in and out structs of one function."""
    structs = {}
    for group in (Group.INPUT, Group.OUTPUT):
        fields = _fields(_signals(sequence, group), names)
        if fields:
            structs[group.value] = Struct(f"{prefix}_{function}_{group.value}_t", group.value, fields)
    return structs


def _fields(signals: Iterable[Signal], names: Names) -> tuple[Field, ...]:
    return tuple(
        Field(
            field=names.of(signal.name, signal.unit),
            name=signal.name,
            unit=signal.unit,
            about=signal.about,
            role=signal.role.value,
            minimum=None if signal.minimum is None else float(signal.minimum),
            maximum=None if signal.maximum is None else float(signal.maximum),
            nominal=None if signal.nominal is None else float(signal.nominal),
        )
        for signal in signals
    )


def _frozen_as_input(shared: dict[str, Struct]) -> dict[str, Struct]:
    return {"in": shared[FROZEN_STRUCT]} if FROZEN_STRUCT in shared else {}


def row_groups(name: str, sequence: OperationSequence) -> tuple[list[str], list[str]]:
    """The structs that a function reads and writes as rows, in the order of a row. Derived constants are not read."""
    reads = {signal.group.value for signal in sequence.inputs} - {"derived"}
    if name == "recalibrate":
        reads.add("par")  # whole, whether a formula needs it or not
    writes = {output.signal.group.value for output in sequence.outputs}
    return [group for group in ROW_ORDER if group in reads], [group for group in ROW_ORDER if group in writes]


ROW_ORDER = ("state", "par", "derived", "in", "out")


def _function(program: Program, name: str, sequence: OperationSequence, structs: dict[str, Struct]) -> Function:
    """A function with its arguments in C order: state, derived, in, out; par and derived for recalibrate."""
    reads, writes = row_groups(name, sequence)
    taken = {*reads, *writes}
    if "derived" in structs and name != "check_frozen":
        taken.add("derived")  # every function takes it, so that a changed formula changes no prototype
    present = [group for group in ROW_ORDER if group in taken]
    arguments = tuple(Argument(group, structs[group].type, group not in writes) for group in present)
    function = Function(
        name=name,
        symbol=external_name(program.name, name),
        arguments=arguments,
        row_inputs=tuple(field for group in reads for field in structs[group].fields),
        row_outputs=tuple(field for group in writes for field in structs[group].fields),
        cost=cost_of_call(program, sequence).as_dict(),
        conditions={condition.name: condition.about for condition in sequence.conditions},
        equations=tuple(str(step) for step in sequence.steps),
        left_out=sequence.left_out,
    )
    return _with_frozen_argument(function) if name == "check_frozen" else function


def _with_frozen_argument(function: Function) -> Function:
    return replace(function, arguments=tuple(replace(each, name=FROZEN_STRUCT) for each in function.arguments))
