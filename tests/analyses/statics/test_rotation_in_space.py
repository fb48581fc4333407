"""Steady rotation in space: about any axis, with weight along it, with rotors that spin besides, and screws."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.analyses.statics import stability
from flexmb.errors import EquilibriumError, ModelError, NamingError
from flexmb.spatial import SpatialModel

TURN, SHIFT = Rotation.from_rotvec([0.7, -0.4, 1.1]), np.array([1.0, 2.0, -0.5])
AXIS = TURN.apply((0.0, 0.0, 1.0))


def governor(speed, mass=1.0, inertia=(0.02, 0.03, 0.01), gravity=9.81, turn=TURN, lean=1.0):
    """A body on a hinge across a driven shaft: at the angle θ from the shaft downwards it stands still where
    (m l² + J₁ − J₃) Ω² sin θ cos θ = m g l sin θ."""
    model = SpatialModel("governor", gravity=tuple(turn.apply((0.0, 0.0, -gravity))))
    base = model.add_frame("base", SHIFT, orientation=turn, fixed=True)
    post = model.add_body("post", mass=1.0, inertia=(0.1, 0.1, 0.1), position=SHIFT, orientation=turn)
    model.revolute(base, post.frame, axis="z")
    model.drive_angle(base, post.frame, fm.Polynomial([0.0, speed]), axis="z", name="motor")
    lean = turn * Rotation.from_rotvec([0.0, -lean, 0.0])
    place = SHIFT + lean.apply((0.0, 0.0, -0.5))
    bob = model.add_body("bob", mass=mass, inertia=inertia, position=place, orientation=lean)
    model.revolute(post.frame, bob.attach("top", (0.0, 0.0, 0.5)), axis="y", name="arm")
    return model


def test_a_governor_turned_in_space():
    """(m l² + J₁ − J₃) Ω² cos θ = m g l, about an axis and a center like no other."""
    speed = 7.0
    found = fm.equilibrium(governor(speed), spin=speed, axis=AXIS, center=SHIFT)
    down = TURN.inv().apply(found["bob"].position - SHIFT)
    wanted = 9.81 * 0.5 / ((0.25 + 0.01) * speed**2)
    assert -down[2] / 0.5 == pytest.approx(wanted, rel=1e-9)
    assert np.linalg.norm(found["bob"].velocity) == pytest.approx(speed * np.hypot(*down[:2]), rel=1e-12)
    assert found.stable is None and found.rotation.spin == speed
    state = found.state
    residual = state.system.residual(state.t, state.q, state.v, state.a, state.lam)
    assert np.max(np.abs(residual)) < 1e-9
    # the motor has nothing to do, and the shaft carries the weight
    _, moment = found.reaction("motor")
    np.testing.assert_allclose(moment, 0.0, atol=1e-9)
    run = fm.simulate(state.model, 0.5, initial=found, method="radau", tolerance=1e-9, progress=False)
    assert np.ptp(run["bob"].position @ AXIS) < 1e-8


def test_against_the_governors_speed_a_spring_gives_the_closed_form():
    speed, k = 5.0, 3.0
    model = governor(speed, turn=Rotation.identity(), lean=0.6)
    model.torsion_spring(model.frames["post"], model.frames["bob"], stiffness=k, axis="y", free_angle=0.0)
    found = fm.equilibrium(model, spin=speed, center=SHIFT)
    place = found["bob"].position - SHIFT
    theta = np.arctan2(place[0], -place[2])

    def moment(x):  # the spring is free at a lean of 0.6
        return 0.26 * speed**2 * np.sin(x) * np.cos(x) - 9.81 * 0.5 * np.sin(x) - k * (x - 0.6)

    assert theta == pytest.approx(brentq(moment, 0.1, 1.5), abs=1e-9)


def test_a_free_body_spins_about_its_principal_axes():
    """Nothing resists its phase and its way along the axis; across the axis its mass center comes to it."""
    model = SpatialModel("free")
    model.add_body("box", mass=3.0, inertia=(1.0, 2.0, 3.0), position=(0.4, -0.3, 1.0), orientation=TURN)
    for axis in np.eye(3):
        found = fm.equilibrium(model, spin=2.0, axis=TURN.apply(axis))
        place = found["box"].position
        np.testing.assert_allclose(np.cross(place, TURN.apply(axis)), 0.0, atol=1e-9)
        assert place @ TURN.apply(axis) == pytest.approx(np.array([0.4, -0.3, 1.0]) @ TURN.apply(axis), abs=1e-9)


def test_an_axis_that_is_not_principal_is_left_for_one_that_is():
    model = SpatialModel("free")
    model.add_body("box", mass=3.0, inertia=(1.0, 2.0, 3.0))
    found = fm.equilibrium(model, spin=2.0, axis=(0.1, 0.05, 1.0))
    omega = found["box"].in_own_axes().angular_velocity
    np.testing.assert_allclose(np.abs(omega), [0.0, 0.0, 2.0], atol=1e-8)


def test_a_steady_screw():
    model = SpatialModel("nut", gravity=(0, 0, -9.81))
    nut = model.add_body("nut", mass=2.0, inertia=(0.1, 0.1, 0.1))
    model.screw(model.ground, nut.frame, 0.01, name="thread")
    model.drive_angle(model.ground, nut.frame, fm.Polynomial([0.0, 3.0]), axis="z", name="motor")
    with pytest.raises(EquilibriumError, match=r"thread.*does not turn at the spin of 3"):
        fm.equilibrium(model, spin=3.0)
    found = fm.equilibrium(model, spin=3.0, advance=0.03)
    assert found["nut.vz"] == pytest.approx(0.03, rel=1e-12)
    assert found.reaction("motor")[1][2] == pytest.approx(2.0 * 9.81 * 0.01, rel=1e-9)


def test_rotors_keep_their_rates():
    model = SpatialModel("satellite")
    hull = model.add_body("hull", mass=200.0, inertia=(100.0, 120.0, 150.0))
    disk = model.add_body("disk", mass=1.0, inertia=(0.04, 0.04, 0.08))
    model.revolute(hull.frame, disk.frame, axis="z", name="bearing")
    free = fm.equilibrium(model, spin=0.02, rotors={"disk": (0.0, 0.0, 400.0)})
    assert free["disk.wz"] == pytest.approx(400.02) and free["hull.wz"] == pytest.approx(0.02)
    said = r"nothing resists these motions: [^;]*'disk' turns about its z[^;]*; hold"
    with pytest.raises(EquilibriumError, match=said):
        fm.equilibrium(model, spin=0.02)
    assert fm.equilibrium(model, spin=0.02, rotors={"disk": (0.0, 0.0, 0.0)})["disk.wz"] == pytest.approx(0.02)
    model.drive_angle(hull.frame, disk.frame, fm.Polynomial([0.0, 400.0]), axis="z", name="motor")
    with pytest.raises(
        EquilibriumError, match=r"motor.*does not turn at the spin.*what spins besides is given by rotors"
    ):
        fm.equilibrium(model, spin=0.02)
    driven = fm.equilibrium(model, spin=0.02, rotors={"disk": (0.0, 0.0, 400.0)})
    assert driven.state.v[driven.state.system.names.index("motor.turn")] == pytest.approx(400.0)
    run = fm.simulate(model, 1.0, "dop853", initial=driven, tolerance=1e-9, progress=False)
    np.testing.assert_allclose(run["hull"].angular_velocity[-1], [0.0, 0.0, 0.02], atol=1e-9)


def test_a_wheel_with_friction_does_not_turn_steadily():
    model = SpatialModel("satellite")
    hull = model.add_body("hull", mass=200.0, inertia=(100.0, 120.0, 150.0))
    model.add_wheel("wheel", hull.frame, inertia=0.08, axis="z", speed=400.0, friction=1e-4)
    with pytest.raises(EquilibriumError, match=r"a force of 0.04 .*'wheel' turns"):
        fm.equilibrium(model, spin=0.02)


def test_gears_in_a_turning_carrier_and_a_motor():
    """Counted angles and rotors have the rates that joints give them; a rotor's own rate is given by its name."""
    model = SpatialModel("gears")
    carrier = model.add_body("carrier", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.revolute(model.ground, carrier.frame, axis="z")
    model.drive_angle(model.ground, carrier.frame, fm.Polynomial([0.0, 2.0]), axis="z")
    planet = model.add_body("planet", mass=0.5, inertia=(0.01, 0.01, 0.02), position=(0.3, 0, 0))
    model.revolute(carrier.attach("pin", (0.3, 0, 0)), planet.frame, axis="z")
    sun = model.add_body("sun", mass=0.5, inertia=(0.01, 0.01, 0.02))
    model.revolute(carrier.frame, sun.frame, axis="z")
    model.gear(sun.frame, planet.frame, -2.0, carrier=carrier.frame, carrier_b=carrier.frame, name="mesh")
    with pytest.raises(EquilibriumError, match=r"mesh.*does not turn at the spin of 2"):
        fm.equilibrium(model, spin=2.0, rotors={"sun": (0, 0, 10.0), "planet": (0, 0, -15.0)})
    found = fm.equilibrium(model, spin=2.0, rotors={"sun": (0, 0, 10.0), "planet": (0, 0, -20.0)})
    assert found["planet.wz"] == pytest.approx(-18.0) and found["sun.wz"] == pytest.approx(12.0)
    driven = SpatialModel("motor")
    hub = driven.add_body("hub", mass=1.0, inertia=(0.1, 0.1, 0.1))
    driven.revolute(driven.ground, hub.frame, axis="z")
    soft = {"stiffness": 300.0, "damping": 0.2}
    driven.motor(driven.ground, hub.frame, axis="z", inertia=1e-4, ratio=20.0, torque=0.0, name="motor", **soft)
    with pytest.raises(EquilibriumError, match=r"does not turn steadily.*given by rotors"):
        fm.equilibrium(driven, spin=5.0)
    state = fm.equilibrium(driven, spin=5.0, rotors={"motor.rotor": 100.0}).state
    rates = dict(zip(state.system.names, state.v))
    assert rates["motor.turn"] == pytest.approx(5.0) and rates["motor.rotor"] == 100.0


def test_a_rotor_in_the_plane():
    """A wheel that spins in a turning frame, with unlike springs of its place in the frame: k (r − 1) = m Ω² r."""
    model = fm.PlanarModel("frame")
    hub = model.add_body("hub", mass=1.0, inertia=0.5)
    model.revolute(model.ground, hub.frame)
    model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, 3.0]))
    wheel = model.add_body("wheel", mass=2.0, inertia=0.1, position=(1.0, 0.0))
    model.bushing(hub.attach("seat", (1.0, 0.0)), wheel.frame, stiffness=(100.0, 80.0, 0.0))
    found = fm.equilibrium(model, spin=3.0, rotors={"wheel": 40.0})
    assert found["wheel.x"] == pytest.approx(100.0 / (100.0 - 18.0), rel=1e-10)
    assert found["wheel.angular_velocity"] == pytest.approx(43.0)
    assert fm.complex_modes(found).stable


