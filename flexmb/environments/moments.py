"""Arguments of rewards: the values of all members of an environment at the end of a control period."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import is_jitted

from flexmb.errors import ModelError
from flexmb.kernels.compilation import compiled
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls


class Moment(metaclass=AnswersCalls):
    """The end of a control period of N members: `moment["tip.x"]` (N,), by the names of observations, of what is
    measured, and of targets, without noise; their times `t` (N,) [s] since the start of their episodes, and their
    `actions` (N, m), as they were given.

    >>> import flexmb as fm
    >>> now = fm.environments.Moment(("tip.x", "goal"), np.array([[0.5, 1.0]]), np.zeros((1, 2)), np.array([0.1]))
    >>> (now["goal"] - now["tip.x"]).tolist(), now
    ([0.5], Moment(1 members, tip.x, goal))
    """

    def __init__(self, names: tuple[str, ...], values: np.ndarray, actions: np.ndarray, t: np.ndarray) -> None:
        self.names, self.values, self.actions, self.t = names, values, actions, t

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.names:
            raise given_names.unknown(name, self.names, "value", "reward of an environment")
        return self.values[:, self.names.index(name)]

    def __repr__(self) -> str:
        return f"Moment({len(self.t)} members, {', '.join(self.names)})"


class Verdict:
    """The numbers of all members (N,) by a function of the user's: one of a :class:`Moment`, or, if Numba has compiled
    it, one of a member's values, action and time; `what` they are in messages."""

    def __init__(self, function: Callable[..., Any], what: str, where: str) -> None:
        self.what, self.where = what, where
        self._rows = _over_members(function) if is_jitted(function) else None
        self._function = function

    def __call__(self, moment: Moment) -> np.ndarray:
        """The numbers (N,), which are finite."""
        count = len(moment.t)
        if self._rows is not None:
            out = np.zeros(count)
            self._rows(moment.values, moment.actions, moment.t, out)
        else:
            returned = self._function(moment)
            try:
                out = np.asarray(returned, dtype=float)
            except (TypeError, ValueError):
                raise ModelError(
                    f"{self.where}: {self.what} returned {checks.quoted(returned)}; return one number for each member"
                ) from None
            if out.shape != (count,):
                raise ModelError(
                    f"{self.where}: {self.what} returned an array of the shape {out.shape} for {count} members; return "
                    "one number for each"
                )
        if not np.isfinite(out).all():
            k = int(np.flatnonzero(~np.isfinite(out))[0])
            raise ModelError(f"{self.where}: {self.what} of member {k} is {out[k]}; return finite numbers")
        return out


def _over_members(function: Any) -> Any:
    """A compiled function that calls another one for all members."""

    @compiled
    def over_members(values, actions, t, out):  # type: ignore[no-untyped-def]
        for i in range(out.shape[0]):
            out[i] = function(values[i], actions[i], t[i])

    return over_members
