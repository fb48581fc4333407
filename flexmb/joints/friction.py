"""Friction in a joint by the joint's own force: what is said of it, and its law for the joints of plane and space."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels.compilation import compiled
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls

#: a coefficient larger than this is a mistake: even rubber on a dry road has less
LARGEST_COEFFICIENT = 10.0

#: places of the numbers of :meth:`JointFriction.parameters`
COULOMB, EXCESS, STRIBECK, SMOOTHING, VISCOUS, RADIUS, LENGTH, THRUST_RADIUS, PRELOAD, SMALL_FORCE = range(10)
PARAMETERS = 10


@dataclass(frozen=True)
class JointFriction(metaclass=AnswersCalls):
    """Dry and viscous friction between the two surfaces of a joint, which the joint's own force presses together.

    With the speed u at which they slip and the normal force N (Coulomb (1785), Stribeck (1902); as in
    Armstrong-Hélouvry et al. (1994)):

        F = μ(u) N tanh(u/ε) + d u,      μ(u) = μ_C + (μ_S − μ_C) exp(−(u/u_S)²)

    against the slip. Where surfaces slip in more than one direction, F is along the slip, of which u is the size.

    **What N is.** In a bearing of radius r the radial force f presses on one side; with a bearing length L, a bending
    moment m across the axis is held by a pair of forces m/L, so that its two ends carry

        N = |f/2 + z × m/L| + |f/2 − z × m/L|        (N = |f| without a length: m is held without friction)

    and a force along the axis presses on a thrust face, at its radius r_t. u is the speed of the surface: r ω. In a
    slide with a width 2 r across its axis, a moment about the axis is held by a pair of forces too, and adds |m_z|/r.
    The `preload` is added to N: a pressed bushing, a seal. Each joint says which of these it has.

    **Smooth.** N has a kink where the force vanishes; here |f| is √(f² + δ²) − δ. tanh makes the jump at u = 0 smooth,
    so that a joint that sticks creeps, with the speed ε artanh(F/(μ_S N)); see :class:`~flexmb.Friction`.

    In the equations of motion F depends on the joint's multipliers, see :mod:`flexmb.system.friction`: a joint may jam,
    and a run then ends with its name (:mod:`flexmb.system.with_friction`). In a solution `reaction` is the whole force
    of the joint, friction included. With `method="radau"` the forces of joints are found anew after each step, since
    those of its stages are of a lower order than positions (:mod:`flexmb.solvers.methods.radau.error_of_friction`). By
    Radau IIA errors are up to ten tolerances to 1e-8, and up to a hundred at 1e-10; "dop853" and CVODE keep theirs
    there too.

    **Sticking.** With `smoothing=0` there is no tanh: a joint with one way to move, a revolute or prismatic joint, a
    screw or a pin in a slot, truly sticks, without any creep, while |F| ≤ μ_S N, and slides with exactly
    μ(u) N + d |u|, see :mod:`flexmb.joints.sticking`. :func:`flexmb.simulate` finds when it sticks and breaks away;
    analyses of small motions and of equilibria refuse it.

    Arguments: `coefficient` μ_C; `static` μ_S ≥ μ_C, the same when not given; `stribeck_speed` u_S [m/s]; `viscous` d
    [Ns/m], at the surface, so that the torque of a bearing is d r² ω; `smoothing` ε [m/s], 0 for the law that sticks;
    `radius` r [m] and `length` L [m] of the bearing; `thrust_radius` r_t [m] of the face that takes the axial force, r
    when not given; `preload` [N]; `small_force` δ [N], small against the forces of the joint.

    >>> friction = JointFriction(0.2, static=0.3, radius=0.01)
    >>> [round(friction.coefficient_at(u), 4) for u in (0.0, 0.005, 1.0, -1.0)]
    [0.0, 0.2779, 0.2, -0.2]
    """

    coefficient: float
    static: float | None = None
    stribeck_speed: float = 0.01
    viscous: float = 0.0
    smoothing: float = 1e-3
    radius: float | None = None
    length: float | None = None
    thrust_radius: float | None = None
    preload: float = 0.0
    small_force: float = 1e-12

    def __post_init__(self) -> None:
        where = "joint friction"
        checks.check_fields(self, checks.not_negative, where, "coefficient", "viscous", "smoothing", "preload")
        checks.check_fields(self, checks.positive, where, "stribeck_speed", "small_force")
        for name in ("radius", "length", "thrust_radius"):
            if getattr(self, name) is not None:
                checks.check_fields(self, checks.positive, where, name)
        if self.static is not None:
            checks.check_fields(self, checks.not_negative, where, "static")
            if self.static < self.coefficient:
                raise ModelError(
                    f"{where}: static is {self.static:g}, less than the coefficient of surfaces that slip, "
                    f"{self.coefficient:g}; give the one at which they break away, or leave static out where the two "
                    "are the same"
                )
            if self.static > self.coefficient and self.smoothing >= self.stribeck_speed:
                raise ModelError(
                    f"{where}: smoothing is {self.smoothing:g}, stribeck_speed {self.stribeck_speed:g}: the static "
                    "coefficient would never be reached; make smoothing much smaller, a tenth, say"
                )
        largest = max(self.coefficient, self.static or 0.0)
        if largest > LARGEST_COEFFICIENT:
            raise ModelError(
                f"{where}: a coefficient of {largest:g} is none of dry surfaces, which have up to about 1.5; give the "
                "force of friction as a part of the normal force"
            )

    def coefficient_at(self, speed: float) -> float:
        """μ(u) tanh(u/ε) at a speed of slip u [m/s], with its sign."""
        law = self.parameters()[: SMOOTHING + 1].tolist()
        if self.smoothing == 0.0:  # dry_friction cannot divide by it
            law[SMOOTHING] = math.ulp(0.0)
        return float(dry_friction(checks.number(speed, "speed", "joint friction"), *law)[0])

    def parameters(self) -> np.ndarray:
        """The numbers that kernels read, in the order of the places above; a length of 0 is none."""
        static = self.coefficient if self.static is None else self.static
        radius = self.radius or 0.0
        thrust = radius if self.thrust_radius is None else self.thrust_radius
        of_law = [self.coefficient, static - self.coefficient, self.stribeck_speed, self.smoothing, self.viscous]
        return np.array([*of_law, radius, self.length or 0.0, thrust, self.preload, self.small_force], dtype=float)

    def needs(self, where: str, *names: str, without: str) -> None:
        """Refuse a friction that lacks some of its measures, which the joint at `where` needs."""
        for name in names:
            if getattr(self, name) is None:
                raise ModelError(f"{where}: its friction has no {name}, {without}; give {name}=… [m] to JointFriction")


def checked_friction(friction: object, where: str) -> None:
    """Refuse what is neither a :class:`JointFriction` nor None."""
    if friction is not None and not isinstance(friction, JointFriction):
        raise ModelError(
            f"{where}: friction is {checks.quoted(friction)}; give fm.JointFriction(coefficient, …), or leave it out"
        )


@compiled
def dry_friction(speed, coulomb, excess, stribeck_speed, smoothing):
    """S tanh(ω/ε) with S = T_C + (T_S − T_C) exp(−(ω/ω_S)²), and its derivative by ω; `excess` is T_S − T_C."""
    x = speed / stribeck_speed
    fall = excess * math.exp(-x * x)
    step = math.tanh(speed / smoothing)
    slope = (coulomb + fall) * (1.0 - step * step) / smoothing - 2.0 * x / stribeck_speed * fall * step
    return (coulomb + fall) * step, slope


@compiled
def along_slip(law, at, speed):
    """c(u) = μ(u) tanh(u/ε)/u and c′(u)/u for surfaces that slip with the speed u ≥ 0 in any direction: friction is
    c N σ for the slip σ of size u, and changes with it by N (c + (c′/u) σ σᵀ). The parameters of the law stand in
    `law` from the place `at` on."""
    smoothing = law[at + SMOOTHING]
    if speed < 1e-4 * smoothing:  # terms of u² are left out, which is exact to a part in 10⁸
        static = law[at + COULOMB] + law[at + EXCESS]
        return static / smoothing, -2.0 * (
            static / (3.0 * smoothing**3) + law[at + EXCESS] / (smoothing * law[at + STRIBECK] ** 2)
        )
    force, slope = dry_friction(speed, law[at], law[at + EXCESS], law[at + STRIBECK], smoothing)
    return force / speed, (slope - force / speed) / (speed * speed)


@compiled
def smooth_size(squared, small):
    """√(x² + δ²) − δ of a force whose square is given, and its derivative by the square, times 2: it changes with the
    force x by this times x."""
    size = math.sqrt(squared + small * small)
    return size - small, 1.0 / size
