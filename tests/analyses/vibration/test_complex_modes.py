"""Complex modes: damping, gyroscopic forces about steady rotation, follower forces; frequencies over speed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import flexmb as fm
from flexmb.analyses.statics.equilibrium import equilibrium
from flexmb.analyses.vibration.campbell import campbell
from flexmb.analyses.vibration.complex_modes import complex_modes
from flexmb.analyses.vibration.modes import modes
from flexmb.analyses.vibration.rotating import rotation_of, small_motions
from flexmb.errors import ModelError, SolverError
from flexmb.results.state import State
from flexmb.validation.references import beck, rotating_beam

BLADE = fm.planar.BeamProperties(EA=1e4, EI=1.0, rhoA=1.0, rhoI=1e-3)


def rotor(speed, stiffness=(25.0, 25.0, 400.0), damping=(0.0, 0.0, 0.0)):
    """A body of 1 kg on springs that turn with the shaft, at its center (Jeffcott's rotor in the plane)."""
    model = fm.PlanarModel("rotor")
    shaft = model.add_body("shaft", mass=1.0, inertia=1.0)
    model.revolute(model.ground, shaft.frame, name="bearing")
    model.drive_angle(model.ground, shaft.frame, fm.Polynomial([0.0, speed]), name="drive")
    disk = model.add_body("disk", mass=1.0, inertia=1.0)
    model.bushing(shaft.frame, disk.frame, stiffness=stiffness, damping=damping, name="springs")
    return model


def blade(speed, theory="cms", elements=2, **options):
    model = fm.PlanarModel("blade")
    hub = model.add_body("hub", mass=1.0, inertia=1.0)
    model.revolute(model.ground, hub.frame, name="bearing")
    model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, speed]), name="drive")
    model.add_beam("blade", hub.frame, (1, 0), properties=BLADE, theory=theory, elements=elements, **options)
    return model


def slowest(values, count):
    return np.array(sorted(values, key=abs)[:count])


@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.7, 1.6])
def test_spring_mass_damper(zeta):
    m, k = 2.0, 8.0
    model = fm.PlanarModel("oscillator")
    body = model.add_body("body", mass=m, inertia=0.1)
    model.prismatic(model.ground, body.frame)
    model.bushing(
        model.ground, body.frame, stiffness=(k, 0, 0), damping=(2 * zeta * math.sqrt(k * m), 0, 0), name="spring"
    )
    found = complex_modes(model, 1)
    omega = math.sqrt(k / m)
    wanted = -zeta * omega + omega * np.sqrt(complex(zeta**2 - 1))
    assert np.allclose(found.eigenvalues, [wanted], rtol=1e-12)
    assert math.isclose(found.damping[0], min(zeta, 1.0), abs_tol=1e-12)
    assert found.stable


def test_without_damping_they_are_the_undamped_ones():
    model = fm.PlanarModel("beam")
    model.add_beam("beam", model.ground, (1, 0), properties=BLADE, theory="ancf", elements=8)
    plain, found = modes(model, 4), complex_modes(model, 4)
    assert np.allclose(found.omegas, plain.omegas, rtol=1e-10)
    assert np.allclose(found.damping, 0.0, atol=1e-11)
    size = np.abs(plain.shapes).max()
    assert np.allclose(found.shapes, plain.shapes, atol=1e-8 * size)


def test_modal_damping_of_a_beam():
    """Damping proportional to stiffness: ζ = ½ β ω."""
    beta = 2e-4
    model = fm.PlanarModel("beam")
    model.add_beam(
        "beam", model.ground, (1, 0), properties=BLADE, theory="ancf", elements=8,
        damping=fm.StiffnessProportional(beta),
    )  # fmt: skip
    for dense in (True, False):
        found = complex_modes(model, 3, dense=dense)
        size = np.abs(found.eigenvalues)
        assert np.allclose(size, modes(model, 3).omegas, rtol=1e-9)
        assert np.allclose(found.damping, 0.5 * beta * size, rtol=1e-8)


