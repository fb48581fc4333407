"""Runs and analyses of beams in space: events, given times, files, controllers, linear models, sensitivities.

References: differences of whole runs, closed forms of the straight cantilever, and other methods.
"""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm

NOMINAL = {"EIy": 20.0, "GJ": 15.0, "rhoA": 0.5, "length": 1.0, "speed": 2.0}
OUTPUTS = ["rod.end.x", "rod.end.e2", "load.z", "rod@0.5.torque", "hinge.fx"]
THEORIES = ("cms", "floating")
SLOW = fm.spatial.BeamProperties(EA=2e5, EIy=20.0, EIz=30.0, GJ=15.0, rhoA=0.5, rhoIp=1e-3)


def loaded(theory: str, EIy: float, GJ: float, rhoA: float, length: float, speed: float) -> fm.SpatialModel:
    """A rod on a skew hinge, with a body out of line at its end."""
    model = fm.SpatialModel("loaded rod", gravity=(0.0, 0.0, -9.81))
    given = fm.spatial.BeamProperties(EA=2e5, EIy=EIy, EIz=30.0, GJ=GJ, rhoA=rhoA, rhoIp=1e-3, rhoIy=5e-4, rhoIz=5e-4)
    more = {"torsion_modes": 1} if theory == "cms" else {}
    rod = model.add_beam("rod", (0, 0, 0), (length, 0, 0), properties=given, theory=theory, modes=1, **more)
    axis = np.array([0.1, 1.0, 0.2])
    model.revolute(model.ground, rod.start, axis=axis, name="hinge")
    load = model.add_body("load", mass=0.3, inertia=(0.01, 0.02, 0.025), position=(length, 0.1, 0.0))
    model.weld(rod.end, load.attach("seat", (0.0, -0.1, 0.0)))
    turning = speed * axis / np.linalg.norm(axis)
    for part in (rod, load):
        part.rigid_motion((0.0, 0.0, 0.0), turning, (0.0, 0.0, 0.0))
    return model


@pytest.mark.parametrize(("theory", "part"), [("cms", 1e-4), ("floating", 1e-3)])
def test_sensitivities_are_those_of_whole_runs(theory, part):
    """Phases of the fast vibration that a CMS element has, along the rod too, allow small differences only."""
    step, t_end = 1e-3, 0.1

    def build(**parameters):
        return loaded(theory, **parameters)

    def values(**parameters):
        run = fm.simulate(build(**parameters), t_end, step=step, newton_tolerance=1e-13, progress=False)
        return np.array([run[name][-1] for name in OUTPUTS])

    columns = []
    for name, value in NOMINAL.items():
        h = part * value
        ends = [values(**{**NOMINAL, name: value + k * h}) for k in (1, -1, 2, -2)]
        columns.append((8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12.0 * h))
    expected = np.array(columns).T
    size = np.max(np.abs(expected), axis=1)
    for method in ("direct", "adjoint"):
        found = fm.sensitivity(build, NOMINAL, t_end, final=OUTPUTS, step=step, derivatives=method)
        assert np.all(np.max(np.abs(found.matrix - expected), axis=1) < 1e-6 * size)


def hinged(theory: str) -> fm.SpatialModel:
    """A rod that falls from level."""
    model = fm.SpatialModel("falling rod", gravity=(0.0, 0.0, -9.81))
    rod = model.add_beam("rod", (0, 0, 0), (1, 0, 0), properties=SLOW, theory=theory, modes=1)
    model.revolute(model.ground, rod.start, axis="y", name="hinge")
    return model


@pytest.mark.parametrize("theory", THEORIES)
def test_events_happen_at_one_time_by_all_methods(theory):
    found = {}
    methods = {"generalized_alpha": {}, "radau": {}, "rkf45": {"step": 2e-4}, "dop853": {"tolerance": 1e-9}}
    for method, options in methods.items():
        model = hinged(theory)
        model.add_event(fm.crossing("rod.end.x", 0.0, "down"), fm.StopRun(), "below")
        run = fm.simulate(model, 1.0, method, progress=False, **options)
        assert run.status == "stopped" and len(run.events) == 1
        assert run["rod.end.x"][-1] == pytest.approx(0.0, abs=1e-9)
        found[method] = run.events[0].t
    exact = found.pop("dop853")
    for method, allowed in (("generalized_alpha", 1e-5), ("radau", 1e-7), ("rkf45", 1e-8)):
        assert found[method] == pytest.approx(exact, abs=allowed)


