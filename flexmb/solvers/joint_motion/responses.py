"""What a tree answers at rest and without weight to forces of further rows, and what these rows see of it; compiled.

With C = G B, the rows in joint speeds, and the mass matrix M of the tree,

    Δ = −M⁻¹ Cᵀ,      G B Δ = −C M⁻¹ Cᵀ

of rows that are measured by their scales. A road with halves, M⁻¹ = R Rᵀ (:class:`flexmb.formulations.binding.Halves`),
gives Y = Rᵀ Cᵀ on the ways from the links that a row bears on to the ground. Then −Yᵀ Y is the matrix, in which rows
meet that have links in common, and Σ μ Δ is −R Y μ, once for all rows. Other roads are asked the whole way for
each row: what they say of it, less what they say without any, where groups of links are elastic and have forces at rest
too.
"""

from __future__ import annotations

from flexmb.formulations.binding import answer, halve, join
from flexmb.kernels.compilation import called
from flexmb.kernels.vectors import put, vector_in
from flexmb.solvers.joint_motion.bearing import put_row, row_times, start_rows, take_row
from flexmb.solvers.joint_motion.joint_state import move_joints, speeds_along


@called(int)
def find_responses(j):
    """The responses and the matrix, behind a call of the road and of the Jacobians of the rows; 0, or the status of the
    road. u̇, τ and the wrenches are lost."""
    start_rows(j)
    if j.bearing.halves == 0:
        return _by_the_whole_way(j)
    _by_halves(j)
    return 0


@called(None)
def _by_halves(j):
    b, count = j.bearing, j.further.shape[0]
    for i in range(count):
        put_row(j, j.rows, b, i, 1.0 / j.row_scale[j.further[i]])
        halve(j.road, b.path, b.path_first[i], b.path_first[i + 1], j.wrench, j.road_tau, b.y, b.y_first[i])
    j.matrix[:] = 0.0
    for c in range(b.columns.shape[0]):
        for p in range(b.column_first[c], b.column_first[c + 1]):
            row, of_row = b.column_row[p], b.y[b.column_at[p]]
            if of_row == 0.0:
                continue
            for other in range(b.column_first[c], p + 1):
                j.matrix[row, b.column_row[other]] -= of_row * b.y[b.column_at[other]]
    for i in range(count):
        for k in range(i):
            j.matrix[k, i] = j.matrix[i, k]


@called(int)
def _by_the_whole_way(j):
    links, nv, status = j.links, j.links.nv, 0
    gravity = vector_in(links.gravity, 0)
    put(links.gravity, 0, (0.0, 0.0, 0.0))
    for i in range(nv):
        j.move[i] = j.u[i]
        j.u[i] = j.ud[i] = j.base[i] = 0.0
    move_joints(j)
    if j.grouped == 1:
        status = answer(j.road, j.road_x, j.road_u, j.road_tau, j.wrench, j.road_base)
    unit = j.unit  # beside larger accelerations responses lose digits
    for i in range(nv):
        unit = max(unit, j.unit * abs(j.base[i]))
    for k in range(j.further.shape[0]):
        if status != 0:
            break
        put_row(j, j.rows, j.bearing, k, unit / j.row_scale[j.further[k]])
        status = answer(j.road, j.road_x, j.road_u, j.road_tau, j.wrench, j.road_ud)
        take_row(j, j.bearing, k)
        for i in range(nv):
            j.response[k, i] = (j.ud[i] - j.base[i]) / unit
        speeds_along(j, j.response[k], j.a)
        for i in range(j.further.shape[0]):
            j.matrix[i, k] = row_times(j.rows, j.bearing, i, j.a) / j.row_scale[j.further[i]]
    for i in range(nv):
        j.u[i] = j.move[i]
    put(links.gravity, 0, gravity)
    move_joints(j)
    return status


@called(None)
def respond(j, mu, ud):
    """u̇ = Δ μ, for multipliers (e,) of the rows in units of their scales."""
    b = j.bearing
    for i in range(j.links.nv):
        ud[i] = 0.0
    if b.halves == 0:
        for k in range(mu.shape[0]):
            for i in range(j.links.nv):
                ud[i] += mu[k] * j.response[k, i]
        return
    for c in range(b.columns.shape[0]):
        total = 0.0
        for p in range(b.column_first[c], b.column_first[c + 1]):
            total += mu[b.column_row[p]] * b.y[b.column_at[p]]
        b.whole[b.columns[c]] = total
    join(j.road, b.whole, j.road_base)
    for i in range(j.road_base.shape[0]):
        ud[i] = j.road_base[i]
