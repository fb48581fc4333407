"""Driven mechanisms: positions, rates and forces against closed forms, and what is reported where they fail."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.analyses.kinematics.driven_path import DrivenPath
from flexmb.analyses.kinematics.motion import kinematics
from flexmb.errors import InitialConditionError, ModelError, NamingError, RedundancyError, SolverError
from flexmb.examples import slider_crank as example
from flexmb.validation.references.slider_crank import SliderCrank
from tests.analyses.kinematics.linkages import bar, circles_meet, four_bar, slider_crank

GRASHOF = (0.3, 1.0, 0.8, 1.0)
ROCKING = (1.0, 1.2, 0.9, 1.5)
PARALLEL = (0.5, 1.0, 0.5, 1.0)


def rocking_limit() -> float:
    """The crank angle at which coupler and rocker of ROCKING lie in one line."""
    a, b, c, d = ROCKING
    return float(np.arccos((a**2 + d**2 - (b + c) ** 2) / (2 * a * d)))


def test_slider_crank_over_time_and_over_a_turn_of_its_crank():
    shape = SliderCrank(example.CRANK, example.ROD)
    drive = example.DRIVE
    run = kinematics(example.build("rigid"), 0.3, steps=150, progress=False)
    exact = np.array([shape.slider(drive(t), drive.rate(t), drive.second_rate(t)) for t in run.t])
    track = run["slider"]
    for got, reference in zip((track.position, track.velocity, track.acceleration), exact.T):
        np.testing.assert_allclose(got[:, 0], reference, rtol=0, atol=1e-13 * np.max(np.abs(exact[:, 2])))
    turn = kinematics(example.build("rigid", start=0.4), drive="motor", over=(0, 2 * np.pi), steps=90, progress=False)
    exact = np.array([shape.slider(angle, 1.0, 0.0) for angle in turn.t])
    track = turn["slider"]
    assert turn.drive == "motor" and turn.events == [] and turn.status == "finished"
    for got, reference in zip((track.position, track.velocity, track.acceleration), exact.T):
        np.testing.assert_allclose(got[:, 0], reference, rtol=0, atol=1e-14)


def test_rates_are_those_of_the_positions():
    motion = kinematics(four_bar(GRASHOF, 0.5, fm.Polynomial([0.5, 3.0, 2.0])), 1.0, steps=2000, progress=False)
    h = motion.t[1]
    for x, rate in ((motion.q, motion.v), (motion.v, motion.a)):
        differences = (8 * (x[3:-1] - x[1:-3]) - (x[4:] - x[:-4])) / (12 * h)
        np.testing.assert_allclose(differences, rate[2:-2], atol=3e-9 * np.max(np.abs(motion.a)))


def test_every_position_is_on_the_assembly_that_was_drawn():
    a, b, c, d = GRASHOF
    for side in (1.0, -1.0):
        turn = kinematics(four_bar(GRASHOF, 0.5, side=side), drive="motor", over=(-7.0, 7.0), steps=9, progress=False)
        for angle, got in zip(turn.t, turn["coupler.far"].position):
            top = a * np.array([np.cos(angle), np.sin(angle)])
            np.testing.assert_allclose(got, circles_meet(top, b, (d, 0), c, side), atol=1e-13)


def test_drive_torque_does_the_work():
    motion = kinematics(four_bar(GRASHOF, 0.5, fm.Polynomial([0.5, 3.0, 2.0])), 1.0, steps=400, progress=False)
    system = motion.source.system
    energy = np.array([system.energy(*state)[[0, 2]].sum() for state in zip(motion.t, motion.q, motion.v)])
    work = motion["motor.moment"] * motion["crank"].angular_velocity
    h = motion.t[1]
    rate = (8 * (energy[3:-1] - energy[1:-3]) - (energy[4:] - energy[:-4])) / (12 * h)
    np.testing.assert_allclose(work[2:-2], rate, atol=1e-6 * np.max(np.abs(rate)))
    assert motion.energy.error < 1e-7


def test_inverse_and_forward_dynamics_agree():
    model = four_bar(GRASHOF, 0.5, fm.Polynomial([0.5, 0.0, 2.0]))
    forward = fm.simulate(model, 1.0, "projection", tolerance=1e-10, absolute_tolerance=1e-12, progress=False)
    inverse = kinematics(model, times=forward.t, progress=False)
    np.testing.assert_allclose(inverse.q, forward.q, atol=1e-9)
    np.testing.assert_allclose(inverse.a, forward.a, atol=1e-7)
    for joint in ("foot", "elbow", "knee", "hip", "motor"):
        for got, reference in zip(inverse.reaction(joint), forward.reaction(joint)):
            np.testing.assert_allclose(got, reference, atol=1e-7 * np.max(np.abs(forward.multipliers)))


def test_lock_up_is_found_where_coupler_and_rocker_lie_in_one_line():
    limit = rocking_limit()
    motion = kinematics(four_bar(ROCKING, 1.0), drive="motor", over=(-3, 3), steps=300, progress=False)
    assert motion.status == "locked"
    assert [e.kind for e in motion.events] == ["lock-up"] * 2
    np.testing.assert_allclose([e.t for e in motion.events], [-limit, limit], rtol=0, atol=1e-10)
    assert motion.t[0] == pytest.approx(-limit, abs=0.02) and motion.t[-1] == pytest.approx(limit, abs=0.02)
    assert "crank" not in motion.events[0].motion and "rocker" in motion.events[0].motion
    assert "motor" in motion.events[0].locked and "'motor' at 1.96781" in motion.message

    dense = limit - np.geomspace(0.1, 1e-9, 30)
    model = four_bar(ROCKING, 1.0, fm.Polynomial([1.0, 1.0]))  # drawn as it stands at t = 0
    near = kinematics(model, times=dense - 1.0, progress=False)
    assert near.status == "finished" and near.events == []
    a, b, c, d = ROCKING
    ends = [circles_meet(a * np.array([np.cos(x), np.sin(x)]), b, (d, 0), c) for x in dense]
    np.testing.assert_allclose(near["coupler.far"].position, ends, atol=1e-7)
    beyond = kinematics(four_bar(ROCKING, 1.0, fm.Polynomial([1.0, 1.0])), 3.0, progress=False)
    assert beyond.events[0].t == pytest.approx(limit - 1.0, abs=1e-10)
    assert beyond.events[0].drives == {"motor": pytest.approx(limit)}


def test_dead_points_of_a_driven_slider():
    motion = kinematics(slider_crank(), drive="push", over=(0.15, 0.45), steps=30, progress=False)
    assert motion.status == "locked" and len(motion.t) == 29  # the ends of the stroke are the dead points themselves
    np.testing.assert_allclose([e.t for e in motion.events], [0.15, 0.45], rtol=0, atol=1e-12)
    short = kinematics(slider_crank(), drive="push", over=(0.2, 0.4499999999), steps=30, progress=False)
    assert short.status == "finished" and short.events == []
    with pytest.raises(SolverError, match=r"dead point.*'crank' turns"):
        kinematics(slider_crank(0.0), drive="push", over=(0.2, 0.4), progress=False)
    with pytest.raises(SolverError, match=r"no position of the range can be reached.*locks at 0\.45"):
        kinematics(slider_crank(), drive="push", over=(0.46, 0.5), progress=False)


@pytest.mark.parametrize("bends", [(0.3, -0.5, 0.9), (0.0, 0.0, 0.0)])
def test_an_arm_with_more_joints_than_drives_is_not_driven_wherever_it_stands(bends):
    """Where it is stretched out, a singular position, no dead point is reported."""
    model = fm.PlanarModel("arm")
    at, place, turned = model.ground, np.zeros(2), np.cumsum(bends)
    for k, angle in enumerate(turned.tolist()):
        e = np.array([np.cos(angle), np.sin(angle)])
        link = model.add_body(f"link {k}", mass=1.0, inertia=0.1, position=tuple(place + 0.5 * e), angle=angle)
        model.revolute(at, link.attach("start", (-0.5, 0.0)))
        at, place = link.attach("end", (0.5, 0.0)), place + e
    for axis, start in zip((0.0, 0.5 * np.pi), place.tolist()):
        model.drive_position(model.ground, at, fm.SmoothStep(0.0, 1.0, start, 0.8 * start), axis=axis)
    with pytest.raises(SolverError, match=r"no joint or drive says how it moves \(1 free motion\)"):
        kinematics(model, 1.0, progress=False)


def test_a_slider_driven_over_its_full_stroke_passes_the_dead_points():
    start = 0.15 * np.cos(0.7) + np.sqrt(0.3**2 - (0.15 * np.sin(0.7)) ** 2)
    phase = np.arcsin((start - 0.3) / 0.15)
    push = fm.Harmonic(0.15, 2.0, phase, 0.3)
    motion = kinematics(slider_crank(0.7, push), np.pi, steps=300, progress=False)
    assert [e.kind for e in motion.events] == ["change point"] * 2
    np.testing.assert_allclose([e.t for e in motion.events], (np.array([0.5, 1.5]) * np.pi - phase) / 2.0, atol=1e-9)
    assert motion["crank"].angle[-1] == pytest.approx(0.7 - 2 * np.pi, abs=1e-9)  # once round


@pytest.mark.parametrize("steps", [7, 40, 360])
def test_parallelogram_stays_one_at_its_change_points(steps):
    motion = kinematics(four_bar(PARALLEL, 0.5), drive="motor", over=(0, 2 * np.pi), steps=steps, progress=False)
    assert motion.status == "finished" and len(motion.t) == steps + 1
    np.testing.assert_allclose([e.t for e in motion.events], [0, np.pi, 2 * np.pi], rtol=0, atol=1e-10)
    assert {e.kind for e in motion.events} == {"change point"}
    assert set(motion.events[1].locked) == {"foot", "elbow", "knee", "hip"}
    np.testing.assert_allclose(motion["rocker"].angle, motion.t, atol=1e-12)
    circle = 0.5 * np.stack([np.cos(motion.t), np.sin(motion.t)], axis=1)
    np.testing.assert_allclose(motion["coupler"].acceleration, -circle, atol=5e-9)
    # all weights rise with the crank: 1 m of coupler at 0.5 m, two bars of 0.5 m at 0.25 m
    np.testing.assert_allclose(motion["motor.moment"], 9.81 * 0.75 * np.cos(motion.t), atol=1e-6)
    there = np.isclose(np.sin(motion.t), 0.0, atol=1e-9)
    assert np.array_equal(np.isnan(motion["hip.fx"]), there)


def test_two_parallelograms_in_one_pass_together():
    model = four_bar(PARALLEL, 0.5)
    far = np.array([1.0, 0.0]) + 0.5 * np.array([np.cos(0.5), np.sin(0.5)])
    link = bar(model, "second coupler", far, far + [1.0, 0.0])
    rocker = bar(model, "second rocker", (2.0, 0.0), far + [1.0, 0.0])
    model.revolute(model.frame("rocker.far"), link[0])
    model.revolute(link[1], rocker[1])
    model.revolute(model.add_frame("second base", (2.0, 0.0), fixed=True), rocker[0])
    motion = kinematics(model, drive="motor", over=(0.5, 5.0), steps=50, progress=False)
    assert [round(e.t, 7) for e in motion.events] == [round(np.pi, 7)]  # det G does not change its sign there
    np.testing.assert_allclose(motion["second rocker"].angle, motion.t, atol=1e-11)


@pytest.mark.parametrize("relative", [False, True])
def test_a_motor_is_swept_by_the_angle_of_its_rotor(relative):
    model = four_bar(GRASHOF, 0.5, driven=False)
    start = 2.0 if relative else 0.0
    angle = fm.Harmonic(3.0, 7.0) + start
    model.motor(model.ground, model.frame("crank"), inertia=0.01, ratio=10.0, angle=angle, name="servo")
    model.point_torque(model.frame("rocker"), fm.Polynomial([2.0, 50.0]), name="load")
    motion = kinematics(model, drive="servo", over=(start - 5.0, start + 60.0), steps=40, progress=False)
    np.testing.assert_allclose(motion["crank"].angle, 0.5 + (motion.t - start) / 10.0, atol=1e-13)
    with_load = kinematics(model, times=[0.0], progress=False)
    model.components["load"].torque = fm.Constant(2.0)
    at_start = kinematics(model, drive="servo", over=(start, start + 1.0), steps=1, progress=False)
    np.testing.assert_array_equal(at_start.q[0], with_load.q[0])
    other = kinematics(model, drive="servo", over=(start - 5.0, start + 60.0), steps=40, progress=False)
    np.testing.assert_array_equal(motion.multipliers, other.multipliers)  # loads stand as at t = 0


def test_the_order_of_the_range_does_not_matter():
    up = kinematics(four_bar(GRASHOF, 0.5), drive="motor", over=(0.0, 3.0), steps=20, progress=False)
    down = kinematics(four_bar(GRASHOF, 0.5), drive="motor", over=(3.0, 0.0), steps=20, progress=False)
    np.testing.assert_array_equal(up.t, down.t)
    np.testing.assert_array_equal(up.a, down.a)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.floats(-3.0, 3.0), st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))
def test_drives_of_a_free_body_prescribe_it(angle, x, y):
    model = fm.PlanarModel("table")
    table = model.add_body("table", mass=2.0, inertia=0.3)
    model.drive_position(model.ground, table.frame, fm.Polynomial([0.0, x]), name="x")
    model.drive_position(model.ground, table.frame, fm.Polynomial([0.0, 0.0, y]), axis=np.pi / 2, name="y")
    model.drive_angle(model.ground, table.frame, fm.Polynomial([0.0, 0.0, angle]), name="turn")
    motion = kinematics(model, 2.0, steps=4, progress=False)
    np.testing.assert_allclose(motion["table"].position[-1], [2 * x, 4 * y], atol=1e-12)
    np.testing.assert_allclose(motion["y.fy"], 4.0 * y, atol=1e-12)
    np.testing.assert_allclose(motion["turn.moment"], 0.6 * angle, atol=1e-12)


def test_large_systems_go_the_same_way(monkeypatch):
    small = kinematics(four_bar(PARALLEL, 0.5), drive="motor", over=(0.3, 5.0), steps=60, progress=False)
    monkeypatch.setattr("flexmb.analyses.kinematics.driven.DENSE_LIMIT", 0)
    large = kinematics(four_bar(PARALLEL, 0.5), drive="motor", over=(0.3, 5.0), steps=60, progress=False)
    assert large.source.system.pattern is not None
    np.testing.assert_allclose(large.q, small.q, atol=1e-11)
    assert large.events[0].t == pytest.approx(np.pi, abs=1e-10)
    locked = kinematics(four_bar(ROCKING, 1.0), drive="motor", over=(0.0, 3.0), steps=30, progress=False)
    assert locked.events[0].t == pytest.approx(rocking_limit(), abs=1e-10)


# -- what cannot be driven --------------------------------------------------------------------------------------------


def test_a_free_mechanism_names_what_is_loose():
    with pytest.raises(SolverError, match=r"1 free motion.*'crank' turns.*add a drive"):
        kinematics(four_bar(GRASHOF, 0.5, driven=False), 1.0)
    with pytest.raises(SolverError, match=r"beam 'rod' can deform, .*; give flexible='undeformed'"):
        kinematics(example.build("cms"), 1.0)


def test_a_drive_too_many_is_named():
    model = four_bar(GRASHOF, 0.5)
    angle = model.frame("rocker").angle
    model.drive_angle(model.ground, model.frame("rocker"), angle, name="second")
    with pytest.raises(RedundancyError, match=r"'second'.*drives what is driven or held already"):
        kinematics(model, 1.0, redundant="error")
    with pytest.warns(fm.errors.RedundancyWarning, match="'second'"):
        still = kinematics(model, 1.0, steps=5, progress=False)
    assert still.status == "finished" and np.ptp(still.q) == pytest.approx(np.ptp(still.q[0]))
    model = four_bar(GRASHOF, 0.5, fm.Polynomial([0.5, 1.0]))
    model.drive_angle(model.ground, model.frame("rocker"), angle, name="second")
    with pytest.warns(fm.errors.RedundancyWarning, match="'second'"):
        stopped = kinematics(model, 1.0, redundant="remove", progress=False)
    assert stopped.status == "lost" and "second (angle) was left out" in stopped.message and len(stopped.t) == 1


def test_a_system_without_redundant_rows_has_the_others_of_its_jacobian():
    model = fm.PlanarModel("m")
    crank = model.add_body("crank", mass=1.0, inertia=0.1, center=(0.5, 0))
    rod = model.add_body("rod", mass=1.0, inertia=0.1, position=(1, 0))
    for name in ("hinge", "same hinge"):
        model.revolute(model.ground, crank.frame, name=name)
    model.revolute(crank.attach("tip", (1, 0)), rod.frame, name="knee")
    whole, kept = fm.System(model), np.array([0, 1, 4, 5])
    G = whole.jacobian(0.0, whole.q0)
    assert np.array_equal(whole.with_rows(kept).jacobian(0.0, whole.q0), G[kept]) and G.any()


def test_a_drive_that_contradicts_the_others_from_the_start():
    model = four_bar(GRASHOF, 0.5)
    model.drive_angle(model.ground, model.frame("rocker"), model.frame("rocker").angle + 0.3, name="second")
    with pytest.raises(RedundancyError, match="'second'"):
        kinematics(model, 1.0)


def test_wrong_questions():
    model = four_bar(GRASHOF, 0.5)
    with pytest.raises(NamingError, match="did you mean 'motor'"):
        kinematics(model, drive="moter", over=(0, 1))
    for wrong in (
        {},
        {"t_end": -1.0},
        {"t_end": 1.0, "times": [1.5]},
        {"times": [1.0, 0.5]},
        {"times": "soon"},
        {"drive": "motor"},
        {"over": (0, 1)},
        {"drive": "motor", "over": (1, 1)},
        {"drive": "motor", "over": (0, 1), "t_end": 1.0},
        {"t_end": 1.0, "steps": 0},
    ):
        with pytest.raises(ModelError):
            kinematics(model, **wrong)
    with pytest.raises(InitialConditionError, match="cannot be brought together"):
        kinematics(four_bar(ROCKING, 1.0, 3.0), 1.0)


def test_a_motion_is_a_solution(tmp_path):
    motion = kinematics(four_bar(GRASHOF, 0.5), drive="motor", over=(0, 6), steps=30, progress=False)
    assert motion.at([1.23])["crank"].angle == pytest.approx(1.23, abs=1e-6)
    assert fm.load(motion.save(tmp_path / "m.h5"))["coupler.x"] == pytest.approx(motion["coupler.x"])
    assert "drive 'motor' = 0 … 6" in str(motion)


@pytest.mark.parametrize(("lengths", "start"), [(GRASHOF, 0.5), (PARALLEL, 0.5), (ROCKING, 1.0)])
def test_compiled_steps_are_those_of_the_path_itself(lengths, start, monkeypatch):
    options = {"drive": "motor", "over": (-9.0, 20.0), "steps": 100, "progress": False}
    found = kinematics(four_bar(lengths, start), **options)
    monkeypatch.setattr(DrivenPath, "_plain_steps", lambda *_: [])
    expected = kinematics(four_bar(lengths, start), **options)
    assert found.status == expected.status and len(found.events) == len(expected.events)
    np.testing.assert_allclose(found.q, expected.q, atol=1e-10)
    np.testing.assert_allclose(found.a, expected.a, rtol=1e-6, atol=1e-6)
