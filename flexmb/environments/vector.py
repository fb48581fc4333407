"""Many copies of a mechanism as one environment of gymnasium."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.environments.episodes import Episodes
from flexmb.environments.pictures import FPS, MODES, Pictures
from flexmb.environments.spaces import action_space, gymnasium, observation_space
from flexmb.environments.tasks import Task
from flexmb.errors import ModelError, SolverError
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls

_Mode = gymnasium.vector.AutoresetMode


class VectorEnv(gymnasium.vector.VectorEnv, metaclass=AnswersCalls):  # type: ignore[misc]
    """`num_envs` copies of the mechanism of a `task`, which go on together by a control period: an environment for
    learning, :class:`gymnasium.vector.VectorEnv`.

    All members march in compiled code, in so many `threads`; results do not depend on the number of threads, and are
    to the bit those of as many single environments :class:`Env` in a :class:`gymnasium.vector.SyncVectorEnv` with the
    same seeds. `autoreset_mode` says when the next episode of a member begins: "NextStep", in the next call of `step`,
    which ignores its action and returns a reward of 0; "SameStep", at once, with what was last observed as
    `infos["final_obs"]`; "Disabled", by `reset(options={"reset_mask": members})`.

    What diverges, or meets something that compiled code alone cannot do, is truncated, and `infos["diverged"]` says
    why. `infos["drawn"]` has the parameters that were drawn for an episode.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("wheel")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=2.0)
    >>> axle = m.revolute(m.ground, wheel.frame, name="axle")
    >>> motor = m.point_torque(wheel.frame, 0.0, name="motor")
    >>> task = fm.environments.Task(
    ...     model=m, commands={"motor": (-4, 4)}, observations=["axle.angle"], period=0.5, duration=1.0,
    ...     reward=lambda now: -abs(now["axle.angle"]), method="rkf45", options={"step": 0.1},
    ... )
    >>> envs = fm.environments.VectorEnv(task, 2)
    >>> observations, infos = envs.reset(seed=0)
    >>> observations, rewards, terminated, truncated, infos = envs.step([[4.0], [-2.0]])
    >>> observations.round(6).tolist(), rewards.round(6).tolist()
    ([[0.25], [-0.125]], [-0.25, -0.125])
    """

    def __init__(
        self,
        task: Task,
        num_envs: int = 1,
        *,
        threads: int = 1,
        autoreset_mode: Any = _Mode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        self._episodes = Episodes(task, num_envs, threads)
        self.task, self.num_envs = task, self._episodes.count
        self.autoreset_mode = _autoreset(autoreset_mode, task.where)
        self._pictures = Pictures(task, self._episodes.members, render_mode)
        self.render_mode = render_mode
        self.metadata = {"render_modes": list(MODES), "render_fps": FPS, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = observation_space(task)
        self.single_action_space = action_space(task)
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, self.num_envs)
        self.action_space = batch(self.single_action_space, self.num_envs)
        self._begun = False

    @property  # type: ignore[misc]  # that of gymnasium may be set; its SyncVectorEnv has one that may not, as here
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The random generators of all members."""
        return tuple(self._episodes.generators)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin new episodes: what is observed, and what is known of them. `seed`: of member 0, and one more for each
        that follows, or a list; without, generators go on. With `options={"reset_mask": members}` (N,), true for some,
        those alone begin anew."""
        episodes = self._episodes
        self._seed(seed)
        mask = self._mask(options)
        which = np.flatnonzero(mask).tolist()
        episodes.begin(which)
        self._begun = self._begun or bool(mask.all())
        infos: dict[str, Any] = {}
        for i in which:
            infos = self._add_info(infos, episodes.at_start(i), i)
        return episodes.observed(), infos

    def _seed(self, seed: Any) -> None:
        made, where = self._episodes.generators, f"{self.task.where}: reset"
        if seed is None and made:
            return
        several = [seed] * self.num_envs if seed is None else seed
        if isinstance(seed, int | np.integer):
            several = [int(seed) + i for i in range(self.num_envs)]
        seeds = checks.several(several, "seed", where)
        if len(seeds) != self.num_envs:
            raise ModelError(
                f"{where}: {len(seeds)} seeds for {self.num_envs} members; give one for each, or one number"
            )
        random = gymnasium.utils.seeding.np_random
        for i, one in enumerate(seeds):
            if not made[i:] or one is not None:
                one = None if one is None else checks.count(one, f"seed {i}", where)
                made[i : i + 1] = [random(one)[0]]

    def _mask(self, options: Any) -> np.ndarray:
        """Mask of the members that shall begin anew."""
        where = f"{self.task.where}: reset"
        if options is None or "reset_mask" not in checks.by_names(options, "options", where):
            return np.ones(self.num_envs, dtype=bool)
        mask = np.asarray(options["reset_mask"])
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise ModelError(
                f"{where}: reset_mask must have a truth value for each of {self.num_envs} members, true for at least "
                f"one, not {checks.quoted(options['reset_mask'])}"
            )
        if not self._begun and not mask.all():
            raise SolverError(f"{where}: some members have not begun yet; call reset() without a mask first")
        return mask

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Hold the actions (N, commands) for a control period: what is observed then, rewards (N,), which episodes have
        reached their end, which were cut, and what is known of some members."""
        episodes = self._episodes
        actions = episodes.checked(actions, (self.num_envs, len(self.task.limits)))
        if not self._begun:
            raise SolverError(f"{self.task.where}: step before reset; call reset() first")
        begins = episodes.over.copy()
        if begins.any() and self.autoreset_mode is _Mode.DISABLED:
            raise SolverError(
                f"{self.task.where}: the episodes of members {np.flatnonzero(begins).tolist()} have ended; begin new "
                "ones by reset(options={'reset_mask': …})"
            )
        rewards, terminated, truncated = episodes.step(actions, begins)
        infos: dict[str, Any] = {}
        for i in np.flatnonzero(begins).tolist():
            infos = self._add_info(infos, episodes.at_start(i), i)
        for i in np.flatnonzero(episodes.failed).tolist():
            if self.autoreset_mode is not _Mode.SAME_STEP:
                infos = self._add_info(infos, episodes.at_end(i), i)
        if self.autoreset_mode is _Mode.SAME_STEP and episodes.over.any():
            over, seen = np.flatnonzero(episodes.over).tolist(), episodes.observed()
            last = {i: {"final_obs": seen[i], "final_info": episodes.at_end(i)} for i in over}
            episodes.begin(over)
            for i in over:
                infos = self._add_info(infos, last[i], i)
                infos = self._add_info(infos, episodes.at_start(i), i)
        return episodes.observed(), rewards, terminated, truncated, infos

    def render(self) -> tuple[np.ndarray, ...] | None:  # type: ignore[override]
        """Pictures of all members as they stand, arrays of 8-bit colors, with the render mode "rgb_array"."""
        if self.render_mode is None:
            return None
        if not self._begun:
            raise SolverError(f"{self.task.where}: render before reset; call reset() first")
        return tuple(self._pictures.of(i, self._episodes.time(i)) for i in range(self.num_envs))

    def close_extras(self, **given: Any) -> None:
        """End the threads."""
        self._episodes.members.close()


def _autoreset(mode: Any, where: str) -> Any:
    """A mode by its name or as gymnasium has it."""
    if isinstance(mode, _Mode):
        return mode
    words = {one.value: one for one in _Mode}
    return words[checks.choice(mode, words, "autoreset_mode", where)]
