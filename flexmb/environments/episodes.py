"""Episodes of the members of an environment: what each is drawn from, how it begins, goes on and ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.environments.members import Members
from flexmb.environments.moments import Moment, Verdict
from flexmb.environments.period import IDLE, JOB, PERIODS, RESTART, STATUS, STEP, TIME
from flexmb.environments.tasks import Task
from flexmb.environments.trial import warn_of_long_steps
from flexmb.errors import ModelError, SolverError
from flexmb.model import checks
from flexmb.model.changes import Said
from flexmb.solvers.statuses import DONE

#: Seeds of the noise of an episode are below this.
_SEEDS = 2**63


class Episodes:
    """The episodes of so many members of a `task`, in so many `threads`; `generators`: the random numbers of each."""

    def __init__(self, task: Any, count: Any, threads: Any) -> None:
        if not isinstance(task, Task):
            raise ModelError(
                f"environment: {checks.quoted(task)} is not a task; give a flexmb.environments.Task, which says what "
                "is commanded, observed and rewarded"
            )
        self.task, self.where = task, task.where
        self.count = checks.count(count, "num_envs", self.where, least=1)
        threads = min(checks.count(threads, "threads", self.where, least=1), self.count)
        self.members = Members(task, self.count, threads)
        warn_of_long_steps(task)
        self._said = Said(task.model)
        self._reward = Verdict(task.reward, "reward", self.where)
        self._terminated = None if task.terminated is None else Verdict(task.terminated, "terminated", self.where)
        self.generators: list[np.random.Generator] = []
        #: which members have no episode, or one that has ended
        self.over = np.ones(self.count, dtype=bool)
        self.drawn: list[dict[str, float]] = [{} for _ in range(self.count)]

    @property
    def t(self) -> np.ndarray:
        """The times of all members since the start of their episodes [s]."""
        return self.members.whole[:, PERIODS] * self.task.period

    def observed(self) -> np.ndarray:
        """Present observations (N, observations and targets)."""
        return self.members.seen.copy()

    def draw(self, members: Sequence[int]) -> None:
        """Draw the next episodes of members from their generators, and have these begin."""
        if members and (changed := self._said.change()):
            raise ModelError(
                f"{self.where}: {changed} has changed since the environment was made; make another one, or give what "
                "differs from episode to episode as vary=… of the task"
            )
        task, m = self.task, self.members
        for i in members:
            generator = self.generators[i]
            start = {name: one.draw(generator) for name, one in task._initial.items()}
            targets = {name: one.draw(generator) for name, one in task._targets.items()}
            varied = {name: one.draw(generator) for name, one in task._vary.items()}
            delay = task._delay.draw(generator)
            m.random[i] = int(generator.integers(_SEEDS)) if any(s.noise for s in m.sensors) else 0
            model, system = m.vary(i, varied) if varied else (task.model, m.system)
            if start:
                state = task.start_of(model, start)
                m.start_q[i], m.start_v[i] = state.q, state.v
            else:
                m.start_q[i], m.start_v[i] = system.q0[: system.nq], system.v0[: system.n]
            m.targets[i] = list(targets.values())
            m.put_delay(i, delay)
            self.drawn[i] = {**varied, **({} if task._delay.low == task._delay.high else {"delay": delay})}
            m.whole[i, JOB] = RESTART
            self.over[i] = False

    def run(self) -> None:
        """Let all members that shall begin do so, and all others that have an episode go on by a period."""
        m = self.members
        jobs = m.whole[:, JOB].copy()
        m.run()
        wrong = (jobs == RESTART) & (m.whole[:, STATUS] != DONE)
        if wrong.any():
            i = int(np.flatnonzero(wrong)[0])
            raise SolverError(
                f"{self.where}: member {i} cannot begin where it was drawn to begin: {m.why(i)}; narrow the ranges of "
                "initial and vary"
            )

    def step(self, actions: np.ndarray, begins: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Go on by a period with these actions, but for members whose episode `begins`; returns rewards, which episodes
        have reached their end, and which end for another reason."""
        m = self.members
        m.actions[:] = actions
        m.whole[:, JOB] = STEP
        self.draw(np.flatnonzero(begins).tolist())
        self.run()
        failed = ~begins & (m.whole[:, STATUS] != DONE)
        moment = Moment(self.task.names, m.values, m.actions, self.t)
        rewards = np.where(begins, 0.0, self._reward(moment))
        ended = np.zeros(self.count, dtype=bool)
        if self._terminated is not None:
            ended = ~begins & ~failed & (self._terminated(moment) != 0.0)
        cut = failed | (~begins & (m.whole[:, PERIODS] >= self.task.periods))
        self.over = ended | cut
        self.failed = failed
        return rewards, ended, cut

    def begin(self, members: list[int]) -> None:
        """Begin new episodes of members, and leave all others as they are."""
        self.members.whole[:, JOB] = IDLE
        self.draw(members)
        self.run()

    def at_start(self, i: int) -> dict[str, Any]:
        """Information on an episode of member i that has begun: parameters that were drawn."""
        return {"drawn": dict(self.drawn[i])} if self.drawn[i] else {}

    def at_end(self, i: int) -> dict[str, Any]:
        """Information on the last period of member i: why it failed, if it did."""
        return {"diverged": self.members.why(i)} if self.failed[i] else {}

    def checked(self, actions: Any, shape: tuple[int, ...]) -> np.ndarray:
        """Actions of a shape, all of them numbers."""
        names = list(self.task.limits)
        try:
            found = np.asarray(actions, dtype=float)
        except Exception:  # rows of different lengths, and objects that may raise anything
            raise ModelError(
                f"{self.where}: an action must be commands of {', '.join(names)}, numbers, not {checks.quoted(actions)}"
            ) from None
        if found.shape != shape:
            raise ModelError(
                f"{self.where}: an action has the shape {shape}, commands of {', '.join(names)}, and this one "
                f"{found.shape}"
            )
        if not np.isfinite(found).all():
            at = np.argwhere(~np.isfinite(found))[0].tolist()
            of = f" of member {at[0]}" if len(at) > 1 else ""
            raise ModelError(f"{self.where}: the action{of} for {names[at[-1]]!r} is {found[tuple(at)]}; give a number")
        return found

    def time(self, i: int) -> float:
        """The time of member i since the start of its episode [s]."""
        return float(self.members.numbers[i, TIME])