def test_what_does_not_turn_steadily_is_refused():
    speed = 4.0
    with pytest.raises(ModelError, match=r"weight across the axis \(1, 0, 0\)"):
        fm.equilibrium(governor(speed, turn=Rotation.identity()), spin=speed, axis="x", center=SHIFT)
    tied = governor(speed, gravity=0.0, turn=Rotation.identity())
    tied.spring_damper(tied.ground.attach("wall", (4.0, 2.0, -1.0)), tied.frames["bob"], stiffness=3.0, free_length=1.0)
    with pytest.raises(EquilibriumError, match=r"does not turn steadily: 0.25 s later"):
        fm.equilibrium(tied, spin=speed, center=SHIFT)
    with pytest.raises(EquilibriumError, match=r"does not turn at the spin of 5.*give the axis and the center"):
        fm.equilibrium(governor(speed), spin=5.0, axis=AXIS, center=SHIFT)
    speeding = governor(speed)
    speeding.components["motor"].angle = fm.Polynomial([0.0, speed, 0.5])
    with pytest.raises(EquilibriumError, match=r"does not turn steadily: 0.25 s later motor .* would be off by"):
        fm.equilibrium(speeding, spin=speed, axis=AXIS, center=SHIFT)


def test_wrong_arguments_are_named():
    model = governor(4.0)
    for given, error, said in [
        ({"axis": "w"}, ModelError, "axis is 'w'"),
        ({"axis": (0, 0, 0)}, ModelError, "axis has no direction"),
        ({"center": (0, 1)}, ModelError, "center must be 3 numbers"),
        ({"spin": np.nan}, ModelError, "spin is nan"),
        ({"rotors": 3}, ModelError, r"rotors is 3; give rates by name"),
        ({"rotors": {"nut": (0, 0, 1)}}, NamingError, "no body, frame or coordinate 'nut'"),
        ({"rotors": {"bob": 3.0}}, ModelError, r"rotors\['bob'\] must be 3 numbers"),
        ({"rotors": {"base": (0, 0, 1)}}, ModelError, "is fixed; leave it out"),
        ({"advance": "far"}, ModelError, "advance must be a number"),
    ]:
        with pytest.raises(error, match=said):
            fm.equilibrium(model, **{"spin": 4.0, **given})
    flat = fm.PlanarModel("flat")
    flat.add_body("disk", mass=1.0, inertia=1.0)
    with pytest.raises(ModelError, match="leave axis out"):
        fm.equilibrium(flat, spin=1.0, axis="x")
    with pytest.raises(ModelError, match="no way along the axis in the plane"):
        fm.equilibrium(flat, spin=1.0, advance=1.0)
    assert fm.equilibrium(flat, spin=1.0)["disk.angular_velocity"] == 1.0


