r"""DISCOS of Bodley et al. (1978): absolute speeds of bodies and modes, and multipliers, also for closed loops and
prescribed motions.

Each body has U = [ω; v; ξ̇] of its hinge point, ω and v in its own axes, and its own mass matrix m; wheels on it add the
rates of their angles. Hinges of 0 to 6 freedoms, cut loops, drives and rolling wheels are rows Σ bⱼ Uⱼ = α̇(t):

    m(ξ) U̇ = G + bᵀ λ,     G = [T; F; Q] − h − m [0; ω × v; 0]                                           (II-1), (II-63)
    λ = (Σ b m⁻¹ bᵀ)⁺ [α̈ − Σ (ḃ U + b m⁻¹ G)]                                                              (II-6)

with m and h of (★), and with a pseudo-inverse, so that redundant rows are allowed: accelerations are unique, and λ is
the smallest. A wheel of inertia J_S about the axis P of its body enlarges m by J_S and by b̂ᵀ P J_S, b̂ = [1, 0], and
has −b̂ᵀ (ω × P J_S φ̇) among the loads (II-109). A hinge stands on its body by W = [ψ*; φ_H + ψ* × z] of that one's
modes, so that its rows along all [p; e] that are normal to its free axes have these columns

    on the body [p; e] at O,    on the one that carries it −[p + (O − Oₚ) × e; e],    on the modes of that −[p; e]·W

for which the survey's own rate of Δ lacks −ω × Δ. In the plane the parts of U that are zero there are left out.
Besides, DISCOS yields the multipliers, the forces of hinges, and consistent starts: the speeds next to given ones, in
the norm of kinetic energy, that obey all rows,

    U = U* + m⁻¹ bᵀ (b m⁻¹ bᵀ)⁺ (α̇ − b U*)

Equations of Ohkami et al. (1985), which prints (II-6) and (II-109) with slips.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import FormulationError
from flexmb.formulations.classical.motion import Motion, shifted
from flexmb.formulations.classical.motion_reader import Reader
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import refuse_outside, scope
from flexmb.formulations.classical.speeds_of_rows import kinds_of_motion, locked, rows_in_speeds
from flexmb.formulations.flexible.kane import mass_and_bias
from flexmb.formulations.tree.coordinates import move as moved
from flexmb.formulations.tree.coordinates import normalize
from flexmb.formulations.tree.tree import Tree
from flexmb.model import checks

#: singular values below this part of the largest are those of redundant rows
REDUNDANT = 1e-9
#: corrections of positions, and the error at which they end
SWEEPS, CLOSED = 30, 1e-13


class Equations(NamedTuple):
    """m (N, N), G (N,), b (r, N) and α̈ − ḃU (r,), of N speeds of bodies, in their own axes, then of modes and wheels,
    which are `speeds` (N,) of those of space; of the r rows the first `hinged` are of hinges."""

    m: np.ndarray
    G: np.ndarray
    b: np.ndarray
    right: np.ndarray
    speeds: np.ndarray
    hinged: int


def solve(motion: Motion) -> Found:
    """λ by (II-6), U̇ by (II-1), and u̇ of hinges, modes and wheels from these."""
    n, k = motion.n, motion.k
    equations = assemble(motion)
    L = np.linalg.cholesky(equations.m)
    free = np.linalg.solve(L, equations.G)
    B = np.linalg.solve(L, equations.b.T).T
    W, s, Vt = np.linalg.svd(B, full_matrices=False)
    keep = s > REDUNDANT * s[0] if len(s) else s > 0.0
    W, s, Vt = W[:, keep], s[keep], Vt[keep]
    off = (W.T @ (equations.right - B @ free)) / s
    multipliers = W @ (off / s)
    rates = np.zeros(6 * n + k + len(motion.wheels.body))
    rates[equations.speeds] = np.linalg.solve(L.T, free + Vt.T @ off)
    own = rates[: 6 * n].reshape(n, 2, 3) @ motion.R.transpose(0, 2, 1)
    A = np.hstack([own[:, 0], own[:, 1] + np.cross(motion.omega, motion.v)])
    ud, forces, at = np.zeros_like(motion.u), np.zeros((n, 6)), 0
    ud[motion.speed], ud[motion.wheels.speed] = rates[6 * n : 6 * n + k], rates[6 * n + k :]
    for i, hinge in enumerate(motion.hinge):
        S, p = motion.columns[hinge], motion.parents[i]
        relative = A[i] - np.concatenate([motion.alpha_c[i], motion.a_c[i]]) - ud[motion.speed] @ motion.on[:, i]
        if p >= 0:
            relative = relative - shifted(A[p], motion.O[i] - motion.O[p])
        ud[hinge] = np.linalg.pinv(S).T @ relative
        N = locked(motion, S)
        forces[i] = multipliers[at : at + len(N)] @ N + motion.tau[hinge] @ np.linalg.pinv(S).T
        at += len(N)
    return Found(ud, {"multipliers": multipliers, "hinge forces": forces, "rank": np.array([len(s)])})


def assemble(motion: Motion) -> Equations:
    """The equations of all bodies, and the rows of all hinges and of all that holds them besides."""
    n, k, wheels, of = motion.n, motion.k, motion.wheels, motion.of
    count = 6 * n + k + len(wheels.body)
    m, G, rows, right = np.zeros((count, count)), np.zeros(count), list[np.ndarray](), list[float]()
    h, h_xi = motion.with_speeds
    across = np.hstack([np.zeros((n, 3)), np.cross(motion.omega, motion.v)])  # a − R v°
    moving, on_modes = motion.inertia(across, np.zeros(k))
    push, drives = np.hstack([motion.T, motion.F]) - h - moving, _drives(motion)
    push, G[6 * n : 6 * n + k] = push + drives[0], motion.Q - h_xi - on_modes + drives[1]
    turn = [np.kron(np.eye(2), R) for R in motion.R]
    for i in range(n):
        own = slice(6 * i, 6 * i + 6)
        m[own, own], G[own] = turn[i].T @ motion.masses[i] @ turn[i], turn[i].T @ push[i]
    modes = 6 * n + np.arange(k)
    m[np.ix_(modes, modes)] = motion.e
    for p, i in enumerate(of.tolist()):
        own = slice(6 * i, 6 * i + 6)
        m[own, 6 * n + p] = m[6 * n + p, own] = turn[i].T @ motion.with_modes[p]
    for w, body in enumerate(wheels.body.tolist()):
        at, own = 6 * n + k + w, slice(6 * body, 6 * body + 3)
        m[own, at] = m[at, own] = wheels.spin[w] * wheels.axis[w]
        m[at, at], G[at] = wheels.spin[w], motion.tau[wheels.speed[w]]

    def put_row(on_bodies: np.ndarray, of_modes: np.ndarray, of_wheels: np.ndarray, target: float) -> None:
        """A row Σ B A + Σ b ξ̈ + … = target of accelerations, in the speeds of the bodies."""
        own = [turn[i].T @ on_bodies[i] for i in range(n)]
        rows.append(np.concatenate([*own, of_modes, of_wheels]))
        right.append(target - float(np.sum(on_bodies * across)))

    for i, hinge in enumerate(motion.hinge):
        for six in locked(motion, motion.columns[hinge]):
            put_row(*_relative(motion, i, six), np.zeros(len(wheels.body)), _bias(motion, i, six))
    hinged = len(rows)
    if motion.rows is not None:
        for B, b, c in zip(motion.rows.B, motion.rows.b, motion.rows.c):
            full, of_modes, target = B.copy(), b[motion.speed].copy(), float(c)
            for j in np.flatnonzero(b).tolist():
                i = int(motion.carried_by[j])
                if i >= 0:  # a hinge speed is what the bodies have
                    six = b[j] * np.linalg.pinv(motion.columns[motion.hinge[i]])[:, j - motion.hinge[i].start]
                    more, more_modes = _relative(motion, i, six)
                    full, of_modes, target = full + more, of_modes + more_modes, target + _bias(motion, i, six)
            put_row(full, of_modes, b[wheels.speed], target)
    speeds = np.array([6 * i + part for i in range(n) for part in kinds_of_motion(motion)] + list(range(6 * n, count)))
    b = np.array(rows).reshape(-1, count)[:, speeds]
    return Equations(m[np.ix_(speeds, speeds)], G[speeds], b, np.array(right), speeds, hinged)


def _relative(motion: Motion, i: int, six: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[p; e] of the motion that hinge i allows, in rows of all bodies (n, 6) and of modes (k,)."""
    rows, p = np.zeros((motion.n, 6)), motion.parents[i]
    rows[i] = six
    if p >= 0:
        rows[p, :3] = -six[:3] - np.cross(motion.O[i] - motion.O[p], six[3:])
        rows[p, 3:] = -six[3:]
    return rows, -motion.on[:, i] @ six


