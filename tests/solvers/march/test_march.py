"""A method in the march: what one has to write for it, and what it has from the march alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pytest

import flexmb as fm
from flexmb.kernels.charts import retract
from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables
from flexmb.solvers.binding import bound
from flexmb.solvers.events.crossing_state import Crossings
from flexmb.solvers.events.crossings import AGAIN, judge, keep_end
from flexmb.solvers.march.clock import AT_START, Clock
from flexmb.solvers.march.driver import Driver
from flexmb.solvers.march.march_loop import march_of, next_stop
from flexmb.solvers.runs.reasons import TimedState
from flexmb.solvers.runs.run import Run
from flexmb.solvers.statuses import DIVERGED, NO_ROOM, OK
from flexmb.system.accelerations import Work, accelerations, work_for
from flexmb.system.linear import Linear
from flexmb.system.plan import Plan, Scratch
from flexmb.system.sampling import Sampling

# -- a method: Heun's, of second order, with fixed steps -------------------------------------------------------------
#
#     v₁ = v₀ + h a₀,  y₁ = h v₀ + ½ h² a₀,   then with a₁ there
#     v₁ = v₀ + ½ h (a₀ + a₁),  y₁ = h v₀ + h² (a₀/3 + a₁/6)


class Counts(Variables):
    steps: int
    rejected: int
    evaluations: int


@by_reference
class Options(NamedTuple):
    t_start: float
    t_end: float
    step: float
    together: float
    mass: float


@by_reference
class Motion(NamedTuple):
    q: np.ndarray
    v: np.ndarray
    shown: np.ndarray
    a: np.ndarray
    lam: np.ndarray


@by_reference
class Loop(NamedTuple):
    plan: Plan
    scratch: Scratch
    linear: Linear
    sampling: Sampling
    options: Options
    motion: Motion
    trial: Motion
    work: Work
    state: Clock
    counts: Counts
    kinks: np.ndarray
    crossings: Crossings


@called(int)
def accelerate(loop, t, motion):
    loop.counts.evaluations += 1
    status = accelerations(
        loop.plan, loop.scratch, loop.linear, loop.options.mass, t, motion.q, motion.v, motion.a, motion.lam, loop.work,
        0.0, 0.0,
    )  # fmt: skip
    return OK if status == OK else NO_ROOM if status == NO_ROOM else DIVERGED


@called(int)
def find_anew(loop, t):
    return accelerate(loop, t, loop.motion)


@called(int)
def step(loop):
    plan, state, motion, trial, watched = loop.plan, loop.state, loop.motion, loop.trial, loop.crossings
    stop = next_stop(loop)
    h, y = stop - state.time, loop.work.aux
    for i in range(plan.n):
        y[i] = h * (motion.v[i] + 0.5 * h * motion.a[i])
        trial.v[i] = motion.v[i] + h * motion.a[i]
    retract(plan.orientations, plan.n, motion.q, y, trial.q)
    status = accelerate(loop, stop, trial)
    if status != OK:
        return status
    for i in range(plan.n):
        y[i] = h * (motion.v[i] + h * (motion.a[i] / 3.0 + trial.a[i] / 6.0))
        trial.v[i] = motion.v[i] + 0.5 * h * (motion.a[i] + trial.a[i])
    retract(plan.orientations, plan.n, motion.q, y, trial.q)
    status = accelerate(loop, stop, trial)
    if status != OK:
        return status
    if watched.side.shape[0] > 0:
        if judge(watched, plan, loop.scratch, state.time, stop, trial.q, trial.v, trial.a, trial.lam, False) == AGAIN:
            return OK
        keep_end(watched)
    for i in range(plan.nq):
        motion.q[i] = trial.q[i]
    for i in range(plan.n):
        motion.v[i], motion.a[i] = trial.v[i], trial.a[i]
    for k in range(plan.m):
        motion.lam[k] = trial.lam[k]
    state.time, state.unsaved = stop, 1
    loop.counts.steps += 1
    if stop >= loop.options.t_start + (state.grid + 1.0) * loop.options.step - loop.options.together:
        state.grid += 1.0
    return OK


advance = march_of(find_anew, step)


class Heun(Driver):
    def grow(self) -> None:
        self.run.system.grow()
        self.loop = self.loop._replace(linear=self.run.system.linear)

    def trouble(self, status: int) -> str:
        return "accelerations are not determined"

    def tried(self) -> Iterable[TimedState]:
        return ()


def run_heun(run: Run, *, step: float = 1e-2) -> None:
    """Fixed steps [s]."""
    system, state = run.system, Clock.zeros()
    state.time, state.anew, state.grid = run.t, AT_START, np.round((run.t - run.t_start) / step)
    options = Options(float(run.t_start), float(run.t_end), float(step), 1e-9 * step, float(system.mass_scale))
    v = run.v.copy()
    loop = Loop(
        system.plan, system.scratch, system.linear, run.sampling, options, Motion(run.q, run.v, run.v, run.a, run.lam),
        Motion(run.q.copy(), v, v, run.a.copy(), run.lam.copy()), work_for(system.plan), state, Counts.zeros(),
        run.kinks(), run.crossings(True),
    )  # fmt: skip
    Heun(run, advance, loop).drive()


# -- what it has from the march ---------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def heun(monkeypatch):
    monkeypatch.setitem(bound.METHODS, "heun", run_heun)


def pendulum():
    m = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    rod = m.add_body("rod", mass=1.0, inertia=0.08, position=(0.5, 0.0))
    m.revolute(m.ground, rod.attach("pivot", (-0.5, 0.0)), name="hinge")
    return m


def test_it_has_its_order():
    m = pendulum()
    exact = fm.simulate(m, 1.0, "radau", tolerance=1e-10, progress=False).q[-1]
    runs = [fm.simulate(m, 1.0, "heun", step=h, progress=False) for h in (2e-2, 1e-2, 5e-3)]
    errors = [np.abs(run.q[-1] - exact).max() for run in runs]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.1)


def test_steps_end_at_kinks_and_both_states_are_saved():
    m = fm.PlanarModel("cart")
    cart = m.add_body("cart", mass=2.0, inertia=1.0)
    m.prismatic(m.ground, cart.frame)
    m.point_force(cart.frame, (1.0, 0.0), factor=fm.PiecewiseLinear([0.0, 0.123, 1.0], [0.0, 6.0, 6.0]))
    run = fm.simulate(m, 1.0, "heun", step=0.05, progress=False)
    at = np.flatnonzero(np.abs(run.t - 0.123) < 1e-12)
    assert len(at) == 2
    # a linear force, and from the kink on a constant one: steps of second order are exact in speeds
    assert run["cart.vx"][at[0]] == pytest.approx(0.5 * 0.123 * 3.0, rel=1e-12)
    assert run["cart.vx"][-1] == pytest.approx(0.5 * 0.123 * 3.0 + 3.0 * (1.0 - 0.123), rel=1e-12)


def test_events_are_located_and_switch():
    m = pendulum()
    m.add_event(fm.crossing("rod.angle", -0.5), fm.StopRun(), name="there")
    run = fm.simulate(m, 2.0, "heun", step=1e-2, progress=False)
    assert run.status == "stopped"
    assert run["rod.angle"][-1] == pytest.approx(-0.5, abs=1e-9)


def test_a_sampled_controller_holds_its_commands_wherever_steps_end():
    m = fm.PlanarModel("wheel")
    body = m.add_body("body", mass=1.0, inertia=0.4)
    m.revolute(m.ground, body.frame)
    motor = m.point_torque(body.frame, 0.0, name="motor")
    sensors = [
        fm.control.RelativeAngle(m.ground, body.frame),
        fm.control.RelativeRate(m.ground, body.frame),
        fm.control.Reference(1.0),
    ]
    m.add_controller("servo", period=0.02, sensors=sensors, commands=motor, law=[[-40.0, -6.0, 40.0]])
    run, known = (fm.simulate(m, 1.0, method, step=0.0037, progress=False) for method in ("heun", "rkf45"))
    assert len(run.control["servo"].t) == 50
    # torques are constant in each step, so that both methods are exact
    assert run.q[-1] == pytest.approx(known.q[-1], abs=1e-10)
    np.testing.assert_allclose(run.control["servo"].u, known.control["servo"].u, atol=1e-8)
