"""The orbit of a craft, as a view of a motion in central gravity."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import ModelError, NamingError
from flexmb.results.orbits.diagram import plane_of
from flexmb.results.orbits.sunlight import sunlight

MU, RADIUS, EARTH = 3.986004418e14, 7.0e6, 6378137.0
SPEED = float(np.sqrt(MU / RADIUS))


def craft(velocity=(0, SPEED, 0), radius=EARTH):
    field = fm.spatial.CentralGravity(MU, (RADIUS, 0, 0), velocity, radius=radius)
    m = fm.SpatialModel("craft", gravity=field)
    hull = m.add_body("hull", mass=40.0, inertia=(3.0, 4.0, 5.0), position=(0.3, 0, 0.2))
    given = fm.spatial.BeamProperties(EA=1e6, EIy=300.0, EIz=300.0, GJ=200.0, rhoA=0.4, rhoIy=1e-3, rhoIz=1e-3)
    m.add_beam("boom", hull.attach("root", (0.5, 0, 0)), (4.8, 1.0, 0.2), properties=given)
    m.add_body("other", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 50.0, 0))
    m.component("other").move((0.0, 0.1, 0.02))
    return m


def test_elements_are_those_of_the_ellipse_that_was_given():
    """By the angles of the node, the inclination and the nearest point with which the start is made."""
    a, e, inclination, node, argument, anomaly = 9e6, 0.2, 0.7, 1.1, 2.3, 0.4
    turn = Rotation.from_euler("ZXZ", [node, inclination, argument])
    p = a * (1.0 - e**2)
    r = p / (1.0 + e * np.cos(anomaly)) * np.array([np.cos(anomaly), np.sin(anomaly), 0.0])
    v = np.sqrt(MU / p) * np.array([-np.sin(anomaly), e + np.cos(anomaly), 0.0])
    m = fm.SpatialModel("m", gravity=fm.spatial.CentralGravity(MU, turn.apply(r), turn.apply(v)))
    m.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1))
    seen = fm.spatial.orbit(fm.simulate(m, 1000.0, tolerance=1e-9, progress=False))
    found = seen.elements
    for one, wanted in zip(found[:5], (a, e, inclination, node, argument)):
        np.testing.assert_allclose(one, wanted, rtol=1e-11)
    mean = np.sqrt(MU / a**3) * seen.t
    for nu, M in zip(found.anomaly, mean):  # Kepler's equation
        E, E0 = (2.0 * np.arctan(np.sqrt((1.0 - e) / (1.0 + e)) * np.tan(0.5 * x)) for x in (nu, anomaly))
        assert abs((E - e * np.sin(E)) - (E0 - e * np.sin(E0)) - M) < 1e-11


def test_hills_axes_and_attitudes():
    m = craft()
    m.set_rigid_motion(angular_velocity=(0, 0, SPEED / RADIUS), components=[m.component("hull"), m.component("boom")])
    run = fm.simulate(m, 600.0, tolerance=1e-9, progress=False)
    seen = fm.spatial.orbit(run, of=[m.component("hull"), m.component("boom")])
    x, y, z = (seen.axes.apply(e) for e in np.eye(3))
    np.testing.assert_allclose(x, seen.position / np.linalg.norm(seen.position, axis=1, keepdims=True), atol=1e-15)
    assert np.einsum("ki,ki->k", y, seen.velocity).min() > 7e3
    np.testing.assert_allclose(z, np.tile([0, 0, 1.0], (len(seen), 1)), atol=1e-6)
    assert seen.attitude("hull")[0].magnitude() < 1e-6
    assert seen.attitude("hull").magnitude().max() < 0.2


def test_parts_of_a_model_have_their_own_orbit_and_sum_up_to_the_whole():
    m = craft()
    run = fm.simulate(m, 60.0, tolerance=1e-9, progress=False)
    hull, boom, other = (m.component(name) for name in ("hull", "boom", "other"))
    whole = fm.spatial.orbit(run)
    one, two = fm.spatial.orbit(run, of=[hull, boom]), fm.spatial.orbit(run, of=[other])
    np.testing.assert_allclose(one.numbers + two.numbers, whole.numbers, atol=1e-9)
    by_name = fm.spatial.orbit(run, of=["hull", "boom", hull])
    assert np.array_equal(by_name.numbers, one.numbers) and by_name.name == "hull, boom"
    with pytest.raises(NamingError, match="did you mean 'hull'"):
        fm.spatial.orbit(run, of="hul")
    np.testing.assert_allclose(two.position, m.gravity.origin(run.t)[0] + run["other"].position, atol=1e-8)
    np.testing.assert_allclose(two.velocity, m.gravity.origin(run.t)[1] + run["other"].velocity, atol=1e-11)
    for seen in (whole, one, two):
        assert np.ptp(seen.angular_momentum_beside, axis=0).max() < 2e-6
        np.testing.assert_allclose(seen.angular_momentum[:, 2], seen.mass * RADIUS * SPEED, rtol=1e-4)


def test_a_file_shows_the_orbit_of_the_whole(tmp_path):
    m = craft()
    run = fm.simulate(m, 10.0, progress=False)
    again = fm.load(run.save(tmp_path / "craft.h5"))
    np.testing.assert_allclose(fm.spatial.orbit(again).position, fm.spatial.orbit(run).position, rtol=1e-15)
    with pytest.raises(ModelError, match="it is from a file"):
        fm.spatial.orbit(again, of=[m.component("hull")])


@pytest.mark.parametrize(("beta", "dark", "mean"), [(0.0, 0.36481382, 0.635173), (30.0, 0.34216175, None)])
def test_shadow_of_an_orbit(beta, dark, mean):
    """The part of the orbit behind the cylinder is (1/π) acos(√(r² − R²)/(r cos β)); light has the mean of the cone."""
    angles = np.linspace(0.0, 2.0 * np.pi, 40001)[:-1]
    places = RADIUS * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))])
    b = np.deg2rad(beta)
    light = sunlight(places, np.array([np.cos(b), 0.0, np.sin(b)]), EARTH)
    assert abs(np.mean(light < 0.5) - dark) < 5e-5
    if mean is not None:
        assert abs(np.mean(light) - mean) < 1e-6
        assert abs(np.mean((light > 0.0) & (light < 1.0)) * 5828.5166 - 2.0 * 8.62) < 0.3
    assert sunlight(np.array([[RADIUS, 0, 0]]), np.array([0, 1.0, 0.3]), EARTH).tolist() == [1.0]


def test_what_an_orbit_lacks_is_said():
    run = fm.simulate(craft(radius=None), 1.0, progress=False)
    with pytest.raises(ModelError, match="where the sun stands is not said"):
        _ = fm.spatial.orbit(run).light
    with pytest.raises(ModelError, match="has no radius, and so no shadow"):
        _ = fm.spatial.orbit(run, sun=(1.0, 0, 0)).light
    with pytest.raises(ModelError, match="sun is zero"):
        fm.spatial.orbit(run, sun=(0, 0, 0))
    with pytest.raises(ModelError, match="is no solution"):
        fm.spatial.orbit(3)
    m = fm.SpatialModel("m")
    m.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1))
    with pytest.raises(ModelError, match="its model has no CentralGravity"):
        fm.spatial.orbit(fm.simulate(m, 1.0, progress=False))
    with pytest.raises(ModelError, match="has no mass"):
        fm.spatial.orbit(run, of=[])


def test_the_picture_shows_the_plane_of_the_orbit_to_scale(tmp_path):
    m = craft()
    run = fm.simulate(m, 300.0, progress=False)
    ax = fm.spatial.orbit(run, sun=(-0.2, -0.95, 0.25)).plot(tmp_path / "orbit.png", title="mission").axes[0]
    assert ax.get_title(loc="left") == "mission" and ax.get_xlabel() == "x [km]" and (tmp_path / "orbit.png").exists()
    ring = next(line for line in ax.lines if line.get_label() == "orbit").get_xydata()
    np.testing.assert_allclose(np.linalg.norm(ring, axis=1), RADIUS, rtol=1e-12)
    end = next(line for line in ax.lines if line.get_label() == "end").get_xydata()[0]
    np.testing.assert_allclose(end, fm.spatial.orbit(run).position[-1, :2], rtol=1e-12)
    assert {text.get_text() for text in ax.texts} >= {"outwards", "flight", "sun, 14° above"}
    again = fm.load(run.save(tmp_path / "craft.h5"))
    names = {line.get_label() for line in fm.spatial.orbit(again).plot(tmp_path / "again.svg").axes[0].lines}
    assert {"start", "end", "orbit"} <= names


def test_the_picture_of_an_inclined_orbit_lies_along_its_node(tmp_path):
    field = fm.spatial.CentralGravity(MU, (RADIUS, 0, 1e6), (0, 8.5e3, 3e3))
    m = fm.SpatialModel("m", gravity=field)
    m.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1))
    seen = fm.spatial.orbit(fm.simulate(m, 9000.0, progress=False))
    plane, names = plane_of(field)
    np.testing.assert_allclose(plane @ plane.T, np.eye(2), atol=1e-14)
    node = seen.elements.node[0]
    np.testing.assert_allclose(plane[0], [np.cos(node), np.sin(node), 0.0], atol=1e-12)
    ax = seen.plot(tmp_path / "m.png").axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == tuple(f"{name} [km]" for name in names)
    assert "center" in {line.get_label() for line in ax.lines}
    backwards = fm.spatial.CentralGravity(MU, (RADIUS, 0, 0), (0, -7e3, 0))
    assert plane_of(backwards)[1] == ("x", "−y")


def test_wheels_of_a_craft_carry_their_own_momentum():
    """With constant speeds and with rotors, once each however often they are named; another craft has none of it."""
    m = craft()
    m.add_wheel("gyro", m.frame("hull"), inertia=0.02, axis=(1, 2, 2), speed=30.0)
    m.add_wheel("reaction", m.frame("hull"), inertia=0.03, axis="y", torque=0.5)
    run = fm.simulate(m, 2.0, tolerance=1e-9, progress=False)
    own = ["hull", "boom", "gyro", "reaction"]
    one, two = fm.spatial.orbit(run, of=[*own, "gyro"]), fm.spatial.orbit(run, of="other")
    np.testing.assert_allclose(one.numbers + two.numbers, fm.spatial.orbit(run).numbers, atol=1e-9)
    bare = fm.spatial.orbit(run, of=own[:2])
    spin = np.linalg.norm((one.numbers - bare.numbers)[0, 7:])
    assert abs(spin - 0.02 * 30.0) < 1e-9
    assert np.ptp(one.angular_momentum_beside, axis=0).max() < 1e-5  # 7e6 m times the rounding of the momentum
