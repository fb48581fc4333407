"""How changes of parameters go through sampled controllers.

At an instant a controller reads y with the commands of before, and its law  u = C ξ + D y,  ξ → A ξ + B y  gives
commands, which come into effect at once or after a delay. Then the accelerations and the forces of joints jump. They
follow from the equations at the speeds v that meet the constraints,

    [M  Gᵀ] [δa⁺]     [K δq + D δv + ∂r/∂θ − B_u δu]
    [G  0 ] [δλ⁺] = − [ ∂(G a⁺ − γ)                ]

with r the residual at a⁺ and λ⁺, and the recursion of generalized-α goes on with

    â⁺ = a⁺ + (αm − αf) (a − a₀⁺)

where a is that before the jump and a₀⁺ that with which the last step began
(:mod:`flexmb.solvers.methods.generalized_alpha`). The steps behind it have the residual −B_u δu of the commands that
they hold. Noise of the sensors is the same for all values of a parameter, and a command at its limit does not change.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from flexmb.algebra.factors import Factors, dense, saddle_factors
from flexmb.analyses.linear.outputs import Outputs
from flexmb.analyses.sensitivity.parameters import NeighboringSystems, accelerations, equations
from flexmb.errors import ControlError
from flexmb.feedback.controller import Controller
from flexmb.feedback.laws import LinearLaw
from flexmb.results.state import State, as_solution
from flexmb.system.row_slopes import row_slopes
from flexmb.system.system import System

#: periods and delays are whole numbers of steps to this part of a step
WHOLE = 1e-6


@contextmanager
def commanded(system: System, names: Sequence[str], values: Sequence[float] | np.ndarray) -> Iterator[None]:
    """A system with these commands held."""
    places = [system.strength_places(name) for name in names]
    before = [system.plan.p[place].copy() for place in places]
    try:
        for place, value in zip(places, values):
            system.plan.p[place] = value
        yield
    finally:
        for place, value in zip(places, before):
            system.plan.p[place] = value


def law_of(controller: Controller, where: str) -> LinearLaw:
    """The law of a controller, checked to be linear, and its sensors to be without resolution."""
    law = controller._law
    if not isinstance(law, LinearLaw):
        raise ControlError(
            f"{where}: the law of {controller.where} is {type(law).__name__}, whose derivatives are not known; "
            "give a linear law, or take differences of whole runs (flexmb.study)"
        )
    coarse = [sensor.name for sensor in controller.sensors if sensor.resolution > 0.0]
    if coarse:
        raise ControlError(
            f"{where}: {controller.where} reads {coarse[0]!r} in steps of its resolution, which have no "
            "derivative; set the resolution to 0"
        )
    return law


def readings_of(controller: Controller, system: System, rows: tuple[np.ndarray, ...]) -> np.ndarray:
    """Readings (k, sensors) of the sensors of a controller in k states of its system, without noise."""
    solution = as_solution(system, *rows)
    return np.stack([sensor.readings(solution) for sensor in controller.sensors], axis=1)


def refuse_other_instants(
    neighbors: NeighboringSystems, name: str, controller: Controller, law: LinearLaw, where: str
) -> None:
    """Refuse a parameter that changes the instants, the states or the limits of a controller."""
    for system in neighbors.systems:
        other = system.model.controllers[controller.name]
        same = other.period == controller.period and other.delay == controller.delay
        if not same or not isinstance(other._law, LinearLaw) or other._law.A.shape != law.A.shape:
            raise ControlError(
                f"{where}: with another {name!r} {controller.where} has another period, delay or kind "
                "of law; a derivative needs instants and states that stay"
            )
        if not np.array_equal(other.limits, controller.limits):
            raise ControlError(
                f"{where}: with another {name!r} {controller.where} has other limits, and derivatives "
                "take them as they are; take differences of whole runs (flexmb.study)"
            )


class SampledController:
    """A controller of a run with fixed steps: at which times, by their numbers, it decides, and when its commands come
    into effect; its commands among all are those with the numbers `own`."""

    def __init__(self, controller: Controller, run: Any, step: float, first: int, where: str) -> None:
        self.controller, self.log = controller, run.control[controller.name]
        self.law = law = law_of(controller, where)
        self.period, self.delay = (self._whole(what, step, where) for what in ("period", "delay"))
        self.own = slice(first, first + len(controller.commands))
        last = len(run.t) - 1
        self.decides = np.arange(0, last, self.period)
        self.acts = self.decides + self.delay
        self.memory = np.zeros((len(self.decides) + 1, len(law.A)))
        raw = np.zeros((len(self.decides), len(controller.commands)))
        for i, y in enumerate(self.log.y):
            raw[i] = law.C @ self.memory[i] + law.D @ y
            self.memory[i + 1] = law.A @ self.memory[i] + law.B @ y
        low, high = controller.limits.T
        self.free = ((raw > low) & (raw < high)).astype(float)
        self.commands = np.clip(raw, low, high)
        self.outputs: list[Outputs] = []

    def _whole(self, what: str, step: float, where: str) -> int:
        value = getattr(self.controller, what)
        count = round(value / step)
        if abs(value - count * step) > WHOLE * step:
            raise ControlError(
                f"{where}: the {what} of {self.controller.where}, {value:g} s, is no whole number of steps of {step:g} "
                f"s; give a step that divides it, e.g. {value / max(1, round(value / step)):g} s"
            )
        return count

    def readings(self, system: System, rows: tuple[np.ndarray, ...]) -> np.ndarray:
        """Readings (k, sensors) of the controller's sensors in a system, without noise."""
        return readings_of(self.of(system), system, rows)

    def matrix(self, system: System, what: str) -> np.ndarray:
        """A matrix of its law, in a system."""
        return np.asarray(getattr(self.of(system)._law, what))

    def of(self, system: System) -> Controller:
        """This controller in the model of another system."""
        return system.model.controllers[self.controller.name]