def blade(dimension, speed):
    """A hub with a blade on a spring, pushed by a force that follows it; in the plane and in space."""
    space = dimension == 3
    place = (lambda x: (x, 0.0, 0.0)) if space else (lambda x: (x, 0.0))
    axis = {"axis": "z"} if space else {}
    model = SpatialModel("blade") if space else fm.PlanarModel("blade")
    hub = model.add_body("hub", mass=1.0, inertia=(0.3, 0.4, 0.5) if space else 0.5)
    model.revolute(model.ground, hub.frame, **axis)
    model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, speed]), **axis)
    rod = model.add_body("rod", mass=0.4, inertia=(0.01, 0.03, 0.02) if space else 0.02, position=place(1.0))
    root = hub.attach("root", place(0.5))
    model.revolute(root, rod.attach("in", place(-0.5)), **axis)
    model.torsion_spring(root, rod.frame, stiffness=3.0, **axis)
    if space:
        model.point_force(rod.frame, (0.0, 2.0, 0.0), axes="body", name="push")
    else:
        model.point_force(rod.frame, (0.0, 2.0), axes="body", name="push")
    return model


@pytest.mark.parametrize("space", [False, True])
def test_a_load_path_of_a_rotor_that_turns_freely_has_no_bifurcations(space):
    """A bead on a rail of a free hub, Ω = 2: k u = m Ω² (1/2 + u) + F, so ω² = k/m − Ω² = 21 and u = (4 + F)/42."""
    place = (lambda x: (x, 0.0, 0.0)) if space else (lambda x: (x, 0.0))
    axis = {"axis": "z"} if space else {}
    model = SpatialModel("ring") if space else fm.PlanarModel("ring")
    hub = model.add_body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0) if space else 1.0)
    model.revolute(model.ground, hub.frame, **axis)
    bead = model.add_body("bead", mass=2.0, inertia=(0.1, 0.1, 0.1) if space else 0.1, position=place(0.5))
    model.prismatic(hub.frame, bead.frame, **({"axis": "x"} if space else {}))
    stiffness = (50.0, 0, 0, 0, 0, 0) if space else (50.0, 0.0, 0.0)
    model.bushing(hub.attach("seat", place(0.5)), bead.frame, stiffness=stiffness)
    follows = {"axes": "body"}
    model.point_force(bead.frame, place(1.0), name="push", **follows)
    path = fm.equilibrium_path(model, "push", factor=5.0, spin=2.0)
    assert not path.critical
    np.testing.assert_allclose(path.omega_squared, 21.0, rtol=1e-9)
    np.testing.assert_allclose(path["bead.x"], 0.5 + (4.0 + path.factor) / 42.0, rtol=1e-9)


