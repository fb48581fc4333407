from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import flexmb as fm
from flexmb.control import FollowingGain, ReactionlessDamper, ReactionNullSpace, VirtualSpring, VirtualSprings
from flexmb.errors import ControlError, FlexmbError, NamingError
from flexmb.examples import humanoid

ANGLES = st.floats(-1.2, 1.2)


def pendulum(name: str = "arm", inertia: float = 0.5) -> tuple[fm.PlanarModel, fm.planar.RigidBody]:
    m = fm.PlanarModel("m")
    arm = m.add_body(name, mass=1.0, inertia=inertia)
    m.joint_force(m.revolute(m.ground, arm.frame, name="hinge"), 0.0, name="motor")
    return m, arm


def standing() -> fm.PlanarModel:
    """A leg and a trunk in the plane, with motors in ankle and hip."""
    m = fm.PlanarModel("standing")
    leg = m.add_body("leg", mass=2.0, inertia=0.02, position=(0, 0.2))
    trunk = m.add_body("trunk", mass=3.0, inertia=0.05, position=(0, 0.6))
    ankle = m.revolute(m.ground, leg.attach("foot", (0, -0.2)), name="ankle")
    hip = m.revolute(leg.attach("top", (0, 0.2)), trunk.attach("hip", (0, -0.2)), name="hip")
    m.joint_force(ankle, 0.0, name="ankle motor")
    m.joint_force(hip, 0.0, name="hip motor")
    return m


def test_a_virtual_spring_is_a_spring_of_first_order_in_the_period():
    ends = []
    for period in (4e-3, 2e-3):
        m, _ = pendulum()
        VirtualSprings(m, [VirtualSpring("motor", 2.0, 0.6, free_angle=0.4)]).control(period=period)
        run = fm.simulate(m, 2.0, progress=False)
        decay, omega = 0.6, np.sqrt(4.0 - 0.6**2)  # c/2J, and of k/J = 4
        t = run.t
        exact = 0.4 * (1.0 - np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t)))
        ends.append(np.abs(run["arm.angle"] - exact).max())
    assert ends[1] < 2e-3
    assert np.log2(ends[0] / ends[1]) == pytest.approx(1.0, abs=0.05)


def test_a_gain_follows_a_state_with_two_smooth_ends():
    m, arm = pendulum()
    gain = FollowingGain(fm.control.RelativeAngle(m.ground, arm.frame), 1.0, 3.0, between=(0.2, 0.6))
    s = np.linspace(0.0, 0.8, 801)
    k = np.array([gain.at(x) for x in s])
    assert k[0] == 1.0 and k[-1] == 3.0 and gain.at(-0.4) == pytest.approx(2.0)
    second = np.diff(k, 2) / 1e-6
    assert np.abs(np.diff(second)).max() < 2.0  # its second derivative is continuous
    springs = VirtualSprings(m, [VirtualSpring("motor", gain, free_angle=0.0)])
    angle = next(k for k, x in enumerate(springs.sensors) if x is gain.sensor)
    readings = np.full(len(springs.sensors), 0.5)
    readings[angle] = 0.4
    assert springs.torques(readings) == pytest.approx([-2.0 * 0.5])


def test_the_spring_of_one_joint_reads_another():
    m = standing()
    springs = VirtualSprings(m, [VirtualSpring("ankle motor", 5.0, 0.5, of="hip"), VirtualSpring("ankle motor", 1.0)])
    assert springs.actuators == ["ankle motor"]
    names = [sensor.name for sensor in springs.sensors]
    readings = {name: value for name, value in zip(names, (0.3, 0.2, -0.1, 0.7))}
    assert springs.torques(np.array(list(readings.values()))) == pytest.approx([-5.0 * 0.3 - 0.5 * 0.2 + 0.1])


@given(ANGLES, ANGLES, ANGLES)
def test_the_ratio_of_ankle_and_hip_is_that_of_the_thesis_derived_anew(a, turn, bend):
    legs, hips = 2.0 * humanoid.LEG_MASS, 2.0 * (humanoid.YAW_MASS + humanoid.ROLL_MASS)
    trunk, l1, lg2 = humanoid.TRUNK_MASS, humanoid.LEG, humanoid.CHEST
    n11 = -trunk * lg2 * (np.cos(a) * np.cos(turn) * np.cos(bend) - np.sin(a) * np.sin(bend))
    n31 = (0.5 * legs * l1 + (hips + trunk) * l1) * np.cos(a)
    n31 += trunk * lg2 * (np.cos(a) * np.cos(bend) - np.sin(a) * np.cos(turn) * np.sin(bend))
    got = ReactionNullSpace(humanoid.imagined()).ratio([a, turn, bend], "ankle", "bend", "momentum.x")
    assert got == pytest.approx(n11 / n31, abs=1e-12)


