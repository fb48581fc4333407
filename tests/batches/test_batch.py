"""Members of a batch against single runs, to the bit; what fails fails alone; wrong input is named."""

from __future__ import annotations

import signal

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import FlexmbError, ModelError, NamingError, SolverError
from flexmb.validation.performance.arm import arm
from tests.batches.swings import controlled, pendulum, quiet, whip

FIXED = {"step": 2e-3, "second_run": False}
METHODS = [
    ("rkf45", {**FIXED, "formulation": "aba"}),
    ("dop853", {"formulation": "aba"}),
    ("generalized_alpha", FIXED),
    ("radau", {}),
    ("independent", {}),
]


def same(runs, k, alone, outputs):
    for name in outputs:
        np.testing.assert_array_equal(runs[name][k], alone[name])


#: explicit methods would follow the fast vibration of a beam
CASES = [(build, *case) for case in METHODS for build in (pendulum, lambda: arm(2))]


@pytest.mark.parametrize("build, method, options", CASES)
def test_other_starts(build, method, options):
    model, rng, n = build(), np.random.default_rng(2), 3
    tree = fm.Tree.of(model)
    joints = [name for name in tree.coordinate_names if name.endswith(".angle") and "hinge" in name]
    angles = {name: rng.uniform(-1, 1, n) for name in joints}
    times, outputs = [0.0, 0.05, 0.075, 0.1], [joints[0], f"{joints[0].rpartition('.')[0]}.fx", "energy.kinetic"]
    given = {"times": times, "progress": False, **options}
    found = [
        quiet(fm.batch, model, 0.1, method, initial=angles, outputs=outputs, threads=x, **given) for x in (1, 2, 5)
    ]
    assert set(found[0].status) == {"finished"}
    for k in range(n):
        q, v = (x.copy() for x in tree.start())
        for name, values in angles.items():
            q[tree.coordinate_names.index(name)] = values[k]
        alone = quiet(fm.simulate, model, 0.1, method, initial=tree.state(q, v), **given)
        for runs in found:
            same(runs, k, alone, outputs)


@pytest.mark.parametrize("method, options", [("generalized_alpha", FIXED), ("radau", {})])
def test_states_of_a_beam(method, options):
    model, outputs = whip(), ["rod.end.y", "hinge.fx", "energy.kinetic"]
    states = [quiet(fm.simulate, model, t, "radau", progress=False) for t in (0.02, 0.05)]
    given = {"times": [0.0, 0.005, 0.01], "progress": False, **options}
    runs = quiet(fm.batch, model, 0.01, method, initial=states, outputs=outputs, threads=2, **given)
    assert set(runs.status) == {"finished"}
    for k, state in enumerate(states):
        same(runs, k, quiet(fm.simulate, model, 0.01, method, initial=state, **given), outputs)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("rkf45", FIXED),
        ("rosenbrock", {**FIXED, "formulation": "aba"}),
        ("euler", FIXED),
        ("generalized_alpha", FIXED),
        ("radau", {}),
    ],
)
def test_angles_in_space_at_the_ends_of_steps(method, options):
    """At the end of a step a solution has the numbers of its quaternions, without the rounding of an interpolation."""
    starts, times = [0.3, -0.9], [0.0, 0.1, 0.2]
    options = {
        "initial": {"hinge 0.rate": starts},
        "times": times,
        "outputs": ["hinge 1.angle", "hinge 0.angle"],
        **options,
    }
    runs = quiet(fm.batch, arm(2), 0.2, method, threads=1, **options)
    for k in range(2):
        single = runs.solution(k)
        for name in options["outputs"]:
            assert np.array_equal(runs[name][k], single[name])


def test_the_order_of_members_makes_no_difference():
    angles = np.linspace(-1, 1, 7)
    given = {"outputs": ["bob.y"], "progress": False, "threads": 2}
    there = fm.batch(pendulum(), 0.5, "dop853", initial={"hinge.angle": angles}, **given)
    back = fm.batch(pendulum(), 0.5, "dop853", initial={"hinge.angle": angles[::-1]}, **given)
    np.testing.assert_array_equal(there["bob.y"], back["bob.y"][::-1])


@pytest.mark.parametrize("method, options", [("generalized_alpha", FIXED), ("radau", {})])
def test_other_parameters(method, options):
    sizes, moduli = [0.01, 0.012, 0.014], [205e9, 70e9, 100e9]
    vary = {"rod.section.diameter": sizes, "rod.material.youngs_modulus": moduli}
    outputs = ["rod.end.y", "rod@0.5.bending_moment"]
    given = {"times": [0.01, 0.02], "progress": False, **options}
    runs = quiet(fm.batch, whip(), 0.02, method, vary=vary, outputs=outputs, threads=2, **given)
    for k in range(3):
        m = whip()
        E, d = moduli[k], sizes[k]
        material = fm.Material(density=7850, youngs_modulus=E)
        m.components["rod"].properties = fm.planar.BeamProperties.of(material, fm.Circle(diameter=d))
        same(runs, k, quiet(fm.simulate, m, 0.02, method, **given), outputs)
        assert runs.values(k) == {"rod.section.diameter": d, "rod.material.youngs_modulus": E}


