"""Joints that follow wanted motions: the equation of errors, their order in the period, floating bases, wrong mass."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import flexmb as fm
from tests.control.arms import arm, bare, known

Gains = fm.control.Gains


def motions(count: int) -> list[fm.TimeFunction]:
    return [0.3 * fm.Harmonic(1.0, 2.0 + 0.3 * k) + 0.1 * k for k in range(count)]


@given(seed=st.integers(0, 10_000), space=st.booleans())
def test_errors_obey_their_own_equation(seed, space):
    rng, n = np.random.default_rng(seed), 3
    dimension = 3 if space else 2
    shape = rng.integers(3)
    gains = Gains(*(rng.uniform(0, 50, (n,) * shape) if shape < 2 else np.diag(rng.uniform(0, 50, n)) for _ in "pd"))
    law = fm.control.ComputedTorque(known(dimension, n), motions(n), gains)
    q, v, t = rng.normal(size=n), rng.normal(size=n), rng.uniform(0.0, 3.0)
    e, rate = law.errors(q, v, t)
    second = [f.second_rate(t) for f in motions(n)] - bare(dimension, n)(q, v, law.drives(q, v, t))
    Kp, Kd = (x * np.eye(n) if np.ndim(x) < 2 else x for x in (gains.position, gains.rate))
    assert second + Kd @ rate + Kp @ e == pytest.approx(np.zeros(n), abs=1e-8)


def test_held_torques_leave_an_error_of_the_first_order():
    """Against the closed form of ë + 2 ζ ω ė + ω² e = 0, e(0) = 0.2 rad, ζ = 1."""
    model, omega, worst = arm(2, 2), 8.0, []
    start = fm.Tree.of(model).start()[0]
    for period in (4e-3, 2e-3):
        plant = arm(2, 2)
        wanted = [x + 0.2 + 0.1 * fm.Harmonic(1.0, 3.0, phase=0.5 * np.pi) - 0.1 for x in start]
        law = fm.control.ComputedTorque(model, wanted, Gains.of(omega))
        law.control(plant, period=period)
        run = fm.simulate(plant, 1.0, tolerance=1e-8, progress=False)
        exact = 0.2 * (1.0 + omega * run.t) * np.exp(-omega * run.t)
        found = law.wanted[0](run.t) - run["link 0.angle"]
        worst.append(np.abs(found - exact).max())
    assert worst[1] < 3e-3
    assert np.log2(worst[0] / worst[1]) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("dimension", [2, 3])
def test_on_a_floating_base_the_joints_still_follow(dimension):
    law = fm.control.ComputedTorque(arm(dimension, 3, floats=True), motions(3), Gains(30.0, 5.0))
    rng, q = np.random.default_rng(4), law.tree.start()[0]
    q[-3:], v = rng.normal(size=3), rng.normal(size=law.tree.nv)
    tau = law.drives(q, v, 0.4)
    assert np.count_nonzero(tau) == 3  # nothing pushes the base
    found = bare(dimension, 3, floats=True)(q, v, tau)
    assert found == pytest.approx(law.accelerations(q, v, 0.4), abs=1e-9)
    e, rate = law.errors(q, v, 0.4)
    second = [f.second_rate(0.4) for f in motions(3)] - found[-3:]
    assert second + 5.0 * rate + 30.0 * e == pytest.approx(np.zeros(3), abs=1e-9)


def test_an_unknown_mass_leaves_a_steady_error():
    """K_p e = M⁻¹ Δh: at rest the torque of the law, M K_p e + h, is that of the weight with the whole hand."""
    chain, plant = arm(2, 2, hand=1.0), arm(2, 2, hand=1.1)
    start = fm.Tree.of(chain).start()[0]
    law = fm.control.ComputedTorque(chain, start.tolist(), Gains.of(12.0))
    law.control(plant, period=2e-3)
    run = fm.simulate(plant, 2.0, tolerance=1e-8, progress=False)
    q = np.array([run["link 0.angle"][-1], run["link 1.angle"][-1] - run["link 0.angle"][-1]])
    known, whole = fm.TreeDynamics(chain), fm.TreeDynamics(arm(2, 2, hand=1.1))
    missing = whole.bias(q, [0, 0]) - known.bias(q, [0, 0])
    assert 144.0 * (start - q) == pytest.approx(np.linalg.solve(known.mass_matrix(q), missing), rel=1e-5)


def test_gains_may_follow_the_state():
    law = fm.control.ComputedTorque(arm(2, 2), [0.1, 0.2], Gains(lambda q, v, t: [10.0 + t, 20.0], 0.0))
    assert law.accelerations([0.0, 0.0], [0.0, 0.0], 1.0) == pytest.approx([1.1, 4.0])
    wrong = fm.control.ComputedTorque(arm(2, 2), [0.1, 0.2], Gains(lambda q, v, t: [1.0, 2.0, 3.0], 0.0))
    with pytest.raises(fm.errors.ControlError, match=r"position has the shape \(3,\); there are 2 errors"):
        wrong.accelerations([0.0, 0.0], [0.0, 0.0])


def test_a_run_is_replayed(tmp_path):
    """The motion of a run under other torques, also from a file; before and after its time it holds its ends."""
    free = arm(2, 2)
    run = fm.simulate(free, 0.5, tolerance=1e-9, progress=False)
    dynamics = fm.TreeDynamics(free)
    for solution in (run, fm.load(run.save(tmp_path / "swing.h5"))):
        law = fm.control.ComputedTorque(arm(2, 2), solution, Gains.of(20.0))
        for t in (0.111, 0.3017, 0.4444):
            state = run.at([t])
            q = np.array([state["link 0.angle"][0], state["link 1.angle"][0] - state["link 0.angle"][0]])
            rates = state["link 0.angular_velocity"][0], state["link 1.angular_velocity"][0]
            v = np.array([rates[0], rates[1] - rates[0]])
            assert [f(t) for f in law.wanted] == pytest.approx(q, abs=1e-7)
            assert [f.rate(t) for f in law.wanted] == pytest.approx(v, abs=1e-5)
            # it fell without torques
            assert law.drives(q, v, t) == pytest.approx(np.zeros(2), abs=0.02)
            assert np.abs(dynamics.bias(q, v)).max() > 1.0
        assert law.wanted[0](9.0) == pytest.approx(law.wanted[0](0.5), abs=1e-13)
        assert law.wanted[0].rate(9.0) == 0.0
        # its last instant belongs to it, also for a controller whose times have round-off
        assert law.wanted[0].rate(np.nextafter(0.5, 1.0)) == pytest.approx(law.wanted[0].rate(0.5 - 1e-9), abs=1e-6)
    plant = arm(2, 2)
    law.control(plant, period=1e-3)
    again = fm.simulate(plant, 0.5, tolerance=1e-7, progress=False)
    assert again["link 1.b 1"].position[-1] == pytest.approx(run["link 1.b 1"].position[-1], abs=1e-3)


def test_a_run_is_replayed_in_space():
    model = arm(3, 3)
    run = fm.simulate(model, 0.3, tolerance=1e-9, progress=False)
    law = fm.control.ComputedTorque(arm(3, 3), run, Gains.of(20.0))
    assert [f(0.2) for f in law.wanted] == pytest.approx(
        [run.at([0.2])[f"joint {k}.angle"][0] for k in range(3)], abs=1e-7
    )
    q, v = (np.array([getattr(f, what)(0.2) for f in law.wanted]) for what in ("__call__", "rate"))
    assert law.drives(q, v, 0.2) == pytest.approx(np.zeros(3), abs=0.02)


def test_a_run_is_replayed_over_jumps_of_its_forces(tmp_path):
    """At a kink a run has two states that are round-off apart, whose difference says nothing of rates."""
    model = arm(2, 1, motors=False)
    travel = fm.TrapezoidalSpeed(0.5, 0.1, 0.1, 0.1)
    begun = model.components["link 0"].frame.angle
    model.drive_angle(model.ground, model.frames["link 0"], begun + travel, name="drive")
    run = fm.simulate(model, 0.6, "dop853", tolerance=1e-9, max_step=0.01, progress=False)
    steps = np.diff(run.t)
    assert np.count_nonzero(steps < 1e-14) >= 3
    for solution in (run, fm.load(run.save(tmp_path / "run.h5"))):
        (wanted,) = fm.control.ComputedTorque(arm(2, 1), solution, Gains.of(20.0)).wanted
        times = np.unique(np.concatenate([run.t, np.linspace(0.0, 0.6, 601)]))
        assert np.abs([wanted.second_rate(t) for t in times]).max() < 50.0  # 25 rad/s², and what a cubic overshoots
        assert np.abs([wanted.rate(t) - travel.rate(t) for t in times]).max() < 0.03


def test_wrong_input_is_refused():
    error, good = fm.errors.ControlError, Gains.of(5.0)
    law = fm.control.ComputedTorque(arm(2, 2), [0.0, 0.0], good)
    for period in (0.0, -1e-3):
        with pytest.raises(fm.FlexmbError, match="period"):
            law.control(arm(2, 2), period=period)
    with pytest.raises(error, match="no actuator 'motor 0', which the chain has"):
        law.control(arm(2, 2, motors=False), period=1e-3)
    with pytest.raises(error, match="no joint 'joint 1'"):
        law.control(arm(2, 1), period=1e-3)
    for wrong, match in (
        ((-1.0, 1.0), "position is -1.0; gains that are negative"),
        ((1.0, [[1.0, 0.0], [0.0, -1.0]]), "rate is"),
        ((1.0, [[1.0, 0.0]]), r"rate has the shape \(1, 2\)"),
    ):
        with pytest.raises(error, match=match):
            Gains(*wrong)
    with pytest.raises(fm.FlexmbError, match=r"one that follows the state is a function gain\(q, v, t\)"):
        Gains("stiff", 1.0)
    with pytest.raises(error, match=r"position has the shape \(3,\); there are 2 errors"):
        fm.control.ComputedTorque(arm(2, 2), [0.0, 0.0], Gains([1.0, 2.0, 3.0], 1.0))
    with pytest.raises(error, match=r"give fm\.control\.Gains"):
        fm.control.ComputedTorque(arm(2, 2), [0.0, 0.0], (1.0, 2.0))
    with pytest.raises(error, match=r"has 'joint 7\.angle', which no actuator of the chain moves"):
        fm.control.ComputedTorque(arm(2, 2), {"joint 7.angle": 0.0}, good)
    with pytest.raises(error, match=r"lacks 'joint 1\.angle'"):
        fm.control.ComputedTorque(arm(2, 2), {"joint 0.angle": 0.0}, good)
    with pytest.raises(error, match="has 3 functions of time"):
        fm.control.ComputedTorque(arm(2, 2), [0.0, 0.0, 0.0], good)
    with pytest.raises(fm.FlexmbError, match="jumps by 1 at t = 1 s"):
        fm.control.ComputedTorque(arm(2, 1), [fm.Step(1.0)], good)
    with pytest.raises(error, match="open_chain is 'arm'; give a model"):
        fm.control.ComputedTorque("arm", [0.0, 0.0], good)
    for holds in ("lock", "drive_angle"):
        held = arm(2, 2)
        getattr(held, holds)(held.frames["link 0"], held.frames["link 1"], *(["angle"] if holds == "lock" else [-0.5]))
        with pytest.raises(error, match=r"and its force would be missing"):
            fm.control.ComputedTorque(held, [0.0, 0.0], good)
    with pytest.raises(error, match="has no actuators"):
        fm.control.ComputedTorque(arm(2, 2, motors=False), [], good)
    with pytest.raises(error, match=r"has no 'joint 1\.angle'"):
        run = fm.simulate(arm(2, 1), 0.1, progress=False)
        fm.control.ComputedTorque(arm(2, 2), run, good)
    closed = arm(2, 3)
    closed.revolute(closed.ground, closed.frames["link 2.b 2"], name="last")
    with pytest.raises(error, match="loops of its own"):
        fm.control.ComputedTorque(closed, [0.0] * 3, good)
    ajar = arm(2, 2)
    ajar.components["joint 1"].b.node.position = np.zeros(2)
    with pytest.raises(error, match=r"joint 'joint 1' of the chain is open at its start, by 0\.627 m"):
        fm.control.ComputedTorque(ajar, [0.0, 0.0], good)
    twice = arm(2, 2)
    twice.joint_force(twice.components["joint 1"], 0.0, name="second")
    with pytest.raises(error, match=r"'motor 1' and 'second' both move 'joint 1\.angle'"):
        fm.control.ComputedTorque(twice, [0.0, 0.0], good)
    pushed = arm(2, 2)
    pushed.components["motor 1"].force = 2.0
    with pytest.raises(error, match="its own force, to which commands are added"):
        fm.control.ComputedTorque(pushed, [0.0, 0.0], good)
    rubbed = fm.PlanarModel("rubbed")
    body = rubbed.add_body("body", mass=1.0, inertia=1.0)
    rubbed.joint_force(rubbed.revolute(rubbed.ground, body.frame, friction=fm.JointFriction(0.1, radius=0.01)), 0.0)
    with pytest.raises(error, match="its friction would be missing"):
        fm.control.ComputedTorque(rubbed, [0.0], good)
    with pytest.raises(error, match="a base that floats"):
        fm.control.ComputedTorque(arm(2, 2, floats=True), [0.0, 0.0], good).control(arm(2, 2, floats=True), period=1e-3)


def test_a_plant_in_space_that_counts_from_elsewhere_is_refused():
    def hinge(angle):
        m = fm.SpatialModel("door")
        door = m.add_body("door", mass=1.0, inertia=(1, 1, 1), orientation=fm.rotation_vector((0, 0, angle)))
        m.joint_force(m.revolute(m.ground, door.frame, axis="z", name="hinge"), 0.0, name="motor")
        return m

    law = fm.control.ComputedTorque(hinge(0.0), [0.3], Gains.of(5.0))
    law.control(hinge(0.0), period=1e-2)
    with pytest.raises(fm.errors.ControlError, match="would count from another place"):
        law.control(hinge(0.2), period=1e-2)
    with pytest.raises(fm.errors.ControlError, match="starts otherwise than in the chain"):
        fm.control.ComputedTorque(hinge(0.0), fm.simulate(hinge(0.2), 0.1, progress=False), Gains.of(5.0))
