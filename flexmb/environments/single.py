"""One mechanism as an environment of gymnasium."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.environments.episodes import Episodes
from flexmb.environments.pictures import FPS, MODES, Pictures
from flexmb.environments.spaces import action_space, gymnasium, observation_space
from flexmb.environments.tasks import Task
from flexmb.errors import SolverError
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls


class Env(gymnasium.Env, metaclass=AnswersCalls):  # type: ignore[misc]
    """The mechanism of a `task` as an environment for learning, :class:`gymnasium.Env`. What diverges is truncated, and
    `info["diverged"]` says why; `info["drawn"]` has parameters that were drawn for an episode.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("wheel")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=2.0)
    >>> axle = m.revolute(m.ground, wheel.frame, name="axle")
    >>> motor = m.point_torque(wheel.frame, 0.0, name="motor")
    >>> task = fm.environments.Task(
    ...     model=m, commands={"motor": (-4, 4)}, observations=["axle.angle"], period=0.5, duration=1.0,
    ...     reward=lambda now: -abs(now["axle.angle"]), method="rkf45", options={"step": 0.1},
    ... )
    >>> env = fm.environments.Env(task)
    >>> observation, info = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step([4.0])
    >>> observation.round(6).tolist(), round(reward, 6), terminated, truncated
    ([0.25], -0.25, False, False)
    """

    metadata = {"render_modes": list(MODES), "render_fps": FPS}  # noqa: RUF012  # as gymnasium declares it

    def __init__(self, task: Task, *, render_mode: str | None = None) -> None:
        self._episodes = Episodes(task, 1, 1)
        self._pictures = Pictures(task, self._episodes.members, render_mode)
        self.task, self.render_mode = task, render_mode
        self.observation_space, self.action_space = observation_space(task), action_space(task)
        self._begun = False

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a new episode: what is observed, and what is known of it. With a `seed` the random numbers begin
        anew."""
        where = f"{self.task.where}: reset"
        if options is not None:
            checks.by_names(options, "options", where)
        super().reset(seed=None if seed is None else checks.count(seed, "seed", where))
        self._episodes.generators = [self.np_random]
        self._episodes.begin([0])
        self._begun = True
        return self._episodes.observed()[0], self._episodes.at_start(0)

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Hold an action (commands,) for a control period: what is observed then, the reward, whether the episode has
        reached its end, whether it was cut, and what is known of that."""
        episodes = self._episodes
        checked = episodes.checked(action, (len(self.task.limits),))
        if not self._begun:
            raise SolverError(f"{self.task.where}: step before reset; call reset() first")
        if episodes.over[0]:
            raise SolverError(f"{self.task.where}: the episode has ended; begin the next one by reset()")
        rewards, ended, cut = episodes.step(checked[None], np.zeros(1, dtype=bool))
        return episodes.observed()[0], float(rewards[0]), bool(ended[0]), bool(cut[0]), episodes.at_end(0)

    def render(self) -> np.ndarray | None:  # type: ignore[override]
        """A picture of the mechanism as it stands, an array of 8-bit colors, with the render mode "rgb_array"."""
        if self.render_mode is None:
            return None
        if not self._begun:
            raise SolverError(f"{self.task.where}: render before reset; call reset() first")
        return self._pictures.of(0, self._episodes.time(0))

    def close(self) -> None:
        """End what belongs to it; it may be closed again."""
        self._episodes.members.close()
