"""Check of a whole model as a solver sees it: all components, assembled by :class:`flexmb.System`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.differences import derivative
from flexmb.kernels.blocks import STATE
from flexmb.model.model import Model
from flexmb.system.system import System
from flexmb.testing.derivatives import compare_jacobian, compare_rates, compare_slopes, compare_tangent
from flexmb.testing.differences import SEEDS, TOLERANCE, check_agreement, state_powers, time_step
from flexmb.testing.motions import TrialState
from flexmb.testing.recorded import UNIT, Array, require


def check_system(whole: Model | System, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """The answers of a system agree: the tangent (with the multipliers' part) is the derivative of the
    residual, G that of the constraints, ġ and γ are their rates, M is symmetric and has no negative eigenvalue,
    and  v · (M a + f + Gᵀ λ) = d/dt (kinetic + strain + potential) + dissipated − input + λ · G v.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> hinge = m.revolute(m.ground, body.frame)
    >>> check_system(m)
    """
    system = whole if isinstance(whole, System) else System(whole)
    for seed in seeds:
        _check_system(system, seed, tol)


def _dense(x: Any) -> Array:
    return x.toarray() if sp.issparse(x) else np.asarray(x)


def _state(system: System, seed: int) -> TrialState:
    """A state near the initial one; odd seeds are nearer (1 % of the even ones)."""
    rng = np.random.default_rng(seed)
    scales = system.scale
    size = (0.001 if seed % 2 else 0.1) * scales
    q, v, a = (rng.uniform(-1.0, 1.0, system.n) for _ in range(3))
    t = float(rng.uniform(0.1, 0.9))
    return TrialState(t, system.retract(system.q0, size * q), scales * v, scales * a, system.orientations)


def _velocity_rows(system: System, s: TrialState, label: str) -> Array:
    """∂ġ/∂q (m, n) as the fourth weight of the matrix puts it there: in velocity rows and nowhere else."""
    zero = np.zeros(system.m)
    last, none = (_dense(system.matrix(s.t, s.q, s.v, s.a, zero, (0.0, 0.0, 0.0, weight))) for weight in (0.7, 0.0))
    slopes = (last - none) / 0.7
    H = slopes[system.n :, : system.n].copy()
    slopes[system.n :, : system.n][system.at_speed] = 0.0
    require(not slopes.any(), f"{label}: ∂ġ/∂q has got into other entries of the matrix than those of velocity rows")
    return H


def _check_system(system: System, seed: int, tol: float) -> None:
    label = f"model {system.model.name!r}"
    s = _state(system, seed)
    scales, names = system.scale, system.names
    rows = [row.where for row in system.rows]
    size = float(np.max(np.abs(system.residual(s.t, s.q, s.v, s.a)) * scales)) or 1.0
    lam = np.random.default_rng(seed + 1000).uniform(-1.0, 1.0, system.m) * size / system.row_scale

    def residual(q: Array, v: Array, a: Array) -> Array:
        if q.ndim == 1:
            return system.residual(s.t, q, v, a, lam)
        return np.array([system.residual(s.t, *x, lam) for x in zip(q, v, a, strict=True)])

    def tangent(w: Array) -> Array:
        return _dense(system.tangent(s.t, s.q, s.v, s.a, lam, tuple(w)))

    def constraint(t: float, q: Array, v: Array) -> Array:
        return np.concatenate(system.constraint(t, q, v))

    def constraints(q: Array, v: Array) -> Array:
        return np.array([constraint(s.t, *x) for x in zip(q, v, strict=True)])

    compare_tangent(f"{label}, tangent", names, scales, s, residual, tangent, tol)
    if system.m:
        G = _dense(system.jacobian(s.t, s.q))
        at_speed = system.at_speed
        compare_jacobian(f"{label}, jacobian", rows, names, scales, s, constraints, G, ~at_speed, tol)
        compare_rates(f"{label}, constraint", rows, s, time_step(s, scales), constraint, G, ~at_speed, tol)
        if at_speed.any():
            H = _velocity_rows(system, s, label)
            compare_slopes(f"{label}, jacobian", rows, names, scales, s, constraints, H, at_speed, tol)
        pull = system.residual(s.t, s.q, s.v, s.a, lam) - system.residual(s.t, s.q, s.v, s.a)
        noise = 1e-12 * (size / scales + np.abs(lam) @ np.abs(G))
        sentence = f"{label}, residual: constraint force"
        check_agreement(lambda e: f"{sentence} [{names[e[0]]}]", pull, lam @ G, 1e-10, units=scales, noise=noise)
    M = _dense(system.mass_matrix(s.t, s.q, s.v))
    units = np.outer(scales, scales)
    check_agreement(lambda e: f"{label}: mass matrix [{names[e[0]]}, {names[e[1]]}]", M, M.T, 1e-10, units=units)
    check_agreement(
        lambda e: f"{label}: ∂residual/∂a at the state and the mass matrix, entry [{names[e[0]]}, {names[e[1]]}],",
        M, tangent(UNIT[0]), 1e-12, units=units,
    )  # fmt: skip
    lowest, top = float(np.linalg.eigvalsh(M * units)[0]), float(np.max(np.abs(M * units)))
    require(
        lowest >= -1e-10 * top, f"{label}: the mass matrix has the eigenvalue {lowest:.6g} (largest entry {top:.6g})"
    )

    def stored(x: float) -> Array:
        now = s.later(x)
        return np.array([np.sum(system.energy(now.t, now.q, now.v)[:3]) - system.spin_energy(now.v)])

    rate, error = derivative(stored, time_step(s, scales))
    kinetic, _, _, lost, put_in = system.energy(s.t, s.q, s.v)
    kinetic -= system.spin_energy(s.v)
    r = system.residual(s.t, s.q, s.v, s.a)
    states = system.assembly.free.mask(STATE)
    v = state_powers(lambda v: float(np.sum(system.energy(s.t, s.q, v)[:3])), s.v, states)
    noise = 1e-12 * float(np.abs(v) @ np.abs(r))
    sentence = f"{label}: power of the residual"
    check_agreement(lambda _: sentence, v @ r, rate + lost - put_in, tol, error=error, noise=noise)
    require(lost >= -noise, f"{label}: dissipated power is {lost:.6g} W; it must not be negative")
    v = np.where(states, 0.0, s.v)  # they have no kinetic energy
    noise = 1e-13 * np.abs(v) @ np.abs(M) @ np.abs(v)
    check_agreement(lambda _: f"{label}: kinetic energy", kinetic, 0.5 * v @ M @ v, 1e-9, noise=noise)
