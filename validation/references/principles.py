r"""Eight principles of mechanics, and that of Gibbs and Appell, for particles at Rⱼ(q) under forces fⱼ and a potential
V, by SymPy: each from its own words, and none by another.

Likins (1974), with numbers of Ohkami et al. (1985). A q̇ + B = 0 are constraints, u = Y(q) q̇ generalized speeds, and
W = Y⁻¹:

    ① Σ (fⱼ − mⱼ R̈ⱼ) · ∂Rⱼ/∂qₖ − ∂V/∂qₖ = 0                                       D'Alembert and Lagrange (18)
    ② Σ (fⱼ − mⱼ R̈ⱼ) · Vₖⱼ = 0, V = ∂R/∂q̄ − ∂R/∂qᶜ A_mm⁻¹ A_mn                     the same, constrained (30)
    ③ Σ (fⱼ − mⱼ R̈ⱼ) · ∂Ṙⱼ/∂uᵣ = 0                                                Kane
    ④ d/dt ∂T/∂q̇ − ∂T/∂q = Q                                                       Lagrange
    ⑤ d/dt ∂T/∂q̇ − ∂T/∂q = Q + Aᵀλ                                                 Lagrange, constrained
    ⑥ d/dt ∂T̄/∂uᵣ − Σ Wₖᵣ ∂T̄/∂qₖ + Σ γˢᵣₜ uₜ ∂T̄/∂uₛ = (WᵀQ)ᵣ                      Boltzmann and Hamel
       γˢᵣₜ = Σ Wₖᵣ Wₗₜ (∂Yₛₖ/∂qₗ − ∂Yₛₗ/∂qₖ)
    ⑦ ṗ = −∂H/∂q + Q + Aᵀλ,  p = ∂T/∂q̇,  H = ½ pᵀ M⁻¹ p + V                        Hamilton, constrained
    ⑧ ṗ = −∂H/∂q + Q                                                               Hamilton
    ∂/∂u̇ᵣ Σ ½ mⱼ R̈ⱼ · R̈ⱼ = (WᵀQ)ᵣ                                                Gibbs and Appell

All rows are "inertia less forces", as expressions in q, q̇ and q̈ that need not be a motion: two principles are the same
if their rows are the same for all of these. Numbers have thirty digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

#: digits of all numbers
DIGITS = 30


def sympy() -> Any:
    """SymPy, which is an extra."""
    import sympy

    return sympy


class Particles:
    """Particles with masses `m`, at places R(q) (3,) each, under forces f (3,) each, with a `potential` V(q), and
    constraints A(q) q̇ = 0. Symbols: `q`, `rates` q̇, `second` q̈."""

    def __init__(self, count: int) -> None:
        sp = self.sp = sympy()
        self.q = sp.Matrix(sp.symbols(f"q0:{count}"))
        self.rates = sp.Matrix(sp.symbols(f"v0:{count}"))
        self.second = sp.Matrix(sp.symbols(f"a0:{count}"))
        self.m: list[Any] = []
        self.R: list[Any] = []
        self.f: list[Any] = []
        self.potential: Any = sp.Integer(0)
        self.A: Any = sp.zeros(0, count)

    def add(self, mass: Any, place: Any, force: Any) -> None:
        """A particle."""
        self.m.append(mass)
        self.R.append(self.sp.Matrix(place))
        self.f.append(self.sp.Matrix(force))

    def rate(self, x: Any) -> Any:
        """d/dt of an expression or a matrix, along q, q̇, q̈."""
        x = self.sp.Matrix([x]) if not hasattr(x, "jacobian") else x
        if x.shape[1] != 1:
            return self.sp.Matrix.hstack(*(self.rate(x[:, k]) for k in range(x.shape[1])))
        return x.jacobian(self.q) * self.rates + x.jacobian(self.rates) * self.second

    @cached_property
    def forces(self) -> Any:
        """Q (n,), those of the potential included."""
        found = -self.sp.Matrix([self.potential]).jacobian(self.q).T
        for place, force in zip(self.R, self.f):
            found += place.jacobian(self.q).T * force
        return found

    @cached_property
    def velocities(self) -> list[Any]:
        """Ṙⱼ."""
        return [self.rate(place) for place in self.R]

    @cached_property
    def accelerations(self) -> list[Any]:
        """R̈ⱼ."""
        return [self.rate(velocity) for velocity in self.velocities]

    @cached_property
    def kinetic(self) -> Any:
        """T(q, q̇)."""
        return sum(mass * v.dot(v) / 2 for mass, v in zip(self.m, self.velocities))

    # -- the principles ----------------------------------------------------------------------------------------------

    def _work(self, directions: Sequence[Any], of_potential: Any) -> Any:
        """−Σ (f − m R̈) · directions, and what the potential does."""
        found = -of_potential
        for mass, a, force, direction in zip(self.m, self.accelerations, self.f, directions):
            found += direction.T * (mass * a - force)
        return found

    def dalembert(self) -> Any:
        """①."""
        push = -self.sp.Matrix([self.potential]).jacobian(self.q).T
        return self._work([place.jacobian(self.q) for place in self.R], push)

    def dalembert_constrained(self, dependent: Sequence[int]) -> Any:
        """②, with the dependent coordinates qᶜ."""
        free = self.free_rates(dependent)
        push = -free.T * self.sp.Matrix([self.potential]).jacobian(self.q).T
        return self._work([place.jacobian(self.q) * free for place in self.R], push)

    def free_rates(self, dependent: Sequence[int]) -> Any:
        """∂q̇/∂q̄̇ (27)."""
        sp, n = self.sp, len(self.q)
        others = [k for k in range(n) if k not in dependent]
        found = sp.zeros(n, len(others))
        solved = -self.A[:, list(dependent)].LUsolve(self.A[:, others])
        for column, k in enumerate(others):
            found[k, column] = 1
            for row, c in enumerate(dependent):
                found[c, column] = solved[row, column]
        return found

    def kane(self, W: Any) -> Any:
        """③; Ṙ = ∂R/∂q W u."""
        push = -W.T * self.sp.Matrix([self.potential]).jacobian(self.q).T
        return self._work([velocity.jacobian(self.rates) * W for velocity in self.velocities], push)

    def lagrange(self) -> Any:
        """④; with −Aᵀλ it is ⑤."""
        T = self.sp.Matrix([self.kinetic])
        return self.rate(T.jacobian(self.rates).T) - T.jacobian(self.q).T - self.forces

    def boltzmann_hamel(self, Y: Any, W: Any) -> Any:
        """⑥, with T̄(q, u) = T(q, W u), differentiated by the chain rule."""
        sp, n = self.sp, len(self.q)
        T, u = sp.Matrix([self.kinetic]), sp.Matrix(sp.symbols(f"u0:{n}"))
        p = T.jacobian(self.rates).T
        carried = (W * u).jacobian(self.q).subs(dict(zip(u, Y * self.rates)), simultaneous=True)  # ∂(W u)/∂q
        by_u, by_q = W.T * p, T.jacobian(self.q).T + carried.T * p
        speeds, found = Y * self.rates, self.rate(by_u) - W.T * by_q - W.T * self.forces
        curls = [Y[s, :].T.jacobian(self.q) for s in range(n)]  # ∂Yₛₖ/∂qₗ at [k, l]
        for s in range(n):
            gamma = W.T * (curls[s] - curls[s].T) * W
            found += gamma * speeds * by_u[s]
        return found

    def hamilton(self) -> Any:
        """⑧, ṗ + ∂H/∂q − Q; with −Aᵀλ it is ⑦."""
        sp = self.sp
        T = sp.Matrix([self.kinetic])
        p = T.jacobian(self.rates).T
        M = p.jacobian(self.rates)
        push = self.forces + sp.Matrix([self.potential]).jacobian(self.q).T  # H has the potential
        by_q = [sp.diff(self.potential, s) for s in self.q]
        # ∂/∂q of ½ pᵀ M⁻¹ p is −½ (M⁻¹p)ᵀ ∂M/∂q (M⁻¹p); M⁻¹p = q̇ along the motion
        for k, s in enumerate(self.q):
            by_q[k] -= (self.rates.T * M.diff(s) * self.rates)[0] / 2
        return self.rate(p) + sp.Matrix(by_q) - push

    def gibbs_appell(self, W: Any) -> Any:
        """The energy of accelerations, differentiated by u̇, where q̈ = W (u̇ − Ẏ q̇)."""
        energy = self.sp.Matrix([sum(m * a.dot(a) / 2 for m, a in zip(self.m, self.accelerations))])
        return W.T * energy.jacobian(self.second).T - W.T * self.forces

    # -- numbers ------------------------------------------------------------------------------------------------------

    def numbers(self, expressions: Any, q: Any, rates: Any, second: Any) -> np.ndarray:
        """Values of a matrix of expressions, of thirty digits, in an array of objects."""
        import mpmath

        sp, x = self.sp, sp_list(self.q, self.rates, self.second)
        given = [*q, *rates, *second]
        function = sp.lambdify(x, sp.Matrix(expressions), modules="mpmath", cse=True)
        with mpmath.workdps(DIGITS):
            found = function(*(mpmath.mpf(str(value)) for value in given))
            return np.array(found.tolist(), dtype=object)


def sp_list(*parts: Any) -> list[Any]:
    """Symbols one after the other."""
    return [symbol for part in parts for symbol in part]


def product(W: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Wᵀ rows, of thirty digits."""
    import mpmath

    with mpmath.workdps(DIGITS):
        return np.asarray(W.T @ rows)


