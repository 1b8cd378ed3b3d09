"""The reference of one mechanism: positions, velocities, accelerations, dynamics and one integration step.

In: a `Mechanism`; out: arrays with one row per input row, one column per coordinate in the mechanism's order.
Rows that the design pose's branch does not reach hold NaN.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from exporter.model.mechanism import Mechanism
from sil.reference import dynamics, force_sizes, sizes
from sil.reference.assembly import FINE_NODES, Assembly, assembly_of, assembly_without_pose, design_of
from sil.reference.body_forces import body_forces
from sil.reference.chunks import in_chunks, joined, joined_fields, row_slices
from sil.reference.closure_inverse import ClosureInverse, closure_inverse
from sil.reference.closures import closures_of
from sil.reference.continuation import continue_design, differs_from_design
from sil.reference.expressions import Real
from sil.reference.load_sizes import State
from sil.reference.motion import Configuration, InPlace, configuration
from sil.reference.reactions import Reaction, reactions
from sil.reference.rotations import Array
from sil.reference.skeleton import Skeleton, skeleton_of


@dataclass(frozen=True, slots=True)
class Reference:
    """A mechanism that can be asked. Units are SI; angles in rad."""

    skeleton: Skeleton
    assembly: Assembly
    start: Array | None = None  # (c,), where the design pose was assembled from; None: the model's pose

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.skeleton.coordinates

    @property
    def design(self) -> Array:
        """The assembled design pose, (c,)."""
        return self.assembly.design.coordinates

    @property
    def assembled(self) -> bool:
        """Whether the design pose closes, so that poses can be asked for."""
        return bool(np.isfinite(self.design).all())

    def positions(self, independent: Array) -> Array:
        """All coordinates, (rows, c), from the independent ones (rows, f)."""
        return self.assembly.assemble(np.asarray(independent, dtype=np.float64))

    def conditions(self, coordinates: Array) -> Array:
        """Condition number of the scaled Phi_d, (rows,)."""
        return joined(self.assembly.conditions(coordinates[rows]) for rows in row_slices(len(coordinates)))

    @in_chunks
    def velocities(self, at: Configuration, independent_rates: Array) -> Array:
        """All rates, (rows, c), from those of the independent coordinates (rows, f)."""
        return self._complete_rates(self._inverse(at), independent_rates)

    @in_chunks
    def unit_motions(self, at: Configuration) -> Array:
        """All rates per unit rate of each independent coordinate, (rows, c, f)."""
        rows, count = len(at.values), len(self.skeleton.independent)
        motions = np.zeros((rows, len(self.coordinates), count))
        motions[:, list(self.skeleton.independent), range(count)] = 1.0
        motions[:, list(self.skeleton.dependent)] = self._inverse(at).motions
        return motions

    def inertia_left(self, at: Configuration, among: Configuration) -> Array:
        """Smallest part of the inertia that any independent motion meets, (rows,); 1 for a mechanism without mass.

        The smallest eigenvalue of the projected mass matrix, its diagonal measured in the largest size that occurs
        `among` other poses and these.
        """
        if not self.skeleton.masses or not len(at.values):
            return np.ones(len(at.values))
        matrix, sizes = dynamics.projected_inertia(self.skeleton, at, self.unit_motions(at))
        _, others = dynamics.projected_inertia(self.skeleton, among, self.unit_motions(among))
        scale = 1.0 / np.sqrt(np.concatenate([sizes, others]).max(axis=0))
        return np.asarray(np.linalg.eigvalsh(matrix * np.outer(scale, scale))[:, 0])

    @in_chunks
    def rate_sizes(self, at: Configuration, rates: Array, share: float = 0.0) -> Array:
        """What every dependent rate is a sum of, (rows, c), in 1/s; spins are told to a share of their summands."""
        paces = sizes.blurred_bounds(self.skeleton, sizes.first_order(self.skeleton, at, rates), rates, share)
        return sizes.solved_sizes(self.assembly.closures, self.assembly.design.rows, at, paces)

    @in_chunks
    def acceleration_sizes(self, at: Configuration, rates: Array, second: Array, share: float = 0.0) -> Array:
        """What every dependent acceleration is a sum of, (rows, c), in 1/s^2; spins are told as for `rate_sizes`."""
        summed = np.abs(second) + rates**2
        paces = sizes.blurred_bounds(self.skeleton, sizes.second_order(self.skeleton, at, rates, second), summed, share)
        return sizes.solved_sizes(self.assembly.closures, self.assembly.design.rows, at, paces)

    @in_chunks
    def force_sizes(
        self,
        at: Configuration,
        rates: Array,
        second: Array,
        drift: Array,
        inputs: Mapping[str, Real],
        share: float = 0.0,
    ) -> Array:
        """What the independent accelerations under gravity, loads and the inputs are sums of, (rows, f), in 1/s^2.

        `drift` (rows, c) are the accelerations without independent ones.
        """
        return force_sizes.independent_sizes(self.skeleton, self._state(at, rates, second, drift, share), inputs)

    @in_chunks
    def dynamics_sizes(
        self,
        at: Configuration,
        rates: Array,
        second: Array,
        drift: Array,
        inputs: Mapping[str, Real],
        share: float = 0.0,
    ) -> Array:
        """What every such acceleration is a sum of, (rows, c), in 1/s^2; see `force_sizes`."""
        state = self._state(at, rates, second, drift, share)
        own = force_sizes.independent_sizes(self.skeleton, state, inputs)
        passed = np.einsum("ncf,nf->nc", np.abs(state.basis), own) / self.skeleton.units
        return np.asarray(passed + self.acceleration_sizes(at, rates, second, share))

    def _state(self, at: Configuration, rates: Array, second: Array, drift: Array, share: float = 0.0) -> State:
        """The pose, how it moves, and the motions that are independent."""
        units, allowed = self.skeleton.units[list(self.skeleton.independent)], self._allowed(at, rates)
        mass = dynamics.projected(self.skeleton, at, rates, allowed).mass * np.outer(units, units)
        paces = cache(lambda: self.rate_sizes(at, rates, share))
        return State(at, rates, second, drift, allowed.basis * units, mass, paces)

    def _allowed(self, at: Configuration, rates: Array) -> dynamics.Allowed:
        """All accelerations that the closures allow."""
        return dynamics.Allowed(self.drifts(at, rates), self.unit_motions(at))

    def reactions(
        self, at: Configuration, rates: Array, second: Array, inputs: Mapping[str, Real]
    ) -> dict[str, Reaction]:
        """What the mechanism's outputs ask for of its joints, by name, at accelerations of all coordinates."""
        rows = len(at.values)
        parts = []
        for some in row_slices(rows):
            pose, given = at.of_rows(some), {name: np.broadcast_to(value, rows)[some] for name, value in inputs.items()}
            state = self._state(pose, rates[some], second[some], self.drifts(pose, rates[some]))
            forces = body_forces(self.skeleton, state, given)
            parts.append(reactions(self.skeleton, pose, forces, self.assembly.closures.held_spins))
        return {name: joined_fields(part[name] for part in parts) for name in parts[0]}

    @in_chunks
    def accelerations(self, at: Configuration, rates: Array, independent_accelerations: Array) -> Array:
        """All accelerations, (rows, c), from those of the independent coordinates (rows, f)."""
        own = self._complete_rates(self._inverse(at), independent_accelerations)
        return np.asarray(own + self.drifts(at, rates))

    @in_chunks
    def drifts(self, at: Configuration, rates: Array) -> Array:
        """All accelerations, (rows, c), where no independent coordinate accelerates; kept with the pose."""
        key = self.assembly.closures, "drifts", InPlace(rates)
        return at.keep(key, len(self.coordinates), lambda: self._drifts(at, rates))

    def _drifts(self, at: Configuration, rates: Array) -> Array:
        bias = self.assembly.closures.bias(at, rates)
        return np.asarray(-self._inverse(at).inverse.solve(bias.T[:, None])[:, 0].T)

    def _inverse(self, at: Configuration) -> ClosureInverse:
        return closure_inverse(self.assembly.closures, self.assembly.design.rows, at)

    def _complete_rates(self, inverse: ClosureInverse, independent: Array) -> Array:
        """All rates, of Phi_d x_d = -Phi_i x_i."""
        completed = np.empty((len(independent), len(self.coordinates)))
        completed[:, list(self.skeleton.independent)] = independent
        completed[:, list(self.skeleton.dependent)] = np.einsum("nij,nj->ni", inverse.motions, independent)
        return completed

    @in_chunks
    def forward_dynamics(self, at: Configuration, rates: Array, inputs: Mapping[str, Real]) -> Array:
        """All accelerations, (rows, c), under gravity, loads and the inputs (rows,)."""
        return dynamics.accelerations(self.skeleton, at, rates, self._allowed(at, rates), inputs)

    def residual(self, at: Configuration) -> Array:
        """Largest closure residual over the length scale, or defect of s^2 + c^2 = 1, per row.

        What a coupling leaves open counts as part of what it adds up, where that is more than 1.
        """
        return np.asarray(np.maximum(self.closure_residual(at), self.unit_defect(at)))

    def closure_residual(self, at: Configuration) -> Array:
        """Largest closure residual over the length scale, per row."""
        found = np.abs(self.assembly.closures.residual(at)) / self.assembly.closures.sizes(at)
        return np.asarray(found.max(axis=1, initial=0.0))

    def unit_defect(self, at: Configuration) -> Array:
        """Largest defect of s^2 + c^2 = 1, per row."""
        unit = np.abs(at.sines**2 + at.cosines**2 - 1.0)[:, np.array(self.skeleton.angles)]
        return np.asarray(unit.max(axis=1, initial=0.0))

    def state_derivative(self, independent: Array, rates: Array, inputs: Mapping[str, Real]) -> Array:
        """Accelerations of the independent coordinates (rows, f) at a state."""
        at = configuration(self.positions(independent))
        everything = self.forward_dynamics(at, self.velocities(at, rates), inputs)
        return everything[:, list(self.skeleton.independent)]


