"""Flexible bodies in floating frames, as elements say them of themselves to whoever derives their equations anew.

**With small deflections.** In the body frame, which stands on a node, the body has the field s = Σ F s_F with functions
F = (1, x, b_k), k < n, of the place along it, and sections that turn with it:

    s_1 = 0,   s_x = e_x,   s_bk = (0, y_k, z_k),      s' = (Σ b_k' y_k, Σ b_k' z_k),   φ = Σ τ_k t_k

so that a section has the axes E Rz(Σ b_k' y_k) Ry(−Σ b_k' z_k) Rx(φ); in the plane the y_k alone. Its coordinates are
those of the node, then y, z and t. Strains cost a stiffness and a damping for each amplitude.

**With modes, by mass products.** In its frame, which stands on a node, the body has the field s = X + Σ φ_k η_k + Σ χ_m
ζ_m with ζ_m = ½ ηᵀ T^m η. With F₀ = X and F_k the shapes, φ first and χ behind them, its inertia consists of its mass
and of

    c_F = ∫ F dm,    P_FG = ∫ F Gᵀ dm

and, where its sections turn, of what they add: the inertia I_s, the angular momentum Σ h_k η̇_k, and ½ η̇ᵀ E η̇ of
energy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class FloatingBody(NamedTuple):
    """Such a body: the turn (4,), a quaternion, from the axes of its node to the body frame; in how many `planes` it
    bends; `mass` (2 + n, 2 + n), ρA ∫F G dx; `sections` (3,), the moments of inertia of all sections about their own
    axes, ρI L; `momenta` (planes n + τ,), what unit rates of the amplitudes add to these sections' angular momentum:
    ρIz ∫b' dx about z, −ρIy ∫b' dx about y, ρIp ∫τ dx about x; `slopes` (planes, n, n), ρI ∫b'b' dx, and `twists` (τ,),
    ρIp ∫τ² dx; `stiffness` and `damping` (planes n + τ,) of the amplitudes."""

    turn: np.ndarray
    planes: int
    mass: np.ndarray
    sections: np.ndarray
    momenta: np.ndarray
    slopes: np.ndarray
    twists: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray

    @property
    def bending(self) -> int:
        """Number n of functions of bending."""
        return len(self.mass) - 2


class FloatingPlace(NamedTuple):
    """A place on such a body: x, and b, b' (n,) and τ there."""

    x: float
    shapes: np.ndarray
    slopes: np.ndarray
    twists: np.ndarray

    @staticmethod
    def of(body: FloatingBody, data: np.ndarray) -> FloatingPlace:
        """The place whose data for the kernel `point` begin with x, b, b' and τ."""
        n = body.bending
        first, second, third, end = np.cumsum([1, n, n, len(body.twists)]).tolist()
        return FloatingPlace(float(data[0]), data[first:second], data[second:third], data[third:end])


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
