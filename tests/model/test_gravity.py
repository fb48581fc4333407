"""The field of gravity of a model: central gravity about a falling origin, against 50 digits and integrated orbits."""

from __future__ import annotations

import copy
import pickle

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.errors import ModelError, NamingError
from flexmb.model.gravity import falling
from tests.models.own_masses import Attracted, Bead, Beside, Lead, Unseen

MU = 3.986004418e14
#: starts [m], [m/s]: a circle, ellipses of 0.1, 0.3 and 0.74
STARTS = [
    ((7e6, 0, 0), (0, 7546.053290107541, 0)),
    ((7e6, 1e5, 0), (100.0, 7000.0, 2500.0)),
    ((0, 7e6, -2e6), (8500.0, 300.0, 0)),
    ((7e6, 0, 0), (200.0, 9450.0, 3150.0)),
]


@pytest.mark.parametrize(("position", "velocity"), STARTS)
def test_the_origin_goes_along_the_orbit_that_newtons_law_integrates(position, velocity):
    field = fm.spatial.CentralGravity(MU, position, velocity)
    times = np.linspace(0.0, 2.2 * field.period, 7)

    def rate(t, y):
        return np.concatenate([y[3:], -MU * y[:3] / np.linalg.norm(y[:3]) ** 3])

    given = np.concatenate([field.position, field.velocity])
    wanted = solve_ivp(rate, (0.0, times[-1]), given, "DOP853", times, rtol=1e-13, atol=1e-6).y.T
    o, speed = field.origin(times)
    np.testing.assert_allclose(o, wanted[:, :3], atol=2e-9 * 7e6)
    np.testing.assert_allclose(speed, wanted[:, 3:], atol=2e-9 * 7e3)
    h = np.cross(position, velocity)
    np.testing.assert_allclose(field.normal, h / np.linalg.norm(h), atol=1e-15)
    np.testing.assert_allclose(field.origin(field.period)[0], position, atol=1e-7)


def vector(x):
    return [mpmath.mpf(float(y)) for y in x]


def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


@pytest.mark.parametrize("size", [1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6])
def test_no_digits_are_lost_near_the_origin(size):
    """Against the plain difference of two attractions in 50 digits; that in 16 digits is off by 4e-9 at a metre."""
    rng = np.random.default_rng(3)
    with mpmath.workdps(50):
        for _ in range(5):
            o, od, x = rng.normal(size=(3, 3))
            o, od, x = 7e6 * o / np.linalg.norm(o), 7.5e3 * od, size * x
            O, V, X = vector(o), vector(od), vector(x)
            d = [a + b for a, b in zip(O, X)]
            rho, r = mpmath.sqrt(dot(O, O)), mpmath.sqrt(dot(d, d))
            a = [-MU * (p / r**3 - q / rho**3) for p, q in zip(d, O)]
            phi = -MU * (1 / r - 1 / rho + dot(O, X) / rho**3)
            power = dot(d, V) / r**3 - dot(O, V) / rho**3 - dot(X, V) / rho**3 + 3 * dot(O, X) * dot(O, V) / rho**5
            rate = [
                -MU * (v / r**3 - 3 * p * dot(d, V) / r**5 - v / rho**3 + 3 * q * dot(O, V) / rho**5)
                for v, p, q in zip(V, d, O)
            ]
            given = tuple(o.tolist()), tuple(od.tolist()), tuple(x.tolist())
            found = falling.attraction(MU, given[0], given[2])[0]
            wanted = np.array([float(z) for z in a])
            assert np.linalg.norm(found - wanted) < 5e-15 * np.linalg.norm(wanted)
            scale = MU / 7e6**3 * size**2
            assert abs(falling.potential(MU, given[0], given[2]) - float(phi)) < 2e-14 * scale
            assert abs(falling.power(MU, *given) - float(MU * power)) < 2e-13 * scale * 7.5e3 / 7e6
            wanted = np.array([float(z) for z in rate])
            assert np.linalg.norm(falling.attraction_rate(MU, *given) - wanted) < 2e-14 * np.linalg.norm(wanted)


