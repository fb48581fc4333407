"""Driven mechanisms whose flexible bodies keep their undeformed shapes, against rigid bodies; and times of motions."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.analyses.kinematics.driven import driven_system
from flexmb.errors import ModelError, SolverError
from flexmb.examples import slider_crank as example
from flexmb.system.assembly import Overrides
from flexmb.testing import check_system

RHO_A, LENGTH = 0.6, 1.3


@pytest.mark.parametrize("theory", ["cms", "floating", "ancf"])
def test_beams_of_the_plane_move_as_rigid_bodies(theory):
    rigid = fm.kinematics(example.build("rigid"), 0.3, steps=40, progress=False)
    undeformed = fm.kinematics(example.build(theory), 0.3, steps=40, flexible="undeformed", progress=False)
    assert undeformed.status == "finished"
    for name in ("position", "velocity", "acceleration"):
        one, other = (getattr(run["slider"], name) for run in (rigid, undeformed))
        np.testing.assert_allclose(other, one, rtol=0, atol=1e-12 * np.max(np.abs(one)))
    largest = np.max(np.abs(rigid.reaction("foot")[0]))
    for joint in ("foot", "elbow", "pin", "guide", "motor"):
        for one, other in zip(rigid.reaction(joint), undeformed.reaction(joint)):
            np.testing.assert_allclose(other, one, rtol=0, atol=1e-11 * largest)
    assert np.max(np.abs(undeformed["rod@0.3.bending_moment"])) < 1e-9
    with pytest.raises(SolverError, match=r"beam 'rod' can deform.*give flexible='undeformed'"):
        fm.kinematics(example.build(theory), 0.3)


def arm_in_space(theory: str = "", elements: int = 1) -> fm.SpatialModel:
    """An arm askew on a driven hinge, with a mass at a place along it and a hand on a second driven hinge at its end;
    the arm is a beam, or rigid."""
    m = fm.SpatialModel("arm", gravity=(0.0, 1.0, -9.81))
    start, along = np.array([0.1, 0.2, 0.3]), np.array([2.0, 1.0, 2.0]) / 3.0
    end = start + LENGTH * along
    if theory:
        properties = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=20.0, GJ=10.0, rhoA=RHO_A, rhoIp=0.01)
        rod = m.add_beam("rod", start, end, properties=properties, theory=theory, elements=elements)
        foot, place, tip = rod.start, rod.at(0.3), rod.end
    else:
        tensor = RHO_A * LENGTH**3 / 12.0 * (np.eye(3) - np.outer(along, along))
        tensor += 0.01 * LENGTH * np.outer(along, along)
        rod = m.add_body("rod", mass=RHO_A * LENGTH, inertia=tensor, position=0.5 * (start + end))
        foot, place, tip = (rod.attach(f"place {s}", (s - 0.5) * LENGTH * along) for s in (0.0, 0.3, 1.0))
    m.add_point_mass("load", place, 0.7)
    hand = m.add_body("hand", mass=0.4, inertia=(0.01, 0.02, 0.03), position=end + [0.0, 0.1, 0.0])
    across = tip.orientation.inv().apply((1.0, 0.0, 0.0))
    shoulder = m.revolute(m.ground.attach("base", start), foot, axis="z", name="shoulder")
    elbow = m.revolute(tip, hand.attach("edge", (0.0, -0.1, 0.0)), axis=across, name="elbow")
    m.drive_joint(shoulder, fm.Polynomial([0, 1.0, 2.0]), name="turn")
    m.drive_joint(elbow, fm.Harmonic(0.7, 3.0), name="nod")
    return m


@pytest.mark.parametrize(("theory", "elements"), [("cms", 1), ("cms", 3), ("floating", 1)])
def test_beams_in_space_move_as_rigid_bodies(theory, elements):
    rigid = fm.kinematics(arm_in_space(), 2.0, steps=40, progress=False)
    undeformed = fm.kinematics(arm_in_space(theory, elements), 2.0, steps=40, flexible="undeformed", progress=False)
    for name in ("position", "velocity", "acceleration", "angular_velocity"):
        one, other = (getattr(run["hand"], name) for run in (rigid, undeformed))
        np.testing.assert_allclose(other, one, rtol=0, atol=1e-11 * np.max(np.abs(one)))
    for joint in ("shoulder", "elbow"):
        for one, other in zip(rigid.reaction(joint), undeformed.reaction(joint)):
            np.testing.assert_allclose(other, one, rtol=0, atol=1e-9 * np.max(np.abs(one)))
    with pytest.raises(SolverError, match=r"'arm': beam 'rod' can deform, and"):  # and the hand cannot
        fm.kinematics(arm_in_space(theory, elements), 2.0)
    np.testing.assert_allclose(undeformed["turn.moment"], rigid["turn.moment"], atol=1e-9)


def test_an_exact_beam_has_the_inertia_of_its_sections_and_stands_on_the_ground_or_on_nothing():
    motions = []
    for theory in ("exact", ""):
        m = fm.PlanarModel("crane", gravity=(0, -9.81))
        if theory:
            properties = fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=RHO_A, rhoI=0.02)
            arm = m.add_beam("arm", (0, 0), (LENGTH, 0), properties=properties, theory="exact", elements=2)
            start = arm.start
            mast = m.add_beam("mast", m.ground, (0, -1), properties=properties)
            m.point_force(mast.end, (3.0, 0.0))
        else:
            inertia = RHO_A * LENGTH**3 / 12.0 + 0.02 * LENGTH
            body = m.add_body("arm", mass=RHO_A * LENGTH, inertia=inertia, position=(0.5 * LENGTH, 0))
            start = body.attach("start", (-0.5 * LENGTH, 0))
            body.attach("end", (0.5 * LENGTH, 0))
        m.revolute(m.ground, start, name="hinge")
        m.drive_angle(m.ground, start, fm.Polynomial([0, 1.0, 2.0]), name="motor")
        motions.append(fm.kinematics(m, 1.0, steps=10, flexible="undeformed", progress=False))
    one, other = motions
    np.testing.assert_allclose(one["motor.moment"], other["motor.moment"], rtol=0, atol=1e-10)
    np.testing.assert_allclose(one["arm.end"].position, other["arm.end"].position, rtol=0, atol=1e-13)
    np.testing.assert_allclose(one["mast.end"].position, np.tile([0.0, -1.0], (11, 1)), rtol=0, atol=1e-15)


def test_the_range_of_a_drive_with_an_undeformed_beam_and_a_run_that_goes_on_from_it():
    turn = fm.kinematics(
        example.build("cms"), drive="motor", over=(0.0, 6.0), steps=30, flexible="undeformed", progress=False
    )
    rigid = fm.kinematics(example.build("rigid"), drive="motor", over=(0.0, 6.0), steps=30, progress=False)
    np.testing.assert_allclose(turn["slider"].position, rigid["slider"].position, rtol=0, atol=1e-13)
    begun = fm.kinematics(example.build("cms"), times=[0.05], flexible="undeformed", progress=False)
    on = fm.simulate(example.build("cms"), 0.0501, initial=begun, t_start=0.05, progress=False)
    np.testing.assert_allclose(on.q[0], begun.q[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(on.v[0], begun.v[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("theory", ["cms", "ancf"])
def test_the_rows_that_hold_a_shape_agree_with_their_rates(theory):
    model = example.build(theory)
    model.components["motor"].angle = fm.Harmonic(1.0, 2.0)
    check_system(driven_system(model, Overrides(undeformed=True)))


def test_a_body_that_does_not_say_how_it_keeps_its_shape_is_refused_by_name(monkeypatch):
    monkeypatch.setattr("flexmb.elements.planar.AncfCable.keep_shape", fm.Component.keep_shape)
    with pytest.raises(SolverError, match=r"beam 'rod' can deform, and drives do not say how; it has no keep_shape"):
        fm.kinematics(example.build("ancf"), 0.3, flexible="undeformed")
    with pytest.raises(ModelError, match=r"flexible.*'rigid'"):
        fm.kinematics(example.build("cms"), 0.3, flexible="rigid")


def test_times_are_exactly_those_asked_for():
    model = example.build("rigid")
    motion = fm.kinematics(model, 0.3, times=[0.01, 0.1, 0.25], progress=False)
    assert motion.t.tolist() == [0.01, 0.1, 0.25]
    alone = fm.kinematics(model, times=[0.01, 0.1, 0.25], progress=False)
    np.testing.assert_array_equal(alone.q, motion.q)
    for times, words in (
        ([0.1, 0.4], "outside the run from 0 s to 0.3 s"),
        ([0.2, 0.1], "times must rise, but 0.1 s comes after 0.2 s"),
        ([], "no time in times"),
    ):
        with pytest.raises(ModelError, match=words):
            fm.kinematics(model, 0.3, times=times)
