"""Impact of rows that hold in one direction only: speeds jump at an instant, while the position stays.

With W for the directions of the gaps s, e for their restitutions and γ = ṡ, before and behind the impact,

    M (v⁺ − v⁻) + Gᵀ Λ = W P,    G v⁺ + g_t = 0,    0 ≤ γ⁺ + e γ⁻ ⊥ P ≥ 0

the law of Newton in the form of Moreau (1988). All gaps that are closed take part together. Their own coordinates are
free, so that W is a unit vector for each, and D = Wᵀ M⁻¹ W with the joints in it is what the speeds of the gaps gain by
unit impulses. Friction does not act in an impact. Prescribed motions do the work Λᵀ g_t, and what is lost is

    −½ (γ⁺ + γ⁻)ᵀ P

Restitutions that differ from row to row may gain energy together (Kane and Levinson (1985) show it with friction): they
are lowered, all by one factor, until nothing is gained. Where gaps depend on one another, restitutions that differ may
contradict each other, and the least of them holds for all. Rows that approach one another behind an impact strike
again at the same instant; after many such impacts nothing is restored, which ends them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from flexmb.algebra.factors import Factors, bordered
from flexmb.joints.sticking import FREE
from flexmb.solvers.events.one_sided import one_sided
from flexmb.solvers.events.stated_row import UnilateralRow
from flexmb.solvers.rows.left_out import AT_REST
from flexmb.system.sticking import set_friction
from flexmb.system.system import System

#: impacts at one instant with the restitutions that were given; later ones are without
MOST_TOGETHER = 50
#: energy gained below this fraction of what is exchanged is rounding
ROUNDED = 1e-9
#: bisections of the factor by which restitutions are lowered
BISECTIONS = 30
#: a row has no inertia if its effective mass is beyond that of the model by this factor
NO_INERTIA = 1e12


@dataclass
class Collision:
    """The impact of r rows at an instant: their speeds `before` and `after` [m/s or rad/s], the impulses P [N s or
    Nm s], the energy `lost` by each [J]; all speeds v (total,), the impulses Λ (m,) of all rows; the `work` of
    prescribed motions; whether restitutions were `lowered`, whether the impulses are `unique`, and whether rows still
    approach, `jammed`."""

    before: np.ndarray
    after: np.ndarray
    impulse: np.ndarray
    lost: np.ndarray
    v: np.ndarray
    on_rows: np.ndarray
    work: float
    lowered: bool = False
    unique: bool = True
    jammed: bool = False


class Response:
    """The answer of a system at a time t and a position q (total_q,) to unit impulses on the gaps of `rows`: jumps of
    speeds X (n, r), the impulses Y (m, r) of all rows, and D (r, r)."""

    def __init__(self, system: System, t: float, q: np.ndarray, v: np.ndarray, rows: list[UnilateralRow]) -> None:
        n, m = system.n, system.m
        before = set_friction(system.assembly, system.plan, FREE)
        at = q[: system.nq]
        try:
            M, G = system.mass_matrix(t, at, system.states_alone(v[:n])), system.jacobian(t, at)
        finally:
            set_friction(system.assembly, system.plan, before)
        scale, whole, units = system.scale, system.mass_scale * system.length_scale**2, system.row_scale
        if isinstance(M, np.ndarray):
            A = bordered(scale[:, None] * M * scale / whole, G / units[:, None] * scale)
        else:
            S: Any = scipy.sparse.diags_array(scale)
            A = bordered(S @ M @ S / whole, scipy.sparse.diags_array(1.0 / units) @ G @ S)
        right = np.zeros((n + m, len(rows)))
        for k, row in enumerate(rows):
            right[row.speed, k] = scale[row.speed] / whole
        factors = Factors(A)
        found = factors.solve(right)
        found += factors.solve(right - A @ found)
        self.X, self.Y = scale[:, None] * found[:n], whole * found[n:] / units[:, None]
        own = self.X[[row.speed for row in rows]]
        self.D = 0.5 * (own + own.T)
        self.sizes = scale[[row.speed for row in rows]]

    def reaches(self, speeds: np.ndarray) -> bool:
        """Whether some impulses change the speeds of the gaps by these (r,)."""
        left = speeds - self.D @ np.linalg.lstsq(self.D, speeds, rcond=1e-11)[0]
        return bool(np.max(np.abs(left)) <= 1e-9 * np.max(np.abs(speeds)))

    def immovable(self, system: System) -> np.ndarray:
        """Marks (r,) of the rows that meet no inertia that an impulse could move."""
        inertia = np.diag(self.D) * system.mass_scale * system.length_scale**2 / self.sizes**2
        return np.asarray(inertia <= 1.0 / NO_INERTIA)


def collide(
    system: System, t: float, q: np.ndarray, v: np.ndarray, rows: list[UnilateralRow], fastest: float
) -> Collision:
    """The impact of the closed gaps of `rows` with speeds v (total,), of which at least one approaches; speeds that are
    small against the `fastest`, in model lengths and radians per second, are round-off."""
    answer, speeds = Response(system, t, q, v, rows), [row.speed for row in rows]
    given = np.array([row.restitution for row in rows])
    v, started = v.copy(), v[speeds].copy()
    impulse, lost = np.zeros((2, len(rows)))
    done = Collision(started, started, impulse, lost, v, np.zeros(system.m), 0.0)
    if np.any(answer.immovable(system) & approaching(system, v, rows, fastest)):
        done.jammed = True
        return done
    for count in range(MOST_TOGETHER + 2):
        before = v[speeds].copy()
        if count and not approaching(system, v, rows, fastest).any():
            break
        e = given if count < MOST_TOGETHER else np.zeros(len(rows))
        if not answer.reaches((1.0 + e) * before):
            e, done.lowered = np.full(len(rows), e.min()), True
        found = one_sided(answer.D, (1.0 + e) * before)
        if gained(before, answer.D, found.x):
            e, done.lowered = _lowered(before, answer.D, e), True
            found = one_sided(answer.D, (1.0 + e) * before)
        P, done.unique = found.x, done.unique and found.unique
        v[: system.n] += answer.X @ P
        struck = (P > 0.0) & np.isclose(v[speeds], -e * before, rtol=0.0, atol=1e-9 * np.max(np.abs(before)))
        for k in np.flatnonzero(struck):  # to the last digit: a row that does not rebound rests
            v[speeds[k]] = -e[k] * before[k] if e[k] else 0.0
        lost -= 0.5 * (before + v[speeds]) * P
        impulse += P
    done.jammed = bool(approaching(system, v, rows, fastest).any())
    done.after, done.on_rows = v[speeds].copy(), answer.Y @ impulse
    rates = system.constraint(t, q[: system.nq], np.zeros(system.n))[1] if system.m else np.zeros(0)
    done.work = float(done.on_rows @ rates)
    if system.spins[0].any():
        done.work += float(system.spin_energy(v[: system.n]) - system.spin_energy(v[: system.n] - answer.X @ impulse))
    return done


def approaching(system: System, v: np.ndarray, rows: list[UnilateralRow], fastest: float) -> np.ndarray:
    """Marks (r,) of the gaps that become smaller, by more than round-off of the speeds v (total,)."""
    speeds = np.array([row.speed for row in rows], dtype=np.int64)
    return np.asarray(v[speeds] / system.scale[speeds] < -AT_REST * fastest)


def gained(before: np.ndarray, D: np.ndarray, P: np.ndarray) -> bool:
    """Whether an impact gains energy."""
    taken, given = before @ P, 0.5 * P @ D @ P
    return bool(taken + given > ROUNDED * (np.abs(before) @ P + given))


def _lowered(before: np.ndarray, D: np.ndarray, e: np.ndarray) -> np.ndarray:
    """The restitutions with the largest factor by which nothing is gained."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        bad = gained(before, D, one_sided(D, (1.0 + middle * e) * before).x)
        low, high = (low, middle) if bad else (middle, high)
    return np.asarray(low * e)
