"""Runs that diverge under sampled controllers: when such a run is stopped between two instants, and messages that name
the controller, the growth of its commands and a remedy.

:class:`flexmb.feedback.controller.Controller` describes when growing commands stop a run at an instant. That takes four
instants. Commands that grow a hundredfold from one to the next drive a mechanism so fast in this time that a run takes
most of its steps between two of them. So the last commands are also checked after each segment of a run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.feedback.controller import Controller
from flexmb.solvers.runs.run import Run
from flexmb.solvers.runs.solution_of_run import logs_of
from flexmb.system.sampling import COMMANDS, GROWTH, LOG_AT, LOGGED, PERIOD, SENSORS, Sampling

#: Commands are checked only after they were held for more than MANY steps, since fewer cost little time. Noise of
#: sensors makes commands grow by chance, but not the speeds: these have to grow by FASTER while the command is held.
MANY, FASTER = 3000, 2.0
#: A loop is unstable if its commands change their sign from instant to instant, each ALTERNATING times the one before,
#: and the mechanism moves by ALREADY of `runaway` in a period.
ALTERNATING, ALREADY = 2.0, 0.1
#: A loop is also unstable if its commands grow by this factor twice in succession, or once with a change of sign.
SUDDEN = GROWTH**2


class Growth(NamedTuple):
    """Growth of a controller's commands over its last instants."""

    controller: Controller
    first: float
    last: float
    instants: int
    alternating: bool

    def __str__(self) -> str:
        signs = ", of alternating sign" if self.alternating else ""
        return (
            f"the commands of {self.controller.where} grew from {self.first:.2g} to {self.last:.2g} in "
            f"{self.instants} instants{signs}"
        )

    @property
    def advice(self) -> str:
        """What may make the loop stable, in words."""
        period = f"a period shorter than {self.controller.period:g} s"
        if self.alternating:
            return f"the gains are too large for the period: take smaller ones, or {period}"
        return f"look at the sign of its gains; if that is right, take smaller ones, or {period}"


