"""The adjoint method: backwards in time with the transposed matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.algebra.factors import Factors
from flexmb.analyses.sensitivity.propagation import Method
from flexmb.analyses.sensitivity.sampled import SampledController, SampledRun, commanded
from flexmb.analyses.sensitivity.start import Start
from flexmb.results.state import State
from flexmb.system.row_slopes import row_slopes


class AdjointMethod(Method):
    """The adjoint method: backward with the transposed matrices. L_x are the derivatives of the quantities by what the
    recursion has at a time, (n, quantities)."""

    @classmethod
    def matrix(cls, pieces: list[Any]) -> np.ndarray:
        """The derivatives (quantities, parameters) by the methods of all pieces of a run."""
        last = pieces[-1]
        ends = np.zeros((2, last.n, last.by_y.shape[1]))
        out: np.ndarray = np.zeros((last.by_y.shape[1], len(last.names)))
        for piece in reversed(pieces):
            own, Lq, Lv, La, Lalg, acts = piece.backward(*ends)
            out += own
            if piece is pieces[0]:
                out += piece.by_start(Lq, Lv, La, Lalg, acts)
                continue
            again = piece.restart()
            for p, neighbors in enumerate(piece.neighbors):
                da, dv, dalg = again.by_parameter(neighbors)
                out[:, p] += La.T @ da + Lv.T @ dv + Lalg.T @ dalg
            by_q, by_v = again.carried_back(La, Lv, Lalg)
            ends = np.array([Lq + by_q, by_v])
        return out

    def by_start(
        self, Lq: np.ndarray, Lv: np.ndarray, La: np.ndarray, Lalg: np.ndarray, acts: _ActsBackwards | None
    ) -> np.ndarray:
        """Contribution of the start of the run to the derivatives (quantities, parameters)."""
        out = np.zeros((self.by_y.shape[1], len(self.names)))
        rows = self._state_derivatives(0)
        for p, d in enumerate(self.first_start()):
            out[:, p] = self.by_y[0] * self.explicit[p, 0]
            out[:, p] += Lq.T @ d.q + Lv.T @ d.v + La.T @ d.after + Lalg.T @ d.alg
            out[:, p] += rows.q @ d.q + rows.v @ d.kept + rows.a @ d.a + rows.lam @ d.lam
            if acts is not None:
                out[:, p] += acts.by_start(d)
        return out

    def backward(self, end_q: np.ndarray, end_v: np.ndarray) -> tuple[Any, ...]:
        """What a piece adds to the derivatives (quantities, parameters), and the derivatives (n, j) of all that comes
        from its start on by q, v̂, a and â there; those by q and kept v at its end of what comes later are given.
        Behind these, what controllers do, backwards."""
        s, n, m, h = self.s, self.n, self.m, self.s.h
        on_alg, on_v, on_a = s.on
        quantities, count = self.by_y.shape[1], len(self.names)
        Lq, Lv, La, Lalg = np.zeros((4, n, quantities))
        out = np.zeros((quantities, count))
        k = len(self.track.t)
        acts = None if self.sampled is None else _ActsBackwards(self, self.sampled, out)
        for i in range(k - 1, 0, -1):
            seen = [*np.zeros((3, n, quantities)), np.zeros((m, quantities))]  # by q, kept v, a, λ
            if np.any(self.by_y[i]):
                seen = [np.array(x.T) for x in self._state_derivatives(i)[1:]]
                out += np.einsum("j,pj->jp", self.by_y[i], self.explicit[:, i])
            if i == k - 1:
                seen[0] += end_q
                seen[1] += end_v
            before = np.zeros((n, quantities))  # by the accelerations with which the step that ends here began
            if acts is not None and i < k - 1:
                La, Lalg, before = acts.at(i, La, Lalg, seen)
            T = self.rate_map(i)
            factors, M, D = self._step_matrix_held(i, T)
            Yv = seen[1].T
            project = m and Yv.any()
            if project:
                t, q, v = float(self.track.t[i]), self.track.q[i], self.track.kept[i]
                G, H = self.system.jacobian(t, q), row_slopes(self.system, t, q, v, np.zeros(n))[0]
            for _ in range(self.sweeps if project else 0):
                # kept speeds are projected: δv − x, with x from the same factors
                turned = Yv.T if T is None else T.T @ Yv.T
                back = factors.solve_transposed(np.vstack([turned, np.zeros((m, quantities))]))[n:]
                out -= back.T @ self.right[:, i, n + m :].T
                Lq -= H.T @ back
                Yv = Yv - back.T @ G
            Lq, Lv, La = Lq + seen[0], Lv + Yv.T, La + seen[2]
            w = (Lq if T is None else T.T @ Lq) + on_alg * Lalg + on_v * Lv + on_a * La
            x = factors.solve_transposed(np.vstack([w, seen[3]]))
            mu = x[:n]
            out -= x.T @ self.right[:, i, : n + m].T
            if acts is not None:
                acts.hold(i, mu)
            pa = La - M.T @ mu
            pv = Lv - D.T @ x
            palg = Lalg + h * s.gamma * pv + (1.0 - s.am) / (1.0 - s.af) * pa
            Lq = -on_alg * (palg if T is None else np.asarray(Factors(T).solve(palg)))
            Lv, La, Lalg = (
                pv - h * on_alg * palg,
                -s.af / (1.0 - s.af) * pa + before,
                h * (1.0 - s.gamma) * pv + s.am / (1.0 - s.af) * pa - h * h * (0.5 - s.beta) * on_alg * palg,
            )
        return out, Lq, Lv, La, Lalg, acts

    def _step_matrix_held(self, i: int, T: Any) -> tuple[Factors, Any, Any]:
        """The matrices of the step that ends at i, with the commands that it holds."""
        if self.sampled is None:
            return self.step_matrix(i, T)
        with commanded(self.system, self.sampled.names, self.sampled.held[i - 1]):
            return self.step_matrix(i, T)

    def _state_derivatives(self, i: int) -> Any:
        """Derivatives of the quantities by the state at time number i, (quantities, n) each."""
        track = self.track
        by = self.outputs.derivatives(
            State(self.system, float(track.t[i]), track.q[i], track.kept[i], track.a[i], track.lam[i])
        )
        share = self.by_y[i][:, None]
        return by._replace(q=share * by.q, v=share * by.v, a=share * by.a, lam=share * by.lam)


class _ActsBackwards:
    """What controllers do, backwards: derivatives of the quantities by their commands at all instants and by their
    memories; `out` (quantities, p) gets what parameters do there."""

    def __init__(self, method: Method, sampled: SampledRun, out: np.ndarray) -> None:
        self.method, self.sampled, self.out = method, sampled, out
        quantities = len(out)
        self.commands = [np.zeros((len(c.decides), c.commands.shape[1], quantities)) for c in sampled.controllers]
        self.memory = [np.zeros((len(c.law.A), quantities)) for c in sampled.controllers]

    def _add(self, k: int, L: np.ndarray) -> None:
        """Add derivatives L (commands, quantities) by the commands that are held from a time on."""
        for number, c in enumerate(self.sampled.controllers):
            if k >= c.delay:
                self.commands[number][(k - c.delay) // c.period] += L[c.own]

    def hold(self, i: int, mu: np.ndarray) -> None:
        """Derivatives by the commands that the step which ends at a time holds, from those by its forces."""
        self._add(i - 1, self.sampled.by_command[i].T @ mu)

    def at(
        self, k: int, La: np.ndarray, Lalg: np.ndarray, seen: list[np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Go back through a time: La and Lalg before it, and the derivatives by the accelerations with which the step
        before began; `seen` are those by q, kept speeds, a and λ, to which the controllers add."""
        method, sampled = self.method, self.sampled
        n, m, s = method.n, method.m, method.s
        before = np.zeros_like(La)
        if k in sampled.acting:
            jump = sampled.jumps[k]
            L = jump.factors.solve_transposed(np.vstack([La + Lalg, np.zeros((m, La.shape[1]))]))
            seen[0] += jump.by_q.T @ L
            seen[1] += jump.by_v.T @ L
            self._add(k, jump.by_u.T @ L)
            for p, part in enumerate(method.parts):
                self.out[:, p] += L.T @ part.jumps[k]
            La, before, Lalg = (s.am - s.af) * Lalg, (s.af - s.am) * Lalg, np.zeros((n, La.shape[1]))
        for c, i in sampled.decided(k):
            number = sampled.controllers.index(c)
            Lu, Lx, Ly = self._decision(number, c, i)
            for x, by in zip(seen, sampled.slopes(c, k)):
                x += by.T @ Ly
            for p, part in enumerate(method.parts):
                u, memory = part.law(number, c, i)
                self.out[:, p] += Lu.T @ u + Lx.T @ memory + Ly.T @ part.y[number][k]
        return La, Lalg, before

    def _decision(self, number: int, c: SampledController, i: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Derivatives by the commands, the next memory and the readings of an instant; that by the memory goes on."""
        Lu, Lx = c.free[i][:, None] * self.commands[number][i], self.memory[number]
        self.memory[number] = c.law.C.T @ Lu + c.law.A.T @ Lx
        return Lu, Lx, c.law.D.T @ Lu + c.law.B.T @ Lx

    def by_start(self, start: Start) -> np.ndarray:
        """Contribution of the first instant to the derivatives (quantities,) by a parameter."""
        out, first = np.zeros(len(self.out)), 0
        for number, c in enumerate(self.sampled.controllers):
            states = slice(first, first + len(c.law.A))
            first = states.stop
            out += self.commands[number][0].T @ (c.free[0] * start.commands[c.own])
            out += self.memory[number].T @ start.memory[states]
        return out
