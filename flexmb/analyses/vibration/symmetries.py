"""Motions of a steadily turning mechanism that are known beforehand, since nothing resists them.

Such motions have multiple eigenvalues, which rounding scatters: 1e-16 becomes a growth of 1e-8. They are found from the
symmetries of the equations instead, as an invariant subspace of the equations of first order for x = (ξ, ξ̇):

    a cyclic motion z (a turn about the axis, a way along it, the turn of a rotor):  K̂ z = 0, so that (z, 0) stays;
    its speed: K̂ w + Ĉ z = 0, another steady motion, which (w, z) leads to;
    a shift d of the whole, where nothing outside holds it: it stays in space, (d, −Ω × d), or goes on, (0, d)

What is left is small motion across this subspace, with the eigenvalues that are left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered
from flexmb.analyses.statics.rotation import SteadyRotation
from flexmb.analyses.statics.spinning import CYCLIC, NOTHING, SpinningBalance, holding
from flexmb.analyses.vibration.rotating import SmallMotions
from flexmb.kernels.blocks import PLACE
from flexmb.model.spatial_frames import across

#: an equation of the subspace is fulfilled to this part of its terms
FULFILLED = 1e-7
#: singular values below this part of the largest are rounding
SINGULAR = 1e-13


class Symmetric(NamedTuple):
    """An invariant subspace: ξ and ξ̇ (n, k) of its directions; and of the motions in it, each once, their eigenvalues
    (r,) with Im λ ≥ 0 and their shapes (n, r)."""

    xi: np.ndarray
    rate: np.ndarray
    values: np.ndarray
    shapes: np.ndarray


def symmetric_motions(motions: SmallMotions) -> Symmetric:
    """What the symmetries of small motions about a steady motion say."""
    system, rotation, n = motions.system, motions.rotation, motions.system.n
    nothing = np.zeros((n, 0))
    none = Symmetric(nothing, nothing, np.zeros(0, dtype=complex), nothing + 0.0j)
    if rotation is None:
        return none
    balance = SpinningBalance(system, motions.t, rotation)
    cyclic = balance.cyclic_at(motions.q)
    cyclic = cyclic[:, _vanish(motions.G, cyclic)]
    xi, rate = [cyclic], [np.zeros_like(cyclic)]
    values, shapes = [0.0j] * cyclic.shape[1], [*cyclic.T.astype(complex)]
    grown, speed = _other_speeds(motions, cyclic)
    xi, rate = [*xi, grown], [*rate, speed]
    shifts = _free_shifts(motions, rotation)
    turning = np.asarray(rotation.spin * (rotation.S @ shifts))
    xi, rate = [*xi, shifts, np.zeros_like(shifts)], [*rate, -turning, shifts]
    if rotation.spin and shifts.shape[1] >= 2:
        # the shifts across the axis stay in space, and go round in axes that turn
        across = shifts[:, np.any(turning, axis=0)]
        back = np.linalg.lstsq(across, -turning[:, np.any(turning, axis=0)], rcond=None)[0]
        rates, own = np.linalg.eig(back)
        k = int(np.argmax(rates.imag))
        values.append(1j * abs(rates[k].imag))
        shapes.append(across @ own[:, k])
        shifts = shifts[:, ~np.any(turning, axis=0)]
    for shift in shifts.T:
        known = np.array([shape.real for shape, value in zip(shapes, values) if value == 0.0]).reshape(-1, n).T
        left = shift - known @ np.linalg.lstsq(known, shift, rcond=None)[0] if known.size else shift
        if np.max(np.abs(left / system.scale)) > 1e-6 * np.max(np.abs(shift / system.scale)):
            values.append(0.0j)
            shapes.append(shift.astype(complex))
    if not values:
        return none
    return Symmetric(np.hstack(xi), np.hstack(rate), np.array(values), np.array(shapes).T)


def _vanish(A: Any, x: np.ndarray) -> np.ndarray:
    """Mask (k,) of columns of x (n, k) in the null space of a matrix, to rounding."""
    if not A.shape[0] or not x.shape[1]:
        return np.ones(x.shape[1], dtype=bool)
    floor = NOTHING * max(float(abs(A).max()) * float(np.max(np.abs(x))), 1e-300)
    size = np.maximum(abs(A) @ np.abs(x), floor)
    return np.asarray(np.all(np.abs(A @ x) <= CYCLIC * size + floor, axis=0))


def _other_speeds(motions: SmallMotions, cyclic: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """w (n, k) and z (n, k) with K̂ w + Ĉ z + Gᵀ μ = 0, G w = 0, of those cyclic motions z that have one."""
    system, n = motions.system, motions.system.n
    if not cyclic.shape[1]:
        return cyclic, cyclic
    held = holding(system, cyclic)
    size = float(np.max(np.abs(motions.K.diagonal()), initial=0.0)) or 1.0
    G, C = motions.G, motions.C @ cyclic
    dense = isinstance(motions.K, np.ndarray)
    below = np.vstack([G, held]) if dense else sp.vstack([sp.csc_array(G), sp.csc_array(held)])
    A, b = bordered(motions.K / size, below), np.vstack([-C / size, np.zeros((below.shape[0], cyclic.shape[1]))])
    try:
        # other motions, too, may meet no resistance
        x = np.linalg.lstsq(A, b, rcond=SINGULAR)[0] if dense else Factors(A).solve(b)
    except np.linalg.LinAlgError:
        return np.zeros((n, 0)), np.zeros((n, 0))
    w, mu = x[:n], x[n:] * size
    left = (motions.K @ w + C + below.T[:, : system.m] @ mu[: system.m]) * system.scale[:, None]
    terms = (abs(motions.K) @ np.abs(w) + abs(motions.C) @ np.abs(cyclic)) * system.scale[:, None]
    good = np.max(np.abs(left), axis=0) <= FULFILLED * np.maximum(np.max(terms, axis=0), 1e-300)
    return w[:, good], cyclic[:, good]


def _free_shifts(motions: SmallMotions, rotation: SteadyRotation) -> np.ndarray:
    """The shifts (n, s) of the whole that change no force and no constraint: those along the axis, and both or none
    across it."""
    system, d = motions.system, motions.system.model.dimension
    places = system.assembly.free.numbers_of(PLACE, d)
    free = []
    axis = rotation.axis[:d] if d == 3 else np.zeros(2)
    own = np.eye(d) if d == 2 or not rotation.spin else np.array([*across(axis), axis])
    for direction in own:
        shift = np.zeros((system.n, 1))
        shift[places, 0] = direction
        still = all(_vanish(A, shift)[0] for A in (*motions.plain, motions.G))
        free.append(shift[:, 0] if still else None)
    if rotation.spin and any(x is None for x in free[:2]):
        free[:2] = [None, None]
    kept = [x for x in free if x is not None]
    return np.array(kept).T if kept else np.zeros((system.n, 0))
