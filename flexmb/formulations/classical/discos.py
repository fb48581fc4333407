r"""DISCOS of Bodley et al. (1978): absolute speeds of the bodies and multipliers, also for closed
loops and prescribed motions.

Each body has U = [ω; v] of its hinge point, in its own axes, and its own mass matrix m; wheels on it add the rates of
their angles. Hinges of 0 to 6 freedoms, cut loops, drives and rolling wheels are rows Σ bⱼ Uⱼ = α̇(t):

    m U̇ = G + bᵀ λ,     G = G_ex − [ω × p_ω + v × p_v; ω × p_v] for p = m U                              (II-1), (II-63)
    λ = (Σ b m⁻¹ bᵀ)⁻¹ [α̈ − Σ (ḃ U + b m⁻¹ G)]                                                               (II-6)

with a pseudo-inverse, so that redundant rows are allowed: accelerations are unique, and λ is the smallest. A wheel of
inertia J_S about the axis P of its body enlarges these to

    [m, b̂ᵀ P J_S; J_S Pᵀ b̂, J_S] [U̇; φ̈] = [G − b̂ᵀ (ω × P J_S φ̇); τ],    b̂ = [1, 0]                            (II-109)

A hinge has rows along all [p; d] that are normal to its free axes [g; e], for which the survey's own rate of Δ lacks
−ω × Δ. Besides, DISCOS yields the multipliers, the forces of hinges, and consistent starts: the speeds next to given
ones, in the norm of kinetic energy, that obey all rows,

    U = U* + m⁻¹ bᵀ (b m⁻¹ bᵀ)⁺ (α̇ − b U*)

Equations of Ohkami et al. (1985), which prints (II-6) and (II-109) with slips.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import FormulationError
from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.motion_reader import Reader
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import refuse_outside, scope
from flexmb.formulations.classical.speeds_of_rows import rows_in_speeds
from flexmb.formulations.classical.topology import tilde
from flexmb.formulations.tree.coordinates import move as moved
from flexmb.formulations.tree.coordinates import normalize
from flexmb.formulations.tree.tree import Tree
from flexmb.model import checks

#: singular values below this part of the largest are those of redundant rows
REDUNDANT = 1e-9
#: corrections of positions, and the error at which they end
SWEEPS, CLOSED = 30, 1e-13


class Equations(NamedTuple):
    """m (N, N), G (N,), b (r, N) and α̈ − ḃU (r,), in the axes of the bodies, N speeds of bodies and wheels; of the r
    rows the first `hinged` are of hinges."""

    m: np.ndarray
    G: np.ndarray
    b: np.ndarray
    right: np.ndarray
    hinged: int


def solve(motion: Motion) -> Found:
    """λ by (II-6), U̇ by (II-1), and u̇ of the hinges from these."""
    n, parts = motion.n, kinds_of_motion(motion)
    equations = assemble(motion)
    L = np.linalg.cholesky(equations.m)
    free = np.linalg.solve(L, equations.G)
    B = np.linalg.solve(L, equations.b.T).T
    W, s, Vt = np.linalg.svd(B, full_matrices=False)
    keep = s > REDUNDANT * s[0] if len(s) else s > 0.0
    W, s, Vt = W[:, keep], s[keep], Vt[keep]
    off = (W.T @ (equations.right - B @ free)) / s
    multipliers = W @ (off / s)
    rates = np.linalg.solve(L.T, free + Vt.T @ off)
    A = np.zeros((n, 6))
    own, k = rates[: n * len(parts)].reshape(n, len(parts)), len(parts)
    A[:, parts] = own
    A[:, :3] = np.einsum("iab,ib->ia", motion.R, A[:, :3])
    A[:, 3:] = np.einsum("iab,ib->ia", motion.R, A[:, 3:]) + np.cross(motion.omega, motion.v)
    ud, forces = np.zeros_like(motion.u), np.zeros((n, 6))
    at = 0
    for i, hinge in enumerate(motion.hinge):
        S, relative = motion.columns[hinge], A[i] - _carried(motion, A, i)
        ud[hinge] = np.linalg.pinv(S).T @ relative
        N = locked(S[:, parts])
        full = np.zeros((len(N), 6))
        full[:, parts] = N
        forces[i] = multipliers[at : at + len(N)] @ full + motion.tau[hinge] @ np.linalg.pinv(S).T
        at += len(N)
    ud[motion.wheels.speed] = rates[n * k :]
    return Found(ud, {"multipliers": multipliers, "hinge forces": forces, "rank": np.array([len(s)])})


def assemble(motion: Motion) -> Equations:
    """The equations of all bodies, and the rows of all hinges and of all that holds them besides."""
    n, parts, wheels = motion.n, kinds_of_motion(motion), motion.wheels
    k, count = len(parts), motion.n * len(parts) + len(motion.wheels.body)
    m, G, rows, right = np.zeros((count, count)), np.zeros(count), [], []
    own_axes = [np.kron(np.eye(2), R) for R in motion.R]
    for i in range(n):
        R, own = motion.R[i], slice(k * i, k * i + k)
        c, J = R.T @ motion.c[i], R.T @ motion.J[i] @ R
        mc = motion.m[i] * tilde(c)
        full = np.block([[J, mc], [-mc, motion.m[i] * np.eye(3)]])
        w, v = R.T @ motion.omega[i], R.T @ motion.v[i]
        p = full @ np.concatenate([w, v])
        F = R.T @ motion.F[i]
        push = np.concatenate([R.T @ motion.T[i] + np.cross(c, F), F])
        push -= np.concatenate([np.cross(w, p[:3]) + np.cross(v, p[3:]), np.cross(w, p[3:])])
        m[own, own], G[own] = full[np.ix_(parts, parts)], push[parts]
    drives = np.zeros((n, 6))
    for i, hinge in enumerate(motion.hinge):
        drives[i] += motion.tau[hinge] @ np.linalg.pinv(motion.columns[hinge]).T
        p = motion.parents[i]
        if p >= 0:
            back = drives_on_parent(motion, i, motion.tau[hinge] @ np.linalg.pinv(motion.columns[hinge]).T)
            drives[p] -= back
    for i in range(n):
        G[k * i : k * i + k] += (own_axes[i].T @ drives[i])[parts]
    for w, body in enumerate(wheels.body.tolist()):
        P, at, own = wheels.axis[w], n * k + w, slice(k * body, k * body + k)
        column = (wheels.spin[w] * np.concatenate([P, np.zeros(3)]))[parts]
        m[own, at], m[at, own], m[at, at] = column, column, wheels.spin[w]
        spin = wheels.spin[w] * motion.u[wheels.speed[w]] * P
        turned = np.concatenate([np.cross(motion.R[body].T @ motion.omega[body], spin), np.zeros(3)])
        G[own] -= turned[parts]
        G[at] = motion.tau[wheels.speed[w]]
    across = np.zeros((n, 6))
    across[:, 3:] = np.cross(motion.omega, motion.v)  # a − R v°
    for i, hinge in enumerate(motion.hinge):
        for normal in locked(motion.columns[hinge][:, parts]):
            six, row = np.zeros(6), np.zeros(count)
            six[parts] = normal
            row[k * i : k * i + k] = (own_axes[i].T @ six)[parts]
            target = six @ (np.concatenate([motion.alpha_c[i], motion.a_c[i]]) - across[i])
            p = motion.parents[i]
            if p >= 0:
                back = drives_on_parent(motion, i, six)
                row[k * p : k * p + k] = -(own_axes[p].T @ back)[parts]
                target += back @ across[p]
            rows.append(row)
            right.append(target)
    hinged = len(rows)
    if motion.rows is not None:
        _put_further(motion, rows, right, own_axes, across, count)
    return Equations(m, G, np.array(rows).reshape(-1, count), np.array(right), hinged)


def _put_further(
    motion: Motion,
    rows: list[np.ndarray],
    right: list[float],
    own_axes: list[np.ndarray],
    across: np.ndarray,
    count: int,
) -> None:
    """Rows of cut loops, drives and velocities; hinge speeds in them are those that the bodies have."""
    held, parts, n = motion.rows, kinds_of_motion(motion), motion.n
    assert held is not None
    k, wheel_at = len(parts), {int(s): w for w, s in enumerate(motion.wheels.speed)}
    for B, b, c in zip(held.B, held.b, held.c):
        full, target, row = B.copy(), float(c), np.zeros(count)
        for j in np.flatnonzero(b).tolist():
            if j in wheel_at:
                row[n * k + wheel_at[j]] += b[j]
                continue
            i = int(motion.carried_by[j])
            hinge = motion.hinge[i]
            six = b[j] * np.linalg.pinv(motion.columns[hinge])[:, j - hinge.start]
            full[i] += six
            target += six @ np.concatenate([motion.alpha_c[i], motion.a_c[i]])
            if motion.parents[i] >= 0:
                full[motion.parents[i]] -= drives_on_parent(motion, i, six)
        for i in range(n):
            row[k * i : k * i + k] += (own_axes[i].T @ full[i])[parts]
        rows.append(row)
        right.append(target - float(np.sum(full * across)))


def drives_on_parent(motion: Motion, i: int, six: np.ndarray) -> np.ndarray:
    """A force [n; f] at the hinge point of body i, about the hinge point of the body that carries it."""
    d = motion.O[i] - motion.O[motion.parents[i]]
    return np.concatenate([six[:3] + np.cross(d, six[3:]), six[3:]])


def _carried(motion: Motion, A: np.ndarray, i: int) -> np.ndarray:
    """The acceleration of body i for u̇ = 0 in its hinge."""
    own = np.concatenate([motion.alpha_c[i], motion.a_c[i]])
    p = motion.parents[i]
    if p < 0:
        return own
    d = motion.O[i] - motion.O[p]
    return own + np.concatenate([A[p, :3], A[p, 3:] + np.cross(A[p, :3], d)])


def locked(S: np.ndarray) -> np.ndarray:
    """Unit vectors that are normal to the columns S (r, k) of a hinge."""
    return np.linalg.svd(S, full_matrices=True)[2][len(S) :] if len(S) else np.eye(S.shape[1])


def kinds_of_motion(motion: Motion) -> list[int]:
    """Of [ω; v] the parts that are not zero by the kind of model."""
    return [2, 3, 4] if motion.planar else list(range(6))


def consistent_start(tree: Tree, q: Any, v: Any, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """The joint coordinates (nq,) and speeds (nv,) at a time t [s] that obey all loops, drives and further rows, next
    to q and v in the norm of kinetic energy.

    >>> import flexmb as fm
    >>> from flexmb.examples.four_bar import build
    >>> from flexmb.formulations.classical.discos import consistent_start
    >>> tree = fm.Tree.of(build())
    >>> q, v = consistent_start(tree, tree.start()[0], [1.0, 1.0, 0.0])
    >>> v.round(9)
    array([ 1.21213203,  1.21213203, -1.21213203])
    """
    where = f"consistent start of {tree.model.where}"
    refuse_outside(tree, PAPER.scope, where)
    read = Reader(tree)
    x, u = tree.position(q, where), checks.vector(v, "v", where, tree.nv)
    still, none = np.zeros(tree.nv), np.zeros((len(tree.links), 6))
    off = np.inf
    for _ in range(SWEEPS):
        motion = read(x, still, still, none, t)
        if motion.rows is None:
            return x, u
        levels = motion.rows.of_positions
        g = np.where(levels, motion.rows.g, 0.0)
        before, off = off, float(np.max(np.abs(g), initial=0.0))
        if off < CLOSED or (off < 1e-10 and off > 0.5 * before):
            break
        out = np.empty_like(x)
        moved(tree.arrays.joints, x, _shortest(motion, -g, levels), out)
        normalize(tree.arrays.joints, out)
        x = out
    if not off < 1e-9:
        raise FormulationError(f"{where}: its rows cannot be obeyed, an error of {off:.2g} is left")
    motion = read(x, u, still, none, t)
    assert motion.rows is not None
    return x, u - _shortest(motion, motion.rows.rates, np.ones(len(motion.rows.g), dtype=bool))


def _shortest(motion: Motion, off: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The y (nv,) with A y = off in the chosen rows that is smallest in the norm of kinetic energy."""
    A, _ = rows_in_speeds(motion)
    root = np.linalg.cholesky(mass_matrix(motion))
    B = np.linalg.solve(root, A[chosen].T).T
    return np.asarray(np.linalg.solve(root.T, np.linalg.pinv(B, rcond=REDUNDANT) @ off[chosen]))


