"""All joints: position errors against plain geometry, then every kernel against differences of the previous one."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.testing import conformance

RATIO = -0.4
AXIS = 0.7
RISE = fm.Harmonic(0.4, 1.7, 0.2, 2.0) + fm.Polynomial([0.0, 0.1, 0.05])


def rise(t):
    return 0.4 * math.sin(1.7 * t + 0.2) + 2.0 + 0.1 * t + 0.05 * t**2


@dataclass
class Case:
    """The method of the model that makes a joint, and the joint's position error by plain geometry of its frames."""

    method: str
    args: tuple
    error: Any
    options: dict = field(default_factory=dict)


def seen_from(a, b):
    """Position of frame b in the axes of frame a; a frame is (x, y, angle)."""
    return turn(-a[2]) @ (b[:2] - a[:2])


def turn(angle):
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def across(a, b):
    return (turn(-AXIS) @ seen_from(a, b))[1]


def along(a, b):
    return (turn(-AXIS) @ seen_from(a, b))[0]


def angle(a, b):
    return b[2] - a[2]


def distance(a, b):
    return math.dist(a[:2], b[:2])


#: error(a, b, a0, b0, t): frames (x, y, angle) now and in the model
CASES = {
    "revolute": Case("revolute", (), lambda a, b, a0, b0, t: b[:2] - a[:2]),
    "prismatic": Case(
        "prismatic", (), lambda a, b, a0, b0, t: [across(a, b), angle(a, b) - angle(a0, b0)], {"axis": AXIS}
    ),
    "weld": Case("weld", (), lambda a, b, a0, b0, t: [*(b[:2] - a[:2]), angle(a, b) - angle(a0, b0)]),
    "pin_in_slot": Case("pin_in_slot", (), lambda a, b, a0, b0, t: [across(a, b)], {"axis": AXIS}),
    "distance, initial": Case("distance", (), lambda a, b, a0, b0, t: [distance(a, b) - distance(a0, b0)]),
    "distance": Case("distance", (1.5,), lambda a, b, a0, b0, t: [distance(a, b) - 1.5]),
    "gear": Case("gear", (RATIO,), lambda a, b, a0, b0, t: [b[2] - b0[2] - RATIO * (a[2] - a0[2])]),
    "lock x": Case("lock", ("x",), lambda a, b, a0, b0, t: [seen_from(a, b)[0] - seen_from(a0, b0)[0]]),
    "lock y": Case("lock", ("y", 0.3), lambda a, b, a0, b0, t: [seen_from(a, b)[1] - 0.3]),
    "lock angle": Case("lock", ("angle",), lambda a, b, a0, b0, t: [angle(a, b) - angle(a0, b0)]),
    "drive_angle": Case("drive_angle", (RISE,), lambda a, b, a0, b0, t: [angle(a, b) - rise(t)]),
    "drive_angle, relative": Case(
        "drive_angle",
        (RISE,),
        lambda a, b, a0, b0, t: [angle(a, b) - angle(a0, b0) - rise(t)],
        {"relative_to_start": True},
    ),
    "drive_position": Case("drive_position", (RISE,), lambda a, b, a0, b0, t: [along(a, b) - rise(t)], {"axis": AXIS}),
    "drive_position, relative": Case(
        "drive_position",
        (RISE,),
        lambda a, b, a0, b0, t: [along(a, b) - along(a0, b0) - rise(t)],
        {"axis": AXIS, "relative_to_start": True},
    ),
    "drive_distance": Case("drive_distance", (RISE,), lambda a, b, a0, b0, t: [distance(a, b) - rise(t)]),
}
each = pytest.mark.parametrize("fixed", [False, True], ids=["two bodies", "on the ground"])
each_joint = pytest.mark.parametrize("name", CASES)


