"""Forces of light and of free molecules on faces, and the sun behind a planet, as textbooks have them, no flexmb."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import erf


def light(areas: np.ndarray, sun: np.ndarray, mirror: float, diffuse: float) -> np.ndarray:
    """Forces (f, 3) of light of the pressure 1 on faces with area vectors (f, 3): −A c ((1 − ϱ_s) s + 2 (ϱ_s c + ϱ_d/3)
    n), Wertz (1978), equation (17.22).

    >>> (light(np.array([[0, 0, 2.0]]), np.array([0, 0, 1.0]), 1.0, 0.0) + 0.0).tolist()
    [[0.0, 0.0, -4.0]]
    """
    size = np.linalg.norm(areas, axis=1, keepdims=True)
    n = areas / size
    c = np.maximum(n @ sun, 0.0)[:, None]
    return np.asarray(-size * c * ((1.0 - mirror) * sun + 2.0 * (mirror * c + diffuse / 3.0) * n))


def molecules(
    areas: np.ndarray, u: np.ndarray, cm: float, wall: float, normal: float = 1.0, along: float = 1.0
) -> np.ndarray:
    """Forces (f, 3) of a gas of the density 2 on faces that move at u against it, by the coefficients C_p and C_τ of
    Schaaf and Chambré (1961) with the speed ratio S.

    >>> molecules(np.array([[0, 0, 1.0]]), np.array([0, 0, 1.0]), 1e-3, 0.0).round(9).tolist()
    [[-0.0, -0.0, -2.000001]]
    """
    size = np.linalg.norm(areas, axis=1, keepdims=True)
    n, speed = areas / size, float(np.linalg.norm(u))
    e, S = u / speed, speed / cm
    c = (n @ e)[:, None]
    x = S * c
    E, one = np.exp(-x * x), 1.0 + erf(x)
    first = ((2.0 - normal) * x / np.sqrt(np.pi) + 0.5 * normal * np.sqrt(wall)) * E
    second = ((2.0 - normal) * (0.5 + x * x) + 0.5 * normal * np.sqrt(np.pi * wall) * x) * one
    C_p, C_t = (first + second) / S**2, along / (S * np.sqrt(np.pi)) * (E + np.sqrt(np.pi) * x * one)
    return np.asarray(-(speed**2) * size * (C_p * n + C_t * (e - c * n)))


def sphere_in_gas(S: float, wall: float) -> float:
    """The coefficient of drag of a sphere that reflects all molecules diffusely, Schaaf and Chambré (1961).

    >>> round(sphere_in_gas(5.0, 0.0), 4)
    2.0792
    """
    of_speed = (2 * S * S + 1) / (np.sqrt(np.pi) * S**3) * np.exp(-S * S)
    of_speed += (4 * S**4 + 4 * S * S - 1) / (2 * S**4) * erf(S)
    return float(of_speed + 2.0 * np.sqrt(np.pi) / (3.0 * S) * np.sqrt(wall))


def ring(axis: np.ndarray, count: int = 40000) -> np.ndarray:
    """Area vectors (count, 3) of flat strips of a cylinder with D L = 1, by its axis.

    >>> float(np.linalg.norm(ring(np.array([0, 0, 1.0])), axis=1).sum().round(9))  # π D L
    3.141592654
    """
    side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    side /= np.linalg.norm(side)
    angles = (np.arange(count) + 0.5) * 2.0 * np.pi / count
    normals = np.cos(angles)[:, None] * side + np.sin(angles)[:, None] * np.cross(axis, side)
    return np.asarray(normals * np.pi / count)


def darkness(r: float, radius: float, beta: float) -> float:
    """The part of a circular orbit of the radius r in the shadow of a cylinder, whose normal stands at π/2 − β to the
    sun.

    >>> round(darkness(7e6, 6378137.0, 0.0), 8)
    0.36481382
    """
    x = np.sqrt(r * r - radius * radius) / (r * np.cos(beta))
    return float(np.arccos(x) / np.pi) if x < 1.0 else 0.0


@cache
def _gauss(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss's nodes and weights."""
    return np.polynomial.legendre.leggauss(count)  # type: ignore[no-any-return]


def visible(place: np.ndarray, sun: np.ndarray, radius: float, count: int = 1000) -> float:
    """The part of the sun's disk that is seen from a place (3,) behind a sphere, by Gauss's quadrature over strips of
    the disk along the direction in which the sphere stands: disks of their half angles, in a plane.

    >>> visible(np.array([7e6, 0, 0]), np.array([1.0, 0, 0]), 6378137.0)
    1.0
    """
    to_sun = 1.495978707e11 * sun - place
    far, r = np.linalg.norm(to_sun), np.linalg.norm(place)
    a, b = np.arcsin(6.957e8 / far), np.arcsin(radius / r)
    c = np.arccos(np.clip(-(place @ to_sun) / (r * far), -1.0, 1.0))
    if c >= a + b:
        return 1.0
    # strips y = const of the disk x² + y² < a², of which the sphere's disk about (c, 0) leaves those before its edge
    nodes, weights = _gauss(count)
    phi = 0.5 * np.pi * nodes
    y, half = a * np.sin(phi), a * np.cos(phi)
    edge = c - np.sqrt(b * b - y * y)
    seen = np.clip(edge + half, 0.0, 2.0 * half) * half
    return float((seen @ weights) * 0.5 * np.pi / (np.pi * a * a))
