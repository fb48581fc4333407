"""The law of an observer with feedback of what it estimates: linear, with commands that have limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ControlError, ModelError
from flexmb.feedback.laws import Law, LinearLaw
from flexmb.kernels.compilation import kernel
from flexmb.model import checks


@dataclass(eq=False)
class ObserverLaw(Law):
    """u[k] = C ξ[k] + D e[k] within limits,  ξ[k+1] = A ξ[k] + B e[k] + E u[k],  with the commands as they are given
    out, so that the estimate of an observer ξ knows of every limit, and nothing winds up.

    Readings and commands are measured from an operating point: e = y − `readings`, and u₀ + u is given out, u₀ the
    `commands` there. With `follow` there is a wanted value behind all readings for each of them, and e is their
    difference.

    Arguments: A (k, k), B (k, readings), E (k, commands), C (commands, k), D (commands, readings); `readings`,
    `commands`: the operating point, zero when not given; `limits` (commands, 2): lowest and highest value of each
    command, or one pair for all; `follow`.

    >>> law = ObserverLaw([[0.5]], [[1.0]], [[0.2]], [[-3.0]], [[0.0]], limits=(-1.0, 1.0))
    >>> law.memory, law.linear.A.round(9).tolist()
    (2, [[-0.1]])
    """

    A: Any
    B: Any
    E: Any
    C: Any
    D: Any
    readings: Any = None
    commands: Any = None
    limits: Any = None
    follow: bool = False

    def __post_init__(self) -> None:
        where = "observer law"
        checks.check_fields(self, checks.matrix, where, *"ABECD")
        nu, ny = self.D.shape
        k = len(self.A)
        for what, shape in {"A": (k, k), "B": (k, ny), "E": (k, nu), "C": (nu, k)}.items():
            if getattr(self, what).shape != shape:
                raise ModelError(f"{where}: {what} has the shape {getattr(self, what).shape}; it must be {shape}")
        for what, count in {"readings": ny, "commands": nu}.items():
            given = getattr(self, what)
            setattr(self, what, np.zeros(count) if given is None else checks.vector(given, what, where, count))
        self.limits = checked_limits(self.limits, self.commands, where)
        self.follow = checks.flag(self.follow, "follow", where)
        self.kernel = observer_law

    def __repr__(self) -> str:
        nu, ny = self.D.shape
        return f"ObserverLaw({ny} readings, {nu} commands, {len(self.A)} states)"

    @property
    def linear(self) -> LinearLaw:
        """The law between its limits, about the operating point."""
        count = len(self.readings)
        e = np.eye(count, count * (1 + self.follow))
        if self.follow:
            e[:, count:] = -np.eye(count)
        return LinearLaw(self.A + self.E @ self.C, (self.B + self.E @ self.D) @ e, self.C, self.D @ e)

    def parameters(self) -> np.ndarray:
        nu, ny = self.D.shape
        sizes = [float(len(self.A)), float(ny), float(nu), float(self.follow)]
        matrices = (self.A, self.B, self.E, self.C, self.D, self.readings, self.commands, self.limits)
        return np.concatenate([sizes, *(x.ravel() for x in matrices)])

    @property
    def memory(self) -> int:
        return 2 * len(self.A)

    @property
    def remembers(self) -> bool:
        return len(self.A) > 0

    def check(self, sensors: int, commands: int, where: str) -> None:
        nu, ny = self.D.shape
        self._check_sizes(ny * (1 + self.follow), nu, sensors, commands, where)


def checked_limits(given: Any, commands: np.ndarray, where: str) -> np.ndarray:
    """The lowest and the highest value of each command, (commands, 2), which the operating point must lie between."""
    count = len(commands)
    if given is None:
        return np.tile([-np.inf, np.inf], (count, 1))
    wanted = f"one pair (lowest, highest), or {count} of them"
    limits = checks.numbers(given, "limits", where, wanted, infinite=True)
    if limits.shape == (2,):
        limits = np.tile(limits, (count, 1))
    if limits.shape != (count, 2):
        raise ModelError(f"{where}: limits must be {wanted}, not {checks.quoted(given)}")
    for k, ((low, high), at) in enumerate(zip(limits.tolist(), commands.tolist())):
        if not low < high:
            raise ModelError(f"{where}: limits number {k + 1} are {low:g} and {high:g}; give the lower one first")
        if not low < at < high:
            raise ControlError(
                f"{where}: the limits {low:g} and {high:g} exclude command number {k + 1} of the operating point, "
                f"{at:.6g}; give wider ones, or another operating point"
            )
    return limits


@kernel
def observer_law(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    n, ny, nu, follow = int(p[0, 0]), int(p[0, 1]), int(p[0, 2]), p[0, 3] > 0.0
    A = 4
    B = A + n * n
    E = B + n * ny
    C = E + n * nu
    D = C + nu * n
    readings = D + nu * ny
    commands = readings + ny
    limits = commands + nu
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += p[0, A + i * n + j] * work[j]
        work[n + i] = total
    for j in range(ny):
        e = w[j] - (w[ny + j] if follow else p[0, readings + j])
        for i in range(n):
            work[n + i] += p[0, B + i * ny + j] * e
    for i in range(nu):
        u = p[0, commands + i]
        for j in range(n):
            u += p[0, C + i * n + j] * work[j]
        for j in range(ny):
            u += p[0, D + i * ny + j] * (w[j] - (w[ny + j] if follow else p[0, readings + j]))
        u = min(max(u, p[0, limits + 2 * i]), p[0, limits + 2 * i + 1])
        out[0, i] = u
        for j in range(n):
            work[n + j] += p[0, E + j * nu + i] * (u - p[0, commands + i])
    for i in range(n):
        work[i] = work[n + i]
