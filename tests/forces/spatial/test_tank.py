"""Tanks that jets use up: momentum of all that is within, empty tanks, runs that go on, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb import testing
from flexmb.errors import AccuracyWarning, FormulationError, ModelError, SolverError

THRUST, EXHAUST, ALWAYS = 300.0, 150.0, 1.0
LAWS = [fm.Polynomial([0.1, 0.003]), 0.2, fm.Polynomial([0.0, -0.002])]
TURNING = [fm.Polynomial([0.0, 0.02, 0.001]), fm.Polynomial([0.0, 0.03, 0.0, 1e-5]), fm.Polynomial([0.0, 0.02, 0.001])]


def tumbling(**options: Any) -> fm.SpatialModel:
    """A body that tumbles, with a tank and a jet that stand askew on it."""
    m = fm.SpatialModel("rocket", gravity=(0.3, -0.4, -9.81))
    hull = m.add_body("hull", mass=20.0, inertia=(1.2, 5.0, 4.4))
    hull.move((1.0, 2.0, 3.0), (0.5, -0.8, 0.6))
    at = hull.attach("tank", (0.1, -0.2, 0.3), fm.rotation_vector((0.3, -0.2, 0.5)))
    tank = m.add_tank("tank", at, 30.0, center=LAWS, inertia=TURNING)
    nozzle = hull.attach("nozzle", (-1.0, 0.1, -0.3), fm.rotation_vector((0.1, 0.2, 0.3)))
    law = fm.control.Reference(ALWAYS)
    m.thruster(nozzle, THRUST, law, opens=0.5, axis=(0.0, 1.0, 0.0), exhaust=EXHAUST, tank=tank, name="jet", **options)
    return m


def test_jet_and_system_pass_the_conformance_suite() -> None:
    m = tumbling(factor=fm.Harmonic(0.3, 5.0) + 1.0)
    jet = m.component("jet")
    for check in (testing.check_shapes, testing.check_memory, testing.check_tangent, testing.check_strength):
        check(jet, seeds=(0, 1))
    testing.check_frame_indifference(jet, seeds=(0, 1))
    testing.check_system(fm.System(m).with_components(off=[]), seeds=(0, 1))


def test_momentum_of_body_and_flow() -> None:
    """Those of hull, tank and flow change by weight, thrust and what leaves: a balance without Coriolis forces."""
    m, rate = tumbling(), THRUST / EXHAUST
    times = np.linspace(0.0, 2.0, 1001)
    run = fm.simulate(m, 2.0, "dop853", tolerance=1e-11, progress=False).at(times)
    hull, whole, tank, nozzle = run["hull"], run.whole, m.component("tank"), m.frames["hull.nozzle"]
    R, x, exit_ = hull.orientation, hull.position, nozzle.offset
    left = tank.left(run)
    moments = [k * tank.filled(k)[0] for k in (0.0, 15.0, 30.0)]  # m s is a square in m here
    second = 2.0 * (moments[2] - 2.0 * moments[1] + moments[0]) / 15.0**2 / 2.0
    taken = (moments[2] - moments[0]) / 30.0 + second * (left[:, None] - 15.0)  # (m s)'
    out = np.broadcast_to(exit_, taken.shape)
    flow, turning = rate * (out - taken), rate * np.cross(taken, out)
    P = whole.momentum + R.apply(flow)
    L = whole.angular_momentum + np.cross(whole.center_of_mass, whole.momentum)
    L = L + np.cross(x, R.apply(flow)) + R.apply(turning)
    force = R.apply(Rotation.from_quat(np.roll(nozzle.axes, -1)).apply([0.0, THRUST, 0.0]))
    place = x + R.apply(exit_)
    carried = rate * (hull.velocity + np.cross(hull.angular_velocity, R.apply(exit_)))
    weight = whole.mass[:, None] * m.gravity
    # thrust is what a body that is held still feels: with it the flow's own momentum changes
    slow, slow_turning = rate**2 * second, -(rate**2) * np.cross(second, exit_)
    dP = force + weight - carried + R.apply(slow)
    dL = np.cross(place, force - carried) + np.cross(whole.center_of_mass, weight)
    dL = dL + np.cross(x, R.apply(slow)) + R.apply(slow_turning)
    assert P[-1] - P[0] == pytest.approx(simpson(dP, x=times, axis=0), rel=1e-7)
    assert L[-1] - L[0] == pytest.approx(simpson(dL, x=times, axis=0), rel=1e-7)
    assert np.abs(L[-1] - L[0]).max() > 1e2 and run.energy.error < 1e-6


def test_an_empty_tank_closes_its_jets_for_good() -> None:
    m = tumbling(pulse=0.5)
    m.component("tank").unusable = 21.5
    m.component("jet").law = fm.control.Reference(fm.Harmonic(1.0, 2.0 * np.pi))  # it opens the jet once a second
    whole = fm.simulate(m, 10.0, "dop853", tolerance=1e-9, progress=False)
    empty = next(e for e in whole.events if e.name == "tank: empty")
    pulses = m.component("jet").pulses(whole)
    assert pulses[-1, 1] == pytest.approx(empty.t) and whole["tank.used"][-1] == pytest.approx(8.5, abs=1e-7)
    assert sum(e.name == "jet: told to open" and e.t > empty.t for e in whole.events) > 0
    assert m.component("jet").used(whole) == pytest.approx(np.diff(pulses).sum() * THRUST / EXHAUST, abs=1e-6)
    first = fm.simulate(m, empty.t + 0.1, "dop853", tolerance=1e-9, progress=False)
    on = fm.simulate(m, 10.0, "dop853", tolerance=1e-9, initial=first, t_start=float(first.t[-1]), progress=False)
    assert on["tank.used"] == pytest.approx(8.5, abs=1e-7) and on.whole.mass[0] == pytest.approx(41.5)
    assert on["hull.wx"][-1] == pytest.approx(whole["hull.wx"][-1], abs=1e-6)


def test_two_jets_share_a_tank_and_a_factor_throttles_them() -> None:
    m = fm.SpatialModel("m")
    hull = m.add_body("hull", mass=10.0, inertia=(1, 1, 1))
    tank = m.add_tank("tank", hull.frame, 5.0)
    always = fm.control.Reference(1.0)
    given = {"opens": 0.5, "exhaust": 100.0, "tank": tank}
    one = m.thruster(hull.frame, 20.0, always, factor=fm.Polynomial([0.0, 0.5]), **given)
    two = m.thruster(hull.frame, 10.0, always, axis=(-1, 0, 0), **given)
    m.add_controller("throttle", period=0.5, sensors=always, commands=one, law=lambda t, y: [0.2])
    run = fm.simulate(m, 2.0, "dop853", progress=False)
    assert one.used(run) == pytest.approx(0.2 * (1.0 + 0.4)) and two.used(run) == pytest.approx(0.2)
    assert run["tank.used"][-1] == pytest.approx(0.48, abs=1e-9)


def test_a_linear_model_knows_the_used_mass() -> None:
    m = fm.SpatialModel("m", gravity=(0, 0, -9.81))
    hull = m.add_body("hull", mass=10.0, inertia=(1, 1, 1))
    m.prismatic(m.ground, hull.frame, axis="z", name="rail")
    roof = m.ground.attach("roof", (0, 0, 5.0))
    m.spring_damper(roof, hull.frame, stiffness=1500.0, free_length=5.0 - 15.0 * 9.81 / 1500.0)
    m.add_tank("tank", hull.frame, 5.0)
    push = m.point_force(hull.frame, (0, 0, 1.0), factor=0.0)
    linear = fm.linearize(m, push, "hull.z")
    assert linear.states == ["rail.position", "rail.position rate", "tank.used"]
    # where springs hold the weight of the full tank, each used kilogram lets it rise
    assert linear.A == pytest.approx(np.array([[0, 1, 0], [-1500.0 / 15.0, 0, 9.81 / 15.0], [0, 0, 0]]), abs=1e-9)


@pytest.mark.filterwarnings("ignore::flexmb.errors.AccuracyWarning")
def test_a_factor_that_fills_the_tank_is_in_doubt() -> None:
    m = tumbling(factor=-0.1)
    with pytest.warns(AccuracyWarning, match="thruster 'jet' has a negative factor, by which it fills its tank 'tank'"):
        fm.simulate(m, 0.1, "dop853", progress=False)


def test_what_tanks_are_not_known_to_is_refused() -> None:
    m = tumbling()
    with pytest.raises(FormulationError, match="'tank' breaks what it assumes, that bodies keep their masses"):
        fm.formulation(fm.Tree.of(m), "hooker-1970")
    with pytest.raises(FormulationError, match="dynamics of model 'rocket': tank 'tank' loses mass, of which q says"):
        fm.TreeDynamics(m)
    with pytest.raises(ModelError, match="tank 'tank' loses mass, which the attraction of a central body does not"):
        m.gravity_gradient(m.component("tank"), 1e3)
    with pytest.raises(SolverError, match="thruster 'jet'"):
        fm.sensitivity(lambda thrust: tumbling(), {"thrust": 1.0}, 0.1, final="hull.x", step=0.01)
    with pytest.raises(ModelError, match="tank 'tank' follows equations of first order"):
        fm.equilibrium(m)


def test_wrong_data_are_named() -> None:
    m = fm.SpatialModel("m")
    hull, other = (m.add_body(name, mass=1.0, inertia=(1, 1, 1), position=(k, 0, 0)) for k, name in enumerate("ab"))
    for options, says in (
        ({"mass": 0.0}, "tank 'tank': mass is 0"),
        ({"unusable": 5.0}, "tank 'tank': unusable mass 5 kg is not less than its mass 2 kg"),
        ({"center": [abs, 0.0, 0.0]}, "tank 'tank': center is a function of Python"),
        ({"center": [fm.Polynomial([0.0]), 0.0]}, "tank 'tank': center has 2 numbers or functions of the mass"),
        ({"center": [fm.PiecewiseLinear([0, 1, 3], [0, 1, 1]), 0.0, 0.0]}, "center has a kink at the mass 1 kg"),
        ({"inertia": (1.0, 1.0, 5.0)}, "tank 'tank', with 2 kg left: its principal inertias"),
        ({"inertia": [fm.Polynomial([0.0, 1.0, -0.6]), 1.0, 1.0]}, "tank 'tank', with 2 kg left: inertia about its"),
    ):
        with pytest.raises(ModelError, match=says):
            m.add_tank("tank", hull.frame, **{"mass": 2.0, **options})
    tank = m.add_tank("tank", other.frame, 2.0)
    for given, says in (
        ({"exhaust": 10.0, "tank": tank}, "its tank 'tank' stands on another body, 'b'"),
        ({"tank": tank}, "give its exhaust"),
        ({"exhaust": 10.0, "tank": hull}, "is no tank; give what model.add_tank returned"),
    ):
        with pytest.raises(ModelError, match=says):
            m.thruster(hull.frame, 1.0, "a.x", opens=1.0, **given)
    beam = m.add_beam("boom", (0, 0, 2), (1, 0, 2), properties=fm.spatial.BeamProperties(1e4, 1.0, 1.0, 1.0, 1.0))
    inside = beam.at(0.5)
    fuel = m.add_tank("fuel", inside, 2.0)
    with pytest.raises(ModelError, match="a place of beam 'boom', and with a tank it needs a frame that is attached"):
        m.thruster(inside, 1.0, "a.x", opens=1.0, exhaust=10.0, tank=fuel)
