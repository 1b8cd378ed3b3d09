"""The reference of a symbolic model: mpmath along a tape that its own walk over the SymPy expressions writes.

In: a `SymbolicModel`; out: outputs of one row with many digits, each with a bound of what rounding at a given unit may
do to it (running error analysis, Higham 2002, section 3.3). The walk is iterative and visits a shared node once.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath

from exporter.errors import ModelError
from sil.reference.symbolic_tables import CLASSES, table_arguments, table_value

if TYPE_CHECKING:
    from exporter.symbolic.model import SymbolicModel

mp: Any = mpmath  # it is untyped
DIGITS = 40  # decimal ones of the reference
KERNEL_ULPS = 4
"""Units in the last place that an elementary function may be wrong by, at most."""


@dataclass(frozen=True, slots=True)
class Approximate:
    """A number and a bound of its error, both mpf; a truth value has error 0."""

    value: Any
    error: Any


@dataclass(frozen=True, slots=True)
class Instruction:
    """One node: what it is and which earlier ones it reads."""

    node: Any
    operands: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tape:
    """Nodes of some expressions in evaluation order, and where each expression ended up."""

    instructions: tuple[Instruction, ...]
    results: tuple[int, ...]


def tape_of(expressions: list[Any]) -> Tape:
    """Walk expressions depth first on a stack of our own."""
    place: dict[int, int] = {}
    instructions: list[Instruction] = []
    for expression in expressions:
        stack = [expression]
        while stack:
            node = stack[-1]
            parts = _parts(node)
            missing = [part for part in parts if id(part) not in place]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if id(node) not in place:
                place[id(node)] = len(instructions)
                instructions.append(Instruction(node, tuple(place[id(part)] for part in parts)))
    return Tape(tuple(instructions), tuple(place[id(expression)] for expression in expressions))


def _parts(node: Any) -> tuple[Any, ...]:
    if _is_leaf(node):
        return ()
    return table_arguments(node) if type(node).__name__ in CLASSES else tuple(node.args)


def _is_leaf(node: Any) -> bool:
    return bool(node.is_Symbol or type(node).__name__ == "Indexed" or not node.args)


@dataclass(frozen=True, slots=True)
class SymbolicReference:
    """A symbolic model that can be asked, one row at a time."""

    model: "SymbolicModel"
    steps: tuple[Tape, ...]
    outputs: Tape
    held: Mapping[str, float]  # tunable parameters, as the C holds them; others are rounded when they are used

    def evaluate(self, inputs: Mapping[str, float], unit: float) -> dict[str, Approximate]:
        """Outputs by name; `unit` is the rounding unit of the export's type (2^-24, 2^-53).

        Raises:
            ModelError: an expression uses a function that the reference does not know.
        """
        with mp.workdps(DIGITS):
            known = self.known_at({name: Approximate(mp.mpf(value), mp.mpf(0)) for name, value in inputs.items()}, unit)
            return self.outputs_of(known, unit)

    def parameters_at(self, unit: float) -> dict[str, Approximate]:
        """Every parameter; tunable ones are exactly what the C holds."""
        held = {name: Approximate(mp.mpf(value), mp.mpf(0)) for name, value in self.held.items()}
        return {each.name: held.get(each.name) or constant_of(each.value, unit) for each in self.model.parameters}

    def known_at(self, inputs: Mapping[str, Approximate], unit: float) -> dict[str, Approximate]:
        """Inputs, parameters and what the steps define; within `mp.workdps(DIGITS)`."""
        from exporter.symbolic.model import Definition  # noqa: PLC0415 - SymPy only for a symbolic model

        known = {**inputs, **self.parameters_at(unit)}
        for step, tape in zip(self.model.steps, self.steps, strict=True):
            values = run_tape(tape, known, unit)
            if isinstance(step, Definition):
                known[step.name] = values[0]
            else:
                known.update(zip(step.unknowns, _solve_system(values, len(step.unknowns), unit), strict=True))
        return known

    def outputs_of(self, known: Mapping[str, Approximate], unit: float) -> dict[str, Approximate]:
        """Outputs by name, where all this is known."""
        names = [output.name for output in self.model.outputs]
        return dict(zip(names, run_tape(self.outputs, known, unit), strict=True))


def symbolic_reference_of(model: "SymbolicModel", held: Mapping[str, float] | None = None) -> SymbolicReference:
    """Write the tapes of a model; `held` are values of tunable parameters, none where they are the model's own."""
    from exporter.symbolic.model import Definition  # noqa: PLC0415 - SymPy only for a symbolic model

    tapes = []
    for step in model.steps:
        if isinstance(step, Definition):
            tapes.append(tape_of([step.expression]))
        else:
            tapes.append(tape_of([*(entry for row in step.matrix for entry in row), *step.right]))
    outputs = tape_of([output.expression for output in model.outputs])
    return SymbolicReference(model, tuple(tapes), outputs, held or {})


