"""The Campbell diagram: whirling motion by its sense, and critical speeds."""

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError

LENGTH, RADIUS, E, RHO = 2.0, 0.05, 2.1e11, 7850.0
STEEL = fm.Material(density=RHO, youngs_modulus=E)
#: a disk that tilts about its center: mass [kg], inertia across and along [kg m²], bearings at ± ARM [m]
MASS, ACROSS, AXIAL, ARM = 6.0, 0.09, 0.05, 0.2
K = 3e4


def shaft(speed, driven=True):
    """A round steel shaft on two bearings, without shear."""
    model = fm.SpatialModel("shaft")
    beam = model.add_beam(
        "shaft", (0, 0, 0), (LENGTH, 0, 0), material=STEEL, section=fm.Circle(diameter=0.1), elements=4, shear=False
    )
    near, far = model.ground.attach("near", (0, 0, 0)), model.ground.attach("far", (LENGTH, 0, 0))
    model.spherical(near, beam.start)
    model.point_on_line(far, beam.end, axis="x")
    if driven:
        model.drive_angle(near, beam.start, fm.Polynomial([0.0, speed]), axis="x")
    return model


def rayleigh(n, speed):
    """ω₊ > 0 and ω₋ < 0 of (ρA + ρI k²) ω² − 2 ρI Ω k² ω − E I k⁴ = 0, k = nπ/L, against the ground."""
    second, area, k = np.pi * RADIUS**4 / 4.0, np.pi * RADIUS**2, n * np.pi / LENGTH
    roots = np.roots([RHO * (area + second * k**2), -2.0 * RHO * second * speed * k**2, -E * second * k**4])
    return max(roots), min(roots)


def critical_forward(n):
    """The speed at which ω₊ = Ω."""
    second, area, k = np.pi * RADIUS**4 / 4.0, np.pi * RADIUS**2, n * np.pi / LENGTH
    return k**2 * np.sqrt(E * second / (RHO * (area - second * k**2)))


def disk(speed, along_x=K, along_y=K):
    """A disk that spins in two bearings on springs, seen from the ground."""
    model = fm.SpatialModel("rotor")
    body = model.add_body("disk", mass=MASS, inertia=(ACROSS, ACROSS, AXIAL))
    for k, z in enumerate((-ARM, ARM)):
        seat, journal = model.ground.attach(f"seat {k}", (0, 0, z)), body.attach(f"journal {k}", (0, 0, z))
        model.bushing(seat, journal, stiffness=(along_x, along_y, 3.0 * K, 0, 0, 0))
    return fm.equilibrium(model, rotors={"disk": (0, 0, speed)})


def flat(speed, stiffness=(25.0, 25.0, 400.0), damping=0.0):
    """Jeffcott's rotor in the plane: a disk on springs that turn along, ω² = k/m."""
    model = fm.PlanarModel("rotor")
    hub = model.add_body("hub", mass=1.0, inertia=1.0)
    model.revolute(model.ground, hub.frame)
    model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, speed]))
    body = model.add_body("disk", mass=1.0, inertia=1.0)
    model.bushing(hub.frame, body.frame, stiffness=stiffness)
    if damping:
        model.bushing(model.ground, body.frame, damping=(damping, damping, 0.0), name="air")
    return model