def reference_of(
    mechanism: Mechanism,
    parameters: Mapping[str, float] | None = None,
    nodes: int = FINE_NODES,
    start: Array | None = None,
) -> Reference:
    """Prepare a mechanism, at its own parameters or at other values; the assembly is continued from its own.

    `nodes` are the places of the one independent coordinate from which Newton's method starts. The design pose is
    assembled from `start`, (c,), at the mechanism's own parameters; None: from the model's pose.

    Raises:
        ModelError: a joint is not known to the reference, or the design pose does not assemble at these values, or not
            on the branch of the mechanism's own.
    """
    skeleton = replace(skeleton_of(mechanism, parameters), design=() if start is None else tuple(start.tolist()))
    closures = closures_of(skeleton)
    design = (
        continue_design(mechanism, closures, parameters, start)
        if parameters and differs_from_design(mechanism, parameters)
        else design_of(closures, start)
    )
    return Reference(skeleton, assembly_of(closures, design, nodes), start)


def residual_reference_of(mechanism: Mechanism, parameters: Mapping[str, float]) -> Reference:
    """Prepare a mechanism whose design pose does not assemble at these values: it knows residuals and no pose."""
    skeleton = skeleton_of(mechanism, parameters)
    return Reference(skeleton, assembly_without_pose(closures_of(skeleton)))
