"""Pairs of features: members of a batch against single runs, to the bit, and how many of them were served in lanes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.batches.lane_runs import LaneRuns
from flexmb.solvers.binding.initial_state import state_of
from tests.batches.swings import controlled, pendulum, quiet
from tests.models.four_bars import four_bar

FIXED = {"step": 2e-3, "second_run": False}
JOINTS = {"formulation": "aba"}


@pytest.fixture
def in_lanes(monkeypatch):
    """The members that lanes have served so far."""
    served, run = [], LaneRuns.run

    def counted(self, *start):
        found = run(self, *start)
        if found is not None:
            served.append(found)
        return found

    monkeypatch.setattr(LaneRuns, "run", counted)
    return served


def agree(build, t_end, method, outputs, *, vary=None, initial=None, put=None, **options):
    """Compare members with single runs of models of their own, which `put` changes."""
    runs = quiet(
        fm.batch, build(), t_end, method, vary=vary, initial=initial, outputs=outputs, progress=False, threads=2,
        **options,
    )  # fmt: skip
    for k in range(len(runs)):
        model = build()
        if put is not None:
            put(model, k)
        start = initial[k] if isinstance(initial, list) else None
        options = {"times": [t_end], **options}
        alone = quiet(fm.simulate, model, t_end, method, initial=start, progress=False, **options)
        assert (runs.status[k], runs.messages[k]) == (alone.status, alone.message)
        for name in outputs:
            reached = alone.t == np.array(options["times"])[: len(alone.t)]
            assert runs[name][k][: len(alone.t)][reached].tobytes() == alone[name][reached].tobytes()
            assert np.isnan(runs[name][k][np.count_nonzero(reached) :]).all()
    return runs


def damped():
    m = pendulum()
    m.torsion_spring(m.ground, m.frame("bob"), stiffness=1.0, damping=0.3, name="spring")
    m.components["motor"].torque = fm.Harmonic(1.0, 3.0)
    return m


def craft():
    """Two bodies on a hinge in orbit."""
    field = fm.spatial.CentralGravity(3.986004418e14, position=(7e6, 0, 0), velocity=(0, 7546.053290107541, 0))
    m = fm.SpatialModel("craft", gravity=field)
    a = m.add_body("a", mass=20.0, inertia=(5.0, 4.0, 3.0))
    b = m.add_body("b", mass=2.0, inertia=(0.1, 0.5, 0.5), position=(1.5, 0, 0))
    m.revolute(a.attach("end", (1, 0, 0)), b.attach("start", (-0.5, 0, 0)), axis="z", name="hinge")
    return m


def with_memory():
    """Bristles in a hinge, and a gap between two rotors."""
    m = pendulum()
    bristles = fm.LuGre(stiffness=2e3, damping=5.0, viscous=0.1, coulomb=0.5, static=0.8, stribeck_speed=0.1)
    m.joint_force(m.components["hinge"], fm.Harmonic(2.0, 3.0), friction=bristles, name="pull")
    wheels = [m.add_body(f"wheel{k}", mass=0.1, inertia=0.01, position=(3, 0)) for k in range(2)]
    for k, wheel in enumerate(wheels):
        m.revolute(m.ground.attach(f"axle{k}", (3, 0)), wheel.frame, name=f"bearing{k}")
    m.backlash(*(wheel.frame for wheel in wheels), gap=0.02, stiffness=200.0, damping=0.5, name="gear")
    m.point_torque(wheels[0].frame, fm.Harmonic(0.5, 6.0), name="drive")
    return m


def starts(build, count=2, size=1.0):
    tree, rng = fm.Tree.of(build()), np.random.default_rng(2)
    x, u = tree.start()
    turned = np.array([name.endswith(".angle") for name in tree.coordinate_names], dtype=float)
    return [
        tree.state(x + size * turned * rng.uniform(-1, 1, len(x)), u + size * rng.normal(size=len(u)))
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    "method, options",
    [
        ("rkf45", {**FIXED, **JOINTS}),
        ("rkf45", {"tolerance": 1e-6}),
        ("euler", {**FIXED, **JOINTS}),
        ("generalized_alpha", FIXED),
        ("rosenbrock", {**FIXED, **JOINTS}),
    ],
)
def test_work_is_that_of_all_steps(method, options, in_lanes):
    """Between few times, a sum over these alone would be off in the second digit."""
    outputs = ["energy.dissipated", "energy.input", "energy.balance", "energy.total", "hinge.fx"]
    given = {"times": [0.5, 0.7, 2.5123], "t_start": 0.5, **options}
    agree(damped, 2.5123, method, outputs, initial=starts(damped), **given)
    assert len(in_lanes) == 2


def test_work_with_controllers_that_command_and_forces_that_are_found_later(in_lanes):
    outputs = ["energy.input", "hinge.fx", "bob.y"]
    agree(controlled, 0.5, "rkf45", outputs, initial=starts(controlled, 4), times=[0.0, 0.1234, 0.5], **FIXED, **JOINTS)
    assert len(in_lanes) == 4


@pytest.mark.parametrize("times", [[1100.0], [1000.0, 1003.5, 1100.0]])
@pytest.mark.parametrize(
    "method, options",
    [("dop853", JOINTS), ("rkf45", {"step": 1.0, "second_run": False, **JOINTS}), ("radau", {})],
)
def test_in_orbit_from_a_later_time_on(method, options, times, in_lanes):
    outputs = ["b.x", "energy.potential", "energy.input"]
    agree(craft, 1100.0, method, outputs, initial=starts(craft, size=0.01), times=times, t_start=1000.0, **options)
    assert in_lanes or method == "dop853"


@pytest.mark.parametrize(
    "method, options, served",
    [("generalized_alpha", {"step": 1e-3, "second_run": False}, 2), ("rosenbrock", JOINTS, 2), ("radau", {}, 0)],
)
def test_states_of_first_order(method, options, served, in_lanes):
    outputs = ["bob.y", "wheel1.angle", "hinge.fx", "energy.strain"]
    times = [0.0, 0.0505, 0.2]
    agree(with_memory, 0.2, method, outputs, initial=starts(with_memory, size=0.1), times=times, **options)
    assert len(in_lanes) >= served


@pytest.mark.parametrize(
    "method, options",
    [("rkf45", FIXED), ("rkf45", {**FIXED, **JOINTS}), ("dop853", {}), ("generalized_alpha", FIXED), ("radau", {})],
)
def test_loops_whose_joint_forces_are_asked_for(method, options):
    initial = [state_of(fm.simulate(four_bar(), t, "radau", progress=False), "start") for t in (0.1, 0.2)]
    times = [0.0, 0.0505, 0.3]
    agree(four_bar, 0.3, method, ["left.y", "A.fx", "C.fy"], initial=initial, times=times, **options)


def test_seeds_of_noise(in_lanes):
    seeds = [0, 1, 5]

    def put(model, k):
        model.controllers["servo"].seed = seeds[k]

    runs = agree(
        controlled, 0.2, "rkf45", ["bob.y"], vary={"servo.seed": seeds}, put=put, times=[0.1, 0.2], **FIXED, **JOINTS
    )
    assert len(set(runs["bob.y"][:, -1])) == len(in_lanes) == 3


def law_of(gain):
    return fm.control.PythonLaw(lambda t, y: [-gain * y[0]])


def test_laws_of_python_that_differ_in_what_they_enclose():
    gains = [0.5, 5.0]

    def put(model, k):
        model.controllers["servo"].law = law_of(gains[k])

    vary = {"servo.law": [law_of(gain) for gain in gains]}
    runs = agree(controlled, 0.2, "rkf45", ["bob.y"], vary=vary, put=put, times=[0.1, 0.2], **FIXED)
    assert len(set(runs["bob.y"][:, -1])) == 2


@pytest.mark.parametrize("options", [{"step": 2e-3, "second_run": False, **JOINTS}, {"tolerance": 1e-5}])
def test_a_method_of_ones_own(options, in_lanes):
    fm.add_method("heun", fm.runge_kutta([[0, 0], [1, 0]], [0.5, 0.5], order=2, embedded=[1, 0]))
    agree(damped, 0.3, "heun", ["bob.y", "hinge.fx"], initial=starts(damped), times=[0.1, 0.3], **options)
    assert len(in_lanes) == 2


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from([("rkf45", FIXED), ("rkf45", {**FIXED, **JOINTS}), ("dop853", JOINTS), ("rosenbrock", JOINTS)]),
    st.floats(-5.0, 5.0),
    st.lists(st.floats(0.0, 0.3), min_size=1, max_size=5, unique=True),
    st.sets(st.sampled_from(["bob.y", "hinge.angle", "hinge.fx", "energy.kinetic", "energy.dissipated"]), min_size=1),
)
def test_any_times_and_outputs(case, t_start, after, outputs):
    method, options = case
    times = sorted({t_start, *(t_start + x for x in after)})
    initial = starts(damped, 2)
    agree(damped, t_start + 0.3, method, sorted(outputs), initial=initial, times=times, t_start=t_start, **options)


def test_long_runs_keep_few_steps(in_lanes):
    """Rows beyond those that may wait are interpolated on the way."""
    options = {"step": 1e-4, "second_run": False, "times": [0.2, 0.30005, 2.0], **JOINTS}
    agree(damped, 2.0, "rkf45", ["bob.y", "hinge.fx"], initial=starts(damped), **options)
    agree(damped, 2.0, "rkf45", ["bob.y", "hinge.rate"], initial=starts(damped), **options)
    assert len(in_lanes) == 4


def test_members_that_stop_have_nothing_at_later_times():
    m = pendulum()
    m.add_event(fm.crossing("bob.angle", -0.5), fm.StopRun(), name="low")
    given = {"initial": {"hinge.rate": [0.0, 1.0]}, "outputs": ["bob.angle"], "progress": False}
    runs = fm.batch(m, 1.0, "dop853", times=[0.4, 1.0], **given)
    assert runs.status.tolist() == ["stopped", "stopped"]  # at 0.33 and 0.45 s
    assert np.isnan(runs["bob.angle"]).tolist() == [[True, True], [False, True]]


def test_members_that_cannot_be_built_fail_alone_wherever_they_stand():
    runs = fm.batch(pendulum(), 0.1, "dop853", vary={"bob.mass": [-1.0, 2.0]}, outputs=["bob.y"], progress=False)
    assert runs.status.tolist() == ["failed", "finished"]

    def build(there):
        m = pendulum()
        if there:
            m.add_body("extra", mass=1.0, inertia=0.1)
        return m

    runs = fm.batch(build, 0.1, "dop853", vary={"there": [True, False, True]}, outputs=["extra.y"], progress=False)
    assert runs.status.tolist() == ["finished", "failed", "finished"]
    assert "extra.y" in runs.messages[1]
    with pytest.raises(fm.errors.ModelError, match="mass is -1"):
        fm.batch(pendulum(), 0.1, "dop853", vary={"bob.mass": [-1.0, -2.0]}, progress=False)