def test_other_laws_and_starts_of_a_controlled_model():
    laws = [fm.control.LinearLaw(D=[[-x]]) for x in (0.5, 1.0, 2.0)]
    vary, outputs = {"servo.law": laws}, ["bob.y", "hinge.fx"]
    given = {"step": 2e-3, "second_run": False, "times": [0.1, 0.3], "progress": False}
    start = {"hinge.rate": [0.0, 1.0, -1.0]}
    runs = fm.batch(controlled(), 0.3, "generalized_alpha", vary=vary, initial=start, outputs=outputs, **given)
    for k, law in enumerate(laws):
        m = controlled()
        m.controllers["servo"].law = law
        state = fm.Tree.of(m).state([0.0], [start["hinge.rate"][k]])
        same(runs, k, fm.simulate(m, 0.3, "generalized_alpha", initial=state, **given), outputs)
        same(runs, k, runs.solution(k), outputs)


def test_a_member_after_one_that_diverged_and_members_that_fail_alone():
    masses = [2.0, -1.0, float("nan"), 3.0]
    runs = fm.batch(pendulum(), 0.2, "radau", vary={"bob.mass": masses}, outputs=["bob.y"], progress=False)
    assert runs.status.tolist() == ["finished", "failed", "failed", "finished"]
    assert runs.messages[1].endswith("mass is -1; it must be positive") and runs.messages[2] == "'bob.mass' is NaN"
    assert np.isnan(runs["bob.y"][1:3]).all()
    rates = [1.0, 1e200, -1.0]
    runs = quiet(
        fm.batch, pendulum(), 0.2, "dop853", initial={"hinge.rate": rates}, outputs=["bob.y"], threads=1, progress=False
    )
    assert runs.status.tolist() == ["finished", "diverged", "finished"] or runs.status[1] == "failed"
    alone = fm.simulate(pendulum(), 0.2, "dop853", initial=fm.Tree.of(pendulum()).state([0.0], [-1.0]), progress=False)
    assert runs["bob.y"][2, -1] == alone["bob.y"][-1]
    with pytest.raises(SolverError, match=r"1 of 3 members did not end as they should; member 1"):
        runs.raise_failed()


def test_events_and_functions_of_python_go_by_the_ordinary_driver():
    m = pendulum()
    m.add_event(fm.crossing("bob.angle", -0.5), fm.StopRun(), name="low")
    start = {"hinge.rate": [0.0, 1.0]}
    runs = fm.batch(m, 1.0, "dop853", initial=start, outputs=["bob.y"], times=[0.1, 1.0], progress=False)
    assert runs.status.tolist() == ["stopped", "stopped"]
    assert np.isfinite(runs["bob.y"][:, 0]).all() and np.isnan(runs["bob.y"][:, 1]).all()


def test_a_builder_and_a_table():
    table = fm.grid(mass=[1.0, 2.0])
    runs = fm.batch(pendulum, 0.2, "dop853", vary=table, outputs=["hinge.fy"], progress=False)
    for k, row in enumerate(table):
        same(runs, k, fm.simulate(pendulum(**row), 0.2, "dop853", times=[0.2], progress=False), ["hinge.fy"])


def test_doubts_and_errors_are_found_when_they_are_read():
    start = {"hinge.rate": [0.0, 1.0]}
    runs = quiet(fm.batch, pendulum(), 1.0, "rkf45", initial=start, step=0.05, progress=False)
    state = fm.Tree.of(pendulum()).state([0.0], [1.0])
    given = {"step": 0.05, "times": [1.0], "initial": state, "progress": False}
    alone = quiet(fm.simulate, pendulum(), 1.0, "rkf45", **given)
    assert runs.doubts[1] == alone.doubts
    assert runs.estimated_error[1] == alone.statistics.estimated_error
    assert repr(runs) == "Runs(2 members: 2 finished; 1 times; no outputs)"


