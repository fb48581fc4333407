"""The mechanism as a whole: its mass, its mass center, its momenta, and what its surroundings do to it beside weight.

Where everything moves as one rigid body, a place x moves by e + θ × x, a direction by θ × d, and an orientation by θ.
With the speeds Zᵀ (e, θ) that this gives to all coordinates, those of fixed frames among them (a clamped beam has mass
there too), any forces r on the coordinates have the resultant and the moment about the origin Z r. So

    Z M Z_eᵀ e = (m e, m c × e)        mass m and mass center c
    Z M v = (P, L)                     momentum, and angular momentum about the origin
    Z (M a + f) = (F, N)               their rates less weight and its moment

f are the velocity-dependent, elastic and gravity forces of whatever has inertia; elastic forces within a body have no
resultant. By the laws of momentum, F and N are the forces and moments of the ground, of loads and of all else outside.
Those of loads, which stand on no other frame, are known by themselves: without them F and N are those of what carries
the mechanism. Only kernels with inertia and of loads are evaluated, so that joints and springs cost nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.kernels.blocks import ANGLE, PLACE, VECTOR
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.rotations import turned
from flexmb.system import evaluation
from flexmb.system.kernel_calls import RESIDUAL
from flexmb.system.plan import KERNEL_AT, SEARCH
from flexmb.system.system import System

#: what :func:`whole_now` finds: mass, first moment m c, momentum P and angular momentum L about the origin, force F and
#: moment N about the origin of all outside but weight, and those of loads; in the plane with zeros
MASS, MOMENT, MOMENTUM, ANGULAR, FORCE, TORQUE, LOAD, LOAD_TORQUE, WIDTH = 0, 1, 4, 7, 10, 13, 16, 19, 22

#: what of these :func:`whole_now` is asked for, each of which takes a pass over all kernels with inertia: the mass with
#: the first moment across x, or that across y; momenta; F and N; those of loads
ACROSS_X, ACROSS_Y, MOMENTA, FORCES, LOADS = 1, 2, 4, 8, 16
EVERYTHING = ACROSS_X | ACROSS_Y | MOMENTA | FORCES | LOADS


def whole_table(system: System) -> np.ndarray:
    """The integers of :func:`whole_now`: how many coordinates a place has; the number of groups of kernels with
    inertia, and these; the number of groups of loads, and these; the numbers of places, of directions and of angles or
    orientations, and then for each place and each direction its first index in v and in q, for each angle its index in
    v and in q and another 0, for each orientation its first index in v, that of e1 and that of e0 in q."""
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
    loads = _of_loads(system)
    groups = [np.array([len(part), *part], dtype=np.int64) for part in (_with_inertia(system, loads), loads)]
    counts = [len(part) for part in blocks]
    return np.concatenate([[size], *groups, counts, *(part.ravel() for part in blocks)]).astype(np.int64)


def _of_loads(system: System) -> list[int]:
    """The groups of kernels of loads."""
    return sorted({i.group for i in system.assembly.instances if i.owner.external and i.kernels.residual is not None})


def _with_inertia(system: System, loads: list[int]) -> list[int]:
    """The groups of kernels that feel accelerations, or belong to wheels of constant speed: not those of loads, whose
    inertia is that of something outside, nor searches among bodies, which have none."""
    plan, still = system.plan, np.zeros(system.plan.total)
    a = np.random.default_rng(0).normal(size=plan.total)
    found = {i.group for i in system.assembly.instances if i.owner.spins()}
    able = (plan.groups[:, KERNEL_AT + RESIDUAL] != 0) & (plan.groups[:, SEARCH] == 0)
    for group in {*np.flatnonzero(able).tolist()} - {*loads}:
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
    of = (whole_table(system), 0, system.full(system.spins[0]), 0)
    commanded = plan.p[places].copy()
    _whole_track(plan, system.scratch, *of, *given[:4], places, given[4], *full, np.zeros(3 * plan.total), out)
    plan.p[places] = commanded
    return out


def point_on_floor(force: np.ndarray, moment: np.ndarray, up: np.ndarray, height: Any) -> np.ndarray:
    """(u × N + h F)/(u · F): the point (…, 3) [m] of the floor u · p = h about which a force F with the moment N about
    the origin, (…, 3) each, has a moment along the normal u (3,) alone, Vukobratović and Borovac (2004); h (…)."""
    pressing = np.asarray(force @ up)[..., None]
    return np.asarray((np.cross(up, moment) + np.asarray(height)[..., None] * force) / pressing)


@compiled
def resultant(table, at, q, r, out, to):
    """The resultant of forces r (total,) on all coordinates, and their moment about the origin, in six numbers
    from out[to] on; `table` from `at` on is that of :func:`whole_table`."""
    for j in range(6):
        out[to + j] = 0.0
    size = table[at]
    at += 2 + table[at + 1]
    at += 1 + table[at]
    places, directions, turning = table[at], table[at + 1], table[at + 2]
    at += 3
    for k in range(places + directions):
        i, j = table[at], table[at + 1]
        at += 2
        x, y, z, fx, fy, fz = q[j], q[j + 1], 0.0, r[i], r[i + 1], 0.0
        if size == 3:
            z, fz = q[j + 2], r[i + 2]
        if k < places:
            out[to] += fx
            out[to + 1] += fy
            out[to + 2] += fz
        out[to + 3] += y * fz - z * fy
        out[to + 4] += z * fx - x * fz
        out[to + 5] += x * fy - y * fx
    for _ in range(turning):
        i, j, scalar = table[at], table[at + 1], table[at + 2]
        at += 3
        if size == 3:
            moment = turned((q[scalar], q[j], q[j + 1], q[j + 2]), (r[i], r[i + 1], r[i + 2]))
            out[to + 3] += moment[0]
            out[to + 4] += moment[1]
            out[to + 5] += moment[2]
        else:
            out[to + 5] += r[i]


@called(None)
def _residual_of(plan, scratch, groups, at, t, q, v, a, r):
    """r (total,) = M a + f of some groups, whose number is at groups[at]."""
    r[:] = 0.0
    for k in range(groups[at]):
        evaluation.add_residual_of(plan, scratch, groups[at + 1 + k], t, q, v, a, scratch.still, r)


@called(None)
def whole_now(plan, scratch, table, at, asked, momenta, momenta_at, t, q, v, a, room, out):
    """out (WIDTH,): the mechanism as a whole in one state, zero where it is not `asked` for. `momenta` from
    `momenta_at` on: (total,) those of wheels of constant speed; `room` (3 total,) is scratch."""
    n, still = plan.total, scratch.still
    r0, r, moved = room[:n], room[n : 2 * n], room[2 * n : 3 * n]
    inertia, loads = at + 1, at + 2 + table[at + 1]
    places = loads + 1 + table[loads]
    out[:] = 0.0  # of what stood there before a part may be NaN, and formulas multiply all by their directions
    if asked & (ACROSS_X | ACROSS_Y | MOMENTA) != 0:
        _residual_of(plan, scratch, table, inertia, t, q, v, still, r0)  # with v, on whose states a mass may depend
    for axis in range(2):
        if asked & (ACROSS_X if axis == 0 else ACROSS_Y) == 0:
            continue
        moved[:] = 0.0
        for k in range(table[places]):
            moved[table[places + 3 + 2 * k] + axis] = 1.0
        _residual_of(plan, scratch, table, inertia, t, q, v, moved, r)
        for j in range(n):
            r[j] -= r0[j]
        resultant(table, at, q, r, out, MOMENTUM)
        out[MASS] = out[MOMENTUM + axis]
        if axis == 0:  # m c × e_x = m (0, c_z, −c_y)
            out[MOMENT + 1], out[MOMENT + 2] = -out[ANGULAR + 2], out[ANGULAR + 1]
        else:  # m c × e_y = m (−c_z, 0, c_x)
            out[MOMENT] = out[ANGULAR + 2]
    if asked & MOMENTA != 0:
        _residual_of(plan, scratch, table, inertia, t, q, v, v, r)
        for j in range(n):
            r[j] += momenta[momenta_at + j] - r0[j]
        resultant(table, at, q, r, out, MOMENTUM)
    if asked & FORCES != 0:
        _residual_of(plan, scratch, table, inertia, t, q, v, a, r)
        resultant(table, at, q, r, out, FORCE)
    if asked & LOADS != 0:
        _residual_of(plan, scratch, table, loads, t, q, v, a, r)
        for j in range(n):
            r[j] = -r[j]
        resultant(table, at, q, r, out, LOAD)


@compiled
def _whole_track(
    plan, scratch, table, at, momenta, momenta_at, t, q, v, a, places, held, all_q, all_v, all_a, room, out
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
        whole_now(plan, scratch, table, at, EVERYTHING, momenta, momenta_at, t[k], all_q, all_v, all_a, room, out[k])
