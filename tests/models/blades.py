"""A slender blade by its clamped modes, without a mesh: a reduced body whose second order is known exactly."""

from __future__ import annotations

import numpy as np

from flexmb.bodies import Interface, ReducedBody
from flexmb.elements.beam_modes import clamped_free, clamped_free_values

LENGTH, EI, RHO_A = 8.0, 5666.0, 2.0194


def blade(modes: int = 3, mean: bool = True) -> ReducedBody:
    """The blade of 8 m of the spin-up in the plane, with interfaces "root" and "tip": bending modes of the clamped
    beam, in the `mean` frame or in that of its root.

    Bending by φ moves its points back along the axis by Θ_ij = −∫ φ_i' φ_j' dx."""
    L = LENGTH
    points, weights = np.polynomial.legendre.leggauss(60)
    x, dm = 0.5 * L * (points + 1.0), 0.5 * L * RHO_A * weights
    shape = np.array([[clamped_free(k + 1, s / L)[:2] for s in [*x, 0.0, L]] for k in range(modes)])
    value, slope = shape[..., 0], shape[..., 1] / L
    middle, places = (0.5 * L if mean else 0.0), np.append(x, [0.0, L])
    arm, mass = places - middle, RHO_A * L
    if mean:
        tilt = (value[:, :-2] @ (dm * arm[:-2])) / (dm @ arm[:-2] ** 2)
        value = value - (value[:, :-2] @ dm)[:, None] / mass - tilt[:, None] * arm
        slope = slope - tilt[:, None]
    back = np.zeros((modes, modes, len(places)))  # ∫ φ_i' φ_j' from the root, by Gauss points of each stretch
    for k, end in enumerate(places):
        own = 0.5 * end * (points + 1.0)
        at = np.array([[clamped_free(j + 1, s / L)[1] / L for s in own] for j in range(modes)])
        at = at - tilt[:, None] if mean else at
        back[..., k] = -(at * (0.5 * end * weights)) @ at.T
    if mean:
        back -= (back[..., :-2] @ dm)[..., None] / mass
    stretch = arm / np.sqrt(dm @ arm[:-2] ** 2)  # the slave shape: points move along the axis by their distance
    T = (back[..., :-2] @ (dm * stretch[:-2]))[None]
    zero = np.zeros_like(arm)
    F = [np.stack([arm, zero], 1), *(np.stack([zero, w], 1) for w in value), np.stack([stretch, zero], 1)]
    fields = np.array(F)
    products = np.einsum("FNi,N,GNj->FGij", fields[:, :-2], dm, fields[:, :-2])
    first = np.einsum("FNi,N->Fi", fields[:, :-2], dm)
    frames = {}
    for name, k in (("root", -2), ("tip", -1)):
        second = np.stack([back[..., k], np.zeros((modes, modes))])
        frames[name] = Interface((arm[k], 0.0), np.eye(2), fields[1:-1, k].T, slope[None, :, k], second)
    stiffness = EI * clamped_free_values(modes) ** 4 / L**3
    return ReducedBody(mass, first, products, stiffness, T, frames, origin=(middle, 0.0))
