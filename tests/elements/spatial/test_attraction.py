"""Central gravity on all that has mass: against particles, against one another, and by what is conserved."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.kernels.vectors import tilde
from flexmb.results.names import frame_motion
from flexmb.testing import Recorder, conformance, random_state
from tests.models.particles import Particles

MU, RADIUS = 3.986004418e14, 7.0e6
SPEED = float(np.sqrt(MU / RADIUS))
ORBIT = fm.spatial.CentralGravity(MU, (RADIUS, 0, 0), (0, SPEED, 0))
#: an orbit about which bodies of a metre are large
SMALL = fm.spatial.CentralGravity(50.0, (6.0, 2.0, -4.0), (0.5, 2.0, 0.8))


def attraction_of(part, gravity):
    found = part.attraction(gravity)
    found.name = "gravity"
    return Recorder.of(found)


def test_a_reduced_body_is_attracted_as_its_particles():
    """What is left out is of the second order in the size over the distance of the force, of the first of the rest."""
    particles = Particles.random(seed=3)
    particles.m = np.diag(np.diag(particles.m))
    body = fm.SpatialModel("m").add_modal_body("blob", particles.reduced(), field="quadratic")
    left = []
    for far in (300.0, 600.0):
        gravity = fm.spatial.CentralGravity(1.0, (0.6 * far, 0.64 * far, 0.48 * far), (-0.01, 0.01, 0.0))
        recorder = attraction_of(body, gravity)
        s = random_state(recorder, 5)
        R = Rotation.from_quat(s.q[[3, 4, 5, -1]]).as_matrix()
        eta = s.q[6:9]
        T, shapes = particles.slaves, particles.shapes
        tangents = np.array([shapes[k] + np.einsum("m,mNd->Nd", T[:, k] @ eta, shapes[3:]) for k in range(3)])
        place = particles.positions(eta)
        at = s.q[:3] + place @ R.T
        force = particles.m @ gravity.acceleration(np.full(len(at), s.t), at)
        directions = [*np.tile(np.eye(3)[:, None], (1, len(place), 1)), *(np.cross(e, place) @ R.T for e in np.eye(3))]
        wanted = np.array([np.sum(x * force) for x in [*directions, *(x @ R.T for x in tangents)]])
        off = np.abs(recorder.residual(s.t, s.q, s.v, s.a) + wanted)
        left.append(np.array([off[:3].max(), off[3:6].max(), off[6:].max()]) / (far**-3 * np.abs(particles.m).sum()))
    order = np.log2(left[0] / left[1])
    np.testing.assert_allclose(order, [2.0, 1.0, 1.0], atol=0.05)


def test_a_rigid_body_is_attracted_as_a_reduced_one_that_does_not_bend():
    J, m = np.array([1.2, 1.5, 0.9]), fm.SpatialModel("m")
    body = m.add_body("body", mass=2.0, inertia=J, position=(0.2, 0.1, 0.4))
    P = np.zeros((2, 2, 3, 3))
    P[0, 0], P[1, 1] = 0.5 * J.sum() * np.eye(3) - np.diag(J), np.eye(3)
    reduced = fm.bodies.ReducedBody(2.0, np.zeros((2, 3)), P, stiffness=[1.0])
    other = m.add_modal_body("other", reduced, field="linear")
    one, two = (attraction_of(x, SMALL) for x in (body, other))
    s = random_state(one, 2)
    q = np.insert(s.q, 6, 0.0)
    found = two.residual(s.t, q, np.zeros(7), np.zeros(7))[:6]
    np.testing.assert_allclose(one.residual(s.t, s.q, s.v, s.a), found, rtol=1e-12, atol=1e-14)


GIVEN = fm.spatial.BeamProperties(
    EA=1e4, EIy=20.0, EIz=30.0, GJ=15.0, rhoA=0.8, rhoIp=0.03, rhoIy=0.01, rhoIz=0.02, GAy=5e3, GAz=5e3
)


def off_slices(theory, **options):
    """By what the forces, moments, potential and power of a straight beam differ from those of many thin slices: of
    bodies with the inertia of a slice each, of which an ANCF cable has none. Parts of the largest, of 1 m and 1 m/s."""
    m = fm.SpatialModel("m", gravity=SMALL)
    given = GIVEN if theory != "ancf" else fm.spatial.BeamProperties(EA=1e4, EIy=20.0, EIz=20.0, GJ=1.0, rhoA=0.8)
    start, end = np.array([0.3, -0.2, 0.1]), np.array([1.1, 0.9, 0.6])
    beam = m.add_beam("beam", start, end, properties=given, theory=theory, y_axis="z", **options)
    system = fm.System(m)
    zero = np.zeros(system.n)
    found = system.rigid_motions(system.q0) @ -system.residual(0.0, system.q0, zero, zero)
    parts, count = fm.SpatialModel("parts", gravity=SMALL), 40
    L = float(np.linalg.norm(end - start))
    g, w = np.polynomial.legendre.leggauss(count)
    J = np.array([0.03, 0.01, 0.02]) if theory != "ancf" else 1e-30 * np.ones(3)
    for k, (x, share) in enumerate(zip(0.5 * (g + 1.0), 0.5 * w * L)):
        parts.add_body(
            f"{k}", mass=0.8 * share, inertia=share * J, position=start + x * (end - start),
            orientation=Rotation.from_quat(beam.axes, scalar_first=True),
        )  # fmt: skip
    other = fm.System(parts)
    zero = np.zeros(other.n)
    wanted = other.rigid_motions(other.q0) @ -other.residual(0.0, other.q0, zero, zero)
    energies = [s.energy(0.0, s.q0, np.zeros(s.n))[[2, 4]] for s in (system, other)]
    return np.abs(np.append(found - wanted, energies[0] - energies[1])) / np.abs(wanted).max()


@pytest.mark.parametrize(("theory", "options"), [("cms", {}), ("floating", {}), ("ancf", {"elements": 2})])
def test_a_straight_beam_is_attracted_as_many_thin_slices(theory, options):
    np.testing.assert_allclose(off_slices(theory, **options), 0.0, atol=1e-10)


def test_an_exact_beam_is_attracted_as_many_thin_slices():
    """Its mass as that of the others; the inertia of its sections as in the middle of an element, of second order."""
    coarse, fine = off_slices("exact", elements=8), off_slices("exact", elements=16)
    np.testing.assert_allclose(np.log2(coarse / fine), 2.0, atol=0.02)
    assert fine.max() < 1e-6  # the square of a length of 0.09 m over a distance of 7.5 m, of the sections' part of 1e-2


def curved(axis, elements):
    """A curved beam whose sections taper, with mass centers beside the axis, and the mass matrices of these."""

    def mass(s):
        rhoA, c = 0.8 * (1.0 - 0.3 * s), np.array([[0, 0.03, 0.02], [-0.03, 0, 0], [-0.02, 0, 0]])
        M = rhoA * np.diag([1.0, 1.0, 1.0, 0.04, 0.015, 0.025])
        M[:3, 3:], M[3:, :3] = rhoA * c, rhoA * c.T
        return M

    def section(s):
        return fm.spatial.SectionMatrices(np.diag([1e4, 5e3, 5e3, 15.0, 20.0, 30.0]) * (1.0 - 0.4 * s), mass(s))

    m = fm.SpatialModel("m", gravity=SMALL)
    foot = m.add_frame("foot", (0.3, 0, 0), fixed=True)
    rod = m.add_beam("rod", foot, axis=axis, properties=section, theory="exact", elements=elements)
    m.check()
    return m, rod, mass


def test_a_curved_and_tapered_beam_conforms():
    m, _, _ = curved(fm.Helix(center=(0, 0, 0), start=(0.3, 0, 0), angle=2.5, pitch=0.6), 6)
    conformance(m.component("gravity of rod"))


def test_a_curved_and_tapered_beam_is_attracted_as_slices():
    """Along an arc, whose sections turn on as steadily as elements say: of fourth order in the length of these."""

    def potential(rod, mass):
        found = 0.0
        g, w = np.polynomial.legendre.leggauss(8)
        for first, last in zip(rod.stations[:-1], rod.stations[1:]):
            for x, share in zip(0.5 * (g + 1.0), 0.5 * w * (last - first) * rod.length):
                s = first + x * (last - first)
                place, axes = rod.undeformed_at(s)
                M = mass(s)
                c = np.array([0.0, M[2, 3], M[0, 4]]) / M[0, 0]
                R = Rotation.from_quat(axes, scalar_first=True)
                J = M[3:, 3:] - M[0, 0] * (c @ c * np.eye(3) - np.outer(c, c))
                S = R.as_matrix() @ (0.5 * np.trace(J) * np.eye(3) - J) @ R.as_matrix().T
                at = place + R.apply(c)
                found += share * (M[0, 0] * ORBIT.potential(0.0, at) - 0.5 * np.trace(ORBIT.gradient(0.0, at) @ S))
        return found

    arc = fm.Arc((0, 0, 0), (0.3, 0, 0), 2.5)
    _, fine, mass = curved(arc, 96)
    wanted, off = potential(fine, mass), []
    for elements in (12, 24):
        m, _, _ = curved(arc, elements)
        m.gravity = ORBIT
        m.check()
        recorder = Recorder.of(m.component("gravity of rod"))
        off.append(recorder.energy(0.0, recorder.q, recorder.v)[2] / wanted - 1.0)
    assert abs(np.log2(off[0] / off[1]) - 4.0) < 0.02 and abs(off[1]) < 5e-7


def craft(theory, gravity=ORBIT, turn=None, shift=(0.0, 0.0, 0.0)):
    """A hull with a boom, askew in its orbit, tumbling slowly."""
    R = Rotation.identity() if turn is None else turn

    def at(x):
        return R.apply(np.asarray(x, dtype=float)) + shift

    m = fm.SpatialModel("craft", gravity=gravity)
    tilt = R * Rotation.from_rotvec([0.3, -0.2, 0.5])
    hull = m.add_body("hull", mass=40.0, inertia=(3.0, 4.0, 5.0), position=at((0, 0, 0)), orientation=tilt)
    given = fm.spatial.BeamProperties(
        EA=1e6, EIy=300.0, EIz=300.0, GJ=200.0, rhoA=0.4, rhoIp=2e-3, rhoIy=1e-3, rhoIz=1e-3
    )
    root = hull.attach("root", (0.5, 0, 0))
    tip = tuple(hull.frame.position + tilt.apply((8.5, 0, 0)))
    y = tuple(tilt.apply((0, 1.0, 0)))
    options = {"elements": 4} if theory in ("exact", "ancf") else {}
    m.add_beam("boom", root, tip, properties=given, theory=theory, y_axis=y, **options)
    m.set_rigid_motion(R.apply((1e-3, 2e-3, -1e-3)), R.apply((1e-3, -2e-3, 3e-3)), about=at((0, 0, 0)))
    return m


@pytest.mark.parametrize("theory", ["cms", "exact", "ancf", "floating"])
def test_energy_with_the_power_of_the_origin_and_momentum_about_the_center_are_kept(theory):
    """H' + o × P' + S × ȯ, the momentum about the center less M o × ȯ, and the balance of energies of 1e-4 J."""
    run = fm.simulate(craft(theory), 300.0, tolerance=1e-10, progress=False)
    whole, (o, speed) = run.whole, ORBIT.origin(run.t)
    S = whole.mass[:, None] * whole.center_of_mass
    about = whole.angular_momentum_about((0, 0, 0)) + np.cross(o, whole.momentum) + np.cross(S, speed)
    assert np.abs(about - about[0]).max() < 2e-7
    assert np.abs(run.energy.balance).max() < 1e-10
    assert np.ptp(run.energy.input) > 1e-6


def test_the_same_craft_at_another_longitude_and_with_another_origin_moves_alike():
    turn = Rotation.from_rotvec([0.0, 0.0, 2.0])
    there = fm.spatial.CentralGravity(MU, turn.apply(ORBIT.position), turn.apply(ORBIT.velocity))
    times = [0.0, 150.0, 300.0]
    options = {"tolerance": 1e-9, "progress": False, "times": times}
    first = fm.simulate(craft("cms"), 300.0, **options)["boom.end"].position
    turned = fm.simulate(craft("cms", there, turn), 300.0, **options)["boom.end"].position
    np.testing.assert_allclose(turn.inv().apply(turned), first, atol=2e-9)
    # an origin that is 100 m ahead on the same circle: against it the craft is 100 m behind, and at rest in axes that
    # turn along; places in the stars' axes are those of o + x
    ahead = Rotation.from_rotvec([0.0, 0.0, 100.0 / RADIUS])
    moved = fm.spatial.CentralGravity(MU, ahead.apply(ORBIT.position), ahead.apply(ORBIT.velocity))
    back, rate = ORBIT.position - moved.position, ORBIT.velocity - moved.velocity
    m = craft("cms", moved, shift=back)
    m.set_rigid_motion(rate + (1e-3, 2e-3, -1e-3), (1e-3, -2e-3, 3e-3), about=back)
    other = fm.simulate(m, 300.0, **options)["boom.end"].position
    between = ORBIT.origin(times)[0] - moved.origin(times)[0]
    np.testing.assert_allclose(other - between, first, atol=2e-8)


@pytest.mark.parametrize("formulation", ["aba", "lagrange"])
def test_joint_coordinates_move_as_absolute_ones(formulation):
    m = craft("floating")
    side = m.frame("hull").attach("side", (0, 1.0, 0))
    arm = m.add_body("arm", mass=2.0, inertia=(0.1, 0.3, 0.3), position=side.position)
    m.revolute(side, arm.frame, axis="z", name="hinge")
    m.set_rigid_motion((1e-3, 2e-3, -1e-3), (1e-3, -2e-3, 3e-3))
    options = {"tolerance": 1e-9, "progress": False, "times": [0.0, 60.0]}
    one = fm.simulate(m, 60.0, **options)
    two = fm.simulate(m, 60.0, "dop853", formulation=formulation, **options)
    for frame in ("hull", "arm", "boom.end"):
        np.testing.assert_allclose(two[frame].position[-1], one[frame].position[-1], atol=2e-8)


def test_classical_formulations_take_it_as_loads():
    """All that take the mechanism give the rates of one another, and differ from those without gravity."""
    found = {}
    for gravity in (SMALL, (0, 0, 0)):
        m = fm.SpatialModel("m", gravity=gravity)
        hull = m.add_body("hull", mass=4.0, inertia=(1.8, 2.2, 2.0), position=(0.1, 0.2, 0.3))
        arm = m.add_body("arm", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(0.1, 1.2, 0.3))
        m.revolute(hull.attach("h", (0, 0.5, 0)), arm.attach("g", (0, -0.5, 0)), axis="z", name="hinge")
        tree = fm.Tree.of(m)
        x, u = tree.start()
        for name in ("kane", "discos", "roberson-wittenburg", "hooker-margulies", "likins-1974", "jerkovsky"):
            found.setdefault(name, []).append(np.asarray(fm.formulation(tree, name)(x, u, t=0.4)))
    first = found["kane"][0]
    for name, (rates, without) in found.items():
        assert np.abs(rates - first).max() < 1e-13, name
        assert np.abs(rates - without).max() > 1e-3
    with pytest.raises(fm.FlexmbError, match="it does not know 'gravity of hull'"):
        fm.formulation(tree_of(SMALL), "aba")


def tree_of(gravity):
    m = fm.SpatialModel("m", gravity=gravity)
    hull = m.add_body("hull", mass=4.0, inertia=(1.8, 2.2, 2.0))
    m.revolute(m.ground, hull.frame, axis="z")
    return fm.Tree.of(m)


def test_a_rotor_is_turned_with_the_body_that_carries_it():
    """The motor of an arm: the moment 3 k n × J n of the rotor's inertia about its axis acts on its carrier."""
    m = fm.SpatialModel("m", gravity=SMALL)
    hull = m.add_body("hull", mass=4.0, inertia=(2.0, 2.0, 2.0))
    arm = m.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute(hull.frame, arm.frame, axis="y", name="hinge")
    m.motor(hull.frame, arm.frame, axis="y", inertia=0.3, torque=0.0, name="motor")
    system = fm.System(m)
    at = system.assembly.node_numbers(hull.frame.node).v[3:6]
    acting = -system.residual(0.0, system.q0, np.zeros(system.n), np.zeros(system.n))[at]
    n = SMALL.position / np.linalg.norm(SMALL.position)
    k = 50.0 / np.linalg.norm(SMALL.position) ** 3
    np.testing.assert_allclose(acting, 3.0 * k * np.cross(n, 0.3 * n[1] * np.eye(3)[1]), rtol=1e-12, atol=1e-15)


