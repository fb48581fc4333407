"""Flexible bodies in floating frames, as components say them of themselves to whoever derives their equations anew.

In its frame, which stands on a node, a body has the field s = X + Σ φ_k η_k + Σ χ_m ζ_m with ζ_m = ½ ηᵀ T^m η. With F₀
= X and F_k the shapes, φ first and χ behind them, its inertia consists of its mass and of

    c_F = ∫ F dm,    P_FG = ∫ F Gᵀ dm

and, where its sections turn, of what they add: the inertia I_s, the angular momentum Σ h_k η̇_k, and ½ η̇ᵀ E η̇ of
energy. A place on it, with the axes Λ₀ in the frame, moves and turns to

    p = X + Φ η + ½ ηᵀ T η,      exp(ψ̃) Λ₀,      ψ = Φʳ η + ½ ηᵀ Tʳ η

**With small deflections of a line.** The field is s = Σ F s_F with functions F = (1, x, b_k), k < n, of the place along
it, and sections that turn with it:

    s_1 = 0,   s_x = e_x,   s_bk = (0, y_k, z_k),      s' = (Σ b_k' y_k, Σ b_k' z_k),   φ = Σ τ_k t_k

so that a section has the axes E Rz(Σ b_k' y_k) Ry(−Σ b_k' z_k) Rx(φ); in the plane the y_k alone. Its amplitudes are y,
then z and t.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

NONE: np.ndarray = np.zeros(0)


class FlexiblePlace(NamedTuple):
    """A place on a flexible body of n modes: `position` X (3,) [m]; `axes` (4,), the quaternion of Λ₀; `translation`
    and `rotation` (3, n), Φ and Φʳ; `translation2` and `rotation2` (3, n, n), T and Tʳ."""

    position: np.ndarray
    axes: np.ndarray
    translation: np.ndarray
    rotation: np.ndarray
    translation2: np.ndarray
    rotation2: np.ndarray


class Line(NamedTuple):
    """Small deflections of a line: in how many `planes` it bends, by how many functions of `bending` in each, and how
    many of `torsion`."""

    planes: int
    bending: int
    torsion: int

    def place(self, x: float, b: np.ndarray, slope: np.ndarray, tau: np.ndarray = NONE) -> FlexiblePlace:
        """The place at x where the functions have the values b, b' (n,) and τ."""
        n, count = self.bending, self.planes * self.bending + self.torsion
        translation, rotation = np.zeros((2, 3, count))
        for plane, sign in zip(range(self.planes), (1.0, -1.0)):
            own = slice(plane * n, plane * n + n)
            translation[1 + plane, own], rotation[2 - plane, own] = b, sign * slope
        rotation[0, self.planes * n :] = tau
        # log(Rz(c) Ry(b) Rx(a)) = (a, b, c) + ½ (−c b, c a, −b a) + third order
        halves = [(sign, np.outer(rotation[i], rotation[j])) for i, j, sign in ((2, 1, -1), (2, 0, 1), (1, 0, -1))]
        second = np.array([0.5 * sign * (half + half.T) for sign, half in halves])
        at = np.array([x, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0])
        return FlexiblePlace(*at, translation, rotation, np.zeros((3, count, count)), second)


class FlexibleBody(NamedTuple):
    """A body with modes: the `turn` (4,), a quaternion, from the axes of its node to its frame; `mass` [kg]; `first`
    (many, 3), c_F; `products` (many, many, 3, 3), P_FG; `slaves` (n_s, n, n), T^m; `stiffness` and `damping` (n,); of
    its sections the inertia `sections` (3, 3), `momenta` (n, 3), h_k, and `rotary` (n, n), E.

    `place` gives the place on it whose data for the component's kernel `point` are the given ones. `line`: it has small
    deflections of a line, of which formulas can be made."""

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
    place: Callable[[np.ndarray], FlexiblePlace]
    line: Line | None = None

    @property
    def modes(self) -> int:
        """Number n of modes."""
        return len(self.stiffness)

    @property
    def field(self) -> str:
        """How places depend on the modes: 'rigid' if there are none, 'linear', or 'quadratic' with slave shapes."""
        return "rigid" if not self.modes else "quadratic" if len(self.slaves) else "linear"

    @staticmethod
    def along_line(
        turn: np.ndarray,
        line: Line,
        mass: np.ndarray,
        sections: np.ndarray,
        momenta: np.ndarray,
        slopes: np.ndarray,
        twists: np.ndarray,
        stiffness: np.ndarray,
        damping: np.ndarray,
        place: Callable[[np.ndarray], FlexiblePlace],
    ) -> FlexibleBody:
        """The body with small deflections of a line with `mass` (2 + n, 2 + n), ρA ∫F G dx; `sections` (3,), the
        moments of inertia of all sections about their own axes, ρI L; `momenta` (planes n + τ,), what unit rates of the
        amplitudes add to these sections' angular momentum: ρIz ∫b' dx about z, −ρIy ∫b' dx about y, ρIp ∫τ dx about x;
        `slopes` (planes, n, n), ρI ∫b'b' dx, and `twists` (τ,), ρIp ∫τ² dx."""
        n, count, axis = line.bending, len(stiffness), np.eye(3)
        # F is function `number` of (1, x, b_k) along a direction; twists have none
        number = [1, *list(range(2, 2 + n)) * line.planes]
        along = np.array([axis[0], *(axis[1 + plane] for plane in range(line.planes) for _ in range(n))])
        moving = len(number)
        first, products = np.zeros((1 + count, 3)), np.zeros((1 + count, 1 + count, 3, 3))
        first[:moving] = mass[0, number][:, None] * along
        pairs = mass[np.ix_(number, number)]
        products[:moving, :moving] = pairs[..., None, None] * (along[:, None, :, None] * along[None, :, None, :])
        rotary, turning = np.zeros((count, count)), np.zeros((count, 3))
        for plane in range(line.planes):
            own = slice(plane * n, plane * n + n)
            rotary[own, own] = slopes[plane]
            turning[own, 2 - plane] = momenta[own]
        twisting = range(line.planes * n, count)
        rotary[twisting, twisting] = twists
        turning[twisting, 0] = momenta[line.planes * n :]

        none, I = np.zeros((0, count, count)), np.diag(sections)
        return FlexibleBody(
            turn, float(mass[0, 0]), first, products, none, stiffness, damping, I, turning, rotary, place, line
        )
