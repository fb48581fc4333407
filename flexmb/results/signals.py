"""What sampled controllers read and commanded: signals that stay constant from one instant to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import given_names, given_times
from flexmb.model.hints import AnswersCalls
from flexmb.plots.words import chosen_units, in_unit, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: the unit of a signal when a file says none
UNKNOWN_UNIT = "?"


class Instants(NamedTuple):
    """Times t (k,) [s] of the instants of a controller, readings y (k, sensors) and commands u (k, commands)."""

    t: np.ndarray
    y: np.ndarray
    u: np.ndarray


@dataclass(frozen=True, eq=False)
class ControllerState:
    """Where a controller stands at a time `t` [s], all that it takes to go on from there.

    `period`, `delay` [s]; the time `first` [s] of its instant number 0, and the number `instants` of the next one;
    `sent`: the instants whose commands are on their way, `pending` in number, and before them the one whose command is
    held, if one has taken effect; `memory` (p,) of the law; `counted` (sensors, 7): angles by which sensors count
    turns, see :mod:`flexmb.system.readings`; `growth`: the largest commands of late; `noise`: the state of the noise
    of all controllers, an integer; `token`: the run whose instants a function in Python has seen last, which is known
    in the session of that run.
    """

    t: float
    period: float
    delay: float
    first: float
    instants: int
    sent: Instants
    pending: int
    memory: np.ndarray
    counted: np.ndarray
    growth: np.ndarray
    noise: int
    token: Any = None


@dataclass(frozen=True, eq=False)
class ControlLog(metaclass=AnswersCalls):
    """What a controller read and commanded: times `t` (k,) [s], readings `y` (k, sensors), commands `u` (k, commands);
    names of `sensors` and `commands`, and their units; `delay` [s] from reading to command; `places` (p,) among the
    parameters of a system's kernels that the commands act on, and the number of the command of each. Of a run that went
    on from another one (`simulate(…, initial=solution)`), `earlier` are the instants before it whose commands are held
    or on their way when it begins. `state`: where the controller stands at the end of the run.

    `log["motor"]` is a column by name, see :attr:`signals`. For a controller 'servo', a solution has the same signal as
    'servo.motor', at the solution's own times.

    >>> t = np.array([0.0, 0.1, 0.2])
    >>> y, u = np.array([[3.0], [2.0], [1.0]]), np.array([[-6.0], [-4.0], [-2.0]])
    >>> log = ControlLog("servo", t, y, u, ["angle of arm"], ["motor"], 0.05, ["rad"], ["Nm"])
    >>> log.signals, log["motor"].tolist()
    (['angle of arm', 'motor'], [-6.0, -4.0, -2.0])
    >>> log.at("motor", np.array([0.04, 0.06, 0.14])).tolist()
    [0.0, -6.0, -6.0]
    """

    name: str
    t: np.ndarray
    y: np.ndarray
    u: np.ndarray
    sensors: list[str]
    commands: list[str]
    delay: float = 0.0
    sensor_units: list[str] = field(default_factory=list)
    command_units: list[str] = field(default_factory=list)
    places: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    command_of_place: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    earlier: Instants | None = field(default=None, repr=False)
    state: ControllerState | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"ControlLog({self.name!r}, {len(self.t)} instants, reads {self.sensors}, commands {self.commands})"

    @property
    def where(self) -> str:
        """The log as messages name it."""
        return f"controller {self.name!r}"

    @property
    def signals(self) -> list[str]:
        """Names of all signals: those of the sensors, then those of the commands. If two sensors have the same name the
        second one gets a number: 'reference', 'reference 2'."""
        names: list[str] = []
        for name in self.sensors:
            names.append(given_names.numbered(name, [*names, *self.commands]))
        return [*names, *self.commands]

    def unit(self, signal: str) -> str:
        """The unit of a signal.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("wheel")
        >>> wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
        >>> axle = m.revolute(m.ground, wheel.frame)
        >>> motor = m.point_torque(wheel.frame, 0.0, name="motor")
        >>> sensors = [fm.control.RelativeRate(m.ground, wheel.frame), fm.control.Reference(1.0)]
        >>> servo = m.add_controller("servo", period=0.01, sensors=sensors, commands=motor, law=[[-4.0, 4.0]])
        >>> log = fm.simulate(m, 0.1, step=0.01).control["servo"]
        >>> log.unit("motor")
        'Nm'
        """
        units = [*self.sensor_units, *self.command_units]
        return units[self._number(signal)] if units else UNKNOWN_UNIT

    @property
    def acting(self) -> Instants:
        """The instants of the run, and before them the `earlier` ones."""
        own = Instants(self.t, self.y, self.u)
        return own if self.earlier is None else Instants(*map(np.concatenate, zip(self.earlier, own)))

    def __getitem__(self, signal: str) -> np.ndarray:
        k = self._number(signal)
        return self.y[:, k] if k < len(self.sensors) else self.u[:, k - len(self.sensors)]

    def at(self, signal: str, times: Any) -> np.ndarray:
        """The value held from each of the times (n,) [s] on: the last reading, or the last command that has come into
        effect. Before the first one a reading is NaN and a command is 0.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("wheel")
        >>> wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
        >>> axle = m.revolute(m.ground, wheel.frame)
        >>> motor = m.point_torque(wheel.frame, 0.0, name="motor")
        >>> sensors = [fm.control.RelativeRate(m.ground, wheel.frame), fm.control.Reference(1.0)]
        >>> servo = m.add_controller("servo", period=0.01, sensors=sensors, commands=motor, law=[[-4.0, 4.0]])
        >>> log = fm.simulate(m, 0.1, step=0.01).control["servo"]
        >>> log.at("motor", [0.0, 0.055]).round(3).tolist()
        [4.0, 3.261]
        """
        k = self._number(signal)
        last = self._last_instant(given_times.times(times, "t", self.where), self._delay_of(signal))
        before = 0.0 if signal in self.commands else np.nan
        values = np.concatenate(self.acting[1:], axis=1)[:, k]
        return np.where(last >= 0, np.append(values, before)[last], before)

    def course(self, signal: str, begin: float, end: float) -> tuple[np.ndarray, np.ndarray]:
        """Times and values of a signal as a line in a picture, with both sides of every jump.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("wheel")
        >>> wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
        >>> axle = m.revolute(m.ground, wheel.frame)
        >>> motor = m.point_torque(wheel.frame, 0.0, name="motor")
        >>> sensors = [fm.control.RelativeRate(m.ground, wheel.frame), fm.control.Reference(1.0)]
        >>> servo = m.add_controller("servo", period=0.01, sensors=sensors, commands=motor, law=[[-4.0, 4.0]])
        >>> log = fm.simulate(m, 0.1, step=0.01).control["servo"]
        >>> t, torque = log.course("motor", 0.0, 0.03)
        >>> t.round(9).tolist()
        [0.0, 0.01, 0.01, 0.02, 0.02, 0.03]
        """
        t = self.t + self._delay_of(signal)
        inside = (t > begin) & (t < end)
        corners = np.concatenate([[begin], t[inside], [end]])
        values = np.concatenate([self.at(signal, np.array([begin])), self[signal][inside]])
        return np.repeat(corners, 2)[1:-1], np.repeat(values, 2)

    def held_commands(self, t: np.ndarray, *, until: bool = False) -> np.ndarray:
        """The commands (k, p) held from the times (k,) on, or `until` then, at each of the `places`.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("wheel")
        >>> wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
        >>> axle = m.revolute(m.ground, wheel.frame)
        >>> motor = m.point_torque(wheel.frame, 0.0, name="motor")
        >>> sensors = [fm.control.RelativeRate(m.ground, wheel.frame), fm.control.Reference(1.0)]
        >>> servo = m.add_controller("servo", period=0.01, sensors=sensors, commands=motor, law=[[-4.0, 4.0]])
        >>> log = fm.simulate(m, 0.1, step=0.01).control["servo"]
        >>> import numpy as np
        >>> log.held_commands(np.array([0.0, 0.055])).round(3).tolist()
        [[4.0], [3.261]]
        >>> log.held_commands(np.array([0.0]), until=True).tolist()
        [[0.0]]
        """
        last = self._last_instant(t, self.delay, before=until)
        u = np.concatenate([self.acting.u, np.zeros((1, len(self.commands)))])  # before the first: zero
        commands = u[last]
        return commands[:, self.command_of_place]

    def plot(
        self,
        *signals: str,
        path: str | Path | None = None,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        x_label: str | None = None,
        y_label: str | Sequence[str] | None = None,
        units: Mapping[str, str] | None = None,
        ax: Any = None,
        background: str = "light",
    ) -> Figure:
        """Signals over time, held from instant to instant, one panel a unit: those named, or all. It is written to
        `path` when one is given, on a 'light' or 'dark' `background`; `labels`: texts that replace names of signals;
        `title`; `x_label` and `y_label` (one for each panel, from above) of the axes; `units`: deg, rpm, mm …, by the
        name of a signal or by a unit of the SI.
        `ax`: axes of your own to draw on, one for each panel from above.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("wheel")
        >>> wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
        >>> axle = m.revolute(m.ground, wheel.frame)
        >>> motor = m.point_torque(wheel.frame, 0.0, name="motor")
        >>> sensors = [fm.control.RelativeRate(m.ground, wheel.frame), fm.control.Reference(1.0)]
        >>> servo = m.add_controller("servo", period=0.01, sensors=sensors, commands=motor, law=[[-4.0, 4.0]])
        >>> log = fm.simulate(m, 0.1, step=0.01).control["servo"]
        >>> len(log.plot().axes)
        3
        """
        from flexmb.plots.figures import target
        from flexmb.plots.histories import histories

        where = f"plot of {self.where}"
        if len(self.t) == 0:
            raise ModelError(f"{self.where}: it has read and commanded nothing; its run ended before")
        begin = float(self.t[0])
        end = float(self.t[-1]) + float(np.median(np.diff(self.t)) if len(self.t) > 1 else 0.0)
        chosen, lines = chosen_units(units, self.signals, where), []
        for name in signals or self.signals:
            unit, factor = in_unit(name, self.unit(name), chosen, where)
            t, values = self.course(name, begin, end)
            lines.append((unit, name, t, factor * values))
        given = {"title": title, "labels": labels, "x_label": x_label, "y_label": y_label}
        said = words(self.name, [name for _, name, *_ in lines], where, **given)
        return histories(lines, "t [s]", said, target(path, ax, where), background)

    def _delay_of(self, signal: str) -> float:
        """The time from an instant until its value of the signal takes effect [s]."""
        return self.delay if signal in self.commands else 0.0

    def _last_instant(self, t: np.ndarray, delay: float, before: bool = False) -> np.ndarray:
        """The number of the last instant whose value has taken effect at times (n,), or `before` these, −1 before the
        first one. The comparison of times allows for rounding."""
        own = self.acting.t
        room = 1e-5 * np.min(np.diff(own), initial=np.inf) if len(own) > 1 else 0.0
        near = room + 1e-15 * np.abs(t)
        if before:
            return np.searchsorted(own + delay, t - near, side="left") - 1
        return np.searchsorted(own + delay, t + near, side="right") - 1

    def _number(self, signal: str) -> int:
        if not isinstance(signal, str) or signal not in self.signals:
            raise given_names.unknown(signal, self.signals, "signal", self.where)
        return self.signals.index(signal)


class Logs(dict[str, ControlLog]):
    """The logs of controllers by name."""

    def __getitem__(self, name: str) -> ControlLog:
        if not isinstance(name, str) or name not in self:
            raise given_names.unknown(name, self, "controller", "solution.control")
        return super().__getitem__(name)


def held_commands(
    logs: Sequence[ControlLog], times: np.ndarray, *, until: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The places (p,) among the parameters of a system's kernels that controllers command, and what they hold there
    (k, p) from each of the times (k,) on, or `until` then."""
    if not logs or not len(times):
        return np.zeros(0, dtype=np.int64), np.zeros((len(times), 0))
    held = [log.held_commands(times, until=until) for log in logs]
    return np.concatenate([log.places for log in logs]), np.concatenate(held, axis=1)