def test_an_accelerometer_feels_what_does_not_fall():
    m = fm.SpatialModel("m", gravity=SMALL)
    hull = m.add_body("hull", mass=4.0, inertia=(2.0, 2.0, 2.0), position=(0.3, 0, 0))
    far = hull.attach("far", (0.0, 0.5, 0.2))
    run = fm.simulate(m, 0.5, tolerance=1e-11, progress=False)
    center, side = (fm.control.Accelerometer(f, "y", with_gravity=True) for f in (hull.frame, far))
    assert np.abs(center.readings(run)).max() < 1e-9
    track = run["hull.far"]
    felt = track.acceleration - SMALL.acceleration(run.t, track.position)
    wanted = np.einsum("ki,ki->k", felt, track.orientation.apply((0, 1.0, 0)))
    assert np.abs(wanted).min() > 1e-2
    np.testing.assert_allclose(side.readings(run), wanted, atol=1e-12)


def test_loads_of_inertia_of_a_reduced_body_know_the_gradient():
    """Those of points of the body: r̈ − a there, of a field that is linear over it."""
    steel, tube = fm.Material(7850, 205e9, 0.3), fm.Tube(outer_diameter=0.04, inner_diameter=0.034)
    side = fm.bodies.Member(("a", "b"), steel, tube)
    rod = fm.bodies.from_frame({"a": (0, 0, 0), "b": (1, 0, 0)}, [side], interfaces={"a": "a", "end": "b"}, modes=3)
    m = fm.SpatialModel("m", gravity=ORBIT)
    body = m.add_modal_body("rod", rod, position=(3.0, 0.5, 0.2))
    body.frame.move((0.1, 0, 0.2), (0.01, 0.02, -0.01))
    run = fm.simulate(m, 5.0, tolerance=1e-9, progress=False)
    motion = frame_motion(run, run.layout.bodies["rod"].frame)
    k, s = -1, np.array([0.4, 0.1, -0.2])
    spin, turning = (np.array(tilde(tuple(x[k]))).reshape(3, 3) for x in (motion.omega, motion.alpha))
    found = motion.acceleration[k] + (turning + spin @ spin - motion.gradient[k]) @ s
    track = run["rod"]
    R = track.orientation[k].as_matrix()
    at = track.position[k] + R @ s
    wanted = R.T @ (track.acceleration[k] - ORBIT.acceleration(run.t[k], at)) + (turning + spin @ spin) @ s
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_a_file_keeps_the_field(tmp_path):
    m = craft("cms")
    run = fm.simulate(m, 10.0, progress=False)
    again = fm.load(run.save(tmp_path / "craft.h5"))
    assert again.layout.central == m.gravity and again.layout.gravity == (0.0, 0.0, 0.0)
    np.testing.assert_allclose(again.whole.momentum, run.whole.momentum, rtol=1e-12)


