"""Loop closure in joint coordinates: the constraint rows of the joints that close loops, and their distance from a
singular position.

In joint coordinates x and speeds u all joints of the tree are satisfied identically; the joints that close its loops
leave rows g(x) = 0 with

    ġ = C u,    g̈ = C u̇ − c

where C = G J with the rows G of those joints and the velocities v = J u that the joint speeds give the system, and
c = γ − G J̇ u. Redundant rows are the rule: three of the five rows of the hinge that closes a spatial four-bar are
redundant. The `rank` of C is its rank in a position that is not singular. With the mass matrix M = L Lᵀ, σ is the
`rank`-th singular value of C L⁻ᵀ. It goes to zero in a singular position, where the mechanism may have more degrees of
freedom than elsewhere.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from flexmb.algebra.factors import dense
from flexmb.algebra.rank import shortest_way
from flexmb.errors import FormulationError, ModelError
from flexmb.formulations.tree.coordinates import move, normalize
from flexmb.formulations.tree.inertial import refuse_friction
from flexmb.formulations.tree.tree import Tree
from flexmb.model import checks
from flexmb.model.model import Model
from flexmb.results.solution import Solution

#: a singular value below this fraction of the largest marks a redundant row
REPEATED = 1e-7
#: Rows that constrain nothing, such as those of a second weld beside a first one, are rounding errors: their singular
#: values are below this fraction of those of rows of size one.
NOTHING = 1e-12
#: Closing the loops takes at most SWEEPS corrections and ends when the error, in units of the model, is below CLOSED or
#: stalls at rounding; a remaining error above OPEN means that they cannot be closed.
SWEEPS, CLOSED, OPEN = 20, 1e-15, 1e-9
#: distance of the positions beside the start at which the rank is evaluated too
BESIDE = 0.05


class Rows(NamedTuple):
    """The loop rows in a state, in units of the model: errors g (m,), their rates ġ (m,), C (m, nv) and c (m,)."""

    g: np.ndarray
    rates: np.ndarray
    C: np.ndarray
    c: np.ndarray


class Parts(NamedTuple):
    """The decomposition C L⁻ᵀ = U diag(s) Vᵀ cut to the rank r of the loops: U (m, r), s (r,), V (nv, nv), and L⁻ᵀ
    (nv, nv) in `root`."""

    U: np.ndarray
    s: np.ndarray
    V: np.ndarray
    root: np.ndarray

    def shortest(self, off: np.ndarray) -> np.ndarray:
        """The y (nv,) with C y = off, off (m,), that is smallest in the norm of the mass matrix; only independent
        combinations of rows are used."""
        r = len(self.s)
        return np.asarray(self.root @ (self.V[:, :r] @ ((self.U.T @ off) / self.s)))


class Loops:
    """The rows that close the loops of a model, or of its tree.

    >>> import flexmb as fm
    >>> from flexmb.examples.four_bar import build
    >>> tree = fm.Tree.of(build())
    >>> loops = fm.Loops(tree)
    >>> tree.chords, loops.rank, tree.nv
    (['right top'], 2, 3)
    >>> q, _ = tree.start()
    >>> round(loops.sigma(q), 2)  # 135° from the upward vertical; it is zero where the cranks lie level
    0.72
    """

    def __init__(self, model: Model | Tree) -> None:
        self.tree = tree = Tree.fitting(model)
        self.system = tree.system
        closing = set(tree.chords)
        self._refuse()
        #: indices of the loop rows among the rows of the system
        self.rows = np.array(
            [k for k, row in enumerate(self.system.rows) if row.owner in closing and k not in tree.tied.rows],
            dtype=np.int64,
        )
        self._units = self.system.row_scale[self.rows]
        self._q, (self._v, self._a) = self.system.initial.copy(), np.zeros((2, self.system.plan.total))
        self._still = np.zeros(tree.nv)

    def _refuse(self) -> None:
        tree, where = self.tree, f"loops of {self.tree.model.where}"
        refuse_friction(self.system, where)
        known, besides = {*tree.joints, *tree.chords}, tree.rows_of_places().union(tree.tied.rows)
        for k, row in enumerate(self.system.rows):
            if row.owner not in known and k not in besides:
                raise FormulationError(
                    f"{where}: {row.owner!r} holds the mechanism by rows of its own; loops in joint coordinates are "
                    "those of joints that are motions one behind the other; simulate the model without a formulation"
                )

    @cached_property
    def rank(self) -> int:
        """Number of independent loop rows: the largest rank found at the start of the model and at two positions beside
        it."""
        if not len(self.rows):
            return 0
        (x, _), rng = self._near(self.tree.start()[0], False), np.random.default_rng(0)
        ranks = []
        for _ in range(3):
            s, V, root = self._decomposed(x)
            ranks.append(int(np.sum(s > max(REPEATED * s[0], NOTHING * np.linalg.norm(root, 2)))))
            free = V[:, ranks[-1] :]
            beside = root @ (free @ rng.normal(size=free.shape[1]))  # light freedoms move the farthest
            largest = np.max(np.abs(self.columns(x) @ beside) / self.system.scale, initial=0.0)
            x, _ = self._near(self.moved(x, BESIDE / largest * beside if largest else beside), False)
        return max(ranks)

    def _decomposed(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All singular values of C L⁻ᵀ, its V (nv, nv), and L⁻ᵀ (nv, nv)."""
        root = self._inverse_root(x)
        _, s, Vt = np.linalg.svd(self.at(x).C @ root)
        return s, Vt.T, root

    def _near(self, x: np.ndarray, known: bool) -> tuple[np.ndarray, float]:
        """x moved onto g = 0, and the error that is left; by as many independent rows as there are, if that is
        `known`."""
        x, off = np.array(x, dtype=float), np.inf
        for _ in range(SWEEPS):
            rows = self.at(x)
            before, off = off, float(np.max(np.abs(rows.g)))
            if not CLOSED < off < (np.inf if known else 1.0) or (off < OPEN and off > 0.5 * before):
                break
            if known:
                x = self.moved(x, -self.parts(x, rows.C).shortest(rows.g))
            else:
                root = self._inverse_root(x)
                x = self.moved(x, root @ shortest_way(rows.C @ root, rows.g))
        return x, off

    # -- rows ---------------------------------------------------------------------------------------------------------

    def columns(self, x: np.ndarray) -> np.ndarray:
        """J (n, nv): the velocities v = J u of the system for each joint speed."""
        J = np.zeros((self.system.n, self.tree.nv))
        for j, unit in enumerate(np.eye(self.tree.nv)):
            self.tree.put(x, unit, self._still, self._q, self._v, self._a)
            J[:, j] = self._v[: self.system.n]
        self.tree.tied.put_columns(0.0, self._q[: self.system.nq], J)
        return J

    def at(self, x: np.ndarray, u: np.ndarray | None = None) -> Rows:
        """The rows in a state; at rest when u is not given."""
        J, system = self.columns(x), self.system
        self.tree.put(x, self._still if u is None else u, self._still, self._q, self._v, self._a)
        q, v, a = self._q[: system.nq], self._v[: system.n], self._a[: system.n]
        self.tree.tied.put(0.0, q, v, a)
        g, rates, gamma = (row[self.rows] / self._units for row in system.constraint(0.0, q, v))
        G = dense(system.jacobian(0.0, q))[self.rows] / self._units[:, None]
        return Rows(g, rates, G @ J, gamma - G @ a)

    def parts(self, x: np.ndarray, C: np.ndarray) -> Parts:
        """Decompose the rows C (m, nv) in the metric of the mass matrix."""
        root = self._inverse_root(x)
        U, s, Vt = np.linalg.svd(C @ root)
        r = self.rank
        return Parts(U[:, :r], s[:r], Vt.T, root)

    def _inverse_root(self, x: np.ndarray) -> np.ndarray:
        """L⁻ᵀ (nv, nv) of the mass matrix M = L Lᵀ in joint coordinates."""
        J = self.columns(x)
        M = self.system.mass_matrix(0.0, self._q[: self.system.nq])
        inertia = J.T @ (M @ J)
        try:
            L = np.linalg.cholesky(inertia)
        except np.linalg.LinAlgError:
            raise self._without_inertia(inertia) from None
        return np.asarray(np.linalg.inv(L).T)

    def _without_inertia(self, inertia: np.ndarray) -> FormulationError:
        """The error for a singular mass matrix; it names the first joint speed without inertia of its own."""
        least = [np.linalg.eigvalsh(inertia[:k, :k])[0] for k in range(1, len(inertia) + 1)]
        found = next((k for k, value in enumerate(least) if not value > 0.0), len(least) - 1)
        return FormulationError(
            f"loops of {self.tree.model.where}: {self.tree.names[found]!r} moves a link that, with all that it "
            "carries, has no inertia against this motion; give it mass, or a moment of inertia about that axis"
        )

    # -- distance from singular positions -----------------------------------------------------------------------------

    def singular_values(self, x: np.ndarray) -> np.ndarray:
        """The singular values of C L⁻ᵀ (min(m, nv),), largest first."""
        x = self._position(x)
        return np.asarray(np.linalg.svd(self.at(x).C @ self._inverse_root(x), compute_uv=False))

    def _position(self, x: Any) -> np.ndarray:
        return self.tree.position(x, f"loops of {self.tree.model.where}")

    def sigma(self, x: np.ndarray) -> float:
        """σ: zero in a singular position; infinite without loops."""
        x = self._position(x)
        return float(self.singular_values(x)[self.rank - 1]) if self.rank else np.inf

    def along(self, solution: Solution) -> np.ndarray:
        """σ at the times of a solution of the same model, (k,)."""
        where = f"loops of {self.tree.model.where}"
        if not isinstance(solution, Solution):
            raise ModelError(f"{where}: along takes a solution of fm.simulate, not {checks.quoted(solution)}")
        system, x = self.system, self.tree.start()[0]
        if solution.coordinate_names != system.coordinate_names:
            raise ModelError(f"{where}: {solution.where} has other coordinates; give a solution of this model")
        found = np.empty(len(solution.t))
        for k, q in enumerate(solution.q):
            x = self.tree.of_system(system.full_q(q), np.zeros(system.plan.total), x)[0]
            found[k] = self.sigma(x)
        return found

    # -- motion -------------------------------------------------------------------------------------------------------

    def moved(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Joint coordinates x (nq,) moved by the increment y (nv,): q ∘ exp y for quaternions."""
        out = np.empty(self.tree.nq)
        move(self.tree.arrays.joints, x, y, out)
        normalize(self.tree.arrays.joints, out)
        return out

    def closed(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The nearest state, in the norm of the mass matrix, with g = 0 and ġ = 0."""
        if not self.rank:
            return x, u
        x, off = self._near(x, True)
        if not off < OPEN:  # also true for NaN
            raise FormulationError(
                f"loops of {self.tree.model.where}: joints {', '.join(map(repr, self.tree.chords))} cannot be closed: "
                f"an error of {off:.2g} is left"
            )
        rows = self.at(x, u)
        return x, u - self.parts(x, rows.C).shortest(rows.rates)

    def accelerations(self, x: np.ndarray, u: np.ndarray, t: float = 0.0) -> np.ndarray:
        """u̇ (nv,) of Lagrange's equations with the loops closed, under the forces of all components at a time [s]."""
        system, J = self.system, self.columns(x)
        rows = self.at(x, u)
        q, v, a = self._q[: system.nq], self._v[: system.n], self._a[: system.n]
        parts, r = self.parts(x, rows.C), self.rank
        self.tree.put(x, u, self._still, self._q, self._v, self._a)
        self.tree.tied.put(t, q, v, a)
        free = -(parts.root.T @ (J.T @ system.residual(t, q, v, a)))
        along = parts.V[:, r:] @ (parts.V[:, r:].T @ free)
        return np.asarray(parts.shortest(rows.c) + parts.root @ along)
