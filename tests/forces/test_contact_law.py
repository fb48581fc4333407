"""The law of contact against integrations of one impact, Hertz's formula, and bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.forces.contact_law import damping_number, push, stored

STEEL = fm.Material(density=7850, youngs_modulus=210e9, poissons_ratio=0.3)


def speed_after(d: float, n: float) -> float:
    """How fast a unit mass leaves that came with the speed 1: d²x/dt² = N, by an integration in time alone."""

    def law(t: float, y: np.ndarray) -> list[float]:
        depth = max(-y[0], 0.0)
        return [y[1], depth**n * max(0.0, 1.0 - d * y[1])]

    def gone(t: float, y: np.ndarray) -> float:
        return float(y[0]) if t > 1e-3 else -1.0

    gone.terminal = True  # type: ignore[attr-defined]
    run = solve_ivp(law, (0.0, 1e4), [0.0, -1.0], method="DOP853", rtol=1e-11, atol=1e-14, events=gone)
    assert run.status == 1
    return float(run.y[1, -1])


@pytest.mark.parametrize("n", [1.0, 1.5, 3.0])
@pytest.mark.parametrize("e", [0.05, 0.2, 0.5, 0.9, 0.99, 0.9999])
def test_an_impact_leaves_the_restitution_that_was_asked_for(e: float, n: float) -> None:
    assert speed_after(damping_number(e), n) == pytest.approx(e, rel=1e-6)


def test_the_damping_number_of_nearly_elastic_and_of_very_soft_impacts() -> None:
    for less in (1e-4, 1e-6, 1e-9):
        assert damping_number(1.0 - less) == pytest.approx(1.5 * less, rel=2.0 * less + 1e-7)
    assert damping_number(1e-3) == pytest.approx(1e3, rel=1e-12)
    values = [damping_number(e) for e in np.linspace(0.01, 1.0, 100)]
    assert np.all(np.diff(values) < 0.0)


def test_force_slopes_and_energy() -> None:
    for n in (1.0, 1.5, 2.5):
        for rate in (-0.7, 0.4):
            h = 1e-6
            N, by_gap, by_rate = push(-0.3, rate, 50.0, n, 0.6)
            assert pytest.approx(50.0 * 0.3**n * (1.0 - 0.6 * rate)) == N
            up, down = push(-0.3 + h, rate, 50.0, n, 0.6)[0], push(-0.3 - h, rate, 50.0, n, 0.6)[0]
            assert by_gap == pytest.approx((up - down) / (2 * h), rel=1e-8)
            up, down = push(-0.3, rate + h, 50.0, n, 0.6)[0], push(-0.3, rate - h, 50.0, n, 0.6)[0]
            assert by_rate == pytest.approx((up - down) / (2 * h), rel=1e-8)
        up, down = stored(-0.3 + h, 50.0, n)[1], stored(-0.3 - h, 50.0, n)[1]
        assert stored(-0.3, 50.0, n)[0] == pytest.approx((down - up) / (2 * h), rel=1e-8)


def test_it_never_pulls() -> None:
    assert push(-0.3, 2.0, 50.0, 1.5, 0.6) == (0.0, 0.0, 0.0)
    assert push(0.0, -1.0, 50.0, 1.5, 0.6) == (0.0, 0.0, 0.0)
    assert push(1.0, -1.0, 50.0, 1.0, 0.6) == (0.0, 0.0, 0.0)


def test_hertz() -> None:
    # two spheres of one material: k = E √(2R)/(3 (1 − ν²))
    assert fm.hertz(STEEL, STEEL, 0.02, 0.02) == pytest.approx(210e9 * math.sqrt(0.04) / (3 * 0.91))
    assert fm.hertz(STEEL, STEEL, 0.02) == pytest.approx(math.sqrt(2.0) * fm.hertz(STEEL, STEEL, 0.02, 0.02))
    assert fm.hertz(STEEL, STEEL, 0.02, -0.04) == pytest.approx(math.sqrt(2.0) * fm.hertz(STEEL, STEEL, 0.02))
    with pytest.raises(ModelError, match="do not touch in a point"):
        fm.hertz(STEEL, STEEL, 0.02, -0.02)
    with pytest.raises(ModelError, match="radius_b is 0"):
        fm.hertz(STEEL, STEEL, 0.02, 0.0)
    with pytest.raises(ModelError, match="no Material"):
        fm.hertz(STEEL, 210e9, 0.02)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"stiffness": 0.0}, "stiffness"),
        ({"stiffness": -1.0}, "stiffness"),
        ({"exponent": 0.9}, "exponent is 0.9; it must be at least 1"),
        ({"damping": -1.0}, "damping"),
        ({"restitution": 0.0, "impact_speed": 1.0}, "nothing of the speed, take a small one"),
        ({"restitution": 1.1, "impact_speed": 1.0}, r"must lie in \(0, 1\]"),
        ({"restitution": -0.1, "impact_speed": 1.0}, r"must lie in \(0, 1\]"),
        ({"restitution": 0.5}, "give impact_speed"),
        ({"restitution": 0.5, "impact_speed": 0.0}, "impact_speed"),
        ({"restitution": 0.5, "impact_speed": 1.0, "damping": 1.0}, "give one of them"),
        ({"impact_speed": 1.0}, "goes with restitution"),
        ({"friction": -0.1}, "friction"),
        ({"friction": "dry"}, r"give a coefficient, or fm\.JointFriction"),
        ({"friction": fm.Friction(0.2)}, r"give a coefficient, or fm\.JointFriction"),
        (
            {"friction": fm.JointFriction(0.2, radius=0.1, viscous=1.0)},
            "its friction has viscous, radius, which belong",
        ),
        ({"friction": fm.JointFriction(0.2, smoothing=0.0)}, "cannot truly stick"),
    ],
)
def test_bad_input(given: dict[str, Any], text: str) -> None:
    m = fm.PlanarModel("m")
    ball = m.add_body("ball", mass=1.0, inertia=0.1, position=(0, 1))
    with pytest.raises(ModelError, match=text):
        m.contact(m.ground, ball.frame, fm.HalfPlane("y"), fm.Disk(diameter=0.2), **{"stiffness": 1e6, **given})
    assert "contact 1" not in m.components
