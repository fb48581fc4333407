"""The matrices of Newton's method in Radau IIA: one for all stages, and one for each."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples import spin_up
from flexmb.solvers.methods.radau import radau_newton as newton
from flexmb.solvers.methods.radau import radau_run as run
from flexmb.solvers.methods.radau.first_guess import begin_still
from flexmb.solvers.methods.radau.matrix_layout import laid_out
from flexmb.solvers.methods.radau.stages import errors, spread
from flexmb.validation import free_rotation, heavy_top
from tests.models.vehicles import train


class Caught(Exception):
    pass


def loop_of(monkeypatch, model, time):
    """The loop of a run that has come to about that time, with the matrix of all stages laid out."""
    caught = []
    advance = run.advance

    def by_one(loop, rows):
        if loop.state.time >= time:
            caught.append(loop)
            raise Caught
        return advance(loop, rows.part(0, 1))

    with monkeypatch.context() as patched:
        patched.setattr(run, "advance", by_one)
        with pytest.raises(Caught):
            fm.simulate(model, 10.0, "radau", tolerance=1e-5, progress=False)
    loop = caught[0]
    pattern = None if loop.plan.dense else fm.System(model).pattern
    own, _ = laid_out(loop.plan, pattern, loop.matrices.kinds)
    return loop._replace(matrices=loop.matrices._replace(own=own))


def rates(loop, own, h, count):
    """By what corrections of a step from here shrink, one after the other, and the stages that they lead to."""
    begin_still(loop, h)
    loop.state.own = own
    spread(loop, h)
    assert newton._renew(loop, h, 0.0) == newton.OK
    sizes = []
    for _ in range(count):
        errors(loop, h, 0.0, False)
        sizes.append(newton._correction(loop, h))
        newton._apply(loop)
    return np.divide(sizes[1:], sizes[:-1]), loop.stages.u.copy()


def stiff_rod():
    """A pendulum whose stretching is 100 times as fast as its bending."""
    model = fm.PlanarModel("rod", gravity=(0.0, -9.81))
    rod = model.add_beam(
        "rod", (0.0, 0.0), (1.0, 0.0), properties=fm.planar.BeamProperties(EA=1e9, EI=100.0, rhoA=1.0), modes=2
    )
    model.revolute(model.ground, rod.start, name="hinge")
    return model


def test_a_stiff_rod_that_turns_needs_a_matrix_for_each_stage(monkeypatch):
    loop = loop_of(monkeypatch, stiff_rod(), 0.4)
    own, u = rates(loop, 1.0, 2e-3, 4)
    assert np.all(own < 0.02)
    common, same = rates(loop, 0.0, 2e-3, 40)
    assert np.median(common[:10]) > 0.3  # it turns by 0.015 rad, while it stretches ten times
    np.testing.assert_allclose(u, same, atol=1e-12)
    common, _ = rates(loop, 0.0, 4e-3, 6)
    assert np.all(common[1:] > 1.0)  # and for a longer step a common matrix leads nowhere


@pytest.mark.parametrize("trailers", [1, 6])
def test_velocity_rows_stand_in_both(monkeypatch, trailers):
    """Few trailers have a dense matrix, many a sparse one; a wrong slope in their rows would show in the rate."""
    loop = loop_of(monkeypatch, train(trailers), 0.5)
    assert loop.plan.dense == (trailers == 1)
    h = 0.02
    common, u = rates(loop, 0.0, h, 5)
    own, same = rates(loop, 1.0, h, 5)
    assert np.all(common[:3] < 0.1)
    assert np.all(own[:3] < 0.1)
    np.testing.assert_allclose(u, same, atol=1e-9)


@pytest.mark.parametrize(
    ("own", "build", "time", "h"), [(1.0, heavy_top.build, 0.05, 5e-4), (0.0, free_rotation.build, 1.0, 0.1)]
)
def test_orientations_have_the_slopes_of_their_turning(monkeypatch, own, build, time, h):
    """Without ω× corrections shrink by about the angle by which a body turns in the step."""
    loop = loop_of(monkeypatch, build(), time)
    without = loop._replace(matrices=loop.matrices._replace(turning=loop.matrices.turning[:0]))
    good, u = rates(loop, own, h, 3)
    poor, _ = rates(without, own, h, 3)
    assert good[0] < 0.5 * poor[0]
    np.testing.assert_allclose(u, rates(without, own, h, 30)[1], atol=1e-9)


def test_the_spin_up_takes_half_as_many_corrections():
    """A run changes to a matrix for each stage by itself: with common ones it took 8430 corrections in 928 steps."""
    statistics = fm.simulate(spin_up.build(), spin_up.T_END, "radau", tolerance=1e-4, progress=False).statistics
    assert statistics.steps < 700
    assert statistics.iterations < 5 * statistics.steps
