"""Friction of bristles: the LuGre model of Canudas-de-Wit et al. (1995)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.drives.first_order import add_state
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.hints import AnswersCalls


@dataclass(frozen=True)
class LuGre(metaclass=AnswersCalls):
    """Friction by the mean deflection z of bristles between two surfaces that slip at the speed v, Canudas-de-Wit
    et al. (1995), eqs. (1)–(4):

        ż = v − σ₀ |v| z/s(v),      F = σ₀ z + σ₁ ż + σ₂ v,      s(v) = F_C + (F_S − F_C) exp(−(v/v_S)²)

    Where it sticks it is a spring σ₀ with a damper σ₁, and holds without creep; it breaks away at F_S if it is loaded
    slowly, at less if faster; at a constant speed it is s(v) sign v + σ₂ v, with Stribeck's fall, and where the speed
    changes it lags behind. z is a state of first order, 'NAME.bristle', which begins at its value at a constant
    speed, that of the start, s(v₀)/σ₀ sign v₀: at rest 0, or `deflection` where a load is held: load/σ₀.

    Arguments: of a torque and an angle, or of a force and a place: `stiffness` σ₀ [Nm/rad or N/m]; `damping` σ₁
    [Nms/rad or Ns/m] of the bristles; `viscous` σ₂ in the same unit; `coulomb` F_C and `static` F_S ≥ F_C [Nm or N],
    the same as `coulomb` when not given; `stribeck_speed` v_S [rad/s or m/s]; `deflection` z at the start [rad or m].

    Explicit methods must take steps of the size σ₁/σ₀; implicit ones need not. The model is passive, so that friction
    takes energy over any motion, if σ₁ is not larger than 4 σ₀ s(v)/|v| at the speeds that occur, Barabanov and
    Ortega (2000); beyond, σ₁ ż may drive for a while. In an equilibrium the bristles hold any load up to F_S:
    analyses of rest refuse it.

    >>> import flexmb as fm
    >>> bristles = fm.LuGre(stiffness=1e5, damping=316.0, viscous=0.4, coulomb=1.0, static=1.5, stribeck_speed=1e-3)
    >>> [round(bristles.steady(v), 4) for v in (1e-4, 0.01, -0.01)]
    [1.4951, 1.004, -1.004]
    >>> m = fm.PlanarModel("block")
    >>> block = m.add_body("block", mass=1.0, inertia=1.0)
    >>> slide = m.prismatic(m.ground, block.frame, name="slide")
    >>> pull = m.joint_force(slide, 0.5, friction=bristles, name="pull")
    >>> run = fm.simulate(m, 2.0, "radau", progress=False)
    >>> round(1e5 * float(run["pull.bristle"][-1]), 4), bool(abs(run["block.vx"][-1]) < 1e-8)  # it holds the load: F/σ₀
    (0.5, True)
    """

    stiffness: float
    damping: float = 0.0
    viscous: float = 0.0
    coulomb: float = 0.0
    static: float | None = None
    stribeck_speed: float = 1e-3
    deflection: float | None = None

    def __post_init__(self) -> None:
        where = "LuGre friction"
        checks.check_fields(self, checks.positive, where, "stiffness", "coulomb", "stribeck_speed")
        checks.check_fields(self, checks.not_negative, where, "damping", "viscous")
        if self.static is not None:
            checks.check_fields(self, checks.not_negative, where, "static")
            if self.static < self.coulomb:
                raise ModelError(
                    f"{where}: static is {self.static:g}, less than coulomb, {self.coulomb:g}; give the force at which "
                    "it breaks away, or leave static out where the two are the same"
                )
        if self.deflection is not None:
            z, most = checks.number(self.deflection, "deflection", where), self._static / self.stiffness
            if abs(z) > most:
                raise ModelError(
                    f"{where}: deflection is {z:g}, and the bristles hold at most static/stiffness = {most:g}; give "
                    "load/stiffness of a load that friction holds"
                )

    @property
    def _static(self) -> float:
        return self.coulomb if self.static is None else self.static

    def steady(self, speed: float) -> float:
        """The force [N] or torque [Nm] at a constant speed [m/s or rad/s], with its sign."""
        v = checks.number(speed, "speed", "LuGre friction")
        x = v / self.stribeck_speed
        level = self.coulomb + (self._static - self.coulomb) * math.exp(-x * x)
        return math.copysign(level, v) + self.viscous * v if v else 0.0

    def _start(self, speed: float) -> float:
        """z at the start, where the surfaces slip at a speed."""
        if self.deflection is not None:
            return self.deflection
        return (self.steady(speed) - self.viscous * speed) / self.stiffness

    def _add(
        self, assembly: Assembler, owner: Any, coordinates: Sequence[Numbers], weights: Sequence[float], speed: float
    ) -> None:
        """Add σ₀ z + σ₁ ż on a sum of coordinates with their weights, which changes at a speed at the start; the
        viscous part is a damper of the owner."""
        own = add_state(assembly, owner, "bristle", self._start(speed), self._static / self.stiffness)
        law = [self.stiffness, self.damping, self.coulomb, self._static - self.coulomb]
        p = np.array([*weights, *law, self.stribeck_speed])
        assembly.instance(owner, LUGRE, [*coordinates, own], p, label="friction")


#: places of the law behind the weights
STIFFNESS, DAMPING, COULOMB, EXCESS, STRIBECK = range(5)


@compiled
def bristles(row, at, rate, z):
    """ż, σ₀ z + σ₁ ż, and ∂ż/∂v, ∂ż/∂z, of a speed and a deflection."""
    x = rate / row[at + STRIBECK]
    fall = row[at + EXCESS] * math.exp(-x * x)
    level, slope = row[at + COULOMB] + fall, -2.0 * x / row[at + STRIBECK] * fall
    pull = row[at + STIFFNESS] * abs(rate) / level
    zd = rate - pull * z
    by_rate = 1.0 - row[at + STIFFNESS] * z * (math.copysign(1.0, rate) - abs(rate) * slope / level) / level
    return zd, row[at + STIFFNESS] * z + row[at + DAMPING] * zd, by_rate, -pull


@compiled
def _motion(row, iv, v):
    """The speed, the sum of all speeds but the last, by their weights; and the state, the last."""
    n, rate = iv.shape[0] - 1, 0.0
    for j in range(n):
        rate += row[j] * v[iv[j]]
    return n, rate, v[iv[n]]


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, rate, z = _motion(p[i], iv[i], v)
        zd, force, _, _ = bristles(p[i], n, rate, z)
        for j in range(n):
            out[i, j] = p[i, j] * force
        out[i, n] = -zd


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, rate, z = _motion(p[i], iv[i], v)
        _, _, by_rate, by_z = bristles(p[i], n, rate, z)
        damping = p[i, n + DAMPING]
        of_rate = w[1] * damping * by_rate
        of_z = w[1] * (p[i, n + STIFFNESS] + damping * by_z)
        for j in range(n):
            for k in range(n):
                K[i, j, k] += of_rate * p[i, j] * p[i, k]
            K[i, j, n] += of_z * p[i, j]
            K[i, n, j] -= w[1] * by_rate * p[i, j]
        K[i, n, n] -= w[1] * by_z


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, rate, z = _motion(p[i], iv[i], v)
        zd, force, _, _ = bristles(p[i], n, rate, z)
        out[i, 1] = 0.5 * p[i, n + STIFFNESS] * z * z
        out[i, 3] = force * rate - p[i, n + STIFFNESS] * z * zd


#: Friction of bristles on a sum of coordinates; the last speed is the state z. Parameters: weights, then the law.
LUGRE = Kernels("friction of bristles", residual=residual, tangent=tangent, energy=energy)