def test_eigenvalues_beside_cyclic_motions_are_the_same_in_large_systems(monkeypatch):
    """Also under a follower force, which makes K unsymmetric by little beside its axial stiffness."""
    model = fm.PlanarModel("arm")
    hub = model.add_body("hub", mass=1.0, inertia=1.0)
    model.revolute(model.ground, hub.frame)
    properties = fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=1.0)
    rod = model.add_beam("rod", hub.frame, (1.0, 0.0), properties=properties, elements=120)
    model.point_force(rod.end, (-1.0, 0.0), axes="body", name="push")
    found = []
    for largest in (stability.LARGEST_DENSE, 10_000):
        monkeypatch.setattr(stability, "LARGEST_DENSE", largest)
        found.append(fm.equilibrium_path(model, "push", factor=20.0, spin=2.0, steps=1).omega_squared)
    np.testing.assert_allclose(*found, rtol=1e-5)  # round-off of the axial stiffness, 1e-16 times 4e8 times the lowest


def test_load_paths_of_steady_rotation():
    paths = [fm.equilibrium_path(blade(d, 3.0), "push", factor=2.0, at=[1.0], spin=3.0) for d in (2, 3)]
    flat, path = paths
    at, k = (int(np.flatnonzero(x.factor == 1.0)[0]) for x in paths)
    for name in ("rod.y", "rod.vx", "rod.ay"):
        np.testing.assert_allclose(path[name][[k, -1]], flat[name][[at, -1]], atol=1e-9)
    assert path["rod.y"][k] == pytest.approx(fm.equilibrium(blade(3, 3.0), spin=3.0)["rod.y"], abs=1e-9)
    with pytest.raises(EquilibriumError, match=r"turns steadily; complex_modes\(path.state\(k\)\)"):
        _ = path.stable
    stronger = blade(3, 3.0)
    stronger.components["push"].force = (0.0, 4.0, 0.0)
    alone = fm.complex_modes(fm.equilibrium(stronger, spin=3.0)).eigenvalues
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the state is one of balance under the loads that it has there
        for x in (path, flat):
            np.testing.assert_allclose(fm.complex_modes(x.state(-1)).eigenvalues, alone, rtol=1e-6)
    dead = blade(3, 3.0)
    dead.components["push"].axes = "ground"
    with pytest.raises(EquilibriumError, match="does not turn steadily"):
        fm.equilibrium_path(dead, "push", spin=3.0)


