r"""The links of an arm: their mass, stiffness and frames as constants, in axes of the link.

A link moves from its nominal place by x = (δ, ψ, η), a small shift and turn of its axes and the amplitudes of its
modes: its particles by u = δ + ψ × X + Σ φ_k η_k, its frames by w = δ + ψ × X_f + Φ η and ϑ = ψ + Φʳ η. With the six
displacements of the frame at which it begins, and coordinates of its own, x = A α. These are after Hurty, eq. (2.9.13)
of the survey of Ohkami et al. (1985), the six displacements of the frame where the next link begins and the amplitudes
η of its modes with both held,

    x = [static modes | held modes] (α₁ … α₁₂, η)

where the modes of the link can move both frames, and the amplitudes of its modes, with the first frame held, where not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import eigh, null_space

#: displacements of two frames are independent if the smallest singular value is above this part of the largest
INDEPENDENT = 1e-9


def tilde(v: np.ndarray) -> np.ndarray:
    """The matrices (…, 3, 3) of cross products with vectors (…, 3)."""
    x, y, z = np.moveaxis(np.asarray(v, dtype=float), -1, 0)
    zero = np.zeros_like(x)
    return np.stack([np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1), np.stack([-y, x, zero], -1)], -2)


def axial(Y: np.ndarray) -> np.ndarray:
    """Σ ρ × a (…, 3) of the sums Y = Σ ρ aᵀ (…, 3, 3)."""
    return np.stack([Y[..., 1, 2] - Y[..., 2, 1], Y[..., 2, 0] - Y[..., 0, 2], Y[..., 0, 1] - Y[..., 1, 0]], -1)


@dataclass(frozen=True)
class LinkFrame:
    """A frame on a link: `position` (3,) and `axes` (3, 3) in the undeformed link; `translation` Φ and `rotation` Φʳ
    (3, n), `translation2` and `rotation2` (3, n, n), the second derivatives of its place and rotation vector."""

    position: np.ndarray
    axes: np.ndarray
    translation: np.ndarray
    rotation: np.ndarray
    translation2: np.ndarray
    rotation2: np.ndarray

    @classmethod
    def rigid(cls, position: np.ndarray, axes: np.ndarray, modes: int = 0) -> LinkFrame:
        """A frame that modes do not move."""
        first, second = np.zeros((3, modes)), np.zeros((3, modes, modes))
        return cls(position, axes, first, first, second, second)

    def moved(self, arm: np.ndarray, axes: np.ndarray) -> LinkFrame:
        """The frame that is fastened to this one with an `arm` (3,) in axes of the undeformed link."""
        psi = tilde(self.rotation.T)  # (n, 3, 3)
        twice = np.einsum("sab,tbc->stac", psi, psi)
        turning = 0.5 * (twice + twice.transpose(1, 0, 2, 3)) + tilde(np.moveaxis(self.rotation2, 0, -1))
        return LinkFrame(
            self.position + arm, axes, self.translation + (psi @ arm).T, self.rotation,
            self.translation2 + np.moveaxis(turning @ arm, -1, 0), self.rotation2,
        )  # fmt: skip

    @cached_property
    def rows(self) -> np.ndarray:
        """The displacements (6, 6 + n) of the frame by x."""
        n = self.translation.shape[1]
        top = np.hstack([np.eye(3), -tilde(self.position), self.translation])
        return np.vstack([top, np.hstack([np.zeros((3, 3)), np.eye(3), self.rotation])]).reshape(6, 6 + n)


@dataclass
class ArmBody:
    """A link: its `name`, `mass`, c_F `first` (1 + n + n_s, 3) and P_FG `products` as of a
    :class:`flexmb.bodies.ReducedBody`, `stiffness` and `damping` (n,), `slaves` (n_s, n, n); its pose at the start,
    `axes` (3, 3) and `origin` (3,). `inner`: the frame at which it begins, `outer` the one whose displacements are
    coordinates, if any."""

    name: str
    mass: float
    first: np.ndarray
    products: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    slaves: np.ndarray
    axes: np.ndarray
    origin: np.ndarray
    inner: LinkFrame = field(init=False)
    outer: LinkFrame | None = None

    @property
    def n(self) -> int:
        """Number of its modes."""
        return len(self.stiffness)

    @cached_property
    def by_interfaces(self) -> bool:
        """Whether the displacements of its outer frame are coordinates."""
        if self.outer is None or self.n < 6:
            return False
        values = np.linalg.svd(self._ends[0], compute_uv=False)
        return bool(values[-1] > INDEPENDENT * values[0])

    @cached_property
    def _ends(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The displacements of both frames by x in units of their distance and of the columns, rows (12, 6 + n); what
        displacements (12,) and x (6 + n,) are multiplied by for that, so that small bodies are as others."""
        assert self.outer is not None
        rows = np.vstack([self.inner.rows, self.outer.rows])
        unit = np.ones(12)
        unit[[0, 1, 2, 6, 7, 8]] /= float(np.linalg.norm(self.outer.position - self.inner.position)) or 1.0
        rows *= unit[:, None]
        column = np.linalg.norm(rows, axis=0)
        column[column == 0.0] = 1.0
        return rows / column, unit, column

    @cached_property
    def own(self) -> list[str]:
        """The names of its own coordinates."""
        if not self.by_interfaces:
            return [f"{self.name}.mode {k + 1}" for k in range(self.n)]
        ends = [f"{self.name}.{what}" for what in ("x", "y", "z", "turn x", "turn y", "turn z")]
        return [*ends, *(f"{self.name}.mode {k + 1}" for k in range(self.n - 6))]

    @cached_property
    def held(self) -> np.ndarray:
        """x (6 + n, n) of the amplitudes of its modes, with the inner frame held."""
        rows = self.inner.rows
        return np.vstack([-np.linalg.solve(rows[:, :6], rows[:, 6:]), np.eye(self.n)])

    @cached_property
    def A(self) -> np.ndarray:
        """x = A α, (6 + n, 6 + n)."""
        if not self.by_interfaces:
            inner = np.linalg.solve(self.inner.rows[:, :6], np.eye(6))
            return np.hstack([np.vstack([inner, np.zeros((self.n, 6))]), self.held])
        (rows, unit, column), K = self._ends, self.structural
        static, still = np.linalg.pinv(rows) * unit / column[:, None], null_space(rows) / column[:, None]
        if still.shape[1]:
            static = static - still @ np.linalg.solve(still.T @ K @ still, still.T @ K @ static)
            M = np.einsum("stab->st", self.moments[1] * np.eye(3))
            still = still @ eigh(still.T @ K @ still, still.T @ M @ still)[1]
        return np.hstack([static, still])

    @cached_property
    def structural(self) -> np.ndarray:
        """The stiffness (6 + n, 6 + n) on x."""
        return np.diag(np.concatenate([np.zeros(6), self.stiffness]))

    @cached_property
    def moments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """∫ φ_α dm (N, 3), ∫ φ_α φ_βᵀ dm (N, N, 3, 3) and ∫ φ_α Xᵀ dm (N, 3, 3) of the fields φ_α of x."""
        n = self.n
        D, C = np.zeros((6 + n, 3)), np.zeros((6 + n, 1 + n, 3, 3))
        D[:3], C[3:6, 0] = np.eye(3), tilde(np.eye(3))
        C[np.arange(6, 6 + n), np.arange(1, 1 + n)] = np.eye(3)
        c, P = self.first[: 1 + n], self.products[: 1 + n, : 1 + n]
        b = np.einsum("sFij,Fj->si", C, c)
        both = np.einsum("sFij,FGjk,tGlk->stil", C, P, C, optimize=True)
        both += np.einsum("si,tj->stij", self.mass * D, D) + np.einsum("si,tj->stij", D, b)
        both += np.einsum("si,tj->stij", b, D)
        X = np.einsum("si,j->sij", D, c[0]) + np.einsum("sFij,Fjk->sik", C, P[:, 0])
        return self.mass * D + b, both, X

    @cached_property
    def by_alpha(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The moments of the fields of α, its stiffness and its damping: σ, J, J₀, k, d."""
        A, (sigma, J, X) = self.A, self.moments
        d = np.diag(np.concatenate([np.zeros(6), self.damping]))
        fields = np.einsum("sa,stij,tb->abij", A, J, A, optimize=True)
        return A.T @ sigma, fields, np.einsum("sa,sij->aij", A, X), A.T @ self.structural @ A, A.T @ d @ A


def node_body(name: str, masses: Sequence[Any], axes: np.ndarray, origin: np.ndarray) -> ArmBody:
    """A rigid link of all masses on a node, which may be none; in the axes of the node."""
    mass, first, S = 0.0, np.zeros(3), np.zeros((3, 3))
    for part in masses:
        arm, J = np.asarray(part.arm()), part.node_tensor()
        mass, first = mass + part.mass, first + part.mass * arm
        S = S + 0.5 * np.trace(J) * np.eye(3) - J + part.mass * np.outer(arm, arm)
    none = np.zeros(0)
    return ArmBody(name, mass, first[None], S[None, None], none, none, np.zeros((0, 0, 0)), axes, origin)


def modal_link(body: Any, axes: np.ndarray, origin: np.ndarray) -> tuple[ArmBody, dict[str, LinkFrame]]:
    """A link that is a modal body, in the axes in which its mesh was given, and its interfaces; `axes` and `origin` of
    its reference frame."""
    reduced = body.shown_body()
    Q = np.asarray(reduced.orientation)

    def turned(x: np.ndarray) -> np.ndarray:
        return np.tensordot(Q, x, 1)

    interfaces = {
        name: LinkFrame(turned(i.position), Q @ i.orientation, *map(turned, (
            i.translation, i.rotation, i.translation2, i.rotation2)))
        for name, i in reduced.interfaces.items()
    }  # fmt: skip
    products = np.einsum("ai,FGij,bj->FGab", Q, reduced.products, Q, optimize=True)
    link = ArmBody(
        body.name, reduced.mass, reduced.first @ Q.T, products, np.array(reduced.stiffness), body.damping_of_modes(),
        np.array(reduced.slaves), axes @ Q.T, origin,
    )  # fmt: skip
    return link, interfaces
