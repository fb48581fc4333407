"""The mechanism as a whole: mass center, momenta, the forces of all outside, the zero-moment point."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm

G = 9.81
RUBBER = fm.Material(density=1000.0, youngs_modulus=1e8)


def bodies_in_space() -> fm.SpatialModel:
    """Two bodies on a universal joint, one with its mass center beside its frame, and a wheel, in flight."""
    m = fm.SpatialModel("pair", gravity=(0, 0, -G))
    a = m.add_body("a", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(1, 2, 3), center=(0.1, 0, 0.05))
    b = m.add_body("b", mass=3.0, inertia=(0.3, 0.2, 0.4), position=(2, 2, 3))
    a.frame.move(velocity=(1, 2, 3), angular_velocity=(0.3, 0.2, 0.1))
    m.universal(a.attach("end", (0.5, 0, 0)), b.attach("start", (-0.5, 0, 0)), axis="y", axis_b="z", name="cross")
    m.add_wheel("wheel", b.frame, inertia=0.05, axis="y", speed=300.0)
    return m


def test_bodies_in_space_have_the_sums_of_their_masses_and_momenta():
    run = fm.simulate(bodies_in_space(), 0.5, progress=False)
    whole, mass = run.whole, 5.0
    tracks = [(run["a.center"], 2.0, [0.1, 0.2, 0.25]), (run["b"], 3.0, [0.3, 0.2, 0.4])]
    center = sum(m * x.position for x, m, _ in tracks) / mass
    momentum = sum(m * x.velocity for x, m, _ in tracks)
    spin = sum(
        m * np.cross(x.position - center, x.velocity)
        + x.orientation.apply(np.array(J) * x.in_own_axes().angular_velocity)
        for x, m, J in tracks
    )
    own = run["b"].in_own_axes().angular_velocity
    spin = spin + run["b"].orientation.apply(np.outer(0.05 * (300.0 + own[:, 1]), [0.0, 1.0, 0.0]))
    assert whole.mass == pytest.approx(np.full(len(run), mass), rel=1e-14)
    assert whole.center_of_mass == pytest.approx(center, abs=1e-12)
    assert whole.momentum == pytest.approx(momentum, abs=1e-11)
    assert whole.velocity == pytest.approx(momentum / mass, abs=1e-11)
    assert whole.angular_momentum == pytest.approx(spin, abs=1e-10)
    # it flies: nothing but weight acts, and the angular momentum stays
    assert np.abs(whole.force).max() < 1e-8 and np.abs(whole.moment).max() < 1e-8
    assert np.ptp(whole.angular_momentum, axis=0).max() < 1e-4
    assert np.isnan(whole.zmp).all()
    about = np.array([1.0, -2.0, 0.5])
    assert whole.angular_momentum_about(about) == pytest.approx(
        whole.angular_momentum + np.cross(center - about, momentum), abs=1e-10
    )


THEORIES = {"cms": {"modes": 2}, "ancf": {"elements": 3}, "exact": {"elements": 3}, "floating": {"modes": 2}}


@pytest.mark.parametrize("theory", THEORIES)
@pytest.mark.warns(fm.errors.AccuracyWarning, "bends too far", theory="floating")
def test_a_clamp_carries_all_that_outside_does_to_a_beam(theory):
    m = fm.PlanarModel("cantilever", gravity=(0, -G))
    options = dict(material=RUBBER, section=fm.Rectangle(width=0.05, height=0.05), theory=theory, **THEORIES[theory])
    rod = m.add_beam("rod", m.ground, (1, 0), **options)
    m.add_point_mass("bob", rod.end, 0.5)
    run = fm.simulate(m, 0.2, progress=False)
    whole = run.whole
    assert whole.mass == pytest.approx(np.full(len(run), 3.0), rel=1e-12)
    # momentum is that of mass points along the beam, by Simpson's rule
    s = np.linspace(0.0, 1.0, 401)
    weights = 2.5 * np.concatenate([[1.0], np.tile([4.0, 2.0], 199), [4.0, 1.0]]) / 1200.0
    for k in (0, len(run) // 2, -1):
        one = run.at([run.t[k]])
        points = [one[f"rod@{x!r}"] for x in s.tolist()]
        momentum = weights @ np.array([p.velocity[0] for p in points]) + 0.5 * one["rod.end"].velocity[0]
        center = weights @ np.array([p.position[0] for p in points]) + 0.5 * one["rod.end"].position[0]
        scale = 1e-6 * (1.0 + np.abs(momentum).max())
        assert whole.momentum[k] == pytest.approx(momentum, abs=1e-3 if theory != "ancf" else scale)
        assert whole.center_of_mass[k] == pytest.approx(center / 3.0, abs=1e-5)
    assert fm.System(m).momentum(0.0, run.q[-1], run.v[-1]) == pytest.approx(
        [*whole.momentum[-1], whole.angular_momentum_about((0, 0))[-1]], abs=1e-11
    )


@pytest.mark.parametrize("modes", [1, 2])
def test_the_force_of_outside_is_that_of_the_clamp(modes):
    m = fm.SpatialModel("cantilever", gravity=(0, 0, -G))
    rod = m.add_beam("rod", (0, 0, 0), (1, 0, 0), material=RUBBER, section=fm.Circle(diameter=0.1), modes=modes)
    m.weld(m.ground, rod.start, name="clamp")
    run = fm.simulate(m, 0.1, progress=False)
    force, moment = run.reaction("clamp")
    assert run.whole.force == pytest.approx(force, abs=1e-9)
    assert run.whole.moment_about((0, 0, 0)) == pytest.approx(moment, abs=1e-9)
    # its zero-moment point is where the force of the clamp pierces the floor
    pressed = np.flatnonzero(force[:, 2] > 1.0)
    point = run.whole.zmp[pressed]
    assert point[:, 0] * force[pressed, 2] == pytest.approx(-moment[pressed, 1], abs=1e-9)
    assert np.all(point[:, 2] == 0.0)
    assert run["whole.zmp.x"][pressed] == pytest.approx(point[:, 0], abs=0.0)


def test_at_rest_the_zero_moment_point_lies_under_the_mass_center_at_any_height():
    m = fm.SpatialModel("table", gravity=(0, 0, -G))
    body = m.add_body("body", mass=4.0, inertia=(1, 1, 1), position=(0.3, -0.2, 1.0))
    m.weld(m.ground, body.attach("foot", (-0.3, 0.2, -1.0)))
    rest = fm.simulate(m, 0.1, progress=False).whole
    assert rest.zmp[-1] == pytest.approx([0.3, -0.2, 0.0], abs=1e-12)
    assert rest.zero_moment_point(height=0.4)[-1] == pytest.approx([0.3, -0.2, 0.4], abs=1e-12)
    assert rest.force[-1] == pytest.approx([0.0, 0.0, 4.0 * G], abs=1e-9)


def test_files_keep_the_whole(tmp_path):
    run = fm.simulate(bodies_in_space(), 0.3, "dop853", progress=False)
    run.save(tmp_path / "run.h5")
    back, times = fm.load(tmp_path / "run.h5"), np.linspace(0.0, 0.3, 41)
    assert np.array_equal(back.whole.numbers, run.whole.numbers)
    assert back["whole.momentum.z"] == pytest.approx(run["whole.momentum.z"], abs=0.0)
    assert back.at(times).whole.momentum == pytest.approx(run.at(times).whole.momentum, abs=1e-7)
    assert "whole.center_of_mass.x" in run.to_csv(tmp_path / "run.csv", ["whole.center_of_mass.x"]).read_text()


def test_events_and_linear_models_know_it_by_name():
    m = fm.PlanarModel("stones", gravity=(0, -G))
    for x in (0.0, 1.0):
        m.add_body(f"stone {x:g}", mass=1.0 + x, inertia=0.1, position=(x, 2.0))
    m.add_event(fm.crossing("whole.center_of_mass.y", 1.0, "down"), fm.StopRun(), name="low")
    run = fm.simulate(m, 3.0, progress=False)
    assert run.t[-1] == pytest.approx(np.sqrt(2.0 / G), rel=1e-7)
    held = fm.PlanarModel("held")
    body = held.add_body("body", mass=2.0, inertia=0.1)
    held.bushing(held.ground, body.frame, stiffness=(8.0, 8.0, 1.0))
    force = held.point_force(body.frame, (1.0, 0.0), factor=0.0, name="push")
    linear = fm.linearize(held, inputs=[force], outputs=["whole.center_of_mass.x", "whole.momentum.x"])
    at = linear.response([1.0]).values[0, :, 0]
    assert at[0] == pytest.approx(1.0 / (8.0 - 2.0 * (2.0 * np.pi) ** 2), rel=1e-6)
    assert at[1] == pytest.approx(2.0j * 2.0 * np.pi * at[0], rel=1e-6)


def test_sensors_read_what_the_solution_says():
    m = fm.SpatialModel("pole", gravity=(0, 0, -G))
    foot = m.add_body("foot", mass=2.0, inertia=(0.1, 0.1, 0.1))
    m.weld(m.ground, foot.frame)
    leg = m.add_body("leg", mass=10.0, inertia=(1.0, 1.05, 0.1), position=(0.02, 0, 0.5))
    m.universal(foot.frame, leg.attach("ankle", (-0.02, 0, -0.5)), axis="x", axis_b="y", name="ankle")
    m.add_wheel("wheel", leg.frame, inertia=0.02, axis="x", speed=100.0)
    push = m.point_force(leg.frame, (1.0, 0.5, 0.0), name="push", factor=0.0)
    quantities = ("mass", "center_of_mass.y", "velocity.x", "momentum.z", "angular_momentum.y", "force.z", "moment.x")
    sensors = [fm.control.WholeSensor(m, what) for what in (*quantities, "zmp.x", "zmp.y", "load.x")]
    law = fm.control.PythonLaw(lambda t, y: -300.0 * y[1])
    m.add_controller("hold", period=0.01, sensors=sensors, commands=push, law=law)
    run = fm.simulate(m, 0.2, progress=False)
    log = run.control["hold"]
    there = run.at(log.t).whole
    assert log.y[1:, -1] == pytest.approx(log.u[:-1, 0], abs=1e-12)  # a load as it was until then
    for k, sensor in enumerate(sensors[:-1]):
        assert log.y[:, k] == pytest.approx(there.named(sensor.quantity), abs=1e-6, nan_ok=True)


def test_wrong_input_is_refused_by_name():
    m = fm.PlanarModel("stone")
    m.add_body("stone", mass=1.0, inertia=0.1)
    run = fm.simulate(m, 0.1, progress=False)
    with pytest.raises(fm.errors.ModelError, match="no gravity, so that no floor carries it; give up="):
        run.whole.zmp  # noqa: B018
    with pytest.raises(fm.errors.NamingError, match=r"whole\.center_of_mass\.x"):
        run["whole.center_of_mas.x"]
    with pytest.raises(fm.errors.ModelError, match=r"a point has the shape \(3,\); give \(2,\)"):
        run.whole.moment_about((0, 0, 0))
    with pytest.raises(fm.FlexmbError, match="quantity of the whole"):
        fm.control.WholeSensor(m, "zmp.z")
    with pytest.raises(fm.errors.ModelError, match="without gravity no floor carries it"):
        fm.control.WholeSensor(m, "zmp.x")
    other = fm.PlanarModel("other", gravity=(0, -G))
    with pytest.raises(fm.errors.ModelError, match="belongs to another model"):
        force = m.point_force(m.frame("stone"), (1, 0))
        sensor = fm.control.WholeSensor(other, "mass")
        m.add_controller("c", period=0.1, sensors=[sensor], commands=force, law=[[1.0]])


def table(push: float) -> fm.SpatialModel:
    """A table of 40 kg on four feet at (±0.5, ±0.3), whose mass center lies 0.8 m high; there acts a force along y."""
    m = fm.SpatialModel("table", gravity=(0, 0, -G))
    pressed = (10.0 * G / 1e6) ** (2.0 / 3.0)  # it stands from the start
    top = m.add_body("top", mass=40.0, inertia=(4, 6, 8), position=(0, 0, 0.8 - pressed))
    for x in (-0.5, 0.5):
        for y in (-0.3, 0.3):
            foot = top.attach(f"foot {x:g} {y:g}", (x, y, -0.8))
            options = dict(stiffness=1e6, damping=1.0, friction=0.8, name=f"{x:g} {y:g}")
            m.contact(m.ground, foot, fm.HalfSpace("z"), **options)
    m.point_force(top.frame, (0, push, 0), factor=fm.SmoothStep(0.0, 1.0))
    return m


def test_a_table_that_is_pushed_stands_until_its_zero_moment_point_reaches_the_edge():
    """A force F at the height h moves the point by F h/(m g)."""
    run = fm.simulate(table(50.0), 1.5, progress=False)
    support = run.support()
    assert support.pressing[-1].all() and len(support.polygon(-1)) == 4
    # where the forces under the feet have their middle
    feet = [run[name] for name in support.contacts]
    middle = sum(foot.normal_force[:, None] * foot.position for foot in feet)
    middle = middle / np.maximum(sum(foot.normal_force for foot in feet), 1e-12)[:, None]
    standing = support.pressing.all(axis=1)
    assert standing.sum() > 10
    assert support.zmp[standing, :2] == pytest.approx(middle[standing, :2], abs=1e-4)
    assert support.margin[standing] == pytest.approx(0.3 - np.abs(middle[standing, 1]), abs=5e-4)
    moved = 50.0 * 0.8 / (40.0 * G)
    assert support.zmp[run.t > 1.1, 1].mean() == pytest.approx(moved, abs=5e-3)
    tips = table(200.0)
    tips.add_event(fm.crossing("whole.margin", 1e-3, "down"), fm.StopRun(), name="tips")
    run = fm.simulate(tips, 1.5, progress=False)
    assert run.events[-1].name == "tips"
    ramp = run.t[-1]
    force = 200.0 * (10 - 15 * ramp + 6 * ramp**2) * ramp**3
    assert force * 0.8 / (40.0 * G) == pytest.approx(0.3, abs=0.02)


def test_polygons_of_one_foot_and_of_two_are_a_point_and_a_line():
    from flexmb.quantities.standing import margin_of
    from flexmb.results.support import _hull

    def inside(points, place):
        x = np.hstack([np.ones((len(points), 1)), points, np.zeros((len(points), 1))]).ravel()
        return margin_of(x, 0, len(points), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), False, (*place, 0.0))

    square = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0], [0.0, 1.0]])
    corners = square[_hull(square)]
    assert sorted(map(tuple, corners.tolist())) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert inside(square, (0.4, 0.5)) == pytest.approx(0.4)
    assert inside(square, (1.3, 1.4)) == pytest.approx(-0.5)
    line = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]])
    assert len(line[_hull(line)]) == 2 and inside(line, (1.0, 0.0)) == pytest.approx(-np.sqrt(0.5))
    assert inside(line[:1], (3.0, 4.0)) == pytest.approx(-5.0)


def test_a_mechanism_without_contacts_stands_on_nothing():
    run = fm.simulate(bodies_in_space(), 0.1, progress=False)
    with pytest.raises(fm.errors.ModelError, match="no contact joins the mechanism to a fixed frame"):
        run.support()
    with pytest.raises(fm.errors.NamingError, match=r"whole\.margin"):
        run["whole.margin"]


def test_an_event_knows_the_loads_that_a_controller_commands():
    """It happens when it does under the same load as a function of time, but for the period of the controller."""
    found = []
    for factor in (fm.Polynomial([0.0, 400.0]), 0.0):
        m = table(0.0)
        push = m.point_force(m.frame("top"), (1.0, 0, 0), factor=factor, name="push")
        if factor == 0.0:
            ramp = fm.control.Reference(fm.Polynomial([0.0, 400.0]))
            m.add_controller("c", period=0.001, sensors=[ramp], commands=push, law=[[1.0]])
        m.add_event(fm.crossing("whole.margin", 0.05, "down"), fm.StopRun(), name="leans")
        run = fm.simulate(m, 1.0, step=0.001, progress=False)
        assert run.events[-1].name == "leans"
        found.append(run.t[-1])
    assert found[0] == pytest.approx(found[1], abs=2e-3) and found[0] > 0.1


def test_balls_that_search_for_each_other_have_no_force_from_outside():
    m = fm.PlanarModel("balls", gravity=(0, -G))
    for k, x in enumerate((0.0, 0.4)):
        ball = m.add_body(f"ball {k}", mass=1.0 + k, inertia=0.1, position=(x, 0))
        ball.move(velocity=(1.0 - 2.0 * k, 0))
    m.contact_among([m.frame(f"ball {k}") for k in range(2)], fm.Disk(diameter=0.3), stiffness=1e4, name="balls")
    run = fm.simulate(m, 0.3, progress=False)
    assert run["ball 0.vx"][-1] < 0.0  # they have met
    weight = np.array([0.0, -3.0 * G])
    assert np.abs(run.whole.force).max() < 1e-6
    assert run.whole.momentum == pytest.approx([-1.0, 0.0] + np.outer(run.t, weight), abs=1e-6)
    assert fm.System(m).momentum(0.0, run.q[-1], run.v[-1])[:2] == pytest.approx(run.whole.momentum[-1], abs=1e-12)
