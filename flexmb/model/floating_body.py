"""A body with small deflections in a floating frame, as an element says it of itself to whoever derives its equations
anew.

In the body frame, which stands on a node, the body has the field s = Σ F s_F with functions F = (1, x, b_k), k < n, of
the place along it, and sections that turn with it:

    s_1 = 0,   s_x = e_x,   s_bk = (0, y_k, z_k),      s' = (Σ b_k' y_k, Σ b_k' z_k),   φ = Σ τ_k t_k

so that a section has the axes E Rz(Σ b_k' y_k) Ry(−Σ b_k' z_k) Rx(φ); in the plane the y_k alone. Its coordinates are
those of the node, then y, z and t. Strains cost a stiffness and a damping for each amplitude.
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
