"""Friction of a shaft: Coulomb, Stribeck and viscous, made smooth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.coordinate_force import force_on_sum
from flexmb.joints.friction import dry_friction
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.compilation import compiled
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.hints import AnswersCalls


@dataclass(frozen=True)
class Friction(metaclass=AnswersCalls):
    """Friction of a shaft with the speed ω, by the torque

        F(ω) = S(ω) tanh(ω/ε) + d ω,      S(ω) = T_C + (T_S − T_C) exp(−(ω/ω_S)²)

    T_C is Coulomb's torque of a turning shaft, T_S ≥ T_C the static torque at which it breaks away; from one to the
    other the torque falls over the speed ω_S (Stribeck's effect), and d is viscous. Always ω F(ω) ≥ 0: friction takes
    energy. Where F falls with the speed, a motion can stick and slip.

    tanh makes the jump at ω = 0 smooth, so that F has an exact tangent. The price: **the shaft creeps where dry
    friction sticks**. A shaft that holds a load T < T_S turns at

        ω = ε artanh(T/T_S) ≈ ε T/T_S        (ε ≪ ω_S, d ε ≪ T_S)

    so it comes to rest only without a load: a servo with the gain k [Nm/rad] leaves an error of at most T_S/k,
    which creeps away with the time constant T_S/(ε k). The shaft breaks away at the largest F, a little below T_S: by
    0.3 % of T_S − T_C where ω_S = 100 ε. For small motions about rest friction is a damper F′(0) = T_S/ε + d, also in
    modes, linear models and frequency responses. In an equilibrium nothing moves, and friction has no effect.

    Arguments: `coulomb` T_C [Nm]; `static` T_S [Nm], the same as `coulomb` when not given; `stribeck_speed` ω_S
    [rad/s]; `viscous` d [Nms/rad]; `smoothing` ε [rad/s]. Choose ε just small enough that the creep does not matter.
    An explicit method must take steps of the size J ε/T_S, for a shaft with inertia J. An implicit one need not, but
    its iterations must find the change of the torque within ε; if ε is very small, they need small steps, or fail.

    >>> friction = Friction(coulomb=0.02, static=0.03, stribeck_speed=1.0, viscous=1e-4)
    >>> [round(friction.torque(speed), 5) for speed in (0.0, 0.05, 10.0, -10.0)]
    [0.0, 0.02998, 0.021, -0.021]
    """

    coulomb: float = 0.0
    static: float | None = None
    stribeck_speed: float = 1.0
    viscous: float = 0.0
    smoothing: float = 0.01

    def __post_init__(self) -> None:
        where = "friction"
        checks.check_fields(self, checks.not_negative, where, "coulomb", "viscous")
        checks.check_fields(self, checks.positive, where, "stribeck_speed", "smoothing")
        if self.static is None:
            return
        checks.check_fields(self, checks.not_negative, where, "static")
        if self.static < self.coulomb:
            raise ModelError(
                f"{where}: static is {self.static:g}, less than coulomb, {self.coulomb:g}; give the torque at which "
                "the shaft breaks away, or leave static out where the two are the same"
            )
        if self.static > self.coulomb and self.smoothing >= self.stribeck_speed:
            raise ModelError(
                f"{where}: smoothing is {self.smoothing:g}, stribeck_speed {self.stribeck_speed:g}: the static "
                "torque would never be reached; make smoothing much smaller, a hundredth, say"
            )

    def torque(self, speed: Any) -> Any:
        """F(ω) [Nm] at a speed [rad/s] or an array of speeds, with the sign of the speed."""
        speeds = checks.numbers(speed, "speed", "friction", "a speed or an array of speeds")
        row = self.parameters()
        dry = np.array([dry_friction(omega, *row)[0] for omega in speeds.ravel().tolist()])
        torque = dry.reshape(speeds.shape) + self.viscous * speeds
        return float(torque) if speeds.ndim == 0 else torque

    def _add(
        self, assembly: Assembler, owner: Any, coordinates: Sequence[Numbers], weights: Sequence[float], speed: float
    ) -> None:
        """Add its dry part on a sum of coordinates with their weights; the viscous one is a damper of the owner."""
        p = np.array([*weights, 0.0, *self.parameters()])  # of its coordinates only the rate counts
        assembly.instance(owner, ROTOR_FRICTION, coordinates, p, label="friction")

    def parameters(self) -> np.ndarray:
        """The numbers (4,) that :func:`dry_friction` takes after the speed."""
        static = self.coulomb if self.static is None else self.static
        return np.array([self.coulomb, static - self.coulomb, self.stribeck_speed, self.smoothing], dtype=float)


@compiled
def _friction(row, at, t, s, rate):
    force, slope = dry_friction(rate, row[at], row[at + 1], row[at + 2], row[at + 3])
    return force, 0.0, slope, 0.0, rate * force, 0.0


#: The dry part of the friction of a rotor; parameters behind the weights: those of :meth:`Friction.parameters`.
ROTOR_FRICTION = force_on_sum("rotor friction", _friction).standing_at(__name__, "ROTOR_FRICTION")
