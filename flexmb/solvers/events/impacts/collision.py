"""Impact of rows that hold in one direction only: speeds jump at an instant, while the position stays.

With W for the directions of the gaps s, e for their restitutions and γ = ṡ, before and behind the impact,

    M (v⁺ − v⁻) + Gᵀ Λ = W P,    G v⁺ + g_t = 0,    0 ≤ γ⁺ + e γ⁻ ⊥ P ≥ 0

the law of Newton in the form of Moreau (1988). All gaps that are closed take part together; those that do
not approach restore nothing. Their own coordinates are
free, so that W is a unit vector for each, and D = Wᵀ M⁻¹ W with the joints in it is what the speeds of the gaps gain by
unit impulses. Friction of joints does not act in an impact; beside a gap it has impulses along the slip, without
restitution (:mod:`flexmb.solvers.events.impacts.coulomb`). Prescribed motions do the work Λᵀ g_t, and what is lost is

    −½ (γ⁺ + γ⁻)ᵀ P

Restitutions that differ from row to row may gain energy together, and those with friction too (Kane and Levinson
(1985)): they are lowered, all by one factor, until nothing is gained. Without restitution nothing ever is. Where gaps
depend on one another, restitutions that differ may contradict each other, and the least of them holds for all. Rows
that approach one another behind an impact strike again at the same instant; after many such impacts nothing is
restored, which ends them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from flexmb.algebra.factors import Factors, bordered
from flexmb.joints.sticking import FREE
from flexmb.solvers.events.impacts.coulomb import Problem, in_states, solved
from flexmb.solvers.events.impacts.one_sided import OneSided, one_sided
from flexmb.solvers.events.stated_row import RubbingRow, StatedRow, UnilateralRow
from flexmb.solvers.rows.left_out import AT_REST
from flexmb.system.sticking import set_friction
from flexmb.system.system import System

#: impacts at one instant with the restitutions that were given; later ones are without
MOST_TOGETHER = 50
#: energy gained below this fraction of what is exchanged is rounding
ROUNDED = 1e-11
#: bisections of the factor by which restitutions are lowered
BISECTIONS = 30
#: a row has no inertia if its effective mass is beyond that of the model by this factor
NO_INERTIA = 1e12
#: a gap that does not approach does so by this part of the slip, to find whether what slides is wedged
WEDGED = 1e-6


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
    """The answer of a system at a time t and a position q (total_q,) to unit impulses on the coordinates of `rows`:
    jumps of speeds X (n, r), the impulses Y (m, r) of all rows, and D (r, r)."""

    def __init__(self, system: System, t: float, q: np.ndarray, v: np.ndarray, rows: Sequence[StatedRow]) -> None:
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

    def immovable(self, system: System) -> np.ndarray:
        """Marks (r,) of the rows that meet no inertia that an impulse could move."""
        inertia = np.diag(self.D) * system.mass_scale * system.length_scale**2 / self.sizes**2
        return np.asarray(inertia <= 1.0 / NO_INERTIA)


class Meeting:
    """Gaps that meet at a time t in a position q (total_q,), with the friction beside them, None where there is none:
    what impulses do to their speeds, those of the gaps before those of the slips."""

    def __init__(
        self, system: System, t: float, q: np.ndarray, v: np.ndarray, gaps: list[UnilateralRow],
        rubbing: Sequence[RubbingRow | None],
    ) -> None:  # fmt: skip
        self.gaps, beside = gaps, [row for row in rubbing if row is not None]
        self.rows: list[StatedRow] = [*gaps, *beside]
        self.answer = Response(system, t, q, v, self.rows)
        self.speeds = np.array([row.speed for row in self.rows], dtype=np.int64)
        k = len(gaps)
        numbers = {id(row): k + j for j, row in enumerate(beside)}
        self.slips = np.array([numbers.get(id(row), -1) for row in rubbing], dtype=np.int64)
        self.mu = np.array([row.coefficient if row is not None else 0.0 for row in rubbing])
        self.normal = self.answer.D[:k, :k]

    def impulses(self, before: np.ndarray, e: np.ndarray) -> OneSided | None:
        """The impulses (r,) of an impact with speeds `before` it (r,) and the restitutions e (k,)."""
        b = before.copy()
        b[: len(e)] *= 1.0 + e
        if len(b) == len(e):
            return one_sided(self.answer.D, b)
        found = solved(self.problem(b))
        return None if found is None else OneSided(found.P, found.unique)

    def problem(self, b: np.ndarray) -> Problem:
        """The contacts with speeds b (r,)."""
        return Problem(self.answer.D, b, np.arange(len(self.gaps)), self.slips, self.mu)

    def wedged(self, before: np.ndarray) -> OneSided | None:
        """The impulses that stop what slides where no forces can (Painlevé (1895)): gaps that do not approach have
        such impulses beside P = 0. None if there are none."""
        k = len(self.gaps)
        at_rest = before.copy()
        at_rest[:k] = 0.0
        nearer = at_rest.copy()
        nearer[:k] = -WEDGED * np.max(np.abs(at_rest), initial=0.0) * self.answer.sizes[:k]
        found = solved(self.problem(nearer))
        again = None if found is None else in_states(self.problem(at_rest), found.states)
        if again is None or not again.P[:k].max(initial=0.0) > 0.0 or again.P[:k].min() < 0.0:
            return None
        return OneSided(again.P, again.unique)


def collide(
    system: System, meeting: Meeting, t: float, q: np.ndarray, v: np.ndarray, fastest: float, wedges: bool = False
) -> Collision:
    """The impact of closed gaps with speeds v (total,), of which at least one approaches. Speeds that are small against
    the `fastest`, in model lengths and radians per second, are round-off. `wedges`: none approaches, and what slides is
    stopped."""
    gaps, answer, speeds, k = meeting.gaps, meeting.answer, meeting.speeds, len(meeting.gaps)
    given = np.array([row.restitution for row in gaps])
    v, started = v.copy(), v[speeds[:k]].copy()
    impulse, lost = np.zeros(len(speeds)), np.zeros(k)
    done = Collision(started, started, impulse[:k], lost, v, np.zeros(system.m), 0.0)
    if np.any(answer.immovable(system)[:k] & approaching(system, v, gaps, fastest)):
        done.jammed = True
        return done
    for count in range(MOST_TOGETHER + 2):
        before = v[speeds].copy()
        if count and not approaching(system, v, gaps, fastest).any():
            break
        e = np.where(before[:k] < 0.0, given, 0.0) if count < MOST_TOGETHER else np.zeros(k)
        if not reaches(meeting.normal, (1.0 + e) * before[:k]):
            e, done.lowered = np.full(k, e.min()), True
        found = meeting.wedged(before) if wedges and not count else meeting.impulses(before, e)
        if found is not None and gained(before, answer.D, found.x):
            e, done.lowered = _lowered(meeting, before, e), True
            found = meeting.impulses(before, e)
        if found is None:
            done.jammed = True
            break
        P, done.unique = found.x, done.unique and found.unique
        v[: system.n] += answer.X @ P
        close = 1e-9 * np.max(np.abs(before))
        struck = (P[:k] > 0.0) & np.isclose(v[speeds[:k]], -e * before[:k], rtol=0.0, atol=close)
        for j in np.flatnonzero(struck):  # to the last digit: a row that does not rebound rests
            v[speeds[j]] = -e[j] * before[j] if e[j] else 0.0
        rubbed = meeting.slips >= 0
        sticks = rubbed & (np.abs(v[speeds[meeting.slips]]) <= close) & (P[:k] > 0.0)
        v[speeds[meeting.slips[sticks]]] = 0.0
        taken = -0.5 * (before + v[speeds]) * P
        lost += taken[:k]
        lost[rubbed] += taken[meeting.slips[rubbed]]
        impulse += P
    done.jammed = done.jammed or bool(approaching(system, v, gaps, fastest).any())
    done.after, done.on_rows = v[speeds[:k]].copy(), answer.Y @ impulse
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
    return bool(taken + given > ROUNDED * (np.abs(before) @ np.abs(P) + given))


def reaches(D: np.ndarray, speeds: np.ndarray) -> bool:
    """Whether some impulses change the speeds of the gaps by these (k,); D (k, k) is the answer of the gaps."""
    left = speeds - D @ np.linalg.lstsq(D, speeds, rcond=1e-11)[0]
    return bool(np.max(np.abs(left)) <= 1e-9 * np.max(np.abs(speeds)))


def _lowered(meeting: Meeting, before: np.ndarray, e: np.ndarray) -> np.ndarray:
    """The restitutions with the largest factor by which nothing is gained."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        found = meeting.impulses(before, middle * e)
        bad = found is None or gained(before, meeting.answer.D, found.x)
        low, high = (low, middle) if bad else (middle, high)
    return np.asarray(low * e)
