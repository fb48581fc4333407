"""Forces, lengths and slips of what acts between two frames, by name: at rest, from files, while switched off."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import NamingError
from flexmb.kernels.formula import formula, gradient_of

G, MASS, K = 9.81, 2.0, 400.0
PLACES = {"disc": (0.0, 0.0, 0.0), "stone": (1.0, 0.0, 0.0)}


def hung(space: bool):
    """A body that hangs at rest on a spring, beside a rope that is slack, over a floor that it does not reach."""
    if space:
        m = fm.SpatialModel("hung", gravity=(0, -G, 0))
        body = m.add_body("body", mass=MASS, inertia=(1, 1, 1), position=(0.0, -0.5, 0.0)).frame
        m.contact(m.ground.attach("floor", (0, -1.0, 0)), body, fm.HalfSpace("y"), stiffness=1e5, name="touch")
    else:
        m = fm.PlanarModel("hung", gravity=(0, -G))
        body = m.add_body("body", mass=MASS, inertia=1.0, position=(0.0, -0.5)).frame
        m.contact(m.ground.attach("floor", (0, -1.0)), body, fm.HalfPlane("y"), stiffness=1e5, name="touch")
    m.spring_damper(m.ground, body, stiffness=K, free_length=0.5 - MASS * G / K, name="coil")
    m.distance_stop(m.ground, body, upper=0.8, stiffness=1e5, name="rope")
    m.bushing(m.ground, body, stiffness=(10.0, 0.0, 10.0, 10.0, 10.0, 10.0)[: 6 if space else 3], name="guide")
    return m


@pytest.mark.parametrize("space", [False, True])
def test_a_spring_carries_the_weight_and_lets_go(space, tmp_path):
    m = hung(space)
    m.add_event(0.05, fm.Switch(off="coil"), name="cut")
    run = fm.simulate(m, 0.6, "radau", tolerance=1e-8, max_step=0.01, progress=False)
    held = run.is_on("coil")
    free = ~held
    for name, value in {"coil.tension": MASS * G, "coil.fy": MASS * G, "coil.fx": 0.0, "coil.moment": 0.0}.items():
        np.testing.assert_allclose(run[name][held], value, rtol=0, atol=1e-7, err_msg=name)
        assert np.all(run[name][free] == 0.0), name
    np.testing.assert_allclose(run["coil.elongation"][held], MASS * G / K, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run["coil.length"], -run["body.y"], rtol=0, atol=1e-9)
    slack = run["rope.length"] < 0.8
    np.testing.assert_allclose(run["rope.tension"], run["rope.force"] * -1.0, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run["rope.gap"], 0.8 - run["rope.length"], rtol=0, atol=1e-12)
    assert np.all(run["rope.tension"][slack] == 0.0) and np.max(run["rope.tension"]) > 100.0
    np.testing.assert_allclose(run["touch.gap"], 1.0 + run["body.y"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(run["touch.force"], np.abs(run["touch.fy"]), rtol=0, atol=1e-9)
    np.testing.assert_allclose(run["guide.y"], run["body.y"], rtol=0, atol=1e-12)
    filed = fm.load(run.save(tmp_path / "run.h5"))
    for name in ("coil.tension", "coil.elongation", "coil.force", "rope.force", "touch.gap", "guide.y_effort"):
        np.testing.assert_allclose(filed[name], run[name], rtol=1e-12, atol=1e-12, err_msg=name)
        assert filed.series(name).unit == run.series(name).unit


def test_a_motion_against_a_frame_has_a_name_everywhere():
    m = fm.PlanarModel("carousel")
    disc = m.add_body("disc", mass=1.0, inertia=1.0)
    m.revolute(m.ground, disc.frame, name="axle")
    disc.frame.move((0.0, 0.0), 2.0)
    stone = m.add_body("stone", mass=1.0, inertia=1.0, position=(1.0, 0.0))
    seen = m.add_event(fm.crossing("stone seen from disc.y", -0.5), fm.Note(), name="seen")
    run = fm.simulate(m, 1.0, "radau", tolerance=1e-10, progress=False)
    np.testing.assert_allclose(run["stone seen from disc.y"], -np.sin(2.0 * run.t), rtol=0, atol=1e-9)
    assert run.events[0].t == pytest.approx(np.arcsin(0.5) / 2.0, abs=1e-8) and run.events[0].name == seen.name
    np.testing.assert_array_equal(run["stone seen from disc"].values, run.relative("stone", to="disc").values)
    sensor = fm.control.NamedQuantity(m, "stone seen from disc.speed")
    assert sensor.unit == "m/s" and sensor.readings(run)[-1] == pytest.approx(2.0, abs=1e-9)
    with pytest.raises(NamingError):
        run["stone seen from nobody.y"]
    assert stone.name == "stone"


def test_what_an_observer_sees_is_what_a_sensor_reads():
    """In space too, and of how it is turned: one formula for the track and for the sensor."""
    m = fm.SpatialModel("carousel")
    for name, place, spin in (("disc", (0, 0, 0), (0.3, -0.4, 2.0)), ("stone", (1.0, 0.5, 0), (1.0, 0.2, 0.1))):
        body = m.add_body(name, mass=1.0, inertia=(1.0, 1.1, 1.2), position=place)
        body.move((0.1, 0.0, 0.2), spin)
    run = fm.simulate(m, 0.5, progress=False)
    track = run.relative("stone", to="disc")
    whats = ("x", "vy", "az", "speed", "e2", "wx", "alpha_y", "rotation_z", "ZYX2", "ZYX2 rate")
    for what in whats:
        seen = track.turn(what) if what[0] in "rZ" else getattr(track, what)
        read = fm.control.NamedQuantity(m, f"stone seen from disc.{what}").readings(run)
        np.testing.assert_allclose(read, seen, rtol=0, atol=1e-13, err_msg=what)
    back = run["disc"].orientation.apply(track.position) + run["disc"].position
    np.testing.assert_allclose(back, run["stone"].position, rtol=0, atol=1e-13)


@pytest.mark.parametrize("space", [False, True])
def test_events_meet_speeds_against_a_frame_and_turns(space):
    """A stone slides outwards on a turning disc, r = 1 + t/2, and is seen at the speed √(¼ + 4 r²)."""
    if space:
        m = fm.SpatialModel("carousel")
        disc, stone = (m.add_body(x, mass=1.0, inertia=(1.0, 1.0, 2.0), position=p) for x, p in PLACES.items())
        disc.frame.move((0, 0, 0), (0, 0, 2.0))
        stone.frame.move((0.5, 0, 0), (0, 0, 1.0))
        m.add_event(fm.crossing("stone.rotation_z", 0.3), fm.Note(), name="turned")
    else:
        m = fm.PlanarModel("carousel")
        disc, stone = (m.add_body(x, mass=1.0, inertia=1.0, position=p[:2]) for x, p in PLACES.items())
        disc.frame.move((0, 0), 2.0)
        stone.frame.move((0.5, 0), 1.0)
        m.add_event(fm.crossing("stone.angle", 0.3), fm.Note(), name="turned")
    m.add_event(fm.crossing("stone seen from disc.speed", 2.2), fm.Note(), name="fast")
    met = {event.name: event.t for event in fm.simulate(m, 0.5, progress=False).events}
    assert met["turned"] == pytest.approx(0.3, abs=1e-8)
    assert met["fast"] == pytest.approx(2.0 * (np.sqrt((2.2**2 - 0.25) / 4.0) - 1.0), abs=1e-6)


@pytest.mark.parametrize("space", [False, True])
def test_an_event_meets_the_friction_of_a_contact(space):
    """The floor under a body that slides presses more and more, while the body sinks in."""
    if space:
        m = fm.SpatialModel("slide", gravity=(0, -G, 0))
        body = m.add_body("body", mass=MASS, inertia=(1, 1, 1)).frame
        body.move((1.0, 0, 0))
    else:
        m = fm.PlanarModel("slide", gravity=(0, -G))
        body = m.add_body("body", mass=MASS, inertia=1.0).frame
        body.move((1.0, 0))
    shape = fm.HalfSpace("y") if space else fm.HalfPlane("y")
    m.contact(m.ground, body, shape, stiffness=1e5, friction=0.3, name="ice")
    m.add_event(fm.crossing("ice.friction_force", 1.0), fm.Note(), name="rubs")
    run = fm.simulate(m, 0.02, "radau", tolerance=1e-8, progress=False)
    assert run.at(run.events[0].t)["ice.friction_force"] == pytest.approx(1.0, rel=1e-3)
    assert run["ice.normal_force"][run.t <= run.events[0].t][-1] == pytest.approx(1.0 / 0.3, rel=0.05)


def test_a_sensor_of_one_s_own_is_differentiated_by_parameters():
    @formula
    def stored(row, iq, iv, t, q, v, a):
        return 0.5 * row[0] * q[iq[0]] ** 2

    def build(mass, stiffness):
        m = fm.PlanarModel("oscillator")
        body = m.add_body("body", mass=mass, inertia=1.0)
        m.prismatic(m.ground, body.frame)
        m.bushing(m.ground, body.frame, stiffness=(stiffness, 0, 0), name="spring")
        body.move((1.0, 0.0))
        return m

    def energy(model):
        stiffness = model.components["spring"].stiffness[0]
        return fm.control.OwnSensor(stored, [model.frame("body")], [stiffness], name="stored", unit="J")

    def exact(mass, stiffness):
        omega = np.sqrt(stiffness / mass)
        return 0.5 * stiffness * (np.sin(omega) / omega) ** 2

    for method in ("direct", "adjoint"):
        found = fm.sensitivity(build, {"mass": 1.0, "stiffness": 4.0}, 1.0, final=energy, step=1e-3, derivatives=method)
        assert found.quantities == ["stored"] and found.units == ["J"]
        assert found.values[0] == pytest.approx(exact(1.0, 4.0), abs=1e-6)
        by_mass = (exact(1.0 + 1e-5, 4.0) - exact(1.0 - 1e-5, 4.0)) / 2e-5
        by_stiffness = (exact(1.0, 4.0 + 1e-5) - exact(1.0, 4.0 - 1e-5)) / 2e-5
        assert found.matrix[0] == pytest.approx([by_mass, by_stiffness], abs=3e-6)
    with pytest.raises(NamingError, match="function of the model that returns a sensor"):
        fm.sensitivity(build, {"mass": 1.0, "stiffness": 4.0}, 0.1, final=lambda model: "body.x", step=1e-2)


def test_a_formula_and_its_derivatives_are_forgotten_together():
    @formula
    def power(row, iq, iv, t, q, v, a):
        return row[0] * v[iv[0]]

    known = weakref.ref(power), weakref.ref(gradient_of(power, (), 1))
    assert gradient_of(power, (), 1) is known[1]()
    del power
    gc.collect()
    assert [one() for one in known] == [None, None]
