"""Shapes of CMS beam elements of the plane and of space, and the constants that follow from them."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache

import numpy as np
from numpy.polynomial.legendre import leggauss, legvander

from flexmb.elements.beam_modes import clamped_clamped, clamped_clamped_values

#: axial fields of an element
FIELDS = ("chord", "mean", "second_order")


class ElementShapes:
    """Shape functions of an element of length L, and the Gauss points that integrate all their products.

    A row of values is (x, η, Φx (m), b (g), b' (g), H (g, g)) with g = 2 + number of bending modes.
    """

    def __init__(self, length: float, axial: int, bending: int, field: str) -> None:
        self.length, self.axial, self.bending, self.field = length, axial, bending, field
        self.S_end = self._stretch(np.ones(1))[0]
        eta, weights = _quadrature(axial, bending, field)
        self.x, self.weights = length * eta, length * weights

    def at(self, eta: np.ndarray) -> np.ndarray:
        """Rows of values (n, width) at the places η (n,)."""
        b, slope = self._bending(eta)
        if self.field == "second_order":
            H = eta[:, None, None] * self.S_end - self._stretch(eta)
        else:
            H = np.zeros((len(eta), b.shape[1], b.shape[1]))
        sines = np.sin(np.outer(eta, np.arange(1, self.axial + 1) * math.pi))
        return np.column_stack([eta * self.length, eta, sines, b, slope, H.reshape(len(eta), -1)])

    def _bending(self, eta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Deflection and slope dw/dx of static and dynamic bending modes, (n, g) each."""
        L = self.length
        b = [L * (eta - 2 * eta**2 + eta**3), L * (-(eta**2) + eta**3)]
        slope = [1 - 4 * eta + 3 * eta**2, -2 * eta + 3 * eta**2]
        for k in range(1, self.bending + 1):
            shape, shape1, _ = clamped_clamped(k, eta)
            b.append(shape)
            slope.append(shape1 / L)
        return np.column_stack(b), np.column_stack(slope)

    @cached_property
    def slopes(self) -> np.ndarray:
        """Slopes against the chord, dw/dx of the bending shapes (9, g), at places along the element."""
        return self._bending(np.linspace(0.0, 1.0, 9))[1]

    def strains(self, eta: np.ndarray) -> np.ndarray:
        """Rows (n, m + g) of dΦx/dx and b'' = d²b/dx², of which axial strain and curvature are made."""
        L = self.length
        numbers = np.arange(1, self.axial + 1) * math.pi
        bends = [(6 * eta - 4) / L, (6 * eta - 2) / L]
        bends += [clamped_clamped(k, eta)[2] / L**2 for k in range(1, self.bending + 1)]
        return np.column_stack([np.cos(np.outer(eta, numbers)) * numbers / L, *bends])

    def _stretch(self, eta: np.ndarray) -> np.ndarray:
        """S(x) = ∫₀ˣ b'b'ᵀ dx at the places η (n,); (n, g, g)."""
        nodes, weights = gauss(20 + 8 * self.bending)
        _, slope = self._bending(np.outer(eta, nodes).ravel())
        slope = slope.reshape(len(eta), len(nodes), -1)
        return np.einsum("n,p,npi,npj->nij", self.length * eta, weights, slope, slope, optimize=True)

    def functions(self, eta: np.ndarray) -> np.ndarray:
        """The functions of which local positions are sums, (n, 1 + m + pairs + g + 1): 1; η, Φx, H_ij for i ≤ j; b."""
        values = self.at(eta)
        g = 2 + self.bending
        at_b, at_H = 2 + self.axial, 2 + self.axial + 2 * g
        pairs = [at_H + i * g + j for i in range(g) for j in range(i, g)] if self.field == "second_order" else []
        return np.column_stack([np.ones(len(eta)), values[:, [*range(1, at_b), *pairs, *range(at_b, at_b + g)]]])

    @cached_property
    def axial_factors(self) -> np.ndarray:
        """(k π)² of the axial modes k = 1, 2, …, by which their stiffnesses differ."""
        return np.asarray((np.arange(1, self.axial + 1) * math.pi) ** 2)

    @cached_property
    def bending_factors(self) -> np.ndarray:
        """λ⁴ of the bending modes with the characteristic values λ, by which their stiffnesses differ."""
        return np.asarray(clamped_clamped_values(self.bending) ** 4)

    @cached_property
    def gram(self) -> np.ndarray:
        """Integrals over the length of the products of all functions: the shape integrals, to round-off."""
        return self.products(self.x / self.length, self.weights)

    def products(self, eta: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Integrals of the products of all functions, by the points `eta` and `weights` of a quadrature."""
        values = self.functions(eta)
        return np.einsum("p,pi,pj->ij", weights, values, values)


def bubbles(count: int, eta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shapes τ_k of torsion between the nodes and their derivatives by η, (n, count) each, at places η (n,).

        τ_k = ⅔ (P_{k−1} − P_{k+1})(2η − 1),   dτ_k/dη = −4/3 (2k + 1) P_k,   τ₁ = 4η (1 − η)

    With Legendre's polynomials P_k their derivatives are orthogonal, so the stiffness of torsion is diagonal, and no
    matrix becomes ill-conditioned. A constant torque along the element, and a constant product of curvatures of both
    planes, twist it by a parabola, which is τ₁; a series of sines would approach it only by 1/k².
    """
    P = legvander(2.0 * eta - 1.0, count + 1)
    k = np.arange(1, count + 1)
    return 2.0 / 3.0 * (P[:, k - 1] - P[:, k + 1]), -4.0 / 3.0 * (2 * k + 1) * P[:, k]


def bubble_factors(count: int) -> np.ndarray:
    """∫₀¹ (dτ_k/dη)² dη of :func:`bubbles`, by which their stiffnesses differ."""
    return np.asarray(16.0 / 9.0 * (2.0 * np.arange(1, count + 1) + 1.0))


@lru_cache(maxsize=64)
def element_shapes(length: float, axial: int, bending: int, field: str) -> ElementShapes:
    """The shapes of an element. They are cached, since a beam has equal elements, and a study has similar models."""
    return ElementShapes(length, axial, bending, field)


@lru_cache(maxsize=64)
def _quadrature(axial: int, bending: int, field: str) -> tuple[np.ndarray, np.ndarray]:
    """The fewest Gauss points on [0, 1] that integrate all products of shapes to round-off."""
    unit = ElementShapes.__new__(ElementShapes)
    unit.length, unit.axial, unit.bending, unit.field = 1.0, axial, bending, field
    unit.S_end = unit._stretch(np.ones(1))[0]
    exact = unit.products(*gauss(40 + 8 * (axial + bending)))
    size = np.sqrt(np.abs(np.diag(exact)))
    size[size == 0] = 1.0
    count = 4
    while np.max(np.abs(unit.products(*gauss(count)) - exact) / np.outer(size, size)) > 1e-12:
        count += 1
    return gauss(count)


@lru_cache(maxsize=128)
def gauss(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss' quadrature on [0, 1]."""
    nodes, weights = leggauss(count)
    return 0.5 * (nodes + 1.0), 0.5 * weights
