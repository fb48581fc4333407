"""The quantities that events watch, evaluated in one state: quantities by name, sensors, and functions of Python."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.errors import KernelError, ModelError, NamingError
from flexmb.forces.spatial.python_force import FrameState
from flexmb.model import checks
from flexmb.model.events import Crossing
from flexmb.model.model import Model
from flexmb.results import names
from flexmb.results.layout import Layout
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.solvers.events.quick_quantities import Quick, motion, quick
from flexmb.system.system import System

#: Quantities of a planar joint with one degree of freedom.
_OF_JOINTS = ("angle", "position", "rate")
#: Energies that a single state has.
_ENERGIES = ("energy.kinetic", "energy.strain", "energy.potential")
#: Beginnings of the names of what depends on loads.
_OF_LOADS = ("whole.zmp", "whole.load", "whole.margin")


class OneState:
    """Makes a solution with one time out of a state of a system, in which quantities are found by name. It has its own
    copy of the system, since the run uses the arrays of the original."""

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
    """An angle counted through full turns: of its possible values, the one nearest to that predicted from the last
    value and the rates."""

    t: float = 0.0
    angle: float = np.nan
    rate: float = 0.0

    def counted(self, t: float, angle: float, rate: float) -> float:
        """The counted angle [rad] at time t [s], from an `angle` known up to full turns and its rate [rad/s]."""
        if not np.isnan(self.angle):
            expected = self.angle + 0.5 * (t - self.t) * (rate + self.rate)
            angle += 2.0 * np.pi * round((expected - angle) / (2.0 * np.pi))
        self.t, self.angle, self.rate = t, angle, rate
        return angle


@dataclass
class Quantity:
    """The quantity of a crossing minus the value to be crossed, in a solution with one time; it counts full turns of
    angles."""

    crossing: Crossing
    where: str
    turns: Turns = field(default_factory=Turns)
    before: Any = None  # memory of a sensor, passed from one reading to the next
    quick: Quick | None = None

    def of(self, solution: Solution) -> float:
        """The number at the time of the solution."""
        quantity = self.crossing.quantity
        if isinstance(quantity, str):
            return self._named(solution, quantity) - self.crossing.value
        if hasattr(quantity, "readings"):
            if quantity.turning:
                return self._named(solution, quantity.turning) + quantity.bias - self.crossing.value
            value, self.before = quantity.counted(solution, self.before)
            return float(value) - self.crossing.value
        return self._number(self._by_function(solution)) - self.crossing.value

    def at_once(self, t: float, q: np.ndarray, v: np.ndarray) -> float:
        """The number at a state, directly from its coordinates and speeds."""
        assert self.quick is not None
        return self._number(self.quick(t, q, v)) - self.crossing.value

    def _number(self, given: Any) -> float:
        try:
            return float(given)
        except (TypeError, ValueError):
            raise KernelError(f"{self.where}: its function gave {checks.quoted(given)}; give one number") from None

    def bind(self, state: OneState) -> None:
        """Bind to the system, so that the quantity can be evaluated directly from a state if possible."""
        model = state.system.model
        self.quick = quick(self.crossing, state.system, state.layout)
        if self.quick is None and isinstance(self.crossing.quantity, str):
            self.quick = _planar_joint(state.layout, model, self.crossing.quantity)

    def check(self, solution: Solution) -> None:
        """Refuse names that the solution does not have."""
        quantity = self.crossing.quantity
        if not isinstance(quantity, str):
            return
        cumulative = quantity.startswith("energy.") and quantity not in _ENERGIES
        assert solution.model is not None
        if cumulative or quantity.partition(".")[0] in solution.model.controllers:
            raise ModelError(
                f"{self.where}: {quantity!r} is no quantity of a state; of energies there are {', '.join(_ENERGIES)}"
            )
        if quantity.startswith(_OF_LOADS):
            _refuse_commanded_loads(solution.model, quantity, self.where)
        if self.quick is None and names.find_series(solution, quantity) is None:
            raise NamingError(f"{self.where}: {names.unknown_name(solution, quantity, series=True)}")

    def _named(self, solution: Solution, name: str) -> float:
        series = names.find_series(solution, name)
        assert series is not None
        value = float(series.values[0])
        if solution.layout.dimension == 3 and name.rpartition(".")[2] in ("angle", "angle1", "angle2"):
            rate = names.find_series(solution, f"{name}_rate")
            return self.turns.counted(float(solution.t[0]), value, float(rate.values[0]) if rate else 0.0)
        return value

    def _by_function(self, solution: Solution) -> Any:
        """The value of a function of frames in space."""
        tracks = [solution.track(frame.name) for frame in self.crossing.frames]
        frames = [(x.position, x.orientation.as_matrix(), x.velocity, x.angular_velocity) for x in tracks]
        return self.crossing.quantity(float(solution.t[0]), *(FrameState(*(x[0] for x in frame)) for frame in frames))


def _refuse_commanded_loads(model: Model, quantity: str, where: str) -> None:
    """Refuse a quantity that takes loads apart from what carries the mechanism, where controllers command loads."""
    for controller in model.controllers.values():
        for load in (model.components[name] for name in controller.commands):
            if load.external:
                raise ModelError(
                    f"{where}: {quantity!r} depends on loads, and controller {controller.name!r} commands "
                    f"{load.where}, whose command an event does not know; command a motor or a force between two frames"
                )


def _planar_joint(layout: Layout, model: Model, name: str) -> Quick | None:
    """A function for a quantity of a planar joint, b relative to a: its angle [rad], zero in the position in which the
    model is drawn, its rate, or the position [m] of a slider; None for other names."""
    joint, _, what = name.rpartition(".")
    pair = layout.pairs.get(joint)
    if layout.dimension != 2 or pair is None or what not in _OF_JOINTS or not layout.rows_of(joint):
        return None
    place_a, place_b = layout.frames[pair.a], layout.frames[pair.b]
    if pair.axis is None:
        drawn = model.frames[pair.b].angle - model.frames[pair.a].angle

        def turned(t: float, q: np.ndarray, v: np.ndarray) -> float:
            (a, rate_a), (b, rate_b) = motion(place_a, q, v), motion(place_b, q, v)
            return float(b[2] - a[2] - drawn if what == "angle" else rate_b[2] - rate_a[2])

        return None if what == "position" else turned
    c, s = math.cos(pair.axis), math.sin(pair.axis)  # type: ignore[arg-type]

    def slid(t: float, q: np.ndarray, v: np.ndarray) -> float:
        (a, speed_a), (b, speed_b) = motion(place_a, q, v), motion(place_b, q, v)
        ex, ey = turn(c, s, a[2])
        along = (b[0] - a[0]) * ex + (b[1] - a[1]) * ey
        if what == "position":
            return along
        across = (b[1] - a[1]) * ex - (b[0] - a[0]) * ey
        return (speed_b[0] - speed_a[0]) * ex + (speed_b[1] - speed_a[1]) * ey + speed_a[2] * across

    return None if what == "angle" else slid


def turn(x: float, y: float, angle: float) -> tuple[float, float]:
    """The vector (x, y), given in the axes of a frame turned by `angle`, in ground axes."""
    c, s = math.cos(angle), math.sin(angle)
    return c * x - s * y, s * x + c * y
