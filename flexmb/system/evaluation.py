"""Compiled evaluation of a plan: residual, constraints, tangent, energy, by calling the kernels block by block."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation import allocation_free, called, inlined
from flexmb.kernels.views import matrix_view
from flexmb.kernels.widths import ENERGY_WIDTH, SWITCH_WIDTH
from flexmb.system.friction import add_friction
from flexmb.system.kernel_calls import (
    CONSTRAINT,
    ENERGY,
    FRICTION,
    JACOBIAN,
    POINT,
    RESIDUAL,
    SECTION,
    SWITCHES,
    TANGENT,
)
from flexmb.system.kernel_calls import add_K as _add_K
from flexmb.system.kernel_calls import call_kernel as _call
from flexmb.system.kernel_calls import gather_multipliers as _gather_multipliers
from flexmb.system.near import forget, lacks, spoil
from flexmb.system.near_calls import add_near_K, near_switches, sought, sought_anew
from flexmb.system.plan import (
    BLOCK,
    COUNT,
    GMAP_AT,
    IV_AT,
    KERNEL_AT,
    NV,
    ROW_AT,
    ROWS,
    SEARCH,
    VELOCITY_ROWS,
    turns,
)

#: what else than its friction counts of the force of an instance
ROWS_TOO, RESIDUAL_TOO = 1, 2


@called(None)
def residual(plan, scratch, t, q, v, a, w, r):
    """r (total,) = M a + f, without the constraint forces; entries from plan.n on belong to fixed frames."""
    r[:] = 0.0
    add_residual(plan, scratch, t, q, v, a, w, r)


@called(None)
def add_residual(plan, scratch, t, q, v, a, w, r):
    """r (total,) += M a + f."""
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + RESIDUAL] != 0:
            add_residual_of(plan, scratch, group, t, q, v, a, w, r)


@called(None)
def add_residual_of(plan, scratch, group, t, q, v, a, w, r):
    """r (total,) += M a + f of one group."""
    if not sought(plan, group, q, False):
        spoil(plan.near, plan.groups[group, SEARCH] - 1, r)
    nv = plan.groups[group, NV]
    for first in range(0, plan.groups[group, COUNT], BLOCK):
        last = min(first + BLOCK, plan.groups[group, COUNT])
        _call(plan, scratch, RESIDUAL, group, first, last, nv, False, t, q, v, a, w)
        base = plan.groups[group, IV_AT] + first * nv
        for k in range((last - first) * nv):
            r[plan.numbers[base + k]] += scratch.out[k]


@called(None)
def constraints(plan, scratch, t, q, v, a, w, g, gd, gamma):
    """Position error g, velocity error ġ and right-hand side γ, (m,) each."""
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + CONSTRAINT] == 0:
            continue
        m = plan.groups[group, ROWS]
        for first in range(0, plan.groups[group, COUNT], BLOCK):
            last = min(first + BLOCK, plan.groups[group, COUNT])
            _call(plan, scratch, CONSTRAINT, group, first, last, 3 * m, False, t, q, v, scratch.still, w)
            for i in range(last - first):
                for k in range(m):
                    row = plan.rows[plan.groups[group, ROW_AT] + (first + i) * m + k]
                    if row >= 0:
                        g[row] = scratch.out[i * 3 * m + k]
                        gd[row] = scratch.out[i * 3 * m + m + k]
                        gamma[row] = scratch.out[i * 3 * m + 2 * m + k]


@inlined
def _jacobian_width(plan, group):
    """How many numbers the Jacobian kernel of a group fills for an instance; with velocity rows ∂ġ/∂q follows G."""
    width = plan.groups[group, ROWS] * plan.groups[group, NV]
    return 2 * width if plan.groups[group, VELOCITY_ROWS] > 0 else width


@inlined
def _on_rates(w):
    """The weight of ∂ġ/∂q in velocity rows; 0 where w has only three weights."""
    return w[3] if len(w) > 3 else 0.0


@called(None)
def add_constraint_forces(plan, scratch, t, q, v, a, lam, w, r):
    """r += Gᵀ λ + F, with the friction F that depends on λ."""
    if plan.friction > 0:
        add_friction(plan, scratch, t, q, v, a, lam, r)
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + JACOBIAN] == 0:
            continue
        m = plan.groups[group, ROWS]
        nv = plan.groups[group, NV]
        width = _jacobian_width(plan, group)
        for first in range(0, plan.groups[group, COUNT], BLOCK):
            last = min(first + BLOCK, plan.groups[group, COUNT])
            _gather_multipliers(plan, scratch, group, first, last, lam)
            _call(plan, scratch, JACOBIAN, group, first, last, width, True, t, q, v, a, scratch.still)
            for i in range(last - first):
                base = plan.groups[group, IV_AT] + (first + i) * nv
                for k in range(m):
                    force = scratch.lam[i * m + k]
                    if force != 0.0:
                        for j in range(nv):
                            r[plan.numbers[base + j]] += force * scratch.out[i * width + k * nv + j]


@called(None)
def add_forces_and_rates(plan, scratch, t, q, v, a, lam, w, r, y):
    """r += Gᵀ λ + F and y (m,) = G a, with one evaluation of G."""
    if plan.friction > 0:
        add_friction(plan, scratch, t, q, v, a, lam, r)
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + JACOBIAN] == 0:
            continue
        m = plan.groups[group, ROWS]
        nv = plan.groups[group, NV]
        width = _jacobian_width(plan, group)
        for first in range(0, plan.groups[group, COUNT], BLOCK):
            last = min(first + BLOCK, plan.groups[group, COUNT])
            _gather_multipliers(plan, scratch, group, first, last, lam)
            _call(plan, scratch, JACOBIAN, group, first, last, width, True, t, q, v, a, scratch.still)
            for i in range(last - first):
                base = plan.groups[group, IV_AT] + (first + i) * nv
                for k in range(m):
                    row = plan.rows[plan.groups[group, ROW_AT] + (first + i) * m + k]
                    if row < 0:
                        continue
                    force = scratch.lam[i * m + k]
                    total = 0.0
                    for j in range(nv):
                        number = plan.numbers[base + j]
                        slope = scratch.out[i * width + k * nv + j]
                        r[number] += force * slope
                        total += slope * a[number]
                    y[row] = total


@called(None)
def jacobian_times(plan, scratch, t, q, v, a, w, x, y):
    """y (m,) = G x for a vector x (total,); in velocity rows (G + w[3] ∂ġ/∂q) x."""
    on_rates = _on_rates(w)
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + JACOBIAN] == 0:
            continue
        m = plan.groups[group, ROWS]
        nv = plan.groups[group, NV]
        width = _jacobian_width(plan, group)
        for first in range(0, plan.groups[group, COUNT], BLOCK):
            last = min(first + BLOCK, plan.groups[group, COUNT])
            _call(plan, scratch, JACOBIAN, group, first, last, width, True, t, q, v, a, scratch.still)
            for i in range(last - first):
                base = plan.groups[group, IV_AT] + (first + i) * nv
                for k in range(m):
                    row = plan.rows[plan.groups[group, ROW_AT] + (first + i) * m + k]
                    if row >= 0:
                        total = 0.0
                        for j in range(nv):
                            total += scratch.out[i * width + k * nv + j] * x[plan.numbers[base + j]]
                        if plan.at_speed[row] >= 0:
                            for j in range(nv):
                                slope = scratch.out[i * width + (m + k) * nv + j]
                                total += on_rates * slope * x[plan.numbers[base + j]]
                        y[row] = total


@called(None)
def matrix(plan, scratch, t, q, v, a, lam, w, values):
    """The values of [wm M + wd D + wk K, Gᵀ; G, 0], K with the geometric part of the constraints; the velocity rows of
    G, not of Gᵀ, are G + w[3] ∂ġ/∂q."""
    step_matrix(plan, scratch, t, q, v, a, lam, w, matrix_view(scratch.out, 0, 0, 9), values)


@called(None)
def step_matrix(plan, scratch, t, q, v, a, lam, w, maps, values):
    """As :func:`matrix`, with G T and ∂ġ/∂q T; `maps` (k, 9) has T for each orientation, (0, 9) where T = 1."""
    if w[0] == 0.0 and w[1] == 0.0 and w[2] == 0.0:
        values[:] = 0.0
        forget(plan.near)
    else:
        tangents(plan, scratch, t, q, v, a, w, values)
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + JACOBIAN] == 0:
            continue
        nv = plan.groups[group, NV]
        m = plan.groups[group, ROWS]
        width = _jacobian_width(plan, group)
        for first in range(0, plan.groups[group, COUNT], BLOCK):
            last = min(first + BLOCK, plan.groups[group, COUNT])
            _gather_multipliers(plan, scratch, group, first, last, lam)
            _call(plan, scratch, JACOBIAN, group, first, last, width, True, t, q, v, a, w)
            if w[2] != 0.0:
                _add_K(plan, scratch, group, first, last, values)
            if plan.groups[group, VELOCITY_ROWS] > 0:
                _put_velocity_rows(plan, scratch, group, first, last, _on_rates(w), values)
            else:
                base = plan.groups[group, GMAP_AT] + 2 * first * m * nv
                for k in range((last - first) * m * nv):
                    place = plan.gmap[base + 2 * k]
                    if place >= 0:
                        values[place] += scratch.out[k]
                        values[plan.gmap[base + 2 * k + 1]] += scratch.out[k]
            if maps.shape[0] > 0:
                _turn_columns(plan, scratch, group, first, last, _on_rates(w), maps, values)


@called(None)
def tangents(plan, scratch, t, q, v, a, w, values):
    """The values of wm M + wd D + wk K alone, without any part of the constraints."""
    values[:] = 0.0
    forget(plan.near)
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + TANGENT] == 0:
            continue
        near = plan.groups[group, SEARCH] > 0
        if near:
            if w[1] == 0.0 and w[2] == 0.0:
                continue  # pairs found by a search have no inertia
            sought(plan, group, q, False)
        for first in range(0, plan.groups[group, COUNT], BLOCK):
            last = min(first + BLOCK, plan.groups[group, COUNT])
            _call(plan, scratch, TANGENT, group, first, last, 0, True, t, q, v, a, w)
            if near:
                add_near_K(plan, scratch, group, first, last, values)
            else:
                _add_K(plan, scratch, group, first, last, values)
        if near and lacks(plan.near):  # the list is renewed at q, so that the pairs of this position get their entries
            sought_anew(plan, group, q)


@called(None)
def _turn_columns(plan, scratch, group, first, last, on_rates, maps, values):
    """Add G (T − 1) for the position rows of some instances, stored from index 0 of scratch.out, and w[3] ∂ġ/∂q (T − 1)
    for velocity rows; G of these multiplies speeds, whose increments need no T."""
    m, nv, width = plan.groups[group, ROWS], plan.groups[group, NV], _jacobian_width(plan, group)
    for i in range(last - first):
        numbers = plan.groups[group, IV_AT] + (first + i) * nv
        base = plan.groups[group, GMAP_AT] + 2 * (first + i) * m * nv
        for j in range(nv - 2):
            turn = turns(plan, plan.numbers[numbers + j])
            if turn < 0:
                continue
            for k in range(m):
                row = plan.rows[plan.groups[group, ROW_AT] + (first + i) * m + k]
                at_speed = row >= 0 and plan.at_speed[row] >= 0
                at = i * width + (k + m if at_speed else k) * nv + j
                factor = on_rates if at_speed else 1.0
                for c in range(3):
                    place = plan.gmap[base + 2 * (k * nv + j + c)]
                    if place >= 0:
                        change = -scratch.out[at + c]
                        for r in range(3):
                            change += scratch.out[at + r] * maps[turn, 3 * r + c]
                        values[place] += factor * change


@called(None)
def _put_velocity_rows(plan, scratch, group, first, last, on_rates, values):
    """Add the rows of G of a group with velocity rows to the matrix, and its columns of Gᵀ."""
    m, nv = plan.groups[group, ROWS], plan.groups[group, NV]
    for i in range(last - first):
        for k in range(m):
            row = plan.rows[plan.groups[group, ROW_AT] + (first + i) * m + k]
            if row < 0:
                continue
            base = plan.groups[group, GMAP_AT] + 2 * ((first + i) * m + k) * nv
            for j in range(nv):
                place = plan.gmap[base + 2 * j]
                if place >= 0:
                    own = scratch.out[(2 * i * m + k) * nv + j]
                    values[place] += own
                    values[plan.gmap[base + 2 * j + 1]] += own
                    if plan.at_speed[row] >= 0:
                        values[place] += on_rates * scratch.out[((2 * i + 1) * m + k) * nv + j]


@called(None)
def leave_out_velocity_rows(plan, values):
    """In a matrix of :func:`matrix`, replace velocity rows and their columns by those of the unit matrix, so that they
    do not restrict a correction of positions."""
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, VELOCITY_ROWS] == 0:
            continue
        m, nv = plan.groups[group, ROWS], plan.groups[group, NV]
        for k in range(plan.groups[group, COUNT] * m):
            row = plan.rows[plan.groups[group, ROW_AT] + k]
            if row < 0 or plan.at_speed[row] < 0:
                continue
            base = plan.groups[group, GMAP_AT] + 2 * k * nv
            for j in range(2 * nv):
                if plan.gmap[base + j] >= 0:
                    values[plan.gmap[base + j]] = 0.0
            values[plan.at_speed[row]] = 1.0


@called(None)
def energies(plan, scratch, t, q, v, a, w, e):
    """e (5,) = kinetic, strain, potential energy, dissipated and input power of the whole system."""
    e[:] = 0.0
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + ENERGY] == 0:
            continue
        if not sought(plan, group, q, False):
            e[1] = np.nan
        for first in range(0, plan.groups[group, COUNT], BLOCK):
            last = min(first + BLOCK, plan.groups[group, COUNT])
            _call(plan, scratch, ENERGY, group, first, last, ENERGY_WIDTH, False, t, q, v, a, w)
            for i in range(last - first):
                for k in range(ENERGY_WIDTH):
                    e[k] += scratch.out[ENERGY_WIDTH * i + k]


@called(None)
def switches(plan, scratch, t, q, v, a, w, out):
    """The switch functions of all instances that have them, two numbers each; for searches those of all slots."""
    at = 0
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + SWITCHES] == 0:
            continue
        if plan.groups[group, SEARCH] > 0:
            sought(plan, group, q, True)
            at = near_switches(plan, scratch, group, at, t, q, v, a, w, out)
            continue
        for first in range(0, plan.groups[group, COUNT], BLOCK):
            last = min(first + BLOCK, plan.groups[group, COUNT])
            _call(plan, scratch, SWITCHES, group, first, last, SWITCH_WIDTH, False, t, q, v, a, w)
            for k in range((last - first) * SWITCH_WIDTH):
                out[at + k] = scratch.out[k]
            at += (last - first) * SWITCH_WIDTH


@inlined
def _finite(x, count):
    for k in range(count):
        if not abs(x[k]) < np.inf:
            return False
    return True


#: results of :func:`everything`: all values are finite; some are not; the state itself is not
FINITE, NOT_FINITE, NO_STATE = range(3)


@allocation_free
def everything(plan, scratch, t, q, v, a, lam, zero, ones, r, g, gd, gamma, e, values):
    """Evaluate all that a run needs at a state: r (total,) = M a + f + Gᵀ λ, errors of the constraints, energies,
    values of the matrix. Returns FINITE, NOT_FINITE, or NO_STATE if the state itself is not finite."""
    total, m = plan.total, plan.m
    if not (_finite(q, plan.total_q) and _finite(v, total) and _finite(a, total) and _finite(lam, m)):
        return NO_STATE
    residual(plan, scratch, t, q, v, a, zero, r)
    add_constraint_forces(plan, scratch, t, q, v, a, lam, zero, r)
    constraints(plan, scratch, t, q, v, a, zero, g, gd, gamma)
    energies(plan, scratch, t, q, v, a, zero, e)
    matrix(plan, scratch, t, q, v, a, lam, ones, values)
    errors = _finite(g, m) and _finite(gd, m) and _finite(gamma, m)
    fine = errors and _finite(r, plan.n) and _finite(e, ENERGY_WIDTH) and _finite(values, len(values))
    return FINITE if fine else NOT_FINITE


@allocation_free
def points(plan, scratch, group, instance, t, q, v, a, w, out):
    """The output of a point kernel for one instance, see :mod:`flexmb.kernels.widths`; `out` has the same length."""
    _call(plan, scratch, POINT, group, instance, instance + 1, len(out), False, t, q, v, a, w)
    for k in range(len(out)):
        out[k] = scratch.out[k]


@called(None)
def sections(plan, scratch, group, instance, t, q, v, a, w, out):
    """Strains and forces of a section of one instance; `out` has the same length."""
    _call(plan, scratch, SECTION, group, instance, instance + 1, len(out), False, t, q, v, a, w)
    for k in range(len(out)):
        out[k] = scratch.out[k]


@called(None)
def instance_force(plan, scratch, group, instance, parts, t, q, v, a, lam, w, out):
    """out (nv,): the friction F of one instance, on its own coordinates, and of the `parts` :data:`ROWS_TOO` Gᵀ λ, of
    :data:`RESIDUAL_TOO` its residual."""
    m = plan.groups[group, ROWS]
    nv = plan.groups[group, NV]
    _gather_multipliers(plan, scratch, group, instance, instance + 1, lam)
    for j in range(nv):
        out[j] = 0.0
    if parts & ROWS_TOO != 0 and plan.groups[group, KERNEL_AT + JACOBIAN] != 0:
        _call(plan, scratch, JACOBIAN, group, instance, instance + 1, _jacobian_width(plan, group), True, t, q, v, a, w)
        for j in range(nv):
            for k in range(m):
                out[j] += scratch.lam[k] * scratch.out[k * nv + j]
    if plan.groups[group, KERNEL_AT + FRICTION] != 0:
        _call(plan, scratch, FRICTION, group, instance, instance + 1, nv * (m + 1), True, t, q, v, a, scratch.still)
        for j in range(nv):
            out[j] += scratch.out[j]
    if parts & RESIDUAL_TOO != 0 and plan.groups[group, KERNEL_AT + RESIDUAL] != 0:
        _call(plan, scratch, RESIDUAL, group, instance, instance + 1, nv, False, t, q, v, a, w)
        for j in range(nv):
            out[j] += scratch.out[j]