def test_free_body_with_drag_and_rigid_motions():
    model = fm.PlanarModel("free")
    model.add_beam("beam", (0, 0), (1, 0), properties=BLADE, modes=2)
    found = complex_modes(model, 5)
    assert found.rigid.tolist() == [True] * 3 + [False] * 2
    assert np.all(found.eigenvalues[:3] == 0.0) and found.stable
    assert np.allclose(found.omegas[3:], modes(model, 5).omegas[3:], rtol=1e-9)


@pytest.mark.parametrize(("mass", "drag"), [(1.0, 0.25), (2.0, 1.0), (3.0, 1.0), (0.7, 0.3), (1e-6, 4e-9), (1e6, 1e3)])
def test_a_motion_that_drag_stops_is_no_rigid_one(mass, drag):
    """λ = −c/m makes φᴴ K φ = 0 as well as λ = 0 does."""
    model = fm.PlanarModel("sledges")
    for k in range(4):
        body = model.add_body(f"body{k}", mass=mass, inertia=mass)
        model.prismatic(model.ground, body.frame)
        model.bushing(model.ground, body.frame, stiffness=(0.0, 0.0, 0.0), damping=((1 + k) * drag, 0.0, 0.0))
    found = complex_modes(model, 8)
    assert list(found.rigid) == [True] * 4 + [False] * 4
    assert np.allclose(found.eigenvalues[4:], -drag / mass * np.arange(1, 5), rtol=1e-9, atol=0.0)


@pytest.mark.parametrize("speed", [1.0, 4.0, 6.0, -3.0])
def test_whirl_in_turning_axes(speed):
    """Isotropic springs: ω₀ ± Ω as seen by who turns along; and the torsional one."""
    found = complex_modes(equilibrium(rotor(speed), spin=speed), 3)
    assert math.isclose(found.rotation.spin, speed, rel_tol=1e-9)
    assert np.allclose(np.sort(found.omegas), np.sort([abs(5 - abs(speed)), 5 + abs(speed), 20.0]), rtol=1e-9)


@pytest.mark.parametrize(("speed", "stable"), [(3.0, True), (5.0, False), (8.0, True)])
def test_unequal_springs(speed, stable):
    """λ⁴ + λ²(ωx² + ωy² + 2Ω²) + (ωx² − Ω²)(ωy² − Ω²) = 0: unstable between ωx = 4 and ωy = 6."""
    found = complex_modes(equilibrium(rotor(speed, (16.0, 36.0, 1e4)), spin=speed, stable=False), 3)
    wanted = np.roots([1.0, 0.0, 16.0 + 36.0 + 2 * speed**2, 0.0, (16.0 - speed**2) * (36.0 - speed**2)])
    wanted = wanted[(wanted.imag > 1e-9) | (np.abs(wanted.imag) <= 1e-9)]
    got = found.eigenvalues[: len(wanted)]
    for value in wanted:
        assert np.abs(got - value).min() < 1e-9 * abs(value) + 1e-9
    assert found.stable == stable


@pytest.mark.parametrize(("speed", "stable"), [(4.0, True), (6.0, False)])
def test_damping_on_the_rotor_drives_it_above_its_frequency(speed, stable):
    """z̈ + 2iΩż − Ω²z + 2δż + ω₀²z = 0: stable below ω₀ only, Kimball (1924)."""
    delta = 0.1
    found = complex_modes(equilibrium(rotor(speed, damping=(2 * delta, 2 * delta, 0.0)), spin=speed), 2)
    wanted = np.roots([1.0, 2j * speed + 2 * delta, 25.0 - speed**2])
    wanted = np.where(wanted.imag < 0, wanted.conj(), wanted)
    assert np.allclose(np.sort_complex(found.eigenvalues), np.sort_complex(wanted), rtol=1e-9)
    assert found.stable == stable
    assert ("grows" in str(found)) == (not stable)