@pytest.mark.parametrize("hinged", [False, True])
@pytest.mark.parametrize("place", [0.0, 1.0])
def test_a_body_that_spins_about_its_own_center_has_a_size(place, hinged):
    """A bar held in its middle: all frames are at one place but for rounding, and σ = ρ Ω² (L²/4 − x²)/2."""
    import skfem

    x, side = np.linspace(-0.5, 0.5, 21), np.array([-0.05, 0.05])
    middle = {"middle": fm.bodies.in_box((-0.11, -0.1, -0.1), (0.11, 0.1, 0.1))}
    reduction = fm.bodies.Reduction(spin_loads=True, progress=False)
    reduced = fm.bodies.from_mesh(
        skfem.MeshHex.init_tensor(x, side, side), fm.Material(7850.0, 2e11, 0.0), interfaces=middle, modes=1,
        reduction=reduction,
    )  # fmt: skip
    model = SpatialModel("model")
    bar = model.add_modal_body("bar", reduced, position=(place, 0, 0))
    if hinged:
        model.revolute(model.ground.attach("axle", (place, 0, 0)), bar.at("middle"), axis="z")
    rest = fm.equilibrium(model, spin=100.0, center=(place, 0, 0))
    assert rest.iterations <= 6
    stress = rest.solution["bar.stress_xx"].at((0.3, 0, 0))[0]
    np.testing.assert_allclose(stress, 0.5 * 7850.0 * 1e4 * (0.25 - 0.09), rtol=5e-3)