def test_what_rests_does_not_in_orbit():
    m = craft("cms")
    rate = ORBIT.rate
    for ask in (
        lambda: fm.equilibrium(m), lambda: fm.modes(m), lambda: fm.complex_modes(m), lambda: fm.quasi_static(m, 1.0),
        lambda: fm.frequency_response(m, [], [], [1.0]),
    ):  # fmt: skip
        with pytest.raises(ModelError, match=f"nothing rests in orbit, .*spin={rate!r}, axis=\\(0, 0, 1\\)"):
            ask()
    with pytest.raises(ModelError, match=f"and not that of the orbit, .*spin={rate!r}"):
        fm.equilibrium(m, spin=1.001 * rate, axis="z")
    with pytest.raises(ModelError, match="and not that of the orbit"):
        fm.equilibrium(m, spin=rate, axis="x")
    with pytest.raises(ModelError, match="leave center and advance out"):
        fm.equilibrium(m, spin=rate, axis="z", center=(1.0, 0, 0))
    m.gravity = fm.spatial.CentralGravity(MU, (RADIUS, 0, 0), (0, 1.01 * SPEED, 0))
    with pytest.raises(ModelError, match=r"has the eccentricity 0\.0201, .*7546\.0532"):
        fm.equilibrium(m, spin=rate, axis="z")


