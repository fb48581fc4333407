"""Eigenvalues λ of small damped and gyroscopic motions under constraints: (λ² M + λ C + K) φ = 0, G φ = 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from flexmb.algebra.eigenvalues import ROUND_OFF, round_off, use_dense
from flexmb.algebra.factors import Factors, saddle_solver
from flexmb.analyses.vibration.rotating import SmallMotions
from flexmb.analyses.vibration.symmetries import symmetric_motions
from flexmb.errors import SolverError
from flexmb.machine.threads import threads_for
from flexmb.model import checks
from flexmb.system.rank import free_motions

#: the shift, as a part of |λ| of the slowest motion
SHIFT_BELOW = 0.6
#: the first shift, in units of the typical frequency, which itself may be an eigenvalue
FIRST_SHIFT = 1.3717
#: |λ| above this part of the shift are motions, and no double zero, of which round-off leaves 1e-8 to 1e-5 of the
#: shift; λ² of those below is still found to 1e-7
RESOLVED = 1e-4
#: eigenvalues below this part of the rate of steady rotation are zero
UNRESOLVED = 1e-7
#: a negative 1/(ω² + b²) above this part of the largest is a motion that grows, and no round-off
NOT_ROUND_OFF = 1e-9
#: so many motions slower than that are left aside in the search for a shift, besides those that symmetries tell
MOST_SLOWER = 12
#: Arnoldi's iteration finds this many eigenvalues less than there are, beside those that are wanted
LEAST_ROOM = 6
#: largest relative error of an eigenvector in its equation, as measured by energy, and what is said beyond it
WORST_RESIDUAL = 1e-5
NOT_RESOLVED = "the wanted modes cannot be told from each other by the sparse iteration; take dense=True"
#: for a motion that grows faster than the shift, the vibrations are found with up to 10 to this power times the shift
MOST_DECADES = 12
#: so many times the round-off of φᴴ Q φ may be left where zero is a double eigenvalue: 1.5e-7 of the shift in λ
OF_DOUBLE_ZERO = 10.0
#: an eigenvalue whose own equation says this part of it or less is round-off; else both differ by rounding alone
SPOILED = 1e-6


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
        room = size - self.known.xi.shape[1]
        dense = checks.flag_or_none(dense, "dense", where)
        in_full = use_dense(dense, size, 2 * count) or room < 2 * count + LEAST_ROOM
        with threads_for(size if in_full else 0):
            values, shapes = self._dense() if in_full else self._sparse(count)
        good = np.isfinite(values)
        values, shapes = values[good], shapes[:, good]
        values, shapes = _one_of_each_pair(values, _mass_normalized(shapes, motions))
        zero = self._zero(values, shapes)
        rigid = np.hstack([self.known.shapes, _independent(shapes[:, zero], system.scale)])
        speed = np.abs(values[~zero])
        # Of equal speed, growing motions come first.
        order = np.argsort(speed - 1e-9 * speed * (values[~zero].real > 0.0), kind="stable")
        resistless = np.zeros(rigid.shape[1], dtype=complex)
        resistless[: len(self.known.values)] = self.known.values
        self.values = np.concatenate([resistless, values[~zero][order]])[:count]
        self.shapes = np.hstack([_mass_normalized(rigid, motions), shapes[:, ~zero][:, order]])[:, :count]
        self.is_zero = np.arange(len(self.values)) < rigid.shape[1]
        self.round_off = self._round_off()

    def _round_off(self) -> np.ndarray:
        """Bounds (c,) [1/s] of the error of each λ by round-off in the matrices.

        A mode meets  m λ² + c λ + k = 0  with m = φᴴ M φ, c = φᴴ C φ and k = φᴴ K φ. Round-off changes the terms of
        this sum by no more than

            ε = |λ|² ε_M + |λ| ε_C + ε_K,

        with the round-off ε_A of φᴴ A φ, and so λ by the smaller root x of  m x² + d x + ε = 0, d = 2 m λ + c.
        The product of both roots is ε/m in size, and their sum d/m. So the smaller one is at most √(ε/m); and the
        larger one is at least |d|/2m, by which the smaller one is at most 2 ε/|d|. Round-off keeps no symmetry of the
        matrices, so the change may have any direction: that of ω in a stiff mechanism appears in Re λ too, though a
        symmetric change of K alone would only change Im λ.
        """
        motions, values, shapes = self.motions, self.values, self.shapes
        powers = enumerate((motions.K, motions.C, motions.M))
        change = sum((np.abs(values) ** k * round_off(A, shapes) for k, A in powers), np.zeros(len(values)))
        m = np.einsum("ij,ij->j", shapes.conj(), motions.M @ shapes).real
        d = np.abs(2.0 * m * values + np.einsum("ij,ij->j", shapes.conj(), motions.C @ shapes))
        with np.errstate(divide="ignore", invalid="ignore"):
            largest = np.where(m > 0.0, np.sqrt(change / m), np.inf)
            return np.where(d > 0.0, np.minimum(2.0 * change / d, largest), largest)

    def _zero(self, values: np.ndarray, shapes: np.ndarray) -> np.ndarray:
        """Which λ are zero to round-off: either side of λ (λ φᴴ M φ + φᴴ C φ) = −φᴴ K φ is no more than round-off of
        φᴴ Q φ (the right one is more accurate where stiff directions spoil λ), and λ is the root that is nearer to
        zero: −φᴴ C φ, the other one, is a motion that damping stops. In steady rotation zero may be a double
        eigenvalue, and its round-off the root of that of Ω². Where the right side is a millionth of the left one and
        less, λ is round-off of stiff directions."""
        motions, rotation, shift = self.motions, self.motions.rotation, self._shift
        slow = 0.0 if rotation is None else UNRESOLVED * abs(rotation.spin)
        slow = max(slow, ROUND_OFF * float(np.max(np.abs(values), initial=0.0)))
        noise = (shift**k * round_off(A, shapes) for k, A in enumerate((motions.K, motions.C, motions.M)))
        other = np.abs(values + np.einsum("ij,ij->j", shapes.conj(), motions.C @ shapes))
        nearer = np.abs(values) <= 2.0 * other  # alike without damping
        left, right = np.abs(values) * other, np.abs(np.einsum("ij,ij->j", shapes.conj(), motions.K @ shapes))
        unresisted = (np.minimum(left, right) <= OF_DOUBLE_ZERO * sum(noise)) | (right <= SPOILED * left)
        return nearer & unresisted | (np.abs(values) <= slow)

    def _dense(self) -> tuple[np.ndarray, np.ndarray]:
        motions = self.motions
        Z = free_motions(motions.system, motions.G, self.where)
        M, C, K = (Z.T @ (A @ Z) for A in (motions.M, motions.C, motions.K))
        f = len(M)
        scale = np.sqrt(float(np.linalg.norm(K)) / max(float(np.linalg.norm(M)), 1e-300)) or 1.0
        first = FIRST_SHIFT * scale
        for _ in range(3):  # nearer and nearer to the slowest motion, but below it, where no eigenvalue lies
            shift, first = first or scale, 0.0
            if not np.all(np.isfinite(K + shift * C + shift**2 * M)):
                raise SolverError(f"{self.where}: the matrices hold NaN or infinity; check the state")
            basis = _Vibrations(M, K, shift)
            Y, mass, stiffness, damping = basis.Y, basis.mass, basis.stiffness, basis.Y.T @ C @ basis.Y
            Q = stiffness + shift * damping + shift**2 * mass
            top = -Factors(Q).solve(np.hstack([damping + shift * mass, scale * mass]))
            bottom = (np.hstack([np.eye(f), np.zeros((f, f))]) + shift * top) / scale
            inverse, vectors = self._across_known(np.vstack([top, bottom]), Z, basis, scale)
            with np.errstate(all="ignore"):
                values = np.where(np.abs(inverse) > 1e-14 * np.abs(inverse).max(), shift + 1.0 / inverse, np.inf)
            slow = np.abs(values[np.isfinite(values)])
            slow = slow[slow > RESOLVED * shift]
            scale = SHIFT_BELOW * float(slow.min()) if len(slow) else scale
        self._shift = shift
        return values, Z @ (Y @ vectors[:f])

    def _across_known(
        self, T: np.ndarray, Z: np.ndarray, basis: _Vibrations, scale: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues and vectors of the operator T across the known motions."""
        if not self.known.xi.shape[1]:
            values, vectors = np.linalg.eig(T)
            return values, vectors
        ahead = np.linalg.lstsq(Z, np.hstack([self.known.xi, self.known.rate / scale]), rcond=None)[0]
        ahead = basis.inverse @ ahead
        k = self.known.xi.shape[1]
        Q, rank = _orthonormal(np.vstack([ahead[:, :k], ahead[:, k:]]), complete=True)
        X, Y = Q[:, :rank], Q[:, rank:]
        values, u = np.linalg.eig(Y.T @ T @ Y)
        return values, Y @ u + X @ _parts_along(X.T @ T @ X, X.T @ T @ Y @ u, values)

    def _sparse(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        M, K = (sp.csc_array(A) for A in (self.motions.M, self.motions.K))
        typical = np.sqrt(float(np.max(np.abs(K.diagonal()))) / max(float(M.diagonal().max()), 1e-300))
        # A few steps of inverse iteration give a frequency of the size of the lowest that is not far below the shift.
        found, rank = _orthonormal(self.known.xi)
        found = found[:, :rank]
        measured = found  # the coefficients of `found` in x are measuredᵀ x
        shift = 1e-4 * typical
        attempts = 3
        while attempts:
            solve = self._solver(shift)
            x = solve(M @ np.random.default_rng(0).normal(size=M.shape[0]))
            for _ in range(4):
                x = x - found @ (measured.T @ x)
                x = solve(M @ (x / np.linalg.norm(x)))
            x = x - found @ (measured.T @ x)
            stiffness, mass = abs(float(x @ (K @ x))), float(x @ (M @ x))
            if stiffness <= (RESOLVED * shift) ** 2 * mass and found.shape[1] < rank + MOST_SLOWER:
                found, measured = np.column_stack([found, x]), np.column_stack([measured, M @ x / mass])
                continue
            before, attempts = shift, attempts - 1
            shift = np.sqrt(max(stiffness / mass, 1e-4 * shift**2))
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
        S = self._energy(shift)
        solve = self._solver(shift)

        def apply(z: np.ndarray) -> np.ndarray:
            u, w = z.ravel()[:n], z.ravel()[n:]
            x = -solve(shift * (M @ w) + C @ u + shift * (M @ u))
            return np.concatenate([x, (u + shift * x) / shift])

        def measure(z: np.ndarray) -> np.ndarray:
            return np.concatenate([S @ z.ravel()[:n], shift**2 * (M @ z.ravel()[n:])])

        X, rank = _orthonormal(np.vstack([self.known.xi, self.known.rate / shift]))
        X = X[:, :rank]
        if rank:
            try:
                X = scipy.linalg.solve_triangular(np.linalg.cholesky(X.T @ _columns(measure, X)), X.T, lower=True).T
            except np.linalg.LinAlgError:
                raise SolverError(f"{self.where}: {NOT_RESOLVED}") from None
        BX = _columns(measure, X)

        def across(z: np.ndarray) -> np.ndarray:
            z = apply(z.ravel() - X @ (BX.T @ z.ravel()))
            return z - X @ (BX.T @ z)

        def operator(matvec: Callable[[np.ndarray], np.ndarray]) -> sp.linalg.LinearOperator:
            return sp.linalg.LinearOperator((2 * n, 2 * n), matvec=matvec, dtype=float)

        begin = apply(apply(np.random.default_rng(0).normal(size=2 * n)))
        free = 2 * (n - motions.system.m) - rank
        wanted = 2 * count + 4
        try:
            # Arnoldi's iteration with the scalar product B; ARPACK asks for B⁻¹ of B times the operator.
            inverse, vectors = sp.linalg.eigs(
                operator(across if rank else apply),
                k=wanted,
                M=operator(measure),
                Minv=operator(np.ravel),
                v0=begin,
                which="LM",
                ncv=min(2 * wanted + 20, free),
            )
        except sp.linalg.ArpackNoConvergence as why:
            raise SolverError(f"{self.where}: {why}; ask for fewer modes, or dense=True") from why
        except sp.linalg.ArpackError as why:
            raise SolverError(f"{self.where}: {NOT_RESOLVED} ({why})") from why
        ahead = _columns(lambda z: apply(z.real) + 1j * apply(z.imag), vectors)
        if rank:
            there = _columns(apply, X)
            parts = _parts_along(BX.T @ there, BX.T @ ahead, inverse)
            vectors, ahead = vectors + X @ parts, ahead + there @ parts
        missed = ahead - inverse * vectors
        sizes = [np.sqrt(abs(np.vdot(z, measure(z)))) for part in (missed, inverse * vectors) for z in part.T]
        if np.any(np.array(sizes[: len(inverse)]) > WORST_RESIDUAL * np.array(sizes[len(inverse) :])):
            raise SolverError(f"{self.where}: {NOT_RESOLVED}")
        return shift + 1.0 / inverse, vectors[:n]

    def _energy(self, shift: float) -> sp.csc_array:
        """K + b² M, positive among the motions that the joints leave free: b is the shift, or above the rate at which
        the fastest growing motion without damping grows. Twice the energy of a motion, in which stiff and soft
        directions weigh alike."""
        motions, n = self.motions, self.motions.system.n
        K, M = sp.csc_array(0.5 * (motions.K + motions.K.T)), sp.csc_array(motions.M)
        G = sp.csc_array(motions.G) if motions.system.m else None
        begin = np.random.default_rng(0).normal(size=n)
        S, squared = K + shift**2 * M, shift**2
        for _ in range(MOST_DECADES):
            solve = saddle_solver(S, G)
            if solve is None:
                break
            inverse = sp.linalg.LinearOperator((n, n), matvec=solve, dtype=float)
            try:  # 1/(ω² + b²) of both ends; if none is negative, the lower end does not converge, or to round-off
                ends = sp.linalg.eigsh(
                    S, 2, M, sigma=0.0, OPinv=inverse, which="BE", v0=solve(M @ begin), tol=0.1, maxiter=2
                )[0]
            except sp.linalg.ArpackError:
                break
            growing = ends[np.argmin(1.0 / ends)]
            if -1.0 / growing <= NOT_ROUND_OFF * np.max(np.abs(1.0 / ends)):
                break
            squared = 2.0 * abs(float(growing) - squared)
            S = K + squared * M
        return S

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


class _Vibrations:
    """Coordinates y of undamped vibrations, x = Y y, of a problem with the matrices M and K (f, f): K + b² M, b the
    shift or more, becomes the unit matrix but for the part of K that is not symmetric.

    An eigenvalue of an unsymmetric matrix is off by the round-off of the largest entries. Where a beam is 10⁷ times as
    stiff along as across, ω² of the fastest vibration times that round-off is more than ω² of the slowest. Eigenvectors
    of symmetric matrices part the two without that loss: ω² of the slowest is as accurate as K is, entry by entry.
    """

    def __init__(self, M: np.ndarray, K: np.ndarray, shift: float) -> None:
        symmetric = 0.5 * (K + K.T)
        M = 0.5 * (M + M.T)
        for b in shift * 10.0 ** np.arange(MOST_DECADES):
            S = symmetric + b**2 * M
            try:
                theta, Y = scipy.linalg.eigh(M, S)
            except np.linalg.LinAlgError:  # not positive definite: a motion grows as fast as e^{b t}
                continue
            theta = np.maximum(theta, 0.0)
            self.Y, self.inverse = Y, Y.T @ S
            self.mass, self.stiffness = np.diag(theta), np.diag(1.0 - b**2 * theta) + Y.T @ (K - symmetric) @ Y
            return
        self.Y = self.inverse = np.eye(len(M))
        self.mass, self.stiffness = M, K


def _columns(apply: Callable[[np.ndarray], np.ndarray], X: np.ndarray) -> np.ndarray:
    """An operator applied to each column of X."""
    return np.array([apply(x) for x in X.T]).T if X.shape[1] else X


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


def _mass_normalized(shapes: np.ndarray, motions: SmallMotions) -> np.ndarray:
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
