r"""The equation of one flexible body, which all formulations of flexible bodies rearrange, from its mass products.

Of a body that hinges on others at the point O, with positions ρ = r + u from there, u = Σ φ_p ξ_p, in the deformed
state and in the axes of the ground,

    s = ∫ρ,  J = ∫(ρ² 1 − ρ ρᵀ),  σ_p = ∫φ_p,  d_p = ∫ρ × φ_p,  e_pq = ∫φ_p·φ_q,  z_qp = ∫φ_q × φ_p,
    N_p = ∫(ρ·φ_p 1 − φ_p ρᵀ)                                                               all of them over dm

    [J  s̃  d; s̃ᵀ  m 1  σ; dᵀ  σᵀ  e] [α; a; ξ̈] + [h_ω; h_v; h_ξ] = [T; F; Q]                                      (★)
    h_ω = ω × Jω + 2 Σ ξ̇_q N_q ω,   h_v = ω × (ω × s) + 2 ω × Σ σ_q ξ̇_q,   h_ξp = −ω·N_p ω + 2 ω·Σ ξ̇_q z_qp

with T about O. The papers have fields that are linear in ξ. One that bends to second order, with slave
shapes of the amplitudes ζ_m = ½ ξᵀT^mξ, has the same equation in the shapes φ_p + Σ χ_m (T^mξ)_p of its state; what
is left of the acceleration of the field, Σ χ_m ξ̇ᵀT^mξ̇, is without ξ̈ and stands with its inertia among the loads.
A body in its mean frame that hangs by an interface has it too, about that, with shapes that vanish there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from flexmb.elements.interior import DATA, HEAD
from flexmb.formulations.classical.topology import tilde
from flexmb.formulations.tree.graph import Group
from flexmb.formulations.tree.inertial import Share, parameters_of
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.rotations import exp, product, rate_map, rate_map_change, rotation_matrix, turned
from flexmb.model.flexible_bodies import FlexibleBody, FlexiblePlace


class Hung(NamedTuple):
    """The interface by which a body hangs on its link: where it is on the body, `of`, and its `axes` (3, 3) and `place`
    (3,) [m] on the link."""

    of: FlexiblePlace
    axes: np.ndarray
    place: np.ndarray

    def against(self, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """p (3,) [m] and the rotation vector ψ (3,) of the interface in the frame of the body."""
        of = self.of
        p = of.position + of.translation @ xi + 0.5 * of.translation2 @ xi @ xi
        return p, of.rotation @ xi + 0.5 * of.rotation2 @ xi @ xi

    def pose(self, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The axes (3, 3) and the place (3,) [m] of the frame of the body on the link."""
        p, psi = self.against(xi)
        own = product(exp(tuple(psi.tolist())), tuple(self.of.axes.tolist()))
        axes = self.axes @ _matrix(rotation_matrix(own)).T
        return axes, self.place - axes @ p

    def moving(self, xi: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, ...]:
        """In the frame of the body p, D and W (3, n), and for ξ̈ = 0 p̈ and ẇ."""
        of, (p, psi) = self.of, self.against(xi)
        D, slope = of.translation + of.translation2 @ xi, of.rotation + of.rotation2 @ xi
        back, rate = tuple((-psi).tolist()), slope @ rates
        V = _matrix(rate_map(back))
        changing = rate_map_change(back, tuple(rate.tolist()), tuple((-rate).tolist()))
        return p, D, V @ slope, of.translation2 @ rates @ rates, V @ (of.rotation2 @ rates @ rates) + changing