def constant_of(exact: Fraction | int, unit: float) -> Approximate:
    """A rational number rounded once; exactly where the type holds it."""
    value = mp.mpf(exact.numerator) / exact.denominator
    return Approximate(value, _rounding(value, unit))


def _rounding(value: Any, unit: float) -> Any:
    """What rounding to the type may do to a constant: nothing where its digits fit."""
    fits = not mp.isfinite(value) or mp.mpf(value).man_exp[0].bit_length() <= round(-math.log2(unit))
    return mp.mpf(0) if fits else abs(value) * unit


def run_tape(tape: Tape, known: Mapping[str, Approximate], unit: float) -> list[Approximate]:
    """The results of a tape; within `mp.workdps(DIGITS)`."""
    values: list[Approximate] = []
    for instruction in tape.instructions:
        operands = [values[index] for index in instruction.operands]
        values.append(_apply(instruction.node, operands, known, unit))
    return [values[index] for index in tape.results]


def _apply(node: Any, operands: list[Approximate], known: Mapping[str, Approximate], unit: float) -> Approximate:
    if node.is_Symbol or type(node).__name__ == "Indexed":
        return _value_of(str(node), known)
    if not operands:
        return _constant(node, unit)
    kind = _kind_of(node)
    if kind in CLASSES:
        return Approximate(*table_value(node, [(each.value, each.error) for each in operands], unit))
    if kind in _RULES:
        return _RULES[kind](operands, unit)
    if kind in _SMOOTH_FUNCTIONS:
        return _smooth(kind, operands[0], unit)
    raise ModelError(f"the symbolic reference does not know '{kind}'")


def _kind_of(node: Any) -> str:
    """The class of a node; of powers that no chain of products and a root give, a name of their own."""
    kind = type(node).__name__
    if kind == "Pow" and not (node.args[1].is_Rational and node.args[1].q in (1, 2)):
        return "real power"
    return kind


def _value_of(name: str, known: Mapping[str, Approximate]) -> Approximate:
    if name not in known:
        raise ModelError(f"'{name}' is neither an input, a parameter nor an earlier step of the model")
    return known[name]


def _constant(node: Any, unit: float) -> Approximate:
    if node.is_Boolean:
        return Approximate(bool(node), mp.mpf(0))
    value = mp.mpf(node.p) / node.q if node.is_Rational else mp.mpmathify(node.evalf(DIGITS + 5))
    return Approximate(value, _rounding(value, unit))


def _add(operands: list[Approximate], unit: float) -> Approximate:
    total, error, size = mp.mpf(0), mp.mpf(0), mp.mpf(0)
    for operand in operands:
        total += operand.value
        error += operand.error
        size += abs(operand.value)
    return Approximate(total, error + (len(operands) - 1) * unit * size)


def _mul(operands: list[Approximate], unit: float) -> Approximate:
    product, error = operands[0].value, operands[0].error
    for operand in operands[1:]:
        error = error * abs(operand.value) + abs(product) * operand.error + error * operand.error
        product = product * operand.value
        error += abs(product) * unit
    return Approximate(product, error)


def _pow(operands: list[Approximate], unit: float) -> Approximate:
    base, exponent = operands[0].value, operands[1].value
    if base == 0 and exponent < 0:
        return Approximate(mp.inf, mp.inf)
    value = mp.power(base, exponent)
    if isinstance(value, mp.mpc):
        return Approximate(mp.nan, mp.inf)
    steps = 2 * max(abs(exponent), 1)
    if base == 0:
        return Approximate(value, operands[0].error ** min(exponent, 1))
    return Approximate(value, abs(exponent * value / base) * operands[0].error + steps * unit * abs(value))


def _real_power(operands: list[Approximate], unit: float) -> Approximate:
    """A power by a kernel: at the ends of what base and exponent may be, first order apart."""
    base, exponent = operands
    value = mp.nan if base.value == 0 and exponent.value < 0 else mp.power(base.value, exponent.value)
    if isinstance(value, mp.mpc) or mp.isnan(value):
        return Approximate(mp.nan, mp.inf)
    ends = [max(base.value - base.error, mp.mpf(0)), base.value + base.error]
    if ends[0] == 0 and exponent.value - exponent.error <= 0:
        return Approximate(value, mp.inf)
    moved = max(abs(mp.power(end, exponent.value) - value) for end in ends)
    turned = abs(value * mp.log(base.value)) * exponent.error if base.value else mp.mpf(0)
    return Approximate(value, moved + turned + 2 * KERNEL_ULPS * unit * abs(value) + smallest_number(unit))


