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
import scipy.sparse as sp
from scipy.spatial.transform import Rotation

from flexmb.errors import ModelError
from flexmb.kernels.blocks import ANGLE, PLACE, VECTOR
from flexmb.model.gravity.fields import CentralGravity
from flexmb.system.system import System

#: matrices (k, d, d) at rows and columns (k, d) of one that is zero elsewhere
Blocks = list[tuple[np.ndarray, np.ndarray]]
#: eccentricity, and difference of a spin from the rate of an orbit as a part of it, that are rounding of the given
CIRCULAR = 1e-9
#: the axis of the plane
UPWARD = np.array([0.0, 0.0, 1.0])


def spin_of_orbit(field: CentralGravity) -> str:
    """The spin and the axis of what turns with an orbit, as they are given to analyses of steady motion."""
    return f"spin={field.rate!r}, axis=({', '.join(f'{x:.16g}' for x in field.normal + 0.0)})"


def check_orbit(field: CentralGravity, turn: np.ndarray, where: str) -> None:
    """Raise a ModelError unless the turn (3,) [rad/s] is that of a circular orbit, in which alone something is steady:
    then the field of central gravity stands still in axes that turn along."""
    steady = spin_of_orbit(field)
    if field.eccentricity > CIRCULAR:
        raise ModelError(
            f"{where}: the orbit of the model has the eccentricity {field.eccentricity:.3g}, so that its gravity "
            "changes along it and nothing goes on in the same way; take the velocity of a circle, "
            f"{np.sqrt(field.mu / np.linalg.norm(field.position)):.16g} m/s across the position, or fm.simulate"
        )
    if not turn.any():
        raise ModelError(
            f"{where}: nothing rests in orbit, where gravity turns once each {field.period:g} s; what turns along with "
            f"it is steady: fm.equilibrium(model, {steady})"
        )
    if np.linalg.norm(turn - field.rate * field.normal) > CIRCULAR * field.rate:
        raise ModelError(
            f"{where}: the spin is {np.linalg.norm(turn):.10g} rad/s, as the vector "
            f"({', '.join(f'{x:.6g}' for x in turn + 0.0)}), and not that of the orbit, with which its gravity turns; "
            f"give {steady}"
        )


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
    found: np.ndarray = system.once(
        "places and vectors", lambda: np.vstack([free.numbers_of(PLACE, d), free.numbers_of(VECTOR, d)])
    )
    return found


def turns(system: System) -> np.ndarray:
    """Numbers (bodies, 3) of the speeds of orientations."""
    found: np.ndarray = system.once("speeds of orientations", lambda: system.orientations[:, :1] + np.arange(3))
    return found