@pytest.mark.parametrize(
    ("theory", "elements", "options"), [("cms", 2, {"modes": 2}), ("ancf", 4, {}), ("exact", 6, {})]
)
def test_coefficients_do_not_depend_on_the_angle(theory, elements, options):
    state = equilibrium(blade(5.0, theory, elements, **options), spin=5.0).state
    now = small_motions(state)
    later = now.turned(0.7)
    T = now.rotation.turned_axes(0.7 / 5.0)
    for name in "MCK":
        A, B = (
            np.asarray(x.todense() if hasattr(x, "todense") else x) for x in (getattr(now, name), getattr(later, name))
        )
        assert np.abs(A - T.T @ B @ T).max() < 1e-11 * np.abs(A).max()
    v, a = later.rates
    turned = State(state.system, later.t, later.q, v, a, later.lam)
    assert rotation_of(turned).spin == pytest.approx(5.0, rel=1e-9)
    assert np.allclose(complex_modes(turned, 3).eigenvalues, complex_modes(state, 3).eigenvalues, rtol=1e-9, atol=1e-8)


def test_an_eccentric_rotor_turns_about_the_given_center():
    """The same blade, its bearing at (3, −2)."""
    there = fm.PlanarModel("aside")
    place = there.add_frame("place", (3.0, -2.0), fixed=True)
    hub = there.add_body("hub", mass=1.0, inertia=1.0, position=(3.0, -2.0))
    there.revolute(place, hub.frame)
    there.drive_angle(place, hub.frame, fm.Polynomial([0.0, 5.0]))
    there.add_beam("blade", hub.frame, (4.0, -2.0), properties=BLADE, modes=2, elements=2)
    found = complex_modes(equilibrium(there, spin=5.0, center=(3.0, -2.0)), 3)
    assert np.allclose(found.rotation.center, (3.0, -2.0), atol=1e-9)
    wanted = complex_modes(equilibrium(blade(5.0, modes=2), spin=5.0), 3)
    assert np.allclose(found.omegas, wanted.omegas, rtol=1e-9)


def test_a_small_push_swings_at_the_frequency():
    """A motion computed by time integration, a little off steady rotation, swings as the first mode."""
    speed = 4.0
    model = blade(speed, elements=1, modes=2)
    about = equilibrium(model, spin=speed)
    found = complex_modes(about, 1)
    state = about.state
    # ξ = Re φ e^{λt} in turning axes:  δq = ξ,  δv = ξ̇ + Ω S ξ
    small = small_motions(state)
    xi = 2e-4 * found.shapes[:, 0] / np.abs(found.shapes[:, 0]).max()
    xi, rate = xi.real, (found.eigenvalues[0] * xi).real
    start = State(state.system, 0.0, state.q + xi, state.v + rate + speed * (small.rotation.S @ xi), state.a, state.lam)
    t = np.linspace(0.0, 6.0, 601)
    solution = fm.simulate(
        model, 6.0, initial=start, method="independent", tolerance=1e-10, absolute_tolerance=1e-12, progress=False
    ).at(t)
    tip = solution["blade.end"].position
    angle = speed * t
    across = np.cos(angle) * tip[:, 1] - np.sin(angle) * tip[:, 0]

    def left(omega):
        basis = np.column_stack([np.cos(omega * t), np.sin(omega * t), np.ones_like(t)])
        share, *_ = np.linalg.lstsq(basis, across, rcond=None)
        return float(np.sum((across - basis @ share) ** 2))

    best = minimize_scalar(
        left, bounds=(0.9 * found.omegas[0], 1.1 * found.omegas[0]), method="bounded", options={"xatol": 1e-9}
    )
    assert math.isclose(best.x, found.omegas[0], rel_tol=2e-6)
    assert left(best.x) < 1e-6 * np.sum(across**2)


def test_rotating_blade_sparse_and_dense():
    about = equilibrium(blade(4.0, "ancf", 12), spin=4.0)
    dense, sparse = (complex_modes(about, 3, dense=d) for d in (True, False))
    assert np.allclose(sparse.omegas, dense.omegas, rtol=1e-9)
    assert np.allclose(sparse.damping, 0.0, atol=1e-9)
    size = np.abs(dense.shapes).max()
    assert np.allclose(sparse.shapes, dense.shapes, atol=1e-7 * size)


def test_what_is_fixed_in_space_is_refused():
    model = blade(4.0, modes=1)
    model.spring_damper(model.ground.attach("post", (2, 0)), model.frame("blade.end"), stiffness=3.0, free_length=1.0)
    state = equilibrium(blade(4.0, modes=1), spin=4.0).state
    system = fm.System(model)
    with pytest.raises(SolverError, match=r"the stiffness of 'blade.end.y' and others change in axes that turn along"):
        complex_modes(State(system, 0.0, state.q, state.v, state.a, state.lam), 1)


