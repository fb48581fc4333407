"""The parameters of an element of the exact beam in space, of its undeformed shape and of its sections."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.elements.spatial.exact.helicoid import LENGTH, SECOND, SIZE, STRAINS, curving, middle, straightened
from flexmb.kernels.rotations import rotation_matrix
from flexmb.kernels.vectors import dot, tilde, times

#: the mass matrix of a cubic of Hermite, of a uniform element of unit mass
HERMITE = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]]) / 420.0
#: the strains of what is straight and not twisted
STRAIGHT = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
#: strains, and parts of flexibilities, that differ by less differ by rounding
ROUNDED = 1e-10
_GAUSS = np.polynomial.legendre.leggauss(4)


class Shape(NamedTuple):
    """The undeformed shape of an element: its length [m]; its strains ω₀ (6,), and L²/12 ω₀' by which they change along
    it; the curvatures (2, 3) [1/m] of the axis at both ends."""

    length: float
    strains: np.ndarray = STRAIGHT
    change: np.ndarray = np.zeros(6)
    curvatures: np.ndarray = np.zeros((2, 3))


class Sections(NamedTuple):
    """The sections of an element: moments K₀, K₁, K₂ (3, 6, 6) of their flexibility; the mass matrix (4, 4) of the
    cubic; the mass centers (2, 3) [m] at both ends, and by how much they change with the length there (2, 3); three
    matrices (3, 3) of rotary inertia, of the first node, the first with the second, the second, in the axes of the
    sections."""

    flexibility: np.ndarray
    masses: np.ndarray
    centers: np.ndarray
    center_slopes: np.ndarray
    rotary: np.ndarray

    @classmethod
    def uniform(cls, L: float, flexibility: np.ndarray, rhoA: float, center: np.ndarray, J: np.ndarray) -> Sections:
        """Those of one flexibility (6, 6), with the mass by length, the mass center and the inertia (3, 3) about it."""
        moments = np.array([flexibility, np.zeros((6, 6)), second_of_uniform(L, flexibility)])
        turning = L / 12.0 * np.array([5.0 * J, J, 5.0 * J])
        return cls(moments, rhoA * L * HERMITE, np.array([center, center]), np.zeros((2, 3)), turning)

    @classmethod
    def varying(
        cls, L: float, flexibility: np.ndarray, mass: np.ndarray, centers: np.ndarray, center_slopes: np.ndarray
    ) -> Sections:
        """Those of flexibilities (4, 6, 6) and masses (4, 6, 6) at the Gauss points of :func:`gauss_points`.

        Rotary inertia is the mean of that by linear shapes and that at the nodes, as (5, 1) of a uniform element is.
        """
        eta, weights = gauss_points(), gauss_weights()
        moments = np.array([np.einsum("g,gij->ij", weights * (L * (eta - 0.5)) ** j, flexibility) for j in range(3)])
        cubics = np.array(
            [
                1.0 - eta**2 * (3.0 - 2.0 * eta),
                eta * (1.0 - eta) ** 2,
                eta**2 * (3.0 - 2.0 * eta),
                -(eta**2) * (1.0 - eta),
            ]
        )
        masses = np.einsum("g,g,ag,bg->ab", L * weights, mass[:, 0, 0], cubics, cubics)
        J = np.array([rotary_inertia(M) for M in mass])
        linear = np.array([1.0 - eta, eta])
        shares = np.array(
            [0.5 * (linear[0] ** 2 + linear[0]), 0.5 * linear[0] * linear[1], 0.5 * (linear[1] ** 2 + linear[1])]
        )
        return cls(moments, masses, centers, center_slopes, np.einsum("g,ng,gij->nij", L * weights, shares, J))


def second_of_uniform(L: float, flexibility: np.ndarray) -> np.ndarray:
    """K₂ (6, 6) of an element whose sections have one flexibility."""
    return L**2 / 12.0 * flexibility


def gauss_points() -> np.ndarray:
    """The places (4,) in an element, from 0 to 1, at which sections that vary are taken."""
    return np.asarray(0.5 * (_GAUSS[0] + 1.0))


def gauss_weights() -> np.ndarray:
    """The weights (4,) of these places, whose sum is 1."""
    return np.asarray(0.5 * _GAUSS[1])


def mass_center(mass: np.ndarray) -> np.ndarray:
    """The mass centre (3,) [m] of a section of a mass matrix (6, 6) against the axis, in the axes of the section."""
    return np.array([0.0, mass[2, 3], mass[0, 4]]) / mass[0, 0]


def rotary_inertia(mass: np.ndarray) -> np.ndarray:
    """The inertia (3, 3) [kg m] of a section of a mass matrix (6, 6) about its mass centre."""
    c = np.array(tilde(tuple(mass_center(mass)))).reshape(3, 3)
    return np.asarray(mass[3:, 3:] + mass[0, 0] * c @ c)


def strains_between(turn: np.ndarray, way: np.ndarray, L: float) -> np.ndarray:
    """The strains (6,) of the helicoid from a section to another that is turned by the vector `turn` (3,) and moved by
    `way` (3,), both in the axes of the first, at the distance L along the axis."""
    half = np.linalg.norm(turn) / 2.0
    # from the axes of the first section to those of the middle
    K = np.array(tilde(tuple(turn))).reshape(3, 3)
    a, b = (np.sin(half) / (2.0 * half), (1.0 - np.cos(half)) / (2.0 * half) ** 2) if half > 1e-6 else (0.5, 0.125)
    back = np.eye(3) - a * K + b * K @ K
    d = back @ way / L
    g = float(curving(float(turn @ turn))[0])
    return np.concatenate([d - g * K @ K @ d, turn / L])


def put_rounded_strains(row: np.ndarray, q: np.ndarray) -> None:
    """Put the strains that the kernels find at the coordinates q (14,) of both nodes in place of those of the
    parameters of an element, where they differ by rounding alone: so it is free of forces to the last digit, and not
    just but for stiffness times rounding."""
    p, numbers = row[None, :], np.arange(14)[None, :]
    phi, d, _, _ = middle(p, 0, numbers, q)
    g = curving(dot(phi, phi))[0]
    found = np.array([*straightened(phi, g, d), *times(1.0 / row[LENGTH], phi)])
    own = row[STRAINS : STRAINS + 6]
    if np.max(np.abs(found - own) * [1.0, 1.0, 1.0, *[row[LENGTH]] * 3]) < ROUNDED:
        own[:] = found


def adjoint(strains: np.ndarray) -> np.ndarray:
    """The matrix ad (6, 6) of strains (Γ, κ)."""
    gamma, kappa = (np.array(tilde(tuple(x))).reshape(3, 3) for x in (strains[:3], strains[3:]))
    return np.block([[kappa, gamma], [np.zeros((3, 3)), kappa]])


def element_parameters(
    gravity: np.ndarray, beta: float, turns: np.ndarray, shape: Shape, sections: Sections
) -> np.ndarray:
    """The parameters of an element, as :mod:`flexmb.elements.spatial.exact.helicoid` says; `turns` are the unit
    quaternions (2, 4) from its nodes to the sections there."""
    L, (K0, K1, K2), ad = shape.length, sections.flexibility, adjoint(shape.strains)
    whole = K0 + K1 @ ad.T + ad @ K1 + ad @ K2 @ ad.T
    scale = 1.0 / np.sqrt(np.diag(whole))  # forces and moments differ by many decades
    stiffness = scale[:, None] * np.linalg.inv(scale[:, None] * whole * scale) * scale
    Y = np.eye(6) + adjoint(shape.change)
    R, R_two = (np.array(rotation_matrix(tuple(x))).reshape(3, 3) for x in turns)
    ahead = STRAIGHT[:3]
    lines = [
        L * (ahead + np.cross(kappa, c) + slope)
        for kappa, c, slope in zip(shape.curvatures, sections.centers, sections.center_slopes)
    ]
    arms = [R @ sections.centers[0], R @ lines[0], R_two @ sections.centers[1], R_two @ lines[1]]
    one, both, two = sections.rotary
    turning = [R @ one @ R.T, R @ both @ R_two.T, R_two @ two @ R_two.T]
    tapered = bool(np.any(K1)) or not np.allclose(K2, second_of_uniform(L, K0), rtol=ROUNDED, atol=0.0)
    head = [*gravity, L, beta, float(tapered), *turns[0], *turns[1]]
    matrices = [*turning, shape.strains, shape.change, sections.masses, K0, Y.T @ stiffness @ Y, K2, K1]
    row = np.concatenate([head, *arms, L * R @ ahead, L * R_two @ ahead, *(x.ravel() for x in matrices)])
    assert len(row) == SIZE
    return row if tapered else row[:SECOND]
