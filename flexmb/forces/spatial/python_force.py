"""A force in space that a plain function of Python computes; the compiled loop calls the function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.callbacks import DERIVATIVES, DIFFERENCE_STEP, FORCE, evaluate_at
from flexmb.forces.python_function import FunctionForce, model_size
from flexmb.kernels.blocks import joined
from flexmb.kernels.compilation import INTERPRETED, compiled, inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import product, quaternion_at, quaternion_in, rotation_matrix, turned, turned_back
from flexmb.kernels.vectors import (
    add_block,
    combined,
    cross,
    dot,
    minus,
    plus,
    put,
    tilde,
    tilde_product,
    times,
    vector_at,
    vector_in,
)
from flexmb.model import checks
from flexmb.model.appearance import Load, ShownMotion
from flexmb.model.components import Assembler

#: numbers of a frame: its state (place, rotation matrix, velocity, angular velocity), the force and the moment on it
STATE, LOAD = 18, 6
#: parameters: address and key of the function, size of the mechanism; then of each frame its arm (3) and axes (4)
FRAMES, FRAME = 3, 7
_WANTED = "(force, moment), three numbers each"


class FrameState(NamedTuple):
    """The state of a frame as a function of Python sees it, all in the axes of the ground: `position` (3,) [m] of its
    origin, `orientation` (3, 3), the matrix whose columns are its axes, `velocity` (3,) [m/s] of its origin and
    `angular_velocity` (3,) [rad/s].

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> ball = m.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> ball.move((2.0, 0.0, 0.0))
    >>> drag = m.python_force(ball.frame, lambda t, state: (-0.5 * state.velocity, -state.angular_velocity))
    >>> round(float(fm.simulate(m, 2.0, tolerance=1e-9)["ball.vx"][-1]), 6)  # 2 exp(−1)
    0.735759
    """

    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


@dataclass(eq=False)
class PythonForce(FunctionForce):
    """A force on one or more frames in space that a function of Python computes.

        force, moment = function(t, state)

    for one frame, with its state as a :class:`FrameState`; force [N] and moment [Nm], three numbers each in the axes of
    the ground, act at its origin. For several frames it is function(t, state, state, …), and the function returns as
    many pairs. It must depend on its arguments alone, since a solver also tries states that it gives up again, in no
    order of time.

    It runs as plain Python, some microseconds a call. Derivatives are central differences (24 calls for one frame)
    unless `derivative` is given. Its power counts as input power, since flexmb cannot know what it stores or
    dissipates. With `compiled` Numba compiles the function, which then takes arrays as before and may return tuples.

    An exception in it ends the run with a :class:`~flexmb.errors.KernelError` that names the force.

    Arguments: `frame`, a frame or a list of frames; `function`; `derivative`, a function of the same arguments
    that gives (∂F/∂position, ∂F/∂velocity), (6 n, 6 n) each for n frames: F is force and moment of each frame, a
    position moves by a displacement and a small rotation vector, a velocity is that of the origin and the angular one,
    all in the axes of the ground; `compiled` (one or two frames, no `derivative`).

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> ball = m.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> ball.move((2.0, 0.0, 0.0))
    >>> drag = m.python_force(ball.frame, lambda t, ball: (-0.5 * ball.velocity, (0, 0, 0)))
    >>> round(float(fm.simulate(m, 2.0, tolerance=1e-9)["ball.vx"][-1]), 6)  # 2 exp(−1)
    0.735759
    """

    dimension = 3
    state_size = STATE
    force_size = LOAD
    motions = ("x", "y", "z", "rotation about x", "rotation about y", "rotation about z")
    takes = "(t, state), a state for each frame"

    def check(self) -> None:
        super().check()
        if self.compiled and not INTERPRETED:  # compiled code cannot tell the wrong shape of an array by name
            self.forces(0.0, [x for frame in self.frames() for x in _state_at_start(frame)])

    def assemble(self, assembly: Assembler) -> None:
        frames: list[Any] = self.frames()
        self.failure = None
        own = [x for frame in frames for x in (*frame.offset, *frame.axes)]
        p = np.array([*map(float, self.address()), model_size(frames[0]), *own])
        coordinates = joined([block for frame in frames for block in assembly.node(frame.node)])
        n, states = self.sizes()
        assembly.instance(self, SPATIAL_PYTHON_FORCE, coordinates, p, work=2 * states + n + 2 * n * n)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        tracks: list[Any] = [solution.track(frame.name) for frame in self.frames()]
        columns = [
            x
            for track in tracks
            for x in (
                track.position,
                track.orientation.as_matrix().reshape(-1, 9),
                track.velocity,
                track.angular_velocity,
            )
        ]
        states = np.hstack(columns).tolist()
        forces = np.array([self.forces(t, x) for t, x in zip(times.tolist(), states)])
        return [
            Load(track.position, forces[:, 6 * j : 6 * j + 3], forces[:, 6 * j + 3 : 6 * j + 6])
            for j, track in enumerate(tracks)
        ]

    def forces(self, t: float, x: list[float]) -> list[float]:
        n, _ = self.sizes()
        result = self.function(t, *self.arguments(x))
        try:
            pairs = [result] if n == LOAD else list(result)
            vectors = [np.asarray(vector, dtype=float) for force, moment in pairs for vector in (force, moment)]
        except (TypeError, ValueError):
            vectors = []
        if [vector.shape for vector in vectors] != [(3,)] * (n // 3):
            wanted = _WANTED if n == LOAD else f"{n // LOAD} pairs {_WANTED}"
            raise ModelError(f"its function gave {checks.quoted(result)}; give {wanted}")
        return [number for vector in vectors for number in vector.tolist()]

    def arguments(self, x: list[float]) -> Sequence[Any]:
        numbers = np.array(x)
        return [_state(numbers, k) for k in range(0, len(x), STATE)]

    @staticmethod
    def move(x: Any, moved: Any, j: int, part: float, size: float) -> float:
        return float(_move(x, moved, j, part, size))

    @staticmethod
    def translate(function: Any, frames: int) -> tuple[int, int, Any, Any]:
        two = frames == 2

        @numba.njit(error_model="numpy")
        def put_pair(out, k, pair):
            force, moment = pair
            for j in range(3):
                out[k + j] = force[j]
                out[k + 3 + j] = moment[j]

        @numba.njit(error_model="numpy")
        def call(t, x, out):
            for k in range(len(out)):
                out[k] = math.nan
            if two:
                first, second = function(t, _state(x, 0), _state(x, STATE))
                put_pair(out, LOAD, second)
            else:
                first = function(t, _state(x, 0))
            put_pair(out, 0, first)

        return STATE * frames, LOAD * frames, call, _move


@inlined
def _state(x, k):
    """The state that begins at x[k]."""
    return FrameState(x[k : k + 3], x[k + 3 : k + 12].reshape((3, 3)), x[k + 12 : k + 15], x[k + 15 : k + 18])


def _state_at_start(frame: Any) -> list[float]:
    """The state of a frame in the model."""
    return [*frame.position, *rotation_matrix(tuple(frame.quaternion)), *np.zeros(6)]


@inlined
def _move(x, moved, j, part, size):
    """See :meth:`flexmb.forces.python_function.FunctionForce.move`: a rotation is about an axis of the ground."""
    for k in range(len(x)):
        moved[k] = x[k]
    n = len(x) // 3
    at = STATE * (j % n // 6)
    axis = j % 3
    step = DIFFERENCE_STEP * (size if j % 6 < 3 else 1.0)
    if j >= n:
        at += 12 + j % 6
        step = max(step, DIFFERENCE_STEP * abs(x[at]))
    elif j % 6 < 3:
        at += axis
    else:
        c = math.cos(step)
        s = math.sin(part * step)
        one = at + 3 + 3 * ((axis + 1) % 3)
        two = at + 3 + 3 * ((axis + 2) % 3)
        for k in range(3):
            moved[one + k] = c * x[one + k] - s * x[two + k]
            moved[two + k] = s * x[one + k] + c * x[two + k]
        return part * step
    moved[at] = x[at] + part * step
    return moved[at] - x[at]


# -- kernels ---------------------------------------------------------------------------------------------------------
#
# Of each frame, with its arm s, the rotation R of its body, displacement and rotation in the axes of the ground are
#
#     (δr, φ) = B (δr_n, y),   (ṙ, ω_g) = B (ṙ_n, ω),   B = (1, −R s̃; 0, R),   ∂(ṙ, ω_g)/∂y = (−R (ω × s)~, −R ω̃)
#
# and r = −Bᵀ F(X, V).


@compiled
def _call_function(want, p, iq, iv, t, q, v, work):
    """Call the user's function with the state of the frames, which goes to the head of `work`; return the number of
    frames and where the forces begin."""
    frames = iv.size // 6
    for k in range(frames):
        body = quaternion_at(q, iq, 7 * k + 3)
        arm = vector_in(p, FRAMES + FRAME * k)
        omega = vector_at(v, iv, 6 * k + 3)
        at = STATE * k
        put(work, at, plus(vector_at(q, iq, 7 * k), turned(body, arm)))
        R = rotation_matrix(product(body, quaternion_in(p, FRAMES + FRAME * k + 3)))
        for j in range(9):
            work[at + 3 + j] = R[j]
        put(work, at + 12, plus(vector_at(v, iv, 6 * k), turned(body, cross(omega, arm))))
        put(work, at + 15, turned(body, omega))
    evaluate_at(int(p[0]), int(p[1]), want, t, p[2], work)
    return frames, STATE * frames


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        answer = out[i]
        frames, first = _call_function(FORCE, row, iq[i], iv[i], t, q, v, work)
        for k in range(frames):
            body = quaternion_at(q, iq[i], 7 * k + 3)
            force = vector_in(work, first + LOAD * k)
            moment = vector_in(work, first + LOAD * k + 3)
            turning = cross(turned_back(body, force), vector_in(row, FRAMES + FRAME * k))
            put(answer, 6 * k, times(-1.0, force))
            put(answer, 6 * k + 3, minus(turning, turned_back(body, moment)))


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    if w[1] == 0.0 and w[2] == 0.0:
        return  # the mass matrix alone is wanted
    for i in range(p.shape[0]):
        row = p[i]
        block = K[i]
        frames, first = _call_function(DERIVATIVES, row, iq[i], iv[i], t, q, v, work)
        n = LOAD * frames
        for k in range(frames):
            body = quaternion_at(q, iq[i], 7 * k + 3)
            arm = vector_in(row, FRAMES + FRAME * k)
            omega = vector_at(v, iv[i], 6 * k + 3)
            swung = cross(omega, arm)
            for r in range(n):  # wk ∂F/∂q + wd ∂F/∂v replaces ∂F/∂X
                X = first + n + r * n + 6 * k
                V = X + n * n
                by_speed = turned_back(body, vector_in(work, V))
                by_spin = turned_back(body, vector_in(work, V + 3))
                x = plus(times(w[2], turned_back(body, vector_in(work, X))), times(w[1], by_speed))
                y = plus(times(w[2], turned_back(body, vector_in(work, X + 3))), times(w[1], by_spin))
                carried = plus(cross(swung, by_speed), cross(omega, by_spin))
                put(work, X, turned(body, x))
                put(work, X + 3, plus(plus(cross(arm, x), y), times(w[2], carried)))
        for k in range(frames):
            body = quaternion_at(q, iq[i], 7 * k + 3)
            arm = vector_in(row, FRAMES + FRAME * k)
            for j in range(n):
                at = first + n + 6 * k * n + j
                force = (work[at], work[at + n], work[at + 2 * n])
                moment = (work[at + 3 * n], work[at + 4 * n], work[at + 5 * n])
                turning = plus(cross(arm, turned_back(body, force)), turned_back(body, moment))
                for r in range(3):
                    block[6 * k + r, j] -= force[r]
                    block[6 * k + 3 + r, j] -= turning[r]
            force = turned_back(body, vector_in(work, first + LOAD * k))
            moment = turned_back(body, vector_in(work, first + LOAD * k + 3))
            own = combined(1.0, tilde_product(arm, force), 1.0, tilde(moment))
            add_block(block, 6 * k + 3, 6 * k + 3, -w[2], own)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        answer = out[i]
        frames, first = _call_function(FORCE, p[i], iq[i], iv[i], t, q, v, work)
        for k in range(2 * frames):
            speed = vector_in(work, STATE * (k // 2) + 12 + 3 * (k % 2))
            answer[4] += dot(speed, vector_in(work, first + 3 * k))


SPATIAL_PYTHON_FORCE = Kernels("force from Python in space", residual=residual, tangent=tangent, energy=energy)
