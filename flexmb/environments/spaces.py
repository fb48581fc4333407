"""The package gymnasium, and spaces of actions and observations of a task as it has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.environments.tasks import Task
from flexmb.errors import MissingExtraError

try:
    import gymnasium as gymnasium
except ImportError:
    raise MissingExtraError("environments need gymnasium, which is not installed: pip install 'flexmb[gym]'") from None


def action_space(task: Task) -> Any:
    """The space of actions."""
    low, high = task.actions[0].T
    return gymnasium.spaces.Box(low, high, dtype=np.float64)


def observation_space(task: Task) -> Any:
    """The space of observations and targets. The value of a target that a function draws may be any."""
    targets = [(one.low, one.high) for one in task._targets.values()]
    low, high = np.concatenate([task.ranges, np.array(targets).reshape(-1, 2)]).T
    return gymnasium.spaces.Box(low, high, dtype=np.float64)
