"""Changes of a run through the instants of sampled controllers.

The loop stops where a controller has read its sensors, and where commands come into effect. There its law
u = C ξ + D y,  ξ → A ξ + B y  gives the changes of its commands from those of the readings, which follow from the
changes of the state before the forces jump (:mod:`flexmb.analyses.sensitivity.sampled` has the formulas). From then on
the constants of neighboring models have their own commands. Noise is the same for all values of a parameter, and a
command at its limit does not change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.analyses.linear.outputs import Outputs
from flexmb.analyses.sensitivity.parameters import NeighboringSystems
from flexmb.analyses.sensitivity.sampled import law_of, readings_of, refuse_other_instants
from flexmb.errors import SolverError
from flexmb.results.state import State
from flexmb.solvers.runs.run import Run
from flexmb.system.sampling import COMMANDS, LOG_AT, LOGGED, PENDING, SENSORS, TOGETHER


def _matrices(controller: Any) -> np.ndarray:
    """The matrices A, B, C and D of a law, as objects of one array, of which differences can be taken."""
    found = np.empty(4, dtype=object)
    found[:] = [np.asarray(getattr(controller._law, name), dtype=float) for name in "ABCD"]
    return found


class _Acting:
    """A controller of a run: its sensors as outputs, its law, its memory ξ with the changes of that by each parameter
    (p, states), and all its commands so far, with their changes (p, commands) each."""

    def __init__(self, run: Run, number: int, controller: Any, parameters: int, where: str) -> None:
        self.number, self.controller, self.system = number, controller, run.system
        self.law = law_of(controller, where)
        self.outputs = [Outputs(run.system, sensor) for sensor in controller.sensors]
        self.memory = np.zeros(len(self.law.A))
        self.changes = np.zeros((parameters, len(self.law.A)))
        self.commands: list[np.ndarray] = []
        self.places = [run.system.strength_places(name) for name in controller.commands]

    def decide(self, y: np.ndarray, state: State, moved: Any, neighbors: list[NeighboringSystems]) -> None:
        """Enter what the law made of the readings y in a state with the changes (q, v, a, λ) `moved`, (p, …) each."""
        law, name = self.law, self.controller.name
        parts = [outputs.derivatives(state) for outputs in self.outputs]
        slopes = [np.concatenate([getattr(part, what) for part in parts]) for what in ("q", "v", "a", "lam")]
        raw = law.C @ self.memory + law.D @ y
        low, high = self.controller.limits.T
        free = ((raw > low) & (raw < high)).astype(float)
        rows = (np.array([state.t]), *(x[None] for x in (state.q, state.v, state.a, state.lam)))
        commands = np.zeros((len(neighbors), len(raw)))
        for p, near in enumerate(neighbors):
            dy = sum(slope @ change[p] for slope, change in zip(slopes, moved))
            dy = dy + near.derivative(lambda system: readings_of(system.model.controllers[name], system, rows)[0])
            A, B, C, D = near.derivative(lambda system: _matrices(system.model.controllers[name]))
            own = self.changes[p].copy()
            commands[p] = free * (C @ self.memory + D @ y + law.C @ own + law.D @ dy)
            self.changes[p] = A @ self.memory + B @ y + law.A @ own + law.B @ dy
        self.memory = law.A @ self.memory + law.B @ y
        self.commands.append(commands)


class SampledChanges:
    """Controllers of a run, which carry its changes from their readings to their commands."""

    def __init__(self, run: Run, neighbors: list[NeighboringSystems], names: list[str], where: str) -> None:
        self.run, self.neighbors, self.where = run, neighbors, where
        controllers = list(run.system.model.controllers.values())
        self.acting = [_Acting(run, c, one, len(names), where) for c, one in enumerate(controllers)]
        for name, near in zip(names, neighbors):
            for one in self.acting:
                refuse_other_instants(near, name, one.controller, one.law, where)

    @property
    def places(self) -> np.ndarray:
        """The places of all commands in the constants of the run."""
        found = [int(place) for one in self.acting for places in one.places for place in places]
        return np.array(found, dtype=np.int64)

    def act(self, loop: Any, slots: dict[int, np.ndarray]) -> None:
        """Let the controllers do what they have done in the loop at its present state."""
        motion, changes, system = loop.motion, loop.changes, self.run.system
        n, sampling = system.n, loop.sampling
        state = State(
            system, float(loop.state.time), motion.q[: system.nq].copy(), motion.v[:n].copy(), motion.a[:n].copy(),
            motion.lam.copy(),
        )  # fmt: skip
        moved = (changes.q, changes.v, changes.a, changes.lam)
        for one in self.acting:
            row = sampling.controllers[one.number]
            while len(one.commands) < row[LOGGED]:
                line = sampling.log[row[LOG_AT] + len(one.commands)]
                if abs(line[0] - state.t) > one.controller.period * TOGETHER:
                    raise SolverError(
                        f"{self.where}: an instant of {one.controller.where} at t = {line[0]:g} s lies next to another "
                        "stop of the run, and derivatives do not go through both; take another period"
                    )
                one.decide(line[1 : 1 + row[SENSORS]].copy(), state, moved, self.neighbors)
            effective = int(row[LOGGED] - row[PENDING]) - 1
            if effective < 0:
                continue
            first = 1 + row[SENSORS]
            given = sampling.log[row[LOG_AT] + effective, first : first + row[COMMANDS]]
            for k, places in enumerate(one.places):
                for place in places:
                    for p, near in enumerate(self.neighbors):
                        for value, offset in enumerate(near.offsets):
                            own = given[k] + offset * near.h * one.commands[effective][p, k]
                            changes.near.plan.p[slots[int(place)][p, value]] = own
        changes.state.decided = int(sampling.controllers[:, LOGGED].sum())
        changes.state.delivered = 1
