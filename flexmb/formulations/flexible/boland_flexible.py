r"""Boland, Samin and Willems (1974): rigid and flexible augmented bodies with hinges of up to six freedoms, trees with
cut loops.

The origin of each body is its mass center, to which its modes are referred, φᶜ_p = φ_p − σ_p/m. With p from there, dᶜ,
Nᶜ, zᶜ, eᶜ the integrals of (★) of p and φᶜ, and barycentric vectors bⁱʲ of extended augmented bodies, which reach to
the tips of the translations zᵃ of hinges,

    ∫p × p̈ = I α + ω × I ω + 2 Σ ξ̇_p Nᶜ_p ω + Σ dᶜ_p ξ̈_p,    ∫φᶜ_p·p̈ = dᶜ_p·α − ω·Nᶜ_p ω + 2 ω·Σ ξ̇_q zᶜ_qp + Σ eᶜ_pq ξ̈_q
    Xᵢ = ∫p × p̈ + Σⱼ [mⱼ bⁱʲ × Σₖ b̈ᵏʲ − bⁱʲ × Fⱼ] − Tᵢ

    m R̈ = Σ Fᵢ (2.2.2),   Σ Xᵢ = 0 (2.2.3),   Fᵃ = −Σᵢ m*ᵢₐ (b̈ⁱᵃ + Fᵢ/m) (2.2.4),   Lᵃ = Σᵢ Tᵃⁱ Xᵢ (2.2.5)
    ∫φᶜ_p·p̈ = Qᶜ_p + Σₐ Sᵢₐ [φᶜ_p(a)·Fᵃ + ψ_p(a)·(Lᵃ + S̄ᵢₐ zᵃ × Fᵃ)]                                             (2.2.6)

for all arcs a on body i, its own hinge too, where φᶜ = −σ/m; and −(g·Lᵃ + e·Fᵃ) = τ along free axes. Fᵃ and Lᵃ act on
the body that an arc leaves. Cut arcs, here also the hinges of bases that stand on the ground, do F^γ and L^γ on both
of their bodies, as loads in these equations (2.2.7) to (2.2.9); what they do not allow, (2.2.10) and (2.2.11), is
wanted of accelerations, and gives them. Of a rigid body ∫p × p̈ = I α + ω × I ω; rotors have a constant momentum and
are loads. Besides, the forces and torques of all hinges follow, and :func:`linearized` gives M, D, G, K and A about a
nominal state, the geometric stiffness of hinges and of second-order fields among them. The survey, Ohkami et al.
(1985), prints (2.2.3) with ḃ, (2.2.4) with other indices, and m* for the arcs of a body alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import FormulationError
from flexmb.formulations.classical.barycentric import to_hinges
from flexmb.formulations.classical.motion import Motion, shifted
from flexmb.formulations.classical.motion_reader import Reader
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import Scope, refuse_outside, scope
from flexmb.formulations.classical.speeds_of_rows import kinds_of_motion, locked
from flexmb.formulations.classical.topology import barycenters
from flexmb.formulations.tree.tree import Tree
from flexmb.model import checks
from flexmb.model.hints import answers_calls

#: singular values of cut arcs below this part of their size are those of redundant rows
REDUNDANT = 1e-10
#: step of the differences of :func:`linearized`, whose error is of the sixth order
STEP = 5e-3


def solve(motion: Motion) -> Found:
    """Accelerations of reference bodies, of hinges and of modes, and forces of cut arcs, together: column by column
    from unit accelerations."""
    balance, n, k = _Balance(motion), motion.n, motion.k
    hinges, many = balance.hinges, len(balance.parts)
    own = slice(many * len(balance.trees), many * len(balance.trees) + len(hinges))
    units = np.zeros((own.stop + k, n, 6))
    for r, bodies in enumerate(balance.trees):
        unit = np.eye(6)[balance.parts][:, None] * np.ones((1, len(bodies), 1))
        units[many * r : many * r + many, bodies] = shifted(unit, motion.O[bodies] - motion.O[bodies[0]])
    units[own], units[own.stop :] = motion.partial[hinges], motion.partial[motion.speed]
    on_modes = np.vstack([np.zeros((own.stop, k)), np.eye(k)])
    still, loads = motion.accelerations(), np.hstack([motion.T, motion.F])
    for bodies in balance.trees:  # drives of bases are loads on them
        hinge = motion.hinge[bodies[0]]
        loads[bodies[0]] += motion.tau[hinge] @ np.linalg.pinv(motion.columns[hinge]).T
    right = -balance(still, np.zeros(k), loads, motion.Q, True)
    right[own] += motion.tau[hinges]
    none, nothing = np.zeros((n, 6)), np.zeros(k)
    matrix = np.array([balance(A, xi, none, nothing, False) for A, xi in zip(units, on_modes)])
    cuts, of_modes, wanted, bases = _cut_arcs(motion)
    pushes = np.array([balance(none, nothing, B, b, False) for B, b in zip(cuts, of_modes)])
    C = cuts.reshape(len(cuts), 6 * n) @ units.reshape(len(units), 6 * n).T + of_modes @ on_modes.T
    both = np.linalg.solve(matrix.T, np.column_stack([right, pushes.reshape(len(cuts), len(right)).T]))
    y, rate = both[:, 0], both[:, 1:]
    target = wanted - np.einsum("cia,ia->c", cuts, still)
    W, s, _ = np.linalg.svd(C, full_matrices=False)
    W = W[:, s > REDUNDANT * np.max(np.abs(cuts), initial=0.0)]  # combinations that are not redundant
    arcs = W @ np.linalg.solve(W.T @ C @ rate @ W, W.T @ (C @ y - target))
    y = y - rate @ arcs
    A, ud = still + np.einsum("j,jia->ia", y, units), np.zeros_like(motion.u)
    ud[hinges], ud[motion.speed] = y[own], y[own.stop :]
    for bodies in balance.trees:
        root = int(bodies[0])
        relative = A[root] - np.concatenate([motion.alpha_c[root], motion.a_c[root]])
        ud[motion.hinge[root]] = np.linalg.pinv(motion.columns[motion.hinge[root]]).T @ relative
    closing = np.einsum("c,cia->ia", arcs[bases:], cuts[bases:])
    forces = motion.outboard_sums(motion.needed(A, ud)[0] - closing)
    return Found(ud, {"hinge forces": forces, "cut forces": arcs[bases:]})


class _Balance:
    """(2.2.2) to (2.2.6) of a motion, for any accelerations and loads."""

    def __init__(self, motion: Motion) -> None:
        self.motion, self.parts, graph = motion, kinds_of_motion(motion), motion.topology
        self.trees = [np.array(graph.outboard(root)) for root in graph.references]
        self.hinges = np.flatnonzero([i >= 0 and motion.parents[i] >= 0 for i in motion.carried_by])
        self.masses = graph.augmented_masses(motion.m)  # m*
        beyond = motion.paths[graph.heads].T == 1
        inwards = np.array([motion.parents[head] for head in graph.heads], dtype=int)
        #: for body i and arc a a body on the other side of the arc of i that leads to a
        self.other = np.where(beyond, inwards, np.array(graph.heads, dtype=int))
        self.arc_of = {head: a for a, head in enumerate(graph.heads)}
        self.heads = np.array(graph.heads, dtype=int)
        self.b = self._of_trees(motion.O, motion.O + motion.c)
        self.whole = np.zeros(motion.n)
        for bodies in self.trees:
            self.whole[bodies] = motion.m[bodies].sum()
        # modes referred to mass centers
        of, sigma = motion.of, motion.sigma
        c, self.mass = motion.c[of], np.where(motion.m > 0.0, motion.m, 1.0)[of]
        same = of[:, None] == of
        self.d = motion.d - np.cross(c, sigma)
        across = np.einsum("pa,pa->p", c, sigma)[:, None, None] * np.eye(3) - np.einsum("pa,pb->pab", sigma, c)
        self.N = motion.N - across
        self.z = motion.z - same[..., None] * np.cross(sigma[:, None], sigma[None]) / self.mass[:, None, None]
        self.e = motion.e - same * (sigma @ sigma.T) / self.mass[:, None]

    def _of_trees(self, O: np.ndarray, C: np.ndarray) -> np.ndarray:
        """Barycentric vectors (n, n, 3), or their rates from those of hinge points and mass centers."""
        found = np.zeros((self.motion.n, self.motion.n, 3))
        for bodies in self.trees:
            L = to_hinges(self.motion, bodies, O, C)
            found[np.ix_(bodies, bodies)] = barycenters(self.motion.m[bodies], L)
        return found

    def __call__(self, A: np.ndarray, xi: np.ndarray, loads: np.ndarray, Q: np.ndarray, whole: bool) -> np.ndarray:
        """Rows: of each tree those of rotation and translation, of each hinge −(g · L + e · F), of each mode (2.2.6),
        for accelerations A (n, 6) and ξ̈ (k,), loads [T; F] (n, 6) at hinge points and Q (k,) on modes; not `whole`
        without what speeds do."""
        motion, of, w = self.motion, self.motion.of, self.motion.omega
        alpha, F = A[:, :3], loads[:, 3:]
        T = loads[:, :3] - np.cross(motion.c, F)
        centers = motion.of_centers(A, xi, at_rest=not whole)
        moment = np.einsum("iab,ib->ia", motion.central, alpha) + motion.of_modes @ (xi[:, None] * self.d)
        field = np.einsum("pa,pa->p", self.d, alpha[of]) + self.e @ xi
        if whole:
            N, rates = np.einsum("pab,pb->pa", self.N, w[of]), motion.rates
            moment += np.cross(w, np.einsum("iab,ib->ia", motion.central, w))
            moment += 2.0 * motion.of_modes @ (rates[:, None] * N)
            field += 2.0 * np.einsum("pa,q,qpa->p", w[of], rates, self.z) - np.einsum("pa,pa->p", w[of], N)
        b_rates = self._of_trees(A[:, 3:], centers)  # b̈
        X = moment - T + np.cross(self.b, (motion.m[:, None] * b_rates.sum(axis=0) - F)[None]).sum(axis=1)
        rows = []
        for bodies in self.trees:
            translation = motion.m[bodies] @ centers[bodies] - F[bodies].sum(axis=0)
            rows.append(np.concatenate([X[bodies].sum(axis=0), translation])[self.parts])
        of_arcs = b_rates[np.arange(motion.n)[:, None], self.other] + (F / self.whole[:, None])[:, None]
        force = -np.einsum("ia,iax->ax", self.masses, of_arcs)  # (2.2.4)
        torque = motion.topology.path_to_reference @ X  # (2.2.5)
        arcs = np.hstack([torque, force]).reshape(-1, 6)
        a = np.array([self.arc_of[motion.carried_by[j]] for j in self.hinges], dtype=int)
        rows.append(-np.einsum("ka,ka->k", motion.columns[self.hinges], arcs[a]))
        # (2.2.6): arcs that leave the body, by W and −σ/m, and the one that enters it, by −σ/m
        leaving = np.einsum("kxa,xa->k", motion.on[:, self.heads], arcs)
        net = (motion.topology.incidence @ arcs[:, 3:]).reshape(motion.n, 3) + F
        rows.append(field - Q - leaving + np.einsum("pa,pa->p", motion.sigma, net[of]) / self.mass)
        return np.concatenate(rows)


def _cut_arcs(motion: Motion) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """What cut arcs forbid, rows (r, n, 6) of accelerations of bodies and (r, k) of modes, and what these have to be
    (r,): first those of base hinges, `bases` in number, then those of loops."""
    rows, of_modes, wanted = [], [], []
    for root in motion.topology.references:
        for normal in locked(motion, motion.columns[motion.hinge[root]]):
            row = np.zeros((motion.n, 6))
            row[root] = normal
            rows.append(row)
            of_modes.append(np.zeros(motion.k))
            wanted.append(normal @ np.concatenate([motion.alpha_c[root], motion.a_c[root]]))
    bases = len(rows)
    if motion.rows is not None:
        rows += list(motion.rows.B)
        of_modes += list(motion.rows.b[:, motion.speed])
        wanted += list(motion.rows.c)
    shape = len(rows), motion.n, 6
    return np.array(rows).reshape(shape), np.array(of_modes).reshape(shape[0], motion.k), np.array(wanted), bases


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


#: what :func:`linearized` takes: trees, with wheels too
LINEAR: Scope = scope(
    "translations", "screws", "axes apart", "part of a base", "held base", "massless", "wheels", "plane", "flexible",
    "inner flexible", "flexible hinge points", classes="⑤",
)  # fmt: skip


@answers_calls
def linearized(tree: Tree, q: Any, v: Any, vdot: Any, t: float = 0.0) -> Linear:
    """The matrices about a state of a tree of flexible and rigid bodies with hinge coordinates that are true ones:
    where it turns steadily, A = 0. Differences of the sixth order.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> given = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=10.0, GJ=15.0, rhoA=0.6)
    >>> hub = m.add_body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
    >>> shaft = m.revolute(m.ground, hub.frame, axis="z", name="shaft")
    >>> rod = m.add_beam("rod", hub.frame, (1, 0, 0), properties=given, theory="floating", modes=1, torsion_modes=0)
    >>> small = fm.formulations.linearized(fm.Tree.of(m), [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    >>> [round(float(f), 3) for f in sorted(small.eigenvalues.imag)[-2:]]  # 1.8751² √(EI/ρA), and coupled to the hub
    [14.354, 15.678]
    """
    where = f"linear equations of {tree.model.where}"
    refuse_outside(tree, LINEAR, where)
    if tree.nq != tree.nv:
        raise FormulationError(
            f"{where}: quaternions are no true coordinates; hold a flexible base by hinges, and make the tree with "
            "euler_angles, such as fm.Tree.of(model, euler_angles='ZYX')"
        )
    read = Reader(tree)
    x, u = tree.position(q, where), checks.vector(v, "v", where, tree.nv)
    none, still = np.zeros((len(tree.links), 6)), np.zeros(tree.nv)

    def needed(x: np.ndarray, u: np.ndarray, ud: np.ndarray) -> np.ndarray:
        motion = read(x, u, still, none, t)
        return motion.balance(motion.accelerations(ud), ud)

    return by_differences(needed, x, u, checks.vector(vdot, "vdot", where, tree.nv))


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
    scope(
        "translations", "screws", "axes apart", "part of a base", "held base", "loops", "massless", "plane", "flexible",
        "inner flexible", "flexible hinge points", classes="⑤",
    ),
    "Boland, Samin and Willems (1974)",
    {
        "hinge forces": "[n; f] (n, 6) of the hinges on the bodies that they carry, at their hinge points",
        "cut forces": "along the rows of the arcs that close loops",
    },
)  # fmt: skip
