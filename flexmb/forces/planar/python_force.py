"""A force that a plain function of Python computes; the compiled loop calls the function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.callbacks import DERIVATIVES, DIFFERENCE_STEP, FORCE, evaluate_at
from flexmb.forces.python_function import FunctionForce, model_size
from flexmb.kernels.blocks import joined
from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import frame_arm
from flexmb.model.appearance import Load, ShownMotion
from flexmb.model.components import Assembler

Triples = tuple[tuple[float, ...], ...]


@dataclass(eq=False)
class PythonForce(FunctionForce):
    """A force on one or more frames that a function of Python computes.

        fx, fy, moment = function(t, position, velocity),     position = (x, y, θ),  velocity = (ẋ, ẏ, ω)

    for one frame. Position and velocity [m, rad, s] are those of its origin, in the axes of space; force [N] and moment
    [Nm] act there. For several frames, position and velocity are tuples of such triples, one for each frame, and the
    function returns as many triples. It must depend on its arguments alone, since a solver also tries states that it
    gives up again, in no order of time.

    It runs as plain Python, some microseconds a call. Derivatives are central differences (12 calls for one frame)
    unless `derivative` is given. Its power counts as input power, since flexmb cannot know what it stores or
    dissipates. With `compiled` Numba compiles the function, and it runs as fast as the built-in forces.

    An exception in it ends the run with a :class:`~flexmb.errors.KernelError` that names the force.

    Arguments: `frame`, a frame or a list of frames; `function`; `derivative`, a function of the same arguments
    that gives (∂F/∂position, ∂F/∂velocity), (3 n, 3 n) each for n frames; `compiled` (one or two frames, no
    `derivative`).

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> ball = m.add_body("ball", mass=1.0, inertia=0.1)
    >>> ball.move((2.0, 0.0))
    >>> drag = m.python_force(ball.frame, lambda t, position, velocity: (-0.5 * velocity[0], 0.0, 0.0))
    >>> round(float(fm.simulate(m, 2.0, tolerance=1e-9)["ball.vx"][-1]), 6)  # 2 exp(−1)
    0.735759
    """

    motions = ("x", "y", "angle")

    def assemble(self, assembly: Assembler) -> None:
        frames = self.frames()
        self.failure = None
        offsets = [x for frame in frames for x in (*frame.offset, frame.offset_angle)]
        p = np.array([*map(float, self.address()), model_size(frames[0]), *offsets])
        coordinates = joined([block for frame in frames for block in assembly.node(frame.node)])
        n = len(coordinates.v)
        assembly.instance(self, PYTHON_FORCE, coordinates, p, work=5 * n + 2 * n * n)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        tracks = [solution.track(frame.name) for frame in self.frames()]
        places = [np.column_stack([track.position, track.angle]) for track in tracks]
        speeds = [np.column_stack([track.velocity, track.angular_velocity]) for track in tracks]
        states = np.hstack(places + speeds).tolist()
        forces = np.array([self.forces(t, x) for t, x in zip(times.tolist(), states)])
        return [
            Load(track.position, forces[:, 3 * j : 3 * j + 2], forces[:, 3 * j + 2]) for j, track in enumerate(tracks)
        ]

    def forces(self, t: float, x: list[float]) -> list[float]:
        n, _ = self.sizes()
        result = self.function(t, *self.arguments(x))
        try:
            flat = result if n == 3 else [number for triple in result for number in triple]
            numbers = [float(number) for number in flat]
        except (TypeError, ValueError):
            numbers = []
        if len(numbers) != n:
            wanted = "three numbers (fx, fy, moment)" if n == 3 else f"{n // 3} triples (fx, fy, moment)"
            raise ModelError(f"its function gave {result!r}; give {wanted}")
        return numbers

    def arguments(self, x: list[float]) -> Sequence[Any]:
        if len(x) == 6:
            return (x[0], x[1], x[2]), (x[3], x[4], x[5])
        triples: Triples = tuple(tuple(x[k : k + 3]) for k in range(0, len(x), 3))
        return triples[: len(triples) // 2], triples[len(triples) // 2 :]

    @staticmethod
    def move(x: Any, moved: Any, j: int, part: float, size: float) -> float:
        return float(_move(x, moved, j, part, size))

    @staticmethod
    def translate(function: Any, frames: int) -> tuple[int, int, Any, Any]:
        n = 3 * frames
        two = frames == 2

        @numba.njit(error_model="numpy")
        def call(t, x, out):
            for k in range(n):
                out[k] = math.nan
            if two:
                first, second = function(
                    t,
                    ((x[0], x[1], x[2]), (x[3], x[4], x[5])),
                    ((x[6], x[7], x[8]), (x[9], x[10], x[11])),
                )
                out[3], out[4], out[5] = second
            else:
                first = function(t, (x[0], x[1], x[2]), (x[3], x[4], x[5]))
            out[0], out[1], out[2] = first

        return 2 * n, n, call, _move


@inlined
def _move(x, moved, j, part, size):
    """See :meth:`flexmb.forces.python_function.FunctionForce.move`."""
    for k in range(len(x)):
        moved[k] = x[k]
    step = DIFFERENCE_STEP * (1.0 if j % 3 == 2 else size)
    if 2 * j >= len(x):
        step = max(step, DIFFERENCE_STEP * abs(x[j]))
    moved[j] = x[j] + part * step
    return moved[j] - x[j]


@compiled
def _call_function(want, p, iq, iv, t, q, v, work):
    """Call the user's function with the state of the frames, which goes to the head of `work`; return the number of
    speeds."""
    n = iq.size
    for k in range(0, n, 3):
        ux, uy = frame_arm(p, 3 + k, q[iq[k + 2]])
        om = v[iv[k + 2]]
        work[k] = q[iq[k]] + ux
        work[k + 1] = q[iq[k + 1]] + uy
        work[k + 2] = q[iq[k + 2]] + p[5 + k]
        work[n + k] = v[iv[k]] - om * uy
        work[n + k + 1] = v[iv[k + 1]] + om * ux
        work[n + k + 2] = om
    evaluate_at(int(p[0]), int(p[1]), want, t, p[2], work)
    return n


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n = _call_function(FORCE, p[i], iq[i], iv[i], t, q, v, work)
        for k in range(0, n, 3):
            ux, uy = frame_arm(p[i], 3 + k, q[iq[i, k + 2]])
            fx, fy = work[2 * n + k], work[2 * n + k + 1]
            out[i, k] = -fx
            out[i, k + 1] = -fy
            out[i, k + 2] = uy * fx - ux * fy - work[2 * n + k + 2]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    if w[1] == 0.0 and w[2] == 0.0:
        return  # the mass matrix alone is wanted
    # r = −Bᵀ F(X, V) with B = ∂X/∂q = ∂V/∂v = [1 s⊥; 0 1] for each frame, and ∂V/∂θ = −ω s
    for i in range(p.shape[0]):
        n = _call_function(DERIVATIVES, p[i], iq[i], iv[i], t, q, v, work)
        for k in range(0, n, 3):
            ux, uy = frame_arm(p[i], 3 + k, q[iq[i, k + 2]])
            om = v[iv[i, k + 2]]
            for r in range(n):  # wk ∂F/∂q + wd ∂F/∂v replaces ∂F/∂X
                X = 3 * n + r * n + k
                V = X + n * n
                dx = w[2] * work[X] + w[1] * work[V]
                dy = w[2] * work[X + 1] + w[1] * work[V + 1]
                turning = w[2] * (work[X + 2] - om * (ux * work[V] + uy * work[V + 1])) + w[1] * work[V + 2]
                work[X] = dx
                work[X + 1] = dy
                work[X + 2] = turning + ux * dy - uy * dx
        for k in range(0, n, 3):
            ux, uy = frame_arm(p[i], 3 + k, q[iq[i, k + 2]])
            for j in range(n):
                at = 3 * n + k * n + j
                K[i, k, j] -= work[at]
                K[i, k + 1, j] -= work[at + n]
                K[i, k + 2, j] -= work[at + 2 * n] + ux * work[at + n] - uy * work[at]
            K[i, k + 2, k + 2] += w[2] * (ux * work[2 * n + k] + uy * work[2 * n + k + 1])


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n = _call_function(FORCE, p[i], iq[i], iv[i], t, q, v, work)
        for k in range(n):
            out[i, 4] += work[n + k] * work[2 * n + k]


#: Parameters: address and key of the function, size of the mechanism, offset (3) of each frame.
PYTHON_FORCE = Kernels("force from Python", residual=residual, tangent=tangent, energy=energy)