class Scene:
    """A joint between frames with random offsets on two bodies at random places, or on one and the ground."""

    def __init__(self, name, fixed, seed):
        rng = self.rng = np.random.default_rng(seed)
        self.case = CASES[name]
        model = fm.PlanarModel("scene")
        self.places = rng.uniform([-2, -2, -4], [2, 2, 4], (2, 3))
        self.offsets = rng.uniform([-1, -1, -3], [1, 1, 3], (2, 3))
        if fixed:
            self.places[0] = 0.0
        bodies = []
        for k, (x, y, phi) in enumerate(self.places):
            if fixed and k == 0:
                bodies.append(model.add_frame("wall", fixed=True))
            else:
                bodies.append(model.add_body(f"body {k}", mass=1.0, inertia=1.0, position=(x, y), angle=phi).frame)
        a, b = (body.attach(f"frame {k}", tuple(u[:2]), u[2]) for k, (body, u) in enumerate(zip(bodies, self.offsets)))
        self.joint = getattr(model, self.case.method)(a, b, *self.case.args, **self.case.options)
        self.system = fm.System(model)
        self.n = self.system.n

    def frames(self, q):
        places = np.concatenate([self.places.ravel()[: 6 - self.n], q]).reshape(2, 3)
        return [np.array([*(p[:2] + turn(p[2]) @ u[:2]), p[2] + u[2]]) for p, u in zip(places, self.offsets)]

    def state(self):
        rng = self.rng
        return rng.uniform(0.0, 3.0), rng.uniform(-3, 3, self.n), rng.uniform(-2, 2, (3, self.n))


