"""Tolerances below the rounding of accelerations shorten no steps, and are told."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm


def cable() -> fm.PlanarModel:
    """A clamped cable of four elements, pushed and turned; its axial forces are differences of lengths."""
    m = fm.PlanarModel("cable")
    properties = fm.planar.BeamProperties(EA=1e6, EI=5.0, rhoA=1.0)
    rod = m.add_beam("rod", m.ground, (1.0, 0.0), properties=properties, theory="ancf", elements=4)
    m.point_force(rod.at(0.3), (-2.0, 3.0), factor=fm.Harmonic(1.0, 30.0))
    m.point_torque(rod.at(0.3), -0.4)
    return m


@pytest.mark.parametrize("method", ["projection", "baumgarte"])
@pytest.mark.parametrize("rtol", [1e-10, 1e-12])
def test_steps_do_not_creep(method: str, rtol: float) -> None:
    exact = fm.simulate(cable(), 1e-3, "dop853", tolerance=1e-12, progress=False)
    run = fm.simulate(cable(), 1e-3, method, tolerance=rtol, absolute_tolerance=1e-2 * rtol, progress=False)
    assert run.statistics.steps < 3 * exact.statistics.steps
    assert np.max(np.abs(run.q[-1] - exact.q[-1])) < 10.0 * max(rtol, run.statistics.rounding_error)
    assert run.energy.total[-1] == pytest.approx(exact.energy.total[-1], rel=1e-9)


def test_what_rounding_leaves_is_doubted() -> None:
    with pytest.warns(fm.errors.AccuracyWarning, match="rounding may have left an error"):
        run = fm.simulate(cable(), 0.05, "projection", tolerance=1e-13, absolute_tolerance=1e-15, progress=False)
    assert not run.trustworthy


def test_where_accelerations_are_exact_nothing_is_noted() -> None:
    m = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    body = m.add_body("body", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    m.revolute(m.ground, body.attach("eye", (-1.0, 0.0)))
    run = fm.simulate(m, 1.0, "projection", progress=False)
    assert run.statistics.rounding_error == 0.0 and run.trustworthy


def test_a_force_that_jumps_is_no_rounding() -> None:
    """A block at rest on dry friction, by a force of Python that changes its sign with the speed, is pushed."""
    m = fm.PlanarModel("block")
    block = m.add_body("block", mass=1.0, inertia=0.1)
    m.python_force(block.frame, lambda t, x, v: (2.0 - np.sign(v[0]), 0.0, 0.0))
    run = fm.simulate(m, 1.0, "projection", progress=False)
    assert run["block"].x[-1] == pytest.approx(0.5, abs=1e-7)
    assert run.statistics.rounding_error < 1e-8
