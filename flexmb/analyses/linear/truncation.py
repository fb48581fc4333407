"""Smaller linear models: by the slowest modes, or by balanced truncation.

Both first split the model into two parts that do not act on each other: with a real Schur form that has the poles of
one part first, A = Q [A₁ A₁₂; 0 A₂] Qᵀ, and X from A₁ X − X A₂ = −A₁₂, the columns Q [1; 0] and Q [X; 1] span the two
parts. This needs no eigenvectors, so poles may be double, as those of rigid motions are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from flexmb.algebra.eigenvalues import in_like_units, solve_lyapunov
from flexmb.errors import LinearModelError
from flexmb.machine.threads import threads_by_size
from flexmb.model import checks

#: a mode decays if the real part of its pole is below −DECAYS times the size of the pole
DECAYS = 1e-9
#: a pole below this part of the size of A lies at the origin, since double poles there are known to √ε only
ORIGIN = 3e-8
#: a direction is not seen if outputs, or other states, move by less than this part of what they could
UNSEEN = 1e-9
#: if the condition of the eigenvectors is beyond this, Lyapunov's equation is solved without them
WORST_CONDITION = 1e9


#: a :class:`flexmb.LinearModel`, whose file imports this one
Model = Any


class Split(NamedTuple):
    """x = T₁ z₁ + T₂ z₂ and z₁ = L₁ x, z₂ = L₂ x, with A₁ = L₁ A T₁, A₂ = L₂ A T₂ and L₁ A T₂ = 0 = L₂ A T₁."""

    T1: np.ndarray
    L1: np.ndarray
    A1: np.ndarray
    T2: np.ndarray
    L2: np.ndarray
    A2: np.ndarray


@threads_by_size
def split_by_poles(A: np.ndarray, first: np.ndarray) -> Split:
    """Split a matrix by its poles: those near one of `first` make up the first part."""
    k = len(A)
    A, scale = in_like_units(A)
    T, L = np.diag(scale), np.diag(1.0 / scale)
    none = np.zeros((k, 0))
    if len(first) == 0:
        return Split(none, none.T, np.zeros((0, 0)), T, L, A)
    if len(first) == k:
        return Split(T, L, A, none, none.T, np.zeros((0, 0)))
    others = np.array([p for p in np.linalg.eigvals(A) if np.min(np.abs(p - first)) > 1e-9 * (1.0 + abs(p))])

    def belongs(re: float, im: float) -> bool:
        p = complex(re, im)
        return not len(others) or bool(np.min(np.abs(p - first)) <= np.min(np.abs(p - others)))

    S, Q, r = scipy.linalg.schur(A, output="real", sort=belongs)
    if r != len(first):
        raise LinearModelError(
            f"linear model: its poles cannot be told apart into {len(first)} and {k - len(first)}; "
            "choose another number"
        )
    X = scipy.linalg.solve_sylvester(S[:r, :r], -S[r:, r:], -S[:r, r:])
    ahead, behind = Q[:, :r], Q[:, r:]
    return Split(T @ ahead, (ahead.T - X @ behind.T) @ L, S[:r, :r], T @ (ahead @ X + behind), behind.T @ L, S[r:, r:])


@threads_by_size
def at_origin(A: np.ndarray, poles: np.ndarray) -> np.ndarray:
    """Mask of poles at the origin, to rounding."""
    if not len(poles):
        return np.zeros(0, dtype=bool)
    size = np.linalg.norm(in_like_units(A)[0], 2)
    return np.abs(poles) <= ORIGIN * size


def decays(A: np.ndarray, poles: np.ndarray) -> np.ndarray:
    """Mask of poles, in continuous time, of motions that decay."""
    return (poles.real < -DECAYS * np.abs(poles)) & ~at_origin(A, poles)


@threads_by_size
def modal(model: Model, count: int, correction: bool) -> Model:
    """The `count` slowest modes of a model, a conjugate pair counting as one, and the poles at the origin with them.

    With `correction`, the static response of the other modes is added to D, so that the model is exact at 0 Hz.
    """
    if model.period is not None:
        raise LinearModelError("linear model: modal truncation is for models in continuous time")
    poles = model.poles
    groups = [[p] if p.imag == 0.0 else [p, np.conj(p)] for p in poles if p.imag >= 0.0]
    count = checks.count(count, "count", "linear model", least=1)
    if count > len(groups):
        raise LinearModelError(f"linear model: it has {len(groups)} modes, {count} were asked for; ask for fewer")
    kept = np.array([p for group in groups[:count] for p in group])
    origin = poles[at_origin(model.A, poles)]  # all of them, since a double pole cannot be split
    kept = np.concatenate([origin, kept[~at_origin(model.A, kept)]])
    parts = split_by_poles(model.A, kept)
    small = replace(model.transformed(parts.T1, parts.L1, [f"z{k + 1}" for k in range(len(kept))]), A=parts.A1)
    if correction and parts.T2.shape[1]:
        rest = np.linalg.solve(parts.A2, parts.L2 @ model.B)
        small = replace(small, D=model.D - model.C @ parts.T2 @ rest)
    return small


@threads_by_size
def balanced(model: Model, order: int | None, tolerance: float | None) -> Model:
    """The balanced truncation: states that inputs reach and outputs show least are left out.

    The square-root method of Tombs and Postlethwaite (1987) on the part of the model that decays; poles that do not
    (rigid motions, integrators, unstable ones) are kept as they are. At no frequency does the response change by more
    than 2 Σ σ over the Hankel singular values left out, see Glover (1984).

    Arguments: `order`: number of states of the result, with those that do not decay; or `tolerance`: the bound is kept
    below this part of the largest σ with as few states as possible (1e-3 when neither is given).
    """
    parts, sigma, A, T, L = model.balance
    kept_anyway = parts.T1.shape[1]
    if order is not None:
        order = checks.count(order, "order", "linear model", least=max(1, kept_anyway))
        r = min(order - kept_anyway, len(sigma))
    else:
        limit = checks.positive(1e-3 if tolerance is None else tolerance, "tolerance", "linear model")
        tail = 2.0 * np.cumsum(sigma[::-1])[::-1]
        r = int(np.sum(tail > limit * (sigma[0] if len(sigma) else 1.0)))
    names = [f"z{k + 1}" for k in range(kept_anyway + r)]
    small = model.transformed(np.hstack([parts.T1, T[:, :r]]), np.vstack([parts.L1, L[:r]]), names)
    return replace(small, A=scipy.linalg.block_diag(parts.A1, A[:r, :r])[: len(names), : len(names)])


@threads_by_size
def balance(model: Model) -> tuple[Split, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The split, σ (s,), the decaying part balanced (s, s), and the T (k, s), L (s, k) that balance it."""
    if model.period is not None:
        raise LinearModelError("linear model: balanced truncation is for models in continuous time")
    poles = model.poles
    stays = poles[~decays(model.A, poles)]
    if len(stays) == len(poles):
        raise LinearModelError(
            "linear model: none of its motions dies out, so there is nothing to balance; add damping, or use modal"
        )
    parts = split_by_poles(model.A, stays)
    A, B, C = parts.A2, parts.L2 @ model.B, model.C @ parts.T2
    A, scale = in_like_units(A)
    B, C = B / scale[:, None], C * scale
    basis = _modal_basis(A)
    if basis is None:
        V = inverse = np.eye(len(A))
        reached, shown = _factor(solve_lyapunov(A, B @ B.T)), _factor(solve_lyapunov(A.T, C.T @ C))
    else:  # in modal coordinates slow poles lose no digits to fast ones
        values, vectors, U = basis
        V, inverse = np.real(vectors @ U), np.real(U.conj().T @ np.linalg.inv(vectors))
        reached = _factor(_gramian(values, U @ inverse @ B, U))
        shown = _factor(_gramian(values.conj(), U @ V.T @ C.T, U))
        A = np.real(U.conj().T @ (values[:, None] * U))
    left, sigma, right = scipy.linalg.svd(shown.T @ reached, full_matrices=False)
    good = sigma > 1e-14 * sigma[0] if len(sigma) and sigma[0] > 0.0 else np.zeros(len(sigma), dtype=bool)
    left, sigma, right = left[:, good], sigma[good], right[good]
    T = reached @ right.T / np.sqrt(sigma)
    L = (shown @ left / np.sqrt(sigma)).T
    return parts, sigma, L @ A @ T, parts.T2 @ (scale[:, None] * (V @ T)), ((L @ inverse) / scale) @ parts.L2


