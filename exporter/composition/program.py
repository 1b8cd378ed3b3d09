"""Composition -> Program: the step of the mechanism around that of the controller, in one sequence.

In: a `Composition` and a precision. Out: `startup` and `dostep` with the state of both. Both parts are written as they
are exported alone; a signal between them is kept within the range of the input that it reaches, with LIMITED.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from exporter.composition.canonical import model_hash
from exporter.composition.composition import Composition
from exporter.composition.splicing import Part
from exporter.errors import ModelError
from exporter.functions.chosen_outputs import chosen_notes, require_chosen
from exporter.functions.mechanism import functions_of
from exporter.functions.program import branches_of, total_function
from exporter.functions.signals import check_outputs
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.scope import tunable_signals
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.verification.design_pose import open_design_pose
from exporter.kinematics.verification.probe import Probe
from exporter.model.mechanism import Mechanism
from exporter.model.nearest import list_words, nearest
from exporter.model.units import parse_unit
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import checked_input
from exporter.sequence.operations import Group, OperationSequence, Output, Precision, Signal
from exporter.sequence.pipeline import OF_PARTS, Pass, divide_functions, finished
from exporter.sequence.program import FrozenParameter, Program
from exporter.sequence.unread import unread_notes
from exporter.symbolic.program import sequences_of_symbolic
from exporter.symbolic.stepping import LIMITED
from exporter.symbolic.writing import parameter_signal

PROOF = frozenset({Pass.PROOF})


def program_of_composition(composition: Composition, precision: Precision) -> Program:
    """The program of a mechanism with its controller.

    Raises:
        ModelError: either part cannot be exported, a name belongs to both, the mechanism has no step, or what the
            controller reads depends on what it drives.
    """
    mechanism, controller = _with_measured_outputs(composition), composition.controller
    form = solved_mechanism(mechanism)
    check_outputs(mechanism)
    parts = _Parts(composition, _of_mechanism(composition, form, precision), _of_controller(composition, precision))
    sequences = tuple(finished(each, PROOF) for each in (parts.startup(precision), parts.dostep(precision)))
    tunable, chosen = _tunable(composition), chosen_notes(mechanism, tuple(parts.mechanism.values()))
    recalibrate, functions = divide_functions(sequences, tunable)
    return Program(
        name=composition.name,
        title=composition.title or f"{mechanism.title} with {controller.title or controller.name}",
        source=f"{mechanism.source}; {controller.source or f'symbolic model {controller.name}'}",
        precision=precision,
        model_hash=model_hash(composition),
        functions=functions,
        recalibrate=recalibrate,
        frozen=_frozen(composition),
        parameters=tunable,
        branches=branches_of(form),
        notes=(*form.notes, *_wiring_notes(composition), *chosen, *unread_notes(sequences, tunable)),
        design=open_design_pose(Probe(form)),
        start="the design pose, at rest, and the controller to its start values",
    )


def _with_measured_outputs(composition: Composition) -> Mechanism:
    """The mechanism, whose chosen outputs have what the controller reads among them."""
    chosen = composition.mechanism.chosen_outputs
    wired = [name for name in composition.measured.values() if chosen and name not in chosen]
    return replace(composition.mechanism, chosen_outputs=(*chosen, *wired))


def _of_mechanism(composition: Composition, form: Solution, precision: Precision) -> dict[str, OperationSequence]:
    mechanism = composition.mechanism
    offered = functions_of(mechanism, form)
    if "dostep" not in offered:
        raise ModelError(f"'{mechanism.name}' has no mass, so that it has no step; give a body a mass, or export apart")
    if mechanism.alternative:
        raise ModelError(
            f"'{mechanism.name}' steps by two choices of coordinates, which cannot be composed; export it and the "
            "controller apart, and exchange signals"
        )
    written = {name: total_function(offered[name], form, precision, OF_PARTS) for name in ("startup", "dostep")}
    others = (write(form, precision, contract=True) for name, write in offered.items() if name not in written)
    require_chosen(mechanism, (), tuple(written.values()), others)
    return written


def _of_controller(composition: Composition, precision: Precision) -> dict[str, OperationSequence]:
    """Functions of the controller by name; `evaluate` stands for the step where it has no state."""
    found = {each.name: finished(each, {Pass.BOX}) for each in sequences_of_symbolic(composition.controller, precision)}
    return {"dostep": found["evaluate"]} if "evaluate" in found else found


@dataclass(frozen=True)
class _Parts:
    """The functions of both parts, by name."""

    composition: Composition
    mechanism: Mapping[str, OperationSequence]
    controller: Mapping[str, OperationSequence]

    def startup(self, precision: Precision) -> OperationSequence:
        """Both start."""
        builder = Builder("startup", precision)
        given: dict[str, Value] = {}
        for functions in (self.mechanism, self.controller):
            if "startup" in functions:
                part = Part(functions["startup"], builder)
                _give_parameters(part, given)
                for output in part.sequence.outputs:
                    builder.output(output.signal, part.value(output.operation))
                part.tell()
        return builder.finish()

    def dostep(self, precision: Precision) -> OperationSequence:
        """Outputs at the present state, the controller, and the state of both one period later."""
        builder = Builder("dostep", precision)
        plant, control = Part(self.mechanism["dostep"], builder), Part(self.controller["dostep"], builder)
        self._require_apart(plant, control)
        known = self._declare(plant, control)
        self._measure(plant, control, known)
        commands = {output.signal.name: control.value(output.operation) for output in control.sequence.outputs}
        for name, command in self.composition.driven.items():
            signal = _input_named(plant, name)
            _require_unit(signal, _output_named(control, command).signal, "mechanism", "controller")
            plant.give(Group.INPUT, name, _within(builder, commands[command], signal))
        outputs = [(each, part) for part in (plant, control) for each in part.sequence.outputs]
        for output, part in sorted(outputs, key=lambda pair: pair[0].signal.group is not Group.STATE):
            builder.output(output.signal, part.value(output.operation))
        plant.tell()
        control.tell()
        return replace(builder.finish(), left_out=plant.sequence.left_out)

    def _declare(self, plant: Part, control: Part) -> dict[str, Value]:
        """Declare what the caller gives: states, then inputs that no other part gives, then parameters."""
        builder, known, parameters = plant.builder, dict[str, Value](), dict[str, Value]()
        held = {id(plant): self.composition.driven, id(control): self.composition.measured}
        for group in (Group.STATE, Group.INPUT):
            for part in (plant, control):
                for signal in part.sequence.inputs:
                    if signal.group is group and signal.name not in held[id(part)]:
                        if signal.name not in known:
                            known[signal.name] = checked_input(builder, signal)
                        part.give(group, signal.name, known[signal.name])
        for part in (plant, control):
            _give_parameters(part, parameters)
        return known

    def _measure(self, plant: Part, control: Part, known: Mapping[str, Value]) -> None:
        """Give the controller what it reads of the mechanism."""
        outputs = {each.signal.name: each for each in plant.sequence.outputs if each.signal.group is Group.OUTPUT}
        states = {each.name: each for each in plant.sequence.inputs if each.group is Group.STATE}
        for name, source in self.composition.measured.items():
            value = known[source] if source in states else self._output(plant, outputs, name, source)
            signal = _input_named(control, name)
            told = states[source] if source in states else outputs[source].signal
            _require_unit(signal, told, "controller", "mechanism")
            control.give(Group.INPUT, name, _within(plant.builder, value, signal))

    def _output(self, plant: Part, outputs: Mapping[str, Output], name: str, source: str) -> Value:
        if source not in outputs:
            offered = sorted({*outputs, *(each.name for each in plant.sequence.inputs if each.group is Group.STATE)})
            raise ModelError(
                f"the controller's input '{name}' reads '{source}', which is no signal of the mechanism's step"
                f"{nearest(source, offered)}; it has {list_words(offered)}"
            )
        operation = outputs[source].operation
        for _, through in sorted(plant.depends_on(operation)):
            if through in self.composition.driven:
                raise ModelError(
                    f"the controller's input '{name}' reads '{source}', which depends on '{through}', which the "
                    "controller drives: an algebraic loop; read a coordinate or a rate, or keep the value in a state"
                )
        return plant.value(operation)

    def _require_apart(self, plant: Part, control: Part) -> None:
        """Refuse a name of both parts, but of an input that both read alike."""
        first, second = (_signals_of(part, self.composition) for part in (plant, control))
        for name in sorted(set(first) & set(second)):
            if first[name] != second[name] or first[name].group is not Group.INPUT:
                if first[name].group is Group.OUTPUT and second[name].group is Group.INPUT:
                    self._output(plant, {name: _output_named(plant, name)}, name, name)  # or an algebraic loop
                raise ModelError(
                    f"'{name}' is a signal of the mechanism and of the controller; rename it in the controller"
                )


def _signals_of(part: Part, composition: Composition) -> dict[str, Signal]:
    """What the caller sees of a part, by name."""
    inner = {*composition.measured, *composition.driven}
    outer = [each for each in part.sequence.inputs if each.group is not Group.INPUT or each.name not in inner]
    return {each.name: each for each in (*outer, *(each.signal for each in part.sequence.outputs))}


def _give_parameters(part: Part, given: dict[str, Value]) -> None:
    """Tunable parameters, until they are hoisted."""
    for signal in part.sequence.inputs:
        if signal.group is Group.PARAMETER:
            if signal.name not in given:
                given[signal.name] = part.builder.input(signal)
            part.give(Group.PARAMETER, signal.name, given[signal.name])


def _input_named(part: Part, name: str) -> Signal:
    return next(each for each in part.sequence.inputs if each.group is Group.INPUT and each.name == name)


def _output_named(part: Part, name: str) -> Output:
    return next(each for each in part.sequence.outputs if each.signal.name == name)


def _require_unit(reached: Signal, source: Signal, reader: str, giver: str) -> None:
    """Refuse a wire between two dimensions; a number without a unit fits any."""
    if "1" in (reached.unit, source.unit) or parse_unit(reached.unit).dimension == parse_unit(source.unit).dimension:
        return
    raise ModelError(
        f"the {reader}'s input '{reached.name}' is in {reached.unit}, and '{source.name}' of the {giver} in "
        f"{source.unit}; give both the same dimension"
    )


def _within(builder: Builder, value: Value, signal: Signal) -> Value:
    """A signal between the parts, kept within the range of the input that it reaches."""
    low, high = signal.minimum or Fraction(0), signal.maximum or Fraction(0)
    with builder.part(f"{signal.name}.given", f"{signal.name} from the other part"):
        below, above = value < low, value > high
        builder.condition(LIMITED, below | above, "a signal between the parts would leave its range")
        return builder.select(above, high, builder.select(below, low, value))


def _tunable(composition: Composition) -> tuple[Signal, ...]:
    """Tunable parameters of both parts; what both have is alike, and the mechanism's stands for both."""
    of_controller = [parameter_signal(each) for each in composition.controller.parameters if not each.frozen]
    found = {each.name: each for each in of_controller} | {
        each.name: each for each in tunable_signals(composition.mechanism)
    }
    return tuple(found.values())


def _frozen(composition: Composition) -> tuple[FrozenParameter, ...]:
    """Frozen parameters of both parts; what both have is alike."""
    every = (*composition.mechanism.parameters, *composition.controller.parameters)
    found = {each.name: each for each in reversed(every) if each.frozen}
    return tuple(FrozenParameter(each.name, each.value, each.unit, each.about) for each in reversed(found.values()))


def _wiring_notes(composition: Composition) -> tuple[str, ...]:
    reads = ", ".join(f"{name} from {source}" for name, source in composition.measured.items()) or "nothing"
    drives = ", ".join(f"{name} by {source}" for name, source in composition.driven.items())
    return (
        f"{composition.controller.name} reads {reads} of {composition.mechanism.name} at the present state and drives "
        f"{drives}, held during the step",
    )
