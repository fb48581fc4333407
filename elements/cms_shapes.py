"""Shapes of CMS beam elements of the plane and of space, and the constants that follow from them."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss, legvander

from flexmb.elements.beam_modes import clamped_clamped, clamped_clamped_derivatives, clamped_clamped_values

#: axial fields of an element
FIELDS = ("chord", "mean", "second_order")


#: the sum over Gauss points of products of shapes
SUM = "n,p,npi,npj->nij"


class Bending(NamedTuple):
    """Values of the bending shapes at n places, (n, g) each: the deflection w [m], its slope dw/dx, the turn ψ of the
    sections against the chord, its derivatives dψ/dx and d²ψ/dx²."""

    deflection: np.ndarray
    slope: np.ndarray
    turn: np.ndarray
    bend: np.ndarray
    change: np.ndarray


class ElementShapes:
    """Shape functions of an element of length L, and the Gauss points that integrate all their products.

    A row of values is (x, η, Φx (m), b (g), ψ (g), H (g, g)) with g = 2 + number of bending modes. With `shear` =
    EI/(GA L²), the flexibility of shear against that of bending, they are those of Timoshenko (1921), condensed
    statically: a moment M = EI ψ' goes with the shear force −M', so w' = ψ − (EI/GA) ψ''. With η and primes for d/dη,
    s = `shear` and W of the beam without shear,

        ends    ψ = 1 − (1 + β) η + β η²,   ψ = (1 − β) η + β η²,    β = 3/(1 + 12 s)
        modes   L ψ = W' + κ (η² − η),      κ = −6 s (W''(1) − W''(0))/(1 + 12 s)
        both    w = L ∫ ψ dη − s L (ψ' − ψ'(0))

    so that neither the turns nor the deflections of modes move the nodes; the stiffness does not couple ends and modes.
    It does couple the modes W, so their combinations are taken that ∫ w² dx and the stiffness leave uncoupled. The
    sections shorten the axis as in the beam of Reissner (1972), S(x) = ∫₀ˣ (w'w'ᵀ − γγᵀ) dx with the shear strain
    γ = w' − ψ.
    """

    def __init__(self, length: float, axial: int, bending: int, field: str, shear: float = 0.0) -> None:
        self.length, self.axial, self.bending, self.field, self.shear = length, axial, bending, field, shear
        self.S_end = self._stretch(np.ones(1))[0]
        eta, weights = _quadrature(axial, bending, field)
        self.x, self.weights = length * eta, length * weights

    def at(self, eta: np.ndarray) -> np.ndarray:
        """Rows of values (n, width) at the places η (n,)."""
        bent = self.bent(eta)
        return np.column_stack(
            [self.along(eta), bent.deflection, bent.turn, self.shortening(eta).reshape(len(eta), -1)]
        )

    def along(self, eta: np.ndarray) -> np.ndarray:
        """x, η and Φx (n, 2 + m) at the places η (n,)."""
        return np.column_stack([eta * self.length, eta, np.sin(np.outer(eta, np.arange(1, self.axial + 1) * math.pi))])

    def shortening(self, eta: np.ndarray) -> np.ndarray:
        """H (n, g, g) at the places η (n,)."""
        if self.field == "second_order":
            return np.asarray(eta[:, None, None] * self.S_end - self._stretch(eta))
        g = 2 + self.bending
        return np.zeros((len(eta), g, g))

    def bent(self, eta: np.ndarray) -> Bending:
        """Values of static and dynamic bending shapes at the places η (n,)."""
        L, s = self.length, self.shear
        curve = 3.0 / (1.0 + 12.0 * s)
        shapes = []
        for start, slope in ((1.0, -1.0 - curve), (0.0, 1.0 - curve)):
            w = (start - 2.0 * s * curve) * eta + slope / 2.0 * eta**2 + curve / 3.0 * eta**3
            turn = start + slope * eta + curve * eta**2
            bend, change = slope + 2.0 * curve * eta, np.full_like(eta, 2.0 * curve)
            shapes.append((L * w, turn, bend / L, change / L**2))
        ends, modes = zip(*shapes), _modes(self.bending, s, eta)
        w, turn, bend, change = (
            np.column_stack([*of_ends, x / L**k]) for k, (of_ends, x) in enumerate(zip(ends, modes))
        )
        return Bending(w, turn - s * L**2 * change if s else turn, turn, bend, change)

    @cached_property
    def slopes(self) -> np.ndarray:
        """Turns of the sections against the chord, of the bending shapes (9, g), at places along the element."""
        return self.bent(np.linspace(0.0, 1.0, 9)).turn

    def strains(self, eta: np.ndarray) -> np.ndarray:
        """Rows (n, m + 2 g) of dΦx/dx, dψ/dx and γ, of which axial strain, curvature and shear strain are made."""
        numbers, bent = np.arange(1, self.axial + 1) * math.pi, self.bent(eta)
        return np.column_stack([np.cos(np.outer(eta, numbers)) * numbers / self.length, bent.bend, self._gamma(bent)])

    def _gamma(self, bent: Bending) -> np.ndarray:
        """The shear strains γ = −(EI/GA) d²ψ/dx² (n, g)."""
        return -self.shear * self.length**2 * bent.change

    def _stretch(self, eta: np.ndarray) -> np.ndarray:
        """S(x) = ∫₀ˣ (w'w'ᵀ − γγᵀ) dx at the places η (n,); (n, g, g)."""
        nodes, weights = gauss(20 + 8 * self.bending)
        bent = self.bent(np.outer(eta, nodes).ravel())
        slope, turn = (x.reshape(len(eta), len(nodes), -1) for x in (bent.slope, bent.turn))
        first = slope if not self.shear else 2.0 * slope - turn  # w'w' − γγ is the symmetric part of (2w' − ψ) ψ
        S = np.einsum(SUM, self.length * eta, weights, first, turn, optimize=_order(len(eta), *turn.shape[1:]))
        return S if not self.shear else 0.5 * (S + S.transpose(0, 2, 1))

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
    def end_factors(self) -> tuple[float, float]:
        """Moments for a turn of the end where they act, and of the other one, in EI/L: 4 and 2 without shear."""
        whole = 1.0 + 12.0 * self.shear
        return (4.0 + 12.0 * self.shear) / whole, (2.0 - 12.0 * self.shear) / whole

    @cached_property
    def bending_factors(self) -> np.ndarray:
        """The stiffnesses of the bending modes in EI/L³: without shear λ⁴, with the characteristic values λ."""
        return _uncoupled(self.bending, self.shear)[0]

    @cached_property
    def gram(self) -> np.ndarray:
        """Integrals over the length of the products of all functions: the shape integrals, to round-off."""
        return self.products(self.x / self.length, self.weights)

    @cached_property
    def turning(self) -> np.ndarray:
        """∫ (1, ψ)(1, ψ)ᵀ dx (1 + g, 1 + g), the inertia of sections that turn by θ + ψ·g."""
        turns = np.column_stack([np.ones(len(self.x)), self.bent(self.x / self.length).turn])
        return np.asarray(turns.T @ (self.weights[:, None] * turns))

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


def _raw_modes(count: int, shear: float, eta: np.ndarray) -> tuple[np.ndarray, ...]:
    """w, ψ, ψ', ψ'' (derivatives by η) of the modes of the clamped beam of length 1 with statically condensed shear,
    made one by one of those without; (n, count) each."""
    rows = []
    for k in range(1, count + 1):
        W, turn, bend, change = clamped_clamped_derivatives(k, eta)
        if shear:
            first, last = clamped_clamped(k, np.array([0.0, 1.0]))[2]
            curve = -6.0 * shear * (last - first) / (1.0 + 12.0 * shear)
            W = W + curve * (eta**3 / 3.0 - eta**2 / 2.0 - 2.0 * shear * eta) - shear * (bend - first)
            turn, bend, change = turn + curve * (eta**2 - eta), bend + curve * (2.0 * eta - 1.0), change + 2.0 * curve
        rows.append((W, turn, bend, change))
    return tuple(np.reshape(x, (count, -1)).T for x in zip(*rows)) if rows else (np.zeros((len(eta), 0)),) * 4


@lru_cache(maxsize=64)
def _uncoupled(count: int, shear: float) -> tuple[np.ndarray, np.ndarray]:
    """Stiffnesses in EI/L³ (count,) of the modes with shear, and their combinations (count, count) that have them."""
    if not shear or not count:
        return clamped_clamped_values(count) ** 4, np.eye(count)
    eta, weights = gauss(40 + 8 * count)
    w, _, bend, change = _raw_modes(count, shear, eta)
    stiffness = bend.T @ (weights[:, None] * bend) + shear * change.T @ (weights[:, None] * change)
    root = np.linalg.inv(np.linalg.cholesky(w.T @ (weights[:, None] * w)))
    factors, modes = np.linalg.eigh(root @ stiffness @ root.T)
    modes = root.T @ modes
    return factors, modes * np.where(np.diag(modes) < 0.0, -1.0, 1.0)


def _modes(count: int, shear: float, eta: np.ndarray) -> tuple[np.ndarray, ...]:
    """:func:`_raw_modes` in the combinations that do not couple, with ∫ w² dη = 1."""
    raw = _raw_modes(count, shear, eta)
    return tuple(x @ _uncoupled(count, shear)[1] for x in raw) if shear else raw


@lru_cache(maxsize=64)
def element_shapes(length: float, axial: int, bending: int, field: str, shear: float = 0.0) -> ElementShapes:
    """The shapes of an element. They are cached, since a beam has equal elements, and a study has similar models."""
    return ElementShapes(length, axial, bending, field, shear)


@lru_cache(maxsize=64)
def _quadrature(axial: int, bending: int, field: str) -> tuple[np.ndarray, np.ndarray]:
    """The fewest Gauss points on [0, 1] that integrate all products of shapes to round-off; shear needs no more."""
    unit = ElementShapes.__new__(ElementShapes)
    unit.length, unit.axial, unit.bending, unit.field, unit.shear = 1.0, axial, bending, field, 0.0
    unit.S_end = unit._stretch(np.ones(1))[0]
    exact = unit.products(*gauss(40 + 8 * (axial + bending)))
    size = np.sqrt(np.abs(np.diag(exact)))
    size[size == 0] = 1.0
    count = 4
    while np.max(np.abs(unit.products(*gauss(count)) - exact) / np.outer(size, size)) > 1e-12:
        count += 1
    return gauss(count)


@lru_cache(maxsize=256)
def _order(places: int, points: int, functions: int) -> list[Any]:
    """The order of the products in :data:`SUM` that takes the least time; to look for it takes longer than they do."""
    parts = np.empty(places), np.empty(points), *np.empty((2, places, points, functions))
    return list(np.einsum_path(SUM, *parts, optimize=True)[0])


@lru_cache(maxsize=128)
def gauss(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss' quadrature on [0, 1]."""
    nodes, weights = leggauss(count)
    return 0.5 * (nodes + 1.0), 0.5 * weights
