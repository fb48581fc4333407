"""Runs in a central gravity that go on, from files too, at other times, with events and in batches.

The field knows the time by the place of the model's origin on its orbit; so a run that goes on with a clock of 0 is
another one.
"""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import AccuracyWarning

#: an orbit of 11 s, an ellipse, about which a craft of a metre is large
ORBIT = fm.spatial.CentralGravity(50.0, (6.0, 2.0, -1.0), (-0.7, 2.4, 0.5))
END, MIDDLE = 4.0, 1.5
PRECISELY = {"tolerance": 1e-10, "progress": False}
METHODS = [("radau", {}), ("dop853", {}), ("dop853", {"formulation": "aba"})]


def craft(angle: float = 0.0, tip: float = 0.4) -> fm.SpatialModel:
    """A hull with an arm on a hinge that a spring holds, at an angle, and a mass at its end. The spring counts
    its angle from where the model stands."""
    m = fm.SpatialModel("craft", gravity=ORBIT)
    hull = m.add_body("hull", mass=4.0, inertia=(1.8, 2.2, 2.0), position=(0.1, 0.2, 0.3))
    turn = fm.rotation_vector((0, 0, angle))
    arm = m.add_body(
        "arm", mass=1.0, inertia=(0.1, 0.2, 0.15), orientation=turn,
        position=hull.frame.position + (0, 0.5, 0) + turn.apply((0, 0.5, 0)),
    )  # fmt: skip
    m.revolute(hull.attach("h", (0, 0.5, 0)), arm.attach("g", (0, -0.5, 0)), axis="z", name="hinge")
    m.add_point_mass("tip", arm.attach("end", (0, 0.5, 0)), tip)
    m.torsion_spring(hull.frame, arm.frame, axis="z", stiffness=0.5, free_angle=-angle, name="spring")
    m.set_rigid_motion((0.02, 0.05, -0.1), (0.1, -0.2, 0.1))
    return m


def places(run: fm.Solution) -> np.ndarray:
    return np.concatenate([run[name].position[-1] for name in ("hull", "arm.end")])


@pytest.mark.parametrize(("method", "options"), METHODS)
def test_a_run_from_a_file_goes_on_as_one(tmp_path, method, options):
    whole = fm.simulate(craft(), END, method, **PRECISELY, **options)
    first = fm.simulate(craft(), MIDDLE, method, **PRECISELY, **options)
    kept = fm.load(first.save(tmp_path / "first.h5"))
    times = np.linspace(MIDDLE, END, 201)
    rest = fm.simulate(craft(), END, method, t_start=MIDDLE, initial=kept, times=times, **PRECISELY, **options)
    np.testing.assert_allclose(places(rest), places(whole), atol=2e-9)
    assert rest.energy.error < 1e-10  # Simpson's rule for the power of the origin: 4e-7 over 22 steps, over 200 4e-11


def test_a_run_that_goes_on_at_another_place_of_the_orbit_says_so():
    """It is off by 0.6 m."""
    whole = fm.simulate(craft(), END, **PRECISELY)
    first = fm.simulate(craft(), MIDDLE, **PRECISELY)
    with pytest.warns(
        AccuracyWarning, match=r"goes on from t = 1\.5 s and begins at t_start = 0 s.*give t_start=1\.5 "
    ):
        anew = fm.simulate(craft(), END - MIDDLE, initial=first, **PRECISELY)
    assert np.abs(places(anew) - places(whole)).max() > 0.1
    assert not anew.trustworthy


def test_a_state_that_goes_on_at_another_place_of_the_orbit_says_so():
    """A state of a stepped run, as a run; at its own time nothing is said, nor of a model that is no more in orbit."""
    simulator = fm.Simulator(craft(), tolerance=1e-10)
    state = simulator.step(MIDDLE)
    with pytest.warns(AccuracyWarning, match=r"goes on from t = 1\.5 s and begins at t_start = 0 s"):
        fm.simulate(craft(), 0.1, initial=state, **PRECISELY)
    assert fm.simulate(craft(), MIDDLE + 0.1, t_start=MIDDLE, initial=state, **PRECISELY).trustworthy
    still = fm.assemble(craft())
    assert fm.simulate(craft(), 0.1, initial=still, **PRECISELY).trustworthy


def test_an_orbit_into_the_central_body_is_doubted():
    """By the time at which the distance is the radius, of a run that comes so far alone."""
    field = fm.spatial.CentralGravity(50.0, (6.0, 2.0, -1.0), (-0.7, 2.4, 0.5), radius=5.0)
    t = np.linspace(0.0, 12.0, 120001)
    at = t[np.argmax(np.linalg.norm(field.origin(t)[0], axis=1) < 5.0)]
    assert at > 1.0 and abs(field.enters(0.0, 20.0) - at) < 2e-4
    assert field.enters(at + 0.01, 20.0) == at + 0.01 and field.enters(0.0, at - 0.01) is None
    assert ORBIT.enters(0.0, 1e3) is None
    late = field.enters(at + 9.0, 1e3)
    np.testing.assert_allclose(np.linalg.norm(field.origin(late)[0]), 5.0, rtol=1e-9)
    m = fm.SpatialModel("falling", gravity=field)
    m.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    assert fm.simulate(m, 0.9 * at, **PRECISELY).trustworthy
    with pytest.warns(AccuracyWarning, match=rf"within the radius 5 m of the central body at t = {at:.3f}"[:-1]):
        assert not fm.simulate(m, 1.1 * at, **PRECISELY).trustworthy