def apart(first: np.ndarray, second: np.ndarray) -> float:
    """The largest difference, as a part of the largest number."""
    import mpmath

    with mpmath.workdps(DIGITS):
        size = max(1, *(abs(x) for x in np.ravel(second)))
        return float(max(abs(x) for x in np.ravel(first - second)) / size)


# -- what the principles are compared on ------------------------------------------------------------------------------


def turned(q: Sequence[Any]) -> Any:
    """The rotation about z, then y, then x, by three angles."""
    sp = sympy()
    return sp.rot_ccw_axis3(q[0]) * sp.rot_ccw_axis2(q[1]) * sp.rot_ccw_axis1(q[2])


def body_rates(q: Sequence[Any]) -> Any:
    """Y: ω in the axes of the body is Y times the rates of these angles."""
    sp = sympy()
    s1, c1, s2, c2 = sp.sin(q[1]), sp.cos(q[1]), sp.sin(q[2]), sp.cos(q[2])
    return sp.Matrix([[-s1, 0, 1], [c1 * s2, c2, 0], [c1 * c2, -s2, 0]])


def rates_of_body(q: Sequence[Any]) -> Any:
    """The inverse of Y of :func:`body_rates`."""
    sp = sympy()
    t1, c1, s2, c2 = sp.tan(q[1]), sp.cos(q[1]), sp.sin(q[2]), sp.cos(q[2])
    return sp.Matrix([[0, s2 / c1, c2 / c1], [0, c2, -s2], [1, s2 * t1, c2 * t1]])


