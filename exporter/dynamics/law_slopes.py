"""The slopes of a formula: its value with derivatives by some of the names that it reads.

In: a formula and a `Scope` that knows all of its names. Out: the value and, by name, the derivative, written into the
sequence. Where a formula has a kink (abs, min, max) the slope is that of the branch that is taken.
"""

from collections.abc import Sequence

from exporter.kinematics.protocol.scope import Scope
from exporter.model.evaluate import names
from exporter.model.expression import Binary, Call, Expression, Lookup, Name, Power
from exporter.sequence.builder import Value

Slopes = tuple[Value, ...]


def slopes_of(scope: Scope, formula: Expression, by: Sequence[str]) -> Slopes:
    """The derivatives of a formula by these names, in their order; other names are held.

    Raises:
        ModelError: the formula names something that the scope does not know.
    """
    zero = scope.builder.real(0)
    if not names(formula) & set(by):
        return tuple(zero for _ in by)
    match formula:
        case Name(name):
            return tuple(scope.builder.real(int(name == each)) for each in by)
        case Binary(operator, left, right):
            return _of_binary(scope, operator, (left, right), by)
        case Power(base, exponent):
            factor = exponent * scope.value(Power(base, exponent - 1)) if exponent != 1 else scope.builder.real(1)
            return tuple(factor * slope for slope in slopes_of(scope, base, by))
        case Call():
            return _of_call(scope, formula, by)
        case Lookup(_, arguments):
            inner = [slopes_of(scope, argument, by) for argument in arguments]
            outer = scope.slopes_of_table(formula)
            scaled = [_scaled(slope, parts) for slope, parts in zip(outer, inner, strict=True)]
            return scaled[0] if len(scaled) == 1 else tuple(a + b for a, b in zip(*scaled, strict=True))
    raise AssertionError(formula)


def _of_binary(scope: Scope, operator: str, operands: tuple[Expression, Expression], by: Sequence[str]) -> Slopes:
    left, right = (slopes_of(scope, operand, by) for operand in operands)
    pairs = list(zip(left, right, strict=True))
    match operator:
        case "+":
            return tuple(one + other for one, other in pairs)
        case "-":
            return tuple(one - other for one, other in pairs)
        case "*":
            a, b = (scope.value(operand) for operand in operands)
            return tuple(one * b + a * other for one, other in pairs)
    quotient, divisor = scope.value(Binary("/", *operands)), scope.value(operands[1])
    return tuple((one - quotient * other) / divisor for one, other in pairs)


def _of_call(scope: Scope, call: Call, by: Sequence[str]) -> Slopes:
    inner = [slopes_of(scope, argument, by) for argument in call.arguments]
    values = [scope.value(argument) for argument in call.arguments]
    select = scope.builder.select
    match call.function:
        case "min":
            return tuple(select(values[0] < values[1], one, other) for one, other in zip(*inner, strict=True))
        case "max":
            return tuple(select(values[0] < values[1], other, one) for one, other in zip(*inner, strict=True))
        case "abs":
            return tuple(select(values[0] < 0, -slope, slope) for slope in inner[0])
        case "pow":
            return _of_power(scope, call, values, inner)
    return _scaled(_derivative(scope, call, values[0]), inner[0])


def _derivative(scope: Scope, call: Call, argument: Value) -> Value:
    """The derivative of a function of one argument."""
    match call.function:
        case "sin":
            return scope.value(Call("cos", call.arguments))
        case "cos":
            return -scope.value(Call("sin", call.arguments))
        case "exp":
            return scope.value(call)
        case "log":
            return 1 / scope.positive(argument)
        case "tanh":
            return 1 - scope.builder.square(scope.value(call))
    return 1 / (2 * scope.value(call))  # sqrt


def _of_power(scope: Scope, call: Call, values: Sequence[Value], inner: Sequence[Slopes]) -> Slopes:
    """x^y (y x'/x + y' log x)."""
    base, power = scope.positive(values[0]), scope.value(call)
    by_base = _scaled(power * (values[1] / base), inner[0])
    if all(slope.constant == 0 for slope in inner[1]):
        return by_base
    return tuple(a + b for a, b in zip(by_base, _scaled(power * scope.builder.log(base), inner[1]), strict=True))


def _scaled(factor: Value, slopes: Slopes) -> Slopes:
    return tuple(factor * slope for slope in slopes)
