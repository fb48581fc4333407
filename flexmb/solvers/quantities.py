"""The numbers that events watch: quantities by name, sensors, and functions of Python, of one state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.errors import KernelError, ModelError, NamingError
from flexmb.forces.spatial.python_force import FrameState
from flexmb.model import checks
from flexmb.model.events import Crossing
from flexmb.results import names
from flexmb.results.layout import Layout
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.results.track import seen_from
from flexmb.system.system import System

#: quantities of a joint in the plane with one freedom
_OF_JOINTS = ("angle", "position", "rate")
#: parts of the ledger that a state has
_ENERGIES = ("energy.kinetic", "energy.strain", "energy.potential")


class OneState:
    """States of a system as solutions of one time, which know their quantities by name. The system has arrays of its
    own, since the run works with those of the other."""

    def __init__(self, system: System) -> None:
        self.system = system
        own = system.whole.with_rows(system.whole.kept)
        self.layout, self.source = Layout.of(own), SystemSource(own)

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> Solution:
        s = self.system
        rows = self.system.for_all_rows(lam[None, : s.m])
        return Solution(
            self.layout, self.source, np.array([t]), q[None, : s.nq].copy(), v[None, : s.n].copy(),
            a[None, : s.n].copy(), rows, model=s.model,
        )  # fmt: skip


@dataclass
class Turns:
    """Angles through all turns: each is taken for the one that is nearest to what the last one and the rates say."""

    t: float = 0.0
    angle: float = np.nan
    rate: float = 0.0

    def counted(self, t: float, angle: float, rate: float) -> float:
        """An angle that is known up to whole turns."""
        if not np.isnan(self.angle):
            expected = self.angle + 0.5 * (t - self.t) * (rate + self.rate)
            angle += 2.0 * np.pi * round((expected - angle) / (2.0 * np.pi))
        self.t, self.angle, self.rate = t, angle, rate
        return angle


@dataclass
class Quantity:
    """The number of a crossing less its value, of a solution of one time; it keeps how often angles have turned."""

    crossing: Crossing
    where: str
    turns: Turns = field(default_factory=Turns)

    def of(self, solution: Solution) -> float:
        """The number at the solution's time."""
        quantity = self.crossing.quantity
        if isinstance(quantity, str):
            return self._named(solution, quantity) - self.crossing.value
        if hasattr(quantity, "readings"):
            return float(quantity.readings(solution)[0]) - self.crossing.value
        return self._by_function(solution) - self.crossing.value

    def check(self, solution: Solution) -> None:
        """Refuse a name that nothing has."""
        quantity = self.crossing.quantity
        if not isinstance(quantity, str):
            return
        cumulative = quantity.startswith("energy.") and quantity not in _ENERGIES
        assert solution.model is not None
        if cumulative or quantity.partition(".")[0] in solution.model.controllers:
            raise ModelError(
                f"{self.where}: {quantity!r} is no quantity of a state; of energies there are {', '.join(_ENERGIES)}"
            )
        if _planar_joint(solution, quantity) is None and names.find_series(solution, quantity) is None:
            raise NamingError(f"{self.where}: {names.unknown_name(solution, quantity, series=True)}")

    def _named(self, solution: Solution, name: str) -> float:
        joint = _planar_joint(solution, name)
        if joint is not None:
            return joint(solution)
        series = names.find_series(solution, name)
        assert series is not None
        value = float(series.values[0])
        if solution.layout.dimension == 3 and name.rpartition(".")[2] in ("angle", "angle1", "angle2"):
            rate = names.find_series(solution, f"{name}_rate")
            return self.turns.counted(float(solution.t[0]), value, float(rate.values[0]) if rate else 0.0)
        return value

    def _by_function(self, solution: Solution) -> float:
        tracks = [solution.track(frame.name) for frame in self.crossing.frames]
        t = float(solution.t[0])
        if solution.layout.dimension == 3:
            states = [
                FrameState(x.position[0], x.orientation[0].as_matrix(), x.velocity[0], x.angular_velocity[0])
                for x in tracks
            ]
            result = self.crossing.quantity(t, *states)
        else:
            places = [(float(x.x[0]), float(x.y[0]), float(x.angle[0])) for x in tracks]
            speeds = [(float(x.vx[0]), float(x.vy[0]), float(x.angular_velocity[0])) for x in tracks]
            one = len(tracks) == 1
            result = self.crossing.quantity(t, places[0] if one else tuple(places), speeds[0] if one else tuple(speeds))
        try:
            return float(result)
        except (TypeError, ValueError):
            raise KernelError(f"{self.where}: its function gave {checks.quoted(result)}; give one number") from None


def _planar_joint(solution: Solution, name: str) -> Callable[[Solution], float] | None:
    """What measures a quantity of a joint in the plane, b against a: its angle, zero in the position in which the model
    is drawn, or a slider's position; None for other names."""
    layout = solution.layout
    joint, _, what = name.rpartition(".")
    pair = layout.pairs.get(joint)
    if layout.dimension != 2 or pair is None or what not in _OF_JOINTS or not layout.rows_of(joint):
        return None
    if pair.axis is None:
        if what == "position":
            return None
        assert solution.model is not None
        frames = solution.model.frames
        column = "angle" if what == "angle" else "angular_velocity"
        drawn = _angle(frames[pair.b]) - _angle(frames[pair.a]) if what == "angle" else 0.0

        def turned(s: Solution) -> float:
            b, a = (getattr(s.track(frame), column)[0] for frame in (pair.b, pair.a))
            return float(b - a - drawn)

        return turned
    axis = float(pair.axis)  # type: ignore[arg-type]

    def slid(s: Solution) -> float:
        seen = seen_from(s.track(pair.b), s.track(pair.a))
        x = seen.velocity[0] if what == "rate" else seen.position[0]
        return float(np.cos(axis) * x[0] + np.sin(axis) * x[1])

    return None if what == "angle" else slid


def _angle(frame: Any) -> float:
    """The angle of a frame in the plane as it is drawn."""
    return float(frame.angle)