def rigid_body() -> tuple[Particles, Any, Any, list[Any]]:
    """A-1: a rigid body of six particles that turns about its mass center; Y of ω in its axes, and W; the particles in
    its axes."""
    sp = sympy()
    one = Particles(3)
    A, arms = turned(one.q), []
    for k, (size, mass) in enumerate(((3, 1), (2, 2), (1, 4))):  # pairs on three axes, so that inertias differ
        arm = sp.zeros(3, 1)
        arm[k] = sp.Rational(size, 4)
        for sign in (1, -1):
            force = [sp.Rational(k + 1, 3), sp.Rational(sign, 2), sp.Rational(2 - k, 5) * sign]
            one.add(sp.Integer(mass), A * (sign * arm), force)
            arms.append(sign * arm)
    return one, body_rates(one.q), rates_of_body(one.q), arms


#: radius [m], mass [kg] and inertia [kg m²] of the sphere
RADIUS, MASS = 0.5, 3.0
INERTIA = 0.4 * MASS * RADIUS**2


def sphere() -> tuple[Particles, Any, Any]:
    """A-2: a homogeneous sphere that rolls on z = 0, of six particles with its mass and inertia; q: x, y of its center
    and three angles. Y and W of (ω in the ground, and what rolling makes zero: ẋ − r ω_y, ẏ + r ω_x)."""
    sp = sympy()
    one = Particles(5)
    radius, mass = sp.Rational(1, 2), sp.Integer(3)
    A = turned(one.q[2:])
    to_ground = A * body_rates(one.q[2:])
    far = radius * sp.sqrt(sp.Rational(3, 5))  # 4 (m/6) far² = 2/5 m r²
    center = sp.Matrix([one.q[0], one.q[1], radius])
    for k in range(3):
        arm = sp.zeros(3, 1)
        arm[k] = far
        for sign in (1, -1):
            force = sphere_force(k, sign)
            one.add(mass / 6, center + A * (sign * arm), force)
    Y = sp.zeros(5, 5)
    Y[:3, 2:] = to_ground
    Y[3, 0] = Y[4, 1] = 1
    Y[3, 2:], Y[4, 2:] = -radius * to_ground[1, :], radius * to_ground[0, :]
    W = sp.zeros(5, 5)
    W[2:, :3] = rates_of_body(one.q[2:]) * A.T
    W[0, 3] = W[1, 4] = 1
    W[0, 1], W[1, 0] = radius, -radius
    one.A = Y[3:, :]
    return one, Y, W


