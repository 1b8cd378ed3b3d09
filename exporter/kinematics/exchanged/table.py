"""The table of exchanged coordinates: polynomials of the smallest degree from which Newton steps reach rounding.

In: an `Exchange` and its assembled design pose. Out: a `SeedTable`. Whether a degree suffices is tried with
the very sequence that is exported, in float64, at corners and random places of the ranges. Powers of few variables
cost less than a step, which takes the whole pose and its Jacobian: what is cheaper, one step from a high degree or two
from a low one, is counted. Of several variables, and where tunable parameters move joints, two.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from exporter.errors import RangesRefused
from exporter.kinematics.exchanged.following import Array, Probe, follow_targets, probe_of, steps_reach
from exporter.kinematics.exchanged.form import MOST_STEPS, Exchange, ExchangedForm, Seed, SeedTable
from exporter.kinematics.exchanged.limits import limits_of
from exporter.kinematics.exchanged.solution import ExchangedSolution
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.seeded.seed import (
    TRIED_DECIMALS,
    Box,
    Fit,
    box_of,
    corners,
    exponents_of,
    fit_polynomials,
    split_constant,
    spread,
)
from exporter.model.parameter_sets import shaping_names
from exporter.sequence.builder import Builder
from exporter.sequence.cost import cost
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal
from exporter.sequence.weights import score

Tell = Callable[[str], None]

HIGHEST_DEGREE = 16  # total degree that is tried
MOST_COEFFICIENTS = 500  # coefficients of one polynomial
MOST_VARIABLES = 1  # of which a table for one step is tried: of two it was as large as the step that it saves
PLACES_PER_COEFFICIENT = 4  # places of the fit per coefficient
FEWEST_PLACES = 60  # places of the fit
TRIAL_PLACES = 2000  # random places at which a degree is tried
LEAST_STEP_LIMIT = 1e-6  # rad or m: a Newton step is not limited to less
ERROR_MARGIN = 4  # of the largest error of a fit, for places in between
LARGEST_OMITTED_COEFFICIENT = (
    1 / 16
)  # in units of the coordinates: coefficients below this, halved time and again, are left out
MOST_THINNINGS = 20
RESIDUAL_ROUNDING, ROUNDING_PER_COORDINATE = (
    3e-15,
    1e-15,
)  # residual that the steps may leave, and more of it per given coordinate
SEED = 20110831


def table_of(exchange: Exchange, design: dict[str, float], tell: Tell) -> SeedTable:
    """The smallest table that suffices.

    Raises:
        RangesRefused: a range is wider than a turn, is not reached from the design pose, or needs too large a table.
    """
    mechanism = exchange.mechanism
    box = box_of([mechanism.ranges[name] for name in mechanism.independent])
    _check_turns(exchange, box)
    probe = probe_of(exchange)
    few = len(mechanism.independent) <= MOST_VARIABLES and not shaping_names(mechanism)
    numbers = range(1 if few else MOST_STEPS, MOST_STEPS + 1)
    tables = [_smallest_table(probe, design, box, steps, tell) for steps in numbers]
    known = [table for table in tables if table is not None]
    if known:
        return min(known, key=lambda table: score(cost(_sequence(_solution(exchange, table)))))
    raise RangesRefused(
        f"{mechanism.name}: no polynomial of up to degree {HIGHEST_DEGREE} and {MOST_COEFFICIENTS} coefficients "
        f"seeds {MOST_STEPS} Newton steps for {', '.join(exchange.sought)} over the ranges of "
        f"{', '.join(mechanism.independent)}"
    )


def _smallest_table(probe: Probe, design: dict[str, float], box: Box, steps: int, tell: Tell) -> SeedTable | None:
    """The table of the smallest degree from which so many steps suffice; None where no degree does."""
    exchange, count = probe.exchange, len(probe.exchange.mechanism.independent)
    known = corners(count)
    places, values = known, follow_targets(probe, design, box.place(known))
    limits = limits_of(probe, values, box.place(places))
    for degree in range(1, HIGHEST_DEGREE + 1):
        size = len(exponents_of(count, degree))
        if size > MOST_COEFFICIENTS:
            break
        tell(f"table of degree {degree} for {', '.join(exchange.sought)}: {size} coefficients each")
        wanted = max(FEWEST_PLACES, PLACES_PER_COEFFICIENT * size)
        if len(places) < wanted + len(known):
            places = np.vstack([known, spread(count, 2 * wanted)])
            values = follow_targets(probe, design, box.place(places))
            limits = limits_of(probe, values, box.place(places))
        for fit in _thinned_fits(probe, fit_polynomials(places, values, degree), box.place(places), steps):
            table = SeedTable(degree, box, _seeds(exchange, fit, values), limits, steps)
            if _reaches_values(exchange, table, places, values):
                return table
    return None


def _seeds(exchange: Exchange, fit: Fit, values: Array) -> tuple[Seed, ...]:
    """The polynomials with what was found of their sizes; with tunable parameters the steps may be long."""
    tunable = bool(exchange.mechanism.tunable_names())
    steps = np.maximum(ERROR_MARGIN * np.abs(fit.values() - values).max(axis=0), LEAST_STEP_LIMIT)
    seeds = []
    for name, polynomial, step, column in zip(exchange.sought, fit.polynomials(), steps, values.T, strict=True):
        middle, rest = split_constant(polynomial)
        reach = np.abs(column - float(middle)).max() + step
        longest = exchange.longest_step(name)
        longest = longest if tunable else min(longest, Fraction(f"{step:.2g}"))
        seeds.append(Seed(middle, rest, Fraction(f"{float(reach):.3g}") + longest, longest))
    return tuple(seeds)


def _thinned_fits(probe: Probe, fit: Fit, targets: Array, steps: int) -> Iterator[Fit]:
    """Fits from which the steps come near, those with the fewest coefficients first, each with few decimals."""
    if not steps_reach(probe, fit.values(), targets, steps):
        return
    units = np.array([float(probe.exchange.unit(name)) for name in probe.exchange.sought])
    for number in range(MOST_THINNINGS):
        thin = fit.without_small(units * LARGEST_OMITTED_COEFFICIENT / 2**number)
        if steps_reach(probe, thin.values(), targets, steps):
            yield _rounded_fit(probe, thin, units, targets, steps)
    yield _rounded_fit(probe, fit, units, targets, steps)


def _rounded_fit(probe: Probe, fit: Fit, units: Array, targets: Array, steps: int) -> Fit:
    """With one decimal more than the fewest from which the steps come near: between the places more is left."""
    enough = (n for n in TRIED_DECIMALS if steps_reach(probe, fit.rounded(n, units.tolist()).values(), targets, steps))
    return fit.rounded(next(enough, TRIED_DECIMALS[-1]) + 1, units.tolist())


def _check_turns(exchange: Exchange, box: Box) -> None:
    mechanism = exchange.mechanism
    for name, half in zip(mechanism.independent, box.half, strict=True):
        if mechanism.is_angle(name) and half > np.pi:
            raise RangesRefused(
                f"{mechanism.name}: driven by {', '.join(mechanism.independent)} it is solved through a table, and the "
                f"range of {name} is wider than a turn, over which no table can be made"
            )


def _reaches_values(exchange: Exchange, table: SeedTable, places: Array, values: Array) -> bool:
    """Whether the steps end at the values, and leave nothing there and at random places."""
    count = places.shape[1]
    generator = np.random.Generator(np.random.Philox(SEED))
    everywhere = np.vstack([places, generator.uniform(-1, 1, (TRIAL_PLACES, count))])
    sequence = _sequence(_solution(exchange, table))
    result = interpret(sequence, table.box.place(everywhere))
    residual, found = result.outputs[:, 0], result.outputs[: len(places), 1:]
    units = np.array([float(exchange.unit(name)) for name in exchange.sought])
    return bool(
        residual.max() < RESIDUAL_ROUNDING + ROUNDING_PER_COORDINATE * len(exchange.given)
        and (np.abs(found - values) / units).max() < 1e-9
        and not result.status.any()
    )


def _solution(exchange: Exchange, table: SeedTable) -> ExchangedSolution:
    return ExchangedSolution(ExchangedForm(exchange, table, None))


def _sequence(solution: ExchangedSolution) -> OperationSequence:
    """Residual and sought coordinates at the end of the steps."""
    exchange = solution.form.exchange
    builder = Builder("steps", "float64")
    given = {name: builder.input(Signal(name, "1")) for name in exchange.mechanism.independent}
    pose = solution.solve(builder, Scope(builder, exchange.mechanism, nominal=True), given)
    builder.output(Signal("residual", "1", group=Group.OUTPUT), pose.margins[-1].value)
    for name in exchange.sought:
        builder.output(Signal(name, "1", group=Group.OUTPUT), pose.transfer.at[name])
    return builder.finish()