@pytest.mark.parametrize(("kappa", "wanted"), [
    (3.0, (1.2552175505, 3.3800042753)), (10.0, (1.6963795674, 10.0559582519)), (30.0, (1.7281889856, 30.0168846290)),
])  # fmt: skip
def test_a_dumbbell_with_a_spring_librates_and_stretches(kappa, wanted):
    """s² − (κ² + 4) s + 3 (κ² − 3) = 0 of s = ω²/Ω², about the length l = l₀/(1 − 3/κ²); across the orbit 2 Ω."""
    rate, free = ORBIT.rate, 100.0
    length, reduced = free / (1.0 - 3.0 / kappa**2), 0.5
    m = fm.SpatialModel("dumbbell", gravity=ORBIT)
    ends = [
        m.add_body(name, mass=1.0, inertia=(1e-3, 1.8e-3, 2e-3), position=(x * length, 0, 0))
        for name, x in (("in", -0.5), ("out", 0.5))
    ]
    m.spring_damper(
        ends[0].frame, ends[1].frame, stiffness=reduced * (kappa * rate) ** 2, damping=0.0, free_length=free
    )
    steady = fm.equilibrium(m, spin=rate, axis="z")
    found = np.linalg.norm(steady["out"].position - steady["in"].position)
    assert abs(found - length) < 1e-7 * length
    ratios = np.abs(fm.complex_modes(steady, 24).eigenvalues.imag) / rate
    for one in (*wanted, 2.0):
        assert np.abs(ratios - one).min() < 2e-8