def test_gradient_and_acceleration_are_derivatives_of_the_potential():
    field = fm.spatial.CentralGravity(50.0, (6.0, 2.0, -4.0), (0.5, 2.0, 0.8))
    x, t, h = np.array([0.3, -0.4, 0.6]), 0.7, 1e-3
    steps = h * np.eye(3)
    slope = [(field.potential(t, x + e) - field.potential(t, x - e)) / (2.0 * h) for e in steps]
    np.testing.assert_allclose(field.acceleration(t, x), -np.array(slope), rtol=2e-6)
    change = [(field.acceleration(t, x + e) - field.acceleration(t, x - e)) / (2.0 * h) for e in steps]
    np.testing.assert_allclose(field.gradient(t, x), np.array(change).T, atol=2e-6 * np.abs(change).max())
    many = field.gradient(np.full(4, t), np.tile(x, (4, 1)))
    assert many.shape == (4, 3, 3) and np.array_equal(many[2], field.gradient(t, x))


def test_a_vector_is_a_field_that_is_the_same_everywhere():
    m = fm.SpatialModel("m", gravity=(0, 1.0, -9.81))
    assert m.gravity.tolist() == [0.0, 1.0, -9.81] and not m.gravity.is_central
    places = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(m.gravity.acceleration(0.0, places), np.tile(m.gravity, (2, 1)))
    assert np.array_equal(m.gravity.potential(0.0, places), -places @ np.array([0.0, 1.0, -9.81]))
    assert not m.gravity.gradient(0.0, places).any() and m.gravity.gradient(0.0, places).shape == (2, 3, 3)
    m.gravity = [0, 0, 2]
    assert m.gravity.uniform("here").tolist() == [0.0, 0.0, 2.0]


CIRCLE = fm.spatial.CentralGravity(MU, *STARTS[0], radius=6378137.0)


@pytest.mark.parametrize(
    ("give", "message"),
    [
        (lambda: fm.spatial.CentralGravity(0.0, *STARTS[0]), "mu is 0; it must be positive"),
        (lambda: fm.spatial.CentralGravity(MU, (0, 0, 0), (0, 1.0, 0)), "the center of attraction itself"),
        (lambda: fm.spatial.CentralGravity(MU, (7e6, 0, 0), (0, 1.1e4, 0)), "a parabola or a hyperbola; .*7546.05329"),
        (lambda: fm.spatial.CentralGravity(MU, (7e6, 0, 0), (7e3, 0, 0)), "falls into the center"),
        (lambda: fm.spatial.CentralGravity(MU, *STARTS[0], radius=7e6), "within the radius 7e\\+06 m"),
        (lambda: fm.PlanarModel("p", gravity=CIRCLE), "make the model a SpatialModel"),
        (lambda: fm.SpatialModel("p", gravity=(CIRCLE, (0, 0, -9.81))), "a model has one field"),
    ],
)  # fmt: skip
def test_what_is_no_orbit_is_refused(give, message):
    with pytest.raises(ModelError, match=message):
        give()


def test_fields_are_not_added():
    for add in (lambda: CIRCLE + np.array([0, 0, -9.81]), lambda: np.array([0, 0, -9.81]) + CIRCLE,
                lambda: CIRCLE + CIRCLE, lambda: (0, 0, -9.81) + CIRCLE):  # fmt: skip
        with pytest.raises(ModelError, match="no other can be added"):
            add()


def craft(gravity=CIRCLE):
    m = fm.SpatialModel("craft", gravity=gravity)
    hull = m.add_body("hull", mass=4.0, inertia=(1.0, 2.0, 2.5))
    m.add_wheel("wheel", hull.frame, inertia=0.1, torque=0.0)
    given = fm.spatial.BeamProperties(EA=5e3, EIy=30.0, EIz=30.0, GJ=20.0, rhoA=0.4)
    m.add_beam("boom", hull.attach("root", (0.5, 0, 0)), (2.0, 0, 0), properties=given)
    return m


def test_a_model_keeps_an_attraction_beside_all_that_has_mass():
    m = craft()
    m.check()
    own = ["hull", "wheel", "boom", "boom.start weld"]
    assert list(m.components) == [*own, "gravity of hull", "gravity of wheel", "gravity of boom"]
    before = m.component("gravity of boom")
    m.add_point_mass("tip", m.component("boom").end, 0.2)
    m.check()
    assert list(m.components)[:5] == [*own, "tip"] and "gravity of tip" in m.components
    assert m.component("gravity of boom") is before
    for again in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        again.check()
        assert list(again.components) == list(m.components)
    del m.components["wheel"]
    m.check()
    assert "gravity of wheel" not in m.components
    m.gravity = (0, 0, 0)
    assert list(m.components) == ["hull", "boom", "boom.start weld", "tip"]


def test_names_of_attractions_are_theirs():
    m = craft()
    m.spring_damper(m.ground, m.frame("hull"), stiffness=1.0, free_length=0.0, name="gravity of boom")
    with pytest.raises(NamingError, match="has the name of what attracts beam 'boom'"):
        m.check()


