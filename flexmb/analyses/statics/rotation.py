"""Steady motion: a mechanism goes on for ever in the same way, all of it turning at Ω about an axis.

The turn Ω (3,) may be zero. Places move about the center c, and besides at constant speeds w, which are along Ω if
that is not zero (a screw). Each body may spin besides, at ω_s about an axis of its own (a rotor, a wheel), and free
coordinates, such as the angle of a wheel against its carrier, may grow at constant rates. With R an orientation and ω
its angular velocity in its own axes,

    v = Ω × (r − c) + w,   dv/dt = Ω × v   (places; directions without w)
    ω = Rᵀ Ω + ω_s,        dω/dt = Rᵀ Ω × ω

What is small around the motion is measured in axes that go along with it: those of the ground turned by Ω for places
and directions, and for the turns of a body its own axes turned back by ω_s, so that they do not spin with it. At the
instant of the state these axes are those of the coordinates, and for a change ξ

    δv = ξ̇ + V ξ,   δa = ξ̈ + A ξ̇ + B ξ

                 V          A               B
    places       Ω ×        2 Ω ×           Ω × Ω ×
    turns        RᵀΩ ×      (RᵀΩ − ω_s) ×   −ω_s × RᵀΩ ×
    all others   0          0               0

since δω = d(δθ)/dt + ω × δθ for a small turn δθ in the body's own axes. Put into M δa + D δv + K δq, this gives

    M ξ̈ + (D + M A) ξ̇ + (K + D V + M B) ξ

In the plane Ω is along the third axis, and angles have no axes to turn along with.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.spatial.transform import Rotation

from flexmb.kernels.blocks import ANGLE, PLACE, VECTOR
from flexmb.model.orientations import rotation_of
from flexmb.system.system import System

#: the axis of the plane
UPWARD = np.array([0.0, 0.0, 1.0])


def cross_matrix(u: np.ndarray) -> np.ndarray:
    """The matrix (3, 3) of u ×; of rows (k, 3), (k, 3, 3)."""
    u = np.asarray(u, dtype=float)
    out = np.zeros((*u.shape[:-1], 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[..., i, j], out[..., j, i] = -u[..., k], u[..., k]
    return out


def directions(system: System) -> np.ndarray:
    """Numbers (k, 2 or 3) of the speeds of all places and vectors."""
    free, d = system.assembly.free, system.model.dimension
    return np.vstack([free.numbers_of(PLACE, d), free.numbers_of(VECTOR, d)])


def turns(system: System) -> np.ndarray:
    """Numbers (bodies, 3) of the speeds of orientations."""
    return system.orientations[:, :1] + np.arange(3)


def orientations(system: System, q: np.ndarray) -> Rotation | None:
    """The orientations in a position; None if there are none."""
    scalars, first = system.orientations[:, 1:], system.orientations[:, :1]
    return rotation_of(np.hstack([q[scalars], q[first + np.arange(3)]])) if len(scalars) else None


def in_space(u: np.ndarray) -> np.ndarray:
    """Vectors (k, 2) of the plane or (k, 3) of space as those of space."""
    return u if u.shape[-1] == 3 else np.concatenate([u, np.zeros((*u.shape[:-1], 1))], axis=-1)


@dataclass(frozen=True, eq=False)
class SteadyRotation:
    """A steady motion of a `system`: `spin` Ω [rad/s] about `center` (2,), in space (3,) [m], with the `axis` (3,), a
    unit vector; `besides` (n,): speeds besides those of this rotation, w of places [m/s], ω_s of bodies in their own
    axes and rates of free coordinates; None if there are none.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("wheel")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=2.0, position=(1.0, 0.0))
    >>> rail = m.revolute(m.ground, wheel.attach("hub", (-1.0, 0.0)))
    >>> turning = fm.equilibrium(m, spin=3.0)
    >>> turning.rotation.spin, abs(turning.rotation.center).round(9).tolist()
    (3.0, [0.0, 0.0])
    """

    spin: float
    center: np.ndarray
    system: System = field(repr=False)
    axis: np.ndarray = field(default_factory=UPWARD.copy)
    besides: np.ndarray | None = field(default=None, repr=False)

    @staticmethod
    def through(system: System, q: np.ndarray, v: np.ndarray, turn: np.ndarray) -> SteadyRotation:
        """The steady motion through a position at the speeds v (n,), in which all turns at `turn` Ω (3,) [rad/s] about
        the origin, as far as places do."""
        spin = float(np.linalg.norm(turn))
        axis = turn / spin if spin else UPWARD
        if not np.any(turn[:2]):
            spin, axis = float(turn[2]), UPWARD
        plain = SteadyRotation(spin, np.zeros(system.model.dimension), system, axis)
        return SteadyRotation(spin, plain.center, system, axis, v - plain.rates(q)[0])

    @property
    def turn(self) -> np.ndarray:
        """Ω (3,) [rad/s]."""
        return self.spin * self.axis

    @property
    def relative(self) -> bool:
        """Whether bodies or free coordinates spin besides."""
        return self.besides is not None and bool(np.any(self.besides[~self._along]))

    @property
    def rests(self) -> bool:
        """Whether small motions are those about rest: nothing turns."""
        return self.spin == 0.0 and not self.relative

    @cached_property
    def rate(self) -> float:
        """A rate [rad/s] at which the motion goes on, with the sign of Ω: Ω, or else the largest of what spins besides,
        or of speeds in lengths of the mechanism per second."""
        if self.spin or self.besides is None:
            return self.spin
        fast = np.abs(self.besides) / self.system.scale
        turning = np.max(fast[~self._along], initial=0.0)
        return float(turning or np.max(fast, initial=0.0))

    @cached_property
    def _along(self) -> np.ndarray:
        """Which coordinates (n,) are of places and directions."""
        mask = np.zeros(self.system.n, dtype=bool)
        mask[directions(self.system)] = True
        return mask

    @cached_property
    def S(self) -> sp.csr_array:
        """axis × for all places and directions, (n, n): S q are their speeds for a turn about the origin at unit rate;
        other rows are zero."""
        n, d = self.system.n, self.system.model.dimension
        numbers = directions(self.system)
        cross = np.broadcast_to(cross_matrix(self.axis)[:d, :d], (len(numbers), d, d))
        return _sparse([(numbers, cross)], n)

    @cached_property
    def offset(self) -> np.ndarray:
        """The center as coordinates (n,), zero for all but places."""
        out = np.zeros(self.system.n)
        out[self.system.assembly.free.numbers_of(PLACE, self.system.model.dimension)] = self.center
        return out

    def turn_in(self, q: np.ndarray) -> np.ndarray:
        """RᵀΩ (bodies, 3) [rad/s] in a position."""
        found = orientations(self.system, q)
        return np.zeros((0, 3)) if found is None else found.inv().apply(np.atleast_2d(self.turn))

    def spins(self) -> np.ndarray:
        """ω_s (bodies, 3) [rad/s]."""
        numbers = turns(self.system)
        return np.zeros(numbers.shape) if self.besides is None else self.besides[numbers]

    def rates(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Speeds and accelerations (n,) of the motion through q."""
        system = self.system
        arm = q[: system.n] - self.offset
        v, a = self.spin * (self.S @ arm), self.spin**2 * (self.S @ (self.S @ arm))
        v[system.assembly.free.numbers_of(ANGLE, 1)] = self.spin
        if len(system.orientations):
            v[turns(system)] = self.turn_in(q)
        if self.besides is not None:
            a += self.spin * (self.S @ self.besides)
            if len(system.orientations):
                a[turns(system)] = np.cross(v[turns(system)], self.spins())
            v += self.besides
        return v, a

    def matrices(self, q: np.ndarray) -> tuple[sp.csr_array, sp.csr_array, sp.csr_array]:
        """V, A and B (n, n) of small motions around q."""
        S, spin, n = self.S, self.spin, self.system.n
        V, A, B = spin * S, 2.0 * spin * S, spin**2 * (S @ S)
        if not len(self.system.orientations):
            return V, A, B
        numbers = turns(self.system)
        whole, own = cross_matrix(self.turn_in(q)), cross_matrix(self.spins())
        parts = (whole, whole - own, -own @ whole)
        V, A, B = (X + _sparse([(numbers, part)], n) for X, part in zip((V, A, B), parts))
        return V, A, B

    def stiffness(self, M: Any, D: Any, K: Any, q: np.ndarray) -> Any:
        """The stiffness (n, n) in axes that go along: K + D V + M B."""
        V, _, B = self.matrices(q)
        return K + D @ V + M @ B

    def turned_axes(self, h: float) -> sp.csr_array:
        """T (n, n): after h seconds a change ξ in axes that go along is T ξ in the coordinates."""
        angle, S = h * self.spin, self.S
        T = sp.csr_array(sp.eye_array(S.shape[0]) + np.sin(angle) * S + (1.0 - np.cos(angle)) * (S @ S))
        spins = self.spins()
        if not spins.any():
            return T
        back = Rotation.from_rotvec(-h * spins).as_matrix()
        return T + _sparse([(turns(self.system), back - np.eye(3))], self.system.n)

    def rate_of_axes(self) -> np.ndarray:
        """Ṫ Tᵀ (n, n) of the matrix T = `turned_axes(h)`ᵀ, by which changes are measured in axes that go along."""
        out = -self.spin * self.S
        spins = self.spins()
        if spins.any():
            out = out + _sparse([(turns(self.system), cross_matrix(spins))], self.system.n)
        return out.toarray()

    def accelerations(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Those (n,) of a motion that goes on like this from a position at speeds v (n,)."""
        a = self.spin * (self.S @ v)
        if len(self.system.orientations):
            a[turns(self.system)] = np.cross(self.turn_in(q), v[turns(self.system)])
        return a

    def after(self, h: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position (nq,) and speeds (n,) h seconds after those of the motion."""
        system, numbers = self.system, directions(self.system)
        d = system.model.dimension
        move, speeds = h * v, v.copy()
        turned = Rotation.from_rotvec(h * self.turn).as_matrix()
        # ∫ exp(s Ω×) ds, the upper right block of an exponential
        block = scipy.linalg.expm(np.block([[h * cross_matrix(self.turn), h * np.eye(3)], [np.zeros((3, 6))]]))
        along = in_space(v[numbers])
        move[numbers], speeds[numbers] = (along @ block[:3, 3:].T)[:, :d], (along @ turned.T)[:, :d]
        first = orientations(system, q)
        if first is not None:
            spins = v[turns(system)] - first.inv().apply(np.atleast_2d(self.turn))
            later = Rotation.from_matrix(turned) * first * Rotation.from_rotvec(h * spins)
            move[turns(system)] = (first.inv() * later).as_rotvec()
            speeds[turns(system)] = later.inv().apply(np.atleast_2d(self.turn)) + spins
        return system.retract(q, move), speeds


def _sparse(blocks: list[tuple[np.ndarray, np.ndarray]], n: int) -> sp.csr_array:
    """The matrix (n, n) with blocks (k, d, d) at rows and columns (k, d)."""
    rows = [np.repeat(numbers, numbers.shape[1], axis=1).ravel() for numbers, _ in blocks]
    columns = [np.tile(numbers, (1, numbers.shape[1])).ravel() for numbers, _ in blocks]
    values = np.concatenate([np.ravel(block) for _, block in blocks])
    kept = values != 0.0
    places = np.concatenate(rows)[kept], np.concatenate(columns)[kept]
    return sp.csr_array((values[kept], places), shape=(n, n))