def test_a_reactionless_damper_keeps_the_mass_center_where_it_is():
    moved = []
    for damping in (0.0, 100.0, 200.0):
        m = standing()
        joints = {"ankle": {"ankle": 1.0}, "hip": {"hip": 1.0}}
        parts = [ReactionlessDamper(standing(), "hip", "ankle", damping, joints), VirtualSpring("hip motor", 1.0, 0.1)]
        VirtualSprings(m, parts).control(period=1e-3)
        m.components["hip motor"].force = fm.Pulse(0.0, 0.1, 1.0)
        run = fm.simulate(m, 0.3, progress=False)
        moved.append(np.ptp(run.whole.center_of_mass[:, 0]))
    assert moved[2] < 0.03 * moved[0]
    assert moved[2] / moved[1] == pytest.approx(0.5, abs=0.05)


def test_a_robot_with_held_feet_moves_as_by_other_formulations():
    runs = [
        humanoid.shoved(humanoid.bending, "from behind", 0.26, floor=False, **options)
        for options in ({}, {"formulation": "lagrange"})
    ]
    np.testing.assert_allclose(runs[0]["trunk"].position, runs[1]["trunk"].position, atol=1e-10)
    assert runs[0].whole.angular_momentum[-1, 1] > 0.01 and runs[0].whole.angular_momentum[-1, 2] > 0.01


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda m, s: [VirtualSpring("motor", (0.5, 5.0))], "nothing says of which state"),
        (lambda m, s: [VirtualSpring("motor", lambda x: x)], "nothing says of which state"),
        (
            lambda m, s: [VirtualSpring("motor", 1.0, FollowingGain(lambda x: x, 0.0, 1.0, between=(0.0, 1.0)))],
            "give a sensor",
        ),
        (lambda m, s: [VirtualSpring("motor", FollowingGain(s, 0.0, 1.0, between=(0.5, 0.5)))], "that rise"),
        (lambda m, s: [VirtualSpring("motor", FollowingGain(s, -1.0, 1.0, between=(0.0, 0.5)))], "first"),
        (lambda m, s: [VirtualSpring("motor", -1.0)], "stiffness"),
        (lambda m, s: [VirtualSpring("engine", 1.0)], "no actuator"),
        (lambda m, s: [VirtualSpring("motor", 1.0, of="hip")], "hip"),
        (lambda m, s: [3.0], "no spring"),
        (
            lambda m, s: [ReactionlessDamper(standing(), "hip", "ankle", 1.0, {"hip": {"hinge": 1.0}})],
            "stand for ankle",
        ),
        (lambda m, s: [ReactionlessDamper(standing(), "knee", "ankle", 1.0, {})], "knee"),
        (lambda m, s: [ReactionlessDamper(standing(), "hip", "ankle", 1.0, {"hip": {"knee": 1.0}})], "no actuator"),
    ],
)
def test_wrong_parts_are_refused_by_name(wrong, says):
    m, arm = pendulum()
    sensor = fm.control.RelativeAngle(m.ground, arm.frame)
    with pytest.raises(FlexmbError, match=says):
        VirtualSprings(m, wrong(m, sensor))


@pytest.mark.parametrize("kind", ["floats", "turns in two ways"])
def test_a_reactionless_damper_imagines_simple_joints_on_the_ground(kind):
    imagined = fm.SpatialModel("imagined")
    body = imagined.add_body("body", mass=1.0, inertia=(1, 1, 1))
    if kind == "floats":
        more = imagined.add_body("more", mass=1.0, inertia=(1, 1, 1))
        imagined.revolute(body.frame, more.frame, axis="y", name="ankle")
    else:
        imagined.universal(imagined.ground, body.frame, name="ankle")
    m, _ = pendulum()
    with pytest.raises(ControlError, match="stands on the ground"):
        VirtualSprings(m, [ReactionlessDamper(imagined, "ankle", "ankle", 1.0, {"ankle": {"hinge": 1.0}})])
    if kind != "floats":
        with pytest.raises(ControlError, match="several ways"):
            ReactionNullSpace(imagined).ratio([0.0, 0.0], "ankle", "ankle", "momentum.x")


def test_a_joint_that_does_not_change_the_component_cannot_follow():
    space = ReactionNullSpace(humanoid.imagined())
    with pytest.raises(ControlError, match=r"does not change momentum\.x"):
        space.ratio([0.0, 0.0, 0.0], "turn", "bend", "momentum.x")
    with pytest.raises(FlexmbError, match="quantity"):
        space.ratio([0.0, 0.0, 0.0], "ankle", "bend", "momentum")
    with pytest.raises(NamingError, match="knee"):
        space.ratio([0.0, 0.0, 0.0], "knee", "bend", "momentum.x")
    with pytest.raises(ControlError, match="not a model"):
        VirtualSprings(None, [])  # type: ignore[arg-type]