def sphere_force(k: int, sign: int) -> list[Any]:
    """The force on the particle of the sphere on a side of axis k [N]."""
    sp = sympy()
    return [sp.Rational(sign + k, 3), sp.Rational(2, 5) * sign, sp.Rational(k - 1, 7) + sign]


#: of the three bodies: m₀, I₀ of the center, m, I of the sides; hinges at R from the center, mass centers of sides d
#: beyond them; stiffness k
THREE = {"m0": 2.0, "I0": 0.7, "m": 0.5, "I": 0.2, "R": 0.6, "d": 0.9, "k": 3.0}


def three_bodies() -> Particles:
    """A-3: a center with a side on each end, in the plane, each of two particles; q: x, y, angle of the center, angles
    of the sides against it."""
    sp = sympy()
    given = {name: sp.Rational(str(value)) for name, value in THREE.items()}
    one, still = Particles(5), [0, 0, 0]

    def add(center: Any, along: Any, mass: Any, inertia: Any) -> None:
        far = sp.sqrt(inertia / mass)
        for sign in (1, -1):
            one.add(mass / 2, center + sign * far * along, still)

    def unit(angle: Any) -> Any:
        return sp.Matrix([sp.cos(angle), sp.sin(angle), 0])

    middle = sp.Matrix([one.q[0], one.q[1], 0])
    add(middle, unit(one.q[2]), given["m0"], given["I0"])
    for k, side in ((3, 1), (4, -1)):
        angle = one.q[2] + one.q[k]
        add(
            middle + side * (given["R"] * unit(one.q[2]) + given["d"] * unit(angle)),
            unit(angle),
            given["m"],
            given["I"],
        )
        one.potential += given["k"] * one.q[k] ** 2 / 2
    return one


def frequencies() -> tuple[float, float]:
    """ω² of the symmetric and the antisymmetric vibration of the three bodies, in closed form."""
    m0, I0, m, I, R, d, k = THREE.values()
    symmetric = k / (I + m * d * d * m0 / (m0 + 2 * m))
    C, B, J = 2 * (I + m * d * d), 2 * (I + m * d * (R + d)), I0 + 2 * I + 2 * m * (R + d) ** 2
    return symmetric, 2 * k / (C - B * B / J)


