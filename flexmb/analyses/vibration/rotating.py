"""Small motions about rest and about steady rotation: linear equations with constant coefficients.

About rest the equations of motion  r(q, v, a, λ) = M a + f(t, q, v) + Gᵀ λ = 0,  g(q, t) = 0  give

    M ξ̈ + C ξ̇ + K ξ + Gᵀ δλ = 0,   G ξ = 0,   C = ∂r/∂v,   K = ∂r/∂q  (the part ∂(Gᵀλ)/∂q included).

In steady motion everything turns at Ω about an axis, in space about any, and bodies may spin besides. In absolute
coordinates the coefficients of small motions are then periodic in time. In axes that go along
(:mod:`flexmb.analyses.statics.rotation` defines them, and derives V, A and B) a change is ξ, in coordinates T ξ, and

    δq = T ξ,   δv = T (ξ̇ + V ξ),   δa = T (ξ̈ + A ξ̇ + B ξ)

Put into M δa + D δv + K δq + Gᵀ δλ = 0, G δq = 0, and multiplied by Tᵀ:

    M̂ = TᵀMT,   Ĉ = Tᵀ(D + M A)T,   K̂ = Tᵀ(K + D V + M B)T,   Ĝ = G T

M, D, K and G are those of the coordinates at (q, v, a, λ). When nothing but the motion tells one instant from another,
M̂, Ĉ, K̂ and the null space of Ĝ are constant (not Ĝ itself: a hinge's rows are along the axes of space). Taken at the
instant of the state, T is the identity.

A check turns the state on by one radian, in the time that this takes: the matrices must be the same there. A part that
is fixed in space and acts on the rotor off its axis, such as a spring to the ground or a guide, fails this check, and
so does a body that spins besides and has unequal inertia about the axes across its own.

Where all moves as one body, the whole turns, and frequencies are those seen by who turns along. Where bodies spin and
their places rest, each spins for itself in axes that rest; if coefficients are not constant there, the whole turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.analyses.statics.other_rows import multipliers_against
from flexmb.analyses.statics.rotation import SteadyRotation, check_orbit
from flexmb.analyses.vibration.steady_readings import noticeable, possible_turns
from flexmb.errors import SolverError
from flexmb.kernels.blocks import FREE, PLACE
from flexmb.results.state import State
from flexmb.solvers.events.jamming import refuse_joint_friction
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
    def _K(self) -> Matrix:
        return self._tangent((0.0, 0.0, 1.0))

    @property
    def plain(self) -> tuple[Matrix, Matrix]:
        """Stiffness and damping (n, n) in the coordinates, whose axes do not turn along."""
        return self._K, self._D

    @cached_property
    def C(self) -> Matrix:
        """Damping and gyroscopic matrix (n, n)."""
        rotation = self.rotation
        if rotation is None:
            return self._D
        _, A, _ = rotation.matrices(self.q)
        return self._D + self.M @ A

    @cached_property
    def K(self) -> Matrix:
        """Stiffness (n, n): elastic, geometric, of the joint forces, centrifugal."""
        K = self._K
        return K if self.rotation is None else self.rotation.stiffness(self.M, self._D, K, self.q)

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
        """The same motion, gone on by an angle [rad]; joint forces go along."""
        rotation = self.rotation
        assert rotation is not None
        h = angle / rotation.rate
        T = rotation.turned_axes(h)
        q, _ = rotation.after(h, self.q, self.rates[0])
        t = self.t + h
        lam = multipliers_against(self.system, t, q, -(T @ (self.G.T @ self.lam)))
        return SmallMotions(self.system, t, q, lam, rotation)

    def check_constant(self, where: str) -> None:
        """Raise a SolverError if the coefficients differ after the rotation has turned on by a radian."""
        if self.rotation is None or self.rotation.rate == 0.0:
            return
        later = self.turned(1.0)
        T = self.rotation.turned_axes(1.0 / self.rotation.rate)
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
            far = self.system.scale * np.max(np.abs(free) / self.system.scale, initial=0.0)
            changes.append(("freedom", violation, np.max((abs(later.G) @ far) @ abs(later.G))))
        unequal = "; what spins needs equal inertia and supports across its axis" if self.rotation.relative else ""
        for what, change, size in changes:
            if change.max(initial=0.0) > SAME_COEFFICIENTS * size:
                raise SolverError(
                    f"{where}: as it turns, the {what} of {self.system.names[int(np.argmax(change))]!r} and others "
                    "change in axes that turn along, so there are no modes of steady rotation; take away what is "
                    f"fixed in space and acts on the rotor off its axis (a spring to the ground, a guide){unequal}"
                )

    def _free_motion(self) -> np.ndarray:
        """A random motion (n,) that the joints allow."""
        system = self.system
        start = np.random.default_rng(0).normal(size=system.n) / system.scale
        mu = multipliers_against(system, self.t, self.q, -start)
        return system.scale**2 * (start - self.G.T @ mu)


def small_motions(state: State, rotation: SteadyRotation | None = None) -> SmallMotions:
    """The small motions about the steady motion of a state, a given one or that which its speeds and accelerations
    show, or else about rest in its position. Among other readings of its motion than as one body's, the first with
    constant coefficients is taken.

    Speeds other than those of a steady motion are left aside; the joint forces are then those of rest.
    """
    system = state.system
    if rotation is None or (system.model.dimension == 2 and not rotation.relative):
        rotation = rotation_of(state)  # in the plane there is but one reading
    if system.model.gravity.is_central:
        turn = np.zeros(3) if rotation is None else rotation.turn
        check_orbit(system.model.gravity, turn, f"small motions of model {system.model.name!r}")
    if rotation is not None or not np.any(state.v):
        return SmallMotions(system, state.t, state.q, state.lam, rotation)
    for reading in _other_readings(state):
        motions = SmallMotions(system, state.t, state.q, state.lam, reading)
        try:
            motions.check_constant(f"small motions of model {system.model.name!r}")
        except SolverError:
            continue
        return motions
    # λ of joints that hold the mechanism at rest, as far as joints can hold it
    zero = np.zeros(system.n)
    lam = multipliers_against(system, state.t, state.q, system.residual(state.t, state.q, zero, zero))
    return SmallMotions(system, state.t, state.q, lam)


def rotation_of(state: State) -> SteadyRotation | None:
    """The steady rotation of a state in which all turns as one body, v = Ω × (r − c) and a = Ω × v, in space with a
    speed along Ω too (a screw); None if it moves in another way."""
    system = state.system
    if not np.any(state.v):
        return None
    plane = system.model.dimension == 2
    Z = system.rigid_motions(state.q) / system.scale
    v = state.v / system.scale
    own = np.zeros(system.n)
    if not plane:  # free coordinates stay when the whole moves, and have rates of their own
        own = np.where(system.assembly.free.mask(FREE), state.v, 0.0)
        v = v - own / system.scale
    rates, *_ = np.linalg.lstsq(Z.T, v, rcond=None)
    spin = float(rates[2] if plane else np.linalg.norm(rates[3:]))
    if spin == 0.0 or np.max(np.abs(v - rates @ Z)) > SAME_MOTION * np.max(np.abs(v)):
        return None
    if plane:
        rotation = SteadyRotation(spin, np.array([-rates[1], rates[0]]) / spin, system)
    else:
        rotation = _in_space(system, rates[:3], rates[3:], own)
    _, a = rotation.rates(state.q)
    off = np.max(np.abs(a - state.a) / system.scale)
    return rotation if off <= 10.0 * SAME_MOTION * spin**2 * max(1.0, np.max(np.abs(v)) / abs(spin)) else None


def _in_space(system: System, speed: np.ndarray, turn: np.ndarray, own: np.ndarray) -> SteadyRotation:
    """The rotation by Ω (3,) in which the origin has a speed (3,), with rates (n,) of free coordinates."""
    spin = float(np.linalg.norm(turn))
    axis = turn / spin
    largest = axis[np.argmax(np.abs(axis) > 0.9 * np.max(np.abs(axis)))]
    spin, axis = float(spin * np.sign(largest)), axis * np.sign(largest)
    besides = own.copy()
    besides[system.assembly.free.numbers_of(PLACE, 3)] = (speed @ axis) * axis
    center = np.cross(turn, speed) / spin**2
    return SteadyRotation(spin, center, system, axis, besides if np.any(besides) else None)


def _other_readings(state: State) -> list[SteadyRotation]:
    """The steady motions to which a state in space may belong in which bodies spin besides; without those in which
    nothing turns."""
    if state.system.model.dimension == 2:
        return []
    found, off = possible_turns(state)
    if np.max(off, initial=0.0) > noticeable(state, found[0]):
        return []
    readings = [SteadyRotation.through(state.system, state.q, state.v, turn) for turn in found]
    return [reading for reading in readings if not reading.rests]


def largest_by_column(A: Matrix) -> np.ndarray:
    """The size of the largest entry of each column."""
    largest = abs(A).max(axis=0)
    return largest if isinstance(largest, np.ndarray) else largest.toarray().ravel()
