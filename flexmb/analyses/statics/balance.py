"""The equations of rest: f(q) + Gᵀ λ = 0, g(q) = 0, Skyenginlab (n.d.), eq. (18).

A load factor μ may scale some loads: F(q, λ; μ) = F₀ + μ (F₁ − F₀), where F₀ are the forces without these loads and F₁
those with all loads. Only the instances whose parameters differ are evaluated twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.callbacks import raise_failures
from flexmb.model import given_names
from flexmb.model.model import Model
from flexmb.results.state import State
from flexmb.system import evaluation, linear
from flexmb.system.assembly import Overrides
from flexmb.system.bad_kernels import find_bad_kernel
from flexmb.system.plan import COUNT, FILLED, GMAP_AT, IQ_AT, IV_AT, MAP_AT, NP, NQ, NV, P_AT, ROW_AT, ROWS, Plan
from flexmb.system.system import System

#: the name under which a model's weight is a load
GRAVITY = "gravity"


class Balance:
    """The equations of rest of a system: their residual, their tangent and the solution of its linear systems.

    The unknowns are Δλ and Δy, which moves the position along `system.retract`: K is the derivative of the forces along
    it. Summed over all forces it is symmetric at rest, if the loads have a potential. Dynamic rows are divided by a
    typical stiffness, by which multipliers are scaled; angles count in lengths of the model, so that a mechanism of any
    size has a matrix of the same condition.
    """

    def __init__(self, system: System, t: float, unloaded: System | None = None) -> None:
        self.system, self.t = system, float(t)
        self.n, self.m = system.n, system.m
        self.factor = 1.0
        #: motions (n, k) that nothing resists, and that leave equilibrium determined all the same; none at rest
        self.cyclic = np.zeros((self.n, 0))
        self._weights = np.zeros(3)
        self._zero = np.zeros(system.plan.total)
        #: what differs between all loads and none: the instances with their loads count plus, those without minus
        self._load_parts: list[tuple[float, Plan]] = []
        self._set(system, unloaded)
        diagonal = system.diagonal(system.q0, (0.0, 0.0, 1.0), self.t)
        diagonal = diagonal * (system.scale / system.length_scale) ** 2
        self.stiffness: float = float(np.max(np.abs(diagonal), initial=0.0)) or system.mass_scale or 1.0

    def _set(self, system: System, unloaded: System | None) -> None:
        """Have the equations of this system, whose loads a factor scales if there is an unloaded one."""
        self.system, self.m = system, system.m
        self._values = np.zeros(len(system.linear.values))
        self._base, self._load_parts = system if unloaded is None else unloaded, []
        size = np.ones(system.plan.size)
        size[: self.n] = system.scale / system.length_scale
        size[self.n : self.n + self.m] = system.length_scale / system.row_scale
        self._size, pattern = size, system.pattern
        if pattern is None:
            self._sizes = np.outer(size, size).ravel()
        else:
            self._sizes = size[pattern.indices] * np.repeat(size, np.diff(pattern.indptr))
        if unloaded is not None:
            pairs = zip(unloaded.assembly.instances, system.assembly.instances)
            changed = [k for k, (a, b) in enumerate(pairs) if not np.array_equal(a.parameters, b.parameters)]
            self._load_parts = [(1.0, _part(system, changed)), (-1.0, _part(unloaded, changed))]

    def use_rows(self, kept: np.ndarray) -> None:
        """Have these constraint rows, by their numbers among all; of rows that repeat others some take part."""
        if not np.array_equal(kept, self.system.kept):
            unloaded = self._base.whole.with_rows(kept) if self._load_parts else None
            self._set(self.system.whole.with_rows(kept), unloaded)

    # -- the equations ------------------------------------------------------------------------------------------------

    def forces(self, q: np.ndarray) -> np.ndarray:
        """f (n,) at rest, with loads scaled by the factor."""
        r = self._evaluate(self._base.plan, q)
        return r + self.factor * self.load_forces(q) if self._load_parts else r

    def load_forces(self, q: np.ndarray) -> np.ndarray:
        """∂f/∂μ (n,), the forces that the factor scales."""
        return sum((sign * self._evaluate(plan, q) for sign, plan in self._load_parts), np.zeros(self.n))

    def residual(self, q: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """(f + Gᵀ λ, g), (size,)."""
        system = self.system
        F = np.empty(self.n + self.m)
        r = np.zeros(system.plan.total)
        full = system.full_q(q)
        if self.m:
            rest = (self.t, full, self._zero, self._zero)
            evaluation.add_constraint_forces(system.plan, system.scratch, *rest, lam, self._weights, r)
            g, gd, gamma = np.zeros((3, self.m))
            evaluation.constraints(system.plan, system.scratch, *rest, self._weights, g, gd, gamma)
            F[self.n :] = g
        F[: self.n] = self.forces(q) + r[: self.n]
        return F

    def time_rate(self, q: np.ndarray, lam: np.ndarray, step: float) -> np.ndarray:
        """∂F/∂t (size,): of the drives exactly, of loads by a central difference over `step` [s]."""
        t = self.t
        out = np.zeros(self.n + self.m)
        self.t = t + step
        after = self.forces(q)
        self.t = t - step
        out[: self.n] = (after - self.forces(q)) / (2.0 * step)
        self.t = t
        if self.m:
            out[self.n :] = self.system.constraint(t, q, np.zeros(self.n))[1]
        return out

    # -- linear systems -----------------------------------------------------------------------------------------------

    def factorize(self, q: np.ndarray, lam: np.ndarray, inertia: float = 0.0) -> bool:
        """Factorize the tangent, with `inertia` times the mass matrix added to the stiffness; False if singular."""
        system = self.system
        self._fill_matrix(system.linear.values, q, lam, np.array([inertia, 0.0, 1.0]) / self.stiffness)
        system.linear.values[:] *= self._sizes
        while True:
            status = linear.factorize(system.plan, system.linear)
            if status != linear.NO_ROOM:
                return bool(status == linear.OK)
            kept = system.linear.values.copy()
            system.grow()
            system.linear.values[:] = kept

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Δq and Δλ (size,) for a right-hand side (forces, constraint errors)."""
        x = np.zeros(max(self.system.plan.size, self.system.plan.total))
        count = self.n + self.m
        x[: self.n] = b[: self.n] / self.stiffness
        x[self.n : count] = b[self.n :]
        x[:count] *= self._size[:count]
        linear.solve(self.system.plan, self.system.linear, x)
        x = x[:count] * self._size[:count]
        x[self.n :] *= self.stiffness
        return x

    @property
    def dominant_inertia(self) -> float:
        """A weight of the mass matrix at which inertia outweighs all stiffness."""
        return 1e6 * self.stiffness / self.system.mass_scale

    def first_multipliers(self, q: np.ndarray) -> np.ndarray:
        """λ (m,) at the moment at which the mechanism is released: a first guess, since the stiffness of a mechanism
        depends on its joint forces."""
        lam = np.zeros(self.m)
        if self.m and self.factorize(q, lam, self.dominant_inertia):
            F = self.residual(q, lam)
            F[self.n :] = 0.0
            released = -self.solve(F)[self.n :]
            return released if np.all(np.isfinite(released)) else lam
        return lam

    def tangent(self, q: np.ndarray, lam: np.ndarray, weights: tuple[float, float, float]) -> Any:
        """wm M + wd D + wk K (n, n) at rest, with the constraints' part of K."""
        values = np.zeros_like(self._values)
        self._fill_matrix(values, q, lam, np.array(weights))
        return self.system.shaped(values)[: self.n, : self.n]

    def cyclic_now(self, q: np.ndarray) -> np.ndarray:
        """The cyclic motions (n, k) at a position."""
        return self.cyclic

    def not_finite(self, q: np.ndarray, lam: np.ndarray) -> str:
        """A text that names the kernel whose forces are not finite; raises the error of a force in Python, if any."""
        raise_failures(self.system.model.components.values())
        state = self.state(q, lam)
        bad_kernel = find_bad_kernel(self.system, self.t, state.q, state.v, state.a, lam)
        return bad_kernel or "the forces are not finite"

    def state(self, q: np.ndarray, lam: np.ndarray) -> State:
        """The state of the mechanism at these positions."""
        return State(self.system, self.t, q.copy(), *self.rates(q), lam.copy(), held=True)

    def rates(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Speeds and accelerations (n,) at a position: none at rest."""
        return np.zeros(self.n), np.zeros(self.n)

    def _motion(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Speeds and accelerations (total,) at the position."""
        return self._zero, self._zero

    def _fill_matrix(self, values: np.ndarray, q: np.ndarray, lam: np.ndarray, weights: np.ndarray) -> None:
        """Fill in the values of [wm M + wd D + wk K, Gᵀ; G, 0] at rest, in the order of the plan."""
        rest = (self.t, self.system.full_q(q), *self._motion(q), lam, weights)
        evaluation.matrix(self._base.plan, self.system.scratch, *rest, values)
        for sign, plan in self._load_parts:
            evaluation.matrix(plan, self.system.scratch, *rest, self._values)
            values += sign * self.factor * self._values

    def _evaluate(self, plan: Plan, q: np.ndarray) -> np.ndarray:
        r = np.zeros(self.system.plan.total)
        full = self.system.full_q(q)
        evaluation.residual(plan, self.system.scratch, self.t, full, *self._motion(q), self._weights, r)
        return r[: self.n]


# -- loads that a factor scales ---------------------------------------------------------------------------------------


def load_names(model: Model) -> list[str]:
    """Names of the components whose strength can be scaled, and 'gravity' if the model has weight."""
    names = [name for name, component in model.components.items() if component.strength is not None]
    return [*names, GRAVITY] if model.gravity.weight().any() else names


def unloaded_system(model: Model, loads: Sequence[str], like: System, where: str) -> System:
    """The system of the model with the strength of some loads set to zero; the numbering is that of `like`."""
    return scaled_system(model, loads, 0.0, like, where)


def scaled_system(model: Model, loads: Sequence[str], factor: float, like: System, where: str) -> System:
    """The system of the model with the strengths of some loads times a factor; numbering and rows are those of
    `like`."""
    known = load_names(model)
    for name in loads:
        if given_names.known(name, known, "load", where) in like.off:
            raise ModelError(f"{where}: {model.components[name].where} is off, and loads nothing; switch it on")
    components = [model.components[name] for name in loads if name != GRAVITY]
    scaled = Overrides(
        strengths={c.name: factor * c.function(str(c.strength)) for c in components},
        gravity=factor * model.gravity.weight() if GRAVITY in loads else None,
    )
    system = System(model, overrides=scaled).as_in(like)
    if like.left_out:
        system = system.with_rows(like.kept)
    if system.names != like.names or len(system.assembly.instances) != len(like.assembly.instances):
        raise ModelError(f"{where}: with other loads the model has other coordinates")
    return system


def _part(system: System, chosen: Sequence[int]) -> Plan:
    """The plan of some instances only: groups of one instance each, on the same arrays."""
    plan = system.plan
    rows = np.zeros((len(chosen), plan.groups.shape[1]), dtype=np.int64)
    for out, k in zip(rows, chosen):
        instance = system.assembly.instances[k]
        place, group = instance.place, plan.groups[instance.group]
        out[:] = group
        out[COUNT] = 1
        nq, nv, m = group[NQ], group[NV], group[ROWS]
        out[P_AT] += place * group[NP]
        out[IQ_AT] += place * nq
        out[IV_AT] += place * nv
        out[ROW_AT] += place * m
        out[MAP_AT] += place * out[FILLED]
        out[GMAP_AT] += 2 * place * m * nv
    return plan._replace(groups=rows)
