"""A force that a plain function of Python computes; the compiled loop calls the function."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.callbacks import DERIVATIVES, DIFFERENCE_STEP, FORCE, evaluate_at, machine_address, python_address
from flexmb.kernels.blocks import joined
from flexmb.kernels.compilation import INTERPRETED, compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import frame_arm
from flexmb.model import checks
from flexmb.model.appearance import Load, ShownMotion
from flexmb.model.components import Assembler, Component
from flexmb.model.frames import Frame

_COORDINATES = ("x", "y", "angle")
Triples = tuple[tuple[float, ...], ...]


@dataclass(eq=False)
class PythonForce(Component):
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

    Arguments: `name`; `on`, a frame or a list of frames; `function`; `derivative`, a function of the same arguments
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

    on: Frame | Sequence[Frame]
    function: Callable[..., Any]
    derivative: Callable[..., Any] | None = None
    compiled: bool = False
    kind = "force"
    external = True
    fixed_in_space = True
    #: the exception that the function raised, until it is reported
    failure: BaseException | None = field(default=None, init=False, repr=False)
    #: the key by which the callback finds this force
    key: int = field(default=0, init=False, repr=False)

    def frames(self) -> list[Frame]:
        return [self.on] if isinstance(self.on, Frame) or not isinstance(self.on, Sequence) else list(self.on)

    def check(self) -> None:
        frames = self.frames()
        if not frames:
            raise ModelError(f"{self.where}: it acts on no frame; give one or more")
        if all(frame.node.fixed for frame in frames):
            names = ", ".join(repr(frame.name) for frame in frames)
            raise ModelError(f"{self.where}: frame {names} is fixed; what acts there moves nothing")
        for what, function in (("function", self.function), ("derivative", self.derivative)):
            if not callable(function) and (what == "function" or function is not None):
                raise ModelError(
                    f"{self.where}: its {what} {checks.quoted(function)} is no function of (t, position, velocity)"
                )
        self.compiled = checks.flag(self.compiled, "compiled", self.where)
        if self.compiled:
            if self.derivative is not None:
                raise ModelError(f"{self.where}: a compiled function takes no derivative; leave one of the two out")
            if not INTERPRETED:
                machine_address(self.where, self.function, len(frames))

    def assemble(self, assembly: Assembler) -> None:
        frames = self.frames()
        self.failure = None
        if self.compiled and not INTERPRETED:
            address, key = machine_address(self.where, self.function, len(frames)), 0
        else:
            address, key = python_address(self)
        offsets = [x for frame in frames for x in (*frame.offset, frame.offset_angle)]
        p = np.array([float(address), float(key), _model_size(frames[0]), *offsets])
        coordinates = joined([block for frame in frames for block in assembly.node(frame.node)])
        n = len(coordinates.v)
        assembly.instance(self, PYTHON_FORCE, coordinates, p, work=3 * n + 2 * n * n)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        tracks = [solution.track(frame.name) for frame in self.frames()]
        places = [np.column_stack([track.position, track.angle]) for track in tracks]
        speeds = [np.column_stack([track.velocity, track.angular_velocity]) for track in tracks]
        states = np.hstack(places + speeds).tolist()
        forces = np.array([self._forces(t, x, 3 * len(tracks)) for t, x in zip(times.tolist(), states)])
        return [
            Load(track.position, forces[:, 3 * j : 3 * j + 2], forces[:, 3 * j + 2]) for j, track in enumerate(tracks)
        ]

    # -- called by the callback ---------------------------------------------------------------------------------------

    def evaluate(self, derivatives: bool, t: float, size: float, data: Any) -> None:
        """Fill in the forces, and with `derivatives` these too, for the state at the head of `data`, see
        :mod:`flexmb.forces.callbacks`."""
        n = 3 * len(self.frames())
        x = data[: 2 * n]
        forces = self._forces(t, x, n)
        for k, value in enumerate(forces):
            data[2 * n + k] = value
        if derivatives:
            if not all(map(math.isfinite, forces)):
                rows = [math.nan] * (2 * n * n)
            elif self.derivative is None:
                rows = self._derivatives_by_differences(t, x, n, size, forces)
            else:
                rows = self._given_derivatives(t, x, n)
            for k, value in enumerate(rows):
                data[3 * n + k] = value

    def _forces(self, t: float, x: list[float], n: int) -> list[float]:
        result = self.function(t, *_positions_and_velocities(x, n))
        try:
            flat = result if n == 3 else [number for triple in result for number in triple]
            numbers = [float(number) for number in flat]
        except (TypeError, ValueError):
            numbers = []
        if len(numbers) != n:
            wanted = "three numbers (fx, fy, moment)" if n == 3 else f"{n // 3} triples (fx, fy, moment)"
            raise ModelError(f"its function gave {result!r}; give {wanted}")
        return numbers

    def _forces_or_reason(self, t: float, x: list[float], n: int) -> tuple[list[float] | None, str]:
        """The forces and an empty text, or None and the reason why there are none."""
        try:
            forces = self._forces(t, x, n)
        except ModelError:
            raise
        except (ArithmeticError, ValueError, LookupError) as error:
            return None, f"it raised {type(error).__name__}: {error}"
        return (forces, "") if all(map(math.isfinite, forces)) else (None, "it gave NaN or infinity")

    def _given_derivatives(self, t: float, x: list[float], n: int) -> list[float]:
        assert self.derivative is not None
        result = self.derivative(t, *_positions_and_velocities(x, n))
        try:
            parts = [np.asarray(part, dtype=float) for part in result]
        except (TypeError, ValueError):
            parts = []
        if [part.shape for part in parts] != [(n, n), (n, n)]:
            raise ModelError(
                f"its derivative gave {result!r}; give (∂F/∂position, ∂F/∂velocity), arrays ({n}, {n}) each"
            )
        return [*parts[0].ravel().tolist(), *parts[1].ravel().tolist()]

    def _derivatives_by_differences(
        self, t: float, x: list[float], n: int, size: float, force: list[float]
    ) -> list[float]:
        """Central differences; one-sided ones where the function is defined on one side of the state only, as a square
        root is at the end of its range."""
        rows = [0.0] * (2 * n * n)
        for j, value in enumerate(x):
            h = DIFFERENCE_STEP * (1.0 if j % 3 == 2 else size)
            if j >= n:
                h = max(h, DIFFERENCE_STEP * abs(value))
            ahead, behind = value + h, value - h
            x[j] = ahead
            up, wrong = self._forces_or_reason(t, x, n)
            x[j] = behind
            down, _ = self._forces_or_reason(t, x, n)
            x[j] = value
            if up is None and down is None:
                raise ModelError(
                    f"its function is defined at a state but not beside it, {h:.2g} to either side in "
                    f"{_COORDINATES[j % 3]}{' (speed)' * (j >= n)}, where differences stand for its "
                    f"derivatives: {wrong}; give derivative=…"
                ) from None
            if up is None:
                up, ahead = force, value
            elif down is None:
                down, behind = force, value
            assert down is not None
            at = j % n + (n * n if j >= n else 0)
            for k in range(n):
                rows[at + k * n] = (up[k] - down[k]) / (ahead - behind)
        return rows


def _positions_and_velocities(x: list[float], n: int) -> tuple[Any, Any]:
    """The triples that a user's function takes."""
    if n == 3:
        return (x[0], x[1], x[2]), (x[3], x[4], x[5])
    triples: Triples = tuple(tuple(x[k : k + 3]) for k in range(0, 2 * n, 3))
    return triples[: n // 3], triples[n // 3 :]


def _model_size(frame: Frame) -> float:
    """The extent of the frame's model [m], or 1."""
    points = np.array([f.position for f in frame.model.frames.values()])
    return float(np.max(points.max(axis=0) - points.min(axis=0))) or 1.0


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