@dataclass(frozen=True)
class ModalPart:
    """A body with modes on a link: its products, its `axes` (3, 3) and the `place` (3,) [m] of its frame on the link,
    the numbers of its amplitudes among the inner coordinates of all groups, and its `share` of the equations. One that
    hangs by an interface has its axes and place by that, `hung`."""

    of: FlexibleBody
    axes: np.ndarray
    place: np.ndarray
    amplitudes: list[int]
    share: Share
    hung: Hung | None = None

    def pose(self, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The axes (3, 3) and the place (3,) [m] of the frame on the link."""
        return (self.axes, self.place) if self.hung is None else self.hung.pose(xi)

    @cached_property
    def undeformed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """∫ρ (3,), ∫φ and ∫ρ × φ (n, 3) of the undeformed body about the origin of the link, in its axes."""
        still = np.zeros(self.of.modes)
        A, r = self.pose(still)
        fields = _fields(self.of, A, still, still)
        if self.hung is not None:
            fields = _against(self.hung, A, fields, self.of.mass, still, still)
        d0 = _axial(fields.with_rho) + np.cross(r, fields.sigma)
        return fields.s + self.of.mass * r, fields.sigma, d0


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
    if len(group.bearers) != 1 or tree.system.model.dimension != 3:
        return []
    nodes, bearer, found = tree.nodes, group.bearers[0], list[ModalPart]()
    own = set(nodes.numbers_v[bearer].tolist())
    inner = {number: k for k, number in enumerate(nodes.inner.tolist())}
    for share in group.shares:
        of = share.owner.flexible_body(parameters_of(tree.system, share))
        if of is None:
            continue
        amplitudes = [inner[number] for number in share.speeds.tolist() if number not in own]
        axes = product(tuple(nodes.axes[bearer].tolist()), tuple(of.turn.tolist()))
        hung = _hung(tree, of, bearer, group.links[0]) if group.hangs else None
        found.append(ModalPart(of, _matrix(rotation_matrix(axes)), nodes.place[bearer], amplitudes, share, hung))
    return found


def _hung(tree: Tree, of: FlexibleBody, frame: int, head: int) -> Hung:
    """The interface on link `head` by which a body with its frame on a link hangs."""
    nodes, share = tree.nodes, next(place.share for place in tree.graph.places if place.link == frame)
    row = parameters_of(tree.system, share)
    # a weld ends with the arm to the place and its axes, both in the axes of the node
    axes = tuple(nodes.axes[head].tolist())
    arm = np.array(turned(axes, tuple(row[-7:-4].tolist())))
    of_place = _matrix(rotation_matrix(product(axes, tuple(row[-4:].tolist()))))
    return Hung(of.place(row[HEAD : HEAD + int(row[DATA])]), of_place, nodes.place[head] + arm)


def _matrix(nine: Any) -> np.ndarray:
    return np.reshape(nine, (3, 3))


def block_of(part: ModalPart, R: np.ndarray, xi: np.ndarray, rates: np.ndarray, gravity: np.ndarray) -> Block:
    """(★) of a body on a link with the axes R, about the origin of the link, for amplitudes ξ (n,) and their rates."""
    of = part.of
    A, r = part.pose(xi)
    A, r = R @ A, R @ r
    fields = _fields(of, A, xi, rates)
    if part.hung is not None:
        fields = _against(part.hung, A, fields, of.mass, xi, rates)
    m, s, S, sigma, with_rho, each = of.mass, fields.s, fields.S, fields.sigma, fields.with_rho, fields.each
    d, z, e = _axial(with_rho), _axial(each), np.trace(each, axis1=-2, axis2=-1)
    # about the origin of the link
    d = d + np.cross(r, sigma)
    N = _across(with_rho + np.einsum("a,pb->pab", r, sigma))
    shift = np.outer(r, s)
    S = S + shift + shift.T + m * np.outer(r, r)
    s = s + m * r
    # what is left of the acceleration of the field, without accelerations of the modes, stands among the loads
    T = np.cross(s, gravity) - _axial(fields.left_rho) - np.cross(r, fields.left)
    F, Q = m * gravity - fields.left, sigma @ gravity - fields.left_each
    Q = Q - of.stiffness * xi - of.damping * rates
    s0, sigma0, d0 = (x @ R.T for x in part.undeformed)
    return Block(
        m, s, s0, np.trace(S) * np.eye(3) - S, sigma, d, sigma0, d0, e,
        N, z, T, F, Q,
    )  # fmt: skip


class _Fields(NamedTuple):
    """Integrals over dm of the field of a body, in ground axes, with positions ρ from the origin of its frame and the n
    shapes φ of its state: `s` ∫ρ, `S` ∫ρρᵀ, `sigma` (n, 3) ∫φ, `with_rho` (n, 3, 3) ∫ρφᵀ, `each` (n, n, 3, 3) ∫φ_q φ_pᵀ
    at [q, p]; and of the acceleration λ that is left for ξ̈ = 0: `left` ∫λ, `left_rho` ∫ρλᵀ, `left_each` (n,) ∫φ·λ."""

    s: np.ndarray
    S: np.ndarray
    sigma: np.ndarray
    with_rho: np.ndarray
    each: np.ndarray
    left: np.ndarray
    left_rho: np.ndarray
    left_each: np.ndarray


def _fields(of: FlexibleBody, A: np.ndarray, xi: np.ndarray, rates: np.ndarray) -> _Fields:
    """The integrals in the frame of the body, which has the axes A."""
    n = of.modes
    bend = np.einsum("mpq,q->mp", of.slaves, xi)  # T^m ξ
    f = np.concatenate([[1.0], xi, 0.5 * bend @ xi])
    moving = np.vstack([np.eye(n), bend])  # ȧ = moving ξ̇
    left = np.concatenate([np.zeros(n), np.einsum("p,mpq,q->m", rates, of.slaves, rates)])
    first = of.first @ A.T
    P = np.einsum("ab,FGbc,dc->FGad", A, of.products, A, optimize=True)
    by_rho, of_shapes = np.einsum("F,FGab->Gab", f, P)[1:], P[1:, 1:]
    half = np.einsum("aqxy,qp->apxy", of_shapes, moving)
    return _Fields(
        f @ first, np.einsum("F,G,FGab->ab", f, f, P, optimize=True), moving.T @ first[1:],
        np.einsum("ap,abc->pbc", moving, by_rho), np.einsum("aq,apxy->qpxy", moving, half),
        left @ first[1:], np.einsum("a,abc->bc", left, by_rho),
        np.einsum("a,apxx->p", left, half),
    )  # fmt: skip


def _against(hung: Hung, A: np.ndarray, of: _Fields, m: float, xi: np.ndarray, rates: np.ndarray) -> _Fields:
    """The integrals of a body against the interface by which it hangs: with the place p of that in the frame, its
    velocity D ξ̇ and spin w = Σ w_k ξ̇_k there, and what is left of their rates, p̈ and ẇ,

        φ_k ← φ_k − w_k × (ρ − p) − D_k,    λ ← λ − p̈ − ẇ × (ρ − p) − 2 w × (Σ φ ξ̇ − D ξ̇) + w × (w × (ρ − p))
    """
    p, D, W, pdd, wd = (A @ x for x in hung.moving(xi, rates))
    w, pd = W @ rates, D @ rates
    # shapes φ + b × ρ + c
    b, c = -W.T, np.cross(W.T, p) - D.T
    turns = tilde(b)
    of_rho = np.einsum("ab,pcb->pac", of.S, turns)  # ∫ρ (b × ρ)ᵀ
    with_rho = of.with_rho + of_rho + np.einsum("a,pb->pab", of.s, c)
    turned = np.cross(b, of.s)
    each = np.einsum("qba,pcb->qpac", of.with_rho, turns)  # ∫φ_q (b_p × ρ)ᵀ
    each = each + np.swapaxes(np.swapaxes(each, 0, 1), -1, -2)
    each += of.each + np.einsum("qab,pbc->qpac", turns, of_rho)
    given = of.sigma + turned
    each += np.einsum("qa,pb->qpab", given, c) + np.einsum("qa,pb->qpab", c, given) + m * np.einsum("qa,pb->qpab", c, c)
    # λ = … + a₀ + B ρ − 2 w × Σ φ ξ̇
    spin = tilde(w)
    B = spin @ spin - tilde(wd)
    a0 = -pdd - B @ p + 2.0 * np.cross(w, pd)
    flow = np.einsum("p,pab->ab", rates, of.with_rho)  # ∫ρ ξ̇ᵀφᵀ
    left = of.left + m * a0 + B @ of.s - 2.0 * np.cross(w, rates @ of.sigma)
    left_rho = of.left_rho + np.outer(of.s, a0) + of.S @ B.T - 2.0 * flow @ spin.T
    left_each = of.left_each + of.sigma @ a0 + np.einsum("pab,ba->p", of.with_rho, B)
    left_each += -2.0 * np.einsum("a,q,qpa->p", w, rates, _axial(of.each))
    left_each = left_each + np.einsum("pa,a->p", b, _axial(left_rho)) + c @ left
    sigma = given + m * c
    return _Fields(of.s, of.S, sigma, with_rho, each, left, left_rho, left_each)


def _axial(B: np.ndarray) -> np.ndarray:
    """∫ F × G dm (…, 3) from ∫ F Gᵀ dm (…, 3, 3)."""
    parts = [B[..., 1, 2] - B[..., 2, 1], B[..., 2, 0] - B[..., 0, 2], B[..., 0, 1] - B[..., 1, 0]]
    return np.stack(parts, axis=-1)


def _across(B: np.ndarray) -> np.ndarray:
    """∫ (ρ·φ 1 − φ ρᵀ) dm (…, 3, 3) from ∫ ρ φᵀ dm (…, 3, 3)."""
    return np.trace(B, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - np.swapaxes(B, -1, -2)
