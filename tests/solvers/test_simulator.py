"""Runs and steps of a bound model against those of simulate, to the bit."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers import one_run
from flexmb.solvers.runs import known_begin
from tests.models import rubbing, stopping
from tests.models.pendulums import pendulum

METHODS = {
    "generalized_alpha": {}, "newmark": {"step": 2e-3, "beta": 0.5, "gamma": 0.6}, "radau": {}, "independent": {},
    "baumgarte": {}, "projection": {}, "dop853": {}, "rkf45": {"step": 2e-3},
    "euler": {"step": 2e-3}, "rosenbrock": {},
}  # fmt: skip
WITHOUT_CONTROLLERS = ("independent", "baumgarte", "projection")


def bits(solution):
    rows = (solution.t, solution.q, solution.v, solution.a, solution.multipliers)
    return [x.tobytes() for x in rows] + [[(e.name, e.t) for e in solution.events]]


def quiet(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


def cases():
    for method, options in METHODS.items():
        for kind in stopping.STOPPING:
            if kind != "controllers" or method not in WITHOUT_CONTROLLERS:
                yield method, options, kind


@pytest.mark.parametrize("coordinates", [{}, {"formulation": "aba"}], ids=["bodies", "joints"])
@pytest.mark.parametrize(("method", "options", "kind"), list(cases()))
def test_runs_of_a_bound_model_are_those_of_simulate(method, options, kind, coordinates):
    model, options = stopping.STOPPING[kind](), options | coordinates
    alone = quiet(lambda: fm.simulate(model, 0.5, method, progress=False, **options))
    simulator = quiet(lambda: fm.Simulator(model, method, **options))
    first = quiet(lambda: simulator.run(0.5, progress=False))
    quiet(lambda: simulator.run(0.05, progress=False))
    again, known = (quiet(lambda: simulator.run(0.5, progress=False)) for _ in range(2))  # noted, then begun with
    assert bits(first) == bits(again) == bits(known) == bits(alone)
    assert first.statistics.steps == alone.statistics.steps
    assert (first.energy.total == alone.energy.total).all()
    if kind in ("events", "friction that sticks"):
        assert len(alone.events) > 0


def test_the_start_of_the_model_is_found_once(monkeypatch):
    m, found, consistent = pendulum(), [], one_run.consistent_state
    m.point_torque(m.frame("bob"), 0.0, name="motor")
    monkeypatch.setattr(one_run, "consistent_state", lambda *x, **named: found.append(x[1]) or consistent(*x, **named))
    simulator = fm.Simulator(m, "radau")
    runs = [simulator.run(0.1) for _ in range(3)]
    assert found == [0.0] and all(bits(run) == bits(runs[0]) for run in runs)
    pushed = [simulator.run(0.1, commands={"motor": 1.0}) for _ in range(2)]
    later = simulator.run(0.2, t_start=0.1)
    assert found == [0.0, 0.0, 0.0, 0.1] and later.t[0] == 0.1
    assert bits(pushed[0]) == bits(pushed[1]) != bits(runs[0]) == bits(simulator.run(0.1))


@pytest.mark.parametrize(
    ("method", "options"), [("radau", {}), ("dop853", {}), ("rkf45", {"step": 1e-3}), ("euler", {"step": 1e-3})]
)
def test_the_loop_before_its_first_step_is_known(monkeypatch, method, options):
    """Runs of one span copy it; one of another span makes its own."""
    model, made = pendulum(), []
    simulator = fm.Simulator(model, method, **options)
    noted = known_begin.KnownBegin.note
    monkeypatch.setattr(known_begin.KnownBegin, "note", lambda *x: made.append(x[1].begun) or noted(*x))
    runs = [simulator.run(0.1, progress=False) for _ in range(3)]
    other = simulator.run(0.05, progress=False)
    assert made == [False, False, True, False], "noted in the second run, which begins as all later ones do"
    assert all(bits(run) == bits(fm.simulate(model, 0.1, method, progress=False, **options)) for run in runs)
    assert bits(other) == bits(fm.simulate(model, 0.05, method, progress=False, **options))


@pytest.mark.parametrize("formulation", ["lagrange", "ada", "dca", "hybrid"])
def test_every_formulation_begins_anew(formulation):
    model = stopping.held_twice()
    alone = quiet(lambda: fm.simulate(model, 0.2, "rkf45", step=2e-3, formulation=formulation, progress=False))
    simulator = fm.Simulator(model, "rkf45", step=2e-3, formulation=formulation)
    runs = [quiet(lambda: simulator.run(0.2, progress=False)) for _ in range(2)]
    assert all(bits(run) == bits(alone) for run in runs)


@pytest.mark.parametrize("value", [2.5, 3.0 * fm.Harmonic(1.0, 7.0) + fm.SmoothStep(0.1, 0.3)])
@pytest.mark.parametrize("own", [0.0, fm.Harmonic(2.0, 5.0)])
@pytest.mark.parametrize("coordinates", [{}, {"formulation": "aba"}], ids=["bodies", "joints"])
def test_commands_are_added_to_strengths(value, own, coordinates):
    def build(torque):
        m = pendulum()
        m.point_torque(m.frame("bob"), torque, name="motor")
        return m

    simulator = fm.Simulator(build(own), "dop853", **coordinates)
    without = simulator.run(0.5)
    run = simulator.run(0.5, commands={"motor": value})
    built = fm.simulate(build(own + value), 0.5, "dop853", **coordinates)
    assert bits(run) == bits(built)
    assert run.energy.error == built.energy.error
    assert run.energy.input.tobytes() == built.energy.input.tobytes()
    assert np.abs(run["bob.y"][-1] - without["bob.y"][-1]) > 1e-3
    assert bits(simulator.run(0.5)) == bits(without)
    middle = [x.at([0.1234])["bob.y"] for x in (run, built)]
    assert middle[0] == middle[1]


def test_commands_act_at_kinks_of_theirs():
    m = pendulum()
    m.point_torque(m.frame("bob"), 0.0, name="motor")
    run = fm.Simulator(m, "radau").run(0.5, commands={"motor": fm.Step(0.2, 5.0)})
    assert np.min(np.abs(run.t - 0.2)) < 1e-12


def test_loads_drawn_are_those_of_commands():
    from flexmb.visual.stage.loads import applied_loads
    from flexmb.visual.stage.scales import Selection

    m = pendulum()
    m.point_torque(m.frame("bob"), 1.0, name="motor")
    for value in (2.0, fm.Polynomial([2.0])):
        run = fm.Simulator(m, "radau").run(0.1, commands={"motor": value})
        (load,) = applied_loads(run, Selection())["motor"]
        assert np.abs(np.asarray(load.torques) - 3.0).max() < 1e-12


@pytest.mark.parametrize("kind", stopping.STOPPING)
@pytest.mark.parametrize("coordinates", [{}, {"formulation": "aba"}], ids=["bodies", "joints"])
def test_steps_make_the_motion_of_a_run(kind, coordinates):
    model = stopping.STOPPING[kind]()
    simulator = fm.Simulator(model, "radau", tolerance=1e-8, **coordinates)
    run = quiet(lambda: simulator.run(0.51, progress=False))
    events, states, ends = [], [], 0.0
    for _ in range(25):
        state = quiet(lambda: simulator.step(0.02))
        ends += 0.02
        assert state.t == ends == simulator.t
        events += [(event.name, event.t) for event in state.events]
        states.append(state)
    there = quiet(lambda: run.at([state.t for state in states])).q
    assert np.abs(np.array([state.q for state in states]) - there).max() < 2e-5
    happened = [event for event in run.events if event.t <= simulator.t]
    assert [name for name, _ in events] == [event.name for event in happened]
    assert np.allclose([t for _, t in events], [event.t for event in happened], atol=1e-6)


@pytest.mark.parametrize("kind", stopping.STOPPING)
@pytest.mark.parametrize("method", ["rkf45", "radau", "generalized_alpha"])
def test_a_state_put_back_repeats_the_motion(kind, method):
    simulator = fm.Simulator(stopping.STOPPING[kind](), method)
    rng = np.random.default_rng(3)
    states = {0: None}
    sizes = rng.uniform(0.005, 0.03, 20)

    def step(k):
        return quiet(lambda: simulator.step(float(sizes[k])))

    for k in range(20):
        states[k + 1] = step(k)
    for first in rng.integers(0, 18, 6).tolist():
        if first:
            simulator.state = states[first]
        else:
            simulator.reset()
        for k in range(first, min(first + 4, 20)):
            state, before = step(k), states[k + 1]
            assert state.t == before.t
            assert [x.tobytes() for x in (state.q, state.v, state.a, state.lam)] == [
                x.tobytes() for x in (before.q, before.v, before.a, before.lam)
            ]
            assert [e.name for e in state.events] == [e.name for e in before.events]


def test_a_simulation_goes_on_from_the_state_of_a_simulator():
    simulator = fm.Simulator(stopping.controlled(), "radau")
    simulator.step(0.1)
    state = simulator.state
    here = simulator.step(0.1)
    run = fm.simulate(stopping.controlled(), 0.2, "radau", t_start=0.1, initial=state)
    assert np.abs(run.q[-1] - here.q).max() < 1e-7


def test_states_are_read_and_set():
    simulator = fm.Simulator(pendulum(), "radau")
    assert simulator.state["bob.x"] == pytest.approx(1.0)
    assert simulator.t == 0.0
    simulator.state = fm.assemble(pendulum())
    simulator.step(0.1)
    simulator.state = fm.simulate(pendulum(), 0.3)
    assert simulator.t == 0.3
    assert "t = 0.3 s" in repr(simulator)


def test_two_threads_simulate_one_model_and_two():
    models = [stopping.controlled(), stopping.controlled()]
    alone = bits(fm.simulate(models[0], 0.5, "radau", progress=False))
    for pair in ([models[0], models[0]], models):
        found = [None, None]

        def work(k, pair=pair, found=found):
            found[k] = [bits(fm.simulate(pair[k], 0.5, "radau", progress=False)) for _ in range(3)]

        threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert found == [[alone] * 3] * 2
    simulator = fm.Simulator(models[0], "radau")
    found = [None, None]

    def run(k):
        found[k] = [bits(simulator.run(0.5, progress=False)) for _ in range(3)]

    threads = [threading.Thread(target=run, args=(k,)) for k in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [[alone] * 3] * 2


def test_a_second_run_is_silent_in_its_thread_alone():
    from flexmb.errors import AccuracyWarning, silent, warn

    with pytest.warns(AccuracyWarning, match="said"), silent():
        warn("not said", AccuracyWarning)
        thread = threading.Thread(target=warn, args=("said", AccuracyWarning))
        thread.start()
        thread.join()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda m: setattr(m.component("bob"), "mass", 2.0), "'pendulum': bob.mass has changed"),
        (lambda m: setattr(m, "gravity", (0.0, 1.0)), "gravity has changed"),
        (lambda m: m.gravity.__setitem__(0, 1.0), "gravity has changed"),
        (lambda m: m.add_body("more", mass=1.0, inertia=1.0), "more has changed"),
        (lambda m: m.frame("bob").move((1.0, 0.0), 1.0), "bob.* has changed"),
        (lambda m: m.switch_off(m.component("motor")), "off has changed"),
    ],
)
def test_a_changed_model_is_refused_by_name(change, says):
    m = pendulum()
    m.point_torque(m.frame("bob"), 0.0, name="motor")
    simulator = fm.Simulator(m, "radau")
    simulator.run(0.01)
    change(m)
    for call in (lambda: simulator.run(0.1), lambda: simulator.step(0.1)):
        with pytest.raises(fm.errors.ModelError, match=says):
            call()


@pytest.mark.parametrize(
    ("commands", "says"),
    [
        ({"motr": 1.0}, "'motr'.*did you mean 'motor'|'motr'"),
        ({"bob": 1.0}, "component that can be commanded"),
        ({"motor": "much"}, "'motor' .*'much'"),
        ({"motor": np.nan}, "'motor' is nan"),
        ({"motor": lambda t: t}, "'motor'"),
        ([1.0], "commands must be given by names"),
    ],
)
def test_unfit_commands_are_refused_by_name(commands, says):
    m = pendulum()
    m.point_torque(m.frame("bob"), 0.0, name="motor")
    simulator = fm.Simulator(m, "radau")
    for call in (lambda: simulator.run(0.1, commands=commands), lambda: simulator.step(0.1, commands)):
        with pytest.raises(fm.FlexmbError, match=says):
            call()


def test_a_command_that_a_controller_gives_is_refused():
    simulator = fm.Simulator(stopping.controlled(), "radau")
    with pytest.raises(fm.errors.ModelError, match="'motor' is commanded by controller 'servo'"):
        simulator.run(0.1, commands={"motor": 1.0})
    simulator.run(0.1, commands={"wrist": 1.0})


@pytest.mark.parametrize("dt", [0.0, -1.0, np.nan, np.inf, "1", None])
def test_steps_are_positive(dt):
    simulator = fm.Simulator(pendulum(), "radau")
    with pytest.raises(fm.errors.ModelError, match=r"step: dt (is|must be)"):
        simulator.step(dt)
    assert simulator.t == 0.0


def test_a_state_of_another_model_is_refused():
    simulator = fm.Simulator(pendulum(), "radau")
    with pytest.raises(fm.errors.ModelError, match="'latched', which has other coordinates"):
        simulator.state = fm.Simulator(stopping.latched(), "radau").step(0.1)
    with pytest.raises(fm.errors.ModelError, match="'latched', which has other coordinates"):
        simulator.state = stopping.latched()
    with pytest.raises(fm.errors.ModelError, match="says no state"):
        simulator.state = 3.0


def test_after_a_failure_a_step_says_how_to_go_back():
    m = fm.PlanarModel("runs away")
    body = m.add_body("body", mass=1.0, inertia=1.0)
    m.point_force(body.frame, (1.0, 0.0), factor=fm.Polynomial([0.0, 1.0]), name="push")
    m.add_event(fm.crossing("body.x", 1e-3), fm.StopRun(), name="far")
    simulator = fm.Simulator(m, "radau")
    start = simulator.step(0.01)
    simulator.step(1.0)
    stopped = simulator.t
    assert 0.1 < stopped < 1.0
    with pytest.raises(fm.errors.SolverError, match=r"stopped at .*event 'far'; put the simulator back .*reset"):
        simulator.step(0.1)
    simulator.state = start
    simulator.step(0.01)
    simulator.reset()
    assert simulator.step(1.0).t == pytest.approx(stopped, abs=1e-6)


def test_a_step_that_raises_leaves_the_simulator_where_it_was():
    m = fm.PlanarModel("fails")
    body = m.add_body("body", mass=1.0, inertia=1.0)
    fail = [False]

    def force(t, *state):
        if fail[0]:
            raise ValueError("broken")
        return 1.0, 0.0, 0.0

    m.add(fm.planar.PythonForce(body.frame, force, name="push"))
    simulator = fm.Simulator(m, "rkf45", step=0.01)
    before = simulator.step(0.1)
    fail[0] = True
    with pytest.raises(fm.errors.KernelError, match="broken"):
        simulator.step(0.1)
    fail[0] = False
    assert simulator.state is before
    assert simulator.step(0.1).t == pytest.approx(0.2)


def test_a_law_whose_memory_cannot_be_put_back_is_doubted():
    m = pendulum()
    motor = m.point_torque(m.frame("bob"), 0.0, name="motor")
    seen = []

    def law(t, y):
        seen.append(y[0])
        return -sum(seen)

    rate = fm.control.RelativeRate(m.ground, m.frame("bob"))
    m.add_controller("own", period=0.01, sensors=rate, commands=motor, law=law)
    simulator = fm.Simulator(m, "radau")
    with warnings.catch_warnings():
        warnings.simplefilter("error", fm.errors.AccuracyWarning)
        before = simulator.step(0.05)
        simulator.step(0.05)
    simulator.state = before
    with pytest.warns(fm.errors.AccuracyWarning, match="controller 'own': its law is a function of Python"):
        simulator.step(0.05)


def test_the_simulator_is_named():
    simulator = fm.Simulator(rubbing.sticking_swing(True), "rkf45", formulation="aba")
    assert simulator.model.name == "swing"
    assert simulator.method == "rkf45"
    with pytest.raises(fm.errors.SolverError, match="Simulator of model 'pendulum': there is no method 'rdau'"):
        fm.Simulator(pendulum(), "rdau")
    with pytest.raises(fm.errors.ModelError, match="Simulator: 3 is not a model"):
        fm.Simulator(3)