def _modal_basis(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Eigenvalues, eigenvectors V, and a unitary U that makes the columns of V U real; None where eigenvectors are
    almost the same."""
    values, V = np.linalg.eig(A)
    if np.linalg.cond(V) > WORST_CONDITION:
        return None
    U = np.eye(len(A), dtype=complex)
    k = 0
    while k < len(A):
        if values[k].imag != 0.0:  # a pair, in neighboring columns
            U[k : k + 2, k : k + 2] = np.array([[1.0, -1.0j], [1.0, 1.0j]]) / np.sqrt(2.0)
            k += 1
        k += 1
    return values, V, U


def _gramian(values: np.ndarray, B: np.ndarray, U: np.ndarray) -> np.ndarray:
    """Uᴴ P U of P with Λ P + P Λᴴ + B Bᴴ = 0, entry by entry: lightly damped modes lose no digits."""
    P = -(B @ B.conj().T) / (values[:, None] + values.conj()[None, :])
    return np.real(U.conj().T @ P @ U)


def _factor(P: np.ndarray) -> np.ndarray:
    """F with F Fᵀ = P, for P positive to round-off; rows of all sizes keep their digits."""
    size = np.sqrt(np.maximum(np.diag(P), 0.0))
    size[size == 0.0] = 1.0
    values, vectors = np.linalg.eigh(0.5 * (P + P.T) / np.outer(size, size))
    keep = values > 0.0
    return size[:, None] * vectors[:, keep] * np.sqrt(values[keep])


@threads_by_size
def observed(model: Model) -> Model:
    """The part of a linear model that its outputs see, exactly: the other states, among them the modes that no output
    shows, are left out.

    The directions that are left out are the largest part N of the null space of C with A N in N. What is left are
    states of the model, with their names.

    >>> from flexmb.analyses.linear.linear_model import LinearModel
    >>> A = [[0, 1.0, 0], [-4.0, 0, 0], [1.0, 0, 0]]
    >>> mass = LinearModel(A, [[0], [1.0], [0]], [[1.0, 0, 0]], [[0]], states=["x", "x rate", "counter"])
    >>> mass.observed().states, mass.observed().A.tolist()
    (['x', 'x rate'], [[0.0, 1.0], [-4.0, 0.0]])
    """
    A, scale = in_like_units(model.A)
    C = model.C * scale
    size = max(float(np.linalg.norm(A, 2)), 1e-300) if len(A) else 1.0
    hidden = null_space(C / np.maximum(np.linalg.norm(C, axis=1), 1e-300)[:, None], UNSEEN)
    return without(model, invariant_part(A, hidden, size, UNSEEN), scale)


def invariant_part(A: np.ndarray, directions: np.ndarray, unit: Any, limit: float) -> np.ndarray:
    """The largest part (n, j) of orthonormal directions (n, k) that A leads nowhere else: rates are below the limit in
    units of `unit`, one or (n, 1)."""
    while directions.shape[1]:
        leaving = A @ directions
        part = null_space((leaving - directions @ (directions.T @ leaving)) / unit, limit)
        if part.shape[1] == directions.shape[1]:
            break
        directions = directions @ part
    return directions


def without(model: Model, hidden: np.ndarray, size: np.ndarray) -> Model:
    """The model without directions (n, k) that go on among themselves, of states in units of `size` (n,): the states
    that they move most are left out."""
    count = hidden.shape[1]
    if not count:
        return model
    _, _, order = scipy.linalg.qr(hidden.T, pivoting=True)
    unit = np.eye(len(hidden))
    kept = np.setdiff1d(np.arange(len(hidden)), order[:count])
    left = np.linalg.inv(np.hstack([hidden, unit[:, kept]]))[count:] * size[kept][:, None] / size
    return model.transformed(unit[:, kept], left, [model.states[k] for k in kept])


def null_space(A: np.ndarray, limit: float) -> np.ndarray:
    """Orthonormal directions (n, k) that A (m, n) makes no longer than `limit`."""
    if not A.shape[0] or not A.shape[1]:
        return np.eye(A.shape[1])
    _, sizes, rows = np.linalg.svd(A)
    return np.asarray(rows[int(np.sum(sizes > limit)) :].T)
