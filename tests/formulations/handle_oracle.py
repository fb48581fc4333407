"""Assembly and disassembly of bodies with handles, literally by Takahashi (2012), (2.11) to (2.22), (3.1) to (3.20) and
(2.35) to (2.46), slowly: spatial accelerations and forces about the origin of the ground, in its axes, matrices of any
size, generalized inverses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import block_diag
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.formulations.tree.moving import move, moving_for
from flexmb.model.ways import BALL, FIXED, FREE, SPEEDS


def tilde(u: Any) -> np.ndarray:
    return np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])


def motion_cross(V: np.ndarray) -> np.ndarray:
    """V ×, (A.43)."""
    return np.block([[tilde(V[:3]), np.zeros((3, 3))], [tilde(V[3:]), tilde(V[:3])]])


def to_ground(r: np.ndarray) -> np.ndarray:
    """What takes a motion [ω; v] about a point r to the origin of the ground."""
    return np.block([[np.eye(3), np.zeros((3, 3))], [tilde(r), np.eye(3)]])


@dataclass
class Joint:
    """A joint from a link a to a link b, −1 the ground; S, T, T_a (6, …) about the origin of the ground, Ṡ q̇, τ."""

    name: str
    a: int
    b: int
    S: np.ndarray
    bias: np.ndarray
    tau: np.ndarray
    T: np.ndarray = field(init=False)
    Ta: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        count = self.S.shape[1]
        self.Ta = np.linalg.pinv(self.S).T if count else np.zeros((6, 0))
        self.T = np.linalg.svd(self.S)[0][:, count:] if count else np.eye(6)


@dataclass
class Body:
    """Handles, by joint and by which side of it they are, with Φ (6 h, 6 h) and B (6 h); the two that it is made of."""

    handles: list[tuple[str, str]]
    Phi: np.ndarray
    B: np.ndarray
    made: Any = None

    def columns(self, handles: list[tuple[str, str]]) -> np.ndarray:
        at = [self.handles.index(h) for h in handles]
        return np.concatenate([np.arange(6 * k, 6 * k + 6) for k in at]) if at else np.zeros(0, dtype=int)


def mechanism(tree: fm.Tree, x: Any, u: Any, tau: Any, wrench: Any) -> tuple[list[Body], list[Joint], np.ndarray]:
    """Links as bodies with handles and the joints of a tree; motions V (n, 6) of the links."""
    links, n = tree.arrays, len(tree.links)
    moving = moving_for(links)
    move(links, moving, x, u)
    at = moving.at
    joints, bodies, V = [], [], np.zeros((n, 6))
    for k in range(n):
        motions = range(links.joints.first[k], links.joints.first[k + 1])
        count = sum(SPEEDS[links.joints.kind[s]] for s in motions)
        base = links.joints.at_v[links.joints.first[k]]
        S = to_ground(at[k, :3]) @ moving.columns[base : base + count].T
        parent = links.parent[k]
        before = V[parent] if parent >= 0 else np.zeros(6)
        bias = np.zeros(6)
        for s in motions:
            if links.joints.kind[s] == FIXED:
                continue
            i, ways = links.joints.at_v[s] - base, SPEEDS[links.joints.kind[s]]
            steps = [(0, 3), (3, 6)] if links.joints.kind[s] == FREE else [(0, ways)]
            assert links.joints.kind[s] != BALL or ways == 3
            for lo, hi in steps:
                step = S[:, i + lo : i + hi] @ u[base + i + lo : base + i + hi]
                bias += motion_cross(before) @ step
                before = before + step
        V[k] = before
        np.testing.assert_allclose(V[k], to_ground(at[k, :3]) @ moving.motion[k], atol=1e-9)
        joints.append(Joint(tree.joints[k], parent, k, S, bias, tau[base : base + count]))
    for k in range(n):
        R = Rotation.from_quat(np.roll(at[k, 3:], -1)).as_matrix()
        xx, yy, zz, xy, xz, yz = links.inertia[k]
        J = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        mc = R @ links.moment[k]
        inertia = np.block([[J, tilde(mc)], [tilde(mc).T, links.mass[k] * np.eye(3)]])
        shift = to_ground(-at[k, :3])  # motions about the ground's origin to the link's
        inertia = shift.T @ inertia @ shift
        force = np.concatenate([np.cross(mc, links.gravity), links.mass[k] * links.gravity]) + wrench[k]
        P = -motion_cross(V[k]).T @ inertia @ V[k] - shift.T @ force
        Phi = np.linalg.inv(inertia)
        handles = [(j.name, side) for j in joints for side, of in (("a", j.a), ("b", j.b)) if of == k]
        bodies.append(Body(handles, np.tile(Phi, (len(handles),) * 2), np.tile(-Phi @ P, len(handles))))
    return bodies, joints, V


def ground(joints: list[Joint]) -> Body:
    """The ground: Φ = 0, B = 0."""
    handles = [(j.name, "a") for j in joints if j.a < 0] + [(j.name, "b") for j in joints if j.b < 0]
    return Body(handles, np.zeros((6 * len(handles),) * 2), np.zeros(6 * len(handles)))


def assemble(A: Body, B: Body, joints: list[Joint], formulation: str = "ada") -> Body:
    """(2.17) to (2.21), stacked as (3.12) to (3.20); with formulation "dca" W and γ of (2.42), (2.43)."""
    shared = [j for j in joints if {(j.name, "a"), (j.name, "b")} <= {*A.handles, *B.handles}]
    sign = [1.0 if (j.name, "b") in B.handles else -1.0 for j in shared]
    on_A = [(j.name, "a" if s > 0 else "b") for j, s in zip(shared, sign)]
    on_B = [(j.name, "b" if s > 0 else "a") for j, s in zip(shared, sign)]
    jA, jB = A.columns(on_A), B.columns(on_B)
    i = A.columns([h for h in A.handles if h not in on_A])
    k = B.columns([h for h in B.handles if h not in on_B])
    T, Ta, S = (block_diag(*[s * getattr(j, name) for j, s in zip(shared, sign)]) for name in ("T", "Ta", "S"))
    tau = np.concatenate([j.tau for j in shared])
    bias = np.concatenate([s * j.bias for j, s in zip(shared, sign)])
    PhiA, PhiB = A.Phi, B.Phi
    stiff = PhiA[np.ix_(jA, jA)] + PhiB[np.ix_(jB, jB)]
    if formulation == "ada":
        Y = np.linalg.pinv(T.T @ stiff @ T, rcond=1e-10, hermitian=True)
        W = T @ Y @ T.T
        beta = bias + A.B[jA] - B.B[jB] - stiff @ Ta @ tau
        gamma = W @ beta + Ta @ tau
    else:
        Y = np.linalg.inv(stiff)
        YS = Y @ S @ np.linalg.inv(S.T @ Y @ S)
        W = Y - YS @ S.T @ Y
        beta = bias + A.B[jA] - B.B[jB]
        gamma = W @ beta + YS @ tau
    ij, kj = PhiA[np.ix_(i, jA)], PhiB[np.ix_(k, jB)]
    Phi = np.block([
        [PhiA[np.ix_(i, i)] - ij @ W @ ij.T, ij @ W @ kj.T],
        [kj @ W @ ij.T, PhiB[np.ix_(k, k)] - kj @ W @ kj.T],
    ])  # fmt: skip
    bias_of = np.concatenate([A.B[i] - ij @ gamma, B.B[k] + kj @ gamma])
    handles = [h for h in A.handles if h not in on_A] + [h for h in B.handles if h not in on_B]
    return Body(handles, Phi, bias_of, (A, B, on_A, on_B, W, gamma))


def disassemble(C: Body, F: np.ndarray, found: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]) -> None:
    """Forces on all handles of what C is made of and their accelerations, from those on its own handles; (2.18)."""
    if C.made is None:
        V = C.Phi @ F + C.B
        found.update({h: (F[6 * n : 6 * n + 6], V[6 * n : 6 * n + 6]) for n, h in enumerate(C.handles)})
        return
    A, B, on_A, on_B, W, gamma = C.made
    FA, FB = np.zeros(len(A.B)), np.zeros(len(B.B))
    rest_A, rest_B = ([h for h in X.handles if h not in on] for X, on in ((A, on_A), (B, on_B)))
    FA[A.columns(rest_A)], FB[B.columns(rest_B)] = F[: 6 * len(rest_A)], F[6 * len(rest_A) :]
    jA, jB = A.columns(on_A), B.columns(on_B)
    F_j = W @ (A.Phi[jA] @ FA - B.Phi[jB] @ FB) + gamma
    FB[jB], FA[jA] = F_j, -F_j
    disassemble(A, FA, found)
    disassemble(B, FB, found)


def solve(
    bodies: list[Body], joints: list[Joint], rng: np.random.Generator | None = None, formulation: str = "ada"
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """q̈ of the joints, one behind the other, by (2.22), and the force of each on its link b, about the origin of the
    ground. Pieces that share joints are assembled in an order of chance."""
    rng = rng or np.random.default_rng(0)
    pieces = [*bodies, ground(joints)]
    done = []
    while True:
        pairs = [
            (p, q)
            for p in range(len(pieces))
            for q in range(p)
            if {name for name, _ in pieces[p].handles} & {name for name, _ in pieces[q].handles}
        ]
        if not pairs:
            break
        p, q = pairs[rng.integers(len(pairs))]
        B, A = pieces.pop(p), pieces.pop(q)
        pieces.append(assemble(A, B, joints, formulation))
    done = pieces
    found: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]] = {}
    for piece in done:
        assert not piece.handles
        disassemble(piece, np.zeros(0), found)
    rates = [j.Ta.T @ (found[j.name, "b"][1] - found[j.name, "a"][1] - j.bias) for j in joints]
    return np.concatenate(rates), {j.name: found[j.name, "b"][0] for j in joints}
