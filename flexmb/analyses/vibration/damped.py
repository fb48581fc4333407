"""Eigenvalues λ of small damped and gyroscopic motions under constraints: (λ² M + λ C + K) φ = 0, G φ = 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.eigenvalues import ROUND_OFF, round_off, use_dense
from flexmb.algebra.factors import Factors, saddle_solver
from flexmb.algebra.threads import threads_for
from flexmb.analyses.vibration.rotating import SmallMotions
from flexmb.analyses.vibration.symmetries import symmetric_motions
from flexmb.errors import SolverError
from flexmb.system.rank import free_motions

#: the shift, as a part of |λ| of the slowest motion
SHIFT_BELOW = 0.6
#: the first shift, in units of the typical frequency, which itself may be an eigenvalue
FIRST_SHIFT = 1.3717
#: eigenvalues below this part of the rate of steady rotation are zero
UNRESOLVED = 1e-7
#: so many times the round-off of φᴴ Q φ may be left where zero is a double eigenvalue: 1.5e-7 of the shift in λ
OF_DOUBLE_ZERO = 10.0


class Damped:
    """Eigenvalues λ (c,) of (λ² M + λ C + K) φ = 0 with Im λ ≥ 0, nearest to zero first, and complex shapes (n, c).

    They come from a problem of first order, A z = λ B z for z = (φ, λ φ/ω₀) with a typical frequency ω₀, which is
    inverted about a shift σ: (A − σ B)⁻¹ B (u, w) = (x, y) is

        x = −Q⁻¹ (ω₀ M w + (C + σ M) u),   Q = K + σ C + σ² M,   y = (u + σ x)/ω₀.

    What symmetries of a steady motion say of it (:mod:`flexmb.analyses.vibration.symmetries`) is an invariant subspace
    of that operator, X orthonormal. The operator across it has the other eigenvalues θ and vectors u, and those of the
    whole are u + X c with c = (θ − XᵀTX)⁻¹ XᵀT u.
    """

    def __init__(self, motions: SmallMotions, count: int, dense: bool | None, where: str) -> None:
        system = motions.system
        self.where, self.motions = where, motions
        self._shift = 0.0  # of the last inversion
        self.known = symmetric_motions(motions)
        size = 2 * (system.n - system.m)
        in_full = use_dense(dense, size, 2 * count)
        with threads_for(size if in_full else 0):
            values, shapes = self._dense() if in_full else self._sparse(count)
        good = np.isfinite(values)
        values, shapes = values[good], shapes[:, good]
        values, shapes = _one_of_each_pair(values, _mass_normalised(shapes, motions))
        zero = self._zero(values, shapes)
        rigid = np.hstack([self.known.shapes, _independent(shapes[:, zero], system.scale)])
        speed = np.abs(values[~zero])
        # Of equal speed, growing motions come first.
        order = np.argsort(speed - 1e-9 * speed * (values[~zero].real > 0.0), kind="stable")
        resistless = np.zeros(rigid.shape[1], dtype=complex)
        resistless[: len(self.known.values)] = self.known.values
        self.values = np.concatenate([resistless, values[~zero][order]])[:count]
        self.shapes = np.hstack([_mass_normalised(rigid, motions), shapes[:, ~zero][:, order]])[:, :count]
        self.is_zero = np.arange(len(self.values)) < rigid.shape[1]

    def _zero(self, values: np.ndarray, shapes: np.ndarray) -> np.ndarray:
        """Which λ are zero to round-off: λ (λ φᴴ M φ + φᴴ C φ) = −φᴴ K φ is no more than round-off of φᴴ Q φ, and λ is
        the root of it that is nearer to zero: −φᴴ C φ, the other one, is a motion that damping stops. In steady
        rotation zero may be a double eigenvalue, and its round-off the root of that of Ω²."""
        motions, rotation, shift = self.motions, self.motions.rotation, self._shift
        slow = 0.0 if rotation is None else UNRESOLVED * abs(rotation.spin)
        slow = max(slow, ROUND_OFF * float(np.max(np.abs(values), initial=0.0)))
        noise = (shift**k * round_off(A, shapes) for k, A in enumerate((motions.K, motions.C, motions.M)))
        other = np.abs(values + np.einsum("ij,ij->j", shapes.conj(), motions.C @ shapes))
        nearer = np.abs(values) <= 2.0 * other  # alike without damping
        return nearer & (np.abs(values) * other <= OF_DOUBLE_ZERO * sum(noise)) | (np.abs(values) <= slow)

    def _dense(self) -> tuple[np.ndarray, np.ndarray]:
        motions = self.motions
        Z = free_motions(motions.system, motions.G, self.where)
        M, C, K = (Z.T @ (A @ Z) for A in (motions.M, motions.C, motions.K))
        f = len(M)
        scale = np.sqrt(float(np.linalg.norm(K)) / max(float(np.linalg.norm(M)), 1e-300)) or 1.0
        first = FIRST_SHIFT * scale
        for _ in range(3):  # nearer and nearer to the slowest motion, but below it, where no eigenvalue lies
            shift, first = first or scale, 0.0
            Q = K + shift * C + shift**2 * M
            if not np.all(np.isfinite(Q)):
                raise SolverError(f"{self.where}: the matrices hold NaN or infinity; check the state")
            top = -Factors(Q).solve(np.hstack([C + shift * M, scale * M]))
            bottom = (np.hstack([np.eye(f), np.zeros((f, f))]) + shift * top) / scale
            inverse, vectors = self._across_known(np.vstack([top, bottom]), Z, scale)
            with np.errstate(all="ignore"):
                values = np.where(np.abs(inverse) > 1e-14 * np.abs(inverse).max(), shift + 1.0 / inverse, np.inf)
            slow = np.abs(values[np.isfinite(values)])
            slow = slow[slow > 1e-6 * shift]
            scale = SHIFT_BELOW * float(slow.min()) if len(slow) else scale
        self._shift = shift
        return values, Z @ vectors[:f]

    def _across_known(self, T: np.ndarray, Z: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues and vectors of the operator T across the known motions."""
        if not self.known.xi.shape[1]:
            values, vectors = np.linalg.eig(T)
            return values, vectors
        ahead = np.linalg.lstsq(Z, np.hstack([self.known.xi, self.known.rate / scale]), rcond=None)[0]
        k = self.known.xi.shape[1]
        Q, rank = _orthonormal(np.vstack([ahead[:, :k], ahead[:, k:]]), complete=True)
        X, Y = Q[:, :rank], Q[:, rank:]
        values, u = np.linalg.eig(Y.T @ T @ Y)
        return values, Y @ u + X @ _parts_along(X.T @ T @ X, X.T @ T @ Y @ u, values)

    def _sparse(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        M, K = (sp.csc_array(A) for A in (self.motions.M, self.motions.K))
        typical = np.sqrt(float(np.max(np.abs(K.diagonal()))) / max(float(M.diagonal().max()), 1e-300))
        # A few steps of inverse iteration give a frequency of the size of the lowest.
        known, rank = _orthonormal(self.known.xi)
        known = known[:, :rank]
        shift = 1e-4 * typical
        for _ in range(3):
            solve = self._solver(shift)
            x = solve(M @ np.random.default_rng(0).normal(size=M.shape[0]))
            for _ in range(4):
                x = x - known @ (known.T @ x) if rank else x
                x = solve(M @ (x / np.linalg.norm(x)))
            x = x - known @ (known.T @ x) if rank else x
            before = shift
            shift = np.sqrt(max(abs(float(x @ (K @ x))) / float(x @ (M @ x)), 1e-4 * shift**2))
            if 0.2 < shift / before < 5.0:
                break
        values, vectors = self._eigenvalues_near(shift, count)
        if np.min(np.abs(values - shift)) < 0.01 * shift:  # so near to an eigenvalue that the others are lost
            slow = np.abs(values)[np.abs(values) > 1e-6 * shift]
            values, vectors = self._eigenvalues_near(SHIFT_BELOW * float(slow.min()), count)
        return values, vectors

    def _eigenvalues_near(self, shift: float, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues nearest to the shift, with their shapes, by Arnoldi's iteration."""
        self._shift = float(shift)
        motions, n = self.motions, self.motions.system.n
        M, C = (sp.csc_array(A) for A in (motions.M, motions.C))
        solve = self._solver(shift)

        def apply(z: np.ndarray) -> np.ndarray:
            u, w = z.ravel()[:n], z.ravel()[n:]
            x = -solve(shift * (M @ w) + C @ u + shift * (M @ u))
            return np.concatenate([x, (u + shift * x) / shift])

        X, rank = _orthonormal(np.vstack([self.known.xi, self.known.rate / shift]))
        X = X[:, :rank]

        def across(z: np.ndarray) -> np.ndarray:
            z = apply(z.ravel() - X @ (X.T @ z.ravel()))
            return z - X @ (X.T @ z)

        operator = sp.linalg.LinearOperator((2 * n, 2 * n), matvec=across if rank else apply, dtype=float)
        begin = apply(apply(np.random.default_rng(0).normal(size=2 * n)))
        wanted = min(2 * count + 4, 2 * n - 2)
        try:
            inverse, vectors = sp.linalg.eigs(operator, k=wanted, v0=begin, which="LM", ncv=min(2 * wanted + 20, 2 * n))
        except sp.linalg.ArpackNoConvergence as why:
            raise SolverError(f"{self.where}: {why}; ask for fewer modes, or dense=True") from why
        if rank:
            there = np.array([apply(x) for x in X.T]).T
            ahead = np.array([apply(z.real) + 1j * apply(z.imag) for z in vectors.T]).T
            vectors = vectors + X @ _parts_along(X.T @ there, X.T @ ahead, inverse)
        return shift + 1.0 / inverse, vectors[:n]

    def _solver(self, shift: float) -> Callable[[np.ndarray], np.ndarray]:
        """Solves with Q among the motions that the joints leave free."""
        motions = self.motions
        Q = sp.csc_array(motions.K + shift * motions.C + shift**2 * motions.M)
        solve = saddle_solver(Q, sp.csc_array(motions.G) if motions.system.m else None)
        if solve is None:
            raise SolverError(
                f"{self.where}: its matrix at the shift {shift:g} rad/s is singular; check the model for coordinates "
                "without stiffness and inertia"
            )
        return solve


def _orthonormal(x: np.ndarray, complete: bool = False) -> tuple[np.ndarray, int]:
    """Orthonormal directions whose first span the columns of x (n, k), and how many these are; all n if `complete`."""
    if not x.shape[1]:
        return np.eye(len(x)) if complete else x, 0
    size = np.linalg.norm(x, axis=0)
    left, sizes, _ = np.linalg.svd(x / np.where(size > 0.0, size, 1.0), full_matrices=complete)
    return left, int(np.sum(sizes > 1e-9 * sizes[0]))


def _parts_along(H: np.ndarray, b: np.ndarray, values: np.ndarray) -> np.ndarray:
    """c (k, e) with (θ − H) c = b for each column of b (k, e) and its θ (e,), the shortest where that is singular."""
    eye = np.eye(len(H))
    parts = [np.linalg.lstsq(theta * eye - H, column, rcond=1e-8)[0] for theta, column in zip(values, b.T)]
    return np.array(parts).T if parts else np.zeros(b.shape)


def _mass_normalised(shapes: np.ndarray, motions: SmallMotions) -> np.ndarray:
    """Shapes scaled so that φᴴ M φ = 1, where there is inertia."""
    mass = np.einsum("ij,ij->j", shapes.conj(), motions.M @ shapes).real
    return shapes / np.sqrt(np.where(mass > 0.0, mass, 1.0))


def _independent(shapes: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """A real basis (n, r) of the span of complex shapes: a rigid motion appears twice, as a place and as a speed."""
    if not shapes.shape[1]:
        return shapes
    turned = shapes * np.exp(-1j * np.angle(shapes[np.argmax(np.abs(shapes), axis=0), np.arange(shapes.shape[1])]))
    scaled = turned.real / scale[:, None]
    left, size, _ = np.linalg.svd(scaled / np.linalg.norm(scaled, axis=0), full_matrices=False)
    return scale[:, None] * left[:, size > 1e-3] + 0j


def _one_of_each_pair(values: np.ndarray, shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All real eigenvalues, and of each conjugate pair the one with positive imaginary part."""
    real = np.abs(values.imag) <= 1e-10 * np.abs(values)
    values = np.where(real, values.real + 0j, values)
    keep = real | (values.imag > 0.0)
    return values[keep], shapes[:, keep]