def clamped(theory: str, weight: float = 0.0) -> fm.SpatialModel:
    """A cantilever along x."""
    model = fm.SpatialModel("cantilever", gravity=(0.0, 0.0, -weight))
    model.add_beam("rod", model.ground, (1, 0, 0), properties=SLOW, theory=theory, modes=2)
    return model


@pytest.mark.parametrize("theory", THEORIES)
def test_given_times_files_and_going_on(theory, tmp_path):
    times = np.linspace(0.0, 0.1, 11)
    model = clamped(theory, 9.81)
    whole = fm.simulate(model, 0.1, "radau", tolerance=1e-8, progress=False)
    run = fm.simulate(model, 0.1, "radau", tolerance=1e-8, times=times, progress=False)
    np.testing.assert_array_equal(run.t, times)
    np.testing.assert_allclose(run["rod.end.z"][-1], whole["rod.end.z"][-1], atol=1e-12)
    run.save(tmp_path / "run.h5")
    read = fm.load(tmp_path / "run.h5")
    for name in ("rod.end.z", "rod.end.e2", "rod.end.wy", "rod@0.5.bending_moment_y"):
        np.testing.assert_array_equal(read[name], run[name])
    half = fm.simulate(model, 0.05, "radau", tolerance=1e-8, progress=False)
    rest = fm.simulate(model, 0.1, "radau", tolerance=1e-8, initial=half, t_start=0.05, progress=False)
    assert rest["rod.end.z"][-1] == pytest.approx(whole["rod.end.z"][-1], abs=1e-7)


#: by how much the first modes of the clamped beam, two of bending and one of torsion, fall short at the end
BENT, TWISTED = 12.0 / 1.87510407**4 + 12.0 / 4.69409113**4, 8.0 / np.pi**2


@pytest.mark.parametrize(
    ("theory", "bent", "twisted", "allowed"), [("cms", 1, 1, 1e-6), ("floating", BENT, TWISTED, 0.06)]
)
@pytest.mark.warns(fm.errors.BalanceWarning, "the state is not an equilibrium")
def test_linear_models_have_the_stiffness_of_the_cantilever(theory, bent, twisted, allowed):
    """A force at the end gives L³/(3 EI) there and the moment −L at the clamp, a torque L/GJ; of that the floating beam
    has what modes of the clamped beam can do, whose sum comes slowly to the moment at the clamp."""
    model = clamped(theory)
    end = model.component("rod").end
    model.point_force(end, (0.0, 0.0, 1e-3), name="push")
    model.point_torque(end, (1e-3, 0.0, 0.0), name="twist")
    outputs = ["rod.end.z", "rod.end.e1", "rod@0.bending_moment_y"]
    found = fm.linearize(model, inputs=["push", "twist"], outputs=outputs)
    gain = found.D - found.C @ np.linalg.solve(found.A, found.B)
    assert gain[0, 0] == pytest.approx(bent * 1e-3 / 60.0, rel=1e-7)
    assert 2.0 * gain[1, 1] == pytest.approx(twisted * 1e-3 / 15.0, rel=1e-7)
    assert abs(gain[2, 0]) == pytest.approx(1e-3, rel=allowed)


@pytest.mark.parametrize("theory", THEORIES)
def test_a_sampled_loop_is_the_same_by_all_methods(theory):
    model = clamped(theory, 1.0)
    end = model.component("rod").end
    model.point_force(end, (0.0, 0.0, 1.0), name="push")
    speed = fm.control.Speedometer(end, "z")
    model.add_controller("damper", period=1e-3, sensors=speed, commands="push", law=[[-2.0]])
    exact = fm.simulate(model, 0.2, "radau", tolerance=1e-9, progress=False)
    swing = np.max(np.abs(exact["rod.end.z"]))
    for method, options, allowed in (
        ("generalized_alpha", {"step": 2.5e-4}, 2e-3),
        ("dop853", {"tolerance": 1e-9}, 1e-6),
        ("rkf45", {"step": 2.5e-4}, 1e-5),
    ):
        run = fm.simulate(model, 0.2, method, progress=False, **options)
        assert run["rod.end.z"][-1] == pytest.approx(exact["rod.end.z"][-1], abs=allowed * swing)
