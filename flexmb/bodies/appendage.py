"""Finite-element appendages on a base that spins: their matrices by speed, after Likins (1971), eqs. (3)-(64).

The base turns with ω and ω̇, in its own axes, about a point O fixed to it; the appendage is clamped to it at some nodes.
Displacements of its mass u = W q are linear in the coordinates q left. With [M∘X] = ∫ Wᵀ X W dm,

    M' q̈ + G' q̇ + (K' + A') q = L'
    M' = [M∘1],   G' = 2 [M∘ω̃],   K' = K₀ + K_d + [M∘ω̃ω̃],   A' = [M∘ω̃˙],   L' = −∫ Wᵀ (ω̃˙ + ω̃ω̃) r dm + loads

K₀ is the stiffness and K_d that of the stress of the steady spin, which belongs to every [M∘ω̃ω̃]: without it a blade
softens as it spins. M' and K' are symmetric, G' and A' skew. Where O is fixed not in space but in a vehicle of mass m
that is free, the mass center of the whole is at rest, r counts from it, and with Σ q = ∫ u dm each [M∘X] loses
Σᵀ X Σ/m.

Nodes of beams turn, too. Mass off the axis of a beam is moved by a turn at second order, ½ θ̃ θ̃ y, so the forces of the
steady spin on it stiffen or soften the turn; with this term in K' the matrix is that of rotation vectors, and symmetric
(Likins' (62) is the moment about the turned node).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigs, splu

from flexmb.bodies.full_models.full_model import FullModel, MassField
from flexmb.bodies.full_models.node_sets import numbers_of
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls, answers_calls

#: up to so many coordinates the eigenvalues are those of full matrices, and the terms of a free vehicle may be added
SMALL, FULL = 400, 6000


@dataclass(frozen=True, eq=False)
class Appendage(metaclass=AnswersCalls):
    """The matrices of an appendage at a speed: see :mod:`flexmb.bodies.appendage`.

    Attributes: `mass` M', `gyroscopic` G', `stiffness` K' and `circulatory` A' (n, n), sparse, or full where the base
    is a vehicle of its own mass; `force` L' (n,) [N, Nm] of the spin alone; `elastic` K₀, `geometric` K_d and
    `centrifugal` K' − K₀ − K_d, parts of K'; `node_of` and `direction_of` (n,), what each coordinate is, translations
    first; `clamped`, the nodes of the base.

    >>> import flexmb as fm
    >>> rod = fm.bodies.Member(("root", "tip"), fm.Material(1000, 1e9), fm.Circle(diameter=0.02), elements=1)
    >>> full = fm.bodies.frame_model({"root": (0, 0, 0), "tip": (1, 0, 0)}, [rod])
    >>> spun = fm.bodies.appendage_matrices(full, "root", (0, 0, 3.0))
    >>> spun.direction_of.tolist(), round(float(spun.force[0]), 9)  # ρA Ω² ∫ x² dx
    ([0, 1, 2, 3, 4, 5], 0.942477796)
    """

    mass: Any = field(repr=False)
    gyroscopic: Any = field(repr=False)
    stiffness: Any = field(repr=False)
    circulatory: Any = field(repr=False)
    force: np.ndarray = field(repr=False)
    elastic: Any = field(repr=False)
    geometric: Any = field(repr=False)
    centrifugal: Any = field(repr=False)
    node_of: np.ndarray = field(repr=False)
    direction_of: np.ndarray = field(repr=False)
    clamped: np.ndarray = field(repr=False)

    def poles(self, count: int = 6) -> np.ndarray:
        """The `count` eigenvalues λ (count,) [1/s] of λ² M' + λ G' + K' + A' of the smallest size; of each pair of
        vibrations the one with the positive imaginary part.

        >>> import flexmb as fm
        >>> blade = fm.bodies.Member(("root", "tip"), fm.Material(1000, 1e9), fm.Rectangle(0.02, 0.01))
        >>> full = fm.bodies.frame_model({"root": (0, 0, 0), "tip": (1, 0, 0)}, [blade])
        >>> still, fast = (fm.bodies.appendage_matrices(full, "root", (0, 0, w)).poles(1) for w in (0.0, 20.0))
        >>> bool(fast.imag[0] > still.imag[0])
        True
        """
        n = self.mass.shape[0]
        wanted = checks.count(count, "count", "appendage", 1, n)
        K, G, M = self.stiffness + self.circulatory, self.gyroscopic, self.mass
        if n <= SMALL:
            found = _all_poles(*(x.toarray() if sp.issparse(x) else x for x in (K, G, M)))
        else:
            found = _smallest_poles(sp.csr_matrix(K), sp.csr_matrix(G), sp.csr_matrix(M), wanted)
        size = np.max(np.abs(found), initial=0.0)
        kept = found[found.imag >= -1e-9 * size]
        return np.asarray(kept[np.argsort(np.abs(kept), kind="stable")][:wanted])


@answers_calls
def appendage_matrices(
    full: FullModel,
    base: Any,
    spin: Any,
    *,
    spin_rate: Any = None,
    center: Any = None,
    vehicle_mass: float | None = None,
    geometric_stiffness: bool = True,
) -> Appendage:
    """The matrices of an appendage that is clamped to a spinning base.

    Arguments: `full`, the full model of a mesh, of a frame or of a plate, by :func:`mesh_model` or :func:`frame_model`;
    `base`, the set of nodes that is clamped, as for a :class:`Tie`; `spin` ω and `spin_rate` ω̇ (3,) [rad/s, rad/s²],
    one number each in the plane, in the axes of the mesh; `center` (d,) [m], the point of the base about which it
    turns, the origin if not given; `vehicle_mass` [kg] of the whole with its appendage, where the vehicle is free and
    its mass center at rest, and what is no appendage has its own at `center`; else `center` is fixed in space;
    `geometric_stiffness`: False leaves K_d out, to show what it does.

    >>> import flexmb as fm
    >>> blade = fm.bodies.Member(("root", "tip"), fm.Material(1000, 1e9), fm.Rectangle(0.02, 0.01))
    >>> full = fm.bodies.frame_model({"root": (0, 0, 0), "tip": (1, 0, 0)}, [blade])
    >>> spun = fm.bodies.appendage_matrices(full, "root", (0, 0, 20.0))
    >>> spun.mass.shape, bool(abs(spun.gyroscopic + spun.gyroscopic.T).max() < 1e-12)
    ((24, 24), True)
    """
    if not isinstance(full, FullModel):
        raise ModelError(
            "appendage: give the full model of a mesh or of a frame, by fm.bodies.mesh_model or frame_model, not "
            f"{checks.quoted(full)}"
        )
    where = f"appendage {full.name!r}"
    d = full.dimension
    if full.mass_field is None or full.stress_matrix is None:
        raise ModelError(
            f"{where}: its matrices do not say where its mass is and how it is stressed; make it from a mesh or a frame"
        )
    omega, rate = (_turn(x, what, where, d) for x, what in ((spin, "spin"), (spin_rate, "spin_rate")))
    O = np.zeros(d) if center is None else checks.vector(center, "center", where, d)
    clamped = np.unique(numbers_of(base, full.nodes, full.sets, f"{where}, base", full.points))
    free = np.flatnonzero(~np.isin(full.node_of, clamped))
    if not len(free):
        raise ModelError(f"{where}: all of its nodes are in its base; nothing can move")
    mass_field = full.mass_field
    P = len(mass_field.positions)
    every = mass_field.displacement
    W = (sp.identity(P * d, format="csr") if every is None else sp.csr_matrix(every))[:, free]
    m, arms = sp.csr_matrix(mass_field.matrix), mass_field.positions - O
    own = float(m.sum())
    total = np.inf if vehicle_mass is None else checks.positive(vehicle_mass, "vehicle_mass", where)
    if total <= own:
        raise ModelError(
            f"{where}: vehicle_mass is {total:g} kg, and the appendage weighs {own:g} kg; give the mass of the whole"
        )
    if vehicle_mass is not None and len(free) > FULL:
        raise ModelError(
            f"{where}: a free vehicle makes full matrices of {len(free)} coordinates; take a coarser mesh, with {FULL} "
            "at most"
        )
    arms = arms - np.asarray(m.sum(axis=0)).ravel() @ arms / total  # from the mass center of the whole
    steady, euler = omega @ omega, rate

    def weighed(X: np.ndarray) -> sp.csr_matrix:
        return (W.T @ sp.kron(m, X) @ W).tocsr()

    pull = m @ (arms @ steady.T)  # ω̃ω̃ r dm
    force = W.T @ -(pull + m @ (arms @ euler.T)).ravel()
    K0 = full.stiffness[free][:, free]
    Kd = sp.csr_matrix(K0.shape)
    if checks.flag(geometric_stiffness, "geometric_stiffness", where) and np.any(steady):
        u = np.zeros(len(full.node_of))
        u[free] = splu(K0.tocsc()).solve(W.T @ -pull.ravel())
        Kd = sp.csr_matrix(full.stress_matrix(u))
        if Kd.shape[0] != len(full.node_of):  # one for all directions
            Kd = sp.kron(Kd, sp.identity(d)).tocsr()
        Kd = Kd[free][:, free]
    centrifugal = weighed(steady) + _of_arms(mass_field, -pull, free)
    parts = {"mass": weighed(np.eye(d)), "gyroscopic": 2.0 * weighed(omega), "circulatory": weighed(euler)}
    if vehicle_mass is not None:
        S = (sp.kron(np.ones(P) @ m, sp.identity(d)) @ W).toarray()  # Σ
        for what, X in (("mass", np.eye(d)), ("gyroscopic", 2.0 * omega), ("circulatory", euler)):
            parts[what] = parts[what].toarray() - S.T @ X @ S / total
        centrifugal = centrifugal.toarray() - S.T @ steady @ S / total
    return Appendage(
        stiffness=K0 + Kd + centrifugal, force=np.asarray(force), elastic=K0, geometric=Kd, centrifugal=centrifugal,
        node_of=full.node_of[free], direction_of=full.direction_of[free], clamped=clamped, **parts,
    )  # fmt: skip


def _turn(value: Any, what: str, where: str, d: int) -> np.ndarray:
    """ω̃ (d, d)."""
    given = np.zeros(3 if d == 3 else 1)
    if value is not None:
        given = checks.vector(checks.row(value, what, where), what, where, len(given))
    x, y, z = given if d == 3 else (0.0, 0.0, given[0])
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])[:d, :d]


def _of_arms(mass_field: MassField, forces: np.ndarray, free: np.ndarray) -> sp.csr_matrix:
    """−Σ f·½ θ̃ θ̃ y as a matrix: what forces f (P, d) on points off the axes of beams do to turns; nothing in solids."""
    n = len(free)
    if mass_field.arms is None:
        return sp.csr_matrix((n, n))
    P, d = mass_field.arms.shape
    T = sp.csr_matrix(mass_field.turning)[:, free]
    along = np.einsum("pd,pd->p", forces, mass_field.arms)
    if d == 2:
        blocks = along[:, None, None]
    else:
        both = np.einsum("pi,pj->pij", forces, mass_field.arms)
        blocks = along[:, None, None] * np.eye(3) - 0.5 * (both + both.transpose(0, 2, 1))
    r = blocks.shape[1]
    middle = sp.bsr_matrix((blocks, np.arange(P), np.arange(P + 1)), shape=(P * r, P * r))
    return (T.T @ middle @ T).tocsr()


def _all_poles(K: np.ndarray, G: np.ndarray, M: np.ndarray) -> np.ndarray:
    """All eigenvalues of λ² M + λ G + K."""
    L = scipy.linalg.cholesky(M, lower=True)

    def scaled(X: np.ndarray) -> np.ndarray:
        return scipy.linalg.solve_triangular(L, scipy.linalg.solve_triangular(L, X, lower=True).T, lower=True).T

    n = len(M)
    return np.asarray(np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [-scaled(K), -scaled(G)]])))


def _smallest_poles(K: Any, G: Any, M: Any, count: int) -> np.ndarray:
    """The smallest eigenvalues of λ² M + λ G + K, `count` pairs and some more, by steps of inverse iteration."""
    n = K.shape[0]
    start = np.random.default_rng(0).standard_normal(n)
    shape = splu(K.tocsc()).solve(M @ start)
    s = float(np.sqrt(abs(shape @ (K @ shape)) / (shape @ (M @ shape))))  # speeds in units of s times displacements
    one = sp.identity(n, format="csr")
    A, B = sp.bmat([[None, s * one], [-K, -s * G]], format="csc"), sp.block_diag([one, s * M], format="csr")
    inverse = splu(A)
    step = LinearOperator(A.shape, lambda x: inverse.solve(B @ x), dtype=float)
    several = min(2 * count + 4, 2 * n - 2)
    v0 = np.concatenate([shape / np.linalg.norm(shape), np.zeros(n)])
    return np.asarray(1.0 / eigs(step, several, v0=v0, ncv=min(4 * several + 20, 2 * n), return_eigenvectors=False))
