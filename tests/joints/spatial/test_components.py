"""Joints and forces of space as components of a model: their rows, Jacobians and tangents in the assembled system."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.algebra.differences import derivative
from flexmb.joints.pair_joint import PairJoint
from flexmb.spatial import SpatialModel
from tests.by_hand import agree
from tests.models.coupled import CLOSED
from tests.models.rolled import ROLLED

LEAN = Rotation.from_rotvec([0.3, -0.4, 0.5])


def pair():
    """Two bodies anywhere, and a frame on each at the same place."""
    m = SpatialModel("pair", gravity=(0.3, -0.5, -9.81))
    inertia = [[2.0, 0.3, -0.2], [0.3, 1.5, 0.1], [-0.2, 0.1, 1.1]]
    a = m.add_body("a", mass=2.0, inertia=inertia, position=(1.0, 0.2, -0.3), orientation=LEAN)
    b = m.add_body("b", mass=3.0, inertia=(0.2, 0.3, 0.4), position=(0.3, -0.5, 0.8), orientation=LEAN.inv())
    on_a = a.attach("p", (0.1, 0.2, -0.4), Rotation.from_rotvec([0.0, 0.7, 0.2]))
    on_b = b.attach("p", LEAN.apply(on_a.position - b.frame.position), Rotation.from_rotvec([1.0, 0.0, 0.2]))
    return m, on_a, on_b


def spherical():
    m, a, b = pair()
    m.spherical(a, b)
    return m


def hinge():
    m, a, b = pair()
    m.revolute(a, b, axis=(0.3, 0.2, 1.0))
    return m


def along_b(b, direction):
    """A direction in the axes of frame b, given in those of the ground."""
    return b.orientation.inv().apply(direction)


def across_both(a, b):
    """A direction in the axes of frame b, across the x-axis of frame a."""
    x = a.orientation.apply([1.0, 0.0, 0.0])
    return along_b(b, np.cross(x, [0.3, 0.5, 0.7]))


def joint_of(verb, **options):
    """A model with one joint between the two bodies."""

    def make():
        m, a, b = pair()
        given = {name: value(a, b) if callable(value) else value for name, value in options.items()}
        if verb == "distance":
            b = m.components["b"].frame
        getattr(m, verb)(a, b, **given)
        return m

    make.__name__ = verb
    return make


PAIRS = [
    joint_of("weld"),
    joint_of("prismatic", axis=(0.3, 0.2, 1.0)),
    joint_of("cylindrical", axis="x", count_turns=True),
    joint_of("universal", axis="x", axis_b=across_both),
    joint_of("planar_joint", axis=(1.0, -2.0, 0.5), count_turns=True),
    joint_of("parallel_axes", axis="y"),
    joint_of("point_on_line", axis=(0.1, 0.2, -0.9)),
    joint_of("point_in_plane", axis="z"),
    joint_of("distance"),
    joint_of("lock", coordinate="position", axis=(0.3, 0.4, 0.5)),
    joint_of("lock", coordinate="angle", axis=(0.3, 0.4, 0.5)),
]


def counted():
    m, a, b = pair()
    m.revolute(a, b, axis="y")
    m.torsion_spring(a, b, axis="y", stiffness=3.0, damping=0.4, free_angle=0.2)
    m.drive_angle(a, b, fm.Harmonic(0.3, 2.0), axis="y")
    return m


def bushing():
    m, a, b = pair()
    m.bushing(a, b, stiffness=(100.0, 80.0, 90.0, 7.0, 6.0, 5.0), damping=(1.0, 0.8, 0.9, 0.07, 0.06, 0.05))
    return m


def coupling(name):
    """A model with one of the joints that count or couple, or drives."""

    def make():
        m, a, b = pair()
        CLOSED[name](m, a, b)
        return m

    make.__name__ = name
    return make


MAKERS = [spherical, hinge, counted, bushing, *PAIRS, *map(coupling, CLOSED)]


@pytest.mark.parametrize("make", MAKERS)
def test_joints_are_closed_and_derivatives_exact(make):
    system = fm.System(make())
    g, _, _ = system.constraint(0.0, system.q0, system.v0)
    assert np.max(np.abs(g), initial=0.0) < 1e-15
    rng = np.random.default_rng(1)
    q = system.retract(system.q0, 0.2 * rng.uniform(-1, 1, system.n))
    v, a, lam = rng.uniform(-1, 1, system.n), rng.uniform(-1, 1, system.n), rng.uniform(-1, 1, system.m)
    unit = np.eye(system.n)

    def residual(h):
        return np.array([system.residual(0.3, system.retract(q, h * e), v, a, lam) for e in unit])

    slopes, error = derivative(residual, 0.02)
    agree(system.tangent(0.3, q, v, a, lam, (0.0, 0.0, 1.0)), slopes.T, error)
    slopes, error = derivative(lambda h: np.array([system.residual(0.3, q, v + h * e, a, lam) for e in unit]), 0.02)
    agree(system.tangent(0.3, q, v, a, lam, (0.0, 1.0, 0.0)), slopes.T, error)
    if system.m:
        moved = derivative(
            lambda h: np.array([system.constraint(0.3, system.retract(q, h * e), v)[0] for e in unit]), 0.02
        )
        agree(system.jacobian(0.3, q), moved[0].T, moved[1])


def test_every_joint_is_in_one_of_these_models():
    """Bodies and forces, and what rolls, are in tests/test_spatial_conformance.py."""
    made = {type(part).__name__ for make in MAKERS for part in make().components.values()}
    made |= {type(put(*pair())).__name__ for put in ROLLED.values()}
    kinds = {name: getattr(fm.spatial, name) for name in fm.spatial.__all__}
    room = {name for name, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, PairJoint)}
    assert len(room) > 20 and made >= room


@pytest.mark.parametrize("make", MAKERS)
def test_forces_between_two_bodies_balance(make):
    """In any position that is a closed one, moved as a whole, they do no work on motions of the whole."""
    model = make()
    model.gravity = np.zeros(3)
    system = fm.System(model)
    rng = np.random.default_rng(2)
    motion = system.rigid_motions(system.q0)
    lam = rng.uniform(-1, 1, system.m)
    zero = np.zeros(system.n)
    forces = system.residual(0.0, system.q0, rng.uniform(-1, 1, system.n) if not system.m else zero, zero, lam)
    inertia = system.residual(0.0, system.q0, zero, zero)
    if system.m:
        agree(motion @ (forces - inertia), np.zeros(6), 0.0, 1e-13)


def test_initial_rates_of_counted_angles_are_those_of_the_bodies():
    m, a, b = pair()
    m.revolute(a, b, axis="y")
    axis = a.orientation.apply([0.0, 1.0, 0.0])
    b.move(angular_velocity=3.0 * axis)
    m.torsion_spring(a, b, axis="y", stiffness=3.0, name="spiral")
    system = fm.System(m)
    assert system.v0[system.names.index("spiral.turn")] == pytest.approx(3.0, rel=1e-14)
    assert np.max(np.abs(system.constraint(0.0, system.q0, system.v0)[1])) < 1e-14


def test_what_is_fixed_does_not_turn_a_counted_angle():
    m = SpatialModel("wheel")
    wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    m.revolute(m.ground, wheel.frame, axis="z")
    m.torsion_spring(m.ground, wheel.frame, axis="z", stiffness=1.0)
    m.ground.move(angular_velocity=(0.0, 0.0, 3.0))
    assert not fm.System(m).v0.any()


@pytest.mark.parametrize("make", MAKERS)
def test_a_rigid_motion_is_one_of_the_whole(make):
    model = make()
    velocity, omega, about = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -0.7]), np.array([0.1, 0.0, 0.4])
    model.set_rigid_motion(velocity, omega, about)
    system = fm.System(model)
    rates = [*(velocity - np.cross(omega, about)), *omega]
    agree(system.v0, rates @ system.rigid_motions(system.q0), 0.0, 1e-15)
    still = [k for k, row in enumerate(system.rows) if not row.owner.startswith("drive")]
    if still:
        agree(system.constraint(0.0, system.q0, system.v0)[1][still], np.zeros(len(still)), 0.0, 1e-14)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m, a, b: m.revolute(a, b, axis="w"), "axis is 'w'; give 'x', 'y', 'z'"),
        (lambda m, a, b: m.revolute(a, b, axis=(0, 0, 0)), "axis has no direction"),
        (lambda m, a, b: m.spherical(a, a), "parts of the same body"),
        (lambda m, a, b: m.bushing(a, b, stiffness=(1, 2, 3)), "stiffness must be six finite numbers"),
        (lambda m, a, b: m.add_body("c", mass=1.0, inertia=(1, 1, 3)), "is larger than the sum of the other two"),
        (
            lambda m, a, b: m.add_body("c", mass=1.0, inertia=(1, 1, 1), orientation=np.ones((3, 3))),
            "not orthogonal unit axes",
        ),
        (lambda m, a, b: m.add_body("c", mass=1.0, inertia=(1, 1, 1), position=(0, 1)), "position must be 3 numbers"),
    ],
)
def test_what_cannot_be_right_is_refused(make, message):
    with pytest.raises(fm.errors.ModelError, match=message):
        make(*pair())


def test_a_wound_up_hinge_in_equilibrium():
    """The moment of a spring wound up by many turns against the weight: k (s − s₀) = m g l cos s."""
    for turns in (0.0, 100.0, -400.0):
        m = SpatialModel("lamp", gravity=(0.0, 0.0, -9.81))
        arm = m.add_body("arm", mass=2.0, inertia=(0.01, 0.17, 0.17), position=(0.5, 0.0, 0.0))
        m.revolute(m.ground, arm.attach("end", (-0.5, 0.0, 0.0)), axis="y", name="hinge")
        k = 9.81 / (2000.0 * np.pi)
        m.torsion_spring(m.ground, arm.frame, axis="y", stiffness=k, free_angle=2.0 * np.pi * turns, name="spiral")
        rest = fm.equilibrium(m)
        s = float(rest.solution.coordinate("spiral.turn")[0])
        assert k * (s - 2.0 * np.pi * turns) == pytest.approx(9.81 * np.cos(s), abs=1e-12)
        # ω² = (k + m g l sin s)/(J + m l²)
        assert rest.omega_squared[0] == pytest.approx((k + 9.81 * np.sin(s)) / 0.67, rel=1e-9)
