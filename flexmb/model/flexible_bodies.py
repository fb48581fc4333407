"""Flexible bodies in floating frames, as components say them of themselves to whoever derives their equations anew.

In its frame, which stands on a node, a body has the field s = X + Σ φ_k η_k + Σ χ_m ζ_m with ζ_m = ½ ηᵀ T^m η. With F₀
= X and F_k the shapes, φ first and χ behind them, its inertia consists of its mass and of

    c_F = ∫ F dm,    P_FG = ∫ F Gᵀ dm

A place on it, with the axes Λ₀ in the frame, moves and turns to

    p = X + Φ η + ½ ηᵀ T η,      exp(ψ̃) Λ₀,      ψ = Φʳ η + ½ ηᵀ Tʳ η

**With small deflections of a line.** Its points have functions b_k, k < n, of the place along it across in each plane,
and its sections turn with it by their slopes, and twist by τ_j, so that a point (y, z) of a section is at

    s = (x, Σ b_k y_k, Σ b_k z_k) + y (e_y − Σ b_k' y_k e_x + Σ τ_j t_j e_z) + z (e_z − Σ b_k' z_k e_x − Σ τ_j t_j e_y)

Each of these three parts is a sum of functions (1, x, b) or (1, b', τ) along the line with vectors that are linear in
the amplitudes y, then z and t; about principal axes each has products of its own, ρA ∫F G dx, ρI_z ∫F G dx and
ρI_y ∫F G dx. The section has the axes E Rz(Σ b_k' y_k) Ry(−Σ b_k' z_k) Rx(Σ τ_j t_j); in the plane the y_k alone, with
sections that have no inertia.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

NONE: np.ndarray = np.zeros(0)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
BACK, DOWN = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)


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

    @property
    def modes(self) -> int:
        """Number of amplitudes."""
        return self.planes * self.bending + self.torsion

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Number of functions of each of the three parts."""
        sections = 1 + self.bending + self.torsion
        return 2 + self.bending, sections, sections

    @property
    def parts(self) -> list[list[tuple[int, int, tuple[float, float, float]]]]:
        """Vectors of each of the three parts: the number of the amplitude, counted from 1, or 0 for that of the
        undeformed body; the number of its function; and the vector."""
        n, bends, twists = self.bending, range(self.bending), range(self.torsion)
        first = 1 + self.planes * n
        middle = [(0, 1, X), *((1 + k, 2 + k, Y) for k in bends)]
        middle += [(1 + n + k, 2 + k, Z) for k in bends if self.planes > 1]
        along_y = [(0, 0, Y), *((1 + k, 1 + k, BACK) for k in bends), *((first + j, 1 + n + j, Z) for j in twists)]
        along_z = [(0, 0, Z), *((1 + n + k, 1 + k, BACK) for k in bends if self.planes > 1)]
        return [middle, along_y, along_z + [(first + j, 1 + n + j, DOWN) for j in twists]]

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
    (many, 3), c_F; `products` (many, many, 3, 3), P_FG; `slaves` (n_s, n, n), T^m; `stiffness` and `damping` (n,).

    `place` gives the place on it whose data for the component's kernel `point` are the given ones. `line`: it has small
    deflections of a line, of which formulas can be made."""

    turn: np.ndarray
    mass: float
    first: np.ndarray
    products: np.ndarray
    slaves: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
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
        products: list[np.ndarray],
        stiffness: np.ndarray,
        damping: np.ndarray,
        place: Callable[[np.ndarray], FlexiblePlace],
    ) -> FlexibleBody:
        """The body with small deflections of a line with the `products` of its three parts: of (1, x, b) as many
        numbers squared, and where sections have inertia of (1, b', τ) along y and along z."""
        many = 1 + line.modes
        P = np.zeros((many, many, 3, 3))
        for part, gram in zip(line.parts, products):
            for F, f, one in part:
                for G, g, other in part:
                    P[F, G] += gram[f, g] * np.outer(one, other)
        first = np.zeros((many, 3))
        for F, f, one in line.parts[0]:
            first[F] = products[0][0, f] * np.array(one)
        none = np.zeros((0, many - 1, many - 1))
        return FlexibleBody(
            turn, float(products[0][0, 0]), first, P, none, stiffness, damping, place, line
        )  # fmt: skip

    def products_along_line(self) -> list[np.ndarray]:
        """The products of the three parts, from those of the body."""
        assert self.line is not None
        found = []
        for part, size in zip(self.line.parts, self.line.sizes):
            gram = np.zeros((size, size))
            for F, f, one in part:
                for G, g, other in part:
                    gram[f, g] = np.array(one) @ self.products[F, G] @ other
            found.append(gram)
        found[0][0, 0] = self.mass
        for F, f, one in self.line.parts[0]:
            found[0][0, f] = found[0][f, 0] = self.first[F] @ one
        return found