def axes_of_bodies(system: System, q: np.ndarray) -> np.ndarray:
    """The matrices R (bodies, 3, 3) of the orientations in a position, of axes of bodies in those of the ground."""
    e, u = q[system.orientations[:, 1:]], q[turns(system)]
    size = e * e + np.sum(u * u, axis=1, keepdims=True)
    once, both = cross_matrix(u / np.sqrt(size)), (e / np.sqrt(size))[:, :, None]
    return np.eye(3) + 2.0 * (both * once + once @ once)


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
        """Mask (n,) of coordinates that are components of places or directions."""
        mask = np.zeros(self.system.n, dtype=bool)
        mask[directions(self.system)] = True
        return mask

    @cached_property
    def _directions(self) -> np.ndarray:
        """Numbers (k, 2 or 3) of the speeds of all places and vectors."""
        return directions(self.system)

    def _everywhere(self, block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A matrix (3, 3) for each place and vector: their numbers, and as many blocks."""
        k, d = self._directions.shape
        return self._directions, np.broadcast_to(block[:d, :d], (k, d, d))

    @cached_property
    def S(self) -> sp.csr_array:
        """axis × for all places and directions, (n, n): S q are their speeds for a turn about the origin at unit rate;
        other rows are zero."""
        return _sparse([self._everywhere(cross_matrix(self.axis))], self.system.n)

    def _across(self, x: np.ndarray) -> np.ndarray:
        """S x (n,)."""
        out, d = np.zeros(len(x)), self.system.model.dimension
        out[self._directions] = x[self._directions] @ cross_matrix(self.axis)[:d, :d].T
        return out

    @cached_property
    def offset(self) -> np.ndarray:
        """The center as coordinates (n,), zero for all but places."""
        out = np.zeros(self.system.n)
        out[self.system.assembly.free.numbers_of(PLACE, self.system.model.dimension)] = self.center
        return out

    def turn_in(self, q: np.ndarray) -> np.ndarray:
        """RᵀΩ (bodies, 3) [rad/s] in a position."""
        return np.asarray(self.turn @ axes_of_bodies(self.system, q))

    def spins(self) -> np.ndarray:
        """ω_s (bodies, 3) [rad/s]."""
        numbers = turns(self.system)
        return np.zeros(numbers.shape) if self.besides is None else self.besides[numbers]

    def rates(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Speeds and accelerations (n,) of the motion through q."""
        system = self.system
        arm = q[: system.n] - self.offset
        across = self._across(arm)
        v, a = self.spin * across, self.spin**2 * self._across(across)
        v[system.assembly.free.numbers_of(ANGLE, 1)] = self.spin
        if len(system.orientations):
            v[turns(system)] = self.turn_in(q)
        if self.besides is not None:
            a += self.spin * self._across(self.besides)
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
        n = self.system.n
        return sp.csr_array(sp.eye_array(n) + _sparse(self._turned(h), n))

    def turned_axes_dense(self, h: float) -> np.ndarray:
        """T as an array."""
        return _dense(self._turned(h), np.eye(self.system.n))

    def _turned(self, h: float) -> Blocks:
        """T less one, block by block."""
        whole, spins = Rotation.from_rotvec(h * self.turn).as_matrix(), self.spins()
        blocks = [self._everywhere(whole - np.eye(3))]
        if spins.any():
            blocks.append((turns(self.system), Rotation.from_rotvec(-h * spins).as_matrix() - np.eye(3)))
        return blocks

    def rate_of_axes(self) -> np.ndarray:
        """Ṫ Tᵀ (n, n) of the matrix T = `turned_axes(h)`ᵀ, by which changes are measured in axes that go along."""
        blocks, spins = [self._everywhere(-self.spin * cross_matrix(self.axis))], self.spins()
        if spins.any():
            blocks.append((turns(self.system), cross_matrix(spins)))
        return _dense(blocks, np.zeros((self.system.n, self.system.n)))

    def accelerations(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Those (n,) of a motion that goes on like this from a position at speeds v (n,)."""
        a = self.spin * self._across(v)
        if len(self.system.orientations):
            a[turns(self.system)] = np.cross(self.turn_in(q), v[turns(self.system)])
        return a

    def after(self, h: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position (nq,) and speeds (n,) h seconds after those of the motion."""
        system, numbers = self.system, self._directions
        d = system.model.dimension
        move, speeds = h * v, v.copy()
        turned = Rotation.from_rotvec(h * self.turn).as_matrix()
        angle, across = h * self.spin, cross_matrix(self.axis)
        half = np.sin(0.5 * angle)
        part = 2.0 * half * half / angle if angle else 0.0
        # ∫ exp(s Ω×) ds from 0 to h
        passed = h * (np.eye(3) + part * across + (1.0 - np.sinc(angle / np.pi)) * (across @ across))
        along = in_space(v[numbers])
        move[numbers], speeds[numbers] = (along @ passed.T)[:, :d], (along @ turned.T)[:, :d]
        if len(system.orientations):
            whole = self.turn_in(q)
            spins = v[turns(system)] - whole
            passed_by = Rotation.from_rotvec(h * whole) * Rotation.from_rotvec(h * spins)
            move[turns(system)] = passed_by.as_rotvec()
            speeds[turns(system)] = passed_by.apply(whole, inverse=True) + spins
        return system.retract(q, move), speeds


def _dense(blocks: Blocks, out: np.ndarray) -> np.ndarray:
    """`out` (n, n) with blocks (k, d, d) added at rows and columns (k, d), all different."""
    for numbers, values in blocks:
        out[numbers[:, :, None], numbers[:, None, :]] += values
    return out


def _sparse(blocks: Blocks, n: int) -> sp.csr_array:
    """The matrix (n, n) with blocks (k, d, d) at rows and columns (k, d)."""
    rows = [np.repeat(numbers, numbers.shape[1], axis=1).ravel() for numbers, _ in blocks]
    columns = [np.tile(numbers, (1, numbers.shape[1])).ravel() for numbers, _ in blocks]
    values = np.concatenate([np.ravel(block) for _, block in blocks])
    kept = values != 0.0
    places = np.concatenate(rows)[kept], np.concatenate(columns)[kept]
    return sp.csr_array((values[kept], places), shape=(n, n))
