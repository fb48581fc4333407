"""The Campbell diagram: frequencies of a rotor over its speed, after Campbell (1924)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from flexmb.algebra.threads import one_thread
from flexmb.analyses.statics.equilibrium import Equilibrium, equilibrium
from flexmb.analyses.vibration.complex_modes import ComplexModes, complex_modes, damping_ratios
from flexmb.errors import ModelError
from flexmb.interruption import interruptible
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.model import Model
from flexmb.results.state import State
from flexmb.solvers.initial_state import state_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: number of modes computed beyond those asked for, since branches may cross the last one
SPARE = 3


class CriticalSpeed(NamedTuple):
    """A speed at which a mode (counted from 0) meets an engine order: `speed` [rad/s], `frequency` [Hz]."""

    order: float
    mode: int
    speed: float
    frequency: float


@dataclass(eq=False)
class Campbell:
    """Complex modes over the speed of a rotor, one column for each branch; branches are numbered as at the first speed.

    `name` of the model; `speeds` (k,) [rad/s]; `eigenvalues` (k, c) [rad/s] in axes that turn along; `likeness` (k, c):
    how similar the shape of a branch is to that at the speed before, from 0 to 1; `modes`: the modes at each speed.
    """

    name: str
    speeds: np.ndarray
    eigenvalues: np.ndarray
    likeness: np.ndarray = field(repr=False)
    modes: list[ComplexModes] = field(repr=False)

    @property
    def frequencies(self) -> np.ndarray:
        """Damped frequencies (k, c) [Hz]."""
        return self.eigenvalues.imag / (2.0 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        """Damping ratios −Re λ/|λ| (k, c)."""
        return damping_ratios(self.eigenvalues)

    @property
    def stable(self) -> np.ndarray:
        """Whether no mode grows, at each speed (k,)."""
        return np.array([modes.stable for modes in self.modes])

    def critical_speeds(self, orders: Sequence[float] = (1, 2, 3)) -> list[CriticalSpeed]:
        """The speeds at which a branch crosses the line f = order · speed/2π, in ascending order.

        Between the computed speeds the square of the frequency is linear in the square of the speed, as for
        centrifugal stiffening (Southwell's formula).
        """
        crossings = []
        squares = self.speeds**2
        for order in orders:
            for mode in range(self.eigenvalues.shape[1]):
                omega2 = self.eigenvalues[:, mode].imag ** 2
                ahead = omega2 - order**2 * squares
                for k in np.flatnonzero((ahead[:-1] != 0.0) & (ahead[:-1] * ahead[1:] <= 0.0)).tolist():
                    share = ahead[k] / (ahead[k] - ahead[k + 1])
                    speed = float(np.sqrt(squares[k] + share * (squares[k + 1] - squares[k])))
                    crossings.append(CriticalSpeed(float(order), mode, speed, order * speed / (2.0 * np.pi)))
        return sorted(crossings, key=lambda c: c.speed)

    def plot(
        self, path: str | Path | None = None, *, orders: Sequence[float] = (1, 2, 3), background: str = "light"
    ) -> Figure:
        """Frequencies over speed with lines of engine orders; critical speeds are marked; written to `path` when one is
        given, on a 'light' or 'dark' `background`."""
        from flexmb.plots.frequencies import campbell

        critical = [(c.speed, c.frequency) for c in self.critical_speeds(orders)]
        turns = any(modes.rotation is not None and modes.rotation.spin for modes in self.modes)
        label = "frequency in axes that turn along" if turns else "frequency"
        return campbell(self.speeds, self.frequencies, critical, orders, self.name, path, background, label)

    def __str__(self) -> str:
        lines = [f"Campbell diagram of {self.name!r}: {len(self.speeds)} speeds, {self.eigenvalues.shape[1]} modes"]
        for k, speed in enumerate(self.speeds):
            row = "  ".join(f"{f:10.5g}" for f in self.frequencies[k])
            lines.append(f"  {speed:10.5g} rad/s: {row} Hz" + ("" if self.modes[k].stable else "  unstable"))
        for c in self.critical_speeds():
            lines.append(f"  order {c.order:g} meets mode {c.mode + 1} at {c.speed:.6g} rad/s ({c.frequency:.6g} Hz)")
        return "\n".join(lines)


@interruptible
@one_thread
def campbell(
    build: Callable[[float], Model | Equilibrium | State],
    speeds: Any,
    count: int = 6,
    *,
    t: float = 0.0,
    axis: Any = "z",
    centre: Vector | None = None,
    dense: bool | None = None,
    controllers: str = "refuse",
) -> Campbell:
    """Frequencies and damping of a rotor over its speed.

    At every speed the equilibrium of steady rotation about the axis is found, then its complex modes in axes that turn
    along. From one speed to the next a branch goes on with the mode whose shape is most similar,

        |φ₁ᴴ M φ₂|² / (φ₁ᴴ M φ₁ · φ₂ᴴ M φ₂)    (modal assurance criterion, Allemang and Brown (1982))

    so branches may cross.

    Arguments: `build(speed)` gives the model whose rotor is driven at that speed [rad/s], with the same names and the
    same position at the time `t` [s] each time; `speeds` (k,) [rad/s], ascending; `count` of modes; `axis`, `centre`
    of the rotation, see :func:`equilibrium`; `dense`, `controllers` see :func:`complex_modes`.

    Where rotors spin in a frame that rests or turns at another speed, `build(speed)` gives the equilibrium itself:
    `fm.equilibrium(model, rotors={"disc": (0, 0, speed)})`. Frequencies are then those seen in the frame.

    >>> import flexmb as fm
    >>> def build(speed):
    ...     m = fm.PlanarModel("ring")
    ...     hub = m.add_body("hub", mass=1.0, inertia=1.0)
    ...     hinge = m.revolute(m.ground, hub.frame)
    ...     shaft = m.drive_angle(m.ground, hub.frame, fm.Polynomial([0.0, speed]))
    ...     bead = m.add_body("bead", mass=2.0, inertia=0.1, position=(0.5, 0.0))
    ...     rod = m.prismatic(hub.frame, bead.frame)
    ...     spring = m.bushing(hub.frame.attach("seat", (0.5, 0.0)), bead.frame, stiffness=(50.0, 0.0, 0.0))
    ...     return m
    >>> found = campbell(build, [0.0, 3.0, 4.0], 1)  # ω² = k/m − Ω²
    >>> (2 * np.pi * found.frequencies[:, 0]).round(9).tolist()
    [5.0, 4.0, 3.0]

    A disc that spins in two bearings on springs: A λ² ± C Ω iλ + 2 k b² = 0 across its axis.

    >>> def disc(speed):
    ...     m = fm.SpatialModel("disc")
    ...     disc = m.add_body("disc", mass=1.0, inertia=(0.1, 0.1, 0.2))
    ...     for name, z in (("low", -0.1), ("high", 0.1)):
    ...         place, seat = disc.frame.attach(name, (0, 0, z)), m.ground.attach(f"{name} seat", (0, 0, z))
    ...         bearing = m.bushing(seat, place, stiffness=(500.0, 500.0, 500.0, 0, 0, 0))
    ...     return fm.equilibrium(m, rotors={"disc": (0, 0, speed)})
    >>> split = campbell(disc, [1.0, 10.0], 3)
    >>> np.roots([0.1, 10.0 * 0.2, -10.0]).round(6).tolist()
    [-24.142136, 4.142136]
    >>> np.sort(split.eigenvalues[1].imag).round(6).tolist()
    [0.0, 4.142136, 24.142136]
    """
    where = "campbell"
    values = checks.row(speeds, "speeds", where)
    if len(values) < 2 or np.any(np.diff(values) <= 0.0):
        raise ModelError(f"{where}: give at least two speeds, in ascending order")
    count = checks.count(count, "count", where, 1)
    likeness = np.ones((len(values), count))
    ordered: list[ComplexModes] = []
    for k, speed in enumerate(values):
        about = build(float(speed))
        if isinstance(about, Model):
            given = {"axis": axis, "centre": centre, "controllers": controllers}
            about = equilibrium(about, t=t, spin=float(speed), **given)
        elif not isinstance(about, Equilibrium | State):
            raise ModelError(f"{where}: build({speed:g}) is {about!r}; give a model, an equilibrium or a state")
        system = state_of(about, where).system
        freedom = system.n - system.m
        wanted = min(count + SPARE, freedom) if count <= freedom else count
        modes = complex_modes(about, wanted, dense=dense, controllers=controllers)
        if len(modes) < count:
            raise ModelError(
                f"{where}: at {speed:g} rad/s there are {len(modes)} modes, since conjugate and rigid ones are counted "
                "once; ask for as many"
            )
        if ordered:
            if system.names != ordered[0].state.system.names:
                raise ModelError(f"{where}: build({speed:g}) has other coordinates than build({values[0]:g})")
            M = system.mass_matrix(t, modes.state.q)
            like = _shape_likeness(ordered[-1].shapes, modes.shapes, M)
            branch, place = linear_sum_assignment(-like)
            likeness[k] = like[branch, place]
        else:
            place = np.arange(count)
        eigenvalues, shapes, rigid = modes.eigenvalues[place], modes.shapes[:, place], modes.rigid[place]
        ordered.append(replace(modes, eigenvalues=eigenvalues, shapes=shapes, rigid=rigid))
    return Campbell(ordered[0].name, values, np.array([x.eigenvalues for x in ordered]), likeness, ordered)


def _shape_likeness(before: np.ndarray, now: np.ndarray, M: Any) -> np.ndarray:
    """How similar each shape before (n, c) is to each one now (n, d): (c, d), from 0 to 1."""
    cross = np.abs(before.conj().T @ (M @ now)) ** 2
    size = [np.einsum("ij,ij->j", x.conj(), M @ x).real for x in (before, now)]
    return cross / np.maximum(np.outer(*size), 1e-300)
