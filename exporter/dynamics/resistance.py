"""How much mass and inertia every independent coordinate moves: what pivots of the mass matrix are small against.

In: a Mechanism. Out: for every independent coordinate a sum over bodies of coefficient times mass or moment
of inertia, in the coordinate's own unit (kg m^2 of an angle, kg of a displacement), or a refusal where no pose has a
regular mass matrix. With B the rates of all tree coordinates per independent one and D the diagonal of the mass matrix
in tree coordinates, it is the typical sum of B^2 D over random poses: the size of the terms that an entry of the
diagonal is the sum of, however much they cancel. In the plane angles count against ground, in space those of bodies
that are spanned by their points. Masses stay formulas, so that tunable ones count as they are set.
"""

from fractions import Fraction
from functools import cached_property
from math import log2

import numpy as np

from exporter.dynamics.sampled_motions import geometry, sampled_motions
from exporter.errors import ModelError
from exporter.kinematics.closures.numeric import Array
from exporter.kinematics.planar.planarity import is_planar
from exporter.kinematics.protocol.scope import Scope
from exporter.model.evaluate import evaluate
from exporter.model.mechanism import Body, Mechanism
from exporter.model.once import once_per_model
from exporter.model.parameter_sets import frozen_at_nominal, generic, parameter_sets
from exporter.model.size import length_of
from exporter.records import dataclass
from exporter.sequence.builder import Value

RANK_TOLERANCE = 1e-9
"""Singular values below this, columns scaled, are zero. They are roots: a part of 1e-18 of an inertia is none."""
LEAST_MASS_RATIO = Fraction(1, 2**20)
"""Of the nominal sum: what pivots are small against where tunable masses vanish."""
TAKES_PART = 0.1  # of the largest part of a motion that nothing resists


@dataclass(frozen=True, slots=True)
class Resistance:
    """What one independent coordinate moves: coefficients of masses and of sums of the three moments of inertia."""

    masses: dict[str, Fraction]
    moments: dict[str, Fraction]

    def value(self, mechanism: Mechanism, scope: Scope) -> Value:
        """The sum, kg or kg m^2; never zero, whatever tunable masses are."""
        total = scope.builder.real(0)
        for body in mechanism.bodies:
            xx, yy, zz = (scope.value(part) for part in body.inertia[:3])
            total = total + self.masses[body.name] * scope.value(body.mass)
            total = total + self.moments[body.name] * (xx + yy + zz)
        if total.constant is not None:
            return scope.builder.real(_round_coefficient(float(total.constant)))
        return total + LEAST_MASS_RATIO * self._nominal(mechanism)

    def _nominal(self, mechanism: Mechanism) -> Fraction:
        values, total = mechanism.nominal_values(), Fraction(0)
        for body in mechanism.bodies:
            total += self.masses[body.name] * evaluate(body.mass, values)
            total += self.moments[body.name] * sum(evaluate(part, values) for part in body.inertia[:3])
        return total


@once_per_model
def resistances(mechanism: Mechanism, spanned: frozenset[str] = frozenset()) -> tuple[Resistance, ...]:
    """What each independent coordinate moves, in their order; found once per model and set of spanned bodies.

    Raises:
        ModelError: the mass matrix lacks rank in every pose, or does at the nominal parameters.
    """
    require_resisted(mechanism)
    others = _of_other_lengths(mechanism)
    sampled = [_at_nominal(mechanism, spanned), *(_Sampled.of(other, spanned, is_planar(other)) for other in others)]
    masses, moments = _without_rounding(
        np.min([each.by_mass for each in sampled], axis=0),
        np.min([each.by_moment for each in sampled], axis=0),
        float(length_of(mechanism)),
    )
    bodies = [body.name for body in mechanism.bodies]
    return tuple(
        Resistance(
            {body: _round_coefficient(masses[k, j]) for k, body in enumerate(bodies)},
            {body: _round_coefficient(moments[k, j]) for k, body in enumerate(bodies)},
        )
        for j in range(len(mechanism.independent))
    )


def require_resisted(mechanism: Mechanism) -> None:
    """Refuse a mechanism of which no body with mass resists some motion.

    Raises:
        ModelError: the mass matrix lacks rank in every pose at the nominal parameters.
    """
    if names := _at_nominal(mechanism, frozenset()).unresisted():
        raise ModelError(_refusal(mechanism, names))


def _without_rounding(masses: Array, moments: Array, length: float) -> tuple[Array, Array]:
    """Coefficients, (bodies, f), without those of bodies that rest but for rounding: it differs between computers."""
    nothing = RANK_TOLERANCE**2 * np.maximum(masses.max(axis=0), moments.max(axis=0) * length**2)
    return np.where(masses > nothing, masses, 0.0), np.where(moments * length**2 > nothing, moments, 0.0)


