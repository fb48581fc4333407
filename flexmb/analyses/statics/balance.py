"""The equations of rest and of steady rotation: f(q) + Gᵀ λ = 0, g(q) = 0, Skyenginlab (n.d.), eq. (18).

A load factor μ may scale some loads: F(q, λ; μ) = F₀ + μ (F₁ − F₀), where F₀ are the forces without these loads and F₁
those with all loads. Only the instances whose parameters differ are evaluated twice.

In steady rotation at Ω about a point c every part moves as v = Ω S (q − c) and a = Ω² S S (q − c), with S the turn by
+90° of all pairs (x, y) and the unit rate of all angles; the tangent is then K + Ω D S + Ω² M S S.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered
from flexmb.errors import ModelError
from flexmb.forces.callbacks import raise_failures
from flexmb.model import checks
from flexmb.model.model import Model
from flexmb.results.state import State
from flexmb.system import evaluation, linear
from flexmb.system.assembly import Overrides
from flexmb.system.bad_kernels import find_bad_kernel
from flexmb.system.plan import COUNT, GMAP_AT, IQ_AT, IV_AT, MAP_AT, NP, NQ, NV, P_AT, ROW_AT, ROWS, Plan
from flexmb.system.system import System

#: the name under which a model's weight is a load
GRAVITY = "gravity"


class Balance:
    """The equations of rest of a system: their residual, their tangent and the solution of its linear systems.

    The unknowns are Δq and Δλ; dynamic rows are divided by a typical stiffness, by which multipliers are scaled.
    """

    def __init__(self, system: System, t: float, unloaded: System | None = None) -> None:
        self.system, self.t = system, float(t)
        self.n, self.m = system.n, system.m
        self.factor = 1.0
        self._weights = np.zeros(3)
        self._zero = np.zeros(system.plan.total)
        self._values = np.zeros(len(system.linear.values))
        self._loaded_part: Plan | None = None
        self._unloaded_part: Plan | None = None
        self._base = system if unloaded is None else unloaded
        if unloaded is not None:
            pairs = zip(unloaded.assembly.instances, system.assembly.instances)
            changed = [k for k, (a, b) in enumerate(pairs) if not np.array_equal(a.parameters, b.parameters)]
            self._unloaded_part, self._loaded_part = _part(unloaded, changed), _part(system, changed)
        self.stiffness = 1.0
        diagonal = system.diagonal(system.q0, (0.0, 0.0, 1.0), self.t)
        self.stiffness = float(np.max(np.abs(diagonal), initial=0.0)) or system.mass_scale or 1.0

    # -- the equations ------------------------------------------------------------------------------------------------

    def forces(self, q: np.ndarray, factor: float | None = None) -> np.ndarray:
        """f (n,) at rest, with loads scaled by the factor (that of the balance when not given)."""
        factor = self.factor if factor is None else factor
        r = self._evaluate(self._base.plan, q)
        if self._loaded_part is not None:
            r = r + factor * self.load_forces(q)
        return r

    def load_forces(self, q: np.ndarray) -> np.ndarray:
        """∂f/∂μ (n,), the forces that the factor scales."""
        if self._loaded_part is None or self._unloaded_part is None:
            return np.zeros(self.n)
        return self._evaluate(self._loaded_part, q) - self._evaluate(self._unloaded_part, q)

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
        ends = []
        for sign in (-1.0, 1.0):
            self.t = t + sign * step
            ends.append(self.forces(q))
        self.t = t
        out[: self.n] = (ends[1] - ends[0]) / (2.0 * step)
        if self.m:
            out[self.n :] = self.system.constraint(t, q, np.zeros(self.n))[1]
        return out

    # -- linear systems -----------------------------------------------------------------------------------------------

    def factorise(self, q: np.ndarray, lam: np.ndarray, inertia: float = 0.0) -> bool:
        """Factorise the tangent, with `inertia` times the mass matrix added to the stiffness; False if singular."""
        system = self.system
        values = system.linear.values
        full = system.full_q(q)
        rest = (self.t, full, self._zero, self._zero, lam)
        weights = np.array([inertia, 0.0, 1.0]) / self.stiffness
        evaluation.matrix(self._base.plan, system.scratch, *rest, weights, values)
        if self._loaded_part is not None and self._unloaded_part is not None:
            for plan, share in ((self._loaded_part, self.factor), (self._unloaded_part, -self.factor)):
                evaluation.matrix(plan, system.scratch, *rest, weights, self._values)
                values += share * self._values
        while True:
            status = linear.factorise(system.plan, system.linear)
            if status != linear.NO_ROOM:
                return bool(status == linear.OK)
            kept = system.linear.values.copy()
            system.grow()
            system.linear.values[:] = kept

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Δq and Δλ (size,) for a right-hand side (forces, constraint errors)."""
        x = np.zeros(max(self.system.plan.size, self.system.plan.total))
        x[: self.n] = b[: self.n] / self.stiffness
        x[self.n : self.n + self.m] = b[self.n :]
        linear.solve(self.system.plan, self.system.linear, x)
        x = x[: self.n + self.m]
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
        if self.m and self.factorise(q, lam, self.dominant_inertia):
            F = self.residual(q, lam)
            F[self.n :] = 0.0
            released = -self.solve(F)[self.n :]
            return released if np.all(np.isfinite(released)) else lam
        return lam

    def tangent(self, q: np.ndarray, lam: np.ndarray, weights: tuple[float, float, float]) -> Any:
        """wm M + wd D + wk K (n, n) at rest, with the constraints' part of K."""
        system = self.system
        still = np.zeros(self.n)
        T = self._base.tangent(self.t, q, still, still, lam, weights)
        if self._loaded_part is not None and self._unloaded_part is not None:
            full = system.full_q(q)
            for plan, share in ((self._loaded_part, self.factor), (self._unloaded_part, -self.factor)):
                rest = (self.t, full, self._zero, self._zero, lam, np.array(weights))
                evaluation.matrix(plan, system.scratch, *rest, self._values)
                T = T + share * system.shaped(self._values)[: self.n, : self.n]
        return T

    def not_finite(self, q: np.ndarray, lam: np.ndarray) -> str:
        """A text that names the kernel whose forces are not finite; raises the error of a force in Python, if any."""
        raise_failures(self.system.model.components.values())
        state = self.state(q, lam)
        bad_kernel = find_bad_kernel(self.system, self.t, state.q, state.v, state.a, lam)
        return bad_kernel or "the forces are not finite"

    def state(self, q: np.ndarray, lam: np.ndarray) -> State:
        """The state of the mechanism at these positions."""
        return State(self.system, self.t, q.copy(), np.zeros(self.n), np.zeros(self.n), lam.copy(), held=True)

    def _evaluate(self, plan: Plan, q: np.ndarray) -> np.ndarray:
        r = np.zeros(self.system.plan.total)
        full = self.system.full_q(q)
        evaluation.residual(plan, self.system.scratch, self.t, full, self._zero, self._zero, self._weights, r)
        return r[: self.n]


