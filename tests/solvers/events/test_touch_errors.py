"""Touches whose forces begin with a broken power: errors of runs, in units of their tolerance, against equations that
are smooth in other variables."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.forces.contact_law import damping_number

GRAVITY, RADIUS, STIFFNESS, RESTITUTION = 9.81, 0.05, 1e6, 0.8
SOLVED = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-18}
#: the largest error that a run may have, in units of its tolerance
WITHIN = 3.0


def bounce(speed, exponent):
    """How long a ball of 1 kg touches the floor, and the speed at which it leaves: of the depth x and its rate v, in
    s = √t behind the touch, where x^(3/2) is a smooth function of s, and in √x before it leaves."""
    d = damping_number(RESTITUTION)

    def pull(x, v):
        return GRAVITY - STIFFNESS * max(x, 0.0) ** exponent * (1.0 + d * v)

    def turns(s, y):
        return y[1]

    def half_way(t, y):
        return y[0] - 0.5 * deepest

    turns.terminal = half_way.terminal = True
    down = solve_ivp(lambda s, y: [2 * s * y[1], 2 * s * pull(*y)], (0.0, 1.0), [0.0, speed], events=turns, **SOLVED)
    deepest = down.y[0, -1]
    up = solve_ivp(lambda t, y: [y[1], pull(*y)], (0.0, 1.0), [deepest, 0.0], events=half_way, **SOLVED)
    x, v = up.y[:, -1]
    out = solve_ivp(lambda r, y: [2 * r / y[1], 2 * r * pull(r * r, y[1]) / y[1]], (x**0.5, 0.0), [0.0, v], **SOLVED)
    return down.t[-1] ** 2 + up.t[-1] + out.y[0, -1], -out.y[1, -1]


def height(exponent, fall, end):
    """Where the ball is at the end: parabolas between touches."""
    t, v = np.sqrt(2.0 * fall / GRAVITY), np.sqrt(2.0 * fall * GRAVITY)
    while True:
        lasts, v = bounce(v, exponent)
        t += lasts
        if t + 2.0 * v / GRAVITY > end:
            return RADIUS + v * (end - t) - 0.5 * GRAVITY * (end - t) ** 2
        t += 2.0 * v / GRAVITY


def ball(exponent, fall):
    m = fm.PlanarModel("ball", gravity=(0.0, -GRAVITY))
    body = m.add_body("ball", mass=1.0, inertia=0.01, position=(0.0, RADIUS + fall))
    law = {"stiffness": STIFFNESS, "exponent": exponent, "restitution": RESTITUTION, "impact_speed": 1.0}
    m.contact(m.ground, body.frame, fm.HalfPlane(), fm.Disk(radius=RADIUS), name="touch", **law)
    return m


METHODS = [
    ("radau", {}, [1e-4, 1e-6, 1e-8, 1e-10]),
    ("independent", {"integrator": "radau"}, [1e-4, 1e-6, 1e-8, 1e-10]),
    ("dop853", {}, [1e-4, 1e-6, 1e-8, 1e-10]),
    ("rkf45", {}, [1e-4, 1e-5, 1e-6, 1e-8]),
    ("generalized_alpha", {}, [1e-4, 1e-5, 1e-6]),
    ("rosenbrock", {}, [1e-4, 1e-5, 1e-6]),
]


@pytest.mark.parametrize(("method", "options", "tolerances"), METHODS, ids=[x[0] for x in METHODS])
def test_bounces(method, options, tolerances):
    """The estimates of error know little of them: that of Radau IIA left up to 460 tolerances, and the stages of rkf45
    threw one another out of the contact, so that the ball fell through the floor."""
    for exponent, fall in ((1.5, 0.2), (1.5, 0.29), (1.0, 0.15), (1.0, 0.29)):
        exact = height(exponent, fall, 0.7)
        for x in tolerances:
            with warnings.catch_warnings(action="error"):
                run = fm.simulate(ball(exponent, fall), 0.7, method, progress=False, **asked(method, x), **options)
            assert abs(run["ball.y"][-1] - exact) < WITHIN * x * (RADIUS + fall), (exponent, fall, x)


def asked(method, x):
    return {"tolerance": x, "absolute_tolerance": x} if method == "independent" else {"tolerance": x}


def disks(play, stiffness, rates):
    """Two disks on one axis, with play between them."""
    m = fm.PlanarModel("disks")
    a, b = (m.add_body(name, mass=1.0, inertia=inertia) for name, inertia in (("a", 0.1), ("b", 0.02)))
    m.revolute(m.ground, a.frame)
    hinge = m.revolute(a.frame, b.frame)
    m.joint_stop(hinge, lower=-play, upper=play, stiffness=stiffness, exponent=1.0)
    for body, rate in zip((a, b), rates):
        body.frame.move((0.0, 0.0), rate)
    return m


@pytest.mark.parametrize(("method", "options", "_"), METHODS[:4], ids=[x[0] for x in METHODS[:4]])
def test_hundreds_of_touches(method, options, _):
    """More than steps are cut for: the angle between the disks is a zigzag with half sines at its corners."""
    play, stiffness, rate, end = 0.005, 1e3, 4.0, 2.0
    omega = np.sqrt(stiffness * (1 / 0.1 + 1 / 0.02))
    across, back = 2.0 * play / rate, np.pi / omega
    t = (end + 0.5 * across) % (2.0 * (across + back))
    sign = 1.0 if t < across + back else -1.0
    t %= across + back
    exact = -play + rate * t if t < across else play + rate / omega * np.sin(omega * (t - across))
    for x in (1e-3, 1e-4, 1e-5, 1e-6):
        model = disks(play, stiffness, (3.0, 3.0 + rate))
        run = fm.simulate(model, end, method, progress=False, **asked(method, x), **options)
        assert abs(run["b.angle"][-1] - run["a.angle"][-1] - sign * exact) < 10.0 * x, x


def test_disks_that_newton_does_not_foresee():
    """A long step of generalized-α that is to end at a stiff contact, and finds no end there, ends before it. To end
    behind it left 660 tolerances."""
    m = fm.PlanarModel("disks in a row")
    law = {"stiffness": 1e7, "restitution": 0.9, "impact_speed": 1.0}
    rows = [(0.0, 0.0, 1.1), (0.25, 0.01, 0.0), (0.5, 0.02, 0.1)]
    bodies = [m.add_body(f"b{k}", mass=1.0, inertia=0.01, position=row[:2]) for k, row in enumerate(rows)]
    for body, (_, _, speed) in zip(bodies, rows):
        body.frame.move((speed, 0.0))
    for k in range(2):
        m.contact(
            bodies[k].frame,
            bodies[k + 1].frame,
            fm.Disk(diameter=0.1),
            fm.Disk(diameter=0.1),
            friction=0.2,
            name=f"c{k}",
            **law,
        )
    coarse, fine = (fm.simulate(m, 0.4, tolerance=x, progress=False) for x in (1e-5, 1e-7))
    np.testing.assert_allclose(coarse.q[-1], fine.q[-1], rtol=0, atol=1e-5)


def test_two_events_at_nearly_the_same_instant():
    """Between them is a step of 3e-11 s, in which the stages of Radau IIA, rounded and divided by its square, would be
    the force of the joint and its friction: 1e-5 rad/s came of it."""

    def run(*angles):
        m = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
        bar = m.add_body("bar", mass=1.0, inertia=0.1, position=(30.5, 1.0))
        rubs = fm.JointFriction(0.3, radius=0.02)
        m.revolute(m.ground.attach("post", (30.0, 1.0)), bar.attach("pivot", (-0.5, 0.0)), friction=rubs)
        stone = m.add_body("stone", mass=1.0, inertia=0.1)
        m.switch_off(m.lock(m.ground, stone.frame, "x", name="hook"))
        m.add_event(fm.crossing("bar.angle", -0.5, "down"), fm.Switch(on="hook"), name="catch")
        for angle in angles:
            m.add_event(fm.crossing("bar.angle", angle, "down"), fm.Note(), name="seen")
        return fm.simulate(m, 0.4, "radau", tolerance=1e-8, progress=False)

    one, two = run(), run(-0.5 - 1e-10)
    assert 1e-11 < two.events[1].t - two.events[0].t < 1e-10
    np.testing.assert_allclose(two["bar"].angular_velocity[-1], one["bar"].angular_velocity[-1], rtol=0, atol=1e-8)
