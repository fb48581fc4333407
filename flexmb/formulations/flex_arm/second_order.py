r"""Work of inertia on displacements of second order, K_st = Σ m (∂²r/∂y_s ∂y_t)ᵀ (r̈ − g), which FLEX-ARM leaves out.

Its r is linear in the coordinates. Where a coordinate has a stiffness of its own the difference is small; a deviation
of a joint has none. y are the deviations of joints and the amplitudes η of all modes, each with the frame held at which
its link begins: coordinates of the whole nonlinear arm. What an earlier one of them turns, by ω_s, turns all that a
later one moves, so that ∂²r = ω_s × ∂r/∂y_t and

    K_st = ω_s · μ_t,    μ_t = Σ m ∂r/∂y_t × (r̈ − g)

for a joint and for all pairs of different links. Within one link u = exp(−ψ̃)(X − X_b + (φ − Φ) η + …) seen from the
frame b, at which it begins, is expanded to second order, with slave shapes and the second order of interfaces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.formulations.flex_arm.chain import GROUND, Chain
from flexmb.formulations.flex_arm.links import ArmBody, LinkFrame, axial, tilde
from flexmb.formulations.flex_arm.motion import ArmMotion


class Second(NamedTuple):
    """Second derivatives of a link by its amplitudes, seen from the frame at which it begins: ∫ ∂²u dm (n, n, 3) and
    ∫ ∂²u Xᵀ dm (n, n, 3, 3)."""

    field: np.ndarray
    with_place: np.ndarray


def _both(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """ã_s b̃_t + ã_t b̃_s (n, n, 3, 3) of rotations (n, 3, 3)."""
    products = np.einsum("sij,tjk->stik", a, b)
    return products + products.transpose(1, 0, 2, 3)


def _turning(frame: LinkFrame) -> np.ndarray:
    """∂²exp(ψ̃) (n, n, 3, 3) of a frame."""
    psi = tilde(frame.rotation.T)
    return 0.5 * _both(psi, psi) + tilde(np.moveaxis(frame.rotation2, 0, -1))


def _turning_back(frame: LinkFrame) -> np.ndarray:
    """∂²exp(−ψ̃) (n, n, 3, 3) of a frame."""
    psi = tilde(frame.rotation.T)
    return 0.5 * _both(psi, psi) - tilde(np.moveaxis(frame.rotation2, 0, -1))


def _seen(turn: np.ndarray, psi: np.ndarray, d0: np.ndarray, d1: np.ndarray, d2: np.ndarray) -> np.ndarray:
    """∂²(exp(−ψ̃) d) for any sums of d: d0 (3, …), d1 (n, 3, …) and d2 (n, n, 3, …)."""
    mixed = np.einsum("sij,tj...->sti...", psi, d1)
    return np.einsum("stij,j...->sti...", turn, d0) - mixed - np.swapaxes(mixed, 0, 1) + d2


def of_link(link: ArmBody) -> Second:
    """The second derivatives of the field of a link."""
    n, b = link.n, link.inner
    c, P = link.first, link.products[:, 0]
    psi, turn = tilde(b.rotation.T), _turning_back(b)
    shift, shift2 = b.translation.T, np.moveaxis(b.translation2, 0, -1)
    slaves = [np.tensordot(link.slaves, x[1 + n :], (0, 0)) for x in (c, P)]
    field = _seen(
        turn, psi, c[0] - link.mass * b.position, c[1 : 1 + n] - link.mass * shift, slaves[0] - link.mass * shift2
    )
    with_place = _seen(
        turn, psi, P[0] - np.outer(b.position, c[0]), P[1 : 1 + n] - shift[:, :, None] * c[0],
        slaves[1] - shift2[..., None] * c[0],
    )  # fmt: skip
    return Second(field, with_place)


def of_frame(link: ArmBody, f: LinkFrame) -> tuple[np.ndarray, np.ndarray]:
    """The second derivatives of a frame of a link, seen from that at which the link begins: of its place (n, n, 3) and
    of its rotation (n, n, 3, 3)."""
    b = link.inner
    psi, end = tilde(b.rotation.T), tilde(f.rotation.T)
    place = _seen(
        _turning_back(b), psi, f.position - b.position, (f.translation - b.translation).T,
        np.moveaxis(f.translation2 - b.translation2, 0, -1),
    )  # fmt: skip
    return place, _turning_back(b) + _turning(f) - _both(psi, end)


class SecondOrder:
    """The matrix K_st on the deviations of joints and the amplitudes of an arm."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        #: columns of y: of each link its joint, −1 without one, and its amplitudes
        self.joint: list[int] = []
        self.modes: list[slice] = []
        size = 0
        for link, joint in zip(chain.links, chain.joints, strict=True):
            self.joint.append(size if joint.free else -1)
            size += joint.free
            self.modes.append(slice(size, size + link.n))
            size += link.n
        self.size = size
        self._turned = [
            np.zeros((3, 0)) if j.parent == GROUND else (j.on_parent.rows @ chain.links[j.parent].held)[3:]
            for j in chain.joints
        ]
        self._of_link = [of_link(link) for link in chain.links]
        self._of_frame = [
            None if j.parent == GROUND else of_frame(chain.links[j.parent], j.on_parent) for j in chain.joints
        ]

    def deviations(self, motion: ArmMotion) -> np.ndarray:
        """y by the coordinates of the arm, (y, coordinates)."""
        rows = []
        for k, (link, at) in enumerate(zip(self.chain.links, motion.links, strict=True)):
            if k in motion.deviations:
                rows.append(motion.deviations[k].value[None])
            rows.append((link.A @ at.B.value)[6:])
        return np.vstack(rows)

    def matrix(self, motion: ArmMotion, gravity: np.ndarray) -> np.ndarray:
        """K_st at an instant."""
        links, joints = self.chain.links, self.chain.joints
        H = np.zeros((self.size, self.size))
        before = self._turns(motion)
        # of all that a link carries, from the last one on: Σ m a and Σ m a ρᵀ about the frame at which it begins, in
        # axes of the ground
        forces, moments = [np.zeros(3) for _ in links], [np.zeros((3, 3)) for _ in links]
        for k in reversed(range(len(links))):
            link, joint, at = links[k], joints[k], motion.links[k]
            R, W = at.R.value, at.R.value.T @ at.R.second
            a0 = R.T @ (at.o.second - gravity)
            c, P = link.first[0], link.products[0, 0]
            own = R @ (link.mass * a0 + W @ c)
            about = R @ (np.outer(a0, c) + W @ P) @ R.T
            forces[k] += own
            moments[k] += about - np.outer(own, R @ joint.on_link.position)
            s, fields = self.modes[k], link.held
            sigma, _, X = link.moments
            Y = np.einsum("si,sn,j->nij", sigma, fields, a0) + np.einsum("sij,sn,kj->nik", X, fields, W)
            mu = axial(Y) @ R.T
            second = self._of_link[k]
            H[s, s] += second.field @ a0 + np.einsum("stij,ij->st", second.with_place, W)
            for child, of in enumerate(joints):
                if of.parent != k:
                    continue
                F, D = forces[child], moments[child]
                rows = of.on_parent.rows @ fields
                v, w = R @ rows[:3], R @ rows[3:]
                mu += np.cross(v.T, F) + (D.T @ w - np.trace(D) * w).T
                place, turn = self._of_frame[child]  # type: ignore[misc]
                H[s, s] += place @ (R.T @ F) + np.einsum("stij,ij->st", turn, R.T @ D @ R)
                arm = R @ (of.on_parent.position - joint.on_link.position)
                forces[k] += F
                moments[k] += D + np.outer(F, arm)
            across = before[k].T @ mu.T
            H[:, s] += across
            H[s, :] += across.T
            if joint.free:
                j, e = self.joint[k], R @ joint.own_axis
                bend = moments[k].T @ e - np.trace(moments[k]) * e
                earlier = before[k].copy()
                earlier[:, j] = 0.0
                H[:, j] += earlier.T @ bend
                H[j, :] += earlier.T @ bend
                H[j, j] += e @ bend
        return H

    def _turns(self, motion: ArmMotion) -> list[np.ndarray]:
        """How the frame at which each link begins turns by y, (3, y) in axes of the ground, its joint included."""
        found: list[np.ndarray] = []
        for k, (joint, at) in enumerate(zip(self.chain.joints, motion.links, strict=True)):
            turns = np.zeros((3, self.size))
            if joint.parent != GROUND:
                turns += found[joint.parent]
                turns[:, self.modes[joint.parent]] += motion.links[joint.parent].R.value @ self._turned[k]
            if joint.free:
                turns[:, self.joint[k]] += at.R.value @ joint.own_axis
            found.append(turns)
        return found
