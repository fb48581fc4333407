"""Tables of the mechanism as a whole, and its numbers at many states (:mod:`flexmb.system.whole`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels.blocks import ANGLE, PLACE, STATE, VECTOR
from flexmb.kernels.compilation import compiled
from flexmb.system import evaluation
from flexmb.system.instances import InstanceSeries
from flexmb.system.kernel_calls import RESIDUAL, TANGENT
from flexmb.system.plan import COUNT, FOUND, KERNEL_AT, SEARCH
from flexmb.system.runs import run_of
from flexmb.system.system import System
from flexmb.system.whole import (
    EVERYTHING,
    FORCES,
    GRAVITY,
    KNOWN_MASS,
    LOADS,
    MASS,
    PLAIN,
    ROOM,
    WIDTH,
    whole_now,
)

#: numbers of the whole by one pass and by two are the same to this part of the largest
SAME = 1e-11


def whole_table(system: System) -> np.ndarray:
    """The integers of :func:`whole_now`: how many coordinates a place has; the number of runs of kernels with inertia,
    and these (:mod:`flexmb.system.runs`); the number of runs of loads, and these; the numbers of places, of directions
    and of angles or orientations, and then for each place and each direction its first index in v and in q, for each
    angle its index in v and in q and another 0, for each orientation its first index in v, that of e1 and that of e0 in
    q."""
    free, fixed, plan = system.assembly.free, system.assembly.fixed, system.plan
    size = max(free.dimension, fixed.dimension)

    def firsts(kind: str, size: int) -> np.ndarray:
        own = [np.repeat(part.numbers_of(kind, size)[:, :1], 2, axis=1) for part in (free, fixed)]
        return np.concatenate([own[0], own[1] + [plan.n, plan.nq]])

    if size == 3:
        parts = [np.insert(part.orientations, 1, part.orientations[:, 0], axis=1) for part in (free, fixed)]
        turning = np.concatenate([parts[0], parts[1] + [plan.n, plan.nq, plan.nq]])
    else:
        turning = np.insert(firsts(ANGLE, 1), 2, 0, axis=1)
    blocks = (firsts(PLACE, size), firsts(VECTOR, size), turning)
    loads = _loads(system)
    pushing = [run_of(plan, s.group, s.place, len(s), RESIDUAL, TANGENT) for s in loads]
    heavy = [run_of(plan, g, 0, int(plan.groups[g, COUNT]), RESIDUAL, TANGENT) for g in _with_inertia(system)]
    groups = [np.array([len(part), *(x for run in part for x in run)], dtype=np.int64) for part in (heavy, pushing)]
    counts = [len(part) for part in blocks]
    return np.concatenate([[size], *groups, counts, *(part.ravel() for part in blocks)]).astype(np.int64)


def whole_known(system: System, table: np.ndarray) -> np.ndarray:
    """What :func:`whole_now` knows beforehand, (total + KNOWN,): momenta of wheels of constant speed; whether kernels
    with inertia do no more at rest than they weigh, and what has inertia is always the same; the mass; gravity."""
    plan, free = system.plan, system.assembly.free
    gravity = np.zeros(3)
    gravity[: len(system.assembly.gravity)] = system.assembly.gravity
    known = np.concatenate([system.full(system.spins[0]), np.zeros(GRAVITY), gravity])
    rng, room, still = np.random.default_rng(0), np.zeros(ROOM * plan.total), np.zeros(plan.total)
    inert = {int(i.speeds[0]) for i in system.assembly.instances if i.kernels.name == "inertia of states"}
    changing = free.mask(STATE)
    changing[list(inert)] = False
    found = np.zeros((2, 2, WIDTH))
    for k, q in enumerate((system.q0, system.retract(system.q0, 1e-6 * system.scale * rng.normal(size=system.n)))):
        state = 0.0, system.full_q(q), system.full(rng.normal(size=system.n)), still
        for j in range(2):  # by two passes, and with the mass that these gave by one
            known[plan.total + PLAIN], known[plan.total + KNOWN_MASS] = j, found[k, 0, MASS]
            asked = EVERYTHING & ~(FORCES | LOADS)
            whole_now(plan, system.scratch, table, 0, asked, known, 0, *state, room, found[k, j])
    size = np.max(np.abs(found[:, 0]), initial=0.0) + np.max(np.abs(room[plan.total : 2 * plan.total]), initial=0.0)
    alike = np.allclose(found[:, 0], found[:, 1], rtol=0.0, atol=SAME * size)
    known[plan.total + PLAIN] = float(alike and not changing.any())
    known[plan.total + KNOWN_MASS] = found[0, 0, MASS]
    return known


def _loads(system: System) -> list[InstanceSeries]:
    """The instances of loads."""
    every = system.assembly.instance_series
    of = [s for s in every if s.owner.external and s.kernels.residual is not None and not s.off]
    of = [s for s in of if s.owner.kind != "states"]  # which put forces on nothing that moves as a whole
    for series in (s for s in of if s.finds):
        raise ModelError(
            f"{series.owner.where}: its command follows from readings of other components at this instant, so that the "
            "loads of the whole are not known by themselves; let the command follow states alone"
        )
    return of


def _with_inertia(system: System) -> list[int]:
    """The groups of kernels that feel accelerations, or belong to wheels of constant speed: not those of loads, whose
    inertia is that of something outside, nor searches among bodies, which have none."""
    plan, still = system.plan, np.zeros(system.plan.total)
    a = np.random.default_rng(0).normal(size=plan.total)
    found = {i.group for i in system.assembly.instances if i.owner.spins()}
    able = (plan.groups[:, KERNEL_AT + RESIDUAL] != 0) & (plan.groups[:, SEARCH] == 0) & (plan.groups[:, FOUND] == 0)
    outside = {series.group for series in system.assembly.instance_series if series.owner.external}
    for group in {*np.flatnonzero(able).tolist()} - outside:
        r = np.zeros((2, plan.total))
        for out, moved in zip(r, (still, a)):
            state = (0.0, system.initial, still, moved)
            evaluation.add_residual_of(plan, system.scratch, group, *state, system.scratch.still, out)
        if not np.array_equal(*r):
            found.add(group)
    return sorted(found)


def whole_over_time(
    system: System, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, places: np.ndarray, held: np.ndarray
) -> np.ndarray:
    """The numbers of :func:`whole_now` (k, WIDTH) at k states, while controllers hold `held` (k, p) in the parameters
    `places` (p,)."""
    system = system.whole
    plan, out = system.plan, np.zeros((len(t), WIDTH))
    given = [np.ascontiguousarray(x, dtype=float) for x in (t, q, v, a, held)]
    full = (system.initial.copy(), *np.zeros((2, plan.total)))
    table = whole_table(system)
    of = (table, 0, whole_known(system, table), 0)
    commanded = plan.p[places].copy()
    _whole_track(plan, system.scratch, *of, *given[:4], places, given[4], *full, np.zeros(ROOM * plan.total), out)
    plan.p[places] = commanded
    return out


def point_on_floor(force: np.ndarray, moment: np.ndarray, up: np.ndarray, height: Any) -> np.ndarray:
    """(u × N + h F)/(u · F): the point (…, 3) [m] of the floor u · p = h about which a force F with the moment N about
    the origin, (…, 3) each, has a moment along the normal u (3,) alone, Vukobratović and Borovac (2004); h (…)."""
    pressing = np.asarray(force @ up)[..., None]
    return np.asarray((np.cross(up, moment) + np.asarray(height)[..., None] * force) / pressing)


@compiled
def _whole_track(
    plan, scratch, table, at, known, known_at, t, q, v, a, places, held, all_q, all_v, all_a, room, out
):  # fmt: skip
    """out (k, WIDTH): the numbers of :func:`whole_now` at k states of the free coordinates; `all_q` (total_q,), `all_v`
    and `all_a` (total,) have those of fixed frames at the tail. `held` (k, places.size): what controllers hold at these
    places of the parameters."""
    for k in range(t.shape[0]):
        for j in range(places.shape[0]):
            plan.p[places[j]] = held[k, j]
        for j in range(q.shape[1]):
            all_q[j] = q[k, j]
        for j in range(v.shape[1]):
            all_v[j], all_a[j] = v[k, j], a[k, j]
        whole_now(plan, scratch, table, at, EVERYTHING, known, known_at, t[k], all_q, all_v, all_a, room, out[k])
