"""Makers of environments, which gymnasium calls for those that it knows by name."""

from __future__ import annotations

import importlib
from typing import Any

from flexmb.environments.single import Env
from flexmb.environments.tasks import Task
from flexmb.environments.vector import VectorEnv


def env(of: str, render_mode: str | None = None, **given: Any) -> Env:
    """The environment of one mechanism, the task of which is made by the function `task` of a module, with arguments
    that are `given`, such as what varies."""
    return Env(_task(of, given), render_mode=render_mode)


def vector_env(
    of: str,
    num_envs: int = 1,
    *,
    threads: int = 1,
    autoreset_mode: Any = "NextStep",
    render_mode: str | None = None,
    **given: Any,
) -> VectorEnv:
    """The environment of many of them."""
    return VectorEnv(
        _task(of, given), num_envs, threads=threads, autoreset_mode=autoreset_mode, render_mode=render_mode
    )


def _task(of: str, given: dict[str, Any]) -> Task:
    found: Task = importlib.import_module(of).task(**given)
    return found
