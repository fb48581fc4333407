"""Small motions about steady rotation in space: against the plane, linear models, closed forms and runs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.analyses.vibration.rotating import rotation_of, small_motions
from flexmb.analyses.vibration.symmetries import symmetric_motions
from flexmb.errors import ModelError, SolverError
from flexmb.spatial import SpatialModel
from flexmb.validation.references import rigid_rotor, satellites
from flexmb.validation.references import small_motions as reference
from tests.analyses.vibration.rotors import AXIS, SHIFT, flat_chain, tilted_chain


@pytest.mark.parametrize("speed", [0.5, 4.0, -6.0])
def test_a_chain_of_the_plane_in_a_tilted_plane(speed):
    flat = fm.equilibrium(flat_chain(speed), spin=speed)
    tilted = fm.equilibrium(tilted_chain(speed), spin=speed, axis=AXIS, center=SHIFT)
    wanted, found = fm.complex_modes(flat, 18).eigenvalues, fm.complex_modes(tilted, 36).eigenvalues
    for value in wanted:
        assert np.min(np.abs(found - value)) < 1e-10 * abs(value)
    sparse = fm.complex_modes(tilted, 4, dense=False).eigenvalues
    np.testing.assert_allclose(sparse, fm.complex_modes(tilted, 4).eigenvalues, rtol=1e-9)
    # the motion is read from the state as well, and is that of the linear model
    state = tilted.state
    np.testing.assert_allclose(rotation_of(state).turn, speed * AXIS, rtol=1e-9)
    np.testing.assert_allclose(fm.complex_modes(state, 36).eigenvalues, found, rtol=1e-9)
    poles = fm.linearize(state, "motor", "hub.wx", steady=True).poles
    for value in found:
        assert np.min(np.abs(poles - value)) < 1e-9 * abs(value)


def test_campbell_in_a_tilted_plane():
    speeds = [1.0, 3.0, 5.0]
    flat = fm.campbell(flat_chain, speeds, 3)
    tilted = fm.campbell(tilted_chain, speeds, 8, axis=AXIS, center=SHIFT)
    for k in range(3):
        for value in flat.eigenvalues[k]:
            assert np.min(np.abs(tilted.eigenvalues[k] - value)) < 1e-9 * abs(value)
    with pytest.raises(ModelError, match="give a model, an equilibrium or a state"):
        fm.campbell(lambda speed: speed, speeds, 1)


def test_coefficients_do_not_depend_on_the_angle():
    about = fm.equilibrium(tilted_chain(4.0), spin=4.0, axis=AXIS, center=SHIFT)
    now = small_motions(about.state, about.rotation)
    later, T = now.turned(0.7), now.rotation.turned_axes(0.7 / 4.0)
    for name in "MCK":
        A, B = (
            np.asarray(x.todense() if hasattr(x, "todense") else x) for x in (getattr(now, name), getattr(later, name))
        )
        assert np.abs(A - T.T @ B @ T).max() < 1e-11 * np.abs(A).max()


@pytest.mark.parametrize("spin", [0.0, 0.02, -0.5])
@pytest.mark.parametrize("kind", ["constant", "coordinate", "body"])
def test_nutation_of_a_free_satellite_with_a_rotor(spin, kind):
    """Its seven or six other motions meet no resistance, and rounding does not let them grow."""
    model = SpatialModel("satellite")
    across = 0.04 if kind == "body" else 0.0
    hull = model.add_body("hull", mass=200.0, inertia=(100.0 - across, 120.0 - across, 150.0))
    rotors = {}
    if kind == "body":
        disk = model.add_body("disk", mass=1.0, inertia=(0.04, 0.04, 0.08))
        model.revolute(hull.frame, disk.frame, axis="z")
        rotors = {"disk": (0.0, 0.0, 400.0)}
    else:
        torque = {"torque": 0.0} if kind == "coordinate" else {}
        model.add_wheel("wheel", hull.frame, inertia=0.08, axis="z", speed=400.0, **torque)
    if kind == "constant" and not spin:
        found = fm.complex_modes(model)
    else:
        found = fm.complex_modes(fm.equilibrium(model, spin=spin, rotors=rotors))
    wanted = reference.nutation(np.array([100.0, 120.0, 150.08]), 32.0, spin)
    assert np.min(np.abs(found.eigenvalues - 1j * wanted)) < 1e-10
    assert found.stable
    others = found.eigenvalues[np.abs(found.eigenvalues - 1j * wanted) > 1e-8]
    assert np.all(np.min(np.abs(others[:, None] - 1j * np.array([0.0, abs(spin)])), axis=1) < 1e-10)


def test_an_unstable_spin_is_told():
    model = SpatialModel("spinning")
    model.add_body("hull", mass=2.0, inertia=(1.0, 2.0, 3.0), position=(0.3, 0.0, 1.0))
    found = fm.complex_modes(fm.equilibrium(model, spin=2.0, axis="y"))
    assert not found.stable and "grows: 'hull' turns about" in str(found)
    growth = np.sqrt(satellites.spin_square(np.array([3.0, 1.0, 2.0]), 2.0))
    assert np.max(found.eigenvalues.real) == pytest.approx(growth, rel=1e-12)
    # and so does a run, a little aside
    model.components["hull"].move(velocity=np.cross((0, 2.0, 0), (0.3, 0, 1.0)), angular_velocity=(1e-7, 2.0, 1e-7))
    run = fm.simulate(model, 8.0, "dop853", tolerance=1e-12, progress=False)
    w = run["hull"].in_own_axes().angular_velocity
    late = run.t > 4.0
    rate = np.polyfit(run.t[late], np.log(np.abs(w[late, 0])), 1)[0]
    assert rate == pytest.approx(growth, rel=1e-3)


def test_an_orbit_has_its_phase_and_epicycles():
    """About the earth: the phase is free, and a shift swings once in a turn, radially and across."""
    mu, radius = 3.986e14, 7.0e6
    rate = np.sqrt(mu / radius**3)
    model = SpatialModel("orbiter")
    hull = model.add_body("hull", mass=200.0, inertia=(100.0, 40.0, 120.0), position=(0.0, 1.001 * radius, 0.0))
    model.gravity_gradient(hull, mu)
    about = fm.equilibrium(model, spin=rate)
    assert about["hull.y"] == pytest.approx(radius, rel=1e-9)  # the radius that belongs to the rate
    found = fm.complex_modes(about)
    assert found.stable and found.rigid.sum() == 1
    assert np.sum(np.abs(found.eigenvalues / rate - 1j) < 1e-9) == 2
    known = symmetric_motions(small_motions(about.state, about.rotation))
    assert known.xi.shape[1] == 2 and known.values.tolist() == [0.0]


def test_a_mode_of_steady_rotation_is_what_a_run_does():
    """A push along a mode swings at its frequency, seen in axes that turn along."""
    speed = 4.0
    model = tilted_chain(speed, damped=False)
    about = fm.equilibrium(model, spin=speed, axis=AXIS, center=SHIFT)
    found = fm.complex_modes(about, 3)
    state, rotation = about.state, about.rotation
    xi = 1e-5 * found.shapes[:, 1] / np.abs(found.shapes[:, 1]).max()
    V, _, _ = rotation.matrices(state.q)
    q = state.system.retract(state.q, xi.real)
    v = state.v + (found.eigenvalues[1] * xi).real + V @ xi.real
    start = fm.State(state.system, 0.0, q, v, state.a, state.lam)
    t = np.linspace(0.0, 1.5, 301)
    run = fm.simulate(model, 1.5, initial=start, method="radau", tolerance=1e-10, progress=False).at(t)
    back = Rotation.from_rotvec(-speed * t[:, None] * AXIS)
    moved = back.apply(run["b2"].position - SHIFT) - (about["b2"].position - SHIFT)
    shape = xi[state.system.names.index("b2.x") :][:3]
    wanted = (np.exp(found.eigenvalues[1] * t)[:, None] * shape).real
    np.testing.assert_allclose(moved, wanted, atol=2e-4 * np.abs(wanted).max())


def test_pictures_of_modes_in_turning_axes(tmp_path):
    about = fm.equilibrium(tilted_chain(4.0), spin=4.0, axis=AXIS, center=SHIFT)
    found = fm.complex_modes(about, 3)
    motion = found.motion(0, 0.1, count=9)
    assert np.linalg.norm(motion["b2"].position - about["b2"].position, axis=1).max() < 0.11
    np.testing.assert_allclose(motion["b2"].position[0], motion["b2"].position[-1], atol=1e-9)


def mill(mounted):
    """A wheel that spins on an axle of a turning post; on a soft arm if it is `mounted` on one."""
    model = SpatialModel("mill")
    post = model.add_body("post", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.revolute(model.ground, post.frame, axis="z")
    model.drive_angle(model.ground, post.frame, fm.Polynomial([0.0, 2.0]), axis="z", name="turn")
    axle = post.attach("axle", (1.0, 0.0, 0.0))
    if mounted:
        arm = model.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 0.0, 0.0))
        model.bushing(axle, arm.frame, stiffness=(1e3, 2e3, 3e3, 50.0, 60.0, 70.0))
        axle = arm.frame
    wheel = model.add_body("wheel", mass=3.0, inertia=(0.2, 0.12, 0.12), position=(1.0, 0.0, 0.0))
    model.revolute(axle, wheel.frame, axis="x", name="bearing")
    return fm.equilibrium(model, spin=2.0, rotors={"wheel": (50.0, 0.0, 0.0)})


def test_a_wheel_that_spins_in_a_turning_frame():
    """Its bearing gives m Ω² r inwards and the gyroscopic moment J ω Ω across; poles are those of the linear model."""
    force, moment = mill(False).reaction("bearing")
    np.testing.assert_allclose(force, (-12.0, 0.0, 0.0), atol=1e-9)
    np.testing.assert_allclose(moment, (0.0, 0.2 * 50.0 * 2.0, 0.0), atol=1e-9)
    about = mill(True)
    found = fm.complex_modes(about)
    assert found.stable and "in which rotors spin" in str(found) and found.rigid.sum() == 1
    poles = fm.linearize(about, "turn", "bearing.rate", steady=True).poles
    for value in found.eigenvalues:
        assert np.min(np.abs(poles - value)) < 1e-9
    np.testing.assert_allclose(fm.complex_modes(about.state).omegas, found.omegas, atol=1e-9)


@pytest.mark.parametrize("spin", [80.0, 130.0, 200.0])
def test_a_top_upright(spin):
    """Read in axes that rest, it precesses and nutates as the closed form says."""
    model = SpatialModel("top", gravity=(0, 0, -9.81))
    top = model.add_body("top", mass=2.0, inertia=(0.01, 0.01, 0.008), position=(0, 0, 0.15))
    model.spherical(model.ground, top.attach("tip", (0, 0, -0.15)))
    found = fm.complex_modes(fm.equilibrium(model, rotors={"top": (0.0, 0.0, spin)}))
    wanted = reference.sleeping_top(0.055, 0.008, 2.0 * 9.81 * 0.15, spin)
    for value in wanted:
        assert np.min(np.abs(found.eigenvalues - value)) < 1e-9 * abs(value)
    assert found.stable == (spin > reference.least_spin(0.055, 0.008, 2.0 * 9.81 * 0.15))


def test_campbell_of_a_rotor_in_bearings(tmp_path):
    """From rest on; lines of engine orders that leave the picture at once are left out."""

    def at(speed):
        model = SpatialModel("rotor")
        disk = model.add_body("disk", mass=1.0, inertia=(0.1, 0.1, 0.2))
        for z in (-0.1, 0.1):
            seat, place = model.ground.attach(f"seat {z:g}", (0, 0, z)), disk.attach(f"place {z:g}", (0, 0, z))
            model.bushing(seat, place, stiffness=(500.0, 500.0, 500.0, 0, 0, 0))
        return fm.equilibrium(model, rotors={"disk": (0.0, 0.0, speed)})

    diagram = fm.campbell(at, [0.0, 5.0, 10.0], 6)
    for k, speed in enumerate(diagram.speeds):
        wanted = [0.0, *rigid_rotor.tilts(0.1, 0.2, 10.0, speed), *[np.sqrt(1000.0)] * 3]
        np.testing.assert_allclose(np.sort(diagram.eigenvalues[k].imag), np.sort(wanted), atol=1e-9)
    assert "with rotors that spin" in str(diagram.modes[1])
    figure = diagram.plot(tmp_path / "campbell.png")
    assert figure.axes[0].get_ylabel() == "frequency [Hz]"
    far = fm.campbell(at, [100.0, 120.0], 2)
    assert far.plot(orders=(1, 3, 50)).axes


def test_a_shaft_that_spins_in_its_bearings():
    """Rayleigh's shaft: (ρA + ρI k²) ω² − 2 ρI Ω k² ω − E I k⁴ = 0, k = nπ/L; seen from the shaft ω − Ω."""
    length, radius, speed = 2.0, 0.05, 1000.0
    steel = fm.Material(density=7850.0, youngs_modulus=2.1e11)
    model = SpatialModel("shaft")
    circle = fm.Circle(radius=radius)
    shaft = model.add_beam(
        "shaft", (0, 0, 0), (length, 0, 0), material=steel, section=circle, elements=4, modes=2, shear=False
    )
    near, far = model.ground.attach("near", (0, 0, 0)), model.ground.attach("far", (length, 0, 0))
    model.spherical(near, shaft.start)
    model.point_on_line(far, shaft.end, axis="x")
    model.drive_angle(near, shaft.start, fm.Polynomial([0.0, speed]), axis="x")
    found = fm.complex_modes(fm.equilibrium(model, spin=speed, axis="x"), 8)
    assert found.stable
    for n, allowed in ((1, 2e-6), (2, 3e-5)):
        I, A, k = np.pi * radius**4 / 4, np.pi * radius**2, n * np.pi / length
        a, b = 7850.0 * (A + I * k**2), 2 * 7850.0 * I * speed * k**2
        for sign in (1.0, -1.0):
            wanted = (b + sign * np.sqrt(b * b + 4 * a * 2.1e11 * I * k**4)) / (2 * a)
            assert np.min(np.abs(found.eigenvalues.imag - abs(wanted - speed))) < allowed * abs(wanted)


def test_what_is_fixed_in_space_is_refused():
    model = tilted_chain(4.0)
    about = fm.equilibrium(model, spin=4.0, axis=AXIS, center=SHIFT).state
    tied = tilted_chain(4.0)
    tied.spring_damper(tied.ground.attach("post", (2.0, 0.0, 0.0)), tied.frames["b2"], stiffness=3.0, free_length=1.0)
    with pytest.raises(SolverError, match=r"the stiffness of 'b2.*' and others change in axes that turn along"):
        fm.complex_modes(fm.State(fm.System(tied), 0.0, about.q, about.v, about.a, about.lam))
