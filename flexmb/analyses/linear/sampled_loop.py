"""The closed loop of a mechanism and its sampled controllers, as a linear model in discrete time.

Between two instants the commands u are held. With the plant  ẋ = A x + B e + B_c u  (the inputs e from outside are held
as well), a period T and a delay of j whole periods and a rest r,

    x[k+1] = Φ x[k] + Γ e[k] + Γ₁ u[k−j−1] + Γ₀ u[k−j],     Φ = exp(A T),   Γ = ∫₀ᵀ exp(A s) B ds
    Γ₀ = ∫₀^(T−r) exp(A s) B_c ds,   Γ₁ = exp(A (T−r)) ∫₀^r exp(A s) B_c ds

and at each instant, with readings y of sensors that still feel the earlier commands, as accelerometers do,

    y[k] = C x[k] + D e[k] + D_c u[k−j−1],    u[k] = C_l ξ[k] + D_l y[k],    ξ[k+1] = A_l ξ[k] + B_l y[k]

The states are (x, ξ and the last commands of each controller). Outputs are those right after an instant. Limits of
commands, noise and resolution of sensors are left aside.

A loop is cut at a command by giving another signal r in place of it: u[k] in these equations is then r[k], an input,
and what the law decides is an output.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexmb.analyses.linear.linear_model import LinearModel
from flexmb.errors import ControlError
from flexmb.feedback.controller import Controller


def close_loop(
    plant: LinearModel, controllers: Sequence[Controller], inputs: Sequence[str], outputs: int, cut: str | None = None
) -> LinearModel:
    """The plant with its controllers. The inputs of `plant` are the `inputs` from outside and all commands; its outputs
    are first the wanted ones, `outputs` in number, then the sensors of one controller after the other. A command `cut`
    is the last input, and what its law decides the last output."""
    period = _common_period(controllers)
    n, count = len(plant), len(inputs)
    layout = [_ControllerInLoop(c, plant, period) for c in controllers]
    size = n
    for part in layout:
        size = part.place(size)
    width = size + count + (cut is not None)  # rows of maps from (states, inputs from outside)
    outside = [plant.inputs.index(name) for name in inputs]
    x = np.eye(n, width)
    e = np.eye(count, width, size)
    state, held = np.zeros((size, width)), np.zeros((len(plant.inputs), width))
    fresh = np.zeros_like(held)
    decided = np.zeros((0, width))
    held[outside] += e
    fresh[outside] += e
    for part in layout:
        held[part.commands] += part.past(width, part.whole + 1)
    sampled = plant.discrete(period)
    state[:n] = sampled.A @ x + sampled.B[:, outside] @ e
    first = outputs
    for part in layout:
        rows = slice(first, first + part.sensors)
        first += part.sensors
        law = part.law
        y = plant.C[rows] @ x + plant.D[rows] @ held
        memory = part.memory_map(width)
        u = law.C @ memory + law.D @ y
        if cut in part.controller.commands:
            place = part.controller.commands.index(cut)
            decided = u[[place]].copy()
            u[place] = np.eye(1, width, size + count)
        recent = u if part.whole == 0 else part.past(width, part.whole)
        old = part.past(width, part.whole + 1)
        before, after = part.effect(plant, period)
        state[:n] += before @ old + after @ recent
        part.advance(state, law.A @ memory + law.B @ y, u, width)
        fresh[part.commands] += recent if part.rest == 0.0 else old
    out = np.vstack([plant.C[:outputs] @ x + plant.D[:outputs] @ fresh, decided])
    at_cut = [] if cut is None else [cut]
    units = [plant.input_units[plant.inputs.index(name)] for name in [*inputs, *at_cut]]
    k = size - n
    padded = [None if z is None else np.hstack([z, np.zeros((len(z), k))]) for z in (plant.positions, plant.speeds)]
    return replace(
        plant,
        A=state[:, :size],
        B=state[:, size:],
        C=out[:, :size],
        D=out[:, size:],
        states=[*plant.states, *(name for part in layout for name in part.names)],
        inputs=[*inputs, *at_cut],
        outputs=[*plant.outputs[:outputs], *(f"{name} decided" for name in at_cut)],
        input_units=units,
        output_units=[*plant.output_units[:outputs], *units[len(inputs) :]],
        operating_outputs=np.concatenate([plant.operating_outputs[:outputs], np.zeros(len(at_cut))]),
        positions=padded[0],
        speeds=padded[1],
        period=period,
    )


class _ControllerInLoop:
    """A controller in the closed loop: its delay, and the states that hold its memory and its last commands."""

    def __init__(self, controller: Controller, plant: LinearModel, period: float) -> None:
        law = controller._law.linear
        if law is None:
            raise ControlError(
                f"{controller.where}: its law is {type(controller._law).__name__}, which is not linear; a closed loop "
                "has linear laws; leave it open with controllers='held'"
            )
        self.controller, self.law = controller, law
        self.sensors = len(controller.sensors)
        self.commands = [plant.inputs.index(name) for name in controller.commands]
        self.whole = math.floor(controller.delay / period + 1e-9)
        rest = controller.delay - self.whole * period
        self.rest = rest if rest > 1e-9 * period else 0.0
        self.memory = self.queue = 0

    def place(self, first: int) -> int:
        """Give the controller its states, from number `first` on; returns the number behind them."""
        self.memory = first
        self.queue = first + len(self.law.A)
        return self.queue + (self.whole + 1) * len(self.commands)

    @property
    def names(self) -> list[str]:
        """Names of its states."""
        c = self.controller
        own = [f"{c.name} memory {k + 1}" for k in range(len(self.law.A))]
        return own + [f"{c.name} {name} {age} before" for age in range(1, self.whole + 2) for name in c.commands]

    def memory_map(self, width: int) -> np.ndarray:
        """The law's memory, as a map from (states, inputs from outside)."""
        return np.eye(len(self.law.A), width, self.memory)

    def past(self, width: int, age: int) -> np.ndarray:
        """The commands of `age` instants before, as such a map."""
        count = len(self.commands)
        return np.eye(count, width, self.queue + (age - 1) * count)

    def advance(self, state: np.ndarray, memory: np.ndarray, u: np.ndarray, width: int) -> None:
        """Fill in the memory and the last commands at the next instant."""
        count = len(self.commands)
        state[self.memory : self.queue] = memory
        for age in range(self.whole + 1, 0, -1):
            at = self.queue + (age - 1) * count
            state[at : at + count] = u if age == 1 else self.past(width, age - 1)

    def effect(self, plant: LinearModel, period: float) -> tuple[np.ndarray, np.ndarray]:
        """Γ₁ and Γ₀ of its commands."""
        if self.rest == 0.0:
            after = plant.discrete(period).B[:, self.commands]
            return np.zeros_like(after), after
        later = plant.discrete(period - self.rest)
        return later.A @ plant.discrete(self.rest).B[:, self.commands], later.B[:, self.commands]


def _common_period(controllers: Sequence[Controller]) -> float:
    """The period [s] that all controllers must share."""
    first = controllers[0]
    for other in controllers[1:]:
        if abs(other.period - first.period) > 1e-9 * first.period:
            raise ControlError(
                f"{other.where} is sampled every {other.period:g} s and {first.where} every {first.period:g} s; a "
                "closed loop in discrete time has one period"
            )
    return float(first.period)
