"""Attraction of a central body, against sums over particles, orbits and librations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.elements.spatial import BEAMS
from flexmb.errors import ModelError
from tests.models.particles import Particles

MU = 3.986004418e14
CENTER = np.array([1.0, -2.0, 0.5])
TURN = Rotation.from_rotvec([0.4, -0.8, 0.3])


def cloud():
    """Particles in the axes of a body, about their mass center: masses and places."""
    rng = np.random.default_rng(5)
    masses, places = rng.uniform(0.5, 2.0, 40), rng.normal(size=(40, 3)) * (0.3, 0.5, 1.0)
    return masses, places - masses @ places / masses.sum()


def model(scale: float, mu: float = 7.0):
    """The particles at a `scale` as one body, far from a center in comparison."""
    masses, places = cloud()
    places = scale * places
    J = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, places))
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=masses.sum(), inertia=J, position=(2.0, 0.5, -1.0), orientation=TURN)
    m.gravity_gradient(body, mu, center=CENTER)
    return m


def of_particles(scale: float):
    """Force and moment in the axes of the ground and of the body, and the energy, of the particles themselves."""
    masses, places = cloud()
    away = TURN.apply(scale * places) + np.array([2.0, 0.5, -1.0]) - CENTER
    distance = np.linalg.norm(away, axis=1)
    forces = -7.0 * (masses / distance**3)[:, None] * away
    moment = np.cross(scale * places, TURN.inv().apply(forces)).sum(axis=0)
    return forces.sum(axis=0), moment, -7.0 * float(np.sum(masses / distance))


def test_force_torque_and_energy_come_near_to_those_of_particles():
    """What is left out is of the third order in the size."""
    left = []
    for scale in (0.02, 0.01):
        system = fm.System(model(scale))
        zero = np.zeros(6)
        acting = -system.residual(0.0, system.q0, zero, zero)
        force, moment, energy = of_particles(scale)
        found = system.energy(0.0, system.q0, zero)[2]
        first = np.linalg.norm(force - of_particles(0.0)[0])
        left.append([np.linalg.norm(acting[:3] - force), np.linalg.norm(acting[3:] - moment), abs(found - energy)])
        assert left[-1][0] < 0.05 * first and left[-1][1] < 0.05 * np.linalg.norm(moment)
    np.testing.assert_allclose(np.log2(np.array(left[0]) / left[1]), 3.0, atol=0.15)


def test_a_point_mass_goes_round_an_ellipse():
    """Kepler: the period is 2π √(a³/μ)."""
    m = fm.SpatialModel("orbit")
    speck = m.add_body("speck", shape=fm.Sphere(diameter=0.1), mass=3.0, position=(1.0, 0.0, 0.0), orientation=TURN)
    speck.move((0.0, 0.9, 0.6))
    m.gravity_gradient(speck, 1.0)
    a = 1.0 / (2.0 - 0.9**2 - 0.6**2)
    run = fm.simulate(m, 2.0 * np.pi * a**1.5, "dop853", tolerance=1e-11, progress=False)
    np.testing.assert_allclose(run["speck"].position[-1], (1.0, 0.0, 0.0), atol=1e-8)
    np.testing.assert_allclose(run["speck"].velocity[-1], (0.0, 0.9, 0.6), atol=1e-8)
    assert run.energy.error < 1e-4


def test_the_torque_in_an_orbit_of_the_earth_has_all_its_digits():
    """The attraction times the radius is 10¹² times larger than the torque."""
    radius, J = 7.0e6, np.diag([100.0, 90.0, 40.0])
    m = fm.SpatialModel("satellite")
    hull = m.add_body("hull", mass=500.0, inertia=J, position=(0.0, 0.0, -radius), orientation=TURN)
    m.gravity_gradient(hull, MU)
    system = fm.System(m)
    zero = np.zeros(6)
    found = -system.residual(0.0, system.q0, zero, zero)[3:]
    n = TURN.inv().apply((0.0, 0.0, -1.0))
    np.testing.assert_allclose(found, 3.0 * MU / radius**3 * np.cross(n, J @ n), rtol=1e-12)
    # and so has its change when the body turns
    K = system.tangent(0.0, system.q0, zero, zero, np.zeros(0), (0.0, 0.0, 1.0))
    wanted = np.empty((3, 3))
    for k, y in enumerate(np.eye(3)):
        turned = np.cross(n, y)
        wanted[:, k] = -3.0 * MU / radius**3 * (np.cross(turned, J @ n) + np.cross(n, J @ turned))
    np.testing.assert_allclose(np.asarray(K)[3:, 3:], wanted, atol=1e-12 * np.max(np.abs(wanted)))


def test_modes_of_a_body_held_in_its_mass_center():
    """ω² = 3 μ/ρ³ (J₂ − J₃)/J₁ and 3 μ/ρ³ (J₁ − J₃)/J₂ about the two axes across the direction to the center."""
    J, mu, distance = np.array([1.2, 1.5, 0.4]), 50.0, 3.0
    m = fm.SpatialModel("held")
    body = m.add_body("body", mass=2.0, inertia=J, position=(0.0, 0.0, distance))
    m.spherical(m.add_frame("post", (0.0, 0.0, distance), fixed=True), body.frame)
    m.gravity_gradient(body, mu)
    found = fm.modes(m).omega_squared
    wanted = 3.0 * mu / distance**3 * np.array([(J[0] - J[2]) / J[1], (J[1] - J[2]) / J[0]])
    np.testing.assert_allclose(found[1:], np.sort(wanted), rtol=1e-10)
    assert abs(found[0]) < 1e-9


def test_a_body_of_two_parts_is_attracted_as_its_whole():
    """A point mass on the frame of a body, against one body with the common inertia, to the third order in the size."""

    def acting(scale, apart):
        m = fm.SpatialModel("m")
        J, arm = scale**2 * np.diag([0.5, 0.6, 0.7]), scale * np.array([0.2, -0.3, 0.1])
        base = m.add_frame("base", (3.0, 0.0, 0.0), TURN)
        if apart:
            parts = [m.add_body("a", mass=2.0, inertia=J, frame=base)]
            parts.append(m.add_point_mass("b", base.attach("there", arm), 0.5))
        else:
            middle = 0.2 * arm
            both = ((2.0, -middle), (0.5, arm - middle))
            whole = J + sum(w * (d @ d * np.eye(3) - np.outer(d, d)) for w, d in both)
            parts = [m.add_body("a", mass=2.5, inertia=whole, center=middle, frame=base)]
        for part in parts:
            m.gravity_gradient(part, 9.0)
        system = fm.System(m)
        return system.residual(0.0, system.q0, np.zeros(6), np.zeros(6))

    left = [np.abs(acting(scale, True) - acting(scale, False)) for scale in (0.1, 0.05)]
    assert np.all(left[0][:3] < 1e-5) and np.all(left[0][3:] < 1e-5)
    np.testing.assert_allclose(left[0], 8.0 * left[1], rtol=0.2, atol=1e-8)


@pytest.mark.parametrize(
    ("mu", "center", "message"),
    [
        (-1.0, (0, 0, 0), "force 'gravity_gradient 1': mu is -1; it must be positive"),
        (1.0, (2, 0.5, -1), "'body' starts 0 m from the center, in the center of attraction"),
        (1.0, (0, 0), "center must be 3 numbers"),
    ],
)
def test_bad_attraction(mu, center, message):
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1), position=(2.0, 0.5, -1.0))
    with pytest.raises(ModelError, match=message):
        m.gravity_gradient(body, mu, center=center)
    for wrong in (body.frame, "body"):
        with pytest.raises(ModelError, match="it acts on bodies, beams, point masses and wheels"):
            m.gravity_gradient(wrong, 1.0)


def in_orbit():
    """A hull that goes round a center."""
    m = fm.SpatialModel("orbit")
    hull = m.add_body("hull", mass=10.0, inertia=(1.0, 1.5, 0.8), position=(100.0, 0.0, 0.0))
    hull.move((0.0, 1.0, 0.0))
    m.gravity_gradient(hull, 100.0)
    return m, hull


def beam(m, hull, theory):
    end = hull.attach("root", (0.5, 0.0, 0.0))
    section, material = fm.Circle(diameter=0.02), fm.Material(2700, 70e9)
    return m.add_beam("part", end, (102.0, 0.0, 0.0), material=material, section=section, theory=theory)


MASSES = {
    **{theory: lambda m, hull, theory=theory: beam(m, hull, theory) for theory in BEAMS},
    "modal body": lambda m, hull: m.add_modal_body("part", Particles.random(seed=3).reduced(), (101.0, 0.0, 0.0)),
    "tank": lambda m, hull: m.add_tank("part", hull.frame, 2.0),
    "body": lambda m, hull: m.add_body("part", mass=1.0, inertia=(1, 1, 1), position=(103.0, 0.0, 0.0)),
    "body off its node": lambda m, hull: m.add_body(
        "part", mass=1.0, inertia=(1, 1, 1), center=(1, 0, 0), frame=hull.frame
    ),
    "point mass": lambda m, hull: m.add_point_mass("part", hull.attach("there", (1, 0, 0)), 0.5),
    "wheel": lambda m, hull: m.add_wheel("part", hull.frame, mass=1.0, inertia=0.05, axis="z", speed=10.0),
    "reaction wheel": lambda m, hull: m.add_wheel("part", hull.frame, mass=1.0, inertia=0.05, axis="z", torque=0.1),
}


@pytest.mark.parametrize("kind", MASSES)
def test_a_mass_that_is_not_attracted_is_refused_by_its_name(kind):
    m, hull = in_orbit()
    part = MASSES[kind](m, hull)
    advice = "tanks it does not attract" if kind == "tank" else "give each of them a gravity_gradient of its own"
    with pytest.raises(ModelError, match=f"it does not attract [a-z]+ 'part'; .*{advice}"):
        fm.System(m)
    if kind != "tank":
        m.gravity_gradient(part, 100.0)
        fm.System(m)


def flexible(gravity=(0, 0, 0)):
    """A hull with beams of all theories and a reduced body."""
    m = fm.SpatialModel("m", gravity=gravity)
    hull = m.add_body("hull", mass=2.0, inertia=(0.2, 0.25, 0.3), position=(0.2, -0.1, 0.3), orientation=TURN)
    given = fm.spatial.BeamProperties(EA=1e4, EIy=20.0, EIz=20.0, GJ=20.0, rhoA=0.4, rhoIy=1e-3, rhoIz=1e-3)
    for k, theory in enumerate(BEAMS):
        root = hull.attach(f"root {theory}", (0.2 * k, 0.1, 0))
        m.add_beam(theory, root, root.position + (0.5, 1.0, 0.3 * k), properties=given, theory=theory)
    m.add_modal_body("panel", Particles.random(seed=3).reduced(), (1.0, 0.5, -0.2))
    return m


def test_flexible_bodies_are_attracted_as_in_orbit_and_besides_by_the_attraction_of_the_origin():
    """−μ d/|d|³ is the field of the frame that falls, and −μ o/|o|³, alike everywhere, in any deformed state."""
    mu, o = 50.0, np.array([6.0, 2.0, -4.0])
    orbit = fm.spatial.CentralGravity(mu, o, (0.5, 2.0, 0.8))
    plain, falling, uniform = (flexible(g) for g in ((0, 0, 0), orbit, -mu * o / np.linalg.norm(o) ** 3))
    held = flexible()
    for part in [held.component(name) for name in ("hull", *BEAMS, "panel")]:
        held.gravity_gradient(part, mu, center=-o)
    systems = [fm.System(m) for m in (plain, falling, uniform, held)]
    rng = np.random.default_rng(3)
    n = systems[0].n
    q, still = systems[0].retract(systems[0].q0, 0.05 * rng.normal(size=n)), np.zeros(n)
    none, *loads = (system.residual(0.0, q, still, still, np.zeros(system.m)) for system in systems)
    by_orbit, alike, whole = (load - none for load in loads)
    np.testing.assert_allclose(whole, by_orbit + alike, atol=1e-8 * np.abs(whole).max())
    energies = [system.energy(0.0, q, still) for system in systems]
    least, energy = systems[3].energy(0.0, systems[3].q0, still), energies[3]
    assert energy[2] < 0.0 and energy[4] == 0.0 and least[2] < 0.0


@pytest.mark.parametrize("theory", ["exact", "floating", "cms"])
def test_a_flexible_craft_keeps_energy_and_momentum_about_its_center(theory):
    """Of its whole motion; the boom is a quarter as long as it is away."""
    m = fm.SpatialModel("m")
    given = fm.spatial.BeamProperties(EA=1e4, EIy=20.0, EIz=30.0, GJ=20.0, rhoA=0.4, rhoIy=1e-3, rhoIz=2e-3)
    hull = m.add_body("hull", mass=2.0, inertia=(0.2, 0.25, 0.3), position=(6.0, 0, 0))
    boom = m.add_beam("boom", hull.attach("root", (0.2, 0, 0)), (6.2, 1.4, 0.3), properties=given, theory=theory)
    center = np.array([0.5, 0, 0])
    for part in (hull, boom):
        m.gravity_gradient(part, 50.0, center=center)
    m.set_rigid_motion((0, 3.0, 0), (0, 0, 0.5))
    run = fm.simulate(m, 2.0, tolerance=1e-8, progress=False)
    whole = run.whole
    about = whole.angular_momentum_about(center)
    assert run.trustworthy and np.ptp(run.energy.total) < 1e-6
    np.testing.assert_allclose(about, np.tile(about[0], (len(about), 1)), atol=1e-6)


def test_what_has_no_mass_needs_no_attraction():
    m, hull = in_orbit()
    m.add_wheel("wheel", hull.frame, inertia=0.05, axis="z", torque=0.1)
    m.spring_damper(m.ground, hull.frame, stiffness=1.0)
    m.motor(m.ground, hull.frame, axis="z", inertia=0.1, stiffness=3.0)
    fm.System(m)


def test_each_of_two_centers_attracts_all():
    m, hull = in_orbit()
    other = m.add_body("other", mass=1.0, inertia=(1, 1, 1), position=(-100.0, 0.0, 0.0))
    m.gravity_gradient(other, 100.0)
    m.gravity_gradient(hull, 5.0, center=(0.0, 300.0, 0.0), name="moon")
    with pytest.raises(ModelError, match=r"force 'moon': .* it does not attract body 'other'; give each of them"):
        fm.System(m)
    m.gravity_gradient(other, 5.0, center=(0.0, 300.0, 0.0))
    fm.System(m)
