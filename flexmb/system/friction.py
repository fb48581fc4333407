"""Friction that depends on the joints' own forces in the equations of motion, M a + f + Gᵀ λ + F(t, q, v, λ) = 0.

Since F depends on the multipliers, the matrix of the equations has D = ∂F/∂λ in the columns of λ:

    [wm M + wd D_v + wk K   Gᵀ + D]
    [          G              0   ]

D has its nonzero entries where Gᵀ has. Corrections of positions and speeds, and impulses, involve no friction and use
the matrix without D.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called
from flexmb.system.kernel_calls import FRICTION, add_K, call_kernel, gather_multipliers
from flexmb.system.plan import BLOCK, COUNT, GMAP_AT, IV_AT, KERNEL_AT, NV, ROWS


@called(None)
def add_friction(plan, scratch, t, q, v, a, lam, r):
    """r (total,) += F."""
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + FRICTION] == 0:
            continue
        nv = plan.groups[group, NV]
        width = nv * (1 + plan.groups[group, ROWS])
        for first in range(0, plan.groups[group, COUNT], BLOCK):
            last = min(first + BLOCK, plan.groups[group, COUNT])
            gather_multipliers(plan, scratch, group, first, last, lam)
            call_kernel(plan, scratch, FRICTION, group, first, last, width, True, t, q, v, a, scratch.still)
            for i in range(last - first):
                base = plan.groups[group, IV_AT] + (first + i) * nv
                for j in range(nv):
                    r[plan.numbers[base + j]] += scratch.out[i * width + j]


@called(None)
def add_friction_to_matrix(plan, scratch, t, q, v, a, lam, w, sign, values):
    """Add D = ∂F/∂λ, times `sign`, and wd ∂F/∂v + wk ∂F/∂q to the values of a matrix of
    :func:`flexmb.system.evaluation.step_matrix`."""
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + FRICTION] == 0:
            continue
        nv, m = plan.groups[group, NV], plan.groups[group, ROWS]
        width = nv * (1 + m)
        for first in range(0, plan.groups[group, COUNT], BLOCK):
            last = min(first + BLOCK, plan.groups[group, COUNT])
            gather_multipliers(plan, scratch, group, first, last, lam)
            call_kernel(plan, scratch, FRICTION, group, first, last, width, True, t, q, v, a, w)
            add_K(plan, scratch, group, first, last, values)
            for i in range(last - first):
                base = plan.groups[group, GMAP_AT] + 2 * (first + i) * m * nv
                for k in range(m * nv):
                    place = plan.gmap[base + 2 * k + 1]
                    if place >= 0:
                        values[place] += sign * scratch.out[i * width + nv + k]