class LoopWatch:
    """Detects an unstable control loop after each segment of a run, from its last commands and speeds."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._instants, self._steps, self._at_first = -1, 0, 0.0

    def unstable(self, v: np.ndarray, steps: int) -> int:
        """Index of a controller whose loop is unstable at speeds v (n,), after a segment of so many `steps`; −1 if
        there is none."""
        s = self.run.sampling
        if not len(s.controllers):
            return -1
        instants = int(s.controllers[:, LOGGED].sum())
        if instants != self._instants:
            self._instants, self._steps, self._at_first = instants, 0, _largest_rate(self.run, v)
            return -1
        self._steps += steps
        if self._steps <= MANY or (fastest := _largest_rate(self.run, v)) < FASTER * self._at_first:
            return -1
        for number, controller in enumerate(self.run.system.model.controllers.values()):
            if controller.runaway is None or s.controllers[number, LOGGED] < 2:
                continue
            moved = fastest * s.times[number, PERIOD] / controller.runaway
            u = _last_commands(s, number)
            signs = _alternate(u)
            if moved > ALREADY and len(u) == 3 and np.any(_grow_by(u, ALTERNATING) & signs):
                return number
            if moved > 1.0 and np.any(_grow_by(u, SUDDEN) & (signs | (len(u) == 3))):
                return number
        return -1


def _last_commands(s: Sampling, number: int) -> np.ndarray:
    """The last commands (up to 3, commands) of a controller."""
    row = s.controllers[number]
    end, first = row[LOG_AT] + row[LOGGED], 1 + row[SENSORS]
    return s.log[end - min(3, row[LOGGED]) : end, first : first + row[COMMANDS]]


def _largest_rate(run: Run, v: np.ndarray) -> float:
    """The fastest displacement or rotation in the speeds v (n,), in lengths of the model or radians a second."""
    measures = run.system.assembly.free.measures
    moves = [k for k in range(run.system.n) if measures[k] in ("length", "angle")]
    return float(np.max(np.abs(v[moves]) / run.system.scale[moves], initial=0.0))


def _grow_by(u: np.ndarray, factor: float) -> np.ndarray:
    """Whether each of the commands (k, …) is at least `factor` times the one before."""
    size = np.abs(u)
    return np.all((size[:-1] > 0.0) & (size[1:] >= factor * size[:-1]), axis=0)


def _alternate(u: np.ndarray) -> np.ndarray:
    """Whether commands (k, …) change their sign from each to the next."""
    return np.all(u[1:] * u[:-1] < 0.0, axis=0)


def runaway_message(run: Run) -> str:
    """Message for a run that was stopped because commands grow."""
    c = list(run.system.model.controllers.values())[int(run.sampling.failed[1])]
    moves = _largest_rate(run, run.v) * c.period
    return (
        f"{_worst(run) or f'the commands of {c.where} grow'}; the mechanism moves by {moves:.2g} times its size, or "
        "radians, in a period (set the controller's runaway to None to let it go on)"
    )


def failure_message(run: Run) -> str:
    """Message for a run that ended at an instant of a controller, since it commanded no finite numbers, or an angle
    that it reads is ambiguous; with the growth of commands, if they grow."""
    worst = _worst(run)
    grown = f"; {worst}" if worst else ""
    number = int(run.sampling.sensors.doubtful[0])
    for controller in run.system.model.controllers.values():
        if 0 <= number < len(controller.sensors):
            return f"{controller.where}: {controller.sensors[number].in_doubt(controller.period)}{grown}"
        number -= len(controller.sensors)
    names = list(run.system.model.controllers)
    return f"controller {names[int(run.sampling.failed[0])]!r} commands NaN or infinity{grown}"


def controllers_hint(run: Run) -> str:
    """Hint that controllers may be the reason that a motion cannot be followed; empty without controllers."""
    names = [repr(name) for name in run.system.model.controllers]
    if not names:
        return ""
    hint = f"it is driven by sampled control ({', '.join(names)}), whose gains or periods may be too large"
    return f"; {_worst(run) or hint}"


def _worst(run: Run) -> str:
    """The growth of the largest commands, with a remedy, in words; empty when none grow."""
    found = [g for g in (growth(run, c) for c in run.system.model.controllers.values()) if g]
    if not found:
        return ""
    worst = max(found, key=lambda g: g.last)
    others = [g.controller.where for g in found if g is not worst]
    too = f" (and those of {', '.join(others)} with them)" if others else ""
    return f"{worst}{too}: the loop is unstable; {worst.advice}"


def growth(run: Run, controller: Controller) -> Growth | None:
    """The growth of a controller's commands up to the end of a run, None if they do not grow: over the shortest windows
    in which the largest command grew by GROWTH twice in succession, or by ALTERNATING from instant to instant."""
    log = logs_of(run)[controller.name]
    k = int(np.argmax(np.max(np.abs(log.u), axis=0))) if len(log.u) else 0
    u = log.u[:, k]
    size = np.abs(u)
    if len(u) == 2 and _grow_by(u, SUDDEN) and _alternate(u):
        return Growth(controller, float(size[0]), float(size[1]), 2, True)
    n = 1
    while 3 * n <= len(u):
        windows = [size[len(u) - (j + 1) * n : len(u) - j * n] for j in range(3)]
        w2, w1, w0 = (float(np.max(w)) for w in windows)
        factor = ALTERNATING if n == 1 and _alternate(u[-3:]) else GROWTH
        if w0 > 0.0 and w1 >= factor * w0 and w2 >= factor * w1:
            start = _start(size, n, factor)
            signs = np.sign(u[start:])
            alternating = bool(np.all(signs[1:] * signs[:-1] < 0.0))
            return Growth(controller, float(size[start]), float(size[-n:].max()), len(u) - start, alternating)
        n *= 2
    return None


def _start(size: np.ndarray, n: int, factor: float) -> int:
    """The instant since which the largest command has grown by `factor` from each window of n instants to the next."""
    end = len(size)
    while end >= 2 * n and size[end - n : end].max() >= factor * size[end - 2 * n : end - n].max() > 0.0:
        end -= n
    first = end - n
    return first + int(np.argmax(size[first:end]))
