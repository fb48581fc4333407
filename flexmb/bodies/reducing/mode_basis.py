"""Modes of a body from a few of its deformations: the basis, and the small eigenvalue problem that orders it.

After Hurty (1965) and Craig and Bampton (1968) the basis is that of the static modes of the interfaces, each moved by
a unit while the others are held, and of fixed-interface modes; with static modes alone it is that of Guyan (1965). The
basis of free modes is completed by the static deformations under unit forces at the interfaces, less what the modes
have of them (MacNeal (1971), Rubin (1975)). Deformations under given loads, interfaces held, may join both. With K_r =
BᵀKB and M_r = BᵀMB the modes are φ = B Q, (K_r − λ M_r) Q = 0, φᵀMφ = 1, without the six rigid ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.linalg
import scipy.linalg.lapack

from flexmb.algebra.block_lanczos import lowest_modes
from flexmb.bodies.reducing.held_body import HeldBody
from flexmb.errors import ModelError
from flexmb.machine.progress import ProgressBar
from flexmb.machine.threads import one_thread

#: squares of what deformations of unit mass have besides softer ones, below which they are nearly parallel to them
PARALLEL = 1e-10
#: a rigid motion's frequency must be below this part of the lowest elastic one
RIGID = 1e-3
#: up to so many coordinates the flexibility is computed as a whole
DENSE = 200
#: error of the modes of Lanczos's method, that of their frequencies being its square
ACCURACY = 1e-10
#: modes are refined so many times at most, and until they change by this part of themselves
REFINED, SETTLED = 6, 1e-10
#: what changes by less than this part besides the modes themselves and rigid motions is rounding
NEW = 1e-6
#: frequencies that differ by less than this part are one, of several modes
SAME = 1e-6
#: a coordinate moves much by a mode if it has this part of the largest motion
MOVES_MUCH = 0.9


@dataclass(frozen=True, eq=False)
class Modes:
    """Elastic modes of a reduced body: `omegas` (n,) [rad/s]; `shapes` (n', n) in the coordinates of the held body, of
    unit mass; `fixed` (m,) [rad/s] and `fixed_shapes` (n', m), the modes with held interfaces in the basis, none of
    them if it is made of free modes; `dropped`, number of deformations that were nearly parallel to others."""

    omegas: np.ndarray
    shapes: np.ndarray
    fixed: np.ndarray
    fixed_shapes: np.ndarray
    dropped: int


def held_modes(
    body: HeldBody, count: int, *, flexible: bool = False, progress: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The lowest `count` modes with all interfaces held, or of the free body if `flexible`: circular frequencies (m,)
    [rad/s] and shapes (n', m) of unit mass."""
    n = body.mass.shape[0]
    if count == 0:
        return np.zeros(0), np.zeros((n, 0))
    apply: Callable[[np.ndarray], np.ndarray] = body.flexible if flexible else body.held
    if n <= DENSE:
        return _all_modes(body, apply, count)
    free = n - (body.rigid.shape[1] if flexible or not body.ties else body.rigid.shape[1] * len(body.ties))
    if count > free - 2:
        raise _too_many(body, count, free - 2, flexible)
    bar = ProgressBar(f"modes of {body.model.name}", 4 * count, progress)
    try:
        values, shapes = lowest_modes(
            apply, body.mass, count, tolerance=ACCURACY, most=free, tell=lambda k: bar.show(k, f"{k} solutions")
        )
    finally:
        bar.stop()
    if len(values) < count:
        raise _too_many(body, count, len(values), flexible)
    _check_positive(body, values)
    return _refined(body, apply, np.sqrt(values), shapes)


@one_thread
def _refined(
    body: HeldBody, apply: Callable[[np.ndarray], np.ndarray], omegas: np.ndarray, shapes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Modes by Ritz's method among those found and what inverse iterations, refined by strains where these are known,
    change of them."""
    M, count = body.mass, len(omegas)
    for _ in range(REFINED):
        change = body.refined(apply, M @ (shapes * omegas**2)) - shapes
        size = _norms(M, change)
        for _ in range(2):
            change -= shapes @ (shapes.T @ (M @ change))
            if apply == body.flexible:
                change -= body.rigid @ np.linalg.solve(body.rigid_mass, body.rigid.T @ (M @ change))
        rest = _norms(M, change)
        new = rest > NEW * size  # of a few coordinates nothing else may be left than rounding
        both = _orthonormal(body, np.hstack([shapes, change[:, new]]))
        values, Q = _eigenpairs(both.T @ body.resisting(both))
        elastic = values > 0.5 * omegas[0] ** 2
        values, Q = values[elastic], Q[:, elastic]
        omegas, shapes = np.sqrt(values[:count]), both @ Q[:, :count]
        if np.max(rest) < SETTLED:
            break
    return omegas, shapes


def _orthonormal(body: HeldBody, basis: np.ndarray) -> np.ndarray:
    """The deformations (n', m) orthonormal by M, each without what softer ones have of it; those that are nearly
    parallel to softer ones are left out. In this order the soft ones keep their digits."""
    basis = basis / _norms(body.mass, basis)
    basis = basis[:, np.argsort(np.einsum("ij,ij->j", basis, body.stiffness @ basis), kind="stable")]
    for _ in range(2):  # the second time for the rounding of the first
        G = basis.T @ (body.mass @ basis)
        kept: list[int] = []
        L = np.zeros_like(G)
        for k in range(len(G)):
            at = len(kept)
            row = scipy.linalg.solve_triangular(L[:at, :at], G[kept, k], lower=True) if at else np.zeros(0)
            rest = G[k, k] - row @ row
            if rest > PARALLEL * G[k, k]:
                L[at, :at], L[at, at] = row, np.sqrt(rest)
                kept.append(k)
        at = len(kept)
        basis = scipy.linalg.solve_triangular(L[:at, :at], basis[:, kept].T, lower=True).T
    return np.asarray(basis)


def _eigenpairs(K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of a symmetric matrix in rising order, and its eigenvectors.

    Some deformations of a basis are much stiffer than its lowest mode, by 1e8 and more. If K is positive, singular
    values of its Cholesky factor by Jacobi's method have their digits whatever the stiffest is (Demmel and Veselić
    (1992)).
    """
    K = 0.5 * (K + K.T)
    size = np.sqrt(np.maximum(np.diagonal(K), 1e-300))
    try:
        factor = np.linalg.cholesky(K / np.outer(size, size)).T * size
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(K)
        return values, vectors
    found, _, vectors, scale, _, failed = scipy.linalg.lapack.dgejsv(factor, joba=0, jobu=3, jobv=0)
    if failed:
        values, vectors = np.linalg.eigh(K)
        return values, vectors
    values = (found * (scale[0] / scale[1])) ** 2
    order = np.argsort(values, kind="stable")
    return values[order], vectors[:, order]


@one_thread
def _all_modes(body: HeldBody, apply: Callable[[np.ndarray], np.ndarray], count: int) -> tuple[np.ndarray, np.ndarray]:
    """The same for a body with few coordinates, from its whole flexibility F: F M x = λ⁻¹ x."""
    n = body.mass.shape[0]
    F = apply(np.eye(n))
    values, vectors = np.linalg.eigh(body.mass.toarray())
    root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    mu, y = np.linalg.eigh(root @ (0.5 * (F + F.T)) @ root)
    mu, y = mu[::-1], y[:, ::-1]
    there = int(np.sum(mu > PARALLEL**1.5 * mu[0]))
    if count > there:
        raise _too_many(body, count, there, apply == body.flexible)
    _check_positive(body, 1.0 / mu[:there])
    return _refined(body, apply, 1.0 / np.sqrt(mu[:count]), F @ (root @ y[:, :count]) / mu[:count])


def _too_many(body: HeldBody, count: int, most: int, flexible: bool) -> ModelError:
    return ModelError(
        f"body {body.model.name!r}: {count} modes are asked for, and with its interfaces "
        f"{'free' if flexible else 'held'} it has {max(most, 0)} at most; ask for fewer"
    )


def _check_positive(body: HeldBody, values: np.ndarray) -> None:
    if np.any(values <= 0.0):
        raise ModelError(
            f"body {body.model.name!r}: its stiffness matrix has the negative eigenvalue {values.min():.4g} 1/s² where "
            "its interfaces are held; a body at rest has none"
        )


@one_thread
def elastic_modes(body: HeldBody, basis: np.ndarray, fixed: tuple[np.ndarray, np.ndarray], rigid: int) -> Modes:
    """The elastic modes that the deformations `basis` (n', m) can form; `fixed`, frequencies and shapes of those among
    them that are modes with held interfaces; `rigid`, number of rigid motions that they form too."""
    K, M, R = body.stiffness, body.mass, body.rigid
    given = basis.shape[1]
    # rigid motions out of every deformation, twice for the rounding of the first time; then unit masses
    for _ in range(2):
        before = _norms(M, basis)
        basis = basis - R @ np.linalg.solve(body.rigid_mass, R.T @ (M @ basis))
        after = _norms(M, basis)
        elastic = after > np.sqrt(PARALLEL) * before
        basis = basis[:, elastic] / after[elastic]
    if not basis.shape[1]:
        raise ModelError(
            f"body {body.model.name!r}: it would have no modes, since a single interface deforms nothing; ask for some "
            "by modes=…, give it another interface, or make a rigid body by add_body"
        )
    basis = _orthonormal(body, basis)
    Kr = basis.T @ body.resisting(basis)
    lambdas, Q = _eigenpairs(Kr)
    at_rest = np.sqrt(np.max(np.abs(np.einsum("ij,ij->j", R, K @ R) / np.diagonal(body.rigid_mass))))
    if lambdas[0] < (at_rest / RIGID) ** 2:
        zeros = int(np.sum(lambdas < (at_rest / RIGID) ** 2))
        raise ModelError(
            f"body {body.model.name!r}: its stiffness matrix has {zeros} motions without strain besides its "
            f"{R.shape[1]} rigid ones (λ = {lambdas[0]:.3g} 1/s²); hold or stiffen the loose parts"
        )
    omegas = np.sqrt(lambdas)
    return Modes(omegas, settled(basis @ Q, omegas), *fixed, given - rigid - len(omegas))


def settled(shapes: np.ndarray, omegas: np.ndarray) -> np.ndarray:
    """Modes whose signs, and among those of one frequency whose directions, follow from the body and not from rounding.

    Of k modes of one frequency, a coordinate that moves much, the first of these, is moved by the first mode alone, and
    upwards; the other k − 1 are found in the same way. Symmetric bodies have many coordinates that move most, so one
    counts from 0.9 of the largest motion on.

    >>> settled(np.array([[-1.0, 0.6], [1.0, 0.8]]), np.array([1.0, 2.0])).tolist()
    [[1.0, 0.6], [-1.0, 0.8]]
    >>> settled(np.array([[-0.6, 0.8], [0.8, 0.6]]), np.array([1.0, 1.0])).round(9).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    found = shapes.copy()
    starts = [0, *(np.flatnonzero(np.diff(omegas) > SAME * omegas[:-1]) + 1), len(omegas)]
    for first, end in pairwise(starts):
        for k in range(first, end):
            moved = np.linalg.norm(found[:, k:end], axis=1)
            row = found[int(np.argmax(moved >= MOVES_MUCH * moved.max())), k:end].copy()
            sign = np.copysign(1.0, row[0])
            if end - k > 1:  # a reflection of the modes of this frequency, which takes the row to (−sign |row|, 0, …)
                normal = row + sign * np.linalg.norm(row) * np.eye(end - k)[0]
                found[:, k:end] -= np.outer(found[:, k:end] @ normal, (2.0 / (normal @ normal)) * normal)
                sign = -sign
            found[:, k] *= sign
    return found


def residual_attachment(body: HeldBody, forces: np.ndarray, omegas: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """Static deformations of the free body under forces (n', k), less what its free modes have of them."""
    return np.asarray(body.flexible(forces) - shapes @ ((shapes.T @ forces) / omegas[:, None] ** 2))


def _norms(M: Any, shapes: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(np.einsum("ij,ij->j", shapes, M @ shapes), 0.0))