def test_warnings_tell_of_doubts_that_are_known_and_of_parameters_without_effect():
    start = {"hinge.rate": [0.0, 1.0, 2.0]}
    with pytest.warns(fm.errors.AccuracyWarning) as said:
        m = pendulum()
        m.add_event(0.5, fm.Note())  # so that all go by the driver of single runs
        fm.batch(m, 5.0, "rkf45", initial=start, step=0.2, progress=False)
    first, all_of_them = (str(x.message) for x in said)
    assert "member 1: the estimated error" in first
    assert "2 of the 3 members that are checked so far are doubted" in all_of_them
    m = fm.PlanarModel("cantilever", gravity=(0, -9.81))
    given = fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=0.6, rhoI=1e-5)
    m.add_beam("rod", m.ground, (1, 0), properties=given)
    vary = {"rod.properties.rhoI": [1e-5, 2e-5], "rod.properties.EI": [10.0, 20.0]}
    with pytest.warns(fm.errors.StudyWarning, match=r"equations of motion depends on 'rod\.properties\.rhoI'") as told:
        fm.batch(m, 0.01, "radau", vary=vary, progress=False)
    assert len([x for x in told if x.category is fm.errors.StudyWarning]) == 1


def test_another_structure_is_refused_by_name():
    runs = quiet(fm.batch, whip(), 0.01, "radau", vary={"rod.modes": [1, 2]}, progress=False)
    assert runs.status.tolist() == ["finished", "failed"]
    assert "member 1: with 'rod.modes' so the model has other coordinates" in runs.messages[1]


def test_ctrl_c_keeps_the_members_that_are_finished():
    m, done = fm.PlanarModel("slow"), []
    body = m.add_body("body", mass=1.0, inertia=1.0)

    def push(t, position, velocity):
        done.append(t)
        if len(done) == 400:
            signal.raise_signal(signal.SIGINT)
        return 0.0, 0.0, 1.0

    m.python_force(body.frame, push)
    runs = fm.batch(m, 1.0, "rkf45", step=0.05, second_run=False, vary={"body.mass": [1.0] * 50}, progress=False)
    assert runs.message.endswith("of 50 members are done") and runs.message.startswith("interrupted")
    finished = int(np.sum(runs.status == "finished"))
    assert 0 < finished < 50 and set(runs.status[finished:]) == {"missing"}


def test_turns_are_counted_from_the_start_or_not_at_all():
    model, start = arm(2), {"hinge 0.rate": [9.0, 30.0]}
    given = {"outputs": ["hinge 0.angle"], "progress": False, "step": 1e-3, "second_run": False, "formulation": "aba"}
    with pytest.raises(ModelError, match=r"'hinge 0\.angle' counts turns from the start on, and times begin at 1 s"):
        fm.batch(model, 1.0, "rkf45", initial=start, **given)
    runs = fm.batch(model, 1.0, "rkf45", initial=start, times=np.linspace(0, 1, 21), **given)
    assert runs.status.tolist() == ["finished", "finished"]
    assert runs["hinge 0.angle"][0, -1] > 2 * np.pi
    np.testing.assert_allclose(runs["hinge 0.angle"][:, -1], [9.0, 30.0], rtol=0.3)
    fm.batch(pendulum(), 0.1, "dop853", initial={"hinge.rate": [1.0]}, outputs=["hinge.angle"], progress=False)


@pytest.mark.parametrize(
    "given, error, text",
    [
        (
            {"vary": {"bob.mass": [1.0, 2.0], "bob.inertia": [1.0]}},
            ModelError,
            "'bob.mass' has 2 values and 'bob.in",
        ),
        ({"vary": {"bob.weight": [1.0]}}, NamingError, "no parameter of 'bob' 'weight'"),
        ({"vary": {"hinge.a": [1.0]}}, ModelError, "'hinge.a' is 'ground', and no number that could vary"),
        ({"vary": {"bob.mass": []}}, ModelError, "there are no members"),
        ({"vary": {"bob.mass": 2.0}}, ModelError, "give a value for each member"),
        ({}, ModelError, "nothing differs; give values by names"),
        ({"initial": {"hinge.speed": [1.0]}}, NamingError, "no joint coordinate or rate 'hinge.speed'"),
        ({"initial": {"hinge.rate": [1.0]}, "threads": 0}, ModelError, "threads is 0"),
        ({"initial": {"hinge.rate": [1.0]}, "times": [2.0]}, FlexmbError, "2"),
        ({"initial": {"hinge.rate": [1.0]}, "outputs": ["bob"]}, ModelError, "'bob' is no series"),
        ({"initial": {"hinge.rate": [1.0]}, "outputs": ["bob.z"]}, NamingError, "bob.z"),
        ({"initial": {"hinge.rate": [1.0]}, "outputs": ["bob.y", "bob.y"]}, NamingError, "bob.y"),
    ],
)
def test_wrong_input(given, error, text):
    with pytest.raises(error, match=text):
        fm.batch(pendulum(), 1.0, "dop853", progress=False, **given)
