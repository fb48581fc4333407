"""Rest of mechanisms in space: equilibria, load paths, slow motions, against calculations with rotations of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, root
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import EquilibriumError
from flexmb.spatial import SpatialModel
from tests.models.box_on_mounts import MASS, MOUNTS, TURN, Wrench, box

PLACE = np.array([0.2, -0.1, 0.4])
ARM, FORCE, MOMENT = np.array([0.4, 0.2, 0.3]), np.array([300.0, -200.0, 250.0]), np.array([60.0, -90.0, 120.0])


def springs(x: np.ndarray) -> float:
    """Energy of the mounts of the box at x: its place, and its turn from where it is drawn."""
    place, turn = x[:3], Rotation.from_rotvec(x[3:]) * TURN
    total = 0.0
    for arm, stiffness in MOUNTS.values():
        off = place + turn.apply(arm) - (PLACE + TURN.apply(arm))
        total += 0.5 * np.sum(np.array(stiffness) * off**2)
    return total


def rest_of_the_box(factor: float, moment=MOMENT, weight: float = 0.0) -> tuple[np.ndarray, Rotation]:
    """Where forces and moments on the box balance: differences of the energy along shifts, and along turns about the
    axes of the ground, against the loads."""

    def off(x):
        out = np.empty(6)
        for k, unit in enumerate(np.eye(3)):
            e = 1e-3
            shifts = [springs(x + j * e * np.append(unit, np.zeros(3))) for j in (1, -1, 2, -2)]
            turns = []
            for j in (1, -1, 2, -2):
                turned = Rotation.from_rotvec(j * e * unit) * Rotation.from_rotvec(x[3:])
                turns.append(springs(np.append(x[:3], turned.as_rotvec())))
            out[k], out[3 + k] = ((8 * (s[0] - s[1]) - (s[2] - s[3])) / (12 * e) for s in (shifts, turns))
        lever = (Rotation.from_rotvec(x[3:]) * TURN).apply(ARM)
        out[:3] -= factor * FORCE + [0.0, 0.0, -weight]
        out[3:] -= factor * (moment + np.cross(lever, FORCE))
        return out

    found = root(off, np.append(PLACE, np.zeros(3)), tol=1e-13)
    assert np.max(np.abs(found.fun)) < 1e-6
    return found.x[:3], Rotation.from_rotvec(found.x[3:]) * TURN


def loaded_box(factor=1.0, moment=MOMENT, **options):
    model = box(**options)
    model.add(Wrench(model.frames["box"].attach("corner", ARM), FORCE, moment, factor, name="push"))
    return model


def check_place(found, place, turn):
    np.testing.assert_allclose(found.position, place, atol=1e-8)
    assert (found.orientation.inv() * turn).magnitude() < 1e-8


@pytest.mark.parametrize("factor", [0.3, 1.0, -1.0])
def test_equilibrium_under_a_force_and_a_moment(factor):
    rest = fm.equilibrium(loaded_box(factor, gravity=(0, 0, -9.81)))
    place, turn = rest_of_the_box(factor, weight=9.81 * MASS)
    check_place(rest["box"], place, turn)
    assert rest.follower  # a moment about an axis of the ground has no potential
    without = fm.equilibrium(loaded_box(factor, np.zeros(3), gravity=(0, 0, -9.81)))
    place, turn = rest_of_the_box(factor, np.zeros(3), 9.81 * MASS)
    check_place(without["box"], place, turn)
    assert not without.follower and without.stable


def test_load_path_of_the_box():
    path = fm.equilibrium_path(loaded_box(), "push", steps=8)
    assert path.status == "finished" and len(path) > 5
    for k in range(0, len(path), 2):
        place, turn = rest_of_the_box(path.factor[k])
        check_place(path.state(k)["box"], place, turn)
    assert (turn * TURN.inv()).magnitude() > 0.3


def crank(moment: float, weight: float, stiffness: float = 1.0, axis=(1.0, 2.0, -0.5)):
    """An arm on a hinge with a spring about it, and a moment about the hinge; its weight acts across the axis."""
    axis = np.array(axis) / np.linalg.norm(axis)
    across = np.cross(axis, [0.3, -0.2, 0.9])
    across /= np.linalg.norm(across)
    model = SpatialModel("crank", gravity=-weight * np.cross(axis, across))
    arm = model.add_body("arm", mass=1.0, inertia=(0.1, 0.2, 0.3), position=across, orientation=TURN)
    end = arm.frame.attach("end", TURN.inv().apply(-across), TURN.inv())
    model.revolute(model.ground, end, axis=axis, name="hinge")
    model.torsion_spring(model.ground, end, axis=axis, stiffness=stiffness, name="spring")
    model.add(Wrench(arm.frame, moment=moment * axis, name="twist"))
    return model, axis, across


def test_equilibrium_beyond_one_turn():
    model, axis, across = crank(20.0, 3.0)
    rest = fm.equilibrium_path(model, "twist", steps=20).state()
    angle = rest["spring.turn"]
    assert angle > 2 * 2 * np.pi
    assert angle == pytest.approx(brentq(lambda s: s + 3.0 * np.cos(s) - 20.0, angle - 0.5, angle + 0.5), abs=1e-9)
    np.testing.assert_allclose(rest["arm"].position, Rotation.from_rotvec(angle * axis).apply(across), atol=1e-9)
    slow = fm.quasi_static(crank_in_time(), 1.0, steps=30)
    assert slow["spring.turn"][-1] == pytest.approx(20.0, abs=1e-9)


def crank_in_time():
    model, axis, _ = crank(0.0, 0.0)
    model.add(Wrench(model.frames["arm"], moment=axis, factor=fm.Polynomial([0.0, 20.0]), name="ramp"))
    return model


def test_limit_points_where_the_arm_falls_over():
    """M = k s + m g l cos s has an extremum where k = m g l sin s."""
    weight = 3.0
    path = fm.equilibrium_path(crank(20.0, weight)[0], "twist", steps=20)
    s = path["spring.turn"]
    np.testing.assert_allclose(20.0 * path.factor, s + weight * np.cos(s), atol=1e-8)
    limits = np.array([point.value("spring.turn") for point in path.critical])
    assert {point.kind for point in path.critical} == {"limit"} and len(limits) >= 4
    np.testing.assert_allclose(np.sin(limits), 1.0 / weight, atol=1e-8)
    np.testing.assert_allclose(path.stable, np.sin(s) < 1.0 / weight)


def test_a_post_on_a_ball_joint_buckles():
    """A rigid post on springs that resist its turns, under its weight m g l: it leans where that reaches a stiffness,
    and then  k θ = m g l sin θ."""
    model = SpatialModel("post", gravity=(0, 0, -1.0))
    post = model.add_body("post", mass=10.0, inertia=(0.5, 0.5, 0.1), position=(0, 0, 1.0))
    foot = post.frame.attach("foot", (0, 0, -1.0))
    model.spherical(model.ground, foot)
    model.bushing(model.ground, foot, stiffness=(0, 0, 0, 6.0, 8.0, 5.0))
    path = fm.equilibrium_path(model, "gravity")
    assert [point.kind for point in path.critical] == ["bifurcation", "bifurcation"]
    np.testing.assert_allclose([10.0 * point.factor for point in path.critical], [6.0, 8.0], rtol=1e-7)
    assert path.critical[0].motion == "'post' turns about its x and moves along y"
    branch = fm.equilibrium_path(model, "gravity", initial=path.critical[0])
    y, factor = branch["post.y"], branch.factor
    angle = np.arcsin(np.abs(y))
    near = branch["post.z"] > 0.1
    np.testing.assert_allclose(6.0 * angle[near], 10.0 * factor[near] * np.abs(y[near]), atol=1e-7)
    assert np.max(angle) > 0.9 and np.all(branch.stable[1:])
    rest = fm.equilibrium(model)  # upright it would be unstable
    lean = brentq(lambda x: 6.0 * x - 10.0 * np.sin(x), 0.5, 3.0)
    assert rest.stable and rest["post.z"] == pytest.approx(np.cos(lean), abs=1e-9)


def test_what_nothing_resists_is_named():
    model = SpatialModel("bob", gravity=(0, 0, -9.81))
    bob = model.add_body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 0, 0))
    model.spherical(model.ground, bob.frame.attach("pivot", (-1.0, 0, 0)))
    with pytest.raises(EquilibriumError, match=r"nothing resists.*'bob' .*turns about its x"):
        fm.equilibrium(model)
    with pytest.raises(EquilibriumError, match=r"does not turn steadily: 0.5 s later the forces on 'box.*' are out"):
        fm.equilibrium(box(), spin=2.0)


@pytest.mark.parametrize("across", [(0.0, 0.0), (5.0, 3.0)])
def test_a_torque_about_a_hinge_has_a_potential(across):
    """M = m g r cos φ. A torque about an axis of the ground has no potential in space, but on a hinge it has one: what
    is found first is unstable, and left; what the torque does across the hinge does not count."""
    model = SpatialModel("arm", gravity=(0, 0, -9.81))
    arm = model.add_body("arm", mass=2.0, inertia=(0.1, 0.2, 0.3), position=(0, 0, 1))
    end = arm.attach("end", (0, 0, -1))
    model.revolute(model.ground, end, axis="y", name="hinge")
    model.point_torque(arm.frame, (across[0], 10.0, across[1]), name="twist")
    rest = fm.equilibrium(model)
    angle = np.arcsin(10.0 / (2.0 * 9.81))  # from the vertical below
    omega = np.sqrt(2.0 * 9.81 * np.cos(angle) / 2.2)
    assert rest.stable and not rest.follower
    np.testing.assert_allclose(rest["arm"].position, [-np.sin(angle), 0.0, -np.cos(angle)], atol=1e-9)
    assert 2 * np.pi * fm.modes(rest).frequencies[0] == pytest.approx(omega, rel=1e-9)
    assert rest.omega_squared[0] == pytest.approx(omega**2, rel=1e-9)


def test_a_way_off_the_end_of_a_curve_is_told():
    model = SpatialModel("slide", gravity=(0, 0, -9.81))
    bead = model.add_body("bead", mass=1.0, inertia=(0.1, 0.2, 0.25), position=(1, 0, 0))
    t = np.linspace(0.0, 6.0, 40)
    way = np.column_stack([np.cos(t), np.sin(t), -0.2 * t])
    model.point_on_curve(model.ground, bead.frame, way, name="wire")
    model.bushing(model.ground, bead.frame, stiffness=(0, 0, 0, 1, 1, 1))
    with pytest.raises(EquilibriumError, match="'wire'"):
        fm.equilibrium(model)


@pytest.mark.parametrize("bearings", [1, 2])
@pytest.mark.parametrize("disk", [False, True])
@pytest.mark.parametrize("theory", ["modal", "cms"])
def test_a_rotor_that_nothing_holds_from_turning_is_told(theory, disk, bearings):
    """Amplitudes of modes that are stiff take part in the shape of its turn by round-off, whose energy says nothing."""
    properties = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=20.0, GJ=8.0, rhoA=1.0)
    model = SpatialModel("rotor")
    if theory == "modal":
        ends = {"foot": (0.0, 0.0, 0.0), "tip": (1.0, 0.0, 0.0)}
        shaft = [fm.bodies.Member(("foot", "tip"), properties=properties)]
        body = model.add_modal_body(
            "shaft", fm.bodies.from_frame(ends, shaft, interfaces=dict(zip(ends, ends)), modes=4)
        )
        foot, tip = body.at("foot"), body.at("tip")
    else:
        beam = model.add_beam("shaft", (0, 0, 0), (1, 0, 0), properties=properties)
        foot, tip = beam.start, beam.end
    model.revolute(model.ground, foot, axis="x")
    if bearings == 2:
        model.cylindrical(model.ground.attach("far", (1, 0, 0)), tip, axis="x")
    if disk:
        model.weld(tip, model.add_body("disk", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1, 0, 0)).frame)
    with pytest.raises(EquilibriumError, match=r"nothing resists .*'shaft.* turns about its x"):
        fm.equilibrium(model)
    assert fm.modes(model).rigid.tolist()[:2] == [True, False]
