"""Backlash: against exact motions by matrix exponentials; where it starts; what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.validation.references.drives.gap_motion import Wheel

TIMES = np.linspace(0.0, 1.0, 51)
SHAFT = {"stiffness": 100.0, "damping": 0.5, "gap": 0.02}


def wheel(dimension, torque=1.0, **more):
    m = fm.PlanarModel("shaft") if dimension == 2 else fm.SpatialModel("shaft")
    body = m.add_body("wheel", mass=1.0, inertia=0.1 if dimension == 2 else (0.1, 0.1, 0.1))
    turn = {} if dimension == 2 else {"axis": "z"}
    hinge = m.revolute(m.ground, body.frame, name="hinge", **turn)
    m.joint_force(hinge, torque, name="push")
    m.backlash(m.ground, body.frame, name="gear", **{**SHAFT, **more}, **turn)
    return m


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_a_wheel_against_exact_motions(dimension, method):
    exact = Wheel(0.1, 1.0, 100.0, 0.5, 0.02, (0.0, 0.0, 0.0)).at(TIMES)
    run = fm.simulate(wheel(dimension), 1.0, method, tolerance=1e-10, times=TIMES, progress=False)
    assert run["hinge.angle"] == pytest.approx(exact[:, 0], abs=1e-8 if method == "dop853" else 1e-6)
    assert run["gear.tooth"] == pytest.approx(exact[:, 2], abs=1e-8 if method == "dop853" else 1e-6)


def test_a_shaft_that_is_pressed_by_its_load_stands_still():
    run = fm.simulate(wheel(2, torque=2.0, load=2.0), 0.5, "dop853", progress=False)
    assert np.abs(run["wheel.angle"]).max() < 1e-12
    assert run["gear.tooth"] == pytest.approx(0.01)


def test_energy_is_stored_and_lost_and_none_vanishes():
    run = fm.simulate(wheel(2), 1.0, "dop853", tolerance=1e-10, progress=False)
    assert np.abs(run.energy.balance).max() < 1e-4 * run.energy.exchanged


def test_a_motor_whose_reducer_has_a_gap():
    """Rotor and arm, J₁ = 1e-3 and N = 10, are free of one another until the tooth touches."""
    m = fm.PlanarModel("drive")
    arm = m.add_body("arm", mass=1.0, inertia=0.2)
    m.revolute(m.ground, arm.frame)
    m.motor(
        m.ground, arm.frame, inertia=1e-3, ratio=10.0, stiffness=200.0, damping=0.5, backlash=0.02, torque=0.01,
        name="motor",
    )  # fmt: skip
    # φ/N = 0.01 after ½ τ/J t² = 0.1: t = 0.1414 s
    run = fm.simulate(m, 0.3, "dop853", tolerance=1e-10, times=[0.0, 0.14, 0.3], progress=False)
    assert run["arm.angle"][1] == pytest.approx(0.0, abs=1e-12)
    assert run["motor.rotor"][1] == pytest.approx(5.0 * 0.14**2, abs=1e-10)
    assert run["arm.angle"][2] > 1e-4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gap": -0.1}, "'gear': gap"),
        ({"damping": 0.0}, "'gear': damping"),
        ({"stiffness": -1.0}, "'gear': stiffness"),
        ({"load": np.inf}, "'gear': load"),
    ],
)
def test_bad_gaps_are_refused_by_name(change, words):
    with pytest.raises(fm.FlexmbError, match=words):
        wheel(2, **change)


def test_a_motor_says_what_its_gap_needs():
    m = fm.PlanarModel("drive")
    arm = m.add_body("arm", mass=1.0, inertia=0.2)
    with pytest.raises(fm.FlexmbError, match="backlash needs a reducer with stiffness and damping"):
        m.motor(m.ground, arm.frame, inertia=1e-3, backlash=0.02)
    with pytest.raises(fm.FlexmbError, match="backlash"):
        m.motor(m.ground, arm.frame, inertia=1e-3, backlash=-0.02)
    with pytest.raises(fm.FlexmbError, match="give backlash too"):
        m.motor(m.ground, arm.frame, inertia=1e-3, load=1.0)
    with pytest.raises(fm.FlexmbError, match="'gear'"):
        fm.equilibrium(wheel(2))
