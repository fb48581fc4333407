"""Sensitivities of mechanisms that roll, and of joints with friction by their own force, against whole runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.validation.derivatives.sensitivities_in_space import PROBLEMS, differences

RUBBER = fm.TireLaw(load=10.0, cornering_stiffness=300.0, relaxation_length=0.1)
SPRUNG = fm.TireLaw(load=10.0, cornering_stiffness=300.0, relaxation_length=0.1, vertical_stiffness=2e3)


def skate(mass: float, inertia: float, slope: float) -> fm.PlanarModel:
    """A skate on a slope, with its blade behind its mass center."""
    model = fm.PlanarModel("skate", gravity=(0.0, -slope))
    body = model.add_body("body", mass=mass, inertia=inertia)
    model.knife_edge(model.ground, body.attach("blade", (-0.1, 0.0)), name="edge")
    model.bushing(model.ground, body.frame, stiffness=(0.5, 0.2, 0.1))
    body.move((1.0, 0.2), 2.0)
    return model


def trolley(mass: float, stiffness: float, speed: float) -> fm.PlanarModel:
    """A body on a tire that slips aside."""
    model = fm.PlanarModel("trolley")
    body = model.add_body("body", mass=mass, inertia=0.2)
    model.tire(model.ground, body.attach("axle", (-0.3, 0.0)), RUBBER, name="tire")
    model.bushing(model.ground, body.frame, stiffness=(1.0, stiffness, 0.5))
    body.move((speed, 0.0), 1.0)
    return model


def bearing(coefficient: float, radius: float, stiffness: float) -> fm.PlanarModel:
    """A pendulum in the plane on a bearing with friction by its own force."""
    model = fm.PlanarModel("bearing", gravity=(0.0, -9.81))
    arm = model.add_body("arm", mass=2.0, inertia=0.1, position=(0.3, 0.0))
    pin = arm.attach("pin", (-0.3, 0.0))
    friction = fm.JointFriction(coefficient, radius=radius, smoothing=0.02)
    model.revolute(model.ground, pin, friction=friction, name="bearing")
    model.torsion_spring(model.ground, pin, stiffness=stiffness)
    return model


def chain(coefficient: float, mass: float, speed: float) -> fm.SpatialModel:
    """A long chain of ball joints with friction; its last link is a skate. Its matrices are sparse."""
    model = fm.SpatialModel("chain", gravity=(0.0, 0.5, 0.3))
    friction = fm.JointFriction(coefficient, radius=0.02, smoothing=0.05)
    before = model.ground
    for k in range(20):
        link = model.add_body(f"link{k}", mass=mass, inertia=(0.01, 0.02, 0.025), position=(0.2 * k + 0.1, 0, 0))
        near = link.attach("near", (-0.1, 0, 0))
        if k == 0:
            model.revolute(before, near, axis="z", name="hinge")
            model.drive_angle(before, near, fm.Polynomial([0.0, speed]), axis="z")
        else:
            model.spherical(before, near, friction=friction, name=f"ball{k}")
            model.bushing(before, near, stiffness=(0, 0, 0, 0.5, 0.5, 0.5), damping=(0, 0, 0, 0.05, 0.05, 0.05))
        before = link.attach("far", (0.1, 0, 0))
    model.knife_edge(model.ground, link.frame, name="edge")
    return model


CASES: dict[str, Any] = {
    "skate": (skate, {"mass": 1.0, "inertia": 0.2, "slope": 1.0}, 0.6, 1e-2, ["body.x", "body.angle", "body.vx"]),
    "trolley": (trolley, {"mass": 1.0, "stiffness": 2.0, "speed": 2.0}, 0.4, 5e-3, ["body.y", "body.angle"]),
    "bearing": (bearing, {"coefficient": 0.3, "radius": 0.02, "stiffness": 3.0}, 0.4, 1e-2, ["arm.y", "bearing.fy"]),
    "chain": (chain, {"coefficient": 0.2, "mass": 0.5, "speed": 0.5}, 0.2, 1e-2, ["link19.x", "link10.y"]),
}


@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.warns(fm.errors.AccuracyWarning, "would have to pull", name="chain")
def test_both_methods_against_whole_runs(name):
    build, given, end, step, final = CASES[name]
    assert (fm.System(build(**given)).pattern is not None) == (name == "chain")
    near = differences(build, given, end, final, [final[0]], step, 2e-3)
    for method in ("direct", "adjoint"):
        found = fm.sensitivity(build, given, end, final=final, integrals=final[0], step=step, derivatives=method).matrix
        off = np.max(np.abs(found - near), axis=1) / np.max(np.abs(near), axis=1)
        assert np.all(off < 1e-6), off


@pytest.mark.parametrize("name", ["rolling disk", "ball on a table", "bearing with friction"])
@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial speeds do not fit the joints", name="rolling disk")
def test_joint_forces_and_accelerations(name):
    """They are those of the same instant, which no projection touches."""
    build, given, end, step, _, _, part = PROBLEMS[name]
    final = {"rolling disk": ["disk.az"], "ball on a table": ["hinge.mz"], "bearing with friction": ["bearing.mx"]}[
        name
    ]
    step, part = max(step, 1e-2), 4.0 * part  # differences of forces lose digits to rounding, as 1/h²
    near = differences(build, given, end, final, [], step, part)
    found = fm.sensitivity(build, given, end, final=final, step=step).matrix
    assert np.max(np.abs(found - near)) < 1e-6 * max(np.max(np.abs(near)), 1e-3)


def test_what_truly_sticks_is_refused():
    def build(stiffness: float) -> fm.PlanarModel:
        model = bearing(0.3, 0.02, stiffness)
        joint: Any = model.component("bearing")
        joint.friction = fm.JointFriction(0.3, radius=0.02, smoothing=0.0)
        return model

    with pytest.raises(fm.errors.ModelError, match="'bearing' truly sticks"):
        fm.sensitivity(build, {"stiffness": 3.0}, 0.1, final="arm.y", step=1e-2)
