"""The equations of steady motion: M a + f(t, q, v) + Gᵀ λ = 0, g(q) = 0 with the speeds and accelerations of a turning
mechanism, :mod:`flexmb.analyses.statics.rotation`.

Nothing may resist a turn of the whole about its axis, a way along it, or the turn of what spins besides. Such cyclic
motions, which change neither forces nor constraints, make the tangent singular; the position that is nearest to the
start is then taken among all that are alike. A force along them would make the mechanism turn faster and faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered
from flexmb.analyses.statics.balance import Balance
from flexmb.analyses.statics.other_rows import multipliers_against
from flexmb.analyses.statics.rotation import SteadyRotation, turns
from flexmb.errors import EquilibriumError
from flexmb.kernels.blocks import ANGLE, FREE, PLACE
from flexmb.model.appearance import BeamPlace
from flexmb.results.state import State
from flexmb.system.motions import describe_motion
from flexmb.system.system import System

#: a motion is cyclic if it changes forces by no more than this part of what their terms do
CYCLIC = 1e-8
#: terms below this part of the largest are rounding
NOTHING = 1e-13
#: a mechanism turns steadily if its rates change by no more than this part in a radian
SAME_RATE = 1e-7
#: forces are as much in balance, a radian later, as this part of them
SAME_BALANCE = 1e-6
#: forces out of balance may grow so many times by rounding
ROUNDING = 100.0
#: condition of a matrix that is singular
SINGULAR = 1e15


def holding(system: System, motions: np.ndarray) -> np.ndarray:
    """Rows (k, n) that hold motions (n, k): those across them, in scaled coordinates, stay free."""
    return np.asarray((motions / system.scale[:, None] ** 2 * np.min(system.scale)).T)


class SpinningBalance(Balance):
    """The equations of a steady motion, `rotation`, of a system."""

    def __init__(
        self,
        system: System,
        t: float,
        rotation: SteadyRotation,
        unloaded: System | None = None,
        rotors: Sequence[np.ndarray] = (),
    ) -> None:
        super().__init__(system, t, unloaded)
        self.rotation = rotation
        #: numbers (3,) of the speeds of bodies that may turn about any axis of their own
        self.rotors = [numbers for numbers in rotors if not self._spin_at(numbers).any()]
        #: rows (k, n) that hold the cyclic motions
        self._held = np.zeros((0, self.n))

    def _spin_at(self, numbers: np.ndarray) -> np.ndarray:
        """What spins besides (3,) at these numbers."""
        return np.zeros(3) if self.rotation.besides is None else self.rotation.besides[numbers]

    def hold_cyclic(self, q: np.ndarray) -> None:
        """Find the cyclic motions at a position, and hold them from now on."""
        self.cyclic = self.cyclic_at(q)
        self._held = holding(self.system, self.cyclic)

    def factorize(self, q: np.ndarray, lam: np.ndarray, inertia: float = 0.0) -> bool:
        A = self.tangent(q, lam, (inertia, 0.0, 1.0)) / self.stiffness
        G = self.system.jacobian(self.t, q)
        if len(self._held):
            G = np.vstack([G, self._held]) if isinstance(G, np.ndarray) else sp.vstack([G, sp.csc_array(self._held)])
        full = bordered(A, G)
        if isinstance(full, np.ndarray) and (not np.all(np.isfinite(full)) or self._singular(full)):
            return False
        try:
            self._factors = Factors(full)
        except np.linalg.LinAlgError:
            return False
        return True

    def _singular(self, full: np.ndarray) -> bool:
        """Whether a matrix is singular, as it stands and in units of the mechanism."""
        if np.linalg.cond(full) <= SINGULAR:
            return False
        scale = self.system.scale
        size = np.concatenate([scale, np.full(len(full) - self.n, 1.0)])
        scaled = full * np.outer(size, size)
        for _ in range(3):  # rows and columns of a like size
            by = 1.0 / np.sqrt(np.maximum(np.max(np.abs(scaled), axis=1), 1e-300))
            scaled = scaled * np.outer(by, by)
        return bool(np.linalg.cond(scaled) > SINGULAR)

    def solve(self, b: np.ndarray) -> np.ndarray:
        x = self._factors.solve(np.concatenate([b[: self.n] / self.stiffness, b[self.n :], np.zeros(len(self._held))]))
        x = x[: self.n + self.m]
        x[self.n :] *= self.stiffness
        return x

    def tangent(self, q: np.ndarray, lam: np.ndarray, weights: tuple[float, float, float]) -> Any:
        """wm M + wd D + wk K̂ (n, n), K̂ in axes that turn along."""
        M, D, K = self._plain_tangents(q, lam)
        wm, wd, wk = weights
        return wm * M + wd * D + wk * self.rotation.stiffness(M, D, K, q)

    def _plain_tangents(self, q: np.ndarray, lam: np.ndarray) -> list[Any]:
        """M, D and K (n, n), in axes that do not turn along."""
        weights = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        return [super(SpinningBalance, self).tangent(q, lam, w) for w in weights]

    def rates(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.rotation.rates(q)

    def _motion(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        v, a = self.rates(q)
        return self.system.full(v), self.system.full(a)

    # -- cyclic motions -----------------------------------------------------------------------------------------------

    def cyclic_now(self, q: np.ndarray) -> np.ndarray:
        found = self.cyclic_at(q) if self.cyclic.shape[1] else self.cyclic
        return found if found.shape == self.cyclic.shape else self.cyclic  # as many along a whole path

    def cyclic_at(self, q: np.ndarray) -> np.ndarray:
        """The cyclic motions (n, k) at a position."""
        columns, follows = self._candidates(q)
        if not len(columns):
            return np.zeros((self.n, 0))
        system, unit = self.system, 1.0 / np.max(np.abs(columns / self.system.scale), axis=1)
        C, follow = columns.T * unit, follows.T * unit
        M, D, K = self._plain_tangents(q, np.zeros(self.m))
        V, _, B = self.rotation.matrices(q)
        # terms of K̂ may cancel one another, as weight and centrifugal forces on an orbit do
        change = K @ C + D @ (V @ C) + M @ (B @ C) - follow

        def terms(moved: np.ndarray) -> np.ndarray:
            return np.asarray(abs(K) @ moved + abs(D) @ (abs(V) @ moved) + abs(M) @ (abs(B) @ moved))

        # where the whole stands on its axis all terms of a turn are rounding, so they count beside those of any motion
        parts = [(change, terms(np.abs(C)) + np.abs(follow), terms(system.scale), system.scale)]
        if self.m:
            G = system.jacobian(self.t, q)
            parts.append((G @ C, abs(G) @ np.abs(C), abs(G) @ system.scale, 1.0 / system.row_scale))
        rows = []
        for change, size, any_motion, by in parts:
            scaled = (size.T * by).T
            floor = NOTHING * max(float(np.max(scaled, initial=0.0)), 1e-300)
            own = np.maximum(np.max(scaled, axis=1), NOTHING / CYCLIC * any_motion * by)
            rows.append((change.T * by).T / np.maximum(own, floor)[:, None])
        _, sizes, combinations = np.linalg.svd(np.vstack(rows), full_matrices=True)
        sizes = np.append(sizes, np.zeros(len(combinations) - len(sizes)))
        found = C @ combinations[sizes <= CYCLIC].T / system.scale[:, None]
        left, sizes, _ = np.linalg.svd(found, full_matrices=False)  # candidates may be the same motion
        found = left[:, sizes > CYCLIC] * system.scale[:, None]
        return np.asarray(found / np.max(np.abs(found / system.scale[:, None]), axis=0)) if found.size else found

    def _candidates(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Motions (k, n) that may be cyclic, and how forces (k, n) turn along with them: turns of the whole about the
        axis and ways along it (about all and along all, where the whole does not turn), turns of what spins besides."""
        system, rotation, n = self.system, self.rotation, self.n
        f, d = self.forces(q), system.model.dimension
        columns, follows = [], []
        axes = [rotation.axis] if rotation.spin or d == 2 else list(np.eye(3))
        for axis in axes:
            about = SteadyRotation(1.0, rotation.center, system, axis)
            columns.append(about.rates(q)[0])
            follows.append(about.S @ f)
        for way in list(np.eye(2)) * (rotation.spin == 0.0) if d == 2 else axes:
            along = np.zeros(n)
            along[system.assembly.free.numbers_of(PLACE, d)] = way
            columns.append(along)
            follows.append(np.zeros(n))
        own_axes = [(numbers, spin) for numbers, spin in zip(turns(system), rotation.spins()) if spin.any()]
        for numbers, spin in own_axes + [(numbers, axis) for numbers in self.rotors for axis in np.eye(3)]:
            own, turning = np.zeros((2, n))
            own[numbers] = spin / np.linalg.norm(spin)
            turning[numbers] = -np.cross(own[numbers], f[numbers])
            columns.append(own)
            follows.append(turning)
        free = system.assembly.free.mask(FREE)
        if rotation.besides is not None:
            free |= system.assembly.free.mask(ANGLE) & (rotation.besides != 0.0)
        for number in np.flatnonzero(free):
            columns.append((np.arange(n) == number).astype(float))
            follows.append(np.zeros(n))
        return np.array(columns), np.array(follows)

    # -- what a steady motion has to fulfil ---------------------------------------------------------------------------

    def check(self, state: State, where: str) -> None:
        """Raise an EquilibriumError if the joints and drives do not allow the steady motion, or if it does not go on
        in the same way."""
        self._check_rates(state, where)
        self._check_cyclic_forces(state, where)
        self._check_later(state, where)

    def _check_rates(self, state: State, where: str) -> None:
        system, spin = self.system, self.rotation.spin
        for instance in system.assembly.instances if spin else ():
            if isinstance(instance.owner.place(), BeamPlace) and np.any(instance.speeds >= system.n):
                raise EquilibriumError(
                    f"{where}: {instance.owner.where} is clamped to a frame that is fixed in space and does not turn "
                    f"at {spin:g} rad/s; let it turn (a revolute joint) and drive it at that speed"
                )
        if not system.m:
            return
        _, gd, _ = system.constraint(state.t, state.q, state.v)
        off = np.abs(gd) / system.row_scale
        k = int(np.argmax(off))
        if off[k] > 1e-6 * max(1.0, abs(spin)):
            about = "the center" if system.model.dimension == 2 else "the axis and the center"
            raise EquilibriumError(
                f"{where}: {system.rows[k].where} does not turn at the spin of {spin:g} rad/s (off by {gd[k]:.3g}); "
                f"drive it at that speed at the time t, or give {about} about which everything turns; what spins "
                "besides is given by rotors"
            )

    def _check_cyclic_forces(self, state: State, where: str) -> None:
        system, rate = self.system, self.rotation.rate
        F = self.residual(state.q, state.lam)[: self.n]
        M = system.mass_matrix(self.t, state.q)
        rounding = ROUNDING * NOTHING * self.stiffness * system.length_scale
        for z in self.cyclic.T:
            growth = abs(float(z @ F)) / max(float(z @ (M @ z)), 1e-300)
            if growth > SAME_RATE * rate**2 and abs(z @ F) > rounding * np.max(np.abs(z)):
                raise EquilibriumError(
                    f"{where}: it does not turn steadily: a force of {abs(z @ F):.3g} (or a moment) makes it go faster "
                    f"or slower along this motion: {describe_motion(system, z)}; take that force away, or drive the "
                    "motion"
                )

    def _check_later(self, state: State, where: str) -> None:
        """The balance a radian later, joint forces found anew."""
        system, rotation = self.system, self.rotation
        if rotation.rate == 0.0:
            return
        h = 1.0 / rotation.rate
        t, (q, v) = state.t + h, rotation.after(h, state.q, state.v)
        a = rotation.accelerations(q, v)
        advice = (
            "what is fixed in space and acts on it off its axis, or changes with time, lets it turn in no steady way; "
            "what spins besides is given by rotors"
        )
        if system.m:
            g, gd, gamma = system.constraint(t, q, v)
            gdd = np.asarray(system.jacobian(t, q) @ a) - gamma
            fast = max(abs(rotation.rate), float(np.max(np.abs(v) / system.scale)))
            off = np.max(np.abs([g, gd / fast, gdd / fast**2]), axis=0) / system.row_scale
            k = int(np.argmax(off))
            if off[k] > SAME_BALANCE:
                raise EquilibriumError(
                    f"{where}: it does not turn steadily: {h:.3g} s later {system.rows[k].where} would be off by "
                    f"{off[k]:.2g} (rad, or lengths of the mechanism); {advice}"
                )
        self.t = t
        r = self.forces(q)
        held = system.jacobian(t, q).T @ multipliers_against(system, t, q, r) if system.m else np.zeros(self.n)
        self.t = state.t
        off = np.abs(r + held) * system.scale
        size = max(float(np.max(np.abs(r) * system.scale)), float(np.max(np.abs(held) * system.scale)))
        size = max(size, SAME_BALANCE * system.mass_scale * (rotation.rate * system.length_scale) ** 2)
        # stiff parts make forces of the rounding of places, which are in the balance that was found as well
        now = self.residual(state.q, state.lam)[: self.n]
        size = max(size, ROUNDING / SAME_BALANCE * float(np.max(np.abs(now) * system.scale)))
        k = int(np.argmax(off))
        if off[k] > SAME_BALANCE * size:
            raise EquilibriumError(
                f"{where}: it does not turn steadily: {h:.3g} s later the forces on {system.names[k]!r} are out of "
                f"balance by {off[k] / size:.2g} of the largest; {advice}"
            )