def mass_matrix(motion: Motion) -> np.ndarray:
    """Mass matrix (nv, nv) of the coordinates of hinges and wheels."""
    V = motion.at_center
    M = np.einsum("ria,iab,sib->rs", V[:, :, :3], motion.I, V[:, :, :3], optimize=True)
    M += np.einsum("i,ria,sia->rs", motion.m, V[:, :, 3:], V[:, :, 3:], optimize=True)
    for w, speed in enumerate(motion.wheels.speed.tolist()):
        column = motion.wheels.spin[w] * (V[:, motion.wheels.body[w], :3] @ motion.wheel_axes[w])
        M[:, speed] += column
        M[speed] += column
        M[speed, speed] += motion.wheels.spin[w]
    return np.asarray(M)


#: Bodley et al. (1978), in the table of formulations
PAPER: Paper = Paper(
    solve,
    scope(
        "translations", "screws", "axes apart", "part of a base", "held base", "loops", "nonholonomic", "drives",
        "further rows", "wheels", classes="⑤",
    ),
    "Bodley et al. (1978)",
    {
        "multipliers": "λ of hinges, body by body, and of further rows; the smallest ones where rows are redundant",
        "hinge forces": "[n; f] (n, 6) of the hinges on the bodies that they carry, at their hinge points",
        "rank": "number of independent rows (1,)",
    },
)  # fmt: skip
