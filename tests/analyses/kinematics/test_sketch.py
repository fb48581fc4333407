"""Assembly of mechanisms that are drawn roughly."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.analyses.kinematics.sketch import assemble
from flexmb.errors import InitialConditionError, InitialConditionWarning, NamingError
from flexmb.examples import slider_crank as example
from tests.analyses.kinematics.linkages import bar, circles_meet, four_bar

LENGTHS = (0.3, 1.0, 0.8, 1.0)


def shaken(model: fm.PlanarModel, size: float, seed: int = 1) -> fm.PlanarModel:
    """The model with its bodies moved and turned at random."""
    rng = np.random.default_rng(seed)
    for frame in model.frames.values():
        if frame.is_node and not frame.node.fixed:
            frame.node.position = frame.node.position + size * rng.normal(size=2)
            frame.node.angle += size * rng.normal()
    return model


def gaps(model: fm.PlanarModel, t: float = 0.0) -> float:
    """The largest error of any constraint in the positions that the model describes."""
    system = fm.System(model)
    return float(np.max(np.abs(system.constraint(t, system.q0, system.v0)[0])))


def test_four_bar_from_a_sketch_stands_where_its_bars_meet():
    a, b, c, d = LENGTHS
    model = shaken(four_bar(LENGTHS, 0.5, driven=False), 0.15)
    assert gaps(model) > 0.05
    state = assemble(model)
    assert gaps(model) < 1e-12
    angle = model.frame("crank").angle
    top = a * np.array([np.cos(angle), np.sin(angle)])
    np.testing.assert_allclose(state["coupler.far"].position, circles_meet(top, b, (d, 0), c), atol=1e-12)
    np.testing.assert_array_equal(state.q, fm.System(model).q0)
    assert fm.simulate(model, 0.01, progress=False).statistics.position_correction < 1e-12


def test_the_position_found_is_the_nearest_one():
    model = shaken(four_bar(LENGTHS, 0.5, driven=False), 0.15)
    system = fm.System(model)
    sketch = system.q0

    def distance(angle: float) -> float:
        drawn = fm.System(four_bar(LENGTHS, angle, driven=False)).q0
        return float(np.sum(((drawn - sketch) / system.scale) ** 2))

    assemble(model)
    best = scipy.optimize.minimize_scalar(distance, bounds=(-0.5, 1.5), method="bounded", options={"xatol": 1e-10})
    assert model.frame("crank").angle == pytest.approx(best.x, abs=1e-6)


def test_what_is_held_stays():
    model = shaken(four_bar(LENGTHS, 0.5, driven=False), 0.1)
    angle = model.frame("crank").node.angle
    assemble(model, keep=["crank.angle"])
    assert model.frame("crank").angle == angle and gaps(model) < 1e-12
    model = shaken(four_bar(LENGTHS, 0.5, driven=False), 0.1)
    reach = model.frame("crank").node
    reach.position, reach.angle = 0.15 * np.array([np.cos(1.2), np.sin(1.2)]), 1.2
    for hold in (model.component("crank"), model.frame("crank.far"), "crank"):
        assemble(model, keep=[hold])
        np.testing.assert_allclose(model.frame("crank.far").position, 0.3 * np.array([np.cos(1.2), np.sin(1.2)]))
    with pytest.raises(NamingError, match="did you mean 'crank'"):
        assemble(model, keep=["cranc"])
    with pytest.raises(NamingError, match="is no name"):
        assemble(model, keep=[3.0])


def test_six_bar_from_badly_drawn_positions():
    model = four_bar(LENGTHS, 0.5, driven=False)
    top = model.frame("coupler.far").position
    far = np.array([2.0, 0.3])
    middle = circles_meet(top, 0.9, far, 0.7)
    link, arm = bar(model, "link", top, middle), bar(model, "arm", far, middle)
    model.revolute(model.frame("coupler.far"), link[0], name="first")
    model.revolute(link[1], arm[1], name="second")
    model.revolute(model.add_frame("post", (far[0], far[1]), fixed=True), arm[0], name="third")
    for seed in range(5):
        shaken(model, 0.3, seed)
        assemble(model)
        assert gaps(model) < 1e-11


def test_drives_and_motors():
    model = shaken(four_bar(LENGTHS, 0.5, 0.8), 0.1)
    assemble(model)
    assert model.frame("crank").angle == pytest.approx(0.8, abs=1e-12)
    assemble(model, t=0.0)
    model = shaken(four_bar(LENGTHS, 0.5, driven=False), 0.1)
    crank = model.frame("crank")
    model.motor(model.ground, crank, inertia=0.1, ratio=5.0, angle=fm.Polynomial([0.3, 1.0]), name="servo")
    model.drive_angle(crank, model.frame("coupler"), fm.SmoothStep(0.0, 1.0), relative_to_start=True, name="bend")
    free = shaken(four_bar(LENGTHS, 0.5, driven=False), 0.1)
    with pytest.raises(fm.errors.RedundancyError, match="bend"):
        assemble(model, redundant="error")  # the forces of two drives of one freedom are not determined
    with pytest.warns(fm.errors.RedundancyWarning, match="bend"):
        assemble(model)
    assemble(free)
    assert crank.angle == pytest.approx(free.frame("crank").angle, abs=1e-9)  # they begin where it stands
    assert gaps(model) < 1e-12


def test_joints_that_cannot_be_met_are_named_and_nothing_moves():
    model = four_bar(LENGTHS, 0.5, driven=False)
    model.frame("base").node.position = np.array([5.0, 0.0])
    before = fm.System(model).q0
    with pytest.raises(InitialConditionError, match=r"cannot all be met.*(foot|elbow|knee|hip) \(x\) by -?0.72"):
        assemble(model, restarts=3)
    np.testing.assert_array_equal(fm.System(model).q0, before)


def test_another_start_is_said():
    model = fm.PlanarModel("roof")
    left, right = bar(model, "left", (0, 0), (1, 0)), bar(model, "right", (1.5, 0), (2.5, 0))
    model.revolute(model.ground, left[0])
    model.revolute(model.add_frame("base", (1.5, 0), fixed=True), right[0])
    model.revolute(left[1], right[1])
    # drawn in one line, so that the bars have no way to turn
    with pytest.warns(InitialConditionWarning, match="random position 1 of 20"):
        assemble(model)
    assert gaps(model) < 1e-12


@pytest.mark.parametrize("theory", ["cms", "ancf", "floating"])
def test_beams_are_moved_unbent(theory):
    model = example.build(theory, driven=False, start=0.7)
    for name in ("crank", "slider"):
        frame = model.frame(name)
        frame.node.position = frame.node.position + [0.03, -0.02]
        frame.node.angle += 0.1
    slope = model.frame("slider").angle
    state = assemble(model)
    system = fm.System(model)
    assert gaps(model) < 1e-12 and system.energy(0.0, system.q0, system.v0)[1] < 1e-18
    np.testing.assert_allclose(state.q, system.q0, atol=1e-14)
    start, end = model.component("rod").ends
    np.testing.assert_allclose(start, model.frame("crank.top").position, atol=1e-12)
    np.testing.assert_allclose(end, model.frame("slider").position, atol=1e-12)
    assert np.hypot(*(end - start)) == pytest.approx(example.ROD, abs=1e-12)
    assert model.frame("slider").angle == pytest.approx(slope, abs=1e-12)  # the rail keeps the angle that is drawn


@settings(max_examples=10, deadline=None, derandomize=True)
@given(st.integers(0, 1000), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.sampled_from([0.5, 1.0, -0.5]))
def test_a_sketch_that_is_moved_as_a_whole_gives_the_same_mechanism(seed, x, y, turns):
    here = shaken(four_bar(LENGTHS, 0.5, driven=False), 0.1, seed)
    there = shaken(four_bar(LENGTHS, 0.5, driven=False), 0.1, seed)
    turn = turns * np.pi
    A = fm.model.frames.rotation(turn)
    there.ground.node.fixed = True
    for frame in there.frames.values():
        if frame.is_node:
            frame.node.position = A @ frame.node.position + [x, y]
            frame.node.angle += turn
    assemble(here)
    assemble(there)
    for name, frame in here.frames.items():
        np.testing.assert_allclose(there.frame(name).position, A @ frame.position + [x, y], atol=1e-7)
