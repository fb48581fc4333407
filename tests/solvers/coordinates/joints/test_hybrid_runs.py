"""Runs by blocks of formulas with all that a run may have at once."""

from __future__ import annotations

import pytest

import flexmb as fm


def everything():
    """An arm with a flexible link: friction by a joint's own force, a sampled controller, a law with a state, a spring
    that is cut, and an event that is noted."""
    m, given = fm.PlanarModel("everything", gravity=(0, -9.81)), fm.planar.BeamProperties(EA=1e6, EI=50.0, rhoA=0.6)
    upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(0.5, 0))
    rubbing = fm.JointFriction(0.1, radius=0.05, smoothing=0.2)
    m.revolute(m.ground, upper.attach("near", (-0.5, 0)), name="shoulder", friction=rubbing)
    root, damping = upper.attach("far", (0.5, 0)), fm.StiffnessProportional(0.01)
    rod = m.add_beam("rod", root, (2, 0), properties=given, theory="floating", modes=1, damping=damping)
    tip = m.add_body("tip", mass=0.5, inertia=0.05, position=(2.3, 0))
    m.revolute(rod.end, tip.attach("near", (-0.3, 0)), name="wrist")
    motor = m.motor(rod.end, tip.frame, inertia=0.0, torque=0.0, name="motor")
    drag = m.point_torque(tip.frame, 0.0, name="drag")
    angle, rate = fm.control.RelativeAngle(rod.end, tip.frame), fm.control.RelativeRate(rod.end, tip.frame)
    m.add_controller("servo", period=0.01, sensors=[angle, rate], commands=motor, law=[[-5.0, -0.5]])
    m.add_states("lag", lambda t, y, x: 20.0 * (-0.1 * y - x), start=[0.0], sensors=[rate], commands=drag)
    rope = m.spring_damper(m.ground.attach("hook", (2, 1)), tip.frame, stiffness=200.0, damping=1.0, name="rope")
    m.add_event(0.12, fm.Switch(off=rope), name="cut")
    m.add_event(fm.crossing("tip.y", -0.1), fm.Note(), "low")
    return m


def test_everything_at_once(tmp_path):
    def run(formulation, end=0.25, **more):
        given = {"formulation": formulation, "progress": False, "tolerance": 1e-8, **more}
        return fm.simulate(everything(), end, "dop853", **given)

    known = run("aba")
    found = run(fm.Hybrid(block=1))
    assert found.q == pytest.approx(known.q, abs=1e-11) and found.multipliers == pytest.approx(
        known.multipliers, abs=1e-7
    )
    assert [e.name for e in found.events] == ["cut", "low"]
    assert [e.t for e in found.events] == pytest.approx([e.t for e in known.events], abs=1e-10)
    run("hybrid", 0.15).save(tmp_path / "half.h5")
    rest = run("hybrid", t_start=0.15, initial=fm.load(tmp_path / "half.h5"))
    assert rest.q[-1] == pytest.approx(known.q[-1], abs=1e-8)
