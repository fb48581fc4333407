"""A force that a plain function of Python computes: what the plane and space share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.callbacks import machine_address, python_address
from flexmb.kernels.compilation import INTERPRETED
from flexmb.model import checks
from flexmb.model.components import Component
from flexmb.model.frames import Frame


@dataclass(eq=False)
class FunctionForce(Component):
    """The base of forces on one or more frames that a function of Python computes.

    A subclass says how many numbers the state of a frame and the force on it have, what the function takes, and how
    the state moves. A failure of the function is kept, and reported when compiled code has returned.
    """

    frame: Frame | Sequence[Frame]
    function: Callable[..., Any] = field()
    _: KW_ONLY
    derivative: Callable[..., Any] | None = None
    compiled: bool = False
    kind = "force"
    external = True
    fixed_in_space = True
    #: the exception that the function raised, until it is reported
    failure: BaseException | None = field(default=None, init=False, repr=False)
    #: the key by which the callback finds this force
    key: int = field(default=0, init=False, repr=False)

    #: numbers of the state of a frame, and of the force on it
    state_size: ClassVar[int] = 6
    force_size: ClassVar[int] = 3
    #: names of what a frame can be moved in, and of the arguments of the function
    motions: ClassVar[tuple[str, ...]] = ()
    takes: ClassVar[str] = "(t, position, velocity)"

    def frames(self) -> list[Frame]:
        return (
            [self.frame] if isinstance(self.frame, Frame) or not isinstance(self.frame, Sequence) else list(self.frame)
        )

    def sizes(self) -> tuple[int, int]:
        """How many numbers the forces on all frames and their states have."""
        count = len(self.frames())
        return self.force_size * count, self.state_size * count

    def check(self) -> None:
        frames = self.frames()
        if not frames:
            raise ModelError(f"{self.where}: it acts on no frame; give one or more")
        if all(frame.node.fixed for frame in frames):
            names = ", ".join(repr(frame.name) for frame in frames)
            raise ModelError(f"{self.where}: frame {names} is fixed; what acts there moves nothing")
        for what, function in (("function", self.function), ("derivative", self.derivative)):
            if not callable(function) and (what == "function" or function is not None):
                raise ModelError(f"{self.where}: its {what} {checks.quoted(function)} is no function of {self.takes}")
        self.compiled = checks.flag(self.compiled, "compiled", self.where)
        if self.compiled:
            if self.derivative is not None:
                raise ModelError(f"{self.where}: a compiled function takes no derivative; leave one of the two out")
            if not INTERPRETED:
                self.address()

    def address(self) -> tuple[int, int]:
        """Address of the code that evaluates the function, and the key that it takes."""
        if self.compiled and not INTERPRETED:
            return machine_address(self.where, self.function, len(self.frames()), self.translate), 0
        return python_address(self)

    # -- what a subclass says -----------------------------------------------------------------------------------------

    @staticmethod
    def translate(function: Any, frames: int) -> tuple[int, int, Any, Any]:
        """What :func:`flexmb.forces.callbacks.machine_address` needs of a compiled function on so many frames."""
        raise NotImplementedError

    @staticmethod
    def move(x: Any, moved: Any, j: int, part: float, size: float) -> float:
        """Put the state x, moved by `part` of a small step in motion j of all frames, or in speed j − N, into `moved`;
        return how far. `size` is that of the mechanism."""
        raise NotImplementedError

    def forces(self, t: float, x: list[float]) -> list[float]:
        """The forces on all frames, as the function gives them at a state."""
        raise NotImplementedError

    def arguments(self, x: list[float]) -> Sequence[Any]:
        """Arguments of the function after the time."""
        raise NotImplementedError

    # -- called by the callback ---------------------------------------------------------------------------------------

    def evaluate(self, derivatives: bool, t: float, size: float, data: Any) -> None:
        """Fill in the forces, and with `derivatives` these too, for the state at the head of `data`, see
        :mod:`flexmb.forces.callbacks`."""
        n, states = self.sizes()
        x = data[:states]
        forces = self.forces(t, x)
        for k, value in enumerate(forces):
            data[states + k] = value
        if derivatives:
            if not all(map(math.isfinite, forces)):
                rows = [math.nan] * (2 * n * n)
            elif self.derivative is None:
                rows = self._derivatives_by_differences(t, x, n, size, forces)
            else:
                rows = self._given_derivatives(t, x, n)
            for k, value in enumerate(rows):
                data[states + n + k] = value

    def _forces_or_reason(self, t: float, x: list[float]) -> tuple[list[float] | None, str]:
        """The forces and an empty text, or None and the reason why there are none."""
        try:
            forces = self.forces(t, x)
        except ModelError:
            raise
        except (ArithmeticError, ValueError, LookupError) as error:
            return None, f"it raised {type(error).__name__}: {error}"
        return (forces, "") if all(map(math.isfinite, forces)) else (None, "it gave NaN or infinity")

    def _given_derivatives(self, t: float, x: list[float], n: int) -> list[float]:
        assert self.derivative is not None
        result = self.derivative(t, *self.arguments(x))
        try:
            parts = [np.asarray(part, dtype=float) for part in result]
        except (TypeError, ValueError):
            parts = []
        if [part.shape for part in parts] != [(n, n), (n, n)]:
            raise ModelError(
                f"its derivative gave {checks.quoted(result)}; give (∂F/∂position, ∂F/∂velocity), arrays ({n}, {n}) "
                "each"
            )
        return [*parts[0].ravel().tolist(), *parts[1].ravel().tolist()]

    def _derivatives_by_differences(
        self, t: float, x: list[float], n: int, size: float, force: list[float]
    ) -> list[float]:
        """Central differences; one-sided ones where the function is defined on one side of the state only, as a square
        root is at the end of its range."""
        rows = [0.0] * (2 * n * n)
        moved = [0.0] * len(x)
        for j in range(2 * n):
            ahead = self.move(x, moved, j, 1.0, size)
            up, wrong = self._forces_or_reason(t, moved)
            behind = self.move(x, moved, j, -1.0, size)
            down, _ = self._forces_or_reason(t, moved)
            if up is None and down is None:
                raise ModelError(
                    f"its function is defined at a state but not beside it, {ahead:.2g} to either side in "
                    f"{self.motions[j % self.force_size]}{' (speed)' * (j >= n)}, where differences stand for its "
                    f"derivatives: {wrong}; give derivative=…"
                ) from None
            if up is None:
                up, ahead = force, 0.0
            elif down is None:
                down, behind = force, 0.0
            assert down is not None
            at = j % n + (n * n if j >= n else 0)
            for k in range(n):
                rows[at + k * n] = (up[k] - down[k]) / (ahead - behind)
        return rows


def model_size(frame: Frame) -> float:
    """The extent of the frame's model [m], or 1."""
    points = np.array([f.position for f in frame.model.frames.values()])
    return float(np.max(points.max(axis=0) - points.min(axis=0))) or 1.0