def difference(f, step=4e-3):
    """df/ds at s = 0, of eighth order."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    return sum(w * (f(k * step) - f(-k * step)) for k, w in weights.items()) / step


def close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=2e-10)


@each
@each_joint
def test_position_error(name, fixed):
    scene = Scene(name, fixed, 1)
    start = scene.frames(scene.system.q0)
    for _ in range(5):
        t, q, _ = scene.state()
        g, _, _ = scene.system.constraint(t, q, np.zeros(scene.n))
        np.testing.assert_allclose(g, scene.case.error(*scene.frames(q), *start, t), rtol=0, atol=1e-13)


@each
@each_joint
def test_jacobian(name, fixed):
    scene = Scene(name, fixed, 2)
    s = scene.system
    for _ in range(3):
        t, q, (v, _, _) = scene.state()
        columns = [difference(lambda h, e=e: s.constraint(t, q + h * e, v)[0]) for e in np.eye(scene.n)]  # noqa: B023
        close(s.jacobian(t, q), np.transpose(columns))


@each
@each_joint
def test_velocity_error(name, fixed):
    scene = Scene(name, fixed, 3)
    s = scene.system
    for _ in range(3):
        t, q, (v, _, _) = scene.state()
        g_t = difference(lambda h: s.constraint(t + h, q, v)[0])  # noqa: B023
        close(s.constraint(t, q, v)[1], s.jacobian(t, q) @ v + g_t)


@each
@each_joint
def test_acceleration_right_hand_side(name, fixed):
    """Along a motion q + v h + a h²/2 + j h³/6 the velocity error has the rate G a − γ."""
    scene = Scene(name, fixed, 4)
    s = scene.system
    for _ in range(3):
        t, q, (v, a, j) = scene.state()

        def velocity_error(h):
            return s.constraint(t + h, q + v * h + a * h**2 / 2 + j * h**3 / 6, v + a * h + j * h**2 / 2)[1]  # noqa: B023

        close(s.jacobian(t, q) @ a - s.constraint(t, q, v)[2], difference(velocity_error))


@each
@each_joint
def test_stiffness_of_forces(name, fixed):
    scene = Scene(name, fixed, 5)
    s = scene.system
    zero = np.zeros(scene.n)
    for _ in range(3):
        t, q, _ = scene.state()
        lam = scene.rng.uniform(-2, 2, s.m)
        K = s.tangent(t, q, zero, zero, lam, (0.0, 0.0, 1.7)) - s.tangent(t, q, zero, zero, 0 * lam, (0.0, 0.0, 1.7))
        columns = [difference(lambda h, e=e: s.jacobian(t, q + h * e).T @ lam) for e in np.eye(scene.n)]  # noqa: B023
        close(K, 1.7 * np.transpose(columns))
        np.testing.assert_allclose(K, K.T, atol=1e-14)


@each
@each_joint
def test_conformance(name, fixed):
    conformance(Scene(name, fixed, 6).joint, seeds=(0,))


# -- forces and motions of joints ------------------------------------------------------------------------


def single(position=(0.0, 0.0), angle=0.0, mass=2.0, gravity=(0.0, -10.0)):
    model = fm.PlanarModel("m", gravity=gravity)
    return model, model.add_body("body", mass=mass, inertia=0.5, position=position, angle=angle)


def multipliers(system, t=0.0):
    """λ of M a + f + Gᵀ λ = 0, G a = γ at the start."""
    n, m = system.n, system.m
    q, v = system.q0, system.v0
    matrix = system.matrix(t, q, v, np.zeros(n), np.zeros(m), (1.0, 0.0, 0.0))
    right = np.concatenate([-system.residual(t, q, v, np.zeros(n)), system.constraint(t, q, v)[2]])
    return np.linalg.solve(matrix, right)[n:]


def test_force_on_b_is_minus_lambda():
    """A body of 2 kg: what holds it up pushes with +20 N."""
    model, body = single(position=(0, 3))
    model.lock(model.ground, body.frame, "y")
    assert multipliers(fm.System(model)) == pytest.approx([-20.0])
    model, body = single(position=(0, 3))
    model.distance(model.ground, body.frame)
    assert multipliers(fm.System(model)) == pytest.approx([-20.0])
    model, body = single(position=(0, -3))  # hanging: the rod pulls
    model.distance(model.ground, body.frame)
    assert multipliers(fm.System(model)) == pytest.approx([20.0])


def test_drives_give_their_acceleration():
    """J α for the angle, m (g + a) for the position."""
    model, body = single()
    model.drive_angle(model.ground, body.frame, fm.Polynomial([0.0, 0.0, 1.5]))
    model.drive_position(model.ground, body.frame, fm.Polynomial([0.0, 0.0, 2.0]), axis=math.pi / 2)
    assert multipliers(fm.System(model)) == pytest.approx([-0.5 * 3.0, -2.0 * 14.0])


def test_rod_pulls_with_centripetal_force():
    model, body = single(position=(3, 4), gravity=(0.0, 0.0))
    body.move((-0.8 * 10, 0.6 * 10))
    model.distance(model.ground, body.frame)
    assert multipliers(fm.System(model)) == pytest.approx([2.0 * 10.0**2 / 5.0])


@pytest.mark.parametrize("method", ["weld", "prismatic"])
def test_no_flip(method):
    """After half a turn the axes are parallel too, but this is no solution; nor is a whole turn."""
    model, body = single()
    getattr(model, method)(model.ground, body.frame)
    system = fm.System(model)
    for angle in (math.pi, 2 * math.pi):
        assert system.constraint(0.0, [0, 0, angle], np.zeros(3))[0][-1] == angle


def test_a_thousand_turns():
    model, body = single()
    wheel = model.add_body("wheel", mass=1.0, inertia=1.0)
    model.drive_angle(model.ground, body.frame, fm.Polynomial([0.0, 2 * math.pi]))
    model.gear(body.frame, wheel.frame, -3.0)
    system = fm.System(model)
    turns = 2 * math.pi * 1000
    g, gd, _ = system.constraint(1000.0, [0, 0, turns, 0, 0, -3 * turns], [0, 0, 2 * math.pi, 0, 0, -6 * math.pi])
    np.testing.assert_allclose(g, 0.0, atol=1e-11)
    np.testing.assert_allclose(gd, 0.0, atol=1e-14)


def planetary():
    model = fm.PlanarModel("gear box")
    names = ("sun", "planet", "ring", "arm")
    sun, planet, ring, arm = (model.add_body(n, mass=1.0, inertia=1.0, angle=0.1 * k) for k, n in enumerate(names))
    model.gear(sun.frame, planet.frame, -20 / 15, carrier=arm.frame)
    model.gear(planet.frame, ring.frame, 15 / 50, carrier=arm.frame)
    return fm.System(model)


def test_planetary_gear_obeys_willis():
    """(ω_sun − ω_arm) z_sun = −(ω_ring − ω_arm) z_ring; all may also turn at the arm's speed."""
    system = planetary()
    speeds = np.zeros((4, 3))
    for arm, sun in ((2.0, 7.0), (3.0, 3.0)):
        speeds[:, 2] = sun, arm - 20 / 15 * (sun - arm), arm - 20 / 50 * (sun - arm), arm
        np.testing.assert_allclose(system.constraint(0.0, system.q0, speeds.ravel())[1], 0.0, atol=1e-14)
    np.testing.assert_allclose(system.constraint(0.0, system.q0, system.v0)[0], 0.0, atol=1e-16)
    moments = -system.jacobian(0.0, system.q0).T @ [1.3, -0.4]
    assert moments.sum() == pytest.approx(0.0, abs=1e-15)  # the carrier balances the wheels


