"""Rest of mechanisms with rows that repeat others, of which some fade on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from tests.models.swings import START, TILT, driven_swing

pytestmark = pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
#: spring of the first crank [Nm/rad]
STIFFNESS = 3.0
both = pytest.mark.parametrize(("space", "count"), [(False, 3), (False, 4), (True, 3), (True, 4)])


def sprung(count: int, space: bool, stiffness: float = STIFFNESS, weight: bool = False) -> Any:
    """The plate on parallel cranks, the first on a torsion spring and under a torque in place of its motor."""
    model: Any = driven_swing(count, space)
    motor = model.components.pop("motor")
    axis = {"axis": TILT.apply((0, 0, 1))} if space else {}
    model.torsion_spring(
        motor.a, motor.b, stiffness=stiffness, free_angle=0.0 if space else START, name="spring", **axis
    )
    model.point_torque(motor.b, TILT.apply((0, 0, 1.0)) if space else 1.0, name="twist")
    if not weight:
        model.gravity[:] = 0.0
    return model


def flat(vector: np.ndarray, space: bool) -> np.ndarray:
    """A vector in axes of the plane of the mechanism."""
    return TILT.inv().apply(vector) if space else vector


@both
def test_quasi_static_motion_stops_exactly_in_line(space, count):
    """The motor carries the weight of cranks and plate, at every angle."""
    motion = fm.quasi_static(driven_swing(count, space), 3 * np.pi - START, steps=3)
    turned = START + motion.t
    assert motion.status == "finished" and len(motion.t) == 4
    place = np.column_stack([np.cos(turned), np.sin(turned)])
    np.testing.assert_allclose(flat(motion["plate"].position, space)[:, :2], place, atol=1e-13)
    moment = motion.reaction("motor")[1]
    moment = flat(moment, space)[:, 2] if space else moment
    np.testing.assert_allclose(moment, (count / 2 + 2) * 9.81 * np.cos(turned), atol=1e-12)


@both
def test_rest_exactly_in_line(space, count):
    model = driven_swing(count, space)
    rest = fm.equilibrium(model, t=np.pi - START)
    np.testing.assert_allclose(flat(rest["plate"].position, space)[:2], [-1.0, 0.0], atol=1e-13)
    again = fm.equilibrium(model, t=2 * np.pi - START, initial=fm.equilibrium(model, t=2 * np.pi - START - 0.1))
    np.testing.assert_allclose(flat(again["plate"].position, space)[:2], [1.0, 0.0], atol=1e-13)


@both
def test_load_path_through_positions_in_line(space, count):
    """An angle of μ/k; ω² = k/(count J + M r²) for ever: nothing is free beside it."""
    turns = STIFFNESS * (np.pi * np.arange(1, 4) - START)
    path = fm.equilibrium_path(sprung(count, space), "twist", factor=turns[-1], at=turns[:-1], steps=10)
    assert path.status == "finished" and not path.critical
    inertia = count * (0.3 + 1.0 * 0.25) + 2.0
    np.testing.assert_allclose(path.omega_squared[:, 0], STIFFNESS / inertia, rtol=1e-9)
    turned = START + path.factor / STIFFNESS
    place = np.column_stack([np.cos(turned), np.sin(turned)])
    np.testing.assert_allclose(flat(path["plate"].position, space)[:, :2], place, atol=1e-12)
    for k in (0, len(path) // 2, -1):
        state = path.state(k)
        assert np.max(np.abs(state.system.whole.constraint(state.t, state.q, state.v)[0])) < 1e-12
        path.balance.factor = path.factor[k]
        np.testing.assert_allclose(path.balance.residual(state.q, state.lam), 0.0, atol=1e-9)
    rest = fm.equilibrium(sprung(count, space), initial=path.solution)
    assert rest.stable


@both
def test_it_sinks_through_positions_in_line(space, count):
    """From above, on a spring that hardly holds it, it comes to hang below: k (φ − φ₀) = M₀ − m g cos φ."""
    rest = fm.equilibrium(sprung(count, space, stiffness=0.01, weight=True))
    x, y = flat(rest["plate"].position, space)[:2]
    angle = np.arctan2(y, x)
    weight = (count / 2 + 2) * 9.81
    wound = [0.01 * (angle + 2 * np.pi * k - START) - 1.0 + weight * np.cos(angle) for k in (-1, 0, 1)]
    assert rest.stable and y < -0.99
    assert np.min(np.abs(wound)) < 1e-9
