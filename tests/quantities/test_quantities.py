"""Quantities by name are one function each: derivatives against differences, rates against derivatives, values against
the tracks of a solution, in plane and space, in states that no joint holds."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.quantities.of_joints import joint_units
from flexmb.quantities.quantity import Quantity
from flexmb.results.asked import quantity_of
from flexmb.results.layout import Layout
from flexmb.results.meaning import RATE, meaning
from flexmb.results.state import as_solution

#: quantities of frames, each with its rate and its second rate
CHAINS = {
    2: (("x", "vx", "ax"), ("y", "vy", "ay"), ("angle", "angular_velocity", "angular_acceleration")),
    3: tuple((x, f"v{x}", f"a{x}") for x in "xyz"),
}
SPINS = tuple((f"w{x}", f"alpha_{x}") for x in "xyz")


def plane() -> fm.PlanarModel:
    """A hinge, a slide and a pin in a slot, all beside the mass centers of their bodies."""
    m = fm.PlanarModel("plane")
    bodies = [m.add_body(x, mass=1.0, inertia=0.2, position=(k, 0.3 * k), angle=0.4 * k) for k, x in enumerate("abc")]
    left = [body.attach("left", (-0.3, 0.1), 0.2) for body in bodies]
    right = [body.attach("right", (0.4, -0.2), -0.5) for body in bodies]
    m.revolute(m.ground.attach("post", (0.1, 0.2), 0.7), left[0], name="hinge")
    m.prismatic(right[0], left[1], axis=0.6, name="slide")
    m.pin_in_slot(right[1], left[2], axis=-0.9, name="slot")
    return m


def space() -> fm.SpatialModel:
    """Joints of all kinds with coordinates, beside the mass centers of their bodies, and a beam with a node within, the
    orientation of which is asked for by the numbers of its own."""
    m = fm.SpatialModel("space")
    turns = fm.rotation_vector((0.3, -0.5, 0.2)), fm.rotation_vector((-0.4, 0.2, 0.6))
    frames = [m.ground.attach("post", (0.1, 0.2, -0.3), turns[0])]
    for k in range(7):
        place = (k, 0.2 * k, 0.1)
        body = m.add_body(f"b{k}", mass=1.0, inertia=(0.2, 0.3, 0.4), position=place, orientation=turns[k % 2])
        frames += [body.attach("left", (-0.3, 0.1, 0.2), turns[1]), body.attach("right", (0.3, 0.2, -0.1))]
    pairs = list(zip(frames[::2], frames[1::2]))
    m.revolute(*pairs[0], axis=(0.6, 0.0, 0.8), name="hinge")
    m.prismatic(*pairs[1], axis="x", name="slide")
    m.cylindrical(*pairs[2], axis="y", name="sleeve")
    a, b = pairs[3]
    across = b.orientation.apply(a.orientation.apply((0.0, 0.8, 0.6)), inverse=True)
    m.universal(a, b, axis="x", axis_b=across, name="cross")
    m.spherical(*pairs[4], name="ball")
    m.planar_joint(*pairs[5], axis="z", name="table")
    m.revolute(*pairs[6], axis="z", name="counted", count_turns=True)
    wood = fm.spatial.BeamProperties(EA=2e4, EIy=3.0, EIz=5.0, GJ=2.0, rhoA=0.6)
    m.add_beam("rod", (9.0, 0.0, 0.0), (9.0, 0.6, 0.8), properties=wood, theory="exact", elements=2)
    return m


@pytest.fixture(scope="module", params=[plane, space], ids=["plane", "space"])
def state(request):
    """A system with its layout, and q, v, a (nq,), (n,) that belong to nothing in particular."""
    system = fm.System(request.param())
    rng = np.random.default_rng(7)
    q = system.retract(system.q0, rng.uniform(-0.4, 0.4, system.n))
    return system, Layout.of(system), (q, *rng.uniform(-1.0, 1.0, (2, system.n)))


def names(layout: Layout) -> list[str]:
    """All that is asked here by name."""
    frames = [*layout.frames, *layout.spatial]
    chains = [what for chain in CHAINS[layout.dimension] for what in chain]
    if layout.dimension == 3:
        chains += [*(what for pair in SPINS for what in pair), "e0", "e1", "e2", "e3"]
    of_joints = {name: pair.joint for name, pair in layout.pairs.items() if pair.joint is not None}
    return [
        *(f"{frame}.{what}" for frame in frames for what in (*chains, "speed")),
        *(f"{name}.{what}" for name, place in of_joints.items() for what in joint_units(place) if "effort" not in what),
        *layout.coordinates,
        *(f"{name}{RATE}" for name in layout.coordinates),
    ]


def asked(layout: Layout, name: str) -> Quantity:
    found = quantity_of(layout, meaning(layout, name))
    assert found is not None, name
    return found


def slopes_at(state, name: str):
    system, layout, (q, v, a) = state
    return asked(layout, name).slopes(0.0, system.full_q(q), system.full(v), system.full(a))


def one_time(state):
    system, _, (q, v, a) = state
    return as_solution(system, np.zeros(1), q[None], v[None], a[None], np.zeros((1, system.m)))


def test_derivatives_are_those_of_differences(state):
    system, layout, (q, v, a) = state
    h, n = 1e-5, system.n
    moves = h * np.vstack([np.eye(n), -np.eye(n)])
    still = [np.repeat(x[None], 2 * n, axis=0) for x in (q, v, a)]
    none = np.zeros(2 * n), np.zeros((2 * n, system.m))
    moved = [
        as_solution(system, none[0], system.retract(q, moves), still[1], still[2], none[1]),
        as_solution(system, none[0], still[0], v + moves, still[2], none[1]),
        as_solution(system, none[0], still[0], still[1], a + moves, none[1]),
    ]
    for name in names(layout):
        found, quantity = slopes_at(state, name), asked(layout, name)
        free = found.numbers < n
        for solution, slopes in zip(moved, (found.q, found.v, found.a)):
            exact, y = np.zeros(n), quantity.over(solution)
            np.add.at(exact, found.numbers[free], slopes[free])
            np.testing.assert_allclose((y[:n] - y[n:]) / (2.0 * h), exact, rtol=0, atol=2e-8, err_msg=name)


def chains_of(layout: Layout) -> list[tuple[str, str, str]]:
    frames = [f"{frame}.{{}}" for frame in (*layout.frames, *layout.spatial)]
    found = [tuple(frame.format(x) for x in chain) for frame in frames for chain in CHAINS[layout.dimension]]
    for name, pair in layout.pairs.items():
        for what in pair.joint.coordinates if pair.joint is not None else ():
            if what not in ("rx", "ry", "rz"):
                found.append((f"{name}.{what}", f"{name}.{what}_rate", f"{name}.{what}_acceleration"))
    return found


def test_rates_are_derivatives(state):
    system, layout, (_, v, a) = state
    v, a = system.full(v), system.full(a)
    for value, rate, second in chains_of(layout):
        if layout.dimension == 3 and value.endswith(".angle"):
            continue  # the rate is that about the axis, which both have in common only where the joint holds
        x, r, s = (slopes_at(state, name) for name in (value, rate, second))
        assert abs(x.q @ v[x.numbers] - r.value) < 1e-12 * max(1.0, abs(r.value)), value
        assert abs(r.q @ v[r.numbers] + r.v @ a[r.numbers] - s.value) < 1e-11 * max(1.0, abs(s.value)), rate


def test_spins_are_rates_of_one_another(state):
    system, layout, (_, v, a) = state
    v, a = system.full(v), system.full(a)
    pairs = [f"{frame}.{{}}" for frame in layout.spatial] + (["ball.{}"] if layout.spatial else [])
    for of in pairs:
        for spin, spin_up in SPINS:
            r, s = (slopes_at(state, of.format(name)) for name in (spin, spin_up))
            assert abs(r.q @ v[r.numbers] + r.v @ a[r.numbers] - s.value) < 1e-12, of


def test_a_solution_has_the_same_numbers(state):
    _, layout, _ = state
    solution = one_time(state)
    for name in names(layout):
        assert abs(float(solution[name][0]) - slopes_at(state, name).value) < 1e-13, name


def test_a_joint_turns_as_its_rotation_says():
    run = fm.simulate(hinge_model(), 0.4, step=0.05)
    joint = run["hinge"]
    np.testing.assert_allclose(joint.rotation.as_rotvec(), joint.rotation_vector, atol=1e-14)
    np.testing.assert_allclose(joint.rotation_vector[:, 2], joint.angle, atol=1e-12)
    np.testing.assert_allclose(joint.angular_velocity[:, 2], joint.rate, atol=1e-12)
    np.testing.assert_allclose(joint.angular_acceleration[:, 2], joint.acceleration, atol=1e-10)


def test_rates_of_a_hinge_that_holds():
    run = fm.simulate(hinge_model(), 0.4, step=0.05)
    system, layout = run.source.system, run.layout
    full = system.full_q(run.q[-1]), system.full(run.v[-1]), system.full(run.a[-1])
    x, r, s = (asked(layout, f"hinge.{what}").slopes(0.4, *full) for what in ("angle", "rate", "acceleration"))
    assert abs(x.q @ full[1][x.numbers] - r.value) < 1e-12 and abs(r.value - run["hinge.rate"][-1]) < 1e-14
    assert abs(r.q @ full[1][r.numbers] + r.v @ full[2][r.numbers] - s.value) < 1e-10


def test_events_read_the_size_of_a_moment():
    m = hinge_model()
    run = fm.simulate(m, 0.4, step=0.01, progress=False)
    before, behind = run["hinge.moment"][[20, 40]]
    m.add_event(fm.crossing("hinge.moment", 0.5 * (before + behind)), fm.Note(), name="half")
    again = fm.simulate(m, 0.4, step=0.01, progress=False)
    (found,) = again.events
    assert 0.2 < found.t < 0.4
    assert again.at([found.t])["hinge.moment"][0] == pytest.approx(0.5 * (before + behind), rel=1e-6)


def hinge_model() -> fm.SpatialModel:
    m = fm.SpatialModel("fan")
    wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2), orientation=fm.rotation_vector((0.3, 0.1, 0.0)))
    m.revolute(m.ground, wheel.frame, axis=(0.0, 0.6, 0.8), name="hinge")
    m.point_torque(wheel.frame, (0.0, 0.6, 0.8))
    return m


def test_sensors_of_planar_joints():
    m = plane()
    hinge, slide, slot = (m.components[name] for name in ("hinge", "slide", "slot"))
    sensors = {
        "hinge.angle": fm.control.JointAngle(hinge),
        "hinge.rate": fm.control.JointRate(hinge),
        "slide.position": fm.control.JointPosition(slide),
        "slide.rate": fm.control.JointSpeed(slide),
        "slot.angle": fm.control.JointAngle(slot),
        "slot.position": fm.control.JointPosition(slot),
    }
    with pytest.warns(fm.errors.InitialConditionWarning):
        solution = fm.simulate(m, 0.05, step=0.01, gaps="close", progress=False)
    for name, sensor in sensors.items():
        np.testing.assert_allclose(sensor.readings(solution), solution[name], rtol=0, atol=1e-14)
    both = fm.control.WeightedSum([sensors["hinge.angle"], sensors["slide.position"]], [1.0, 2.0])
    expected = solution["hinge.angle"] + 2.0 * solution["slide.position"]
    np.testing.assert_allclose(both.readings(solution), expected, rtol=0, atol=1e-14)
    with pytest.raises(fm.errors.ModelError, match=r"JointAngle: .*'slide' has other coordinates \(position\)"):
        fm.control.JointAngle(slide)
    weld = m.weld(m.ground, m.add_body("d", mass=1.0, inertia=1.0).frame, name="weld")
    with pytest.raises(fm.errors.ModelError, match=r"'weld' is no joint with a coordinate; take RelativeAngle\(a, b\)"):
        fm.control.JointRate(weld)


def test_wrong_names_are_answered_with_near_ones():
    m = plane()
    with pytest.raises(fm.errors.NamingError, match=r"'hinge\.angel'.*did you mean 'hinge\.angle'"):
        fm.control.NamedQuantity(m, "hinge.angel").reading(fm.System(m))
    with pytest.raises(fm.errors.ModelError, match=r"'energy\.balance' is nothing that a sensor reads"):
        fm.control.NamedQuantity(m, "energy.balance").reading(fm.System(m))


def test_angles_of_events_count_turns():
    """A wheel in space turns eleven times until its angle is that of the event."""
    m = fm.SpatialModel("wheel")
    wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    m.revolute(m.ground, wheel.frame, axis="z", name="hinge")
    wheel.frame.move(angular_velocity=(0.0, 0.0, 30.0))
    m.add_event(fm.crossing("hinge.angle", 22.0 * np.pi), fm.StopRun(), name="there")
    run = fm.simulate(m, 10.0, step=0.02, progress=False)
    assert run.status == "stopped" and abs(run.t[-1] - 22.0 * np.pi / 30.0) < 1e-9


@pytest.mark.parametrize("speed", [0.0, 40.0])
def test_events_and_sensors_of_energy(speed):
    """A stone that falls has ½ m g² t²; beside it a wheel of constant speed has its own, which events know too."""
    m = fm.SpatialModel("stone", gravity=(0.0, 0.0, -10.0))
    stone = m.add_body("stone", mass=2.0, inertia=(1.0, 1.0, 1.0))
    own = 0.0
    if speed:
        m.add_wheel("wheel", stone.frame, inertia=0.05, axis="z", speed=speed)
        own = 0.5 * 0.05 * speed**2
    m.add_event(fm.crossing("energy.kinetic", own + 36.0), fm.StopRun(), name="fast")
    run = fm.simulate(m, 2.0, step=0.05, progress=False)
    assert abs(run.t[-1] - 0.6) < 1e-9
    sensor = fm.control.NamedQuantity(m, "energy.kinetic")
    assert sensor.readings(run)[-1] == pytest.approx(own + 36.0, rel=1e-9)
    if speed:
        with pytest.raises(fm.errors.ModelError, match="wheels of constant speed have energy that no reading knows"):
            sensor.reading(fm.System(m))
