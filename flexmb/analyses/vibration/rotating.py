"""Small motions about rest and about steady rotation: linear equations with constant coefficients.

About rest the equations of motion  r(q, v, a, λ) = M a + f(t, q, v) + Gᵀ λ = 0,  g(q, t) = 0  give

    M ξ̈ + C ξ̇ + K ξ + Gᵀ δλ = 0,   G ξ = 0,   C = ∂r/∂v,   K = ∂r/∂q  (the part ∂(Gᵀλ)/∂q included).

In steady rotation at Ω about a point c every part moves as v = Ω S (q − c), a = Ω² S S (q − c), with S the turn by +90°
of all pairs (x, y) and the unit rate of all angles. In absolute coordinates the coefficients of small motions are then
periodic in time. With T(t), which turns all pairs by Ωt and leaves angles and modal coordinates alone, Ṫ = Ω T S, and

    δq = T ξ,   δv = T (ξ̇ + Ω S ξ),   δa = T (ξ̈ + 2 Ω S ξ̇ + Ω² S S ξ)

(S here without the angles' part, whose rates do not depend on the angle). Put into M δa + D δv + K δq + Gᵀ δλ = 0,
G δq = 0, and multiplied by Tᵀ:

    M̂ = TᵀMT,   Ĉ = Tᵀ(DT + 2 Ω M T S),   K̂ = Tᵀ(KT + Ω D T S + Ω² M T S S),   Ĝ = G T

M, D, K and G are those of the absolute coordinates at (q, v, a, λ). When nothing but the rotation tells one instant
from another, M̂, Ĉ, K̂ and the null space of Ĝ are constant (not Ĝ itself: a hinge's rows are along the axes of space).
Taken at the instant of the state, T is the identity, and so

    M̂ = M,   Ĉ = D + 2 Ω M S,   K̂ = K + Ω D S + Ω² M S S,   Ĝ = G.

A check turns the state on by one radian, in the time that this takes: the matrices must be the same there. A part that
is fixed in space and acts on the rotor off its axis, such as a spring to the ground or a guide, fails this check.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered
from flexmb.analyses.statics.rotation import SteadyRotation
from flexmb.errors import SolverError
from flexmb.results.state import State
from flexmb.solvers.jamming import refuse_joint_friction
from flexmb.system.system import System

#: a motion is a steady rotation if it differs from one by no more than this part
SAME_MOTION = 1e-6
#: coefficients are constant if they change by no more than this part
SAME_COEFFICIENTS = 1e-7

Matrix = Any  # np.ndarray of a small system, sp.csc_array of a large one


@dataclass(frozen=True, eq=False)
class SmallMotions:
    """M ξ̈ + C ξ̇ + K ξ + Gᵀ δλ = 0, G ξ = 0 about a position (t, q, λ); `rotation` is None about rest."""

    system: System
    t: float
    q: np.ndarray
    lam: np.ndarray
    rotation: SteadyRotation | None = None

    @cached_property
    def rates(self) -> tuple[np.ndarray, np.ndarray]:
        """Speeds and accelerations (n,) of the rest or the rotation about which the equations are linear."""
        if self.rotation is None:
            return np.zeros(self.system.n), np.zeros(self.system.n)
        return self.rotation.rates(self.q)

    @cached_property
    def M(self) -> Matrix:
        """Inertia (n, n)."""
        return self._tangent((1.0, 0.0, 0.0))

    @cached_property
    def _D(self) -> Matrix:
        return self._tangent((0.0, 1.0, 0.0))

    @cached_property
    def C(self) -> Matrix:
        """Damping and gyroscopic matrix (n, n)."""
        rotation = self.rotation
        return self._D if rotation is None else self._D + 2.0 * rotation.spin * (self.M @ rotation.S)

    @cached_property
    def K(self) -> Matrix:
        """Stiffness (n, n): elastic, geometric, of the joint forces, centrifugal."""
        K = self._tangent((0.0, 0.0, 1.0))
        return K if self.rotation is None else self.rotation.stiffness(self.M, self._D, K)

    @cached_property
    def G(self) -> Matrix:
        """Jacobian of the constraints (m, n)."""
        return self.system.jacobian(self.t, self.q)

    @property
    def residual(self) -> np.ndarray:
        """The forces out of balance (n,): M a + f + Gᵀ λ."""
        return self.system.residual(self.t, self.q, *self.rates, self.lam)

    def _tangent(self, weights: tuple[float, float, float]) -> Matrix:
        if self.rotation is not None:
            refuse_joint_friction(self.system, f"modes in steady rotation of model {self.system.model.name!r}")
        return self.system.tangent(self.t, self.q, *self.rates, self.lam, weights)

    def turned(self, angle: float) -> SmallMotions:
        """The same rotation, turned on by an angle [rad]; joint forces turn along."""
        rotation = self.rotation
        assert rotation is not None
        T = rotation.turn(angle)
        q = rotation.offset + T @ (self.q - rotation.offset)
        q[self.system.turning] += angle
        t = self.t + angle / rotation.spin
        lam = multipliers_against(self.system, t, q, -(T @ (self.G.T @ self.lam)))
        return SmallMotions(self.system, t, q, lam, rotation)

    def check_constant(self, where: str) -> None:
        """Raise a SolverError if the coefficients differ after the rotation has turned on by a radian."""
        if self.rotation is None:
            return
        later = self.turned(1.0)
        T = self.rotation.turn(1.0)
        scale = sp.diags_array(self.system.scale)
        changes = [
            (what, largest_by_column(scale @ (now - T.T @ then @ T) @ scale), abs(scale @ now @ scale).max())
            for what, now, then in (
                ("inertia", self.M, later.M),
                ("damping", self.C, later.C),
                ("stiffness", self.K, later.K),
            )
        ]
        if self.system.m:  # the joints must still allow the motions that they allow now
            free = self._free_motion()
            violation = np.abs(later.G @ (T @ free)) @ abs(later.G)
            changes.append(("freedom", violation, np.max(np.abs(free) @ abs(later.G).T @ abs(later.G))))
        for what, change, size in changes:
            if change.max(initial=0.0) > SAME_COEFFICIENTS * size:
                raise SolverError(
                    f"{where}: as it turns, the {what} of {self.system.names[int(np.argmax(change))]!r} and others "
                    "change in axes that turn along, so there are no modes of steady rotation; take away what is "
                    "fixed in space and acts on the rotor off its axis (a spring to the ground, a guide)"
                )

    def _free_motion(self) -> np.ndarray:
        """A random motion (n,) that the joints allow."""
        system = self.system
        start = np.random.default_rng(0).normal(size=system.n) / system.scale
        mu = multipliers_against(system, self.t, self.q, -start)
        return system.scale**2 * (start - self.G.T @ mu)


def small_motions(state: State) -> SmallMotions:
    """The small motions about the steady rotation of a state, or else about rest in its position.

    Speeds other than those of a steady rotation are left aside; the joint forces are then those of rest.
    """
    system = state.system
    rotation = rotation_of(state)
    if rotation is not None or not np.any(state.v):
        return SmallMotions(system, state.t, state.q, state.lam, rotation)
    # λ of joints that hold the mechanism at rest, as far as joints can hold it
    zero = np.zeros(system.n)
    lam = multipliers_against(system, state.t, state.q, system.residual(state.t, state.q, zero, zero))
    return SmallMotions(system, state.t, state.q, lam)


def rotation_of(state: State) -> SteadyRotation | None:
    """The steady rotation of a state, v = Ω S (q − c) and a = Ω² S S (q − c); None if it moves in another way."""
    system = state.system
    if not np.any(state.v):
        return None
    if system.assembly.free.dimension == 3:
        _refuse_rotation_in_space(state)
        return None
    Z = system.rigid_motions(state.q) / system.scale
    v = state.v / system.scale
    rates, *_ = np.linalg.lstsq(Z.T, v, rcond=None)
    spin = float(rates[2])
    if spin == 0.0 or np.max(np.abs(v - rates @ Z)) > SAME_MOTION * np.max(np.abs(v)):
        return None
    rotation = SteadyRotation(spin, np.array([-rates[1], rates[0]]) / spin, system)
    _, a = rotation.rates(state.q)
    off = np.max(np.abs(a - state.a) / system.scale)
    return rotation if off <= 10.0 * SAME_MOTION * spin**2 * max(1.0, np.max(np.abs(v)) / abs(spin)) else None


def _refuse_rotation_in_space(state: State) -> None:
    """Raise a SolverError if everything turns steadily as one body: coefficients are then not those of rest."""
    system = state.system
    Z = system.rigid_motions(state.q)
    rates, *_ = np.linalg.lstsq((Z / system.scale).T, state.v / system.scale, rcond=None)
    spin = float(np.linalg.norm(rates[3:]))
    off = np.max(np.abs(state.v - rates @ Z) / system.scale)
    if spin == 0.0 or off > SAME_MOTION * np.max(np.abs(state.v) / system.scale):
        return
    # In a steady rotation, or screw, a rigid motion at the same rates goes on: a = ∂(Zᵀ rates)/∂q along v.
    h = 1e-3 / spin
    ends = [system.rigid_motions(system.retract(state.q, k * h * state.v)) for k in (-1.0, 1.0)]
    a = rates @ (ends[1] - ends[0]) / (2.0 * h)
    size = spin**2 * max(1.0, float(np.max(np.abs(state.v) / system.scale)) / spin)
    if np.max(np.abs(a - state.a) / system.scale) <= 1e3 * SAME_MOTION * size:
        raise SolverError(
            f"model {system.model.name!r}: the state turns steadily at {spin:g} rad/s, and small motions about steady "
            "rotation are computed for mechanisms in the plane only; fm.linearise(…, steady=True) has their poles"
        )


def multipliers_against(system: System, t: float, q: np.ndarray, f: np.ndarray) -> np.ndarray:
    """λ (m,) for which Gᵀ λ is nearest to −f, in scaled coordinates."""
    if not system.m:
        return np.zeros(0)
    G = system.jacobian(t, q)
    if isinstance(G, np.ndarray):
        return np.linalg.lstsq((G * system.scale).T, -f * system.scale, rcond=None)[0]
    GS = sp.csc_array(G @ sp.diags_array(system.scale))
    saddle = Factors(bordered(sp.eye_array(system.n), GS))
    return saddle.solve(np.concatenate([-f * system.scale, np.zeros(system.m)]))[system.n :]


def largest_by_column(A: Matrix) -> np.ndarray:
    """The size of the largest entry of each column."""
    largest = abs(A).max(axis=0)
    return largest if isinstance(largest, np.ndarray) else largest.toarray().ravel()
