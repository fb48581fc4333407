"""The equations of a trim: of rest or steady motion, with as many commands unknown as quantities are held.

    f(q) − B(q) u + Gᵀ λ = 0,    g(q) = 0,    h(q, λ) = c

in the positions q, the multipliers λ and the commands u. Newton's matrix is [K Gᵀ −B; G 0 0; h_q h_λ 0], which is not
symmetric: a motor at one end of a mechanism may hold the other. K follows the commands, since loads that turn along
have a stiffness. The forces are linear in u, so that B is a difference over one unit of a command, without error.

In steady motion a turn of the whole about its axis changes nothing. Either nothing drives it, and the position nearest
to the start is taken; or there is one command more for each of these cyclic motions, and it takes up what brakes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.algebra.factors import Factors, bordered, dense
from flexmb.algebra.newton import Contraction, contracting
from flexmb.analyses.linear.outputs import Outputs
from flexmb.analyses.statics.balance import Balance
from flexmb.analyses.statics.newton import LARGEST_STEP
from flexmb.analyses.statics.spinning import SpinningBalance
from flexmb.errors import EquilibriumError
from flexmb.results.state import State
from flexmb.system.motions import describe_motion

#: the shortest step of the homotopy
SHORTEST = 1e-4
#: corrections after the search, which bring the residual down to rounding
LAST = 2
#: a direction below this part of the largest is not reached
NOTHING = 1e-10


class MovingBalance(Balance):
    """The balance of a mechanism with given speeds and accelerations (n,), `moves`, that do not follow its bending."""

    moves: tuple[np.ndarray, np.ndarray] = (np.zeros(0), np.zeros(0))

    def rates(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.moves

    def _motion(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.system.full(self.moves[0]), self.system.full(self.moves[1])


class TrimEquations:
    """The equations of a trim of a `balance`, in x = (q, λ, u): commands of the components `by`, `held` outputs with
    their `values` (h,)."""

    def __init__(
        self, balance: Balance, by: Sequence[str], held: Sequence[str], values: np.ndarray, where: str
    ) -> None:
        system = balance.system
        self.balance, self.by, self.where, self.values = balance, list(by), where, values
        self.outputs = Outputs(system, list(held))
        self.places = [system.strength_places(name) for name in by]
        self.n, self.m, self.k = balance.n, balance.m, len(by)
        #: rows that hold cyclic motions, and whether a command takes up what brakes them
        self.cyclic = balance._held if isinstance(balance, SpinningBalance) else np.zeros((0, self.n))
        self.driven = len(self.cyclic) > 0 and self.k == len(values) + len(self.cyclic)
        self.iterations = 0
        self._factors: Factors | None = None

    # -- the unknowns -------------------------------------------------------------------------------------------------

    def parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, λ and u; the commands are written into the system."""
        nq = self.balance.system.nq
        u = x[nq + self.m :]
        self.command(u)
        return x[:nq], x[nq : nq + self.m], u

    def command(self, u: np.ndarray) -> None:
        """Write commands (k,) into the parameters of the system."""
        for places, value in zip(self.places, u):
            self.balance.system.plan.p[places] = value

    def moved(self, x: np.ndarray, change: np.ndarray) -> np.ndarray:
        """x after a correction."""
        nq = self.balance.system.nq
        q = self.balance.system.retract(x[:nq], change[: self.n])
        return np.concatenate([q, x[nq:] + change[self.n :]])

    def state(self, x: np.ndarray) -> State:
        """The state with these unknowns."""
        q, lam, _ = self.parts(x)
        return self.balance.state(q, lam)

    def effect(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """−B (n, k): what a unit of each command adds to the forces f."""
        columns = []
        for j in range(self.k):
            pair = []
            for value in (u[j], u[j] + 1.0):
                self.command(np.where(np.arange(self.k) == j, value, u))
                pair.append(self.balance.forces(q))
            columns.append(pair[1] - pair[0])
        self.command(u)
        return np.array(columns).reshape(self.k, self.n).T

    # -- Newton's method ----------------------------------------------------------------------------------------------

    def residual(self, x: np.ndarray) -> np.ndarray:
        """(f + Gᵀ λ, g, h − c)."""
        q, lam, _ = self.parts(x)
        state = self.balance.state(q, lam)
        y = self.outputs.values(np.array([state.t]), *(np.array([z]) for z in (q, state.v, state.a, lam)))[0]
        return np.concatenate([self.balance.residual(q, lam), y - self.values])

    def matrix(self, x: np.ndarray) -> tuple[Any, Any, Any, Any]:
        """K (n, n), G (m, n), −B (n, k) and the derivatives (h, n + m) of what is held."""
        q, lam, u = self.parts(x)
        balance = self.balance
        K, G = balance.tangent(q, lam, (0.0, 0.0, 1.0)), balance.system.jacobian(balance.t, q)
        by = self.outputs.derivatives(balance.state(q, lam))
        along = by.q
        if isinstance(balance, SpinningBalance):
            V, _, bends = balance.rotation.matrices(q)
            along = by.q + np.asarray(by.v @ V) + np.asarray(by.a @ bends)
        return K, G, self.effect(q, u), np.hstack([along, by.lam])

    def factorize(self, x: np.ndarray) -> bool:
        K, G, B, H = self.matrix(x)
        n, m, k, size = self.n, self.m, self.k, self.balance.system.scale
        A = bordered(K, G)
        right = np.vstack([B, np.zeros((m, k))])
        below = H
        if len(self.cyclic):
            below = np.vstack([below, np.hstack([self.cyclic, np.zeros((len(self.cyclic), m))])])
        if len(self.cyclic) and not self.driven:
            right = np.hstack([right, np.vstack([self.cyclic.T, np.zeros((m, len(self.cyclic)))])])
        whole = bordered(A, below, right)
        across = np.concatenate([size, np.ones(whole.shape[0] - n)])
        self._rows, self._columns = _balanced(whole, across)
        scaled = self._rows[:, None] * whole * self._columns if isinstance(whole, np.ndarray) else None
        if scaled is None:
            import scipy.sparse as sp

            scaled = sp.csc_array(sp.diags_array(self._rows) @ whole @ sp.diags_array(self._columns))
        elif not np.all(np.isfinite(scaled)) or np.linalg.cond(scaled) > 1e14:
            return False
        try:
            self._factors = Factors(scaled)
        except np.linalg.LinAlgError:
            return False
        return True

    def solve(self, b: np.ndarray) -> np.ndarray:
        assert self._factors is not None
        right = np.concatenate([b, np.zeros(len(self._rows) - len(b))])
        x = self._columns * self._factors.solve(self._rows * right)
        return x[: self.n + self.m + self.k]

    def size(self, change: np.ndarray) -> float:
        return float(np.max(np.abs(change[: self.n]) / self.balance.system.scale, initial=0.0))

    def found(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, tolerance: float) -> np.ndarray:
        """The solution x that follows continuously from a start, or an EquilibriumError that says why there is none.

        What is out of balance at the start, F₀, vanishes along F(x) = (1 − s) F₀ (Newton's homotopy), in one step if
        the iteration contracts, and otherwise in as short ones as it needs. A rotor behind a gear may turn far.
        """
        x = np.concatenate([q, lam, u])
        rule = Contraction(tolerance, 1e4 * tolerance, 0.5, LARGEST_STEP, 0.5)
        start = self.residual(x)
        if not np.all(np.isfinite(start)):
            raise self._no_trim(x)
        s, ds, self.iterations = 0.0, 1.0, 0
        while s < 1.0:
            if not self.factorize(x):
                raise EquilibriumError(f"{self.where}: {self._dependent(x)}") if s == 0.0 else self._no_trim(x)
            ds = min(ds, 1.0 - s)
            left = (1.0 - s - ds) * start

            def correction(now: np.ndarray, left: np.ndarray = left) -> np.ndarray | None:
                F = self.residual(now) - left
                return -self.solve(F) if np.all(np.isfinite(F)) and self.factorize(now) else None

            ahead = self.moved(x, -ds * self.solve(start))
            there, _, count = contracting(correction, ahead, self.size, rule, self.moved)
            self.iterations += count + 1
            if there is None:
                ds *= 0.5
                if ds < SHORTEST:
                    raise self._no_trim(x)
                continue
            x, s, ds = there, s + ds, 2.0 * ds
        for _ in range(LAST):
            if self.factorize(x):
                x = self.moved(x, -self.solve(self.residual(x)))
        self.parts(x)
        return x

    def imbalance(self, x: np.ndarray) -> float:
        """The largest force out of balance, as a part of the largest of those that balance: forces without commands,
        joint forces and commands."""
        q, lam, u = self.parts(x)
        scale = self.balance.system.scale
        left = np.abs(self.balance.residual(q, lam)[: self.n]) * scale
        joints = self.balance.system.jacobian(self.balance.t, q).T @ lam if self.m else np.zeros(self.n)
        B = self.effect(q, u)
        own = self.balance.forces(q) - B @ u
        largest = max(float(np.max(np.abs(z) * scale, initial=0.0)) for z in (own, joints, B @ u))
        return float(np.max(left, initial=0.0)) / (largest or 1.0)

    # -- why there is no trim -----------------------------------------------------------------------------------------

    def check_counts(self) -> None:
        """Refuse other numbers of commands than of what they hold."""
        held, cyclic = len(self.values), len(self.cyclic)
        if self.k == held or self.driven:
            return
        more = f" (or {held + cyclic}: one for each motion that nothing resists)" if cyclic else ""
        raise EquilibriumError(
            f"{self.where}: {self.k} commands ({', '.join(self.by) or 'none'}) cannot hold {held} quantities "
            f"({', '.join(self.outputs.names) or 'none'}); give as many names in by as in hold{more}"
        )

    def _no_trim(self, x: np.ndarray) -> EquilibriumError:
        """The error of a search that ended at x."""
        q, lam, _ = self.parts(x)
        F, names = self.residual(x), self.outputs.names
        if not np.all(np.isfinite(F)):
            why = f"it leads to a position in which {self.balance.not_finite(q, lam)}; give another start, initial=…"
            return EquilibriumError(f"{self.where}: {why}")
        reached, wanted = (
            ", ".join(f"{name} = {value:.6g}" for name, value in zip(names, values))
            for values in (F[self.n + self.m :] + self.values, self.values)
        )
        return EquilibriumError(
            f"{self.where}: there is no trim with {wanted or 'nothing held'} that follows on from the start; the "
            f"search came as far as {reached or 'the start'}; hold what the mechanism can reach, or begin nearer to "
            "it, initial=…"
        )

    def _dependent(self, x: np.ndarray) -> str:
        """The commands, held quantities or motions that make the equations singular."""
        K, G, B, H = (dense(z) for z in self.matrix(x))
        scale, names = self.balance.system.scale, self.outputs.names
        free = _null_space(G * scale) if self.m else np.eye(self.n)
        rows = (H[:, : self.n] * scale) @ free
        idle = [name for name, row, all_of in zip(names, rows, H) if not _large(row, all_of[: self.n] * scale)]
        if idle and not H[:, self.n :].any():
            return f"joints and drives hold {', '.join(idle)} by themselves; hold something that can move"
        if len(rows) and not H[:, self.n :].any() and _rank(rows) < len(rows):
            return f"the held quantities {', '.join(names)} depend on each other; hold others, or fewer"
        pushes = free.T @ (B * scale[:, None])
        idle = [name for name, column, all_of in zip(self.by, pushes.T, B.T) if not _large(column, all_of * scale)]
        if idle:
            return f"joints and drives take up all that {', '.join(idle)} does; give commands of what can move"
        if self.k and _rank(pushes.T) < self.k:
            return f"the commands {', '.join(self.by)} depend on each other: they push alike; give others, or fewer"
        stiff = free.T @ (K * np.outer(scale, scale)) @ free
        both = np.hstack([stiff / (np.abs(stiff).max() or 1.0), pushes / np.abs(pushes).max(initial=1e-300)])
        left, sizes, _ = np.linalg.svd(both)
        if len(sizes) < len(left) or sizes[-1] < NOTHING * sizes[0]:
            motion = describe_motion(self.balance.system, scale * (free @ left[:, -1]))
            return f"nothing resists this motion, and no command acts on it: {motion}; give a command of it, or hold it"
        pairs = f"{', '.join(self.by) or 'no command'} and {', '.join(names) or 'nothing'}"
        return f"the commands do not act on what is held ({pairs}), or not on all of it; give others"


def _balanced(A: Any, across: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of rows and columns that make a matrix one of entries of a like size; `across`: units of the columns."""
    size = abs(A)
    columns = across.copy()
    rows = np.ones(len(across))
    for _ in range(4):
        largest = _largest(size, columns, axis=1)
        rows = 1.0 / np.where(largest > 0.0, largest, 1.0)
        largest = _largest(size.T, rows, axis=1)
        columns = 1.0 / np.where(largest > 0.0, largest, 1.0)
    return rows, columns


def _largest(A: Any, by: np.ndarray, axis: int) -> np.ndarray:
    scaled = A * by if isinstance(A, np.ndarray) else A.multiply(by[None, :])
    found = scaled.max(axis=axis)
    return np.asarray(found if isinstance(found, np.ndarray) else found.toarray()).ravel()


def _null_space(G: np.ndarray) -> np.ndarray:
    _, sizes, right = np.linalg.svd(G)
    return np.asarray(right[int(np.sum(sizes > NOTHING * sizes.max(initial=1e-300))) :].T)


def _large(row: np.ndarray, whole: np.ndarray) -> bool:
    return bool(np.linalg.norm(row) > NOTHING * max(float(np.linalg.norm(whole)), 1e-300))


def _rank(rows: np.ndarray) -> int:
    size = np.linalg.norm(rows, axis=1, keepdims=True)
    return int(np.linalg.matrix_rank(rows / np.where(size > 0.0, size, 1.0), tol=1e-8))
