"""Analyses of mechanisms whose joints have friction by their own force."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmb as fm
from flexmb.algebra.differences import derivative
from flexmb.validation.journal_pendulum import build
from flexmb.validation.references.journal_pendulum import JournalPendulum

PENDULUM = JournalPendulum()


def reference(angle: float, rate: float) -> np.ndarray:
    """Eigenvalues of the linear equation of the pendulum's angle about a state."""
    by_angle, _ = derivative(lambda h: np.array([PENDULUM.second_rate(angle + h, rate)]), 1e-2)
    by_rate, _ = derivative(lambda h: np.array([PENDULUM.second_rate(angle, rate + h)]), 1e-2)
    return np.sort_complex(np.linalg.eigvals([[0.0, 1.0], [by_angle[0], by_rate[0]]]))


def rest() -> float:
    return float(brentq(lambda angle: PENDULUM.torque(angle, 0.0, 0.0)[0], 1.0, 2.5, xtol=1e-14))


def test_a_linear_model_of_a_moving_pendulum_is_exact() -> None:
    run = fm.simulate(build(PENDULUM), 0.7, "dop853", tolerance=1e-10, progress=False)
    joint = run["bearing"]
    linear = fm.linearize(run, "bob.fx", "bob.x", steady=False)
    wanted = reference(float(joint.angle[-1]), float(joint.angle_rate[-1]))
    assert np.sort_complex(np.linalg.eigvals(linear.A)) == pytest.approx(wanted, rel=1e-6)


def test_at_rest_friction_is_a_damper() -> None:
    found = fm.equilibrium(build(PENDULUM))
    wanted = reference(rest(), 0.0)
    assert np.sort_complex(fm.linearize(found, "bob.fx", "bob.x").poles) == pytest.approx(wanted, rel=1e-6)
    assert fm.complex_modes(found, 1).eigenvalues[0] == pytest.approx(wanted[1], rel=1e-6)
    without = fm.equilibrium(build(JournalPendulum(coefficient=0.0, static=0.0, viscous=0.0)))
    undamped = fm.modes(found, 1).frequencies, fm.modes(without, 1).frequencies
    assert undamped[0] == pytest.approx(undamped[1], rel=1e-9)


def test_the_forces_of_a_given_motion_overcome_friction() -> None:
    model = build(PENDULUM)
    model.drive_angle(model.ground, model.frames["bob.pin"], fm.Harmonic(0.5, 3.0), axis=PENDULUM.axis, name="drive")
    given = fm.kinematics(model, 1.0, steps=20)
    run = fm.simulate(model, 1.0, "dop853", tolerance=1e-9, times=given.t[1:], progress=False)
    for joint in ("drive", "bearing"):
        assert given.reaction(joint)[1][1:] == pytest.approx(run.reaction(joint)[1], abs=1e-6)


def test_a_file_holds_the_forces_with_friction(tmp_path: Path) -> None:
    run = fm.simulate(build(PENDULUM), 0.2, "dop853", progress=False)
    run.save(tmp_path / "run.h5")
    kept = fm.load(tmp_path / "run.h5")
    for own, again in zip(run.reaction("bearing"), kept.reaction("bearing")):
        assert again == pytest.approx(own, abs=1e-14)
    assert kept.energy.dissipated == pytest.approx(run.energy.dissipated, abs=1e-14)
