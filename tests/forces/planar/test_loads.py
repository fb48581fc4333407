"""Forces and torques on a frame, and loads along a beam."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.testing import Recorder


def body() -> tuple[fm.PlanarModel, fm.planar.Frame]:
    m = fm.PlanarModel("m")
    return m, m.add_body("body", mass=1.0, inertia=0.1).attach("tip", (2.0, 0.0), math.pi / 2)


@settings(deadline=None)
@given(st.floats(-10.0, 10.0))
def test_a_force_fixed_in_space_keeps_its_direction(angle: float) -> None:
    m, tip = body()
    load = Recorder.of(m.point_force(tip, (3.0, -4.0), factor=2.0))
    r = load.residual(0.0, np.array([0.5, 0.6, angle]), np.zeros(3), np.zeros(3))
    arm = 2.0 * np.array([math.cos(angle), math.sin(angle)])
    assert -r == pytest.approx([6.0, -8.0, -8.0 * arm[0] - 6.0 * arm[1]], rel=1e-13, abs=1e-13)


@settings(deadline=None)
@given(st.floats(-10.0, 10.0))
def test_a_follower_turns_with_its_frame(angle: float) -> None:
    m, tip = body()
    load = Recorder.of(m.point_force(tip, (5.0, 0.0), axes="body"))
    r = load.residual(0.0, np.array([0.5, 0.6, angle]), np.zeros(3), np.zeros(3))
    # the tip's x-axis is the body's y-axis
    assert -r == pytest.approx([-5.0 * math.sin(angle), 5.0 * math.cos(angle), 10.0], rel=1e-13, abs=1e-13)


def test_the_power_of_a_force_is_input() -> None:
    m, tip = body()
    load = Recorder.of(m.point_force(tip, (3.0, -4.0)))
    v = np.array([1.0, 2.0, 0.5])  # the tip moves with (1, 2 + 0.5·2)
    assert load.energy(0.0, np.zeros(3), v).tolist() == [0.0, 0.0, 0.0, 0.0, 3.0 * 1.0 - 4.0 * 3.0]


def test_a_torque_follows_its_function() -> None:
    m, tip = body()
    load = Recorder.of(m.point_torque(tip, fm.Harmonic(2.0, 3.0)))
    zero = np.zeros(3)
    assert load.residual(0.4, zero, zero, zero) == pytest.approx([0.0, 0.0, -2.0 * math.sin(1.2)], rel=1e-14)
    assert load.energy(0.4, zero, np.array([0.0, 0.0, 5.0]))[4] == pytest.approx(10.0 * math.sin(1.2), rel=1e-15)


def test_a_fixed_frame_takes_no_load() -> None:
    m, _ = body()
    with pytest.raises(ModelError, match="load 'push': frame 'ground' is fixed"):
        m.point_force(m.ground, (1.0, 0.0), name="push")


def test_a_frame_of_another_model_is_refused() -> None:
    with pytest.raises(ModelError, match=r"frame 'body.tip' belongs to model 'm', not to 'other'"):
        fm.PlanarModel("other").point_torque(body()[1], 1.0)


def test_forces_are_vectors() -> None:
    m, tip = body()
    with pytest.raises(ModelError, match="load 'point_force 1': force must be 2 numbers"):
        m.point_force(tip, 3.0)


def rod() -> tuple[fm.PlanarModel, fm.planar.Beam]:
    m = fm.PlanarModel("m")
    return m, m.add_beam(
        "rod", (0, 0), (2, 0), properties=fm.planar.BeamProperties(1e5, 10.0, 1.0, 1e-3, 1e4), theory="exact"
    )


def test_a_load_along_a_thing_that_is_no_beam_is_refused() -> None:
    m, tip = body()
    with pytest.raises(ModelError, match=r"load 'distributed_load 1': Frame\('body.tip'\) is not a beam"):
        m.distributed_load(tip, (0.0, -1.0))


def test_a_theory_without_distributed_loads_says_so() -> None:
    from flexmb.elements.planar.beam import Beam

    class Bare(Beam):
        start = property(lambda self: self.model.ground)
        end = start

    m, _ = rod()
    bare = m.add(Bare("bare", m, np.array([[0.0, 0.0], [1.0, 0.0]]), fm.planar.BeamProperties(1.0, 1.0, 1.0)))
    says = r"load 'distributed_load 1': beam 'bare' is a Bare, which takes no distributed load; .* \('ancf', 'cms', "
    with pytest.raises(ModelError, match=says):
        m.distributed_load(bare, (0.0, -1.0))


@pytest.mark.parametrize("density", [3.0, (1.0,), ((1.0, 2.0), (3.0,)), (0.0, math.nan)])
def test_densities_are_vectors(density: object) -> None:
    m, beam = rod()
    with pytest.raises(ModelError, match="load 'distributed_load 1': line_load"):
        m.distributed_load(beam, density)
