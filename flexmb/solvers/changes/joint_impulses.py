"""The impulses of joints at an instant at which speeds jump: components are switched on, or gaps close."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.results.state import State
from flexmb.system.redundancy import least_multipliers
from flexmb.system.system import System


def impulses_of_joints(
    system: System, t: float, motion: tuple[np.ndarray, ...], impulse: np.ndarray
) -> dict[str, tuple[np.ndarray, Any]]:
    """The impulses of all active joints on their frames b, from the impulses Λ (m,) of all rows, in the state q, v, a
    behind the impact."""
    q, v, a = motion
    every = least_multipliers(system, np.array([t]), q[None], system.for_all_rows(impulse[None]))
    lam = every[0, system.whole.row_numbers]
    state, free = (State(system.whole, t, q, v, a, x) for x in (lam, np.zeros(len(lam))))
    held = dict.fromkeys(row.owner for row in system.whole.rows)
    layout = state.solution.layout
    impulses = {}
    for name in (name for name in held if name in layout.pairs and layout.has_reaction(name)):
        # springs and rotors of a joint do not act at an instant: what they bear without multipliers is no impulse
        (impulse_on_b, moment), (force, rest) = state.reaction(name), free.reaction(name)
        impulses[name] = impulse_on_b - force, moment - rest
    return impulses
