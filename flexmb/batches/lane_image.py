"""A bound run before it begins, as the image from which lanes are made."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from flexmb.formulations.binding import Bound as BoundFormulation
from flexmb.formulations.binding import bound_at
from flexmb.formulations.tree.masses import MassesAgain
from flexmb.kernels.images import Image
from flexmb.kernels.variables import Variables
from flexmb.solvers.binding.bound import METHODS, Bound
from flexmb.solvers.binding.initial_state import state_of
from flexmb.solvers.coordinates.coordinates import JOINTS
from flexmb.solvers.march.driver import Driver
from flexmb.solvers.one_run import Asked, placed
from flexmb.solvers.rows.singular_value import any_combination
from flexmb.solvers.runs.run import Run
from flexmb.system.system import System

#: where in loops and in joint motions the scale of masses stands, as numbers
MASS_SCALES = ("mass", "options.mass", "coordinates.joints.unit")


class Constants(NamedTuple):
    """Numbers of a member that has other constants than the image: its parameters `p`, at the `places` in those of all
    components; the scale of its masses [kg]; and the `masses` of the links of its tree, if it moves in joint
    coordinates."""

    places: np.ndarray
    p: np.ndarray
    mass_scale: float
    masses: MassesAgain | None


class NoLaneError(Exception):
    """A run cannot be in a lane; says why. Caught inside flexmb: such a run goes by the ordinary driver."""


class _Ready(BaseException):
    """Raised and caught inside :class:`LaneImage`: the driver of a run is about to begin."""


class _AtTheBeginning:
    """Ends a run when its driver is about to begin, and keeps the driver."""

    def __init__(self) -> None:
        self.driver: Driver | None = None

    def loop(self, run: Run, build: Any) -> Any:
        return build()

    def note(self, run: Run, driver: Driver) -> None:
        self.driver = driver
        raise _Ready


class LaneImage:
    """A bound run before it begins, from which lanes are made; `asked`: its span and the state from which it begins.
    Members differ from it in positions, speeds and parameters. Raises a NoLaneError if a run needs Python."""

    def __init__(self, bound: Bound, asked: Asked) -> None:
        self.where = bound.where
        driver, run = _driver_of(bound, asked)
        loop, system = driver.loop, run.system
        self.system, self.of_model = system, asked.start is None
        self.t_start, self.t_end = asked.t_start, asked.t_end
        self.begin, self.march = driver.in_lanes  # type: ignore[misc]
        #: what finds the multipliers of rows when somebody reads them, if the loop does not
        self.late = run.history.late
        self.order, self.again = run.history.order, run.history.again
        self.first = driver.first()
        self.sees = int(driver.follows)
        #: where the scale of masses stands in a :class:`~flexmb.solvers.march.in_lanes.InLane`
        self.at_mass_scale = [f"loop.{path}" for path in MASS_SCALES if _is_there(loop, path)]
        self._bound: BoundFormulation | None = None
        beside: Sequence[Any] = ()
        coordinates = getattr(loop, "coordinates", None)
        if coordinates is not None and coordinates.kind == JOINTS:
            self._bound = bound_at(coordinates.joints.formulation.place)
            if not self._bound.can_move:
                raise NoLaneError("its formulation works in threads of its own")
            beside = self._bound.lent
        clean = bound.system({})
        self._image = Image(loop, *beside)
        #: the memory of a lane before it begins
        self.contents = self._image.contents.copy()
        made, *_ = self._image.laid_into(self.contents, ())
        if not put_all((made.scratch, made.linear), (clean.scratch, clean.linear)):
            raise NoLaneError("its factors need more room than a run begins with")
        start = None if asked.start is None else state_of(asked.start, bound.where)
        q, v = (system.q0, system.v0) if start is None else (start.q, start.v)
        made.motion.q[: system.nq], made.motion.v[: system.n] = q, v  # not yet moved to where joints meet
        made.motion.a[:] = 0.0
        made.motion.lam[:] = 0.0
        if driver.follows:
            made.watch[:] = 0.0
            made.rows[:] = any_combination(system.m)

    @property
    def tells_masses(self) -> bool:
        """Whether all that follows from masses is known by :class:`Constants`, and nothing besides in the workspace of
        a formulation."""
        return self._bound is None or not self._bound.kind.keeps_masses

    @property
    def in_joints(self) -> bool:
        """Whether it moves in joint coordinates."""
        return self._bound is not None

    def system_of(self, loop: Any, system: System | None = None) -> System:
        """The system with the numbers, buffers and factors of a loop that was laid into a lane, and all else of a
        `system` that differs in constants, that of the image if none is given."""
        other = copy.copy(system or self.system)
        other.plan, other.scratch, other.linear = loop.plan, loop.scratch, loop.linear
        other._whole, other._weights, other._zero = None, np.zeros(4), np.zeros(other.plan.total)
        return other

    def laid_into(self, contents: np.ndarray) -> tuple[Any, BoundFormulation | None]:
        """The loop with its arrays in `contents`, and the formulation that is bound to them."""
        loop, *lent = self._image.laid_into(contents, ())
        if self._bound is None:
            return loop, None
        bound = self._bound.moved_to(*lent)
        joints = loop.coordinates.joints
        joints = joints._replace(formulation=joints.formulation._replace(place=bound.place))
        return loop._replace(coordinates=loop.coordinates._replace(joints=joints)), bound


def _is_there(value: Any, path: str) -> bool:
    """Whether there is a field at a path."""
    for name in path.split("."):
        if not hasattr(value, name):
            return False
        value = getattr(value, name)
    return True


def _driver_of(bound: Bound, asked: Asked) -> tuple[Driver, Run]:
    """The driver of a run that is about to begin, and the run; a NoLaneError if it cannot be in a lane."""
    if not METHODS.about(bound.method).compiled:
        raise NoLaneError(f"method {bound.method!r} marches in Python")
    run, _ = placed(bound, asked, bound.options)
    if why := _needs_python(run):
        raise NoLaneError(why)
    run.begin = found = _AtTheBeginning()
    try:
        METHODS[bound.method](run, **bound.options)
    except _Ready:
        pass
    driver = found.driver
    if driver is None or driver.in_lanes is None:
        raise NoLaneError("its loop needs Python")
    if driver.trail is not None and driver.trail.f is not None:
        raise NoLaneError("joint coordinates are projected onto further rows")
    if len(driver.loop.crossings.side):
        raise NoLaneError("something is watched in its steps")
    return driver, run


def _needs_python(run: Run) -> str:
    """Reason why a run needs Python in between, in words; empty if nothing does."""
    system, model = run.system, run.system.model
    if run.events.count or run.switches:
        return "it has events"
    if system.plan.friction:
        return "joints stick and slide"
    if system.assembly.searches:
        return "contacts are searched for among many bodies"
    if system.left_out:
        return "rows that repeat others are left out"
    called = [c.where for c in model.components.values() if hasattr(c, "failure")]
    called += [c.where for c in model.controllers.values() if c.calls_python]
    return f"{called[0]} calls a function of Python" if called else ""


def put_all(into: Any, given: Any) -> bool:
    """Put the contents of all arrays and variables of a tuple into those of another one; False, and some of them may be
    there, where their shapes differ."""
    for mine, other in zip(into, given):
        if isinstance(mine, np.ndarray):
            if mine.shape != other.shape:
                return False
            mine[...] = other
        elif isinstance(mine, Variables):
            mine.base[...] = other.base
        elif isinstance(mine, tuple) and not put_all(mine, other):
            return False
    return True