def elastic_body(hinged: bool) -> tuple[Particles, Any, Any]:
    """B-1: an elastic body of four particles in the plane with one mode; q: x, y, angle, amplitude. With `hinged`,
    B-2: on a rigid body of two particles by a hinge; q: x, y, angle of the rigid body, angle of the hinge, amplitude.
    Y and W of the speed of the mass center, the angular velocity and the other rates."""
    sp = sympy()
    one = Particles(5 if hinged else 4)
    x, y, theta = one.q[:3]
    angle, xi = (theta + one.q[3] if hinged else theta), one.q[-1]
    c, s = sp.cos(angle), sp.sin(angle)
    along, across, base = sp.Matrix([c, s, 0]), sp.Matrix([-s, c, 0]), sp.Matrix([x, y, 0])
    if hinged:
        own = sp.Matrix([sp.cos(theta), sp.sin(theta), 0])
        for k, mass in ((-1, 2), (1, 3)):
            one.add(sp.Integer(mass), base + k * own / 3, [k, sp.Rational(1, 2), 0])
        base = base + own / 2
    for k, mass in enumerate((2, 1, 1, 3)):
        place = sp.Rational(k, 2) + sp.Rational(1, 3)
        shape = sp.Rational(k * k + 1, 5)
        one.add(sp.Integer(mass), base + place * along + shape * xi * across, [sp.Rational(k, 3), 1 - k, 0])
    one.potential = sp.Rational(7, 2) * xi**2
    whole = sum(one.m)
    center = sum((mass * place for mass, place in zip(one.m, one.R)), sp.zeros(3, 1)) / whole
    Y = sp.eye(len(one.q))
    Y[:2, :] = center[:2, :].jacobian(one.q)
    W = sp.eye(len(one.q))
    W[:2, 2:] = -Y[:2, 2:]  # of Y = [1, y; 0, 1]
    return one, Y, W


def newton_euler(one: Particles, arms: list[Any]) -> Any:
    """J ω̇ + ω × J ω − T of the body of A-1, in its axes."""
    sp = one.sp
    J = sp.zeros(3, 3)
    for mass, arm in zip(one.m, arms):
        J += mass * (arm.dot(arm) * sp.eye(3) - arm * arm.T)
    omega, A = body_rates(one.q) * one.rates, turned(one.q)
    torque = sum((R.cross(f) for R, f in zip(one.R, one.f)), sp.zeros(3, 1))
    return J * one.rate(omega) + omega.cross(J * omega) - A.T * torque


def two_links(lengths: Any, masses: Any, inertias: Any, torques: Any) -> Particles:
    """A-4, the smallest: two links in the plane on the ground, each of two particles; q: angles of the hinges, which
    have drives. Their potential is −τ · q."""
    sp = sympy()
    one, angle, at = Particles(2), 0, sp.zeros(3, 1)
    for k in range(2):
        angle = angle + one.q[k]
        along = sp.Matrix([sp.cos(angle), sp.sin(angle), 0])
        length, mass, inertia = (sp.Rational(str(values[k])) for values in (lengths, masses, inertias))
        for sign in (1, -1):
            one.add(mass / 2, at + (length / 2 + sign * sp.sqrt(inertia / mass)) * along, [0, 0, 0])
        at = at + length * along
        one.potential -= sp.Rational(str(torques[k])) * one.q[k]
    return one


def about_center(one: Particles) -> Any:
    """Newton and Euler of the whole in the plane: m c̈ − ΣF (2), and Ḣ − M about its mass center."""
    sp, whole = one.sp, sum(one.m)
    center = sum((m * place for m, place in zip(one.m, one.R)), sp.zeros(3, 1)) / whole
    speed = one.rate(center)
    H = sum((m * (R - center).cross(v - speed) for m, R, v in zip(one.m, one.R, one.velocities)), sp.zeros(3, 1))
    M = sum(((R - center).cross(f) for R, f in zip(one.R, one.f)), sp.zeros(3, 1))
    push = whole * one.rate(speed) - sum(one.f, sp.zeros(3, 1))
    return sp.Matrix([push[0], push[1], (one.rate(H) - M)[2]])
