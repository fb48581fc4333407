"""Steady motion: a mechanism goes on for ever in the same way, and its linear model has constant coefficients.

The whole mechanism turns at Ω about an axis of space, which may be zero: a vehicle runs straight ahead then. In that
turning picture places move at constant speeds, and each body may spin besides, at ω_s about an axis of its own: the
wheels of a bicycle roll. With R an orientation and ω its angular velocity in its own axes,

    ω_s = ω − Rᵀ Ω,    dv/dt = Ω × v (places, directions),    dω/dt = Rᵀ Ω × ω,    all other speeds are constant.

Ω is found from these accelerations. What is small around the motion is measured in axes that go along with it: those of
the ground turned by Ω for places, and for the turns of a body its own axes turned back by ω_s, so that they do not spin
with it. Changes there are x_c = T x with T(0) = 1 and dT/dt = S T,

    S = −Ω × (places, directions),    S = ω_s × (turns of a body),    S = 0 (all others)

In them the coefficients are constant if the mechanism has the symmetries that its motion needs: wheels with equal
inertia about all axes across their own, roads without bumps. That is seen by moving the mechanism along, and computing
accelerations and coefficients there anew.

Where a vehicle is, its heading and the turns of its wheels matter to no force. Such cyclic positions go on as cyclic
positions and move no speeds: they stay (A c = 0), move one another (a heading moves the place aside), or seem to go
round where the axes turn (poles ±iΩ). Their poles 0 are of higher order, which rounding would scatter. They are left
out of the states, but for those on which outputs depend. A pole 0 that is left is that of steady motion at another
speed. Where the whole turns, a heading turns speeds too, and stays among the states with a pole 0 of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import scipy.linalg
from scipy.spatial.transform import Rotation

from flexmb.analyses.linear.linear_model import LinearModel
from flexmb.analyses.linear.truncation import null_space
from flexmb.errors import LinearModelError
from flexmb.kernels.blocks import ANGLE, PLACE, VECTOR
from flexmb.model.orientations import rotation_of
from flexmb.results.state import State
from flexmb.solvers.initial import consistent_state
from flexmb.system.system import System

#: accelerations and coefficients of a steady motion stay the same to this part
STEADY = 1e-5
#: radians by which the mechanism is moved along to see whether it goes on in the same way
ALONG = (0.7, 2.0)
#: accelerations below this, in radians or lengths of the mechanism per s², or of the speeds squared, are rounding
ROUNDING = 1e-12
#: slower motions than this [rad/s, or lengths per s] are moved along by as much time as these
SLOWEST = 0.05
#: units of outputs that a small mechanism has small
LENGTHS = ("m", "m/s", "m/s²")
#: entries of a linear model below this part of the largest are zero
ZERO = 1e-9


def cross_matrix(u: np.ndarray) -> np.ndarray:
    """The matrix (3, 3) of u ×."""
    x, y, z = u
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


@dataclass(frozen=True, eq=False)
class SteadyMotion:
    """The motion that goes on from a state while all turns at `turn` Ω (3,) [rad/s], in the axes of the ground."""

    state: State
    turn: np.ndarray
    bodies: Rotation | None = field(init=False)

    def __post_init__(self) -> None:
        system, q = self.state.system, self.state.q
        scalars, first = system.orientations[:, 1:], system.orientations[:, :1]
        quaternions = np.hstack([q[scalars], q[first + np.arange(3)]])
        object.__setattr__(self, "bodies", rotation_of(quaternions) if len(quaternions) else None)

    @property
    def system(self) -> System:
        """The system of its state."""
        return self.state.system

    def _spins(self) -> np.ndarray:
        """ω_s (bodies, 3)."""
        if self.bodies is None:
            return np.zeros((0, 3))
        return self.state.v[_turns(self.system)] - self.bodies.inv().apply(self.turn)

    def rate_of_axes(self) -> np.ndarray:
        """S (n, n)."""
        n = self.system.n
        S = np.zeros((n, n))
        for numbers in _directions(self.system):
            k = len(numbers)
            S[np.ix_(numbers, numbers)] = -cross_matrix(self.turn)[:k, :k]
        for numbers, spin in zip(_turns(self.system), self._spins()):
            S[np.ix_(numbers, numbers)] = cross_matrix(spin)
        return S

    def axes(self, h: float) -> np.ndarray:
        """T (n, n) after h seconds."""
        T = np.eye(self.system.n)
        back = Rotation.from_rotvec(-h * self.turn).as_matrix()
        for numbers in _directions(self.system):
            k = len(numbers)
            T[np.ix_(numbers, numbers)] = back[:k, :k]
        for numbers, spin in zip(_turns(self.system), self._spins()):
            T[np.ix_(numbers, numbers)] = Rotation.from_rotvec(h * spin).as_matrix()
        return T

    def accelerations(self, v: np.ndarray, bodies: Rotation | None) -> np.ndarray:
        """Those (n,) of a steady motion with the speeds v (n,) and the orientations of the bodies."""
        a = np.zeros(self.system.n)
        for numbers in _directions(self.system):
            a[numbers] = np.cross(self.turn, _in_space(v[numbers]))[: len(numbers)]
        if bodies is not None:
            numbers = _turns(self.system)
            a[numbers] = np.cross(bodies.inv().apply(self.turn), v[numbers])
        return a

    def after(self, h: float) -> tuple[np.ndarray, np.ndarray, Rotation | None]:
        """Coordinates (nq,), speeds (n,) and orientations after h seconds."""
        q, v, system = self.state.q, self.state.v, self.system
        move, speeds = h * v, v.copy()
        turned = Rotation.from_rotvec(h * self.turn).as_matrix()
        # ∫ exp(s Ω×) ds, the upper right block of an exponential
        block = scipy.linalg.expm(np.block([[h * cross_matrix(self.turn), h * np.eye(3)], [np.zeros((3, 6))]]))
        for numbers in _directions(system):
            k = len(numbers)
            move[numbers] = (block[:3, 3:] @ _in_space(v[numbers]))[:k]
            speeds[numbers] = (turned @ _in_space(v[numbers]))[:k]
        bodies = self.bodies
        if bodies is not None:
            numbers, spins = _turns(system), self._spins()
            bodies = Rotation.from_matrix(turned) * bodies * Rotation.from_rotvec(h * spins)
            assert self.bodies is not None
            move[numbers] = (self.bodies.inv() * bodies).as_rotvec()
            speeds[numbers] = bodies.inv().apply(self.turn) + spins
        return system.retract(q, move), speeds, bodies


def steady_motions(state: State, where: str) -> list[SteadyMotion]:
    """The steady motions that a state may belong to, by its accelerations; a LinearModelError if there is none.

    Where all that moves spins about one direction, and stays in its place, two readings are possible: bodies spin, each
    for itself, or the whole mechanism turns.
    """
    system = state.system
    A, b, turning = [np.zeros((0, 3))], [np.zeros(0)], SteadyMotion(state, np.zeros(3))
    for numbers in _directions(system):
        size = system.scale[numbers[0]]
        A.append(-cross_matrix(_in_space(state.v[numbers])) / size)
        b.append(_in_space(state.a[numbers]) / size)
    spins = np.zeros((0, 3))
    if turning.bodies is not None:
        spins = turning.bodies.apply(state.v[_turns(system)])
        A += [-cross_matrix(spin) for spin in spins]
        b.append(turning.bodies.apply(state.a[_turns(system)]).ravel())
    angles = system.assembly.free.numbers_of(ANGLE, 1).ravel()
    matrix, right = np.vstack(A), np.concatenate(b)
    if system.model.dimension == 2:
        matrix[:, :2] = 0.0
        spins = np.outer(state.v[angles], [0.0, 0.0, 1.0])
    fast = float(np.linalg.norm(matrix, 2)) if len(matrix) else 0.0
    _, sizes, rows = np.linalg.svd(matrix) if fast else (0, np.zeros(3), np.eye(3))
    turn = np.linalg.lstsq(matrix, right, rcond=1e-9)[0] if fast else np.zeros(3)
    turn[np.abs(turn) <= ZERO * fast] = 0.0
    if np.max(np.abs(right), initial=0.0) <= ROUNDING * max(1.0, fast**2):
        turn[:] = 0.0
    off = np.abs(state.a - SteadyMotion(state, turn).accelerations(state.v, turning.bodies)) / system.scale
    worst = int(np.argmax(off))
    if off[worst] > _noticeable(state, turn):
        raise LinearModelError(
            f"{where}: the state is no steady motion: its accelerations differ from those of one by up to "
            f"{off[worst]:.3g} rad/s² (or of the mechanism's length in s²), most that of {system.names[worst]!r}; give "
            "a state that goes on in the same way, or steady=False for the coefficients of this instant"
        )
    found = [turn]
    open_directions = rows[np.append(sizes, np.zeros(3 - len(sizes))) <= 1e-9 * fast]
    in_plane = system.model.dimension == 2
    if (in_plane and not matrix[:, 2].any()) or (not in_plane and fast and len(open_directions) == 1):
        axis = np.array([0.0, 0.0, 1.0]) if in_plane else open_directions[0]
        for rate in spins @ axis:
            if all(np.linalg.norm(turn + rate * axis - x) > 1e-9 * abs(rate) for x in found):
                found.append(turn + rate * axis)
    return [SteadyMotion(state, x) for x in found]


def states_along(motion: SteadyMotion, where: str) -> Iterator[tuple[float, State]]:
    """Times [s] with the states that the mechanism has then, if it goes on steadily; a LinearModelError if it does
    not."""
    state, system = motion.state, motion.system
    fast = _fastest(state, motion.turn)
    if fast == 0.0:
        return
    for angle in ALONG:
        h = angle / max(fast, SLOWEST)
        q, v, bodies = motion.after(h)
        moved = f"{where}: the state is no steady motion: moved along with it for {h:.3g} s,"
        g, rate, _ = system.constraint(state.t + h, q, v)
        errors = np.maximum(np.abs(np.where(system.at_speed, 0.0, g)), np.abs(rate) / fast) / system.row_scale
        if len(errors) and np.max(errors) > STEADY:
            row = int(np.argmax(errors))
            raise LinearModelError(
                f"{moved} {system.rows[row].where} would be off by {errors[row]:.3g} rad (or of the mechanism's "
                "length); give a state that goes on in the same way, or steady=False for the coefficients of this "
                "instant"
            )
        q, v, a, lam, _, _ = consistent_state(system, state.t + h, q, v)
        q, v, a = q[: system.nq], v[: system.n], a[: system.n]
        off = np.abs(a - motion.accelerations(v, bodies)) / system.scale
        worst = int(np.argmax(off))
        if off[worst] > _noticeable(state, motion.turn):
            raise LinearModelError(
                f"{moved} accelerations differ by up to {off[worst]:.3g} rad/s² (or of the mechanism's length in s²), "
                f"most that of {system.names[worst]!r}; give a state that goes on in the same way, or steady=False for "
                "the coefficients of this instant"
            )
        yield h, State(system, state.t + h, q, v, a, lam, state.held)


def check_constant(
    model: LinearModel, later: LinearModel, h: float, size: np.ndarray, length: float, where: str
) -> None:
    """Refuse a linear model whose coefficients are others `h` seconds later; `size` (k,) of its states, and `length` of
    the mechanism [m]."""

    def differ(first: np.ndarray, second: np.ndarray, value: float = 0.0) -> np.ndarray:
        largest = np.max(np.abs(first), initial=0.0)
        return np.abs(second - first) > max(STEADY * largest, ZERO * abs(value))

    A, later_A = (x.A * size / size[:, None] for x in (model, later))
    # row by row, so that stiff springs do not hide slow motions
    largest = np.max(np.abs(A), axis=1, initial=0.0)
    row = np.maximum(largest, max(1e-3, 1e-8 * float(np.max(largest, initial=0.0))))
    changes = np.max(np.abs(later_A - A), axis=1, initial=0.0) / row
    bad = np.argsort(-changes)[: int(np.sum(changes > STEADY))]
    if len(bad):
        change = changes[bad[0]]
        raise LinearModelError(
            f"{where}: to {STEADY:g} of its fastest accelerations the motion is steady, but what is small around it "
            f"has no constant coefficients: after {h:.3g} s they differ by {change:.2g} of the largest in the rate of "
            f"{model.states[bad[0]]!r}; give a state that goes on more exactly in the same way; bodies that spin need "
            "equal inertia about all axes across their own, and equal supports"
        )
    for j, name in enumerate(model.inputs):
        if differ(model.B[:, j] / size, later.B[:, j] / size).any():
            raise LinearModelError(
                f"{where}: input {name!r} keeps its direction while the mechanism turns, so it is none of constant "
                "coefficients; take a force between parts of the mechanism, or one that follows it"
            )
    for i, name in enumerate(model.outputs):
        now, then = (np.append(x.C[i] * size, x.D[i]) for x in (model, later))
        value, unit = model.operating_outputs[i], model.output_units[i]
        least = min(1.0, length) if unit in LENGTHS else 1.0
        change = abs(later.operating_outputs[i] - value)
        if differ(now, then, value).any() or change > STEADY * max(least, abs(value)):
            raise LinearModelError(
                f"{where}: output {name!r} goes on changing along the steady motion, so it has no constant "
                "coefficients; take one that stays the same, such as the angle of a joint or a speed along a straight "
                "way"
            )


def without_cyclic(model: LinearModel, positions: int, size: np.ndarray, turn: np.ndarray) -> LinearModel:
    """The model without the cyclic positions among its first `positions` states; `size` (k,) of the states, `turn` Ω
    (3,)."""
    A = model.A * size / size[:, None]
    C = model.C * size
    C = C / np.maximum(np.max(np.abs(C), axis=1, initial=0.0), 1e-300)[:, None]
    # rates in units of what each can be, so that stiff springs do not hide slow motions
    unit = np.maximum(1.0, np.max(np.abs(A), axis=1, initial=0.0))
    slow = ZERO * float(np.max(unit[:positions], initial=1.0))
    # positions that no output shows, and that go on as such positions
    hidden = np.eye(len(A))[:, :positions] @ null_space(C[:, :positions], ZERO)
    while True:
        part = null_space((A @ hidden - hidden @ (hidden.T @ A @ hidden)) / unit[:, None], ZERO)
        if part.shape[1] == hidden.shape[1]:
            break
        hidden = hidden @ part
    inside = hidden.T @ A @ hidden
    spin = float(turn @ turn)
    found = np.zeros((len(inside), 0))
    for factor, allowed in ((inside, slow), (inside @ inside + spin * np.eye(len(inside)), slow * (1.0 + spin))):
        own = np.zeros((len(inside), 0))
        while True:
            grown = null_space(factor - own @ (own.T @ factor), allowed)
            if grown.shape[1] == own.shape[1]:
                break
            own = grown
        found = np.hstack([found, own])
        if not spin:
            break
    if not found.shape[1]:
        return model
    cyclic = hidden @ found
    # left out are the positions that the cyclic directions move most
    _, _, order = scipy.linalg.qr(cyclic[:positions].T, pivoting=True)
    kept = np.setdiff1d(np.arange(len(A)), order[: cyclic.shape[1]])
    basis = np.hstack([cyclic, np.eye(len(A))[:, kept]])
    T, left = basis[:, cyclic.shape[1] :], np.linalg.inv(basis)[cyclic.shape[1] :]
    T, left = T * size[:, None] / size[kept], left * size[kept][:, None] / size
    return model.transformed(T, left, [model.states[k] for k in kept])


def _in_space(u: np.ndarray) -> np.ndarray:
    """A vector (2,) of the plane or (3,) of space as one of space."""
    return u if len(u) == 3 else np.append(u, 0.0)


def _directions(system: System) -> list[np.ndarray]:
    """Numbers of the speeds of each place and vector."""
    free, d = system.assembly.free, system.model.dimension
    return [*free.numbers_of(PLACE, d), *free.numbers_of(VECTOR, d)]


def _turns(system: System) -> np.ndarray:
    """Numbers (bodies, 3) of the speeds of orientations."""
    return system.orientations[:, :1] + np.arange(3)


def _fastest(state: State, turn: np.ndarray) -> float:
    """The largest rate [rad/s, or lengths of the mechanism in s] of a motion."""
    return max(float(np.linalg.norm(turn)), float(np.max(np.abs(state.v) / state.system.scale, initial=0.0)))


def _noticeable(state: State, turn: np.ndarray) -> float:
    """Accelerations below this are none, in radians or lengths of the mechanism per s²."""
    return STEADY * max(1.0, _fastest(state, turn) ** 2)
