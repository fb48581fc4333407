"""A body with modes in a floating frame by its mass products, as an element says it of itself to whoever derives its
equations anew.

In its frame, which stands on a node, the body has the field s = X + Σ φ_k η_k + Σ χ_m ζ_m with ζ_m = ½ ηᵀ T^m η. With
F₀ = X and F_k the shapes, φ first and χ behind them, its inertia consists of its mass and of

    c_F = ∫ F dm,    P_FG = ∫ F Gᵀ dm

and, where its sections turn, of what they add: the inertia I_s, the angular momentum Σ h_k η̇_k, and ½ η̇ᵀ E η̇ of energy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.model.floating_body import FloatingBody


class ModalProducts(NamedTuple):
    """Such a body: the turn (4,), a quaternion, from the axes of its node to its frame; `mass`; `first` (many, 3), c_F;
    `products` (many, many, 3, 3), P_FG; `slaves` (n_s, n, n), T^m; `stiffness` and `damping` (n,); of its sections the
    inertia `sections` (3, 3), `momenta` (n, 3), h_k, and `rotary` (n, n), E."""

    turn: np.ndarray
    mass: float
    first: np.ndarray
    products: np.ndarray
    slaves: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    sections: np.ndarray
    momenta: np.ndarray
    rotary: np.ndarray

    @property
    def modes(self) -> int:
        """Number n of modes."""
        return len(self.stiffness)

    @staticmethod
    def of_floating(body: FloatingBody) -> ModalProducts:
        """A body with small deflections in space: shapes b_k e_y, b_k e_z, and twists without displacement."""
        n, count = body.bending, len(body.stiffness)
        many, axis = 1 + count, np.eye(3)
        # F is function `number` of (1, x, b_k) along a direction; twists have none
        number = [1, *range(2, 2 + n), *range(2, 2 + n)]
        along = np.array([axis[0], *[axis[1]] * n, *[axis[2]] * n])
        moving = len(number)
        first, products = np.zeros((many, 3)), np.zeros((many, many, 3, 3))
        first[:moving] = body.mass[0, number][:, None] * along
        pairs = body.mass[np.ix_(number, number)]
        products[:moving, :moving] = pairs[..., None, None] * (along[:, None, :, None] * along[None, :, None, :])
        rotary, momenta = np.zeros((count, count)), np.zeros((count, 3))
        for plane in range(2):
            own = slice(plane * n, plane * n + n)
            rotary[own, own] = body.slopes[plane]
            momenta[own, 2 - plane] = body.momenta[own]
        rotary[range(2 * n, count), range(2 * n, count)] = body.twists
        momenta[2 * n :, 0] = body.momenta[2 * n :]
        return ModalProducts(
            np.asarray(body.turn), float(body.mass[0, 0]), first, products, np.zeros((0, count, count)),
            body.stiffness, body.damping, np.diag(body.sections), momenta, rotary,
        )  # fmt: skip
