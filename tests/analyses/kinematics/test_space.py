"""Driven and sketched mechanisms in space."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import InitialConditionError, RedundancyError, SolverError
from flexmb.solvers.start.movable_parts import MovableParts
from flexmb.spatial import SpatialModel
from flexmb.system.mobility import describe_mobility
from tests.models.box_on_mounts import TURN

AXIS = np.array([1.0, 0.3, 0.2]) / np.linalg.norm([1.0, 0.3, 0.2])
ARM = np.array([0.1, 1.0, -0.3])


def driven_arm(angle) -> SpatialModel:
    model = SpatialModel("arm", gravity=(0, 0, -9.81))
    arm = model.add_body("arm", mass=2.0, inertia=(0.1, 0.2, 0.3), position=ARM, orientation=TURN)
    end = arm.frame.attach("end", TURN.inv().apply(-ARM), TURN.inv())
    model.revolute(model.ground, end, axis=AXIS, name="hinge")
    model.drive_angle(model.ground, end, angle, axis=AXIS, name="motor")
    return model


def test_a_driven_hinge_over_many_turns():
    motion = fm.kinematics(driven_arm(fm.Polynomial([0.0, 3.0, 2.0])), 4.0, steps=50)
    angle, rate = 3.0 * motion.t + 2.0 * motion.t**2, 3.0 + 4.0 * motion.t
    assert angle[-1] > 7 * 2 * np.pi and motion.status == "finished"
    turn = Rotation.from_rotvec(AXIS * angle[:, None])
    track = motion["arm"]
    np.testing.assert_allclose(track.position, turn.apply(ARM), atol=1e-12)
    np.testing.assert_allclose(track.angular_velocity, AXIS * rate[:, None], atol=1e-12)
    assert np.max(((turn * TURN).inv() * track.orientation).magnitude()) < 1e-12
    arm = turn.apply(ARM)
    omega = AXIS * rate[:, None]
    acceleration = np.cross(4.0 * AXIS, arm) + np.cross(omega, np.cross(omega, arm))
    np.testing.assert_allclose(track.acceleration, acceleration, atol=1e-9)
    # the drive's moment is what moment of momentum about the axis needs
    inertia = (turn * TURN).as_matrix() @ np.diag([0.1, 0.2, 0.3]) @ np.transpose((turn * TURN).as_matrix(), (0, 2, 1))
    own = np.einsum("kij,kj->ki", inertia, np.tile(4.0 * AXIS, (51, 1)))
    own += np.cross(omega, np.einsum("kij,kj->ki", inertia, omega))
    needed = (own + np.cross(arm, 2.0 * (acceleration + [0, 0, 9.81]))) @ AXIS
    row = next(k for k, (owner, name, _) in enumerate(motion.layout.rows) if (owner, name) == ("motor", "angle"))
    np.testing.assert_allclose(-motion.multipliers[:, row], needed, atol=1e-7)


def test_a_thousand_turns():
    """The steps that meet nothing are compiled; the counted angle tells all turns."""
    motion = fm.kinematics(driven_arm(fm.Polynomial([0.0, 2.0 * np.pi])), 1000.0, steps=10)
    assert motion.status == "finished" and motion.statistics.iterations > 10 * 1000
    turn = Rotation.from_rotvec(AXIS * (2.0 * np.pi * motion.t[:, None]))
    np.testing.assert_allclose(motion["arm"].position, turn.apply(ARM), atol=1e-11)


def test_a_sweep_of_the_hinge():
    motion = fm.kinematics(driven_arm(0.0), drive="motor", over=(-10.0, 10.0), steps=40)
    turn = Rotation.from_rotvec(AXIS * motion.t[:, None])
    np.testing.assert_allclose(motion["arm"].position, turn.apply(ARM), atol=1e-12)


LENGTHS = {"crank": 1.0, "rod": 3.0, "rocker": 2.5, "base": 4.0}


def four_bar(space: bool, tilt: Rotation, driven: str, lengths=LENGTHS, jump: float = 0.0):
    """A four-bar linkage, in the plane or tilted in space, with the pins A, B, C, D at A = (0, 0), D = (base, 0)."""
    B = lengths["crank"] * np.array([np.cos(1.0), np.sin(1.0)])
    D = np.array([lengths["base"], 0.0])
    way = D - B
    d = np.linalg.norm(way)
    along = (lengths["rod"] ** 2 - lengths["rocker"] ** 2 + d**2) / (2 * d)
    C = B + along * way / d + np.sqrt(lengths["rod"] ** 2 - along**2) * np.array([-way[1], way[0]]) / d
    pins = {"A": np.zeros(2), "B": B, "C": C, "D": D}
    bars = {"crank": "AB", "rod": "BC", "rocker": "DC"}
    model = SpatialModel("bars") if space else fm.PlanarModel("bars")
    axis = tilt.apply([0.0, 0.0, 1.0])

    def at(p):
        return tilt.apply([*p, 0.0]) if space else p

    ends = {}
    for name, (start, end) in bars.items():
        first, second = pins[start], pins[end]
        middle, angle = 0.5 * (first + second), np.arctan2(*(second - first)[::-1])
        half = 0.5 * np.linalg.norm(second - first)
        if space:
            off = tilt.apply([jump, 0.5 * jump, jump])
            turn = tilt * Rotation.from_rotvec([0.0, 0.0, angle + jump])  # hinges take their axes from the drawing
            body = model.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=at(middle) + off, orientation=turn)
            back = (tilt * Rotation.from_rotvec([0, 0, angle])).inv()
            for pin, place in ((start, -half), (end, half)):
                ends[name, pin] = body.frame.attach(f"{name}.{pin}", (place, 0, 0), back)
        else:
            body = model.add_body(name, mass=1.0, inertia=0.1, position=middle, angle=angle)
            for pin, place in ((start, -half), (end, half)):
                ends[name, pin] = body.frame.attach(f"{name}.{pin}", (place, 0))
    base = {pin: model.ground if pin == "A" else model.add_frame("D", at(pins["D"]), fixed=True) for pin in "AD"}
    options = {"axis": axis} if space else {}
    model.revolute(base["A"], ends["crank", "A"], **options)
    model.revolute(ends["crank", "B"], ends["rod", "B"], **options)
    model.revolute(ends["rod", "C"], ends["rocker", "C"], **options)
    model.revolute(base["D"], ends["rocker", "D"], **options)
    bar, pin = ("crank", "A") if driven == "crank" else ("rocker", "D")
    first, second = (pins[x] for x in bars[bar])
    start = 0.0 if space else float(np.arctan2(*(second - first)[::-1]))  # in space angles count from the start
    rate = fm.Polynomial([start, 1.0])
    model.drive_angle(base[pin], ends[bar, pin], rate, name="motor", **options)
    return model


@pytest.mark.parametrize("driven", ["crank", "rocker"])
def test_a_four_bar_linkage_tilted_in_space(driven):
    """It goes round, or locks, as the one in the plane does; three of its rows are redundant."""
    tilt = Rotation.from_rotvec([0.7, -0.4, 1.1])
    plane = fm.kinematics(four_bar(False, tilt, driven), 7.0, steps=70)
    space = four_bar(True, tilt, driven)
    with pytest.raises(RedundancyError, match=r"constrain the same motion in this position \(rank 19 of 22\)"):
        fm.kinematics(space, 7.0, redundant="error")
    with pytest.warns(fm.errors.RedundancyWarning, match=r"rank 19 of 22"):
        found = fm.kinematics(space, 7.0, steps=70)
    assert found.status == plane.status == ("finished" if driven == "crank" else "locked")
    assert len(found.t) == len(plane.t)
    for name in ("rod", "rocker"):
        places = np.column_stack([plane[name].position, np.zeros(len(plane.t))])
        np.testing.assert_allclose(found[name].position, tilt.apply(places), atol=1e-9)
        rates = np.column_stack([np.zeros((len(plane.t), 2)), plane[name].angular_velocity])
        np.testing.assert_allclose(found[name].angular_velocity, tilt.apply(rates), atol=1e-6, rtol=1e-6)
    assert [e.kind for e in found.events] == [e.kind for e in plane.events]
    for one, other in zip(found.events, plane.events):
        assert one.t == pytest.approx(other.t, abs=1e-10)


def test_change_points_in_space():
    """A parallelogram passes its flat positions along the smooth path."""
    lengths = {"crank": 1.0, "rod": 3.0, "rocker": 1.0, "base": 3.0}
    tilt = Rotation.from_rotvec([0.7, -0.4, 1.1])
    plane = fm.kinematics(four_bar(False, tilt, "crank", lengths), 5.0, steps=50)
    with pytest.warns(fm.errors.RedundancyWarning, match=r"rank 19 of 22"):
        found = fm.kinematics(four_bar(True, tilt, "crank", lengths), 5.0, steps=50, redundant="remove")
    assert [e.kind for e in plane.events] == [e.kind for e in found.events] and len(found.events) >= 1
    places = np.column_stack([plane["rod"].position, np.zeros(len(plane.t))])
    np.testing.assert_allclose(found["rod"].position, tilt.apply(places), atol=1e-7)


def test_a_sketch_in_space_is_brought_together():
    tilt = Rotation.from_rotvec([0.7, -0.4, 1.1])
    model = four_bar(True, tilt, "crank", jump=0.15)
    with pytest.warns(fm.errors.RedundancyWarning, match=r"rank 19 of 22"):
        state = fm.assemble(model, redundant="remove")
    system = fm.System(model)
    g = system.constraint(0.0, system.q0, np.zeros(system.n))[0]
    angles = [k for k, row in enumerate(system.rows) if row.owner != "motor"]
    assert np.max(np.abs(g[angles])) < 1e-9
    np.testing.assert_allclose(state["crank"].position, model.frames["crank"].position, atol=1e-12)
    held = four_bar(True, tilt, "crank", jump=0.05)
    place = held.frames["crank"].position.copy()
    with pytest.raises(InitialConditionError, match=r"hold less"):
        fm.assemble(held, keep=["crank", "crank.wx"], redundant="remove")
    np.testing.assert_allclose(held.frames["crank"].position, place)


def test_groups_move_as_rigid_bodies():
    model = SpatialModel("pair")
    for name, place in (("one", (1.0, 2.0, 3.0)), ("two", (-1.0, 0.5, 2.0))):
        model.add_body(name, mass=1.0, inertia=(1, 1, 1), position=place, orientation=TURN)
    system = fm.System(model)
    parts = MovableParts(system, [np.arange(12)])
    assert parts.count == 6
    y = np.array([0.1, -0.2, 0.3, 0.5, 1.0, -0.7])
    q = parts.after_motion(system.q0, y)
    turn, center = Rotation.from_rotvec(y[3:]), np.array([0.0, 1.25, 2.5])
    for k, place in enumerate([(1.0, 2.0, 3.0), (-1.0, 0.5, 2.0)]):
        wanted = center + system.length_scale * y[:3] + turn.apply(np.array(place) - center)
        np.testing.assert_allclose(q[6 * k : 6 * k + 3], wanted, atol=1e-14)
        own = Rotation.from_quat(q[[6 * k + 3, 6 * k + 4, 6 * k + 5, 12 + k]])
        assert (own.inv() * turn * TURN).magnitude() < 1e-14
    np.testing.assert_allclose(parts.motion_between(system.q0, q), y, atol=1e-14)
    columns = parts.columns(q).toarray()
    for k, unit in enumerate(np.eye(6)):
        ends = [parts.after_motion(q, sign * 1e-5 * unit) for sign in (1.0, -1.0)]
        np.testing.assert_allclose(columns[:, k], system.difference(*ends) / 2e-5, atol=1e-9)


def test_what_can_move_in_space():
    free = SpatialModel("free")
    free.add_body("stone", mass=1.0, inertia=(1, 1, 1))
    system = fm.System(free)
    expected = [f"'stone' moves along {x}" for x in "xyz"] + [f"'stone' turns about its {x}" for x in "xyz"]
    assert sorted(describe_mobility(system, 0.0, system.q0)) == expected
    loose = SpatialModel("door")
    door = loose.add_body("door", mass=1.0, inertia=(1, 1, 1))
    loose.revolute(loose.ground, door.frame, axis="z")
    system = fm.System(loose)
    assert describe_mobility(system, 0.0, system.q0) == ["'door' turns about its z"]
    with pytest.raises(SolverError, match=r"no joint or drive says how it moves .*'door' turns about its z"):
        fm.kinematics(loose, 1.0)


def test_a_drive_beyond_its_reach_is_not_taken_for_joints_that_contradict():
    """Where errors are least but not zero, rows depend on one another; they need not do so elsewhere."""
    model = fm.SpatialModel("links")
    feet = [model.ground, model.ground.attach("far foot", (1.1, 0, 0))]
    places = [np.zeros(3), np.array([0.4, 0, 0.3]), np.array([1.3, 0, 0.8]), np.array([1.1, 0, 0])]
    ends: list = []
    for k, (a, b) in enumerate(pairwise(places)):
        body = model.add_body(f"bar{k}", mass=1.0, inertia=(0.1, 0.2, 0.3), position=0.5 * (a + b))
        ends.append((body.attach(f"{k} near", 0.5 * (a - b)), body.attach(f"{k} far", 0.5 * (b - a))))
    for name, a, b in (
        ("a", feet[0], ends[0][0]), ("b", ends[0][1], ends[1][0]), ("c", ends[1][1], ends[2][0]),
        ("d", feet[1], ends[2][1]),
    ):  # fmt: skip
        model.revolute(a, b, axis="y", name=name)
    model.drive_angle(feet[1], ends[2][1], fm.Polynomial([1.6, 0.1]), axis="y", name="motor")
    with pytest.raises(InitialConditionError, match=r"cannot be brought together .* joint 'motor' by 1\.6\d* rad"):
        fm.kinematics(model, 0.1, steps=2, progress=False)


def test_what_cannot_be_swept_is_named():
    model = SpatialModel("dish")
    dish = model.add_body("dish", mass=1.0, inertia=(0.1, 0.1, 0.15))
    with pytest.raises(SolverError, match=r"no joint or drive says how it moves .6 free motions."):
        fm.kinematics(model, 1.0, progress=False)
    model.spherical(model.ground, dish.frame)
    model.drive_rotation(model.ground, dish.frame, (fm.Polynomial([0, 3.0]), 0.5, 0.0), sequence="ZXZ", name="turn")
    with pytest.raises(fm.errors.ModelError, match=r"'turn' prescribes no single quantity .* run over time"):
        fm.kinematics(model, drive="turn", over=(0.0, 1.0), progress=False)


def test_moments_of_a_body_that_is_turned_about_its_axes():
    """d/dt (A J Aᵀ ω) by differences of rotations of SciPy: precession 2 rad/s, nutation 0.3 rad, spin 5 rad/s."""
    inertia = np.array([0.1, 0.2, 0.25])
    model = SpatialModel("gyro")
    nutation = Rotation.from_euler("X", 0.3)
    rotor = model.add_body("rotor", mass=2.0, inertia=inertia, orientation=nutation)
    model.spherical(model.ground, rotor.frame)
    angles = (fm.Polynomial([0, 2.0]), 0.3, fm.Polynomial([0, 5.0]))
    model.drive_rotation(model.ground, rotor.frame, angles, sequence="ZXZ", name="turn")
    motion = fm.kinematics(model, 1.0, steps=10, progress=False)

    def momentum(t: float) -> np.ndarray:
        ends = [Rotation.from_euler("ZXZ", [2.0 * s, 0.3, 5.0 * s]) for s in (t - 1e-4, t + 1e-4)]
        omega = (ends[1] * ends[0].inv()).as_rotvec() / 2e-4
        turn = Rotation.from_euler("ZXZ", [2.0 * t, 0.3, 5.0 * t])
        return turn.apply(inertia * turn.inv().apply(omega))

    h = 1e-3
    for t, moment in zip(motion.t, motion.reaction("turn")[1]):
        near, far = (momentum(t + k * h) - momentum(t - k * h) for k in (1, 2))
        np.testing.assert_allclose(moment, (8.0 * near - far) / (12.0 * h), atol=1e-6)


def test_one_coordinate_of_a_body_is_held():
    """Its turn about its own z, or its height; all else moves the shortest way."""
    for hold, kept in (("arm.wz", False), ("arm.z", True)):
        model = SpatialModel("arm")
        turn = Rotation.from_rotvec([0.1, 0.0, 0.2])
        arm = model.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.1, 0.05, 0.01), orientation=turn)
        end = arm.attach("end", (-0.1, 0, 0))
        model.spherical(model.ground, end)
        state = fm.assemble(model, keep=hold)
        np.testing.assert_allclose(state["arm.end"].position, 0.0, atol=1e-12)
        assert (abs(state["arm"].position[2] - 0.01) < 1e-15) == kept
