r"""Links with coupled mass: several nodes, amplitudes of modes and angles of rotors as one body.

The mass matrix of a beam with component modes couples its nodes with the amplitudes z of its modes; the mass matrix of
a body with a rotor couples its rotation with the angle of the rotor. The element kernels give the dense block M of a
group and its forces f, from elasticity, damping, gravity and rotation, in the coordinates of the system: M a + f. At a
node whose arm from the origin of its link is d, and whose axes are R,

    r̈ = a + α × d + ω × (ω × d),    ω̇ = Rᵀ α        in short  aₑ = T A + b,    T = [−d̃, 1; Rᵀ, 0],    A = [α; a]

so that in terms of link motions (:mod:`flexmb.formulations.spatial_algebra`), with T = 1 for z,

    S Y + p = F,    Y = (A₁ … Aₙ, z̈),    S = Tᵀ M T,    p = Tᵀ (f + M b).                                        (1)

F are joint forces and external forces on the nodes, and the drives τ on z. The links that node i carries add Iᴬ to Sᵢᵢ
and pᴬ to pᵢ. The head node, index h, is carried by a joint. All other unknowns, index r, the other nodes and z, are
eliminated by a Schur complement, as by Guyan (1965) but exact, since nothing is neglected. The group is then a link
with the inertia

    Iᴬ = S_hh − S_hr S_rr⁻¹ S_rh,    pᴬ = p_h − S_hr S_rr⁻¹ (p_r − F_r),    Y_r = S_rr⁻¹ (F_r − p_r − S_rh A_h).     (2)

As a body with handles at all of its nodes the group has inverse inertias Φ and force-free accelerations B,

    A = Φ F + B,    Φ = J S⁻¹ Jᵀ,    B = −J S⁻¹ (p − τ),                                                        (3)

where J selects the nodes from Y: Takahashi (2012), eqs. (4.7) and (4.8), for any coordinates. In the code gravity is
replaced by an upward acceleration of the ground: accelerations are A − [0; g], and p is p of (1) plus S [0; g].

A body that hangs by an interface has its head there, and its frame moves against that by its amplitudes too, by the
columns W of P (:mod:`flexmb.formulations.tree.places`): aₑ = T A + W z̈ + b. So M and f first become those of z̈ beside
T A,

    M_xz ← M_xz + M_xx W,    M_zz ← M_zz + Wᵀ M_xz + M_zx W + Wᵀ M_xx W,    f_z ← f_z + Wᵀ f_x

with the old M_xz on the right, and b are the accelerations of the frame while the head does not accelerate.

In the plane nodes have three coordinates. The rows of S for motion out of the plane, which never happens, get an
arbitrary positive inertia, so that S can be inverted.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmb.formulations.carried import hang
from flexmb.formulations.coupling import GroupWays, ways_for
from flexmb.formulations.spatial_algebra import nine_in, put_numbers
from flexmb.formulations.tree.elimination import cliques_of, order_of
from flexmb.formulations.tree.inertial import plan_of
from flexmb.formulations.tree.nodes import put_bearer, put_node
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.references import by_reference
from flexmb.kernels.rotations import rotation_matrix
from flexmb.kernels.vectors import (
    IDENTITY,
    applied,
    combined,
    cross,
    matrix_product,
    minus,
    plus,
    put,
    tilde,
    transposed,
    vector_in,
)
from flexmb.kernels.views import matrix_view, vector_view
from flexmb.system.evaluation import matrix, residual
from flexmb.system.plan import COUNT, FILLED, FILLED_AT, IV_AT, MAP_AT, NV, Plan, Scratch, scratch_for

if TYPE_CHECKING:
    from flexmb.formulations.tree.arrays import Nodes
    from flexmb.formulations.tree.tree import Tree


@by_reference
class GroupKernels(NamedTuple):
    """The equations of G groups in coordinates of the system: the kernel instances of all groups, `plan`, which are
    evaluated with `scratch`, `time` (1,) [s] and q, v, a, r of the system. Group g has size[g] unknowns in these
    coordinates: M begins at at[g] in `values`, the indices of its speeds at row_at[g] in `speeds`."""

    plan: Plan
    scratch: Scratch
    nodes: Nodes
    size: np.ndarray
    at: np.ndarray
    row_at: np.ndarray
    speeds: np.ndarray
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    r: np.ndarray
    none: np.ndarray
    weights: np.ndarray
    values: np.ndarray


@by_reference
class GroupFactors(NamedTuple):
    """L of S = L Lᵀ with reordered rows, the head last: unknown i has the row place[i], and row[…] is the inverse; row
    k begins at column begins[k] (:mod:`flexmb.algebra.envelope`). `solution`: a vector in that order."""

    L: np.ndarray
    place: np.ndarray
    row: np.ndarray
    begins: np.ndarray
    solution: np.ndarray


@by_reference
class Groups(NamedTuple):
    """G groups with K links in all. The links of group g are link[first[g] : first[g + 1]], the head first; its inner
    coordinates are inner[g] to inner[g + 1] − 1 among the inner coordinates of all groups. `size` is its number of
    unknowns in link motions (six for each link, then the inner ones). Its matrix S (size, size) begins at `at` in
    `matrix`, its vector p at `row_at` in `force`. `arm` (K, 3) and `turn` (K, 9): d and R of the nodes, which stand on
    the links bearer[first[g] : first[g + 1]], others where the group hangs by an interface; `rates`: the last z̈."""

    first: np.ndarray
    link: np.ndarray
    bearer: np.ndarray
    inner: np.ndarray
    size: np.ndarray
    at: np.ndarray
    row_at: np.ndarray
    matrix: np.ndarray
    force: np.ndarray
    arm: np.ndarray
    turn: np.ndarray
    rates: np.ndarray
    kernels: GroupKernels
    factors: GroupFactors
    ways: GroupWays


def groups_for(tree: Tree) -> Groups:
    """The groups of a tree, with workspace."""
    graph, system, nodes = tree.graph, tree.system, tree.nodes
    speeds, sizes, sizes_here = [], [], []
    for group in graph.groups:
        own = [*(nodes.numbers_v[k] for k in group.bearers), group.inner]
        speeds.append(np.concatenate(own))
        sizes.append(6 * len(group.links) + len(group.inner))
        sizes_here.append(len(speeds[-1]))
    size, size_here = np.array(sizes, dtype=np.int64), np.array(sizes_here, dtype=np.int64)
    at, at_here = _from_zero(size**2), _from_zero(size_here**2)
    shares = [share for group in graph.groups for share in group.shares]
    plan = filling(plan_of(system.plan, shares, rows=False), speeds, at_here)
    total, links = system.plan.total, [k for group in graph.groups for k in group.links]
    bearers = [k for group in graph.groups for k in group.bearers]
    rows, none = int(size.sum()), np.zeros(0, dtype=np.int64)
    places, begins = [], []
    with_places = {place.group for place in graph.places}
    for g, (group, numbers) in enumerate(zip(graph.groups, speeds)):
        order = order_of(group, cliques_of(group, numbers, nodes), nodes.dimension == 2, g in with_places)
        places.append(order[0])
        begins.append(order[1])
    return Groups(
        first=_from_zero([len(group.links) for group in graph.groups]), link=np.array(links, dtype=np.int64),
        bearer=np.array(bearers, dtype=np.int64),
        inner=_from_zero([len(group.inner) for group in graph.groups]), size=size, at=at, row_at=_from_zero(size),
        matrix=np.zeros(int(at[-1])), force=np.zeros(rows), arm=np.zeros((len(links), 3)),
        turn=np.zeros((len(links), 9)), rates=np.zeros(max(tree.arrays.joints.inner, 1)),
        kernels=GroupKernels(
            plan, scratch_for(plan, system.assembly.work, system.model.dimension), nodes, size_here, at_here,
            _from_zero(size_here), np.concatenate([none, *speeds]), np.zeros(1), system.initial.copy(),
            v=np.zeros(total), a=np.zeros(total), r=np.zeros(total), none=np.zeros(max(total, 1)),
            weights=np.array([1.0, 0.0, 0.0, 0.0]),
            values=np.zeros(int(at_here[-1])),
        ),
        factors=GroupFactors(
            np.zeros(int(at[-1])), np.concatenate([none, *places]),
            np.concatenate([none, *(np.argsort(place) for place in places)]), np.concatenate([none, *begins]),
            np.zeros(rows),
        ),
        ways=ways_for(tree.nv, rows),
    )  # fmt: skip


def _from_zero(sizes: np.ndarray | list[int]) -> np.ndarray:
    """Offsets of consecutive parts of these sizes, and the end of the last part."""
    return np.array([0, *accumulate(sizes)], dtype=np.int64)


def filling(plan: Plan, speeds: list[np.ndarray], at: np.ndarray) -> Plan:
    """The plan with its matrix entries mapped to dense blocks, one for each group, which begin at `at`; without
    constraint rows."""
    group, place = np.full((2, plan.total), -1, dtype=np.int64)
    for g, own in enumerate(speeds):
        group[own], place[own] = g, np.arange(len(own))
    sizes = np.array([len(own) for own in speeds], dtype=np.int64)
    kmap = np.full_like(plan.kmap, -1)
    for row in plan.groups.tolist():
        entries = plan.numbers[row[FILLED_AT] : row[FILLED_AT] + row[FILLED]]
        numbers = plan.numbers[row[IV_AT] : row[IV_AT] + row[COUNT] * row[NV]].reshape(-1, row[NV])
        i, j = numbers[:, entries // row[NV]], numbers[:, entries % row[NV]]
        known = (group[i] >= 0) & (group[j] >= 0)
        g = group[i]
        to = np.where(known, at[g] + place[i] * sizes[g] + place[j], -1)
        kmap[row[MAP_AT] : row[MAP_AT] + to.size] = to.ravel()
    return plan._replace(kmap=kmap, m=0, at_speed=plan.at_speed[:0], nnz=int(at[-1]))


# -- the equations of groups -----------------------------------------------------------------------------------------


@called(None)
def gather(links, groups, moving, x, u):
    """Compute S and p of all groups at joint coordinates x and speeds u; after
    :func:`flexmb.formulations.tree.moving.move`."""
    if groups.size.shape[0] == 0:
        return
    _put_state(links, groups, moving, x, u)
    t, q, v = groups.kernels.time[0], groups.kernels.q, groups.kernels.v
    residual(
        groups.kernels.plan, groups.kernels.scratch, t, q, v, groups.kernels.a, groups.kernels.weights, groups.kernels.r
    )
    matrix(
        groups.kernels.plan,
        groups.kernels.scratch,
        t,
        q,
        v,
        groups.kernels.none,
        groups.kernels.none,
        groups.kernels.weights,
        groups.kernels.values,
    )
    plane = groups.kernels.nodes.dimension == 2
    for g in range(groups.size.shape[0]):
        size, here = groups.size[g], groups.kernels.size[g]
        M = matrix_view(groups.kernels.values, groups.kernels.at[g], here, here)
        S = matrix_view(groups.matrix, groups.at[g], size, size)
        r = vector_view(groups.kernels.speeds, groups.kernels.row_at[g], here)
        p = vector_view(groups.force, groups.row_at[g], size)
        first, count = groups.first[g], groups.first[g + 1] - groups.first[g]
        wide = 3 if plane else 6
        inner, inner_here = 6 * count, wide * count
        if groups.bearer[first] != groups.link[first]:
            R = nine_in(groups.turn, first)
            hang(links, moving, groups.bearer[first], M, r, groups.kernels.r, wide, R)
        for i in range(count):
            k = first + i
            d, R = vector_in(groups.arm[k], 0), nine_in(groups.turn, k)
            for j in range(i, count):
                if not _coupled(groups, g, 6 * i + 2, 6 * j + 2):
                    continue
                d_j = vector_in(groups.arm[first + j], 0)
                if plane:
                    _put_plane_block(S, i, j, M, d, d_j)
                else:
                    _put_block(S, 6 * i, 6 * j, M, d, R, d_j, nine_in(groups.turn, first + j))
            f, n = _force_in(groups.kernels.r, r, wide * i, plane)
            n = plus(cross(d, f), applied(R, n))
            for c in range(3):
                p[6 * i + c], p[6 * i + 3 + c] = n[c], f[c]
            for c in range(size - inner):
                if not _coupled(groups, g, 6 * i + 2, inner + c):
                    continue
                f, n = _column(M, wide * i, inner_here + c, plane)
                n = plus(cross(d, f), applied(R, n))
                for row in range(3):
                    S[6 * i + row, inner + c] = S[inner + c, 6 * i + row] = n[row]
                    S[6 * i + 3 + row, inner + c] = S[inner + c, 6 * i + 3 + row] = f[row]
        for c in range(size - inner):
            p[inner + c] = groups.kernels.r[r[inner_here + c]]
            for j in range(size - inner):
                S[inner + c, inner + j] = M[inner_here + c, inner_here + j]


@compiled
def _coupled(groups, g, i, j):
    """Whether an entry of S lies inside the envelope; others are zero."""
    row = groups.row_at[g]
    i, j = groups.factors.place[row + i], groups.factors.place[row + j]
    return groups.factors.begins[row + max(i, j)] <= min(i, j)


@compiled
def _put_state(links, groups, moving, x, u):
    """Write the state of the nodes and inner coordinates of groups into q and v of the system, and b + [g; 0] into a;
    store the arms d and rotations R."""
    nodes = groups.kernels.nodes
    for k in range(groups.link.shape[0]):
        link = groups.bearer[k]
        if link == groups.link[k]:
            put_node(nodes, moving, link, groups.kernels.q, groups.kernels.v, groups.kernels.a)
        else:
            put_bearer(nodes, moving, link, groups.kernels.q, groups.kernels.v, groups.kernels.a)
        to_q, to_v = nodes.numbers_q[link], nodes.numbers_v[link]
        for i in range(nodes.dimension):
            groups.kernels.a[to_v[i]] += links.gravity[i]
        turn = IDENTITY
        if nodes.dimension == 3:
            q = groups.kernels.q
            turn = rotation_matrix((q[to_q[3]], q[to_q[4]], q[to_q[5]], q[to_q[6]]))
        from_link = minus(vector_in(moving.at[link], 0), vector_in(moving.at[groups.link[k]], 0))
        arm = applied(nine_in(moving.rotation, link), vector_in(nodes.place[link], 0))
        put(groups.arm[k], 0, plus(from_link, arm))
        put_numbers(groups.turn, k, turn)
    for i in range(links.joints.inner):
        number = nodes.inner[i]
        groups.kernels.q[number], groups.kernels.v[number] = (
            x[links.joints.nq - links.joints.inner + i],
            u[links.joints.nv - links.joints.inner + i],
        )
        groups.kernels.a[number] = 0.0


@compiled
def _three(M, i, j):
    a, b, c = M[i], M[i + 1], M[i + 2]
    return a[j], a[j + 1], a[j + 2], b[j], b[j + 1], b[j + 2], c[j], c[j + 1], c[j + 2]


@compiled
def _put_block(S, row, column, M, d, R, d_j, R_j):
    """Write Tᵢᵀ M Tⱼ and its transpose into S. In M each node has displacements before rotations, in S rotations before
    displacements."""
    A, B = _three(M, row, column), _three(M, row, column + 3)
    C, D = _three(M, row + 3, column), _three(M, row + 3, column + 3)
    back, arm, own = transposed(R_j), tilde(d_j), tilde(d)
    first = combined(1.0, matrix_product(B, back), -1.0, matrix_product(A, arm))
    second = combined(1.0, matrix_product(D, back), -1.0, matrix_product(C, arm))
    turning = combined(1.0, matrix_product(own, first), 1.0, matrix_product(R, second))
    shifting = combined(1.0, matrix_product(own, A), 1.0, matrix_product(R, C))
    for r in range(3):
        for c in range(3):
            k = 3 * r + c
            S[row + r, column + c] = S[column + c, row + r] = turning[k]
            S[row + r, column + 3 + c] = S[column + 3 + c, row + r] = shifting[k]
            S[row + 3 + r, column + c] = S[column + c, row + 3 + r] = first[k]
            S[row + 3 + r, column + 3 + c] = S[column + 3 + c, row + 3 + r] = A[k]


@compiled
def _put_plane_block(S, i, j, M, d, d_j):
    """The block of S between nodes i and j in the plane, where only the turn about z and displacements along x and y
    move; ẋ = v_x − d_y ω, ẏ = v_y + d_x ω. Motions out of the plane get a positive inertia on the diagonal."""
    a, b = 3 * i, 3 * j
    xx, xy, yx, yy = M[a, b], M[a, b + 1], M[a + 1, b], M[a + 1, b + 1]
    x = M[a, b + 2] - d_j[1] * xx + d_j[0] * xy
    y = M[a + 1, b + 2] - d_j[1] * yx + d_j[0] * yy
    both = M[a + 2, b + 2] - d_j[1] * M[a + 2, b] + d_j[0] * M[a + 2, b + 1] - d[1] * x + d[0] * y
    turning_x, turning_y = M[a + 2, b] - d[1] * xx + d[0] * yx, M[a + 2, b + 1] - d[1] * xy + d[0] * yy
    row, column = 6 * i + 2, 6 * j + 2
    S[row, column] = S[column, row] = both
    S[row, column + 1] = S[column + 1, row] = turning_x
    S[row, column + 2] = S[column + 2, row] = turning_y
    S[row + 1, column] = S[column, row + 1] = x
    S[row + 2, column] = S[column, row + 2] = y
    S[row + 1, column + 1] = S[column + 1, row + 1] = xx
    S[row + 1, column + 2] = S[column + 2, row + 1] = xy
    S[row + 2, column + 1] = S[column + 1, row + 2] = yx
    S[row + 2, column + 2] = S[column + 2, row + 2] = yy
    if i == j:
        S[row - 2, row - 2] = S[row - 1, row - 1] = both
        S[row + 3, row + 3] = 0.5 * (xx + yy)


@compiled
def _force_in(r, numbers, i, plane):
    """The force on a node, and its moment in the axes of the node, from the residual r of the system."""
    if plane:
        return (r[numbers[i]], r[numbers[i + 1]], 0.0), (0.0, 0.0, r[numbers[i + 2]])
    return (
        (r[numbers[i]], r[numbers[i + 1]], r[numbers[i + 2]]),
        (r[numbers[i + 3]], r[numbers[i + 4]], r[numbers[i + 5]]),
    )


@compiled
def _column(M, i, c, plane):
    """Column c of M at the rows of a node: its force part and its moment part."""
    if plane:
        return (M[i, c], M[i + 1, c], 0.0), (0.0, 0.0, M[i + 2, c])
    return (M[i, c], M[i + 1, c], M[i + 2, c]), (M[i + 3, c], M[i + 4, c], M[i + 5, c])