def smallest_number(unit: float) -> Any:
    """Twice the smallest number of the type that has all its digits: what is smaller may be this instead."""
    return mp.mpf(2) ** (-1021 if unit < 1e-10 else -125)


def _floor(operands: list[Approximate], unit: float) -> Approximate:  # noqa: ARG001
    """Where rounding of the argument may pass a whole number the result may be the other one."""
    value, error = operands[0].value, operands[0].error
    return Approximate(mp.floor(value), mp.floor(value + error) - mp.floor(value - error))


def _ceiling(operands: list[Approximate], unit: float) -> Approximate:
    below = _floor([Approximate(-operands[0].value, operands[0].error)], unit)
    return Approximate(-below.value, below.error)


def _mod(operands: list[Approximate], unit: float) -> Approximate:
    """The rest of a division towards minus infinity; next to a multiple it may be at the other end."""
    value, modulus = operands
    if modulus.value == 0:
        return Approximate(mp.nan, mp.inf)
    turns = mp.floor(value.value / modulus.value)
    rest = value.value - turns * modulus.value
    error = value.error + abs(turns) * modulus.error
    size = abs(modulus.value)
    near = error > 0 and min(abs(rest), size - abs(rest)) <= error
    return Approximate(rest, size if near else error + 4 * unit * abs(rest))


def _atan2(operands: list[Approximate], unit: float) -> Approximate:
    y, x = operands
    square = x.value**2 + y.value**2
    value = mp.atan2(y.value, x.value)
    if square == 0 or (x.value < 0 and abs(y.value) <= y.error):
        return Approximate(value, mp.inf)  # on the cut the sign of zero decides between pi and -pi
    error = (abs(x.value) * y.error + abs(y.value) * x.error) / square
    return Approximate(value, error + KERNEL_ULPS * unit * abs(value))


def _extreme(pick: Callable[..., Any]) -> Callable[[list[Approximate], float], Approximate]:
    def rule(operands: list[Approximate], unit: float) -> Approximate:  # noqa: ARG001 - all rules have one form
        chosen = pick(operands, key=lambda operand: operand.value)
        rivals = [o for o in operands if abs(o.value - chosen.value) <= o.error + chosen.error]  # chosen among them
        return Approximate(chosen.value, max((o.error for o in rivals), default=chosen.error))

    return rule


def _clamp_rule(low: Any, high: Any) -> Callable[[list[Approximate], float], Approximate]:
    """The first operand within bounds: what a marker of the model makes of it."""

    def rule(operands: list[Approximate], unit: float) -> Approximate:  # noqa: ARG001
        return Approximate(min(max(operands[0].value, low), high), operands[0].error)

    return rule


def _abs(operands: list[Approximate], unit: float) -> Approximate:  # noqa: ARG001
    return Approximate(abs(operands[0].value), operands[0].error)


def _sign(operands: list[Approximate], unit: float) -> Approximate:  # noqa: ARG001
    near = abs(operands[0].value) <= operands[0].error
    return Approximate(mp.sign(operands[0].value), mp.mpf(2) if near and operands[0].error else mp.mpf(0))


def _unit_step(operands: list[Approximate], unit: float) -> Approximate:  # noqa: ARG001
    value, at_zero = operands
    near = value.error > 0 and abs(value.value) <= value.error
    if value.value == 0:
        return Approximate(at_zero.value, mp.mpf(1) if near else at_zero.error)
    return Approximate(mp.mpf(int(value.value > 0)), mp.mpf(1) if near else mp.mpf(0))


def _piecewise(operands: list[Approximate], unit: float) -> Approximate:  # noqa: ARG001
    unsure = mp.mpf(0)
    for pair in operands:
        value, chosen = pair.value
        unsure += chosen.error
        if chosen.value:
            return Approximate(value.value, value.error + unsure)
    return Approximate(mp.nan, mp.inf)


def _pair(operands: list[Approximate], unit: float) -> Approximate:  # noqa: ARG001
    return Approximate((operands[0], operands[1]), mp.mpf(0))


def _relation(holds: Callable[[Any, Any], bool]) -> Callable[[list[Approximate], float], Approximate]:
    """A comparison that rounding may turn over has an infinite error: whatever depends on it is not judged."""

    def rule(operands: list[Approximate], unit: float) -> Approximate:  # noqa: ARG001
        left, right = operands
        slack = left.error + right.error
        unsure = slack > 0 and abs(left.value - right.value) <= slack
        return Approximate(holds(left.value, right.value), mp.inf if unsure else mp.mpf(0))

    return rule