def test_follower_force_flutters_beyond_becks_load():
    critical, _ = beck.flutter()
    given = fm.planar.BeamProperties(EA=1e6, EI=1.0, rhoA=1.0)
    for share, stable in ((0.99, True), (1.01, False)):
        model = fm.PlanarModel("Beck")
        column = model.add_beam("column", model.ground, (1, 0), properties=given, theory="ancf", elements=10)
        model.point_force(column.end, (-share * critical, 0.0), axes="body", name="thrust")
        found = complex_modes(equilibrium(model, stable=False), 2)
        assert found.stable == stable


def test_campbell_of_a_blade(tmp_path):
    speeds = np.array([0.0, 2.0, 4.0, 6.0])
    stiff = fm.planar.BeamProperties(EA=1e7, EI=1.0, rhoA=1.0)

    def build(speed):
        model = blade(speed)
        model.component("blade").properties = stiff
        return model

    found = campbell(build, speeds, 2)
    wanted = np.array([rotating_beam.lag(speed, 2) for speed in speeds])
    assert np.allclose(2 * np.pi * found.frequencies, wanted, rtol=2e-4)
    assert np.all(found.likeness > 0.99) and found.stable.all()
    # order 1 meets the first mode where ω_lag = η: between 2 and 4
    critical = [c for c in found.critical_speeds((1,)) if c.mode == 0]
    assert len(critical) == 1
    speed = critical[0].speed
    assert math.isclose(rotating_beam.lag(speed, 1)[0], speed, rel_tol=2e-3)
    assert math.isclose(critical[0].frequency, speed / (2 * math.pi))
    figure = found.plot(tmp_path / "campbell.png")
    assert figure.axes[0].get_xlabel() == "speed [rad/s]"
    assert (tmp_path / "campbell.png").stat().st_size > 1000


def test_campbell_follows_branches_that_cross():
    """ω₀ + Ω of whirling meets the torsional 8 rad/s at 3 rad/s; branches keep their shapes."""
    found = campbell(lambda speed: rotor(speed, (24.0, 26.0, 64.0)), [0.5, 1.5, 2.5, 3.5, 4.0], 3)
    torsion = int(np.argmin(np.abs(2 * np.pi * found.frequencies[0] - 8.0)))
    assert np.allclose(2 * np.pi * found.frequencies[:, torsion], 8.0, rtol=1e-9)
    assert np.all(found.likeness > 0.5)


def test_errors():
    with pytest.raises(ModelError, match="ascending order"):
        campbell(rotor, [2.0, 1.0])
    with pytest.raises(ModelError, match="has 3 degrees of freedom; 7 modes were asked for; ask for at most 6"):
        complex_modes(rotor(0.0), 7)


def test_an_undamped_pendulum_on_its_head():
    model = fm.PlanarModel("inverted", gravity=(0.0, -9.81))
    rod = model.add_body("rod", mass=1.0, inertia=1.0, center=(0.0, 0.5))
    model.revolute(model.ground, rod.frame)
    found = fm.complex_modes(model)
    rate = np.sqrt(9.81 * 0.5 / 1.25)
    assert np.max(np.abs(found.eigenvalues.real)) == pytest.approx(rate, rel=1e-9)
    assert not found.stable


