"""The energy of an arm of links by its kinematics, against closed forms and differences."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.validation.learning.arm_of_links import energy

ARM = 0.3, 1.0, (0.1, 0.12, 0.05), 9.81


def test_one_link_is_a_pendulum():
    """E = ½ (I + m l²/4) θ̇² + m g l/2 cos θ about an axis across the link."""
    wanted = 0.5 * (0.12 + 0.3**2 / 4) * 2.0**2 + 9.81 * 0.15 * np.cos(0.7)
    assert energy([0.7], [2.0], "y", *ARM) == pytest.approx(wanted, rel=1e-14)
    assert energy([0.7], [2.0], "z", *ARM) == pytest.approx(0.5 * 0.05 * 4.0 + 9.81 * 0.15, rel=1e-14)


def test_kinetic_energy_is_that_of_places_and_rotations_along_the_motion():
    rng = np.random.default_rng(0)
    x, u, h = rng.uniform(-1, 1, 4), rng.normal(size=4), 1e-6

    def links(angles):
        R, p, found = np.eye(3), np.zeros(3), []
        for angle, letter in zip(angles, "zyzy"):
            c, s = np.cos(angle), np.sin(angle)
            R = R @ np.array(
                [[c, -s, 0], [s, c, 0], [0, 0, 1]] if letter == "z" else [[c, 0, s], [0, 1, 0], [-s, 0, c]]
            )
            found.append((p + 0.15 * R[:, 2], R))
            p = p + 0.3 * R[:, 2]
        return found

    total = 0.0
    for (p0, R0), (p1, R1), (p, R) in zip(links(x - h * u), links(x + h * u), links(x)):
        v, spin = (p1 - p0) / (2 * h), R.T @ (R1 - R0) / (2 * h)
        own = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        total += 0.5 * v @ v + 0.5 * own @ (np.array(ARM[2]) * own) + 9.81 * p[2]
    assert energy(x, u, "zyzy", *ARM) == pytest.approx(total, rel=1e-8)