def test_a_shaft_whirls_forward_and_backward_through_its_critical_speeds():
    """Rayleigh's shaft: each branch keeps its sense where its frequency in turning axes passes zero."""
    speeds = np.linspace(0.0, 1500.0, 7)
    found = fm.campbell(shaft, speeds, 5, axis="x")
    ground, turning = (2.0 * np.pi * found.signed_frequencies(axes) for axes in ("ground", "turning"))
    for n, allowed in ((1, 2e-6), (2, 3e-5)):
        for which in (0, 1):
            wanted = np.array([rayleigh(n, speed)[which] for speed in speeds])
            branch = int(np.argmin(np.abs(ground[0] - wanted[0])))
            np.testing.assert_allclose(ground[:, branch], wanted, rtol=allowed)
            np.testing.assert_allclose(turning[:, branch], wanted - speeds, rtol=0.0, atol=allowed * abs(wanted[0]))
            np.testing.assert_allclose(found.whirl[:, branch], np.sign(wanted - speeds), atol=1e-6)
    assert np.min(found.likeness) > 0.999
    unbalance = found.critical_speeds()
    assert [c.whirl for c in unbalance] == ["forward", "forward"]
    for n, critical in enumerate(unbalance, 1):
        assert critical.speed == pytest.approx(critical_forward(n), rel=2e-4)  # ω² between speeds 250 rad/s apart
        assert critical.frequency == pytest.approx(critical.speed / (2.0 * np.pi)) and critical.axes == "ground"
    # in axes that turn along unbalance rests; weight, which rests on the ground, excites nothing round
    at_rest = [c.speed for c in found.critical_speeds((0,))]
    np.testing.assert_allclose(at_rest, [c.speed for c in unbalance], rtol=1e-12)
    assert found.critical_speeds((0,), axes="ground") == []
    # once a turn in turning axes: ω₊ − Ω = Ω, at half the speed, and on the ground also ω₋ = −Ω
    np.testing.assert_allclose([c.speed for c in found.critical_speeds((1,))], [159.523, 638.094], rtol=1e-3)
    both = found.critical_speeds((1,), axes="ground")
    assert sorted(c.whirl for c in both[:2]) == ["backward", "forward"] and len(both) == 4


def test_speeds_in_both_senses():
    found = fm.campbell(shaft, [-400.0, -200.0, 0.0, 200.0, 400.0], 4, axis="x")
    met = found.critical_speeds()
    np.testing.assert_allclose([c.speed for c in met], np.array([-1.0, 1.0]) * critical_forward(1), rtol=1e-4)
    assert [c.whirl for c in met] == ["forward", "forward"]


def test_at_no_speed_nothing_need_resist_a_turn():
    found = fm.campbell(lambda speed: shaft(speed, driven=False), [0.0, 300.0], 3, axis="x")
    np.testing.assert_allclose(found.frequencies[:, 0], 0.0, atol=1e-9)
    for k, speed in enumerate((0.0, 300.0)):
        wanted = sorted(np.array(rayleigh(1, speed)) / (2.0 * np.pi))
        np.testing.assert_allclose(np.sort(found.signed_frequencies("ground")[k])[[0, 2]], wanted, rtol=3e-6)
    rest = fm.equilibrium(shaft(0.0, driven=False), rotors={})
    assert rest.rotation.rests and abs(rest["shaft.start.wx"]) == 0.0


def test_a_free_shaft():
    """A free uniform beam bends at β L = 4.730041, and its disks split the frequency in ±."""

    def free(speed):
        model = fm.SpatialModel("free")
        model.add_beam("shaft", (0, 0, 0), (LENGTH, 0, 0), material=STEEL, section=fm.Circle(diameter=0.02), elements=2)
        return model

    found = fm.campbell(free, [0.0, 15.0, 30.0, 60.0], 6, axis="x")
    bending = 4.730041**2 * np.sqrt(E * (0.01**2 / 4.0) / RHO) / LENGTH**2
    ground = 2.0 * np.pi * found.signed_frequencies("ground")
    for sign in (-1.0, 1.0):
        branch = int(np.argmin(np.abs(ground[0] - sign * bending)))
        np.testing.assert_allclose(ground[:, branch], sign * bending, rtol=1e-3)
    assert not found.critical_speeds() and np.all(np.max(found.likeness, axis=0) > 0.99)