@pytest.mark.parametrize("dense", [True, False])
def test_stiff_directions_do_not_spoil_slow_motions(dense):
    """A crank that nothing resists, beside a cable 10⁷ times as stiff along as across that lies askew, with a damper:
    nothing grows, the crank is free, and frequencies are those without damping to the order of ζ²."""
    model = fm.PlanarModel("askew")
    crank = model.add_body("crank", mass=1e-3, inertia=5e-7)
    model.revolute(model.ground, crank.frame)
    soft = fm.planar.BeamProperties(EA=2.0, EI=2e-9, rhoA=0.02)
    rope = model.add_beam("rope", (0.3, 0.0), (0.32, -0.09), properties=soft, theory="ancf", elements=8)
    model.revolute(model.ground.attach("hook", (0.3, 0.0)), rope.start)
    ball = model.add_body("ball", mass=3e-3, inertia=1e-6, position=(0.32, -0.09))
    model.weld(rope.end, ball.frame)
    model.bushing(model.ground, ball.frame, stiffness=(0.08, 0.08, 0.0), damping=(1e-6, 1e-6, 0.0), name="bushing")
    damped, plain = complex_modes(model, 8, dense=dense), modes(model, 8)
    assert damped.stable and list(damped.rigid) == [True] + [False] * 7
    np.testing.assert_allclose(np.abs(damped.eigenvalues[1:]), np.sqrt(plain.omega_squared[1:]), rtol=1e-4)
    assert np.all(damped.eigenvalues[1:].real <= 0.0) and damped.eigenvalues.real.min() < -1e-7


def test_round_off_beside_a_stiff_damped_direction_is_no_growth():
    """A mass of 1 kg on springs along axes that lie askew, one 5·10¹⁰ times as stiff as the other and damped: across it
    the mass swings for ever at √1000 rad/s, for some angles with Re λ of some 10⁻⁶ rad/s by round-off."""
    omega = math.sqrt(1000.0)
    for angle in np.arange(0.363, 0.82, 0.037):
        model = fm.PlanarModel("guided")
        block = model.add_body("block", mass=1.0, inertia=1.0)
        eye = model.ground.attach("eye", (0.0, 0.0), angle)
        model.bushing(eye, block.frame, stiffness=(5e13, omega**2, omega**2), damping=(5e10, 0.0, 0.0), name="guide")
        found = complex_modes(model, 4)
        swinging = found.eigenvalues.imag > 0.0
        assert found.stable and "grows" not in str(found), angle
        away = np.abs(found.eigenvalues[swinging] - 1j * omega)
        assert len(away) == 2 and np.all(away < 1e-3 * omega), angle
        assert np.all(away <= found.round_off[swinging]), angle


def test_a_motion_that_grows_beyond_round_off_is_told():
    """A force along the speed, a millionth part of the critical damping: it grows with Re λ = c/2m."""
    model = fm.PlanarModel("driven")
    body = model.add_body("body", mass=1.0, inertia=0.1)
    model.prismatic(model.ground, body.frame)
    model.spring_damper(model.ground.attach("wall", (-1.0, 0.0)), body.frame, stiffness=4.0, free_length=1.0)
    model.python_force(body.frame, lambda t, x, v: (4e-6 * v[0], 0.0, 0.0), name="drive")
    found = complex_modes(model, 1)
    assert not found.stable and found.grows.tolist() == [True]
    assert found.eigenvalues[0] == pytest.approx(2e-6 + 2j, abs=1e-9)


@pytest.mark.filterwarnings("ignore::flexmb.errors.BalanceWarning")
@pytest.mark.parametrize("dense", [True, False])
def test_a_motion_that_grows_fast_beside_slow_ones(dense):
    """An inverted pendulum grows as e^{λ t}, λ² = 3 g/(2 l); the others are those that they were without it."""

    def chain(upright):
        model = fm.PlanarModel("chain", gravity=(0.0, -9.81 * upright))
        rod = model.add_beam("rod", (1.0, 0.0), (2.0, 0.0), properties=BLADE, modes=3, elements=4)
        model.weld(model.ground.attach("wall", (1.0, 0.0)), rod.start)
        if upright:
            bar = model.add_body("bar", mass=1e-3, inertia=1e-3 * 4e-6 / 12.0, position=(0.0, 1e-3))
            model.revolute(model.ground, bar.frame.attach("foot", (0.0, -1e-3)))
        return model

    found = complex_modes(chain(True), 6, dense=dense).eigenvalues
    growing = found[found.real > 1.0]
    assert len(growing) == 1 and growing[0] == pytest.approx(math.sqrt(3.0 * 9.81 / (2.0 * 2e-3)), rel=1e-9)
    others = complex_modes(chain(False), 4).eigenvalues
    left = found[np.abs(found.real) < 1.0]
    np.testing.assert_allclose(left, others[: len(left)], rtol=1e-9, atol=1e-9)
