"""Response of a tree, at rest and without gravity, to the forces of further rows, and the change of these rows that it
causes; compiled.

With C = G B, the rows in joint speeds, and the mass matrix M of the tree,

    Δ = −M⁻¹ Cᵀ,      G B Δ = −C M⁻¹ Cᵀ

for rows in units of their scales. A formulation with halves, M⁻¹ = R Rᵀ (:class:`flexmb.formulations.binding.Halves`),
gives Y = Rᵀ Cᵀ from the links between the links of a row and the ground alone. Then the matrix is −Yᵀ Y, in which rows
are coupled if their paths to the ground share links, and Σ μ Δ is −R Y μ, evaluated once for all rows. Other
formulations solve the whole tree for each row; where elastic groups of links have forces at rest too, the solution
without forces of rows is subtracted.
"""

from __future__ import annotations

from flexmb.formulations.binding import answer, halve, join
from flexmb.kernels.compilation import called
from flexmb.kernels.vectors import put, vector_in
from flexmb.solvers.coordinates.joints.bearing import put_row, row_times, start_rows, take_row
from flexmb.solvers.coordinates.joints.joint_state import move_joints, speeds_along


@called(int)
def find_responses(j):
    """Compute the responses and the matrix G B Δ, after a call of the formulation at this state and of
    :func:`~flexmb.solvers.coordinates.joints.multipliers.fill_entries` for the rows; returns 0, or the status of the
    formulation. u̇, τ and the wrenches are overwritten."""
    start_rows(j)
    if j.rows.bearing.halved.any == 0:
        return _by_the_whole_way(j)
    _by_halves(j)
    return 0


@called(None)
def _by_halves(j):
    b, h, count = j.rows.bearing, j.rows.bearing.halved, j.rows.numbers.shape[0]
    for i in range(count):
        put_row(j, j.rows.plan, b, i, 1.0 / j.rows.scale[j.rows.numbers[i]])
        first, last = b.path_first[i], b.path_first[i + 1]
        halve(j.formulation.place, b.path, first, last, j.acting.wrench, j.formulation.tau, h.y, h.y_first[i])
    j.rows.matrix[:] = 0.0
    for c in range(h.columns.shape[0]):
        for p in range(h.first[c], h.first[c + 1]):
            row, of_row = h.row[p], h.y[h.at[p]]
            if of_row == 0.0:
                continue
            for other in range(h.first[c], p + 1):
                j.rows.matrix[row, h.row[other]] -= of_row * h.y[h.at[other]]
    for i in range(count):
        for k in range(i):
            j.rows.matrix[k, i] = j.rows.matrix[i, k]


@called(int)
def _by_the_whole_way(j):
    links, nv, status = j.links, j.links.joints.nv, 0
    gravity = vector_in(links.gravity, 0)
    put(links.gravity, 0, (0.0, 0.0, 0.0))
    for i in range(nv):
        j.work.move[i] = j.u[i]
        j.u[i] = j.ud[i] = j.work.base[i] = 0.0
    move_joints(j)
    if j.formulation.grouped == 1:
        status = answer(
            j.formulation.place,
            j.formulation.x,
            j.formulation.u,
            j.formulation.tau,
            j.acting.wrench,
            j.formulation.base,
        )
    unit = j.unit  # smaller responses would lose digits next to the accelerations of groups
    for i in range(nv):
        unit = max(unit, j.unit * abs(j.work.base[i]))
    for k in range(j.rows.numbers.shape[0]):
        if status != 0:
            break
        put_row(j, j.rows.plan, j.rows.bearing, k, unit / j.rows.scale[j.rows.numbers[k]])
        status = answer(
            j.formulation.place, j.formulation.x, j.formulation.u, j.formulation.tau, j.acting.wrench, j.formulation.ud
        )
        take_row(j, j.rows.bearing, k)
        for i in range(nv):
            j.rows.response[k, i] = (j.ud[i] - j.work.base[i]) / unit
        speeds_along(j, j.rows.response[k], j.work.a)
        for i in range(j.rows.numbers.shape[0]):
            j.rows.matrix[i, k] = row_times(j.rows.plan, j.rows.bearing, i, j.work.a) / j.rows.scale[j.rows.numbers[i]]
    for i in range(nv):
        j.u[i] = j.work.move[i]
    put(links.gravity, 0, gravity)
    move_joints(j)
    return status


@called(None)
def respond(j, mu, ud):
    """u̇ = Δ μ, for multipliers μ (e,) of the rows in units of their scales."""
    h = j.rows.bearing.halved
    for i in range(j.links.joints.nv):
        ud[i] = 0.0
    if h.any == 0:
        for k in range(mu.shape[0]):
            for i in range(j.links.joints.nv):
                ud[i] += mu[k] * j.rows.response[k, i]
        return
    for c in range(h.columns.shape[0]):
        total = 0.0
        for p in range(h.first[c], h.first[c + 1]):
            total += mu[h.row[p]] * h.y[h.at[p]]
        h.whole[h.columns[c]] = total
    join(j.formulation.place, h.whole, j.formulation.base)
    for i in range(j.formulation.base.shape[0]):
        ud[i] = j.formulation.base[i]