def _logic(combine: Callable[..., bool]) -> Callable[[list[Approximate], float], Approximate]:
    def rule(operands: list[Approximate], unit: float) -> Approximate:  # noqa: ARG001
        return Approximate(combine(bool(o.value) for o in operands), max(o.error for o in operands))

    return rule


_RULES: dict[str, Callable[[list[Approximate], float], Approximate]] = {
    "Add": _add,
    "Mul": _mul,
    "Pow": _pow,
    "real power": _real_power,
    "atan2": _atan2,
    "floor": _floor,
    "ceiling": _ceiling,
    "Mod": _mod,
    "Abs": _abs,
    "sign": _sign,
    "Heaviside": _unit_step,
    "Min": _extreme(min),
    "Max": _extreme(max),
    "Piecewise": _piecewise,
    "ExprCondPair": _pair,
    "UnevaluatedExpr": lambda operands, unit: operands[0],  # noqa: ARG005
    "Pivot": lambda operands, unit: operands[0],  # noqa: ARG005 - below its threshold a row is flagged and not judged
    "Radicand": _clamp_rule(0, mp.inf),
    "Ratio": _clamp_rule(-1, 1),
    "StrictLessThan": _relation(lambda a, b: bool(a < b)),
    "LessThan": _relation(lambda a, b: bool(a <= b)),
    "StrictGreaterThan": _relation(lambda a, b: bool(a > b)),
    "GreaterThan": _relation(lambda a, b: bool(a >= b)),
    "Equality": _relation(lambda a, b: bool(a == b)),
    "Unequality": _relation(lambda a, b: bool(a != b)),
    "And": _logic(all),
    "Or": _logic(any),
    "Not": _logic(lambda values: not next(iter(values))),
}

_SMOOTH_FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "sin": (mp.sin, mp.cos),
    "cos": (mp.cos, lambda x: -mp.sin(x)),
    "tan": (mp.tan, lambda x: 1 + mp.tan(x) ** 2),
    "asin": (mp.asin, lambda x: 1 / mp.sqrt(abs(1 - x * x))),
    "acos": (mp.acos, lambda x: -1 / mp.sqrt(abs(1 - x * x))),
    "atan": (mp.atan, lambda x: 1 / (1 + x * x)),
    "exp": (mp.exp, mp.exp),
    "log": (mp.log, lambda x: 1 / x),
    "tanh": (mp.tanh, lambda x: 1 - mp.tanh(x) ** 2),
}
"""Function and derivative."""


def _smooth(kind: str, operand: Approximate, unit: float) -> Approximate:
    function, derivative = _SMOOTH_FUNCTIONS[kind]
    if kind == "log" and operand.value <= 2 * operand.error:
        return Approximate(mp.nan, mp.inf)
    value = function(operand.value)
    if isinstance(value, mp.mpc) or (kind in ("asin", "acos") and abs(operand.value) == 1):
        return Approximate(mp.re(value), mp.inf)
    slope = abs(derivative(operand.value))
    through = 2 * KERNEL_ULPS * unit * (abs(value) + (1 if kind == "tan" else 0))
    if kind == "exp":  # its error may be large: to all orders, and no result is zero
        return Approximate(value, value * mp.expm1(operand.error) + through + smallest_number(unit))
    return Approximate(value, slope * operand.error + through)


def _solve_system(values: list[Approximate], size: int, unit: float) -> list[Approximate]:
    """A x = b with the residual bound |A^-1| (dA |x| + db + n^2 u (|A| |x| + |b|)), for elimination without pivoting.

    The growth of unpivoted elimination is not bounded by this; a pivot below its threshold sets a flag instead.
    """
    matrix = mp.matrix(size, size)
    wrong = mp.matrix(size, size)
    right, off = mp.matrix(size, 1), mp.matrix(size, 1)
    for row in range(size):
        for column in range(size):
            entry = values[row * size + column]
            matrix[row, column], wrong[row, column] = entry.value, entry.error
        right[row], off[row] = values[size * size + row].value, values[size * size + row].error
    try:
        inverse = matrix**-1
    except ZeroDivisionError:
        return [Approximate(mp.nan, mp.inf)] * size
    solution = inverse * right
    magnitude = [
        off[row]
        + sum(wrong[row, k] * abs(solution[k]) for k in range(size))
        + 4 * size**2 * unit * (abs(right[row]) + sum(abs(matrix[row, k] * solution[k]) for k in range(size)))
        for row in range(size)
    ]
    bounds = [sum(abs(inverse[row, k]) * magnitude[k] for k in range(size)) for row in range(size)]
    return [Approximate(solution[row], bounds[row]) for row in range(size)]
