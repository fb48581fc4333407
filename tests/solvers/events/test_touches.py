"""Steps end where a switch of a component changes its sign: a ball on a stiff floor, against its closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmb as fm
from flexmb.examples import humanoid
from flexmb.kernels import Kernels, kernel
from flexmb.kernels.blocks import joined
from flexmb.model.components import Component
from flexmb.model.frames import Frame


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        depth = -q[iq[i, 1]]
        if depth > 0.0:
            out[i, 1] = -p[i, 0] * depth


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if q[iq[i, 1]] < 0.0:
            K[i, 1, 1] += w[2] * p[i, 0]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        depth = max(-q[iq[i, 1]], 0.0)
        out[i, 1] = 0.5 * p[i, 0] * depth**2


@kernel
def switches(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = q[iq[i, 1]]


FLOOR = Kernels("springy floor", residual=residual, tangent=tangent, energy=energy, switches=switches)
FLOOR_UNTOLD = Kernels("springy floor without switches", residual=residual, tangent=tangent, energy=energy)


@dataclass(eq=False)
class Floor(Component):
    """A spring that pushes a body up below y = 0."""

    frame: Frame
    stiffness: float
    told: bool = True
    kind = "force"
    external = True

    def frames(self):
        return [self.frame]

    def assemble(self, assembly):
        coordinates = joined(list(assembly.node(self.frame.node)))
        assembly.instance(self, FLOOR if self.told else FLOOR_UNTOLD, coordinates, np.array([self.stiffness]))


def ball(stiffness, told=True, gravity=10.0, y=1.0, x=0.0):
    model = fm.PlanarModel("ball", gravity=(0, -gravity))
    body = model.add_body("ball", mass=1.0, inertia=0.1, position=(x, y))
    model.add(Floor(body.frame, stiffness, told, name="floor"))
    return model


def height(t, stiffness):
    """Of a ball of 1 kg that falls from 1 m: parabolas, and y = −g/ω² (1 − cos ωt) − v₀/ω sin ωt between."""
    omega, g, fall, v0 = np.sqrt(stiffness), 10.0, np.sqrt(0.2), np.sqrt(20.0)

    def below(s):
        return -g / omega**2 * (1.0 - np.cos(omega * s)) - v0 / omega * np.sin(omega * s)

    contact = brentq(below, np.pi / omega * (1 + 1e-9), 1.5 * np.pi / omega)
    t = t % (2.0 * fall + contact)
    if t < fall:
        return 1.0 - 0.5 * g * t**2
    return below(t - fall) if t < fall + contact else v0 * (t - fall - contact) - 0.5 * g * (t - fall - contact) ** 2


METHODS = [
    ("generalized_alpha", {"tolerance": 1e-4}, 3e-4),
    ("generalized_alpha", {"tolerance": 1e-6}, 3e-6),
    ("radau", {"tolerance": 1e-8}, 3e-6),
    ("dop853", {"tolerance": 1e-8}, 1e-9),
    ("rkf45", {"tolerance": 1e-8}, 3e-8),
    ("rosenbrock", {"tolerance": 1e-6}, 3e-6),
    ("independent", {"integrator": "radau", "tolerance": 1e-8}, 3e-6),
    ("independent", {"tolerance": 1e-8}, 3e-6),
    ("projection", {}, 3e-6),
    ("baumgarte", {"ode_method": "Radau", "tolerance": 1e-9}, 3e-5),
]


@pytest.mark.parametrize("stiffness", [1e4, 1e7])
@pytest.mark.parametrize(("method", "options", "allowed"), METHODS)
@pytest.mark.warns(fm.errors.AccuracyWarning, "rounding may have left an error", method="baumgarte", stiffness=1e7)
def test_a_ball_bounces_as_it_should(method, options, allowed, stiffness):
    solution = fm.simulate(ball(stiffness), 3.0, method, progress=False, **options)
    exact = [height(t, stiffness) for t in solution.t]
    assert np.abs(solution["ball.y"] - exact).max() < allowed
    below = solution["ball.y"] < 0.0
    ends = np.flatnonzero(np.diff(below.astype(int)))  # a row is at each touch
    y = np.abs(solution["ball.y"])
    assert len(ends) == 6 and np.minimum(y[ends], y[ends + 1]).max() < 1e-7


def test_steps_are_no_slivers():
    solution = fm.simulate(ball(1e6), 3.0, "radau", tolerance=1e-8, progress=False)
    steps = np.diff(solution.t)
    steps = steps[steps > 1e-10]  # between them are states before and behind a touch
    # steps that shrink towards the end of a touch may leave a little before it, but no rounding
    assert steps.min() > 1e-8 and len(steps) == solution.statistics.steps < 250
    # steps that do not know of the touches are 5e4 tolerances off; those that do are the shorter the nearer to these
    assert np.abs(solution["ball.y"] - [height(t, 1e6) for t in solution.t]).max() < 1e-7
    untold = fm.simulate(ball(1e6, told=False), 3.0, "radau", tolerance=1e-8, progress=False)
    assert len(steps) < 1.6 * len(untold.t)


def test_fixed_steps_do_not_end_at_touches():
    t = fm.simulate(ball(1e4), 1.0, step=1e-3, progress=False).t
    assert np.allclose(t, 1e-3 * np.arange(1001), rtol=0, atol=1e-12)


def test_a_contact_at_rest_costs_nothing():
    """The ball lies on the floor, without weight: the switch is zero, or rounding in a model of 1 m."""
    for y in (0.0, 1e-17, -1e-17):
        for method in ("generalized_alpha", "radau", "dop853"):
            told, untold = (
                fm.simulate(ball(1e6, told, gravity=0.0, y=y, x=1.0), 1.0, method, progress=False)
                for told in (True, False)
            )
            assert told.statistics.steps <= untold.statistics.steps + 2
    heavy = ball(1e6, y=-1e-5)  # at rest under its weight
    assert fm.simulate(heavy, 1.0, "radau", progress=False).statistics.rejected <= 2


def test_friction_that_damps_jumps_of_commands_rejects_no_steps():
    """A robot on its soles gets other torques every millisecond; friction damps in 40 µs what they set in motion."""
    run = humanoid.shoved(humanoid.turning, "from the front", 0.1)
    assert run.statistics.steps < 220
    assert run.statistics.rejected < 10