def _bias(motion: Motion, i: int, six: np.ndarray) -> float:
    return float(six @ np.concatenate([motion.alpha_c[i], motion.a_c[i]]))


def _drives(motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    """What drives of hinges do on bodies (n, 6) and modes (k,)."""
    on_bodies, on_modes = np.zeros((motion.n, 6)), np.zeros(motion.k)
    for i, hinge in enumerate(motion.hinge):
        six = motion.tau[hinge] @ np.linalg.pinv(motion.columns[hinge]).T
        rows, of_modes = _relative(motion, i, six)
        on_bodies, on_modes = on_bodies + rows, on_modes + of_modes
    return on_bodies, on_modes


def consistent_start(tree: Tree, q: Any, v: Any, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """The joint coordinates (nq,) and speeds (nv,) at a time t [s] that obey all loops, drives and further rows, next
    to q and v in the norm of kinetic energy.

    >>> import flexmb as fm
    >>> from flexmb.examples.four_bar import build
    >>> from flexmb.formulations.flexible.discos import consistent_start
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
    root = np.linalg.cholesky(_mass_matrix(motion))
    B = np.linalg.solve(root, A[chosen].T).T
    return np.asarray(np.linalg.solve(root.T, np.linalg.pinv(B, rcond=REDUNDANT) @ off[chosen]))


def _mass_matrix(motion: Motion) -> np.ndarray:
    """Mass matrix (nv, nv) of the coordinates of hinges, modes and wheels."""
    M, V = mass_and_bias(motion)[0], motion.partial
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
        "further rows", "wheels", "plane", "flexible", "inner flexible", "flexible hinge points", classes="⑤",
    ),
    "Bodley et al. (1978)",
    {
        "multipliers": "λ of hinges, body by body, and of further rows; the smallest ones where rows are redundant",
        "hinge forces": "[n; f] (n, 6) of the hinges on the bodies that they carry, at their hinge points",
        "rank": "number of independent rows (1,)",
    },
)  # fmt: skip