def test_prismatic_lets_slide_and_holds_the_rest():
    model, body = single(position=(1.0, 1.0), angle=0.2)
    model.prismatic(model.ground, body.frame, axis=math.pi / 4)
    system = fm.System(model)
    assert np.abs(system.constraint(0.0, [5.0, 5.0, 0.2], np.zeros(3))[0]).max() < 1e-15
    g = system.constraint(0.0, [5.0 - math.sqrt(2), 5.0 + math.sqrt(2), 0.3], np.zeros(3))[0]
    np.testing.assert_allclose(g, [2.0, 0.1], atol=1e-14)


# -- what is refused -------------------------------------------------------------------------------------


def scene():
    model = fm.PlanarModel("m")
    bodies = [model.add_body(name, mass=1.0, inertia=1.0, position=(k, 0)) for k, name in enumerate("pq")]
    return model, model.ground, *bodies


@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda m, g, p, q: m.weld(p.frame, p.attach("end")),
            "'weld 1': frames 'p' and 'p.end' are parts of the same",
        ),
        (
            lambda m, g, p, q: m.weld(g, m.add_frame("wall", fixed=True)),
            "'ground' and 'wall' are both fixed in space",
        ),
        (lambda m, g, p, q: m.prismatic(g, p.frame, axis=math.nan), "joint 'prismatic 1': axis is nan"),
        (lambda m, g, p, q: m.pin_in_slot(g, p.frame, axis="x"), "axis must be a number, not 'x'"),
        (lambda m, g, p, q: m.distance(g, p.frame), "'ground' and 'p' start at the same point.*use revolute"),
        (lambda m, g, p, q: m.distance(g, p.frame, 0.5), "'ground' and 'p' start at the same point.*place them apart"),
        (lambda m, g, p, q: m.drive_distance(g, p.frame, 0.5), "joint 'drive_distance 1': .* start at the same point"),
        (
            lambda m, g, p, q: m.distance(p.attach("tip", (0.6, 0.3)), q.attach("end", (0.1 + 0.2 - 0.7, 0.3)), 0.5),
            "'p.tip' and 'q.end' start at the same point",
        ),
        (
            lambda m, g, p, q: m.distance(g, q.frame, 0.0),
            "joint 'distance 1': distance is 0; it must be positive",
        ),
        (lambda m, g, p, q: m.drive_distance(g, q.frame, fm.Harmonic(1, 1)), "distance is 0 at t = 0"),
        (lambda m, g, p, q: m.gear(p.frame, q.frame, 0), "ratio is 0; to hold an angle use lock"),
        (
            lambda m, g, p, q: m.gear(p.frame, q.frame, 2, carrier=q.frame),
            "frame 'q' is part of the carrier 'q'",
        ),
        (lambda m, g, p, q: m.gear(g, q.frame, 2), "frame 'ground' is part of the carrier 'ground'"),
        (lambda m, g, p, q: m.gear(p.frame, q.frame, 2, carrier="arm"), "'arm' is not a frame"),
        (lambda m, g, p, q: m.lock(g, q.frame, "z"), "coordinate is 'z'; choose one of 'x', 'y', 'angle'"),
        (lambda m, g, p, q: m.lock(g, q.frame, "x", math.inf), "joint 'lock 1': value is inf"),
        (
            lambda m, g, p, q: m.drive_angle(g, q.frame, math.sin, name="motor"),
            r"joint 'motor': angle .* fm\.spline_fit",
        ),
        (lambda m, g, p, q: m.drive_position(g, q.frame, None), "position must be a number, not None"),
    ],
)
def test_refused(make, message):
    model, *parts = scene()
    with pytest.raises(ModelError, match=message):
        make(model, *parts)
    assert not [c for c in model.components.values() if c.kind == "joint"]
