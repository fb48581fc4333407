"""Outputs of linear models by name, and by functions that make a sensor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import NamingError

STIFFNESS, DAMPING = 2e4, 50.0


def stopped_bar(dimension: int, upper: float) -> Any:
    """A bar that a torsion spring turns to 0.5 rad, or onto a stop before."""
    if dimension == 2:
        model: Any = fm.PlanarModel("bar")
        bar = model.add_body("bar", mass=1.0, inertia=0.1, position=(0.5, 0.0))
        pivot, axis = bar.attach("pivot", (-0.5, 0.0)), {}
    else:
        model = fm.SpatialModel("bar")
        bar = model.add_body("bar", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0))
        pivot, axis = bar.attach("pivot", (-0.5, 0.0, 0.0)), {"axis": "z"}
    hinge = model.revolute(model.ground, pivot, name="hinge", **axis)
    model.torsion_spring(model.ground, pivot, stiffness=12.0, free_angle=0.5, **axis)
    model.joint_stop(hinge, upper=upper, stiffness=STIFFNESS, damping=DAMPING, name="stop")
    return model


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("upper", [0.4, 0.6])
def test_the_force_of_a_stop_changes_with_overlap_and_its_rate(dimension: int, upper: float) -> None:
    """|F| = k d^1.5 (1 + c ḋ) for an overlap d of the stop that holds the angle up, none apart."""
    rest = fm.equilibrium(stopped_bar(dimension, upper))
    overlap = max(-float(rest["stop.gap"]), 0.0)
    assert (overlap > 0.0) == (upper < 0.5)
    C = fm.linearize(rest, "bar.fy", ["stop.force", "hinge.angle", "hinge.rate"]).C
    slopes = np.array([1.5 * STIFFNESS * overlap**0.5, STIFFNESS * DAMPING * overlap**1.5])
    np.testing.assert_allclose(-C[0], slopes @ C[1:], rtol=1e-9, atol=1e-12)


def test_a_function_that_makes_no_sensor_is_refused() -> None:
    rest = fm.equilibrium(stopped_bar(2, 0.6))
    for wrong, said in ((lambda: 1, "raised TypeError"), (lambda model: 1.0, "that returns a sensor, not 1.0")):
        with pytest.raises(NamingError, match=said):
            fm.linearize(rest, "bar.fy", wrong)
