"""Many runs of one bound model, and loops of the user's own: :class:`Simulator`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexmb.errors import AccuracyWarning, DivergenceWarning, ModelError, SolverError, warn
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks, given_names, given_times
from flexmb.model.changes import Said
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.model.hints import AnswersCalls
from flexmb.results.run_state import RunState
from flexmb.results.solution import Solution
from flexmb.results.state import State
from flexmb.solvers.binding.bound import Bound, Choices
from flexmb.solvers.binding.initial_state import settled, state_of
from flexmb.solvers.one_run import Asked, asked_of, checked_run, performed
from flexmb.solvers.runs.run import Run
from flexmb.solvers.runs.solution_of_run import logs_of


class Simulator(metaclass=AnswersCalls):
    """A model bound to a method and its options, for many runs, or for a loop of your own.

    Arguments: `model`; `method`, `redundant`, `gaps`, `controllers`, `second_run` and the `options` of the method, as
    those of :func:`flexmb.simulate`. All that these determine is computed once. Then :meth:`run` simulates as
    `flexmb.simulate` does, to the bit, as often as wanted; and :meth:`step` goes on by a time of the caller's choice,
    from the `state`, which can be read, kept and put back.

    The model must not change any more: what is to differ from run to run are states to start from, and commands to
    motors, torques, forces and other components that have a strength. If the model has changed, a ModelError says
    where; make another Simulator then.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("wheel")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=2.0)
    >>> axle = m.revolute(m.ground, wheel.frame, name="axle")
    >>> motor = m.point_torque(wheel.frame, 0.0, name="motor")
    >>> simulator = fm.Simulator(m, "rkf45", step=0.01)
    >>> [round(float(simulator.run(1.0, commands={"motor": u})["wheel.angle"][-1]), 6) for u in (1.0, 4.0)]
    [0.25, 1.0]
    >>> for k in range(100):
    ...     state = simulator.step(0.01, commands={"motor": 4.0 if k < 50 else -4.0})
    >>> round(state["wheel.angle"], 6), round(state.t, 6)
    (0.5, 1.0)
    """

    def __init__(
        self,
        model: Any,
        method: str | None = None,
        *,
        redundant: str = "remove",
        gaps: str = "refuse",
        controllers: str = "continued",
        second_run: bool = True,
        **options: Any,
    ) -> None:
        choices = Choices(redundant, gaps, controllers, second_run)
        self._bound = Bound(model, method, options, choices, "Simulator of", again=True)
        self._said = Said(model)
        self._state: State | None = None
        self._start: State | None = None
        #: why the last step ended early, and the time that it was to reach [s]
        self._ended = ""

    @property
    def model(self) -> Any:
        """The model that was bound."""
        return self._bound.model

    @property
    def method(self) -> str:
        """The name of the method."""
        return self._bound.method

    @interruptible
    @one_thread
    def run(
        self,
        t_end: float,
        *,
        t_start: float = 0.0,
        initial: Any = None,
        commands: Mapping[str, Any] | None = None,
        times: Any = None,
        progress: bool = True,
    ) -> Solution:
        """The motion from `t_start` to `t_end` [s]: the solution of `flexmb.simulate` with these arguments, to the bit.
        It begins at the start of the model, or at `initial`, and leaves the state of the simulator as it is.

        `commands`: for names of components what is added to their strength, a number or a function of time; the same,
        to the bit, as in a model that has them so. A number costs nothing, a function of time assembles the equations
        again. `times`, `progress` and `initial` are those of `flexmb.simulate`.
        """
        self._check_unchanged()
        given = self._checked(commands)
        return checked_run(self._bound, asked_of(self._bound, t_end, t_start, initial, times, progress, given))

    @interruptible
    @one_thread
    def step(self, dt: float, commands: Mapping[str, Any] | None = None) -> RunState:
        """Go on from the present state by exactly `dt` [s], and return the new state.

        `commands` act during this step; components without one have none. Numbers are quick, functions of time are not.
        Events happen, joints stick and slide, and controllers act, as in a run from this state that ends there. With a
        fixed step the method divides `dt` by it, and the last part is shorter; a step that follows the error is at
        most `dt`, and the tolerance holds for each call. A run checks its energy and its accuracy at the end; a step
        does not.

        A step that diverges warns, and the simulator stands where it ended; one that raises an error leaves the
        simulator where it was. Put it back by ``simulator.state = …`` or :meth:`reset`.
        """
        where = f"{self._bound.where}, step"
        dt = checks.positive(dt, "dt", where)
        self._check_unchanged()
        if self._ended:
            raise SolverError(
                f"{where}: the last step {self._ended}; put the simulator back to a state kept before, "
                "simulator.state = state, or to its start, simulator.reset()"
            )
        t = self.t
        _, end = given_times.span(t, t + dt, where, min(dt, 1.0))
        first = self._state.next_step if isinstance(self._state, RunState) else 0.0
        asked = Asked(t, end, self._state, None, self._checked(commands), False, first)
        run, _ = performed(self._bound, asked)
        if run.report.status == "interrupted":
            raise KeyboardInterrupt
        state = self._state = _state_of(run)
        if run.report.status != "finished":
            self._ended = run.report.message
        if run.report.status == "diverged":
            warn(f"model {self.model.name!r} {run.report.message}", DivergenceWarning)
        for doubt in (*run.report.doubts, *run.events.doubts):
            warn(f"model {self.model.name!r}: {doubt}", AccuracyWarning)
        return state

    @property
    def t(self) -> float:
        """The present time [s]."""
        return 0.0 if self._state is None else self._state.t

    @property
    def state(self) -> State:
        """Where the simulator stands, see :class:`flexmb.State`: it never changes, and may be kept and set again. Any
        other state of the mechanism may be set as well: a :class:`flexmb.State`, an equilibrium, a solution (its last
        time); from these, controllers begin anew.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("falling", gravity=(0, -10))
        >>> stone = m.add_body("stone", mass=1.0, inertia=0.1)
        >>> simulator = fm.Simulator(m, "rkf45", step=0.01)
        >>> before = simulator.step(0.1)
        >>> round(simulator.step(0.1)["stone.y"], 9)
        -0.2
        >>> simulator.state = before
        >>> simulator.t, round(simulator.step(0.1)["stone.y"], 9)
        (0.1, -0.2)
        """
        if self._state is not None:
            return self._state
        if self._start is None:
            whole, gaps = self._bound.system({}), self._bound.choices.gaps
            self._start = settled(whole, 0.0, whole.q0, whole.v0, gaps, of_model=True)
        return self._start

    @state.setter
    def state(self, state: Any) -> None:
        where = f"{self._bound.where}, state"
        if not isinstance(state, RunState):
            state = state_of(state, where)
        if state.system.names != self._bound.names:
            raise ModelError(
                f"{where}: it is a state of model {state.model.name!r}, which has other coordinates; give a state of "
                "this model, such as simulator.state at another time"
            )
        self._state, self._ended = state, ""

    def reset(self) -> None:
        """Go back to the start of the model, at t = 0."""
        self._state, self._ended = None, ""

    def _check_unchanged(self) -> None:
        changed = self._said.change()
        if changed:
            raise ModelError(
                f"{self._bound.where}: {changed} has changed since the model was bound; make another Simulator, or "
                "give what differs from run to run as initial=… and commands=…"
            )

    def _checked(self, commands: Any) -> dict[str, float | TimeFunction]:
        """The commands by name, as numbers and functions of time."""
        where, model, found = f"{self._bound.where}, commands", self._bound.model, {}
        given = checks.by_names(commands, "commands", self._bound.where) if commands is not None else {}
        known = [name for name, component in model.components.items() if component.strength is not None]
        for name, value in given.items():
            given_names.known(name, known, "component that can be commanded", where)
            by = next((c.where for c in model.controllers.values() if name in c.commands), "")
            if by:
                raise ModelError(f"{where}: {name!r} is commanded by {by}, which would overwrite it; leave it out")
            what = f"{name!r}"
            found[name] = (
                as_function(value, what, where)
                if isinstance(value, TimeFunction)
                else float(checks.number(value, what, where))
            )
        return found

    def __repr__(self) -> str:
        return f"Simulator({self.model.name!r}, {self.method!r}, t = {self.t:g} s)"


def _state_of(run: Run) -> RunState:
    """Where a run stands at its end."""
    system, events = run.system, run.events
    n, nq = system.n, system.nq
    records = list(events.records)
    q, v, a = (np.array(x) for x in (run.q[:nq], run.v[:n], run.a[:n]))
    lam = np.array(run.history.forces(run.t, q, v, a, run.lam[: system.m]))
    return RunState(
        system, run.t, q, v, a, lam,
        controllers={name: log.state for name, log in logs_of(run).items() if log.state is not None},
        events=records,
        happened=events.past | {record.name for record in records},
        next_step=run.step,
        records=[*run.earlier, *records] if run.switches else [],
    )  # fmt: skip
