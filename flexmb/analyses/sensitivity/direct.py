"""The direct method: changes by each parameter, carried forwards in time."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from flexmb.analyses.sensitivity.march import march
from flexmb.analyses.sensitivity.over_time import output_changes
from flexmb.analyses.sensitivity.propagation import STILL, Method
from flexmb.analyses.sensitivity.sampled import commanded
from flexmb.analyses.sensitivity.start import Start
from flexmb.errors import SolverError
from flexmb.system import linear


class DirectMethod(Method):
    """The direct method: compiled code carries the changes along, from one instant of controllers to the next."""

    @classmethod
    def matrix(cls, pieces: list[Any]) -> np.ndarray:
        """The derivatives (quantities, parameters) by the methods of all pieces of a run."""
        starts, out = pieces[0].first_start(), 0.0
        ends: list[tuple[np.ndarray, np.ndarray]] = []
        for piece in pieces:
            if piece is not pieces[0]:
                again = piece.restart()
                starts = [again.carried_on(x, *state) for x, state in zip(piece.neighbors, ends)]
            own, ends = piece.forward(starts, piece is not pieces[-1])
            out = out + own
        return np.asarray(out)

    def forward(self, starts: list[Start], goes_on: bool) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
        """What a piece adds to the derivatives (quantities, parameters), and the changes of position and kept speeds
        (n,) at its end by each parameter, exact if the run `goes_on`."""
        results = self.changes(starts, goes_on)
        count = len(self.names)
        out = np.zeros((self.by_y.shape[1], count))
        for p in range(count):
            y = self.explicit[p] + output_changes(self.outputs, self.track, *(x[p] for x in results))
            out[:, p] = np.sum(self.by_y * y, axis=0)
        return out, [(results[0][p, -1], results[1][p, -1]) for p in range(count)]

    def changes(self, starts: list[Start], rates: bool) -> tuple[np.ndarray, ...]:
        """The changes of q, kept v, a (p, k, n) and λ (p, k, m) at all times of a piece; with `rates` those of the
        kept speeds are exact in any case."""
        n, m, count, k = self.n, self.m, len(self.names), len(self.track.t)
        sampled = self.sampled
        results = (*(np.zeros((count, k, n)) for _ in range(3)), np.zeros((count, k, m)))
        change = np.zeros((4, count, n))
        for p, start in enumerate(starts):
            for out, value in zip(results, (start.q, start.kept, start.a, start.lam)):
                out[p, 0] = value
            change[:, p] = start.q, start.v, start.after, start.alg
        if sampled is None:
            self._march(0, k - 1, change, results, self.right, rates)
        else:
            acts = _Acts(self, starts, results)
            ends = [*sampled.events, k - 1]
            for k0, k1 in itertools.pairwise(ends):
                right, steps = self.right.copy(), slice(k0 + 1, k1 + 1)
                right[:, steps, :n] -= np.einsum("kij,pj->pki", sampled.by_command[steps], acts.held)
                acts.before = results[2][:, k1 - 1] if k1 - 1 > k0 else change[2].copy()
                with commanded(self.system, sampled.names, sampled.held[k0]):
                    self._march(k0, k1, change, results, right, True)
                if k1 < k - 1:
                    acts.at(k1, change)
        return results

    def _march(
        self, k0: int, k1: int, change: np.ndarray, results: tuple[np.ndarray, ...], right: np.ndarray, rates: bool
    ) -> None:
        """Carry the changes from one time to another, by their numbers; with `rates` those of the kept speeds too."""
        s, n, m, system = self.s, self.n, self.m, self.system
        count, total = len(self.names), system.plan.total
        coefficients = np.array([s.h, s.am, s.af, s.gamma, s.beta, *s.on, s.on[2] * system.mass_scale])
        maps = np.zeros((len(system.orientations), 9))
        full, moved = np.zeros((3, system.plan.total_q)), np.zeros((2, system.plan.total_q))
        full[0] = moved[0] = system.initial
        pattern = system.pattern
        indptr, indices = (np.zeros(1, dtype=np.int64),) * 2 if pattern is None else (pattern.indptr, pattern.indices)
        speeds = rates or not all(name in system.coordinate_names or self._still(name) for name in self.outputs.names)
        part = slice(k0, k1 + 1)
        own = tuple(np.ascontiguousarray(x[:, part]) for x in results)
        first = change.copy()
        while True:
            change[:] = first
            buffers = (
                np.zeros((count, n + m)), np.zeros(max(system.plan.size, total)), np.zeros(n), np.zeros(4),
                np.zeros((3, m)), np.zeros(m), np.zeros((2, n)), np.zeros(len(system.linear.values)), maps,
            )  # fmt: skip
            status = march(
                system.plan, system.scratch, system.linear, np.asarray(indptr, dtype=np.int64),
                np.asarray(indices, dtype=np.int64), full, moved, tuple(x[part] for x in self.track.arrays),
                np.ascontiguousarray(right[:, part]), coefficients, speeds, self.sweeps,
                system.scale, change, own, buffers,
            )  # fmt: skip
            if status != linear.NO_ROOM:
                break
            system.grow()
        if status != linear.OK:
            raise SolverError(f"{self.whole.where}: the matrix of a step is singular")
        for out, values in zip(results, own):
            out[:, k0 + 1 : k1 + 1] = values[:, 1:]

    def _still(self, name: str) -> bool:
        """Whether an output does not depend on speeds: a place, or the force of a joint without a law of its own."""
        of, _, what = name.rpartition(".")
        return what in STILL and of not in self.outputs.layout.reacting


class _Acts:
    """What controllers do with changes: those of their commands and memories, by each parameter. `before`: the changes
    of the accelerations with which the last step began."""

    def __init__(self, method: Method, starts: list[Start], results: tuple[np.ndarray, ...]) -> None:
        assert method.sampled is not None
        self.method, self.results, self.sampled = method, results, method.sampled
        count = len(method.names)
        self.held = np.zeros((count, self.sampled.count))
        self.before = np.zeros((count, method.n))
        self.commands = [np.zeros((count, len(c.decides), len(c.commands[0]))) for c in self.sampled.controllers]
        self.memory = []
        first = 0
        for number, c in enumerate(self.sampled.controllers):
            states = slice(first, first + len(c.law.A))
            first = states.stop
            self.memory.append(np.array([start.memory[states] for start in starts]).reshape(count, -1))
            self.commands[number][:, 0] = [start.commands[c.own] for start in starts]
            if c.delay == 0:
                self.held[:, c.own] = self.commands[number][:, 0] * c.free[0]

    def at(self, k: int, change: np.ndarray) -> None:
        """Let the controllers decide and act at a time; `change` (4, p, n) is that of the recursion."""
        sampled, method = self.sampled, self.method
        dq, dv, da, dlam = (x[:, k] for x in self.results)
        for c, i in sampled.decided(k):
            number = sampled.controllers.index(c)
            by = sampled.slopes(c, k)
            dy = sum(x @ slope.T for x, slope in zip((dq, dv, da, dlam), by))
            for p, part in enumerate(method.parts):
                y = dy[p] + part.y[number][k]
                u, memory = part.law(number, c, i)
                state = self.memory[number][p]
                self.commands[number][p, i] = c.free[i] * (u + c.law.C @ state + c.law.D @ y)
                self.memory[number][p] = memory + c.law.A @ state + c.law.B @ y
        if k not in sampled.acting:
            return
        for c, i in sampled.effective(k):
            self.held[:, c.own] = self.commands[sampled.controllers.index(c)][:, i]
        jump = sampled.jumps[k]
        for p, part in enumerate(method.parts):
            moved = jump.by_q @ dq[p] + jump.by_v @ dv[p] + jump.by_u @ self.held[p] + part.jumps[k]
            after = jump.factors.solve(moved)[: method.n]
            change[2, p] = after
            change[3, p] = after + (method.s.am - method.s.af) * (da[p] - self.before[p])