def test_a_tilting_disk_and_bearings_unlike_along_x_and_y():
    """A θ̈ ∓ i C Ω θ̇ + k θ = 0; with unlike bearings (k₁ − A Ω²)(k₂ − A Ω²) = (C Ω²)² where unbalance is critical."""
    speeds = np.array([0.0, 100.0, 200.0, 300.0])
    found = fm.campbell(disk, speeds, 6)
    tilt = 2.0 * K * ARM**2
    for speed, row in zip(speeds, 2.0 * np.pi * found.signed_frequencies()):
        for wanted in [*np.roots([ACROSS, -AXIAL * speed, -tilt]), np.sqrt(2 * K / MASS), -np.sqrt(2 * K / MASS)]:
            assert np.min(np.abs(row - wanted)) < 1e-9 * abs(wanted)
    forward = np.sqrt(tilt / (ACROSS - AXIAL))
    np.testing.assert_allclose([c.speed for c in found.critical_speeds()], [100.0, forward], rtol=0.02)
    turning = 2.0 * np.pi * found.signed_frequencies("turning")
    np.testing.assert_allclose(turning, 2.0 * np.pi * found.signed_frequencies() - speeds[:, None] * (
        np.abs(found.whirl) > 0.5
    ), atol=1e-9)  # fmt: skip

    unlike = fm.campbell(lambda speed: disk(speed, K, 1.5 * K), np.arange(0.0, 321.0, 20.0), 6)
    squares = np.roots([ACROSS**2 - AXIAL**2, -ACROSS * 2.5 * tilt, 1.5 * tilt**2])
    wanted = sorted([100.0, 100.0 * np.sqrt(1.5), *np.sqrt(squares)])
    met = unlike.critical_speeds()
    np.testing.assert_allclose([c.speed for c in met], wanted, rtol=1e-3)
    assert [c.whirl for c in met] == ["", "", "backward", "forward"]


@pytest.mark.parametrize("damping", [0.0, 0.2])
def test_jeffcotts_rotor_in_the_plane(damping):
    found = fm.campbell(lambda speed: flat(speed, damping=damping), [0.0, 3.0, 4.0, 7.0, 9.0], 3)
    damped = np.sqrt(25.0 - 0.25 * damping**2)
    for row in 2.0 * np.pi * found.signed_frequencies("ground"):
        np.testing.assert_allclose(np.sort(row), [-damped, damped, 20.0], rtol=1e-9)
    assert [c.speed for c in found.critical_speeds()] == pytest.approx([damped])


def test_an_unequal_shaft_is_critical_where_it_begins_and_ends_to_grow():
    """(λ² + k₁ − Ω²)(λ² + k₂ − Ω²) + 4 Ω² λ² = 0: unbalance, λ = 0, at √k₁ and √k₂; weight, λ = iΩ, near the half."""
    found = fm.campbell(lambda speed: flat(speed, (16.0, 36.0, 400.0)), [0.5, 2.3, 2.4, 3.98, 4.02, 5.98, 6.02, 8.0], 3)
    assert [c.speed for c in found.critical_speeds()] == pytest.approx([4.0, 6.0], rel=1e-4)
    weight = [c.speed for c in found.critical_speeds((0,), axes="ground")]
    assert weight == pytest.approx([np.sqrt(16.0 * 36.0 / (2.0 * (16.0 + 36.0)))], rel=1e-4)


def test_pictures_show_the_sense(tmp_path):
    found = fm.campbell(flat, [0.0, 4.0, 8.0], 3)
    ax = found.plot(tmp_path / "turning.png").axes[0]
    assert ax.get_ylim()[0] < -10.0 / (2.0 * np.pi) and "turn along" in ax.get_ylabel()
    assert ax.lines[0].get_ydata() == pytest.approx([0.0, 0.0, 0.0])  # unbalance rests
    assert ax.lines[-1].get_xydata().tolist() == [pytest.approx([5.0, 0.0], abs=1e-9)]
    ax = found.plot(axes="ground").axes[0]
    assert "axes of the ground" in ax.get_ylabel()
    assert ax.lines[-1].get_xydata().tolist() == [pytest.approx([5.0, 5.0 / (2.0 * np.pi)])]
    assert "unbalance meets mode" in str(found)
    with pytest.raises(ModelError, match="axes is 'rotor'; choose one of 'ground', 'turning'"):
        found.critical_speeds(axes="rotor")
