"""What a classical formulation is: its scope, and one function of a motion, of rigid bodies or of flexible ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from flexmb.formulations.classical.scope import Scope
from flexmb.formulations.tree.tree import Tree


class Found(NamedTuple):
    """What a formulation finds: u̇ (nv,), and by name what its paper gives besides."""

    ud: np.ndarray
    yields: dict[str, np.ndarray]


class Paper(NamedTuple):
    """A classical formulation: `solve(motion)`; its `scope`; the `authors` and year; and what it gives beside
    accelerations, by name, `yields`; what makes its motion from a tree, `reads`, where that is its own."""

    solve: Callable[[Any], Found]
    scope: Scope
    authors: str
    yields: dict[str, str]
    reads: Callable[[Tree], Any] | None = None