def _round_coefficient(coefficient: float) -> Fraction:
    """To a power of two: the last bits differ between computers, and processors load it in one instruction."""
    return Fraction(2) ** round(log2(coefficient)) if coefficient > 0 else Fraction(0)


def _of_other_lengths(mechanism: Mechanism) -> list[Mechanism]:
    """The mechanism at other parameters, where these move a joint or a centre of mass: lengths change what is moved."""
    tried = {geometry(mechanism)}
    found = []
    for values in parameter_sets(mechanism)[1:]:
        other = mechanism.at_values(values)
        if (key := geometry(other)) not in tried:
            tried.add(key)
            found.append(other)
    return found


def _refusal(mechanism: Mechanism, names: list[str]) -> str:
    """Why no pose will do, and what to change."""
    what = f"{mechanism.name}: the mass matrix is singular in every pose: no body with mass resists a motion of "
    other = generic(mechanism)
    if not _Sampled.of(other, frozenset(), is_planar(other)).unresisted():
        return f"{what}{', '.join(names)} at the nominal values of the tunable parameters; give others"
    return (
        f"{what}{', '.join(names)}; give the bodies that it moves mass or moments of inertia, or choose other or fewer "
        "independent coordinates"
    )


def _medians(values: Array) -> Array:
    """Medians over the first axis, NaN where a value is; numpy's own imports its masked arrays first."""
    ascending = np.sort(values, axis=0)  # NaN last
    middle = (ascending[(len(values) - 1) // 2] + ascending[len(values) // 2]) / 2
    return np.asarray(np.where(np.isnan(ascending[-1]), np.nan, middle))


@dataclass(frozen=True)
class _Sampled:
    """Typical coefficients by body and independent coordinate, (bodies, f), and the mass matrix by its root."""

    mechanism: Mechanism
    by_mass: Array
    by_moment: Array
    columns: Array  # G of M = G^T G, (poses, 6 bodies, f): velocities per independent rate times roots of masses

    @classmethod
    def of(cls, mechanism: Mechanism, spanned: frozenset[str], planar: bool) -> "_Sampled":
        """At the nominal parameters; `planar` says how angles count."""
        at = sampled_motions(mechanism, spanned, planar=planar)
        share = at.basis[:, None] ** 2  # (poses, 1, c, f)
        by_mass = _medians(((at.centres**2).sum(axis=-1)[..., None] * share).sum(axis=2))
        by_moment = _medians(((at.angular_velocities**2).sum(axis=-1)[..., None] * share).sum(axis=2))
        values = mechanism.nominal_values()
        linear = np.einsum("pbci,pcf->pbif", at.centres, at.basis)
        in_body_axes = np.einsum("pbji,pbcj,pcf->pbif", at.turns, at.angular_velocities, at.basis)
        roots = np.array([float(evaluate(body.mass, values)) ** 0.5 for body in mechanism.bodies])
        shaped = np.einsum("bij,pbjf->pbif", np.stack([_root(body, values) for body in mechanism.bodies]), in_body_axes)
        both = np.concatenate([roots[:, None, None] * linear, shaped], axis=2)
        return cls(mechanism, by_mass, by_moment, both.reshape(len(both), -1, both.shape[-1]))

    @cached_property
    def _sizes(self) -> Array:
        values, bodies = self.mechanism.nominal_values(), self.mechanism.bodies
        masses = np.array([float(evaluate(body.mass, values)) for body in bodies])
        moments = np.array([float(sum(evaluate(part, values) for part in body.inertia[:3])) for body in bodies])
        return np.asarray(np.sqrt(masses @ self.by_mass + moments @ self.by_moment))

    def unresisted(self) -> list[str]:
        """Independent coordinates that take part in a motion which no mass resists in any pose; none where all do."""
        names, sizes = list(self.mechanism.independent), self._sizes
        if not sizes.all():
            return [name for name, size in zip(names, sizes, strict=True) if size == 0]
        scaled = self.columns / sizes
        ranks = (np.linalg.svd(scaled, compute_uv=False) > RANK_TOLERANCE).sum(axis=1)
        if ranks.max() == len(names):
            return []
        _, _, right = np.linalg.svd(scaled[int(ranks.argmax())])
        least = np.abs(right[-1])
        return [name for name, part in zip(names, least, strict=True) if part > TAKES_PART * least.max()]


def _at_nominal(mechanism: Mechanism, spanned: frozenset[str]) -> _Sampled:
    """At the nominal parameters: found once, whichever of them are tunable."""
    return _sampled_once(frozen_at_nominal(mechanism), spanned, is_planar(mechanism))


_sampled_once = once_per_model(_Sampled.of)


def _root(body: Body, values: dict[str, Fraction]) -> Array:
    """R with R^T R = I."""
    xx, yy, zz, xy, xz, yz = (float(evaluate(part, values)) for part in body.inertia)
    sizes, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return np.asarray(np.sqrt(np.maximum(sizes, 0.0))[:, None] * axes.T)
