r"""Boland, Samin and Willems (1974) in the rigid part: augmented bodies with hinges of up to six freedoms, trees
with cut loops.

With barycentric vectors bⁱʲ of extended augmented bodies, which reach to the tips of the translations zᵃ of hinges, and

    Xᵢ = Iᵢ αᵢ + ωᵢ × Iᵢ ωᵢ + Σⱼ [mⱼ bⁱʲ × Σₖ b̈ᵏʲ − bⁱʲ × Fⱼ] − Tᵢ

each tree has, by the virtual work of its translation, its rotation, its hinges a,

    m R̈ = Σ Fᵢ                                                                                             (2.2.2)
    Σ Xᵢ = 0                                                                                               (2.2.3)
    Fᵃ = −Σᵢ m*ᵢₐ (b̈ⁱᵃ + Fᵢ/m)                                                                             (2.2.4)
    Lᵃ = Σᵢ Tᵃⁱ Xᵢ                                                                                         (2.2.5)

where Fᵃ and Lᵃ act on the body that arc a leaves, and −(g · Lᵃ + e · Fᵃ) = τ along its free axes [g; e]. Cut arcs, here
also the hinges of bases that stand on the ground, do F^γ and L^γ on both of their bodies, as loads in these equations
(2.2.7) to (2.2.9); what they do not allow, (2.2.10) and (2.2.11), is wanted of accelerations, and gives them. Rotors
have a constant momentum and are loads. Besides, the forces and torques of all hinges follow, and :func:`linearized`
gives M, D, G, K and A about a nominal state. The survey, Ohkami et al. (1985), prints (2.2.3) with ḃ, (2.2.4) with
other indices, and m* for the arcs of a body alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import FormulationError
from flexmb.formulations.classical.barycentric import to_hinges
from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.motion_reader import Reader
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import Scope, refuse_outside, scope
from flexmb.formulations.classical.speeds_of_rows import kinds_of_motion, locked
from flexmb.formulations.classical.topology import barycenters
from flexmb.formulations.tree.tree import Tree
from flexmb.model import checks

#: singular values of cut arcs below this part of their size are those of redundant rows
REDUNDANT = 1e-10
#: step of the differences of :func:`linearized`, whose error is of the sixth order
STEP = 5e-3


def solve(motion: Motion) -> Found:
    """Accelerations of reference bodies, of hinges, and forces of cut arcs, together: column by column from unit
    accelerations."""
    graph, nv, parts = motion.topology, len(motion.u), kinds_of_motion(motion)
    roots = graph.references
    free, zero = len(parts) * len(roots), np.zeros((motion.n, 6))
    hinges = np.flatnonzero([motion.parents[i] >= 0 for i in motion.carried_by])
    balance = _Balance(motion, parts, hinges)
    still = motion.accelerations()
    units = np.zeros((free + len(hinges), motion.n, 6))
    for k, root in enumerate(roots):
        for j, part in enumerate(parts):
            units[k * len(parts) + j] = _carried(motion, root, part)
    units[free:] = motion.partial[hinges]
    loads = np.hstack([motion.T, motion.F])
    for root in roots:  # drives of bases are loads on them
        own = motion.hinge[root]
        loads[root] += _at_center(motion, root, motion.tau[own] @ np.linalg.pinv(motion.columns[own]).T)
    right = -balance(still, loads)
    right[free:] += motion.tau[hinges]
    matrix = np.array([balance(unit, zero, at_rest=True) for unit in units]).reshape(len(units), len(right)).T
    cuts, wanted, bases = _cut_arcs(motion, parts)
    pushes = np.array([_on_bodies(motion, cut) for cut in cuts]).reshape(len(cuts), motion.n, 6)
    columns = np.array([balance(zero, push, at_rest=True) for push in pushes]).reshape(len(cuts), len(right)).T
    C = cuts.reshape(len(cuts), 6 * motion.n) @ units.reshape(len(units), 6 * motion.n).T
    both = np.linalg.solve(matrix, np.column_stack([right, columns]))
    y, rate = both[:, 0], both[:, 1:]
    target = wanted - cuts.reshape(len(cuts), 6 * motion.n) @ still.ravel()
    W, s, _ = np.linalg.svd(C, full_matrices=False)
    W = W[:, s > REDUNDANT * np.max(np.abs(cuts), initial=0.0)]  # combinations that are not redundant
    arcs = W @ np.linalg.solve(W.T @ C @ rate @ W, W.T @ (C @ y - target))
    y = y - rate @ arcs
    A, ud = still + np.einsum("j,jia->ia", y, units), np.zeros(nv)
    ud[hinges] = y[free:]
    for root in roots:
        own = motion.hinge[root]
        relative = A[root] - np.concatenate([motion.alpha_c[root], motion.a_c[root]])
        ud[own] = np.linalg.pinv(motion.columns[own]).T @ relative
    closing = np.einsum("k,kia->ia", arcs[bases:], cuts[bases:])
    return Found(ud, {"hinge forces": motion.outboard_sums(motion.needed(A, ud) - closing), "cut forces": arcs[bases:]})


class _Balance:
    """(2.2.2) to (2.2.5) of a motion, for any accelerations and loads."""

    def __init__(self, motion: Motion, parts: list[int], hinges: np.ndarray) -> None:
        self.motion, self.parts, self.hinges = motion, parts, hinges
        graph = motion.topology
        self.trees = [np.array(graph.outboard(root)) for root in graph.references]
        self.masses = graph.augmented_masses(motion.m)  # m*
        beyond = motion.paths[graph.heads].T == 1
        towards = np.array(graph.heads, dtype=int)
        inwards = np.array([motion.parents[head] for head in graph.heads], dtype=int)
        #: for body i and arc a a body on the other side of the arc of i that leads to a
        self.other = np.where(beyond, inwards, towards)
        self.arc_of = {head: a for a, head in enumerate(graph.heads)}
        self.b = self._of_trees(motion.O, motion.C)

    def _of_trees(self, O: np.ndarray, C: np.ndarray) -> np.ndarray:
        """Barycentric vectors (n, n, 3), or their rates from those of hinge points and mass centers."""
        n = self.motion.n
        found = np.zeros((n, n, 3))
        for bodies in self.trees:
            L = to_hinges(self.motion, bodies, O, C)
            found[np.ix_(bodies, bodies)] = barycenters(self.motion.m[bodies], L)
        return found

    def __call__(self, A: np.ndarray, loads: np.ndarray, at_rest: bool = False) -> np.ndarray:
        """Rows: of each tree those of rotation and translation, then of each hinge −(g · L + e · F), for accelerations
        A (n, 6) at the hinge points and loads [T; F] (n, 6) at the mass centers; `at_rest` without what speeds do."""
        motion, T, F = self.motion, loads[:, :3], loads[:, 3:]
        centers, inertia = A[:, 3:] + np.cross(A[:, :3], motion.c), np.einsum("iab,ib->ia", motion.I, A[:, :3])
        if not at_rest:
            centers, inertia = motion.of_centers(A), inertia + motion.gyroscopic
        b_rates = self._of_trees(A[:, 3:], centers)  # b̈
        X = inertia - T + np.cross(self.b, (motion.m[:, None] * b_rates.sum(axis=0) - F)[None]).sum(axis=1)
        rows = []
        for bodies in self.trees:
            translation = motion.m[bodies] @ centers[bodies] - F[bodies].sum(axis=0)
            rows.append(np.concatenate([X[bodies].sum(axis=0), translation])[self.parts])
        whole = np.zeros(motion.n)
        for bodies in self.trees:
            whole[bodies] = motion.m[bodies].sum()
        of_arcs = b_rates[np.arange(motion.n)[:, None], self.other] + (F / whole[:, None])[:, None]
        force = -np.einsum("ia,iax->ax", self.masses, of_arcs)  # (2.2.4)
        torque = motion.topology.path_to_reference @ X  # (2.2.5)
        a = np.array([self.arc_of[motion.carried_by[j]] for j in self.hinges], dtype=int)
        axes = motion.columns[self.hinges]
        rows.append(-np.einsum("ka,ka->k", axes, np.hstack([torque, force])[a]) if len(a) else np.zeros(0))
        return np.concatenate(rows)


def _cut_arcs(motion: Motion, parts: list[int]) -> tuple[np.ndarray, np.ndarray, int]:
    """What cut arcs forbid, rows (r, n, 6) of accelerations and what these have to be (r,): first those of base hinges,
    `bases` in number, then those of loops."""
    rows, wanted = [], []
    for root in motion.topology.references:
        for normal in locked(motion.columns[motion.hinge[root]][:, parts]):
            row = np.zeros((motion.n, 6))
            row[root, parts] = normal
            rows.append(row)
            wanted.append(row[root] @ np.concatenate([motion.alpha_c[root], motion.a_c[root]]))
    bases = len(rows)
    if motion.rows is not None:
        rows += list(motion.rows.B)
        wanted += list(motion.rows.c)
    return np.array(rows).reshape(-1, motion.n, 6), np.array(wanted), bases


def _carried(motion: Motion, root: int, part: int) -> np.ndarray:
    """Accelerations (n, 6) of a tree whose reference body has a unit one."""
    found, unit = np.zeros((motion.n, 6)), np.eye(6)[part]
    bodies = motion.topology.outboard(root)
    found[bodies] = unit
    found[bodies, 3:] += np.cross(unit[:3], motion.O[bodies] - motion.O[root])
    return found


def _at_center(motion: Motion, body: int, six: np.ndarray) -> np.ndarray:
    """A force [n; f] at a hinge point, about the mass center."""
    return np.concatenate([six[:3] - np.cross(motion.c[body], six[3:]), six[3:]])


def _on_bodies(motion: Motion, cut: np.ndarray) -> np.ndarray:
    """A force (n, 6) of a cut arc at the hinge points of its bodies, about their mass centers."""
    return np.hstack([cut[:, :3] - np.cross(motion.c, cut[:, 3:]), cut[:, 3:]])


#: what :func:`linearized` takes: trees, with wheels too
LINEAR: Scope = scope(
    "translations", "screws", "axes apart", "part of a base", "held base", "massless", "wheels", classes="⑤"
)


class Linear(NamedTuple):
    """M ÿ + (D + G) ẏ + (K + A) y = 0 of small motions y (nv,) of hinge coordinates about a nominal state: M, D and K
    are symmetric, G and A skew."""

    M: np.ndarray
    D: np.ndarray
    G: np.ndarray
    K: np.ndarray
    A: np.ndarray

    @property
    def eigenvalues(self) -> np.ndarray:
        """λ (2 nv,) of the small motions e^λt; the nominal one is unstable if one has a positive real part."""
        zero, one = np.zeros_like(self.M), np.eye(len(self.M))
        right = -np.linalg.solve(self.M, np.hstack([self.K + self.A, self.D + self.G]))
        return np.asarray(np.linalg.eigvals(np.vstack([np.hstack([zero, one]), right])))


def linearized(tree: Tree, q: Any, v: Any, vdot: Any, t: float = 0.0) -> Linear:
    """The matrices about a state of a tree with hinge coordinates that are true ones, angles and shifts: where it turns
    steadily, A = 0. Differences of the sixth order.

    >>> import flexmb as fm
    >>> from flexmb.formulations.classical.boland_samin_willems import linearized
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> rod = m.add_body("rod", mass=1.0, inertia=0.1, position=(0, -1))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (0, 1)), name="hinge")
    >>> small = linearized(fm.Tree.of(m), [0.0], [0.0], [0.0])
    >>> small.M.round(9).tolist(), small.K.round(9).tolist()
    ([[1.1]], [[9.81]])
    """
    where = f"linear equations of {tree.model.where}"
    refuse_outside(tree, LINEAR, where)
    read = Reader(tree)
    if tree.nq != tree.nv:
        raise FormulationError(
            f"{where}: quaternions are no true coordinates; make the tree with euler_angles, such as "
            "fm.Tree.of(model, euler_angles='ZYX')"
        )
    x, u = tree.position(q, where), checks.vector(v, "v", where, tree.nv)
    ud = checks.vector(vdot, "vdot", where, tree.nv)
    none, still = np.zeros((len(tree.links), 6)), np.zeros(tree.nv)

    def needed(x: np.ndarray, u: np.ndarray, ud: np.ndarray) -> np.ndarray:
        motion = read(x, u, still, none, t)
        force = motion.needed(motion.accelerations(ud), ud)
        found = np.einsum("ria,ia->r", motion.partial, force) - motion.tau
        for w, speed in enumerate(motion.wheels.speed.tolist()):
            alpha = motion.accelerations(ud)[motion.wheels.body[w], :3]
            found[speed] += motion.wheels.spin[w] * (ud[speed] + motion.wheel_axes[w] @ alpha)
        return np.asarray(found)

    return by_differences(needed, x, u, ud)


def by_differences(needed: Callable[..., np.ndarray], x: np.ndarray, u: np.ndarray, ud: np.ndarray) -> Linear:
    """The matrices from the rows of a motion at rest, `needed(x, u, u̇)` (nv,)."""
    M, C, K = np.zeros((3, len(u), len(u)))
    rest = needed(x, u, ud)
    for j, unit in enumerate(np.eye(len(u))):
        M[:, j] = needed(x, u, ud + unit) - rest
        for step, weight in ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0)):
            h = step * STEP * unit
            C[:, j] += weight / STEP * (needed(x, u + h, ud) - needed(x, u - h, ud))
            K[:, j] += weight / STEP * (needed(x + h, u, ud) - needed(x - h, u, ud))
    return Linear(0.5 * (M + M.T), 0.5 * (C + C.T), 0.5 * (C - C.T), 0.5 * (K + K.T), 0.5 * (K - K.T))


#: Boland, Samin and Willems (1974), in the table of formulations
PAPER: Paper = Paper(
    solve,
    scope("translations", "screws", "axes apart", "part of a base", "held base", "loops", "massless", classes="⑤"),
    "Boland, Samin and Willems (1974)",
    {
        "hinge forces": "[n; f] (n, 6) of the hinges on the bodies that they carry, at their hinge points",
        "cut forces": "along the rows of the arcs that close loops",
    },
)  # fmt: skip