class SpinningBalance(Balance):
    """The equations of steady rotation at `spin` [rad/s] about `centre` (2,) [m]."""

    def __init__(self, system: System, t: float, spin: float, centre: np.ndarray) -> None:
        super().__init__(system, t)
        self.spin, self.centre = spin, centre
        self.S = turning_matrix(system)
        rigid = system.rigid_motions(np.zeros(system.n))
        self._offset = rigid[0] * centre[0] + rigid[1] * centre[1]

    def rates(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Speeds and accelerations (n,) of the steady rotation."""
        v = self.spin * self.system.rigid_motions(q - self._offset)[2]
        a = self.spin**2 * (self.S @ (self.S @ (q - self._offset)))
        return v, a

    def forces(self, q: np.ndarray, factor: float | None = None) -> np.ndarray:
        v, a = self.rates(q)
        return self.system.residual(self.t, q, v, a)

    def factorise(self, q: np.ndarray, lam: np.ndarray, inertia: float = 0.0) -> bool:
        A = self.tangent(q, lam, (inertia, 0.0, 1.0)) / self.stiffness
        G = self.system.jacobian(self.t, q)
        full = bordered(A, G)
        if isinstance(full, np.ndarray) and (not np.all(np.isfinite(full)) or np.linalg.cond(full) > 1e15):
            return False
        try:
            self._factors = Factors(full)
        except np.linalg.LinAlgError:
            return False
        return True

    def solve(self, b: np.ndarray) -> np.ndarray:
        x = self._factors.solve(np.concatenate([b[: self.n] / self.stiffness, b[self.n :]]))
        x[self.n :] *= self.stiffness
        return x

    def tangent(self, q: np.ndarray, lam: np.ndarray, weights: tuple[float, float, float]) -> Any:
        v, a = self.rates(q)
        wm, wd, wk = weights
        M, D, K = (self.system.tangent(self.t, q, v, a, lam, w) for w in ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0)))
        spin, S = self.spin, self.S
        return wm * M + wd * D + wk * (K + spin * (D @ S) + spin**2 * (M @ (S @ S)))

    def state(self, q: np.ndarray, lam: np.ndarray) -> State:
        v, a = self.rates(q)
        return State(self.system, self.t, q.copy(), v, a, lam.copy(), held=True)


def turning_matrix(system: System) -> sp.csr_array:
    """S (n, n): v = S q are the speeds of all pairs (x, y) for a turn about the origin at unit rate; rows of angles are
    zero."""
    n = system.n
    probe = system.rigid_motions(np.arange(1.0, n + 1.0))[2]
    pairs = np.flatnonzero((probe != 0.0) & ~system.turning)
    columns = np.abs(probe[pairs]).astype(np.int64) - 1
    return sp.csr_array((np.sign(probe[pairs]), (pairs, columns)), shape=(n, n))


# -- loads that a factor scales ---------------------------------------------------------------------------------------


def load_names(model: Model) -> list[str]:
    """Names of the components whose strength can be scaled, and 'gravity' if the model has weight."""
    names = [name for name, component in model.components.items() if component.strength is not None]
    return [*names, GRAVITY] if model.gravity.any() else names


def unloaded_system(model: Model, loads: Iterable[str], like: System, where: str) -> System:
    """The system of the model with the strength of some loads set to zero; the numbering is that of `like`."""
    loads = list(loads)
    known = load_names(model)
    for name in loads:
        if name not in known:
            raise checks.unknown(name, known, "load", where)
    kept = None
    if len(like.rows) != len(like.assembly.rows):
        number = {(row.owner, row.name): k for k, row in enumerate(like.assembly.rows)}
        kept = np.array([number[row.owner, row.name] for row in like.rows], dtype=np.int64)
    components = [model.components[name] for name in loads if name != GRAVITY]
    no_loads = Overrides(
        strengths={c.name: 0.0 * c.function(str(c.strength)) for c in components},
        gravity=np.zeros(2) if GRAVITY in loads else None,
    )
    system = System(model, kept_rows=kept, overrides=no_loads)
    if system.names != like.names or len(system.assembly.instances) != len(like.assembly.instances):
        raise ModelError(f"{where}: without its loads the model has other coordinates")
    return system


def _part(system: System, chosen: Sequence[int]) -> Plan:
    """The plan of some instances only: groups of one instance each, on the same arrays."""
    plan = system.plan
    rows = np.zeros((len(chosen), plan.groups.shape[1]), dtype=np.int64)
    for out, k in zip(rows, chosen):
        instance = system.assembly.instances[k]
        group = plan.groups[instance.group]
        place = instance.place
        out[:] = group
        out[COUNT] = 1
        nq, nv, m = group[NQ], group[NV], group[ROWS]
        out[P_AT] += place * group[NP]
        out[IQ_AT] += place * nq
        out[IV_AT] += place * nv
        out[ROW_AT] += place * m
        out[MAP_AT] += place * nv * nv
        out[GMAP_AT] += 2 * place * m * nv
    return plan._replace(groups=rows)
