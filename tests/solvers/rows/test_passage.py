"""Through positions in which the constraints depend on one another: parallelograms that are laid flat."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import DivergenceWarning
from flexmb.examples import slider_crank
from flexmb.solvers.changes.passage import Passage
from flexmb.validation import n_four_bar
from flexmb.validation.references import n_four_bar as windows
from tests.models.parallelograms import falling, four_bars
from tests.models.pendulums import flexible_pendulum
from tests.solvers.every_method import METHODS


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [1, 2])
def test_every_method_goes_through_flat_on_its_branch(method, count):
    options = {"step": 1e-3} if method in ("rkf45", "generalized_alpha") else {}
    run = fm.simulate(four_bars(count), 4.0, method, redundant="remove", progress=False, **options)
    assert run.status == "finished" and run.trustworthy, run.message
    truth = falling(count, run.t)
    assert np.ptp(truth) > 4.0 * np.pi  # twice round: four times through flat
    for k in range(count + 1):
        np.testing.assert_allclose(run[f"crank{k}"].angle, truth, atol=2e-3)
    assert np.ptp(run.energy.total) < 0.05


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-4, 1e-5])
def test_what_tops_magnify_is_within_ten_tolerances(count, tolerance):
    """The cranks go over their tops twice; each time an error of their speed grows."""
    run = fm.simulate(four_bars(count), 5.0, tolerance=tolerance, progress=False)
    truth = falling(count, run.t)
    assert np.ptp(truth) > 4.0 * np.pi
    assert np.max(np.abs(run["crank0.angle"] - truth)) < 10.0 * tolerance


@pytest.mark.parametrize(("count", "tolerance"), [(1, 1e-7), (2, 2e-7), (3, 1e-7), (10, 2e-7)])
def test_rounding_near_flat_shortens_no_steps(count, tolerance):
    """Twice through flat, in steps that end so near to it that what rounding leaves there is more than their error."""
    run = fm.simulate(four_bars(count), 1.5, "generalized_alpha", tolerance=tolerance, progress=False)
    assert run.status == "finished", run.message
    assert np.max(np.abs(run["crank0.angle"] - falling(count, run.t))) < 10.0 * tolerance
    flat = np.abs(np.sin(run["crank0.angle"])) < 1e-2
    assert np.diff(run.t)[flat[1:]].min() > 0.3 * np.median(np.diff(run.t))


def test_a_passage_is_as_good_as_the_tolerance():
    errors = []
    for rtol in (1e-6, 1e-8):
        run = fm.simulate(
            four_bars(1), 2.0, "projection", tolerance=rtol, absolute_tolerance=1e-2 * rtol, progress=False
        )
        assert run.status == "finished"
        errors.append(np.max(np.abs(run["crank1"].angle - falling(1, run.t))))
    assert errors[0] < 1e-3 and errors[1] < 1e-5


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.warns(fm.errors.AccuracyWarning, "half the step leads to another end", method="generalized_alpha")
@pytest.mark.warns(fm.errors.AccuracyWarning, "the estimated error of its motion", method="generalized_alpha")
def test_a_driven_parallelogram_whose_steps_end_exactly_at_flat(method):
    options = {"step": 1e-2} if method in ("rkf45", "generalized_alpha") else {}
    run = fm.simulate(four_bars(1, driven=2 * np.pi), 1.0, method, redundant="remove", progress=False, **options)
    assert run.status == "finished", run.message
    for k in range(2):
        np.testing.assert_allclose(run[f"crank{k}"].angle, np.pi / 2 + 2 * np.pi * run.t, atol=1e-6)


@pytest.mark.parametrize("steps", [7, 36, 100])
@pytest.mark.parametrize("count", [1, 3])
def test_kinematics_knows_flat_of_a_symmetric_mechanism(count, steps):
    path = fm.kinematics(four_bars(count, driven=2 * np.pi), 1.0, steps=steps, redundant="remove", progress=False)
    assert path.status == "finished" and [round(event.t, 6) for event in path.events] == [0.25, 0.75]
    for k in range(count + 1):
        np.testing.assert_allclose(path[f"crank{k}"].angle, np.pi / 2 + 2 * np.pi * path.t, atol=1e-9)


@pytest.mark.parametrize("method", ["projection", "independent", "rkf45"])
def test_where_no_passage_is_good_enough_the_run_says_so(method, monkeypatch):
    monkeypatch.setattr(Passage, "_across", lambda *_: (float("inf"), None))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run = fm.simulate(four_bars(2), 1.0, method, redundant="remove", progress=False)
    if run.status == "finished":  # by its own steps, which is as good
        np.testing.assert_allclose(run["crank2"].angle, falling(2, run.t), atol=2e-3)
    else:
        assert run.t[-1] > 0.3 and "singular position: the constraints of 'revolute" in run.message
        assert any(issubclass(w.category, DivergenceWarning) for w in said)
        np.testing.assert_allclose(run["crank2"].angle, falling(2, run.t), atol=2e-3)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8])
@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_passages_keep_the_tolerance(method, tolerance):
    """40 parallelograms that go over their top: errors of speeds in a passage grow a hundred times until the end."""
    run = fm.simulate(n_four_bar.build(40), 5.0, method, tolerance=tolerance, progress=False)
    assert run.status == "finished"
    exact = windows.motion(40, run.t)[0]
    assert np.max(np.abs(run["post0"].angle - exact)) < 10.0 * tolerance


def test_behind_a_passage_rounding_of_the_joints_does_not_push_to_the_side():
    """Joints that are open by 1e-12 m would turn one post by 4e-11 rad against the others, and by 6e-9 rad/s."""
    run = fm.simulate(n_four_bar.build(2), 0.8, "projection", tolerance=1e-9, absolute_tolerance=1e-11, progress=False)
    angle, rate = windows.motion(2, run.t)
    for k in range(3):
        assert np.max(np.abs(run[f"post{k}"].angle - angle)) < 1e-11
        assert np.max(np.abs(run[f"post{k}"].angular_velocity - rate)) < 1e-10


def test_an_explicit_step_that_is_too_long_names_one_that_does():
    model = flexible_pendulum()
    with pytest.warns(DivergenceWarning, match=r"step 0.02 s is too long, worst in 'rod.*take step="):
        run = fm.simulate(model, 1.0, "rkf45", step=2e-2, progress=False)
    assert run.status == "diverged"
    step = float(run.message.split("take step=")[1].split(",")[0])
    assert fm.simulate(model, 0.2, "rkf45", step=step, progress=False).status == "finished"


@pytest.mark.parametrize("method", ["projection", "baumgarte"])
def test_a_long_trial_step_at_the_start_is_no_singular_position(method):
    """A first trial step of a stiff rod that spins meets positions that the motion does not."""
    model = fm.PlanarModel("spun", gravity=(0.0, -9.81))
    rod = model.add_beam("rod", (0, 0), (1, 0), properties=fm.planar.BeamProperties(EA=5e9, EI=5e4, rhoA=0.1))
    model.revolute(model.ground, rod.start)
    model.set_rigid_motion(angular_velocity=30.0)
    run = fm.simulate(model, 1e-3, method, progress=False)
    assert run.status == "finished"


@pytest.mark.parametrize("method", ["projection", "independent"])
@pytest.mark.parametrize("size", [1e-3, 1.0])
@pytest.mark.parametrize("space", [False, True])
def test_a_massless_frame_at_a_place_of_a_beam_is_no_singular_position(space, size, method):
    """All rows hold massless nodes, so that nothing resists them but rounding."""
    run = fm.simulate(beam_with_a_frame(space, size), 1e-3 * size, method, progress=False)
    assert run.status == "finished"


def beam_with_a_frame(space: bool, size: float) -> fm.PlanarModel | fm.SpatialModel:
    """A cantilever [m] of that length, with a frame that has no mass welded to its middle."""
    steel, bar = fm.Material(7850, 205e9), fm.Rectangle(width=0.02 * size, height=0.01 * size)
    model = fm.SpatialModel("m", gravity=(0, 0, -9.81)) if space else fm.PlanarModel("m", gravity=(0, -9.81))
    end = np.array([size, 0, 0] if space else [size, 0])
    rod = model.add_beam("rod", model.ground, end, material=steel, section=bar)
    model.weld(rod.at(0.5), model.add_frame("frame", 0.5 * end))
    return model


@pytest.mark.parametrize("method", ["projection", "independent"])
def test_a_singular_position_is_found_next_to_a_massless_frame(method, monkeypatch):
    found, through = [], Passage.through
    monkeypatch.setattr(Passage, "through", lambda passage: found.append(passage) or through(passage))
    model = four_bars(1)
    mount = model.add_body("mount", mass=1.0, inertia=1.0, position=(0, -2))
    model.weld(model.ground.attach("seat", (0, -2)), mount.frame)
    model.weld(mount.frame, model.add_frame("frame", (0, -2)))
    run = fm.simulate(model, 2.0, method, redundant="remove", progress=False)
    assert run.status == "finished" and found
    np.testing.assert_allclose(run["crank1"].angle, falling(1, run.t), atol=2e-3)


@pytest.mark.parametrize("method", ["projection", "independent"])
def test_a_dead_point_is_found_next_to_a_massless_frame(method, monkeypatch):
    """Crank and rod are equally long: when both are upright, the slider is at the crank's foot and could rest there."""
    found, through = [], Passage.through
    monkeypatch.setattr(Passage, "through", lambda passage: found.append(passage) or through(passage))
    model, c, s = fm.PlanarModel("slider-crank", gravity=(0, -9.81)), 0.5, np.sqrt(0.75)
    crank = model.add_body("crank", mass=1.0, inertia=1 / 12, position=(c / 2, s / 2), angle=np.pi / 3)
    rod = model.add_body("rod", mass=1.0, inertia=1 / 12, position=(1.5 * c, s / 2), angle=-np.pi / 3)
    slider = model.add_body("slider", mass=1.0, inertia=1.0, position=(2 * c, 0))
    model.revolute(model.ground, crank.attach("foot", (-0.5, 0)))
    model.revolute(crank.attach("top", (0.5, 0)), rod.attach("top", (-0.5, 0)))
    model.revolute(rod.attach("pin", (0.5, 0)), slider.frame)
    model.prismatic(model.ground, slider.frame)
    crank.move(velocity=(-s, c), angular_velocity=2.0)
    rod.move(velocity=(-3 * s, c), angular_velocity=-2.0)
    slider.move(velocity=(-4 * s, 0))
    model.weld(rod.attach("middle"), model.add_frame("frame", (1.5 * c, s / 2)))
    run = fm.simulate(model, 1.0, method, progress=False)
    assert run.status == "finished" and found
    angle = run["crank"].angle
    assert angle[-1] > np.pi / 2
    np.testing.assert_allclose(run["slider"].x, 2.0 * np.cos(angle), rtol=0, atol=1e-6)
    assert np.ptp(run.energy.total) < 1e-3


