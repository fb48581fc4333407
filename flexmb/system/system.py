"""The system of a model: arrays and compiled kernels that evaluate the equations of motion for (t, q, v)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels import charts
from flexmb.kernels.blocks import ANGLE, ORIENTATION, STATE
from flexmb.kernels.contract import Kernels
from flexmb.kernels.images import Lane
from flexmb.kernels.references import alike
from flexmb.kernels.widths import ENERGY_WIDTH
from flexmb.model import checks
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.model import Model
from flexmb.system import evaluation, linear
from flexmb.system.assembly import NO_OVERRIDES, Assembly, Overrides
from flexmb.system.found import refuse_accelerations, with_found
from flexmb.system.instances import Instance, prescribed_row, put_parameters, strength_places
from flexmb.system.kernel_checks import checked_rows
from flexmb.system.known_plans import KnownPlans
from flexmb.system.masses import refuse_forgotten_masses
from flexmb.system.matrices import Matrices
from flexmb.system.near import lacks
from flexmb.system.numbering import length_scale, moved_by
from flexmb.system.plan import SEARCH, scratch_for
from flexmb.system.planning import DENSE_LIMIT, plan_of
from flexmb.system.searching import deepest
from flexmb.system.switched import check_switchable, without


class System(Matrices):
    """The equations of a model: M a + f(t, q, v) + Gᵀ λ = 0,  g(q, t) = 0, and in velocity rows  A(q, t) v + b = 0.

    Arguments and results have `n` entries if they are speeds, accelerations or forces, `nq` if coordinates, `m` if
    constraints. v[k] is the speed of q[k]; each orientation in space has one more number in q, its scalar part, after
    all others. Increments of position are vectors (n,), see :meth:`retract`.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m", gravity=(0, -10))
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> system = fm.System(m)
    >>> system.residual(0.0, system.q0, system.v0, [0, 0, 0]).tolist()
    [0.0, 20.0, 0.0]
    """

    def __init__(
        self,
        model: Model,
        *,
        kept_rows: np.ndarray | None = None,
        dense_limit: int = DENSE_LIMIT,
        overrides: Overrides = NO_OVERRIDES,
    ) -> None:
        if not isinstance(model, Model):
            raise ModelError(f"System: {checks.quoted(model)} is not a model; give a PlanarModel or a SpatialModel")
        dense_limit = checks.count(dense_limit, "dense_limit", f"System of model {model.name!r}")
        self.model = model
        self.assembly = Assembly(model, overrides)
        #: parameters that components measured when they were switched on, of each instance, by name of the component
        self.measured: Mapping[str, Any] = {}
        #: what is added to the strengths of components in a run, by name: numbers or functions of time
        self.commanded: Mapping[str, float | TimeFunction] = {}
        if model.off:
            check_switchable(self.assembly, model.off, dense_limit)
            self.assembly = without(self.assembly, model.off)
        if kept_rows is not None:
            kept_rows = checked_rows(kept_rows, len(self.assembly.rows), f"System of model {model.name!r}")
        if not len(self.assembly.free):
            raise ModelError(f"model {model.name!r} has nothing that can move; add a body, a beam or a frame")
        self._dense_limit, self._known = dense_limit, KnownPlans()
        self.plan, self.pattern = plan_of(self.assembly, kept_rows, dense_limit)
        #: number of parameters of all instances, behind which stand values of what instances read of others
        self.parameters = len(self.plan.p)
        self.n, self.nq, self.m = self.plan.n, self.plan.nq, self.plan.m
        self.orientations = self.plan.orientations
        rows = self.assembly.rows
        self.kept = np.arange(len(rows)) if kept_rows is None else kept_rows
        #: indices (m,) of its rows among those of all components, on or off
        self.row_numbers = self.assembly.row_numbers[self.kept]
        self.rows = rows if kept_rows is None else [rows[k] for k in kept_rows]
        self._whole: System | None = None
        #: the groups of its plan, and those among them that have constraint rows, once they were asked for
        self._joined: tuple[np.ndarray | None, np.ndarray] = None, np.zeros(0)
        #: the copies of an image that its plan, buffers and factors are, see :mod:`flexmb.system.system_image`
        self.lane: Lane | None = None
        self.scratch = scratch_for(self.plan, self.assembly.work, model.dimension)
        self.linear = linear.linear_for(self.plan, self.pattern)
        free, fixed = self.assembly.free, self.assembly.fixed
        self.names, self.coordinate_names = free.names, free.coordinate_names
        self.initial, self.initial_speeds = self.assembly.initial, self.assembly.initial_speeds
        self.length_scale = size = length_scale(model, free, fixed)
        lengths = [measure == "length" for measure in free.measures]
        self.scale = np.array([size if is_length else 1.0 for is_length in lengths])
        self.scale[list(free.scales)] = list(free.scales.values())
        self.turning = free.mask(ANGLE, ORIENTATION)
        self.row_scale = np.array([size if row.kind == "length" else 1.0 for row in self.rows])
        self.at_speed = self.plan.at_speed >= 0
        self._weights = np.zeros(4)
        self._zero = np.zeros(self.plan.total)
        self.mass_scale = self.scale_of_masses()
        refuse_forgotten_masses(self.assembly, self.plan, self.scratch)
        self._find()
        refuse_accelerations(self)

    def _find(self) -> None:
        """Let instances that read other components know where these are."""
        plan = with_found(self, self.plan)
        if plan is not self.plan:
            self.plan, self.scratch = plan, scratch_for(plan, self.assembly.work, self.model.dimension)

    @property
    def q0(self) -> np.ndarray:
        """Initial coordinates (nq,) of the model."""
        return self.initial[: self.nq].copy()

    @property
    def v0(self) -> np.ndarray:
        """Initial speeds (n,) of the model."""
        return self.initial_speeds[: self.n].copy()

    # -- active constraint rows ---------------------------------------------------------------------------------------

    def with_rows(self, kept: np.ndarray) -> System:
        """The system with only the constraint rows `kept`, indices among all. It shares the parameters of this one, so
        that a command set in one acts in both."""
        other = copy.copy(self)
        other._take_rows(kept)
        other._whole = self._whole if self.left_out else self
        return other

    def _take_rows(self, kept: np.ndarray) -> None:
        """Keep only these rows, indices among all."""
        plan, self.pattern = self._known.plan(self.assembly, kept, self._dense_limit)
        self.plan = plan._replace(p=self.plan.p)
        self.m, self.kept, self.row_numbers = plan.m, kept, self.assembly.row_numbers[kept]
        self.rows = [self.assembly.rows[k] for k in kept]
        self.row_scale = np.array([self.length_scale if row.kind == "length" else 1.0 for row in self.rows])
        self.at_speed = plan.at_speed >= 0
        self.scratch = scratch_for(plan, self.assembly.work, self.model.dimension)
        self.linear = linear.linear_for(plan, self.pattern)
        self._find()

    # -- active components --------------------------------------------------------------------------------------------

    @property
    def off(self) -> frozenset[str]:
        """Names of the components that are switched off."""
        return self.assembly.off

    def with_components(
        self, off: Collection[str], measured: Mapping[str, Sequence[np.ndarray]] | None = None
    ) -> System:
        """The system in which the components `off` are switched off, and all others are on, with all their rows.
        Indices of coordinates and parameters do not change. `measured`: parameters of components that hold the position
        in which they were switched on, for each instance, in place of the model's.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("m")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> hook = m.weld(m.ground, body.frame, name="hook")
        >>> system = fm.System(m)
        >>> system.m, system.with_components(off=["hook"]).m
        (3, 0)
        """
        self._known.check_switchable(self.assembly, frozenset(off) - self.off, self._dense_limit)
        other = copy.copy(self)
        other.assembly = self._known.assembly(self.assembly, off)
        other.plan, other._whole = self.plan._replace(p=self.plan.p.copy()), None
        other._take_rows(np.arange(len(other.assembly.rows)))
        other.put_measured({**self.measured, **(measured or {})})
        return other

    def again(self, before: System) -> System:
        """This system with the parameters of the one `before`, from which a run returns to these components. Both share
        plan and buffers."""
        other = copy.copy(self)
        other.plan, other._whole = alike(self.plan._replace(p=before.plan.p.copy()), self.plan), None
        other.measured = {name: x for name, x in before.measured.items() if name not in self.off}
        if self.pattern is not None:  # sparse factors keep the pivots of earlier ones
            other.linear = linear.linear_for(self.plan, self.pattern)
        return other

    def put_measured(self, measured: Mapping[str, Sequence[np.ndarray]]) -> None:
        """Give parameters, as :meth:`with_components` takes them, to components that are on."""
        here = {name: values for name, values in measured.items() if name not in self.off}
        for name, values in here.items():
            put_parameters(self.instances_of(name), self.plan, values)
        self.measured = {**{name: x for name, x in self.measured.items() if name not in self.off}, **here}

    def as_in(self, other: System) -> System:
        """This system with the same components switched on as in another one of the same model."""
        same = other.off == self.off and not other.measured
        return self if same else self.with_components(other.off, other.measured)

    @property
    def left_out(self) -> int:
        """Number of constraint rows that are left out although their components are on."""
        return len(self.assembly.rows) - self.m

    @property
    def whole(self) -> System:
        """The system with all constraint rows of the components that are on."""
        if not self.left_out:
            return self
        if self._whole is None:
            self._whole = self.with_rows(np.arange(len(self.assembly.rows)))
        return self._whole

    def for_all_rows(self, lam: np.ndarray) -> np.ndarray:
        """Multipliers (…, m) extended to all constraint rows of the model: zero in rows that are not active."""
        if self.m == len(self.assembly.every_row):
            return lam
        out = np.zeros((*lam.shape[:-1], len(self.assembly.every_row)))
        out[..., self.row_numbers] = lam
        return out

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` makes for a `key`, once for all systems of one assembly: it must not depend on which components
        and rows are active, nor on parameters."""
        made = self.assembly.made
        if key not in made:
            made[key] = make()
        return made[key]

    # -- evaluation ---------------------------------------------------------------------------------------------------

    def full(self, x: np.ndarray) -> np.ndarray:
        """Speeds or accelerations (total,): x (n,), then zeros for fixed frames."""
        out = np.zeros(self.plan.total)
        out[: self.n] = x
        return out

    def full_q(self, q: np.ndarray) -> np.ndarray:
        """Coordinates (total_q,): q (nq,), then those of fixed frames."""
        out = self.initial.copy()
        out[: self.nq] = q
        return out

    def retract(self, q: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The position q (nq,) moved by y (n,): orientations are turned by the rotation vector in y, in their own axes;
        to all other coordinates y is added. Also for arrays of rows.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("m")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> system = fm.System(m)
        >>> system.retract(system.q0, [1.0, 2.0, 0.5]).tolist()
        [1.0, 2.0, 0.5]
        """
        return moved_by(self.orientations, np.asarray(q, dtype=float), np.asarray(y, dtype=float))

    def difference(self, q: np.ndarray, before: np.ndarray) -> np.ndarray:
        """The vector y (n,) with retract(before, y) = q; also for arrays of rows."""
        q, before = np.asarray(q, dtype=float), np.asarray(before, dtype=float)
        if not len(self.orientations):
            return q - before
        shape = np.broadcast_shapes(q.shape[:-1], before.shape[:-1])
        out = np.empty((*shape, self.n))
        rows = zip(*(np.broadcast_to(x, (*shape, self.nq)).reshape(-1, self.nq) for x in (q, before)))
        for into, (place, first) in zip(out.reshape(-1, self.n), rows):
            charts.difference(self.orientations, self.n, np.ascontiguousarray(place), np.ascontiguousarray(first), into)
        return out

    def chart_rates(self, y: np.ndarray, v: np.ndarray) -> np.ndarray:
        """ẏ (n,) of a moving position retract(q₀, y) with y (n,) and speeds v (n,), see :meth:`retract`."""
        out = np.empty(self.n)
        charts.chart_rates(self.orientations, self.n, np.ascontiguousarray(y), np.ascontiguousarray(v), out)
        return out

    def speeds_of_chart(self, y: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """The speeds v (n,) for y and ẏ (n,): the inverse of :meth:`chart_rates`."""
        out, maps = np.array(rate, dtype=float), np.empty((len(self.orientations), 9))
        charts.rate_maps(self.orientations, np.ascontiguousarray(y), maps)
        charts.to_speeds(self.orientations, maps, out)
        return out

    def residual(
        self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray | None = None
    ) -> np.ndarray:
        """M a + f (n,); with λ (m,) M a + f + Gᵀ λ + F, where F is the friction that depends on λ."""
        r = np.zeros(self.plan.total)
        state = (float(t), self.full_q(q), self.full(v), self.full(a))
        evaluation.residual(self.plan, self.scratch, *state, self._weights, r)
        if lam is not None:
            lam = np.ascontiguousarray(lam, dtype=float)
            evaluation.add_constraint_forces(self.plan, self.scratch, *state, lam, self._weights, r)
        return r[: self.n]

    def constraint(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position error g, velocity error ġ and right-hand side γ of G a = γ, (m,) each."""
        g, gd, gamma = np.zeros((3, self.m))
        evaluation.constraints(
            self.plan, self.scratch, float(t), self.full_q(q), self.full(v), self._zero, self._weights, g, gd, gamma
        )
        return g, gd, gamma

    def states_alone(self, v: np.ndarray) -> np.ndarray:
        """Speeds (n,) that are zero, but for those of v (n,) that are states of first order."""
        return np.where(self._is_state, v, 0.0)

    @cached_property
    def _is_state(self) -> np.ndarray:
        """Which speeds (n,) are states of first order."""
        return self.assembly.free.mask(STATE)

    def energy(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Kinetic, strain, potential energy [J], dissipated and input power [W]; (5,)."""
        e = np.zeros(ENERGY_WIDTH)
        evaluation.energies(
            self.plan, self.scratch, float(t), self.full_q(q), self.full(v), self._zero, self._weights, e
        )
        e[0] += float(self.spin_energy(v))
        return e

    @cached_property
    def spins(self) -> tuple[np.ndarray, float]:
        """Momenta (n,) of wheels that turn at a constant speed without a coordinate, and their energy [J] at v = 0."""
        momenta, energy = np.zeros(self.n), 0.0
        for component in self.model.components.values():
            for node, momentum, at_rest in component.spins():
                momenta[self.assembly.node_numbers(node).v[3:6]] += momentum
                energy += at_rest
        return momenta, energy

    def spin_energy(self, v: np.ndarray) -> np.ndarray:
        """The part of the kinetic energy [J] beyond ½ vᵀ M v that wheels of constant speed add; for speeds (n,), or
        rows of them."""
        momenta, energy = self.spins
        return np.asarray(v @ momenta + energy)

    def rigid_motions(self, q: np.ndarray) -> np.ndarray:
        """Speeds (3, n), in the plane, or (6, n), in space, of the free coordinates when everything moves as one rigid
        body at unit rate: along x and y and about the origin, or along and about x, y, z. The kinds of the coordinate
        blocks decide how each moves, see :mod:`flexmb.kernels.blocks`."""
        return self.assembly.free.rigid_motions(np.asarray(q, dtype=float))

    def momentum(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Linear momentum [kg m/s] and angular momentum about the origin [kg m²/s]; (3,), in space (6,)."""
        free, fixed, n = self.assembly.free, self.assembly.fixed, self.n
        speeds = self.full(np.asarray(v, dtype=float))
        state = (float(t), self.full_q(q), self.full(self.states_alone(speeds[:n])))  # a mass may depend on states
        moved, at_rest = np.zeros((2, self.plan.total))
        plan = self.plan._replace(groups=self.plan.groups[self.plan.groups[:, SEARCH] == 0])  # searches have no mass
        for a, r in ((speeds, moved), (self._zero, at_rest)):
            evaluation.residual(plan, self.scratch, *state, a, self._weights, r)
        found = free.rigid_motions(np.asarray(q, dtype=float)) @ (moved[:n] - at_rest[:n] + self.spins[0])
        if fixed.dimension:  # what is clamped has mass there too
            found = found + fixed.rigid_motions(self.initial[self.nq :]) @ (moved[n:] - at_rest[n:])
        return found

    def instances_of(self, name: str) -> list[Instance]:
        """The kernel instances of a component, in the order in which it added them."""
        return self.assembly.instances_by_owner.get(name, [])

    def coordinates_of(self, name: str, kernels: Kernels) -> np.ndarray:
        """Indices (k, nq) of the coordinates of a component's instances of one kernel family."""
        own = [s for s in self.assembly.instance_series if s.owner.name == name]
        series = [s for s in own if kernels is s.kernels or kernels is s.kernels.given]
        return np.concatenate([s.coordinates.q for s in series])

    def deepest(self, name: str, q: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The largest overlaps among the pairs that a component finds at positions q (k, total_q): as a fraction of the
        smaller of the two bodies, whose `sizes` are (N,) [m], and in [m]; (k,) each."""
        return deepest(self.plan, self.scratch, self.assembly, name, q, sizes)

    def bodies_of(self, name: str) -> np.ndarray:
        """Indices (N, nq) of the coordinates of the bodies among which a component searches for pairs."""
        return self.assembly.bodies_of(name).q

    def strength_places(self, name: str) -> np.ndarray:
        """Indices in the plan's parameters at which the strength of a component is commanded, one for each instance."""
        own = [series for series in self.assembly.instance_series if series.owner.name == name]
        return strength_places(own, self.plan.groups, self.model.components[name].where)

    def prescribed_row(self, name: str) -> int | None:
        """The index of the row that follows the motion prescribed by a component; None if it was left out."""
        own = [series for series in self.assembly.instance_series if series.owner.name == name]
        number = prescribed_row(own, self.model.components[name].where)
        return next((k for k, kept in enumerate(self.kept) if kept == number), None)

    def grow(self) -> None:
        """Enlarge the room for the sparse factors; or, if a pair touches that has no entry in the matrix, make a new
        pattern with entries for the pairs that are near now."""
        if not lacks(self.plan.near):
            self.linear = linear.enlarged(self.linear)
            return
        plan, self.pattern = plan_of(self.assembly, self.kept, self._dense_limit, self.plan)
        self.plan = with_found(self, plan._replace(p=self.plan.p))
        self.linear = linear.linear_for(plan, self.pattern)
