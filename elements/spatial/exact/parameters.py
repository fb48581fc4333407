"""The parameters of an element of the exact beam in space, of its undeformed shape and of its sections."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.elements.spatial.exact.helicoid import LENGTH, SECOND, SIZE, STRAINS, curving, middle, straightened
from flexmb.elements.spatial.exact.places import shares
from flexmb.kernels.rotations import rotation_matrix
from flexmb.kernels.vectors import dot, tilde, times

#: the strains of what is straight and not twisted
STRAIGHT = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
#: strains, and parts of flexibilities, that differ by less differ by rounding
ROUNDED = 1e-10
_GAUSS = np.polynomial.legendre.leggauss(4)
#: the cubics of Hermite (4, 4) at each of its points
CUBICS = np.array([shares(eta) for eta in (0.5 * (_GAUSS[0] + 1.0)).tolist()])


class Shape(NamedTuple):
    """The undeformed shape of an element: its length [m]; its strains ω₀ (6,), and L²/12 ω₀' by which they change along
    it; the curvatures (2, 3) [1/m] of the axis at both ends."""

    length: float
    strains: np.ndarray = STRAIGHT
    change: np.ndarray = np.zeros(6)
    curvatures: np.ndarray = np.zeros((2, 3))


class Sections(NamedTuple):
    """The sections of an element: moments K₀, K₁, K₂ (3, 6, 6) of their flexibility; the mass (4,) [kg] and the inertia
    (4, 3, 3) [kg m²] about the mass center, in the axes of the section, of what each point of :func:`gauss_points`
    stands for; the mass centers (2, 3) [m] at both ends, and by how much they change with the length there (2, 3)."""

    flexibility: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    centers: np.ndarray
    center_slopes: np.ndarray

    @classmethod
    def uniform(cls, L: float, flexibility: np.ndarray, rhoA: float, center: np.ndarray, J: np.ndarray) -> Sections:
        """Those of one flexibility (6, 6), with the mass by length, the mass center and the inertia (3, 3) about it."""
        moments = np.array([flexibility, np.zeros((6, 6)), second_of_uniform(L, flexibility)])
        lengths = L * gauss_weights()
        return cls(moments, rhoA * lengths, lengths[:, None, None] * J, np.array([center, center]), np.zeros((2, 3)))

    @classmethod
    def varying(
        cls, L: float, flexibility: np.ndarray, mass: np.ndarray, centers: np.ndarray, center_slopes: np.ndarray
    ) -> Sections:
        """Those of flexibilities (4, 6, 6) and masses (4, 6, 6) at the points of :func:`gauss_points`."""
        eta, lengths = gauss_points(), L * gauss_weights()
        moments = np.array(
            [np.einsum("g,gij->ij", lengths / L * (L * (eta - 0.5)) ** j, flexibility) for j in range(3)]
        )
        J = np.array([rotary_inertia(M) for M in mass])
        return cls(moments, lengths * mass[:, 0, 0], lengths[:, None, None] * J, centers, center_slopes)

    @property
    def masses(self) -> np.ndarray:
        """The mass matrix (4, 4) of the cubic, which the four points integrate exactly where the mass is uniform."""
        return np.einsum("g,ga,gb->ab", self.mass, CUBICS, CUBICS)

    def rotary(self, shape: Shape, turns: np.ndarray) -> np.ndarray:
        """The matrices (3, 4, 3, 3) of rotary inertia of each point: of the first node, of the first with the second,
        and of the second, in the axes of these nodes, given the quaternions (2, 4) from them to the sections there.

        A section at η turns by the shares ½ (l_i l_j + l_i δ_ij) of the linear shapes l in these products: the mean of
        turns that are linear between the nodes and of inertia that is at these, as (5, 1) of twelve of a uniform
        element is. Its axes lie against those at the nodes as the undeformed helicoid says; so all turn about one axis
        with the whole inertia, however curved and twisted the element is."""
        eta, whole = gauss_points(), shape.length * shape.strains[3:]
        first, second = (Rotation.from_quat(x, scalar_first=True) for x in turns)
        ahead = first.as_matrix() @ Rotation.from_rotvec(eta[:, None] * whole).as_matrix()
        back = second.as_matrix() @ Rotation.from_rotvec((eta - 1.0)[:, None] * whole).as_matrix()
        linear = np.array([1.0 - eta, eta])
        shared = ((linear[0] ** 2 + linear[0]) / 2, linear[0] * linear[1] / 2, (linear[1] ** 2 + linear[1]) / 2)
        pairs = zip(shared, ((ahead, ahead), (ahead, back), (back, back)))
        return np.array([x[:, None, None] * (A @ self.inertia @ np.swapaxes(B, 1, 2)) for x, (A, B) in pairs])


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


def arms(turns: np.ndarray, shape: Shape, sections: Sections) -> np.ndarray:
    """The arms u (4, 3) of the cubic of mass centres, in the axes of the nodes, of which there are the quaternions
    (2, 4) to the sections."""
    lines = [
        shape.length * (STRAIGHT[:3] + np.cross(kappa, c) + slope)
        for kappa, c, slope in zip(shape.curvatures, sections.centers, sections.center_slopes)
    ]
    first, second = Rotation.from_quat(turns, scalar_first=True)
    c = sections.centers
    return np.array([first.apply(c[0]), first.apply(lines[0]), second.apply(c[1]), second.apply(lines[1])])


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
    turning = np.sum(sections.rotary(shape, turns), axis=1)
    tapered = bool(np.any(K1)) or not np.allclose(K2, second_of_uniform(L, K0), rtol=ROUNDED, atol=0.0)
    head = [*gravity, L, beta, float(tapered), *turns[0], *turns[1]]
    slopes = [L * R @ STRAIGHT[:3], L * R_two @ STRAIGHT[:3]]
    matrices = [turning, shape.strains, shape.change, sections.masses, K0, Y.T @ stiffness @ Y, K2, K1]
    row = np.concatenate([head, arms(turns, shape, sections).ravel(), *slopes, *(x.ravel() for x in matrices)])
    assert len(row) == SIZE
    return row if tapered else row[:SECOND]
