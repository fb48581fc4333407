"""Tires with slip: their data, and the law that the plane and space share.

The tread of a tire is carried along by the road where it touches. Its deflection u, ahead and aside, grows by the speed
V_s with which the wheel slips over the road. It is left behind as the wheel rolls on at the speed V_x (Pacejka (2012),
section 7.2, the single contact point transient model), or slides, as bristles do that give way at the friction force
μ N (Canudas-de-Wit et al. (2003)). For the directions i, ahead and aside, with the slip stiffness C and the relaxation
length σ:

    u̇ᵢ + cᵢ uᵢ + V_sᵢ = 0,    cᵢ = T(V_x²)/σᵢ + kᵢ T(V_s²)/(μ N₀),    kᵢ = Cᵢ/σᵢ,    Fᵢ = N/N₀ (kᵢ uᵢ + dᵢ u̇ᵢ)

T(x²) = x²/√(x² + ε²) is |x|, made smooth below the speed ε. N is the load, and N₀ that at which the stiffness was
measured, which is in proportion to the load. Where the wheel rolls evenly with a slip s = −V_s/|V_x|, the tangent of
the slip angle or the longitudinal slip, the force is

    F = N/N₀ C s/(1 + C |s|/(μ N₀)),    N/N₀ C s for small slip,    μ N for large slip

and it comes and goes along the way as exp(−x/σ). At a stand the tire is a spring k, up to μ N, and a damper
dᵢ = d/(1 + d cᵢ/kᵢ), which is weaker the faster the tread is left behind, so that it never drives. Of the slip power
−F · V_s the tire dissipates

    N/N₀ Σ (kᵢ cᵢ uᵢ² + dᵢ u̇ᵢ² + dᵢ cᵢ uᵢ u̇ᵢ) ≥ 0

and the rest is what the tread stores and gives back.

The deflections are coordinates of the mechanism without mass, and the law is a velocity row of each. No force acts on
such a coordinate but the multiplier of its row; so that is zero, and the rows put no force on anything else either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels.compilation import compiled
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls


@dataclass(frozen=True)
class TireLaw(metaclass=AnswersCalls):
    """The data of a tire (:mod:`flexmb.forces.tire`).

    Arguments: `load` N₀ [N] at which the stiffness was measured; `cornering_stiffness` C aside [N/rad];
    `relaxation_length` σ [m], or that ahead and that aside; `longitudinal_stiffness` C ahead [N], the cornering
    stiffness when not given; `friction` μ [–]; `vertical_stiffness` [N/m] and `vertical_damping` [Ns/m], at the load
    N₀, of a wheel in space: N = k δ (1 + c δ̇/N₀) with the deflection δ, never below zero; `tread_damping` d [Ns/m], at
    that load; `smoothing` ε [m/s].

    >>> tire = TireLaw(load=4000.0, cornering_stiffness=60e3, relaxation_length=0.5, friction=0.9)
    >>> [round(tire.side_force(slip)) for slip in (0.001, 0.05, 10.0)]
    [59, 1636, 3579]
    """

    load: float
    cornering_stiffness: float
    relaxation_length: Any
    longitudinal_stiffness: float | None = None
    friction: float = 1.0
    vertical_stiffness: float | None = None
    vertical_damping: float = 0.0
    tread_damping: float = 0.0
    smoothing: float = 0.01

    def side_force(self, slip: float) -> float:
        """The force [N] at the load N₀ of a wheel that rolls evenly with a slip s aside."""
        stiffness, slip = self.cornering_stiffness, checks.number(slip, "slip", "tire")
        return stiffness * slip / (1.0 + stiffness * abs(slip) / (self.friction * self.load))

    def numbers(self, where: str) -> list[float]:
        """Parameters of its law, checked: N₀, σ ahead and aside, k ahead and aside, μ N₀, d, ε."""
        for what in ("load", "cornering_stiffness", "friction", "smoothing"):
            checks.positive(getattr(self, what), what, where)
        ahead = self.cornering_stiffness
        if self.longitudinal_stiffness is not None:
            ahead = checks.positive(self.longitudinal_stiffness, "longitudinal_stiffness", where)
        lengths = [
            checks.positive(x, "relaxation_length", where)
            for x in checks.several(self.relaxation_length, "relaxation_length", where)
        ]
        if len(lengths) not in (1, 2):
            raise ModelError(
                f"{where}: relaxation_length has {len(lengths)} numbers; give one, or that ahead and that aside"
            )
        lengths = lengths * 2 if len(lengths) == 1 else lengths
        damping = checks.not_negative(self.tread_damping, "tread_damping", where)
        stiffness = [ahead / lengths[0], float(self.cornering_stiffness) / lengths[1]]
        grip = float(self.friction * self.load)
        return [float(self.load), *lengths, *stiffness, grip, damping, float(self.smoothing)]

    def vertical(self, where: str) -> list[float]:
        """Vertical stiffness and damping over N₀, checked."""
        if self.vertical_stiffness is None:
            raise ModelError(f"{where}: its tire has no vertical_stiffness, which carries a wheel in space")
        stiffness = checks.positive(self.vertical_stiffness, "vertical_stiffness", where)
        return [stiffness, checks.not_negative(self.vertical_damping, "vertical_damping", where) / float(self.load)]


#: what can be asked of a tire by name, with its unit: load, forces of the tread, speeds of slip, and that of rolling
TIRE_UNITS = {
    "load": "N", "force_ahead": "N", "force_aside": "N", "slip_ahead": "m/s", "slip_aside": "m/s", "rolling": "m/s",
}  # fmt: skip
#: in the plane, where the wheel rolls freely ahead
PLANAR_TIRE_UNITS = {what: unit for what, unit in TIRE_UNITS.items() if not what.endswith("ahead")}


@dataclass(frozen=True, eq=False)
class TireForces:
    """What a tire does at k times `t` [s]: `load` N, the forces on the wheel `ahead` and `aside` [N] in the plane; the
    speeds of slip V_s `slip_ahead` and `slip_aside` and the speed V_x `rolling` [m/s]; the `place` (k, 3) [m] where it
    touches, (k, 2) in the plane."""

    t: np.ndarray
    load: np.ndarray
    ahead: np.ndarray
    aside: np.ndarray
    slip_ahead: np.ndarray
    slip_aside: np.ndarray
    rolling: np.ndarray
    place: np.ndarray


def checked_tire(tire: Any, where: str) -> TireLaw:
    """A tire with data that can be right."""
    if not isinstance(tire, TireLaw):
        raise ModelError(f"{where}: tire is {checks.quoted(tire)}; give a flexmb.TireLaw")
    tire.numbers(where)
    return tire


#: places of :meth:`TireLaw.numbers` in parameters, from their first
LOAD, LENGTH, STIFF, GRIP, DAMPED, SMOOTH = 0, 1, 3, 5, 6, 7


@compiled
def speed(square, smooth):
    """T of a squared speed, and its first two derivatives by that."""
    w = square + smooth * smooth
    root = math.sqrt(w)
    part = smooth * smooth / w
    return square / root, 0.5 * (1.0 + part) / root, -0.25 * (1.0 + 3.0 * part) / (w * root)


@compiled
def tread(k, d, u, rate, c, u_by, rate_by, c_by):
    """k u + d u̇/(1 + d c/k), and its change."""
    weaker = 1.0 + d * c / k
    return k * u + d * rate / weaker, k * u_by + d * (rate_by - rate * d * c_by / (k * weaker)) / weaker


@compiled
def lost_in(k, d, u, rate, c):
    """k c u² + d (u̇² + c u u̇)/(1 + d c/k), the power that the tread dissipates."""
    return k * c * u * u + d * rate * (rate + c * u) / (1.0 + d * c / k)
