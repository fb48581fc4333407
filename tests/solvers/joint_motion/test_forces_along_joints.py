"""Forces that act along the joints of a tree alone, which need no positions of its links."""

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers.coordinates import joint_coordinates
from flexmb.solvers.joint_motion import joint_motion
from flexmb.validation.performance import arm as upright


def pushed(*, by_spring: bool = False) -> fm.SpatialModel:
    """An arm that falls aside, with a torque in each of its hinges; with a spring from its end to the ground."""
    m = upright.arm(3)
    m.gravity = (3.0, 2.0, -9.81)
    for k in range(3):
        m.joint_force(m.components[f"hinge {k}"], fm.Harmonic(2.0 + k, 5.0 + k), name=f"torque {k}")
    if by_spring:
        m.spring_damper(m.ground, m.frame("link 2.high 2"), stiffness=10.0)
    return m


def acting(model):
    return joint_coordinates(fm.System(model), "aba").joints.acting


def test_forces_on_links_are_told_from_those_along_joints():
    assert (acting(pushed()).any, acting(pushed()).along) == (1, 1)
    assert (acting(pushed(by_spring=True)).any, acting(pushed(by_spring=True)).along) == (1, 0)


@pytest.mark.parametrize(
    ("method", "options"),
    [("rkf45", {"step": 5e-3}), ("dop853", {}), ("generalized_alpha", {"step": 5e-3}), ("radau", {})],
)
def test_they_make_the_same_motion_as_through_all_positions(monkeypatch, method, options):
    runs = []
    for along in (True, False):
        if not along:
            monkeypatch.setattr(joint_motion, "reads_only", lambda *given: False)
        assert acting(pushed()).along == along
        runs.append(fm.simulate(pushed(), 0.2, method, formulation="aba", progress=False, **options))
    for name in ("t", "q", "v", "a", "multipliers"):
        assert np.array_equal(getattr(runs[0], name), getattr(runs[1], name)), name
    assert runs[0].energy.input[-1] != 0.0 and runs[0].energy.error == runs[1].energy.error