def test_the_first_instant_after_a_file_is_its_last(tmp_path):
    """Accelerations too, which read the field at the time."""
    first = fm.simulate(craft(), MIDDLE, **PRECISELY)
    kept = fm.load(first.save(tmp_path / "first.h5"))
    rest = fm.simulate(craft(), MIDDLE + 0.1, t_start=MIDDLE, initial=kept, **PRECISELY)
    np.testing.assert_allclose(rest.a[0], first.a[-1], atol=1e-9 * np.abs(first.a[-1]).max())


@pytest.mark.parametrize("method", ["radau", "dop853"])
def test_a_simulator_that_steps_is_at_the_time_of_the_orbit(method):
    whole = fm.simulate(craft(), END, method, **PRECISELY)
    simulator = fm.Simulator(craft(), method, tolerance=1e-10)
    for _ in range(4):
        state = simulator.step(0.25 * END)
    stepped = np.concatenate([state[name].position for name in ("hull", "arm.end")])
    np.testing.assert_allclose(stepped, places(whole), atol=2e-9)
    first = simulator.run(MIDDLE)
    np.testing.assert_allclose(places(simulator.run(END, t_start=MIDDLE, initial=first)), places(whole), atol=2e-9)


def test_a_start_at_another_time_is_one_at_another_place_of_the_orbit():
    """The same as with the orbit from there, at a clock of 0."""
    late = fm.simulate(craft(), MIDDLE + 1.0, t_start=MIDDLE, **PRECISELY)
    m = craft()
    m.gravity = fm.spatial.CentralGravity(ORBIT.mu, *ORBIT.origin(MIDDLE))
    np.testing.assert_allclose(places(late), places(fm.simulate(m, 1.0, **PRECISELY)), atol=1e-9)


@pytest.mark.parametrize("method", ["radau", "dop853"])
def test_events_leave_the_clock_of_the_orbit_alone(method):
    """A spring without strength that comes and goes ends steps and binds anew, and changes nothing."""
    whole = fm.simulate(craft(), END, method, **PRECISELY)
    m = craft()
    m.spring_damper(m.frame("hull"), m.frame("arm"), stiffness=1e-300, damping=0.0, free_length=0.0, name="idle")
    m.add_event(MIDDLE, fm.Switch(off=["idle"]))
    m.add_event(MIDDLE + 1.0, fm.Switch(on=["idle"]))
    run = fm.simulate(m, END, method, **PRECISELY)
    assert len(run.events) == 2
    np.testing.assert_allclose(places(run), places(whole), atol=2e-9)


@pytest.mark.parametrize(("method", "options"), METHODS)
def test_members_of_a_batch_are_attracted_by_masses_of_their_own(method, options):
    angles, masses = [0.0, 0.3, -0.5], [0.4, 0.7, 1.3]
    fixed = {"times": [0.5, 1.0], **options}
    varied = fm.batch(
        craft(), 1.0, method, vary={"tip.mass": masses}, initial={"hinge.angle": angles}, threads=1,
        outputs=["hull.x", "arm.end.x", "arm.end.y", "arm.end.z"], **PRECISELY, **fixed,
    )  # fmt: skip
    assert varied.status.tolist() == ["finished"] * 3
    for k, (angle, mass) in enumerate(zip(angles, masses)):
        alone = fm.simulate(craft(angle, mass), 1.0, method, **PRECISELY, **fixed)
        for name in ("hull.x", "arm.end.x", "arm.end.y", "arm.end.z"):
            np.testing.assert_allclose(varied[name][k], alone[name], atol=2e-9, err_msg=name)


def boomed(rhoA: float = 0.4, mass: float = 4.0) -> fm.SpatialModel:
    m = fm.SpatialModel("craft", gravity=ORBIT)
    hull = m.add_body("hull", mass=mass, inertia=(1.8, 2.2, 2.0), position=(0.1, 0.2, 0.3))
    given = fm.spatial.BeamProperties(EA=1e4, EIy=20.0, EIz=20.0, GJ=15.0, rhoA=rhoA)
    m.add_beam("boom", hull.attach("root", (0.5, 0, 0)), (1.6, 0.7, 0.3), properties=given)
    return m


def test_members_with_other_bodies_and_beams_are_attracted_as_these_are():
    given = {"boom.properties.rhoA": [0.4, 0.8], "hull.mass": [4.0, 9.0]}
    options = {"times": [0.3], "outputs": ["hull.x", "boom.end.z"], "threads": 1}
    runs = fm.batch(boomed(), 0.3, "radau", vary=given, **options, **PRECISELY)
    for k, values in enumerate(zip(*given.values())):
        alone = fm.simulate(boomed(*values), 0.3, "radau", times=[0.3], **PRECISELY)
        for name in options["outputs"]:
            assert runs[name][k] == alone[name]
