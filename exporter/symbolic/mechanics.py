"""Models from `sympy.physics.mechanics`: what Kane's or Lagrange's method has formed becomes a symbolic model.

In: a `KanesMethod` after `kanes_equations()`, or a `LagrangesMethod` after `form_lagranges_equations()`. Out: a
`SymbolicModel`. Its mass matrix and forcing become a solve step for the accelerations; with a period the coordinates
and speeds are states, without one they are inputs. Dependent coordinates follow from their constraints, in turn.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from exporter.errors import ModelError
from exporter.model.mechanism import Input, Parameter
from exporter.model.nearest import list_words
from exporter.records import dataclass
from exporter.symbolic.explicit_constraints import explicit_coordinates
from exporter.symbolic.model import Definition, LinearSolve, SolveStep, SymbolicModel, SymbolicOutput
from exporter.symbolic.policies import Division, Root
from exporter.symbolic.state_declaration import state
from exporter.symbolic.symbol_names import leaf_name

Expression = Any
_SP: Any = sp  # it is untyped
_SYMBOL: Any = sp.Symbol


@dataclass(frozen=True)
class Formed:
    """Equations of motion in names: matrix * accelerations = forcing, and how coordinates and speeds depend."""

    coordinates: tuple[str, ...]  # independent ones
    dependent: tuple[str, ...]  # coordinates that constraints give
    speeds: tuple[str, ...]  # independent ones
    dependent_speeds: tuple[str, ...]
    kinematics: Mapping[str, Expression]  # rate of each coordinate
    unknowns: tuple[str, ...]  # accelerations of all speeds, then multipliers
    matrix: Sequence[Sequence[Expression]]
    forcing: Sequence[Expression]
    configuration: Sequence[Expression]  # each is zero
    velocity: tuple[Any, Any] | None  # (matrix, rest): matrix * all speeds + rest is zero


def from_mechanics(  # noqa: PLR0913 - everything but the name, the method and the ranges is optional, and named
    name: str,
    method: Any,
    *,
    ranges: Mapping[Any, tuple[Any, Any]],
    start: Mapping[Any, Any] | None = None,
    parameters: Iterable[Parameter] = (),
    inputs: Iterable[Input] = (),
    outputs: Iterable[SymbolicOutput] = (),
    driven: Iterable[Any] = (),
    period: Any = None,
    integrator: str = "rk4",
    threshold: Any = "1e-6",
    **more: Any,
) -> SymbolicModel:
    """A symbolic model of a system that SymPy has formed the equations of.

    Args:
        name: C prefix of the export.
        method: `KanesMethod` or `LagrangesMethod`, formed.
        ranges: of each independent coordinate and speed, and of what is driven: by symbol or name, as for `state`.
        start: of coordinates and speeds, 0 without; tells the roots of dependent coordinates too.
        parameters: the constants of the system, by their names.
        inputs: forces and other specified quantities.
        outputs: besides the accelerations, in coordinates, speeds and accelerations (`u.rate`).
        driven: dependent coordinates that are given as inputs instead of being solved.
        period: of a step, with a unit; None: one function `evaluate` of coordinates and speeds.
        integrator: "rk4" or "euler".
        threshold: of the pivots of both solve steps, and of denominators where `division` says nothing else.
        more: of `SymbolicModel`: title, division, root and so on.

    Raises:
        ModelError: the equations are not formed, a range is missing, a constraint cannot be solved in turn, or a
            system with multipliers is to be stepped.
    """
    formed = _formed(method)
    widths = {_named(key): value for key, value in ranges.items()}
    begin = {_named(key): value for key, value in (start or {}).items()}
    given = tuple(_named(each) for each in driven)
    _require_ranges(formed, widths, given)
    _require_driven(formed, given)
    if period is not None and len(formed.unknowns) > len(formed.speeds) + len(formed.dependent_speeds):
        raise ModelError(
            f"'{name}' has multipliers, and its coordinates would drift from the constraints when stepped; form it by "
            "KanesMethod with dependent coordinates and speeds, or leave period= out"
        )
    steps = (*_dependent(formed, given, begin, parameters), *_solves(formed, threshold))
    moving = (*formed.coordinates, *formed.speeds)
    taken = given if period is not None else (*moving, *given)
    return SymbolicModel(
        name=name,
        inputs=(*(_input(each, widths[each], begin.get(each)) for each in taken), *inputs),
        outputs=(*(SymbolicOutput(f"{each}.out", _SYMBOL(each)) for each in formed.unknowns), *outputs),
        parameters=tuple(parameters),
        steps=steps,
        states=_states(formed, widths, begin) if period is not None else (),
        period=period,
        method=integrator,
        **{"division": Division(threshold), "root": Root(), **more},
    )


def _formed(method: Any) -> Formed:
    from sympy.physics.mechanics import KanesMethod, LagrangesMethod  # noqa: PLC0415 - it is slow to import

    if isinstance(method, KanesMethod):
        return _of_kane(method)
    if isinstance(method, LagrangesMethod):
        return _of_lagrange(method)
    raise ModelError(f"{type(method).__name__} is neither KanesMethod nor LagrangesMethod; form the equations by one")


def _of_kane(kane: Any) -> Formed:
    try:
        mass, forcing = kane.mass_matrix, kane.forcing
    except ValueError as error:
        raise ModelError("the equations are not formed; call kanes_equations(bodies, loads) first") from error
    rates = kane.kindiffdict()
    coordinates, speeds = ([_named(each) for each in column] for column in (kane.q, kane.u))
    following = len(coordinates) - len(kane._qdep)
    free = len(speeds) - len(kane._udep)
    put = _replacing(rates)
    velocity = (put(kane._k_nh), put(kane._f_nh)) if len(kane._udep) else None
    return Formed(
        tuple(coordinates[:following]),
        tuple(coordinates[following:]),
        tuple(speeds[:free]),
        tuple(speeds[free:]),
        {_named(rate.args[0]): put(value) for rate, value in rates.items()},
        tuple(f"{each}.rate" for each in speeds),
        put(mass).tolist(),
        list(put(forcing)),
        list(put(kane._f_h)),
        velocity,
    )


def _of_lagrange(lagrange: Any) -> Formed:
    try:
        mass, forcing = lagrange.mass_matrix_full, lagrange.forcing_full
    except (ValueError, AttributeError, TypeError) as error:
        raise ModelError("the equations are not formed; call form_lagranges_equations() first") from error
    names = [_named(each) for each in lagrange.q]
    count, size = len(names), mass.shape[0]
    put = _replacing({})
    multipliers = [f"multiplier{number + 1}" for number in range(size - 2 * count)]
    return Formed(
        tuple(names),
        (),
        tuple(f"{each}.rate" for each in names),
        (),
        {each: _SYMBOL(f"{each}.rate") for each in names},
        (*(f"{each}.acceleration" for each in names), *multipliers),
        put(mass[count:, count:]).tolist(),
        list(put(forcing[count:, :])),
        (),
        None,
    )


def _named(each: Any) -> str:
    found = each if isinstance(each, str) else leaf_name(each)
    if found is None:
        raise ModelError(f"{each} is no coordinate or speed; write its symbol or its name")
    return str(found)


def _in_names(node: Any) -> Any:
    """Symbols in place of functions of time and of their derivatives."""
    timed = (part for part in node.atoms(sp.Derivative, AppliedUndef) if leaf_name(part) is not None)
    return node.xreplace({part: _SYMBOL(leaf_name(part)) for part in timed})


def _replacing(rates: Mapping[Any, Any]) -> Any:
    """What puts names in place of functions of time, and rates of coordinates by the speeds."""
    by_speeds = dict(rates)

    def put(value: Any) -> Any:
        whole = value.xreplace(by_speeds)
        return whole.applyfunc(_in_names) if hasattr(whole, "applyfunc") else _in_names(whole)

    return put


def _require_ranges(formed: Formed, ranges: Mapping[str, Any], driven: tuple[str, ...]) -> None:
    for each in (*formed.coordinates, *formed.speeds, *driven):
        if each not in ranges:
            raise ModelError(f"'{each}' has no range; give ranges={{'{each}': (minimum, maximum)}}")


def _require_driven(formed: Formed, driven: tuple[str, ...]) -> None:
    for each in driven:
        if each not in formed.dependent:
            raise ModelError(
                f"'{each}' is driven and no dependent coordinate; those are {list_words(formed.dependent) or 'none'}"
            )


def _dependent(
    formed: Formed, driven: tuple[str, ...], start: Mapping[str, Any], parameters: Iterable[Parameter]
) -> list[SolveStep]:
    """Dependent coordinates from the constraints, those that are driven left out."""
    wanted = [each for each in formed.dependent if each not in driven]
    if not wanted:
        return []
    values = {each.name: each.value for each in parameters}
    values |= {each: start.get(each, 0) for each in (*formed.coordinates, *formed.dependent)}
    found = explicit_coordinates(list(formed.configuration), wanted, values)
    return [Definition(each, expression, "from its constraint") for each, expression in found]


def _solves(formed: Formed, threshold: Any) -> list[SolveStep]:
    from exporter.symbolic import solve  # noqa: PLC0415 - the front door imports this module

    steps: list[SolveStep] = []
    if formed.velocity is not None:
        matrix, rest = formed.velocity
        count = len(formed.speeds)
        known = _SP.Matrix([_SYMBOL(each) for each in formed.speeds])
        right = -(matrix[:, :count] * known + rest)
        about = "velocity constraints"
        steps.append(solve(formed.dependent_speeds, matrix[:, count:], right, threshold=threshold, about=about))
    about = "equations of motion"
    step: LinearSolve = solve(formed.unknowns, formed.matrix, formed.forcing, threshold=threshold, about=about)
    return [*steps, step]


def _input(name: str, limits: tuple[Any, Any], start: Any) -> Input:
    from exporter.symbolic import given  # noqa: PLC0415 - the front door imports this module

    return given(name, *limits, nominal=start)


def _states(formed: Formed, ranges: Mapping[str, tuple[Any, Any]], start: Mapping[str, Any]) -> tuple[Any, ...]:
    laws = {each: formed.kinematics[each] for each in formed.coordinates}
    laws |= dict(zip(formed.speeds, (_SYMBOL(each) for each in formed.unknowns), strict=False))
    return tuple(state(each, *ranges[each], rate=law, start=start.get(each)) for each, law in laws.items())
