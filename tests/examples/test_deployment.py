"""The panels of the demo open, latch one after the other, and keep the momentum of the satellite."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples import deployment


def test_all_latches_close_and_momentum_is_kept():
    solution = fm.simulate(deployment.build(), deployment.T_END, "radau", tolerance=1e-6, progress=False)
    assert len(solution.events) == 6 and solution.trustworthy
    for side in ("left", "right"):
        for k, folded in enumerate(deployment.FOLDED, 1):
            assert solution[f"hinge {side} {k}"].angle[-1] == pytest.approx(-folded, abs=1e-6)
            assert (
                solution.is_on(f"latch {side} {k}").tolist()
                == (np.cumsum(np.diff(solution.t, prepend=-1.0) == 0.0) > _number(solution, f"{side} {k}")).tolist()
            )
    momentum = deployment.momenta(solution)
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), rtol=0, atol=1e-6)
    lost = [event.lost for event in solution.events]
    assert solution.energy.switching[-1] == pytest.approx(sum(lost)) and min(lost) > 0.0
    # what is closed goes on as one body
    late = solution.t > solution.events[-1].t
    apart = solution["left 3"].position - solution["right 3"].position
    assert np.ptp(np.linalg.norm(apart, axis=1)[late]) < 1e-6


def _number(solution, hinge):
    """How many events came before that of a hinge."""
    return [event.name for event in solution.events].index(f"latching {hinge}")
