"""A method whose steps Python makes: what one has to write for it, and what it has from the march alone."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers.binding import bound as simulation
from flexmb.solvers.changes.passage import Passage
from flexmb.solvers.march.march_in_python import MarchInPython, Steps
from flexmb.solvers.runs.right_hand_side import RightHandSide


class RungeKutta(Steps):
    """The classical method of fourth order with fixed steps, of which parts are taken as steps made anew."""

    def __init__(self, run, f, passage, size):
        super().__init__(run, f, passage)
        self.size, self.begun = size, 0

    def begin(self):
        self.y = self.f.carried(self.run.q[: self.run.system.nq], self.run.v[: self.run.system.n])
        self.begun += 1

    def _end(self, t):
        f, t0, y, h = self.f, self.run.t, self.y, t - self.run.t
        k1 = f(t0, y)
        k2 = f(t0 + 0.5 * h, y + 0.5 * h * k1)
        k3 = f(t0 + 0.5 * h, y + 0.5 * h * k2)
        k4 = f(t, y + h * k3)
        return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    def step(self, stop):
        self.t = min(self.run.t + self.size, stop)
        return ""

    def state_at(self, t):
        f = self.f
        f(t, self._end(t))
        return f.q, f.v, f.a, f.lam

    def arrive(self, t):
        self.y = self._end(t)
        self.f(t, self.y)
        return ""

    def note(self):
        self.passage.see(self.run.t)


@pytest.fixture
def methods(monkeypatch):
    made = []

    def run_classical(run, *, step=1e-2):
        f = RightHandSide(run)
        passage = Passage(run, f, 1e-8, 1e-8)

        def work():
            f.accelerate(run.t)
            passage.see(run.t)
            made.append(RungeKutta(run, f, passage, step))
            MarchInPython(made[-1]).to_end()

        run.guarded(work)

    monkeypatch.setitem(simulation.METHODS, "classical", run_classical)
    return made


def cart(force):
    m = fm.PlanarModel("cart")
    body = m.add_body("cart", mass=2.0, inertia=1.0)
    m.prismatic(m.ground, body.frame)
    m.point_force(body.frame, (1.0, 0.0), factor=force)
    return m


def test_steps_end_at_kinks_and_both_states_are_saved(methods):
    run = fm.simulate(cart(fm.PiecewiseLinear([0.0, 0.123, 1.0], [0.0, 6.0, 6.0])), 1.0, "classical", progress=False)
    at = np.flatnonzero(np.abs(run.t - 0.123) < 1e-12)
    assert len(at) == 2
    assert run["cart.vx"][-1] == pytest.approx(0.5 * 0.123 * 3.0 + 3.0 * (1.0 - 0.123), rel=1e-12)
    # the beginning; the first kink, at the beginning too; the second one
    assert methods[-1].begun <= 3


def test_events_are_located_inside_steps(methods):
    m = cart(2.0)
    m.add_event(fm.crossing("cart.x", 0.3), fm.StopRun(), name="there")
    run = fm.simulate(m, 2.0, "classical", step=0.07, progress=False)
    assert run.status == "stopped"
    assert run.t[-1] == pytest.approx(np.sqrt(0.6), rel=1e-8)


@pytest.mark.parametrize("method", ["projection", "independent"])
def test_states_before_and_behind_a_touch_are_saved_by_all_methods(method):
    m = fm.PlanarModel("ball", gravity=(0.0, -9.81))
    ball = m.add_body("ball", mass=1.0, inertia=0.1, position=(0.0, 0.2))
    m.contact(m.ground, ball.frame, fm.HalfPlane(), fm.Disk(radius=0.1), stiffness=1e5)
    run = fm.simulate(m, 0.3, method, progress=False)
    touch = np.sqrt(2.0 * 0.1 / 9.81)
    near = np.flatnonzero(np.abs(run.t - touch) < 1e-9)
    assert len(near) == 2
    before, behind = run["ball.y"][near] - 0.1
    assert 1e-9 > before > 0.0 > behind > -1e-9
