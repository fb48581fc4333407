r"""The equation of one flexible body, which all formulations of flexible bodies rearrange, from its mass products.

Of a body that hinges on others at the point O, with positions ρ = r + u from there, u = Σ φ_p ξ_p, in the deformed
state and in the axes of the ground,

    s = ∫ρ,  J = ∫(ρ² 1 − ρ ρᵀ),  σ_p = ∫φ_p,  d_p = ∫ρ × φ_p,  e_pq = ∫φ_p·φ_q,  z_qp = ∫φ_q × φ_p,
    N_p = ∫(ρ·φ_p 1 − φ_p ρᵀ)                                                               all of them over dm

    [J  s̃  d; s̃ᵀ  m 1  σ; dᵀ  σᵀ  e] [α; a; ξ̈] + [h_ω; h_v; h_ξ] = [T; F; Q]                                      (★)
    h_ω = ω × Jω + 2 Σ ξ̇_q N_q ω,   h_v = ω × (ω × s) + 2 ω × Σ σ_q ξ̇_q,   h_ξp = −ω·N_p ω + 2 ω·Σ ξ̇_q z_qp

with T about O. Sections that turn add their inertia to J, their angular momentum h_p to d_p and −½ h̃_p to N_p, and
what they have of energy to e. The papers have fields that are linear in ξ. One that bends to second order, with slave
shapes of the amplitudes ζ_m = ½ ξᵀT^mξ, has the same equation in the shapes φ_p + Σ χ_m (T^mξ)_p of its state; what
is left of the acceleration of the field, Σ χ_m ξ̇ᵀT^mξ̇, is without ξ̈ and stands with its inertia among the loads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.formulations.classical.topology import tilde
from flexmb.formulations.tree.graph import Group
from flexmb.formulations.tree.inertial import Share, parameters_of
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.rotations import product, rotation_matrix
from flexmb.model.flexible_bodies import FlexibleBody


class ModalPart(NamedTuple):
    """A body with modes on a link: its products, its `axes` (3, 3) and the `place` (3,) [m] of its frame on the link,
    the numbers of its amplitudes among the inner coordinates of all groups, and its `share` of the equations."""

    of: FlexibleBody
    axes: np.ndarray
    place: np.ndarray
    amplitudes: list[int]
    share: Share


class Block(NamedTuple):
    """The coefficients of (★) for k modes: `m`, `s` (3,), `s0` (3,) of the undeformed body, `J` (3, 3), `sigma` (k, 3),
    `d` (k, 3), and `sigma0`, `d0` (k, 3) of that, `e` (k, k), `N` (k, 3, 3), `z` (k, k, 3), z_qp at [q, p]; and the
    loads `T`, `F` (3,), `Q` (k,) of gravity, elasticity and damping."""

    m: float
    s: np.ndarray
    s0: np.ndarray
    J: np.ndarray
    sigma: np.ndarray
    d: np.ndarray
    sigma0: np.ndarray
    d0: np.ndarray
    e: np.ndarray
    N: np.ndarray
    z: np.ndarray
    T: np.ndarray
    F: np.ndarray
    Q: np.ndarray


def modal_parts(tree: Tree, group: Group) -> list[ModalPart]:
    """The bodies with modes on the node of a group; none if the group has several nodes, or something that moves in it
    is neither such a body nor rigid."""
    if len(group.links) != 1 or tree.system.model.dimension != 3:
        return []
    nodes, head, found = tree.nodes, group.links[0], list[ModalPart]()
    own = set(nodes.numbers_v[head].tolist())
    inner = {number: k for k, number in enumerate(nodes.inner.tolist())}
    for share in group.shares:
        of = share.owner.flexible_body(parameters_of(tree.system, share))
        if of is None:
            continue
        amplitudes = [inner[number] for number in share.speeds.tolist() if number not in own]
        axes = product(tuple(nodes.axes[head].tolist()), tuple(of.turn.tolist()))
        R = np.array(rotation_matrix(axes)).reshape(3, 3)
        found.append(ModalPart(of, R, nodes.place[head], amplitudes, share))
    return found


def block_of(part: ModalPart, R: np.ndarray, xi: np.ndarray, rates: np.ndarray, gravity: np.ndarray) -> Block:
    """(★) of a body on a link with the axes R, about the origin of the link, for amplitudes ξ (n,) and their rates."""
    of, A, r = part.of, R @ part.axes, R @ part.place
    n, slaves = of.modes, len(of.slaves)
    bend = np.einsum("mpq,q->mp", of.slaves, xi)  # T^m ξ
    f = np.concatenate([[1.0], xi, 0.5 * bend @ xi])
    moving = np.vstack([np.eye(n), bend])  # ȧ = moving ξ̇
    first = of.first @ A.T
    P = np.einsum("ab,FGbc,dc->FGad", A, of.products, A, optimize=True)
    # about the frame of the body: ∫ρ, ∫ρ ρᵀ, and of each shape ∫ρ Gᵀ
    s, S = f @ first, np.einsum("F,G,FGab->ab", f, f, P, optimize=True)
    with_rho = np.einsum("F,FGab->Gab", f, P)[1:]
    sigma, each = first[1:], P[1:, 1:]
    d, e, z = _axial(with_rho), np.trace(each, axis1=-2, axis2=-1), _axial(each)
    N = _across(with_rho)
    J = np.trace(S) * np.eye(3) - S
    # about the origin of the link
    d = d + np.cross(r, sigma)
    N = N + _across(np.einsum("a,pb->pab", r, sigma))
    shift = np.outer(r, s)
    shift = shift + shift.T + of.mass * np.outer(r, r)
    J = J + np.trace(shift) * np.eye(3) - shift
    s, s0 = s + of.mass * r, first[0] + of.mass * r
    # what is left of the acceleration of the field, and all in the modes alone
    left = np.concatenate([np.zeros(n), np.einsum("p,mpq,q->m", rates, of.slaves, rates)])
    T, F, Q = np.cross(s, gravity) - left @ d, of.mass * gravity - left @ sigma, moving.T @ (sigma @ gravity - e @ left)
    Q -= of.stiffness * xi + of.damping * rates
    sigma0, d0 = sigma[:n], _axial(P[0, 1 : 1 + n]) + np.cross(r, sigma[:n])
    sigma, d, e = moving.T @ sigma, moving.T @ d, moving.T @ e @ moving
    N, z = np.einsum("ap,abc->pbc", moving, N), np.einsum("aq,abx,bp->qpx", moving, z, moving, optimize=True)
    assert len(f) == 1 + n + slaves
    h = of.momenta @ A.T
    return Block(
        of.mass, s, s0, J + A @ of.sections @ A.T, sigma, d + h, sigma0, d0 + h, e + of.rotary, N - 0.5 * tilde(h), z,
        T, F, Q,
    )  # fmt: skip


def _axial(B: np.ndarray) -> np.ndarray:
    """∫ F × G dm (…, 3) from ∫ F Gᵀ dm (…, 3, 3)."""
    parts = [B[..., 1, 2] - B[..., 2, 1], B[..., 2, 0] - B[..., 0, 2], B[..., 0, 1] - B[..., 1, 0]]
    return np.stack(parts, axis=-1)


def _across(B: np.ndarray) -> np.ndarray:
    """∫ (ρ·φ 1 − φ ρᵀ) dm (…, 3, 3) from ∫ ρ φᵀ dm (…, 3, 3)."""
    return np.trace(B, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - np.swapaxes(B, -1, -2)