@dataclass
class Jump:
    """What accelerations do where commands come into effect: a⁺ (n,), λ⁺ (m,), the factors of [M Gᵀ; G 0], and their
    dependence on q, v and on all commands, (n + m, …)."""

    a: np.ndarray
    lam: np.ndarray
    factors: Factors = field(repr=False)
    by_q: np.ndarray = field(repr=False)
    by_v: np.ndarray = field(repr=False)
    by_u: np.ndarray = field(repr=False)


class SampledRun:
    """The controllers of a run with fixed steps, and the derivatives of what they do."""

    def __init__(self, system: System, run: Any, step: float, where: str) -> None:
        self.system, self.where = system, where
        self.controllers: list[SampledController] = []
        count = 0
        for controller in system.model.controllers.values():
            self.controllers.append(SampledController(controller, run, step, count, where))
            count += len(controller.commands)
        self.count = count
        self.names = [name for c in self.controllers for name in c.controller.commands]
        self.last = len(run.t) - 1
        #: commands held from each time on (k, commands)
        self.held = np.zeros((len(run.t), count))
        for c in self.controllers:
            for i, k in enumerate(c.acts):
                self.held[k:, c.own] = c.commands[i]
        acting = {int(k) for c in self.controllers for k in c.acts if k < self.last}
        deciding = {int(k) for c in self.controllers for k in c.decides}
        #: numbers of the times at which something happens, and of those where commands come into effect
        self.events, self.acting = sorted(acting | deciding), acting
        self.jumps = {k: self._jump(run, k) for k in sorted(acting)}
        lam = np.ascontiguousarray(run.basic_multipliers[:, system.row_numbers])
        self.rows = (run.t, run.q, run.v, run.a, lam)
        for c in self.controllers:
            c.outputs = [Outputs(system, sensor) for sensor in c.controller.sensors]
        first = [x[:1] for x in self.rows]
        #: the error of the first readings
        self.noise = [c.log.y[0] - c.readings(system, tuple(first))[0] for c in self.controllers]
        #: B_u (k, n, commands) at the ends of all steps
        self.by_command = self._strengths(self.rows)

    def _jump(self, run: Any, k: int) -> Jump:
        system, t, q, v = self.system, float(run.t[k]), run.q[k], run.v[k]
        n, m = system.n, system.m
        with commanded(system, self.names, self.held[k]):
            a, lam = accelerations(system, t, q, v)
            D, K = (dense(system.tangent(t, q, v, a, lam, w)) for w in ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        by_q, by_v, by_u = np.zeros((n + m, n)), np.zeros((n + m, n)), np.zeros((n + m, self.count))
        by_q[:n], by_v[:n] = -K, -D
        G = system.jacobian(t, q)
        if m:
            _, by_q[n:], by_v[n:] = row_slopes(system, t, q, v, a)
        by_u[:n] = self._strengths((np.array([t]), q[None], v[None], a[None], lam[None]))[0]
        return Jump(a, lam, saddle_factors(system.mass_matrix(t, q), G), by_q, by_v, by_u)

    def _strengths(self, rows: tuple[np.ndarray, ...]) -> np.ndarray:
        """B_u (k, n, commands): the forces of a unit of each command at k states; equations are linear in them."""
        found = np.zeros((len(rows[0]), self.system.n, self.count))
        for j, name in enumerate(self.names):
            ends = []
            for value in (0.0, 1.0):
                with commanded(self.system, [name], [value]):
                    ends.append(equations(self.system, *rows)[:, : self.system.n])
            found[:, :, j] = ends[0] - ends[1]
        return found

    def equations(self, system: System, *rows: np.ndarray) -> np.ndarray:
        """Those of all steps, with the commands that each holds: at its end those of before."""
        parts = [equations(system, *(x[:1] for x in rows))]
        ends = [*self.events, self.last]
        for k0, k1 in itertools.pairwise(ends):
            with commanded(system, self.names, self.held[k0]):
                parts.append(equations(system, *(x[k0 + 1 : k1 + 1] for x in rows)))
        return np.concatenate(parts)

    def first(self, system: System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> tuple:
        """What the controllers of a system do at the first instant of a run: a⁺ (n,), all commands, all memories."""
        rows = (np.array([t]), q[None], v[None], a[None], lam[None])
        commands, memories = np.zeros(self.count), []
        for c, noise in zip(self.controllers, self.noise):
            law: Any = c.of(system)._law
            y = c.readings(system, rows)[0] + noise
            u = law.D @ y
            commands[c.own] = np.where(c.free[0] > 0.0, u, c.commands[0])
            memories.append(law.B @ y)
        if 0 in self.acting:
            now = np.zeros(self.count)
            for c in self.controllers:
                if c.delay == 0:
                    now[c.own] = commands[c.own]
            with commanded(system, self.names, now):
                a = accelerations(system, t, q, v)[0]
        return a, commands, np.concatenate([np.zeros(0), *memories])

    def decided(self, k: int) -> list[tuple[SampledController, int]]:
        """The controllers that decide at a time, each with the number of its instant."""
        return [(c, k // c.period) for c in self.controllers if k % c.period == 0]

    def effective(self, k: int) -> list[tuple[SampledController, int]]:
        """The controllers whose commands come into effect at a time, each with the number of the instant of these."""
        return [
            (c, (k - c.delay) // c.period) for c in self.controllers if k >= c.delay and (k - c.delay) % c.period == 0
        ]

    def slopes(self, c: SampledController, k: int) -> tuple[np.ndarray, ...]:
        """The derivatives of the readings of a controller at a time by q, v, a (sensors, n) and λ (sensors, m)."""
        t, q, v, a, lam = (x[k] for x in self.rows)
        state = State(self.system, float(t), q, v, a, lam)
        parts = [outputs.derivatives(state) for outputs in c.outputs]
        return tuple(np.concatenate([getattr(part, what) for part in parts]) for what in ("q", "v", "a", "lam"))

    def by_parameter(self, neighbors: NeighboringSystems, name: str) -> ByParameter:
        """Direct derivatives of readings, laws and jumps of the controllers by a parameter."""
        for c in self.controllers:
            refuse_other_instants(neighbors, name, c.controller, c.law, self.where)
        y = [neighbors.derivative(partial(c.readings, rows=self.rows)) for c in self.controllers]
        laws = [[neighbors.derivative(partial(c.matrix, what=x)) for x in "ABCD"] for c in self.controllers]
        return ByParameter(y, laws, {k: neighbors.derivative(partial(self._forces, k=k)) for k in self.jumps})

    def _forces(self, system: System, k: int) -> np.ndarray:
        """−(r, G a⁺ − γ) (n + m,) of a system at the state of a jump."""
        t, q, v = (x[k] for x in self.rows[:3])
        jump, n = self.jumps[k], system.n
        rows = (np.array([t]), q[None], v[None], jump.a[None], jump.lam[None])
        with commanded(system, self.names, self.held[k]):
            r = equations(system, *rows)[0, :n]
        if not system.m:
            return -r
        gamma = system.constraint(float(t), q, v)[2]
        return np.concatenate([-r, gamma - system.jacobian(float(t), q) @ jump.a])


@dataclass
class ByParameter:
    """Direct derivatives by a parameter: of the readings of each controller (k, sensors), of the matrices of its law,
    and of the equations at jumps."""

    y: list[np.ndarray]
    laws: list[list[np.ndarray]]
    jumps: dict[int, np.ndarray]

    def law(self, number: int, c: SampledController, i: int) -> tuple[np.ndarray, np.ndarray]:
        """The changes of commands and of the next memory at an instant by those of the law alone."""
        A, B, C, D = self.laws[number]
        y, memory = c.log.y[i], c.memory[i]
        return C @ memory + D @ y, A @ memory + B @ y
