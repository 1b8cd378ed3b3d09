"""Sets of parameter values at which what must hold for every value of the tunable parameters is tried.

In: a `Mechanism`. Out: values in SI units by name: the nominal ones, every end of a range alone, all
smallest and all largest together, and random ones, the same at every call. What is an identity in the parameters holds
at all of them; what holds at the nominal values only, or where two parameters are equal, fails at a random one.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from exporter.model.evaluate import names
from exporter.model.mechanism import Frame, Mechanism, Parameter

RANDOM_SETS = 6  # random sets
SEED = 1785
VALUE_STEPS = 10**6  # of a random value within its range

Values = dict[str, Fraction]


def shaping_names(mechanism: Mechanism) -> frozenset[str]:
    """The parameters that are set at run time and that the place or direction of a joint, or a ratio, depends on."""
    frames = [frame for joint in mechanism.joints for frame in (joint.parent, joint.child)]
    ratios = [formula for each in mechanism.couplings for formula in (*each.ratios.values(), each.offset)]
    return frozenset(mechanism.tunable_names()) & (_names_in(frames) | {n for each in ratios for n in names(each)})


def placing_names(mechanism: Mechanism) -> frozenset[str]:
    """The parameters that are set at run time and that positions depend on, those of points and lines too."""
    frames = [frame for body in mechanism.bodies for frame in body.frames]
    frames += [frame for each in mechanism.distances.values() for frame in (each.start, each.end)]
    frames += [frame for each in mechanism.angles.values() for frame in (each.start, each.end, each.seen_from)]
    return shaping_names(mechanism) | (frozenset(mechanism.tunable_names()) & _names_in(frames))


def _names_in(frames: Sequence[Frame]) -> frozenset[str]:
    """The names in where frames are and how they are turned."""
    formulas = (part for frame in frames for part in (*frame.at, *(angle for _, angle in frame.rotation.turns)))
    return frozenset(name for formula in formulas for name in names(formula))


def parameter_sets(mechanism: Mechanism) -> tuple[Values, ...]:
    """All sets, the nominal one first; that one alone where every parameter is frozen."""
    nominal = mechanism.nominal_values()
    ranged = [(each, *_bounds(each)) for each in mechanism.parameters if not each.frozen]
    if not ranged:
        return (nominal,)
    single = [{each.name: value} for each, low, high in ranged for value in (low, high)]
    together = [{each.name: bounds[end] for each, *bounds in ranged} for end in (0, 1)]
    generator = random.Random(SEED)
    drawn = [
        {each.name: _between(generator, each, low, high) for each, low, high in ranged} for _ in range(RANDOM_SETS)
    ]
    return (nominal, *({**nominal, **changed} for changed in (*single, *together, *drawn)))


def frozen_at_nominal(mechanism: Mechanism) -> Mechanism:
    """The mechanism with every parameter frozen at its value: equal, whichever are tunable and over which ranges."""
    frozen = tuple(replace(each, frozen=True, minimum=None, maximum=None) for each in mechanism.parameters)
    return replace(mechanism, parameters=frozen, model_hash=mechanism.name)


def generic(mechanism: Mechanism) -> Mechanism:
    """The mechanism at a random set: what holds there holds nearly everywhere. Itself where all is frozen."""
    return mechanism.at_values(parameter_sets(mechanism)[-1]) if mechanism.tunable_names() else mechanism


def set_text(mechanism: Mechanism, values: Mapping[str, Fraction]) -> str:
    """The tunable parameters of a set as words: "h = 0.2 m, r = 0.1 m"."""
    return ", ".join(
        f"{each.name} = {float(values[each.name]):.6g} {each.unit}".removesuffix(" 1")
        for each in mechanism.parameters
        if not each.frozen
    )


def _bounds(parameter: Parameter) -> tuple[Fraction, Fraction]:
    low = parameter.value if parameter.minimum is None else parameter.minimum
    return low, parameter.value if parameter.maximum is None else parameter.maximum


def _between(generator: random.Random, parameter: Parameter, low: Fraction, high: Fraction) -> Fraction:
    value = low + (high - low) * Fraction(generator.randrange(1, VALUE_STEPS), VALUE_STEPS)
    return Fraction(round(value)) if parameter.integer else value