def test_a_step_that_ends_in_a_singular_position_loses_no_run():
    """With a tolerance of a thousand lengths steps end anywhere, also where accelerations are not determined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = fm.simulate(slider_crank.build(), 0.01, "rkf45", tolerance=1e3, progress=False)
    assert run.status in ("finished", "diverged") and run.t[-1] > 0.007


@pytest.mark.parametrize("method", ["radau", "dop853", "independent", "projection"])
def test_a_rod_along_an_axis_at_a_massless_frame_is_no_singular_position(method):
    """Two stones that turn about one another; the rod between them is held at a frame without mass. The row of the rod
    and that of the weld along it have to be known apart."""
    m = fm.PlanarModel("bolas")
    below, above = (
        m.add_body(name, mass=2.0, inertia=0.1, position=(0.0, y)) for name, y in (("low", -0.5), ("high", 0.5))
    )
    clip = m.add_frame("clip", (0.0, 0.5))
    m.weld(above.frame, clip)
    m.distance(below.frame, clip)
    below.move((-0.5, 0.0))
    above.move((0.5, 0.0))
    run = fm.simulate(m, 0.5, method, progress=False)
    assert run.trustworthy
    np.testing.assert_allclose(run["high"].position[-1], 0.5 * np.array([np.sin(0.5), np.cos(0.5)]), atol=1e-5)