def test_what_stands_in_the_central_body_is_refused():
    m = craft()
    m.add_body("stone", mass=1.0, inertia=(1, 1, 1), position=(-7e5, 0, 0))
    with pytest.raises(ModelError, match=r"body 'stone' starts 6\.3e\+06 m from the center, within the radius"):
        fm.System(m)
    m = fm.SpatialModel("m", gravity=fm.spatial.CentralGravity(4.0, (4.0, 0, 0), (0, 1.0, 0)))
    m.add_body("stone", mass=1.0, inertia=(1, 1, 1), position=(-4.0, 0, 0))
    with pytest.raises(ModelError, match="in the center of attraction"):
        fm.System(m)


def test_a_mass_of_a_users_own_says_how_it_is_attracted_or_is_refused():
    m = craft()
    lead = m.add(Lead(m.add_frame("there", (1.0, 2.0, 3.0)), "lead"))
    with pytest.raises(ModelError, match="component 'lead' does not say how; give Lead a method `attraction`"):
        fm.System(m)
    del m.components["lead"]
    own = m.add(Attracted(lead.frame, "own"))
    system = fm.System(m)
    at = system.assembly.node_numbers(own.frame.node).v[:3]
    r = system.residual(0.0, system.q0, np.zeros(system.n), np.zeros(system.n))
    np.testing.assert_allclose(r[at], -2.0 * CIRCLE.acceleration(0.0, (1.0, 2.0, 3.0)), rtol=1e-12)


@pytest.mark.parametrize("of", [Beside, Unseen, Bead])
def test_no_flag_hides_a_mass_from_the_gravity_of_all(of):
    """A load, a reader, and what has no place among the nodes."""
    m = craft((0, 0, 0))
    m.add(Bead(name="lead") if of is Bead else of(m.add_frame("there", (1.0, 2.0, 3.0)), "lead"))
    assert fm.System(m).n > 0
    m.gravity = CIRCLE
    with pytest.raises(ModelError, match=f"component 'lead' does not say how; give {of.__name__} a method"):
        fm.System(m)


def test_a_load_with_mass_on_what_gravity_gradient_attracts_is_found():
    m = fm.SpatialModel("m")
    hull = m.add_body("hull", mass=4.0, inertia=(1.0, 2.0, 2.5))
    m.gravity_gradient(hull, 1.0, center=(5.0, 0, 0))
    m.add(Beside(m.add_frame("there", (1.0, 2.0, 3.0)), "lead"))
    with pytest.raises(ModelError, match="component 'lead'"):
        fm.System(m)


def test_states_of_first_order_are_no_masses():
    m = craft()
    lag = fm.control.transfer_function([-2.0], [0.5, 1.0])
    m.add_states("lag", lag, sensors=fm.control.AttitudeRate(m.frame("hull"), "z"), commands=m.component("wheel"))
    assert "gravity of lag" not in fm.System(m).model.components


def test_what_cannot_be_attracted_is_refused_by_name():
    m = craft()
    m.add_tank("tank", m.frame("hull"), 5.0)
    with pytest.raises(ModelError, match="tank 'tank' loses mass, which a central gravity does not know"):
        fm.System(m)
    m = craft()
    with pytest.raises(ModelError, match="the model has a CentralGravity"):
        m.gravity_gradient(m.component("hull"), 1.0, center=(5.0, 0, 0))


def test_an_attraction_is_never_off():
    m = craft()
    m.check()
    m.switch_off(m.component("gravity of boom"))
    with pytest.raises(ModelError, match=r"cannot be switched off: the central gravity .*, and so beam 'boom'"):
        fm.System(m)
    m = craft()
    m.check()
    m.add_event(0.5, fm.Switch(off=["gravity of hull"]))
    with pytest.raises(ModelError, match=r"gravity of hull"):
        fm.simulate(m, 1.0, progress=False)


@pytest.mark.parametrize(
    "read",
    [
        lambda m: fm.TreeDynamics(m),
        lambda m: fm.formulations.FlexArm(m),
        lambda m: m.gravity.uniform("a reader"),
    ],
)
def test_who_takes_gravity_for_a_vector_refuses_the_field(read):
    m = fm.SpatialModel("arm", gravity=CIRCLE)
    rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -1))
    m.revolute(m.ground, rod.attach("top", (0, 0, 1)), axis="y", name="hinge")
    with pytest.raises(ModelError, match="the model has a CentralGravity, which differs from place to place"):
        read(m)
