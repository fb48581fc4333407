"""Properties of any mechanism, tried on random ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from tests.models.pendulums import SOFT

ANGLES = st.floats(-3.0, 3.0)
SMALL = st.floats(-1.0, 1.0)
THEORIES = st.sampled_from(["cms", "ancf", "exact"])


def _turned(angle, point):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]]) @ np.asarray(point)


def _swing(theory, angle=0.0, shift=(0.0, 0.0), gravity=(0.0, -9.81), spin=0.0, bend=0.0):
    """A beam hinged to a base, with a body at its end; all of it turned by an angle and shifted."""
    shift = np.asarray(shift)
    model = fm.PlanarModel("swing", gravity=tuple(_turned(angle, gravity)))
    base = model.add_frame("base", tuple(shift), angle, fixed=True)
    place = tuple(shift + _turned(angle, (1.0, 0.0)))
    rod = model.add_beam("rod", tuple(shift), place, properties=SOFT, theory=theory, elements=2)
    bob = model.add_body("bob", mass=0.3, inertia=0.002, position=place, angle=angle, center=(0.05, 0.02))
    model.revolute(base, rod.start, name="hinge")
    model.weld(rod.end, bob.frame, name="weld")
    model.torsion_spring(base, rod.start, stiffness=0.5, damping=0.01, name="spring")
    model.set_rigid_motion((0.0, 0.0), spin, about=tuple(shift))
    return model


@settings(max_examples=12)
@given(theory=THEORIES, angle=ANGLES, x=SMALL, y=SMALL, spin=st.floats(-4.0, 4.0))
def test_motion_does_not_depend_on_where_and_how_the_mechanism_stands(theory, angle, x, y, spin):
    options = {"step": 2e-3, "newton_tolerance": 1e-13, "progress": False}
    plain = fm.simulate(_swing(theory, spin=spin), 0.1, **options)
    moved = fm.simulate(_swing(theory, angle, (x, y), spin=spin), 0.1, **options)
    there = np.array([_turned(angle, p) for p in plain["bob"].position]) + (x, y)
    np.testing.assert_allclose(moved["bob"].position, there, atol=2e-8)
    np.testing.assert_allclose(moved["bob"].angle, plain["bob"].angle + angle, atol=2e-7)
    np.testing.assert_allclose(moved.energy.kinetic, plain.energy.kinetic, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "dop853"])
def test_steps_do_not_depend_on_the_distance_of_the_mechanism_from_the_origin(method):
    """Errors are parts of the size of what moves and of what it stands on; slides have no angles that hide them."""

    def sliding(x, *, hung=True):
        model = fm.PlanarModel("slide")
        post = model.ground.attach("post", (x, 0.0)) if hung else model.ground
        block = model.add_body("block", mass=1.0, inertia=0.1, position=(x + 0.3, 0.0))
        model.prismatic(post, block.frame)
        model.bushing(post, block.frame, stiffness=(100.0, 100.0, 0.0), free=(0.3, 0.0, 0.0))
        block.move((1.0, 0.0))
        return model

    near, far = (fm.simulate(sliding(x), 1.0, method, progress=False) for x in (0.0, 1e4))
    assert len(near.t) == len(far.t)
    np.testing.assert_allclose(far["block"].position[-1] - (1e4, 0.0), near["block"].position[-1], atol=1e-8)
    assert fm.System(sliding(2.0, hung=False)).length_scale == pytest.approx(2.3)  # it stands on the origin itself


@settings(max_examples=8)
@given(theory=THEORIES, spin=st.floats(-4.0, 4.0))
def test_energy_is_balanced_in_tight_runs(theory, spin):
    run = fm.simulate(
        _swing(theory, spin=spin), 0.1, "projection", tolerance=1e-10, absolute_tolerance=1e-12, progress=False
    )
    assert run.energy.error < 1e-8
    assert run.energy.dissipated[-1] >= 0.0


@settings(max_examples=6)
@given(theory=THEORIES, spin=st.floats(-4.0, 4.0))
def test_implicit_and_explicit_methods_agree(theory, spin):
    exact = fm.simulate(
        _swing(theory, spin=spin), 0.1, "projection", tolerance=1e-11, absolute_tolerance=1e-13, progress=False
    )
    for method, options, tolerance in (
        ("generalized_alpha", {"step": 1e-4}, 3e-5),
        ("independent", {"tolerance": 1e-9, "absolute_tolerance": 1e-11, "max_order": 5}, 1e-6),
    ):
        run = fm.simulate(_swing(theory, spin=spin), 0.1, method, progress=False, **options)
        np.testing.assert_allclose(run["bob"].position[-1], exact["bob"].position[-1], atol=tolerance)


@settings(max_examples=8)
@given(scale=st.sampled_from([1e-3, 1e3]), theory=THEORIES)
def test_units_do_not_matter(scale, theory):
    """The same mechanism with all lengths, masses and forces scaled so that the motion is similar in time."""

    def build(k):
        model = fm.PlanarModel("m", gravity=(0.0, -9.81 * k))
        properties = fm.planar.BeamProperties(
            EA=SOFT.EA * k**4, EI=SOFT.EI * k**6, rhoA=SOFT.rhoA * k**2, rhoI=SOFT.rhoI * k**4, GA=SOFT.GA * k**4
        )
        rod = model.add_beam("rod", (0, 0), (k, 0), properties=properties, theory=theory, elements=2)
        model.revolute(model.ground, rod.start)
        return model

    one = fm.simulate(build(1.0), 0.2, tolerance=1e-6, progress=False)
    other = fm.simulate(build(scale), 0.2, tolerance=1e-6, progress=False)
    assert other.status == "finished"
    np.testing.assert_allclose(other["rod@1"].position[-1] / scale, one["rod@1"].position[-1], atol=1e-5)
