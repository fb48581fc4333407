"""Friction of bristles: against an integration by SciPy, and what follows from its law."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.validation.references.drives import bristle_motion as reference

LAW = {"stiffness": 1e5, "damping": np.sqrt(1e5), "viscous": 0.4, "coulomb": 1.0, "static": 1.5, "stribeck_speed": 1e-3}


def block(dimension, force, speed=0.0, **more):
    """A block of 1 kg on a slide along x."""
    m = fm.PlanarModel("block") if dimension == 2 else fm.SpatialModel("block")
    inertia = 1.0 if dimension == 2 else (1.0, 1.0, 1.0)
    body = m.add_body("block", mass=1.0, inertia=inertia)
    body.move((speed, 0.0, 0.0)[:dimension])
    slide = m.prismatic(m.ground, body.frame, name="slide", **({} if dimension == 2 else {"axis": "x"}))
    m.joint_force(slide, force, friction=fm.LuGre(**{**LAW, **more}), name="pull")
    return m


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_pulled_block_against_an_independent_integration(dimension):
    force = fm.Harmonic(2.0, 3.0)
    times = np.linspace(0.0, 1.0, 21)
    run = fm.simulate(block(dimension, force), 1.0, "radau", tolerance=1e-10, times=times, progress=False)
    x, _, z = reference.block(reference.Law(), lambda t: 2.0 * np.sin(3.0 * t), times)
    assert run["block.x"] == pytest.approx(x, abs=1e-8)
    assert run["pull.bristle"] == pytest.approx(z, abs=1e-11)


def test_bristles_begin_at_their_value_at_a_constant_speed():
    m = block(2, 0.0, speed=0.01)
    start = fm.simulate(m, 1e-6, "radau", progress=False)
    level = 1.0 + 0.5 * np.exp(-100.0)
    assert start["pull.bristle"][0] == pytest.approx(level / 1e5, rel=1e-12)
    held = block(2, 0.5, deflection=0.5e-5)
    run = fm.simulate(held, 0.1, "radau", progress=False)
    assert np.abs(run["block.x"]).max() < 1e-12


def test_energy_is_stored_and_lost_and_none_vanishes():
    run = fm.simulate(block(2, fm.Harmonic(2.0, 3.0)), 1.0, "radau", tolerance=1e-9, progress=False)
    assert np.abs(run.energy.balance).max() < 1e-5 * run.energy.exchanged


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"static": 0.5}, "static is 0.5, less than coulomb, 1"),
        ({"stiffness": 0.0}, "stiffness"),
        ({"coulomb": np.nan}, "coulomb"),
        ({"deflection": 1.0}, "deflection is 1, and the bristles hold at most"),
        ({"stribeck_speed": -1.0}, "stribeck_speed"),
    ],
)
def test_bad_laws_are_refused_by_name(change, words):
    with pytest.raises(fm.FlexmbError, match=words):
        fm.LuGre(**{**LAW, **change})


def test_analyses_of_rest_refuse_it_by_name():
    with pytest.raises(fm.FlexmbError, match="pull"):
        fm.equilibrium(block(2, 0.5))
