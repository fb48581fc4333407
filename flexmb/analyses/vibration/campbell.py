"""The Campbell diagram: frequencies of a rotor over its speed, after Campbell (1924)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from flexmb.analyses.statics.equilibrium import Equilibrium, equilibrium
from flexmb.analyses.statics.rotation import UPWARD
from flexmb.analyses.vibration.complex_modes import ComplexModes, complex_modes, damping_ratios
from flexmb.analyses.vibration.critical_speeds import CIRCLE, Branch, CriticalSpeed
from flexmb.analyses.vibration.whirl import WHIRLS, axis_of, in_circles, likeness_of, shares_of
from flexmb.errors import ModelError
from flexmb.machine import reports
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.hints import AnswersCalls, answers_calls
from flexmb.model.model import Model
from flexmb.model.spatial_frames import unit_axis
from flexmb.plots.words import words
from flexmb.results.state import State
from flexmb.solvers.binding.initial_state import state_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: number of modes computed beyond those asked for, since branches may cross the last one, and of shifts that are free
#: at rest in two directions one is left
SPARE = 5
#: rates below this part of the speed are none
ROUNDING = 1e-12
#: modes that are alike to this are alike
GROWING_FIRST = 1e-6


@dataclass(eq=False)
class Campbell(metaclass=AnswersCalls):
    """Complex modes over the speed of a rotor, one column for each branch; branches are numbered as at the first speed.

    `name` of the model; `speeds` (k,) [rad/s]; `axis` (3,) about which modes are said to whirl; `eigenvalues` (k, c)
    [rad/s] with Im λ ≥ 0, in axes that turn along with the whole (in axes at rest, if rotors spin in a frame at rest);
    `likeness` (k, c): how similar the shape of a branch is to that at the speed before, from 0 to 1; `shares`
    (k, c, 3) of the motion (squares of displacements, of all frames and points of beams) that go round about the axis,
    against it, and along it; `stable` (k,): whether no mode grows; `modes`: the modes at each speed.

    >>> import flexmb as fm
    >>> def build(speed):
    ...     m = fm.PlanarModel("Jeffcott")
    ...     shaft = m.add_body("shaft", mass=1.0, inertia=1.0)
    ...     bearing = m.revolute(m.ground, shaft.frame)
    ...     motor = m.drive_angle(m.ground, shaft.frame, fm.Polynomial([0.0, speed]))
    ...     disk = m.add_body("disk", mass=1.0, inertia=1.0)
    ...     bending = m.bushing(shaft.frame, disk.frame, stiffness=(25.0, 25.0, 400.0))
    ...     return m
    >>> found = fm.campbell(build, [0.0, 4.0, 8.0], 2)
    >>> (6.283185307 * found.signed_frequencies()[1]).round(6).tolist()  # from ±5 at rest
    [-9.0, 1.0]
    """

    name: str
    speeds: np.ndarray
    eigenvalues: np.ndarray
    likeness: np.ndarray = field(repr=False)
    modes: list[ComplexModes] = field(repr=False)
    axis: np.ndarray = field(repr=False)
    shares: np.ndarray = field(repr=False)
    stable: np.ndarray = field(repr=False)
    #: −1 where the branch goes on with the conjugate, λ having passed zero, else 1 (k, c)
    passed: np.ndarray = field(repr=False)

    @property
    def frequencies(self) -> np.ndarray:
        """Damped frequencies |Im λ|/2π (k, c) [Hz], without the sense of whirling, in the axes of `eigenvalues`."""
        return self.eigenvalues.imag / (2.0 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        """Damping ratios −Re λ/|λ| (k, c)."""
        return damping_ratios(self.eigenvalues)

    @property
    def whirl(self) -> np.ndarray:
        """How modes go round the axis (k, c), in the axes of `eigenvalues`: 1 in circles about it, −1 in circles
        against it, 0 in a plane or along the axis; between, on ellipses, or at some places so and at others against."""
        return np.asarray(self.shares[..., 0] - self.shares[..., 1])

    @property
    def turns(self) -> bool:
        """Whether `eigenvalues` are in axes that turn along."""
        return bool(self._ground.any())

    def signed_frequencies(self, axes: str | None = None) -> np.ndarray:
        """Damped frequencies (k, c) [Hz] with the sense in which modes whirl: positive about the axis, negative against
        it, and positive where they do neither.

        `axes` are those of the "ground" or "turning" with the rotor, or those of `eigenvalues` when not given. A circle
        that goes round at f in axes of the ground goes round at f − Ω in axes that turn along, and motion along the
        axis has one frequency in both. What is a line or an ellipse in one has two frequencies in the other, and is NaN
        there.

        >>> import flexmb as fm
        >>> def build(speed):
        ...     m = fm.PlanarModel("Jeffcott")
        ...     shaft = m.add_body("shaft", mass=1.0, inertia=1.0)
        ...     bearing = m.revolute(m.ground, shaft.frame)
        ...     motor = m.drive_angle(m.ground, shaft.frame, fm.Polynomial([0.0, speed]))
        ...     disk = m.add_body("disk", mass=1.0, inertia=1.0)
        ...     bending = m.bushing(shaft.frame, disk.frame, stiffness=(25.0, 25.0, 400.0))
        ...     return m
        >>> found = fm.campbell(build, [0.0, 4.0, 8.0], 2)
        >>> (6.283185307 * found.signed_frequencies()).round(6).tolist()
        [[-5.0, 5.0], [-9.0, 1.0], [-13.0, -3.0]]
        """
        own = self.eigenvalues.imag * self._senses()
        rate = self._rate_of(axes)[:, None]
        circle, along = np.max(self.shares[..., :2], axis=2), self.shares[..., 2]
        seen = np.where(circle > CIRCLE, own - rate, np.where(along > CIRCLE, own, np.nan))
        return np.asarray(np.where(rate == 0.0, own, seen) / (2.0 * np.pi))

    def critical_speeds(self, orders: Sequence[float] | None = None, axes: str | None = None) -> list[CriticalSpeed]:
        """The speeds at which modes are excited, in ascending order: by unbalance, when no `orders` are given, or by
        loads of fixed direction in `axes` that repeat so many times a turn.

        Unbalance turns with the rotor. It meets forward whirling motion that goes round once a turn, and backward
        motion only on ellipses. `axes` are "ground" or "turning", or those of `eigenvalues` when not given: on the
        ground order 0 is weight, and order n a shaking force; on what turns along, order 0 is unbalance, and order n a
        stream at rest whose pattern a blade passes n times a turn.

        >>> import flexmb as fm
        >>> def build(speed):
        ...     m = fm.PlanarModel("Jeffcott")
        ...     shaft = m.add_body("shaft", mass=1.0, inertia=1.0)
        ...     bearing = m.revolute(m.ground, shaft.frame)
        ...     motor = m.drive_angle(m.ground, shaft.frame, fm.Polynomial([0.0, speed]))
        ...     disk = m.add_body("disk", mass=1.0, inertia=1.0)
        ...     bending = m.bushing(shaft.frame, disk.frame, stiffness=(25.0, 25.0, 400.0))
        ...     return m
        >>> found = fm.campbell(build, [0.0, 4.0, 8.0], 2)
        >>> [(round(c.speed, 6), c.whirl) for c in found.critical_speeds()]
        [(5.0, 'forward')]
        """
        rate, u = self._rate_of(axes), self._rate_of("turning")
        given = [] if orders is None else checks.several(orders, "orders", "critical_speeds")
        name = axes or ("turning" if self.turns else "ground")
        found: list[CriticalSpeed] = []
        for mode in range(self.eigenvalues.shape[1]):
            branch = self._branch(mode)
            if orders is None:
                met = branch.meetings(self.speeds, u, self._ground)
                found += [self._critical(1.0, mode, speed, "ground") for speed in met]
            for order in (checks.number(n, "orders", "critical_speeds") for n in given):
                turns = order * self.speeds
                if order == 0.0:
                    met = branch.meetings(self.speeds, rate, self._ground)
                elif not rate.any():
                    met = branch.swings_at(self.speeds, np.abs(turns), self._ground)
                else:
                    met = branch.swings_at(self.speeds, np.abs(turns), self._ground, along=True)
                    for load in (turns, -turns):
                        met += branch.meetings(self.speeds, rate + load, self._ground)
                found += [self._critical(order, mode, speed, name) for speed in met]
        return sorted(found, key=lambda c: c.speed)

    def plot(
        self,
        path: str | Path | None = None,
        *,
        orders: Sequence[float] | None = None,
        axes: str | None = None,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        x_label: str | None = None,
        y_label: str | None = None,
        ax: Any = None,
        background: str = "light",
    ) -> Figure:
        """Signed frequencies over speed with critical speeds and the lines of unbalance, or of `orders`, in `axes`, see
        :meth:`critical_speeds`; written to `path` when one is given, on a 'light' or 'dark' `background`; `title`;
        `labels` of branches, "mode 0" …; `x_label`, `y_label` of the axes; `ax`: axes of your own. The line of a branch
        is broken where it changes its sense other than through zero.

        >>> import flexmb as fm
        >>> def build(speed):
        ...     m = fm.PlanarModel("Jeffcott")
        ...     shaft = m.add_body("shaft", mass=1.0, inertia=1.0)
        ...     bearing = m.revolute(m.ground, shaft.frame)
        ...     motor = m.drive_angle(m.ground, shaft.frame, fm.Polynomial([0.0, speed]))
        ...     disk = m.add_body("disk", mass=1.0, inertia=1.0)
        ...     bending = m.bushing(shaft.frame, disk.frame, stiffness=(25.0, 25.0, 400.0))
        ...     return m
        >>> found = fm.campbell(build, [0.0, 4.0, 8.0], 2)
        >>> found.plot().axes[0].get_xlabel()
        'speed [rad/s]'
        """
        from flexmb.plots.figures import target
        from flexmb.plots.frequencies import campbell

        shown, rate = self.signed_frequencies(axes), self._rate_of(axes)
        if orders is None:
            lines = [1.0 if np.any(self._rate_of("turning") != rate) else 0.0]
        else:
            lines = [checks.number(n, "orders", "plot") for n in checks.several(orders, "orders", "plot")]
            lines += [-n for n in lines if n and np.any(shown < 0.0)]
        marks = []
        for c in self.critical_speeds(orders, axes):
            nearest = shown[int(np.argmin(np.abs(self.speeds - c.speed))), c.mode]
            height = c.frequency if orders is not None else lines[0] * c.speed / (2.0 * np.pi)
            marks.append((c.speed, -height if nearest < 0.0 else height))
        jumps = np.diff(np.sign(shown), axis=0) * np.diff(self._senses() * self.passed, axis=0) != 0.0
        name = "frequency"
        if self.turns or axes == "turning":
            name += " in axes of the ground" if axes == "ground" else " in axes that turn along"
        known = [*(f"mode {k}" for k in range(shown.shape[1])), "critical speed"]
        where = f"plot of Campbell diagram of {self.name!r}"
        said = words(self.name, known, where, title=title, labels=labels, x_label=x_label, y_label=y_label)
        return campbell(self.speeds, shown, marks, lines, name, said, target(path, ax, where), background, jumps)

    def __str__(self) -> str:
        kind = "in axes that turn along" if self.turns else "in axes of the ground"
        lines = [
            f"Campbell diagram of {self.name!r}: {len(self.speeds)} speeds, {self.eigenvalues.shape[1]} modes, {kind}"
        ]
        for speed, row, stable in zip(self.speeds, self.signed_frequencies(), self.stable):
            shown = "  ".join(f"{f:10.5g}" for f in row)
            lines.append(f"  {speed:10.5g} rad/s: {shown} Hz" + ("" if stable else "  unstable"))
        for c in self.critical_speeds():
            lines.append(f"  unbalance meets mode {c.mode} at {c.speed:.6g} rad/s ({c.frequency:.6g} Hz)")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Campbell({self.name!r}, {len(self.speeds)} speeds, {self.eigenvalues.shape[1]} modes)"

    def _repr_html_(self) -> str:
        head = ["speed [rad/s]", "stable", *(f"mode {k + 1} [Hz]" for k in range(self.eigenvalues.shape[1]))]
        rows = [(w, ok, *f) for w, ok, f in zip(self.speeds, self.stable, self.signed_frequencies())]
        critical = [(f"{c.speed:.6g}", c.mode + 1, c.frequency, c.whirl) for c in self.critical_speeds()]
        met = reports.table(["unbalance meets at [rad/s]", "mode", "frequency [Hz]", "whirl"], critical)
        return reports.report(str(self).split("\n", 1)[0], [], reports.table(head, rows), met)

    @property
    def _ground(self) -> np.ndarray:
        """The rates (k,) [rad/s] at which the axes of `eigenvalues` turn about the axis."""
        turns = [modes.rotation.turn if modes.rotation is not None else np.zeros(3) for modes in self.modes]
        return np.array(turns) @ self.axis

    def _rate_of(self, axes: str | None) -> np.ndarray:
        """The rates (k,) [rad/s] at which some axes turn against those of `eigenvalues`."""
        if axes is None:
            return np.zeros(len(self.speeds))
        checks.choice(axes, ("ground", "turning"), "axes", f"Campbell diagram of {self.name!r}")
        rate = (0.0 if axes == "ground" else self.speeds) - self._ground
        return np.asarray(np.where(np.abs(rate) > ROUNDING * np.abs(self.speeds), rate, 0.0))

    def _senses(self) -> np.ndarray:
        """1 where a mode with Im λ ≥ 0 goes round about the axis, −1 against it (k, c); where it hardly does, that of
        the nearest speed at which its branch does, and 1 if there is none."""
        senses = np.ones_like(self.whirl)
        along = self.whirl * self.passed
        for mode, whirl in enumerate(along.T):
            clear = np.flatnonzero(np.abs(whirl) >= WHIRLS)
            if len(clear):
                nearest = clear[np.argmin(np.abs(np.arange(len(whirl))[:, None] - clear), axis=1)]
                senses[:, mode] = np.sign(whirl[nearest]) * self.passed[:, mode]
        return senses

    def _branch(self, mode: int) -> Branch:
        """A branch, with the conjugates where its λ has passed zero."""
        values, parts, conjugate = self.eigenvalues[:, mode], self.shares[:, mode], self.passed[:, mode] < 0.0
        values = np.where(conjugate, values.conj(), values)
        parts = np.where(conjugate[:, None], parts[:, [1, 0, 2]], parts)
        return Branch(values, parts, ~self.stable)

    def _critical(self, order: float, mode: int, speed: float, axes: str) -> CriticalSpeed:
        goes = float(self.signed_frequencies("ground")[int(np.argmin(np.abs(self.speeds - speed))), mode])
        whirls = np.max(np.abs(self.whirl[:, mode])) >= WHIRLS and np.isfinite(goes) and goes * speed != 0.0
        whirl = ("forward" if goes * speed > 0.0 else "backward") if whirls else ""
        return CriticalSpeed(order, mode, speed, order * speed / (2.0 * np.pi), axes, whirl)


@answers_calls
@interruptible
@one_thread
def campbell(
    model: Callable[[float], Model | Equilibrium | State],
    speeds: Any,
    count: int = 6,
    *,
    t: float = 0.0,
    axis: Any = None,
    center: Vector | None = None,
    dense: bool | None = None,
    controllers: str = "refuse",
) -> Campbell:
    """Frequencies and damping of a rotor over its speed, and the sense in which its modes whirl.

    At every speed the equilibrium of steady rotation about the axis is found, then its complex modes in axes that turn
    along. From one speed to the next a branch goes on with the mode whose motion is most similar, in displacements and
    in speeds against the ground (:func:`flexmb.analyses.vibration.whirl.likeness_of`), so branches may cross, and a
    forward whirling motion stays one where its frequency in axes that turn along passes zero.

    Arguments: `build(speed)` gives the model whose rotor is driven at that speed [rad/s], with the same names and the
    same position at the time `t` [s] each time; `speeds` (k,) [rad/s], ascending; `count` of modes; `axis`, `center`
    of the rotation, see :func:`equilibrium` ("z" when not given, and for rotors the axis about which the fastest body
    spins); `dense`, `controllers` see :func:`complex_modes`.

    Where rotors spin in a frame that rests or turns at another speed, `build(speed)` gives the equilibrium itself:
    `fm.equilibrium(model, rotors={"disk": (0, 0, speed)})`. Frequencies are then those seen in the frame.

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

    A disk that spins in two bearings on springs: A λ² ± C Ω iλ + 2 k b² = 0 across its axis.

    >>> def disk(speed):
    ...     m = fm.SpatialModel("disk")
    ...     disk = m.add_body("disk", mass=1.0, inertia=(0.1, 0.1, 0.2))
    ...     for name, z in (("low", -0.1), ("high", 0.1)):
    ...         place, seat = disk.frame.attach(name, (0, 0, z)), m.ground.attach(f"{name} seat", (0, 0, z))
    ...         bearing = m.bushing(seat, place, stiffness=(500.0, 500.0, 500.0, 0, 0, 0))
    ...     return fm.equilibrium(m, rotors={"disk": (0, 0, speed)})
    >>> split = campbell(disk, [1.0, 10.0], 3)
    >>> np.roots([0.1, 10.0 * 0.2, -10.0]).round(6).tolist()
    [-24.142136, 4.142136]
    >>> np.sort(2 * np.pi * split.signed_frequencies()[1]).round(6).tolist()
    [-4.142136, 0.0, 24.142136]

    Jeffcott's rotor, a disk on a massless shaft of equal stiffness, ω² = k/m: unbalance is critical at Ω = ω.

    >>> def jeffcott(speed):
    ...     m = fm.PlanarModel("Jeffcott")
    ...     shaft = m.add_body("shaft", mass=1.0, inertia=1.0)
    ...     bearing = m.revolute(m.ground, shaft.frame)
    ...     motor = m.drive_angle(m.ground, shaft.frame, fm.Polynomial([0.0, speed]))
    ...     disk = m.add_body("disk", mass=1.0, inertia=1.0)
    ...     bending = m.bushing(shaft.frame, disk.frame, stiffness=(25.0, 25.0, 400.0))
    ...     return m
    >>> found = campbell(jeffcott, [0.0, 4.0, 8.0], 2)
    >>> (2 * np.pi * found.signed_frequencies()).round(6).tolist()
    [[-5.0, 5.0], [-9.0, 1.0], [-13.0, -3.0]]
    >>> [(round(c.speed, 6), c.whirl) for c in found.critical_speeds()]
    [(5.0, 'forward')]
    """
    where = "campbell"
    values = checks.row(speeds, "speeds", where)
    if len(values) < 2 or np.any(np.diff(values) <= 0.0):
        raise ModelError(f"{where}: give at least two speeds, in ascending order")
    count = checks.count(count, "count", where, 1)
    checks.function(model, "model", where, "speed")
    turned = "z" if axis is None else axis
    computed: list[ComplexModes] = []
    for speed in values:
        about = model(float(speed))
        if isinstance(about, Model):
            # at no speed, too, nothing need resist a turn
            given: dict[str, Any] = {"rotors": None if speed else {}, "controllers": controllers}
            about = equilibrium(about, t=t, spin=float(speed), axis=turned, center=center, **given)
        elif not isinstance(about, Equilibrium | State):
            raise ModelError(f"{where}: build({speed:g}) is {about!r}; give a model, an equilibrium or a state")
        system = state_of(about, where).system
        freedom = system.n - system.m
        wanted = max(count, min(count + SPARE, 2 * freedom))
        computed.append(complex_modes(about, wanted, dense=dense, controllers=controllers))
        if system.names != computed[0].state.system.names:
            raise ModelError(f"{where}: build({speed:g}) has other coordinates than build({values[0]:g})")
    direction = _axis(computed, values, axis, where)
    return _joined(values, [in_circles(modes, direction) for modes in computed], count, direction, where)


def _axis(computed: list[ComplexModes], speeds: np.ndarray, axis: Any, where: str) -> np.ndarray:
    """The direction (3,) about which a rotor turns at a positive speed."""
    if axis is not None:
        return unit_axis(axis, where, frame="'ground'")
    for modes, speed in zip(computed, speeds):
        found = axis_of(modes)
        if found is not None and speed:
            return found * np.sign(speed)
    return UPWARD


def _joined(speeds: np.ndarray, computed: list[ComplexModes], count: int, axis: np.ndarray, where: str) -> Campbell:
    """Modes at all speeds, joined to branches."""
    likeness, passed = np.ones((2, len(speeds), count))
    shares = np.empty((len(speeds), count, 3))
    ordered: list[ComplexModes] = []
    for k, (speed, modes) in enumerate(zip(speeds, computed)):
        if len(modes) < count:
            raise ModelError(
                f"{where}: at {speed:g} rad/s there are {len(modes)} modes, since conjugate and rigid ones are counted "
                "once; ask for as many"
            )
        place = np.arange(count)
        if ordered:
            same, conjugate, like = likeness_of(ordered[-1], modes)
            # where a branch divides into one that grows and one that decays, it goes on with the first
            branch, place = linear_sum_assignment(-same - GROWING_FIRST * (modes.eigenvalues.real > 0.0))
            likeness[k] = like[branch, place]
            passed[k] = passed[k - 1] * np.where(conjugate[branch, place], -1.0, 1.0)
        shares[k] = shares_of(modes, axis)[place]
        eigenvalues, shapes = modes.eigenvalues[place], modes.shapes[:, place]
        rigid, round_off = modes.rigid[place], modes.round_off[place]
        ordered.append(replace(modes, eigenvalues=eigenvalues, shapes=shapes, rigid=rigid, round_off=round_off))
    eigenvalues = np.array([modes.eigenvalues for modes in ordered])
    stable = np.array([modes.stable for modes in computed])
    return Campbell(ordered[0].name, speeds, eigenvalues, likeness, ordered, axis, shares, stable, passed)
