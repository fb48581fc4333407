"""The law of contact: a stiff force that only pushes, with dissipation, smooth at touch.

With the gap g between two bodies, negative where they overlap, δ = −g and the exponent n,
Hunt and Crossley (1975) write

    N = k δⁿ max(0, 1 + d δ̇)   where δ > 0, else 0

The elastic part has the energy k δⁿ⁺¹/(n + 1); the rest, (N − k δⁿ) δ̇ ≥ 0, is dissipated. At touch and where bodies
part N goes to zero with δ. It never pulls: where something else tears the bodies apart faster than 1/d, N is zero.

**Restitution.** In an impact v = δ̇ of a mass m against the contact alone goes from v₀ to −e v₀. With v dv/dδ = −N/m

    ∫ v/(1 + d v) dv from v₀ to 0  =  −∫ v/(1 + d v) dv from 0 to −e v₀          (both are −k δₘₐₓⁿ⁺¹/(m (n + 1)))
    (1 + e) x = ln((1 + x)/(1 − e x)),      x = d v₀

whatever n, k and m are. So a restitution e at an impact speed v₀ gives d = x(e)/v₀ exactly, for all 0 < e ≤ 1. Near
e = 1 it is x = 3 (1 − e)/2, the estimate of Hunt and Crossley (1975); near e = 0 it is x = 1/e. Slower impacts lose
less: the restitution at the speed v is the e of x(e) = d v.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import scipy

from flexmb.errors import ModelError
from flexmb.joints.friction import JointFriction
from flexmb.kernels.compilation import compiled
from flexmb.model import checks
from flexmb.model.components import Component
from flexmb.model.geometry.sections import Material
from flexmb.model.hints import answers_calls

#: how many numbers :func:`friction_numbers` gives
FRICTION = 5
#: what a contact cannot take of the friction of a joint
_OF_BEARINGS = ("viscous", "radius", "length", "thrust_radius", "preload")


@dataclass(eq=False, kw_only=True)
class OneSided(Component):
    """What contacts and stops share: the law N = k δⁿ max(0, 1 + d δ̇) of :mod:`flexmb.forces.contact_law`.

    Arguments: `stiffness` k [N/mⁿ]; `exponent` n ≥ 1, 1.5 for round bodies (Hertz); `damping` d [s/m]; or instead of it
    `restitution`, the part e of the speed that is left after an impact of the speed `impact_speed` [m/s].
    """

    touches = True
    stiffness: float | None = None
    exponent: float = 1.5
    damping: float | None = None
    restitution: float | None = None
    impact_speed: float | None = None
    #: what messages advise where no stiffness is given
    without_stiffness: ClassVar[str] = "give stiffness=…, k [N/mⁿ] of its law"

    def check(self) -> None:
        super().check()
        self.check_law()

    def check_law(self) -> None:
        """Refuse numbers of the law that cannot be."""
        if self.stiffness is None:
            raise ModelError(f"{self.where}: it has no stiffness; {self.without_stiffness}")
        checks.check_fields(self, checks.positive, self.where, "stiffness")
        checks.check_fields(self, checks.number, self.where, "exponent")
        if self.exponent < 1.0:
            raise ModelError(
                f"{self.where}: exponent is {self.exponent:g}; it must be at least 1 (a spring), 1.5 for round bodies"
            )
        if self.damping is not None:
            checks.check_fields(self, checks.not_negative, self.where, "damping")
        if self.restitution is None:
            if self.impact_speed is not None:
                raise ModelError(f"{self.where}: impact_speed goes with restitution; give both, or damping alone")
            return
        if self.damping is not None:
            raise ModelError(f"{self.where}: damping and restitution say the same thing; give one of them")
        checks.check_fields(self, checks.number, self.where, "restitution")
        if self.restitution != 1.0 or self.impact_speed is not None:
            if self.impact_speed is None:
                raise ModelError(
                    f"{self.where}: restitution is that of impacts at one speed, slower ones lose less; "
                    "give impact_speed=…, the speed [m/s] for which it holds"
                )
            checks.check_fields(self, checks.positive, self.where, "impact_speed")
        damping_number(self.restitution, self.where)

    def law(self) -> list[float]:
        """k, n and d, as :func:`push` takes them."""
        d = self.damping or 0.0
        if self.restitution is not None and self.impact_speed is not None:
            d = damping_number(self.restitution, self.where) / self.impact_speed
        assert self.stiffness is not None
        return [self.stiffness, self.exponent, d]


@dataclass(eq=False, kw_only=True)
class HardOrGiving(OneSided):
    """The base of contacts of two frames and of stops: they give way by the law of :class:`OneSided`, or they are hard.

    Arguments: those of the law; or `hard`: it does not give way, and `restitution` e from 0 to 1, 0 when not given, is
    the part of the speed that is left after an impact.
    """

    hard: bool = False

    @property
    def without_stiffness(self) -> str:  # type: ignore[override]
        return f"give stiffness=…, of a {self.kind} that gives way, or hard=True, of one that does not"

    def check_law(self) -> None:
        self.hard = checks.flag(self.hard, "hard", self.where)
        if not self.hard:
            super().check_law()
            return
        given = [x for x in ("stiffness", "damping", "impact_speed") if getattr(self, x) is not None]
        if self.exponent != 1.5:
            given.append("exponent")
        if given:
            raise ModelError(
                f"{self.where}: a hard {self.kind} does not give way and has no {', '.join(given)}; leave "
                f"{'them' if len(given) > 1 else 'it'} out, or leave hard out"
            )
        if self.restitution is not None:
            checks.check_fields(self, checks.not_negative, self.where, "restitution")
            if self.restitution > 1.0:
                raise ModelError(
                    f"{self.where}: restitution is {self.restitution:g}; it must lie in [0, 1], the part of the speed "
                    "that is left after an impact"
                )


@lru_cache(maxsize=256)
def damping_number(restitution: float, where: str = "contact") -> float:
    """x = d v₀ for a restitution 0 < e ≤ 1: the solution of (1 + e) x = ln((1 + x)/(1 − e x)).

    >>> [round(damping_number(e), 6) for e in (1.0, 0.99, 0.5, 0.01)]
    [0.0, 0.015151, 1.432751, 100.0]
    """
    e = float(restitution)  # what is remembered is no number of NumPy
    if not 0.0 < e <= 1.0:
        more = "; no damping leaves nothing of the speed, take a small one, 0.01 say" if e == 0.0 else ""
        raise ModelError(f"{where}: restitution is {e:g}; it must lie in (0, 1]{more}")

    def excess(x: float) -> float:
        return _less_log(x) - _less_log(-e * x)

    if e == 1.0:
        return 0.0
    if excess(1.0 / e) >= 0.0:  # to round-off all of 1/d is left
        return 1.0 / e
    return float(scipy.optimize.brentq(excess, 1.4 * (1.0 - e), 1.0 / e, xtol=1e-300, rtol=9e-16))


def _less_log(x: float) -> float:
    """x − ln(1 + x) for x ≥ −1, without loss of digits near zero; at −1 as large as next to it."""
    if abs(x) > 0.05:
        return x - math.log1p(max(x, 1e-16 - 1.0))
    return sum((-x) ** k / k for k in range(2, 16))


@answers_calls
def hertz(material_a: Material, material_b: Material, radius_a: float = math.inf, radius_b: float = math.inf) -> float:
    """The stiffness k [N/m^1.5] of two elastic bodies that touch in a point, for a contact of exponent 1.5.

        k = 4/3 E* √R,    1/E* = (1 − ν_a²)/E_a + (1 − ν_b²)/E_b,    1/R = 1/R_a + 1/R_b              Hertz (1882)

    Arguments: the two materials, and the radii [m] of the bodies where they touch: infinite for a plane, negative for
    the wall of a hole.

    >>> steel = Material(density=7850, youngs_modulus=210e9)
    >>> round(hertz(steel, steel, 0.01, 0.01) / 1e9, 3), round(hertz(steel, steel, 0.01) / 1e9, 3)
    (10.879, 15.385)
    """
    where = "hertz"
    for material in (material_a, material_b):
        if not isinstance(material, Material):
            raise ModelError(f"{where}: {checks.quoted(material)} is no Material; give two materials and two radii")
    curvature = 0.0
    for what, radius in (("radius_a", radius_a), ("radius_b", radius_b)):
        if not isinstance(radius, int | float) or radius == 0.0 or math.isnan(radius):
            raise ModelError(f"{where}: {what} is {checks.quoted(radius)}; give a radius [m], math.inf for a plane")
        curvature += 1.0 / radius
    if not curvature > 0.0:
        raise ModelError(
            f"{where}: radii {radius_a:g} and {radius_b:g} m do not touch in a point: two planes, or a ball that is "
            "not smaller than its hole; give the stiffness as you know it"
        )
    compliance = sum((1.0 - m.poissons_ratio**2) / m.youngs_modulus for m in (material_a, material_b))
    return 4.0 / (3.0 * compliance * math.sqrt(curvature))


def checked_friction(friction: Any, where: str, hard: bool = False) -> JointFriction | None:
    """Friction of a contact: a coefficient, or a JointFriction without what belongs to bearings. That of a `hard` one
    truly sticks, that of others is smooth."""
    if friction is None:
        return None
    if not isinstance(friction, JointFriction):
        if not isinstance(friction, (int, float)):
            raise ModelError(
                f"{where}: friction is {checks.quoted(friction)}; give a coefficient, or "
                "fm.JointFriction(coefficient, …)"
            )
        smoothing: dict[str, float] = {"smoothing": 0.0} if hard else {}
        return JointFriction(checks.not_negative(friction, "friction", where), **smoothing)
    given = [name for name in _OF_BEARINGS if getattr(friction, name)]
    if given:
        raise ModelError(
            f"{where}: its friction has {', '.join(given)}, which belong to bearings; a contact takes coefficient, "
            "static, stribeck_speed and smoothing"
        )
    if friction.smoothing == 0.0 and not hard:
        raise ModelError(
            f"{where}: friction of a contact that gives way cannot truly stick; give it a smoothing [m/s] above zero, "
            "or hard=True to the contact"
        )
    if friction.smoothing > 0.0 and hard:
        raise ModelError(
            f"{where}: the friction of a hard contact truly sticks and has no smoothing; give it smoothing=0, or leave "
            "hard out"
        )
    return friction


def rubs(friction: Any, where: str, hard: bool = False) -> bool:
    """Whether a contact with this friction rubs."""
    checked = checked_friction(friction, where, hard)
    return checked is not None and any(x for x in (checked.coefficient, checked.static) if x)


def friction_numbers(friction: JointFriction | None) -> list[float]:
    """The five numbers that :func:`flexmb.joints.friction.along_slip` reads."""
    return (friction or JointFriction(0.0)).parameters()[:FRICTION].tolist()


@compiled
def push(gap, rate, k, n, d):
    """N, ∂N/∂g and ∂N/∂ġ of a gap and its rate."""
    depth = -gap
    rest = 1.0 - d * rate
    if not (depth > 0.0 and rest > 0.0):
        return 0.0, 0.0, 0.0
    slope = k * math.sqrt(depth) if n == 1.5 else (k if n == 1.0 else k * depth ** (n - 1.0))
    elastic = slope * depth
    return elastic * rest, -n * slope * rest, -d * elastic


@compiled
def stored(gap, k, n):
    """The elastic force k δⁿ and its energy."""
    if gap >= 0.0:
        return 0.0, 0.0
    depth = -gap
    elastic = k * depth * math.sqrt(depth) if n == 1.5 else k * depth**n
    return elastic, elastic * depth / (n + 1.0)


@compiled
def tearing(gap, rate, d):
    """1 + d δ̇ in contact, which is negative where the bodies are torn apart without a force; 1 elsewhere."""
    return 1.0 if gap >= 0.0 else 1.0 - d * rate
