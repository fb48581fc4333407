"""Drives in space: prescribed orientations, places, distances and joint coordinates, with exact accelerations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, RotationSpline

import flexmb as fm
from flexmb.spatial import SpatialModel
from tests.models.coupled import TIMES, TURNS

INERTIA = np.array([[2.0, 0.3, -0.2], [0.3, 1.5, 0.1], [-0.2, 0.1, 1.1]])
FUNCTIONS = (fm.Harmonic(0.7, 2.0, 0.3), fm.Polynomial([0.4, 3.0, 0.2]), fm.Harmonic(0.4, 3.0) + 0.2)
TILT = Rotation.from_rotvec([0.4, -0.7, 0.2])


def dish(rotation, **options):
    """A body on a tilted pivot, whose orientation is driven."""
    m = SpatialModel("dish")
    body = m.add_body("dish", mass=1.0, inertia=INERTIA)
    pivot = m.ground.attach("pivot", (0.0, 0.0, 0.0), TILT)
    m.spherical(pivot, body.frame, name="ball")
    m.drive_rotation(pivot, body.frame, rotation, name="turn", **options)
    return m


def euler(t):
    return TILT * Rotation.from_euler("ZXZ", [f(t) for f in FUNCTIONS])


def fixed_axes(t):
    return TILT * Rotation.from_euler("xyz", [f(t) for f in FUNCTIONS])


def vector(t):
    return TILT * Rotation.from_rotvec([f(t) for f in FUNCTIONS])


def table(t):
    return TILT * RotationSpline(TIMES, TURNS)(t)


WAYS = {
    "ZXZ": (lambda: dish(FUNCTIONS, sequence="ZXZ"), euler),
    "xyz": (lambda: dish(FUNCTIONS, sequence="xyz"), fixed_axes),
    "vector": (lambda: dish(FUNCTIONS), vector),
    "table": (lambda: dish(TURNS, times=TIMES), table),
}


def rates(turn, t, h=1e-3):
    """ω and α in the axes of the ground by differences of fourth order."""

    def omega(t):
        steps = np.array([1.0, 2.0]) * h
        halves = [(turn(t + s) * turn(t - s).inv()).as_rotvec() / (2.0 * s) for s in steps]
        return (4.0 * halves[0] - halves[1]) / 3.0

    slopes = [(omega(t + s) - omega(t - s)) / (2.0 * s) for s in (h, 2.0 * h)]
    return omega(t), (4.0 * slopes[0] - slopes[1]) / 3.0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial positions did not meet the joints")
def test_orientation_rates_and_moments_are_those_prescribed(way):
    make, turn = WAYS[way]
    motion = fm.kinematics(make(), times=[0.1, 0.33, 0.75, 1.3])
    track = motion["dish"]
    _, moment = motion.reaction("turn")
    for k, t in enumerate(motion.t):
        assert (track.orientation[k] * turn(t).inv()).magnitude() < 1e-12
        omega, alpha = rates(turn, float(t))
        assert track.angular_velocity[k] == pytest.approx(omega, abs=1e-8)
        assert track.angular_acceleration[k] == pytest.approx(alpha, abs=2e-5)
        J = turn(t).as_matrix() @ INERTIA @ turn(t).as_matrix().T
        own = track.angular_velocity[k], track.angular_acceleration[k]
        assert moment[k] == pytest.approx(J @ own[1] + np.cross(own[0], J @ own[0]), rel=1e-9, abs=1e-9)


@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial positions did not meet the joints")
def test_the_table_has_the_rates_of_the_spline():
    motion = fm.kinematics(dish(TURNS, times=TIMES), times=[0.1, 0.4, 0.9, 1.5])
    spline = RotationSpline(TIMES, TURNS)
    own = motion["dish"].in_own_axes()
    assert own.angular_velocity == pytest.approx(spline(motion.t, 1), abs=1e-11)
    assert own.angular_acceleration == pytest.approx(spline(motion.t, 2), abs=1e-10)


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "dop853", "baumgarte", "projection"])
@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial positions did not meet the joints")
def test_all_methods_follow_an_orientation(method):
    m = SpatialModel("arm")
    hub = m.add_body("hub", mass=1.0, inertia=INERTIA)
    arm = m.add_body("arm", mass=1.0, inertia=(0.1, 0.2, 0.2), position=(0.5, 0, 0))
    m.spherical(m.ground, hub.frame)
    m.revolute(hub.frame, arm.attach("end", (-0.5, 0, 0)), axis="y")
    m.drive_rotation(m.ground, hub.frame, FUNCTIONS, relative_to_start=True)
    solution = fm.simulate(m, 0.5, method=method, progress=False)
    wanted = Rotation.from_rotvec([f(0.5) for f in FUNCTIONS])
    assert (solution["hub"].orientation[-1] * wanted.inv()).magnitude() < 1e-6


@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial positions did not meet the joints")
def test_euler_angles_may_grow_through_many_turns():
    m = dish((fm.Polynomial([0.0, 20.0 * np.pi]), 0.4, fm.Polynomial([0.0, -6.0 * np.pi])), sequence="ZXZ")
    solution = fm.simulate(m, 20.0, step=0.002, progress=False)
    wanted = TILT * Rotation.from_euler("x", 0.4)
    assert (solution["dish"].orientation[-1] * wanted.inv()).magnitude() < 1e-9


@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial positions did not meet the joints")
def test_before_and_after_a_table_the_orientation_stays():
    m = dish(TURNS, times=TIMES)
    assert m.components["turn"].kinks_until(-np.inf) == [-1.0, 2.5]
    motion = fm.kinematics(m, times=[0.0, 2.4, 2.6, 4.0])
    for k in (2, 3):
        assert (motion["dish"].orientation[k] * (TILT * TURNS[-1]).inv()).magnitude() < 1e-12
    assert np.max(np.abs(motion["dish"].angular_velocity[2:])) < 1e-12


@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial positions did not meet the joints")
def test_a_place_follows_three_functions_on_a_turning_frame():
    m = SpatialModel("m")
    hub = m.add_body("hub", mass=1.0, inertia=(1, 1, 1))
    bead = m.add_body("bead", mass=2.0, inertia=(1, 1, 1))
    m.revolute(m.ground, hub.frame, axis="z")
    m.drive_angle(m.ground, hub.frame, fm.Polynomial([0.0, 3.0, 0.5]), axis="z")
    m.drive_position(hub.frame, bead.frame, FUNCTIONS, name="carry")
    m.drive_rotation(m.ground, bead.frame, Rotation.identity())
    motion = fm.kinematics(m, 2.0, steps=8)

    def place(t):
        return Rotation.from_rotvec([0, 0, 3.0 * t + 0.5 * t * t]).apply([f(t) for f in FUNCTIONS])

    h = 1e-3
    for k, t in enumerate(motion.t):
        assert motion["bead"].position[k] == pytest.approx(place(t), abs=1e-12)
        around = np.array([place(t + j * h) for j in range(-2, 3)])
        a = np.array([-1, 16, -30, 16, -1]) @ around / (12 * h * h)
        assert motion["bead"].acceleration[k] == pytest.approx(a, abs=1e-6)
    force, _ = motion.reaction("carry")
    assert force == pytest.approx(2.0 * motion["bead"].acceleration, abs=1e-9)


def test_a_cylinder_lifts_a_boom():
    """Two sides of 1 and 2 m and the cylinder between their ends."""
    m = SpatialModel("boom", gravity=(0, 0, -9.81))
    boom = m.add_body("boom", mass=3.0, inertia=(0.1, 1.0, 1.0), position=(1.0, 0, 0))
    m.revolute(m.ground, boom.attach("foot", (-1, 0, 0)), axis="y")
    m.drive_distance(m.ground.attach("base", (0, 0, -1)), boom.attach("eye", (1, 0, 0)),
                     fm.SmoothStep(0.0, 2.0, np.sqrt(5.0), 2.8), name="cylinder")  # fmt: skip
    motion = fm.kinematics(m, 2.0, steps=20)
    z = motion["boom.eye"].position[:, 2]
    length = fm.SmoothStep(0.0, 2.0, np.sqrt(5.0), 2.8)(motion.t)
    assert 5.0 + 2.0 * z == pytest.approx(length**2, abs=1e-10)  # the law of cosines


def gimbal():
    m = SpatialModel("gimbal")
    body = m.add_body("body", mass=1.0, inertia=INERTIA)
    cross = m.universal(m.ground, body.frame, axis="x", axis_b="y", name="cross")
    return m, body, cross


def test_both_angles_of_a_universal_joint():
    """b stands turned about x of a, then about its own y; the first angle is counted through many turns."""
    m, _, cross = gimbal()
    m.drive_joint(cross, fm.Polynomial([0.0, 9.0, 2.0]), coordinate="angle1", name="first")
    m.drive_joint(cross, fm.Harmonic(0.8, 3.0), coordinate="angle2", name="second")
    motion = fm.kinematics(m, 3.0, steps=60)
    first, second = 9.0 * motion.t + 2.0 * motion.t**2, 0.8 * np.sin(3.0 * motion.t)
    wanted = Rotation.from_euler("XY", np.stack([first, second], axis=1))
    assert np.max((motion["body"].orientation * wanted.inv()).magnitude()) < 1e-11
    assert motion.coordinate("first.turn") == pytest.approx(first, abs=1e-10)
    _, moment = motion.reaction("first")
    assert np.abs(moment[:, 1:]).max() > 0.0


def test_initial_rates_of_the_angles_of_a_cross():
    m, body, cross = gimbal()
    m.drive_joint(cross, 0.0, coordinate="angle1", name="first")
    m.drive_joint(cross, 0.0, coordinate="angle2", name="second")
    body.frame.move(angular_velocity=(2.0, -3.0, 0.0))
    system = fm.System(m)
    v = dict(zip(system.names, system.v0))
    assert v["first.turn"] == pytest.approx(2.0, abs=1e-14) and v["second.turn"] == pytest.approx(-3.0, abs=1e-14)


def test_a_driven_sleeve_in_its_long_run():
    """Nothing is free: what moves by itself are the multipliers, which stay those of a circle."""
    m = SpatialModel("m")
    body = m.add_body("ring", mass=2.0, inertia=(0.1, 0.1, 0.02), position=(0.0, 0.3, 0.0))
    sleeve = m.cylindrical(m.ground, body.attach("hole", (0.0, -0.3, 0.0)), axis="x", name="sleeve")
    m.drive_joint(sleeve, fm.Polynomial([0.0, 3.0]), coordinate="position")
    m.drive_joint(sleeve, fm.Polynomial([0.0, 20.0 * np.pi]), coordinate="angle", name="turn")
    solution = fm.simulate(m, 100.0, step=1e-3, progress=False)
    assert solution.status == "finished"
    assert solution.coordinate("turn.turn")[-1] == pytest.approx(2000.0 * np.pi, rel=1e-12)
    force, _ = solution.reaction("sleeve")
    late = np.linalg.norm(force[1000:], axis=1)
    assert late == pytest.approx(2.0 * 0.3 * (20.0 * np.pi) ** 2, rel=1e-3)
    rows = solution.layout.rows_of("sleeve")
    tilts = [k for k in rows if solution.layout.rows[k][1].startswith("tilt")]
    assert np.max(np.abs(solution.multipliers[:, tilts])) < 1e-2


@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial positions did not meet the joints")
def test_other_functions_are_held_in_a_sweep():
    m = SpatialModel("m")
    base = m.add_body("base", mass=1.0, inertia=(1, 1, 1))
    arm = m.add_body("arm", mass=1.0, inertia=(1, 1, 1))
    m.drive_position(m.ground, base.frame, (fm.Polynomial([0.5, 1.0]), 0.0, 0.0))
    m.drive_rotation(m.ground, base.frame, (0.0, 0.0, fm.Polynomial([0.3, 1.0])))
    m.revolute(base.frame, arm.frame, axis="z", name="hinge")
    m.drive_joint(m.components["hinge"], 0.0, name="swept")
    motion = fm.kinematics(m, drive="swept", over=(0.0, 2.0), steps=4)
    assert motion["base"].position == pytest.approx(np.tile([0.5, 0, 0], (5, 1)), abs=1e-12)
    assert motion["arm"].orientation.as_rotvec()[-1] == pytest.approx([0, 0, 2.3], abs=1e-10)


def refused():
    m = SpatialModel("m")
    a = m.add_body("a", mass=1.0, inertia=(1, 1, 1)).frame
    return m, a, m.add_body("b", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0)).frame


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m, a, b: m.drive_rotation(a, b, TURNS, times=[0, 2, 1, 3, 4]), "times must rise; after 2 comes 1"),
        (lambda m, a, b: m.drive_rotation(a, b, TURNS, times=[0, 1]), "there are 2 times and 5 rotations"),
        (lambda m, a, b: m.drive_rotation(a, b, TURNS), "rotation is 5 rotations; give their times"),
        (lambda m, a, b: m.drive_rotation(a, b, TILT, times=[0]), "times are those of several rotations"),
        (lambda m, a, b: m.drive_rotation(a, b, FUNCTIONS[:2]), "rotation is 2 functions of time; give three"),
        (lambda m, a, b: m.drive_rotation(a, b, FUNCTIONS, sequence="xxz"), "turns about one axis twice in a row"),
        (lambda m, a, b: m.drive_rotation(a, b, FUNCTIONS, sequence="xYz"), "there is no sequence 'xYz'"),
        (lambda m, a, b: m.drive_rotation(a, b, FUNCTIONS, sequence=313), "313 is none; give first three axes"),
        (lambda m, a, b: m.drive_rotation(a, b, TILT, sequence="xyz"), "a rotation needs none"),
        (lambda m, a, b: m.drive_rotation(a, b, (np.sin, 0, 0)), "rotation is a function of Python"),
        (lambda m, a, b: m.drive_rotation(a, b, np.ones((3, 3))), "are not orthogonal unit axes"),
        (lambda m, a, b: m.drive_position(a, b, (0.0, 1.0)), "position is 2 functions of time"),
        (lambda m, a, b: m.drive_position(a, b, FUNCTIONS, axis="x"), "axis is that of one function"),
        (lambda m, a, b: m.drive_position(a, b, 0.0, axis="w"), "axis is 'w'"),
        (lambda m, a, b: m.drive_distance(a, b, -1.0), "distance is -1 at t = 0"),
        (lambda m, a, b: m.drive_joint(m.revolute(a, b), 0.0, coordinate="position"), "coordinate"),
        (lambda m, a, b: m.drive_joint(m.cylindrical(a, b), 0.0), "has the coordinates position, angle; say which one"),
        (lambda m, a, b: m.drive_joint(m.spherical(a, b), 0.0), "has no coordinate that a drive could move; use"),
        (lambda m, a, b: m.drive_joint(m.weld(a, b), 0.0), "has no coordinate that a drive could move$"),
        (lambda m, a, b: m.drive_joint("hinge", 0.0), "joint is 'hinge'; give a joint that has coordinates"),
    ],
)  # fmt: skip
def test_what_cannot_be_right_is_refused(make, message):
    with pytest.raises(fm.errors.ModelError, match=message):
        make(*refused())
