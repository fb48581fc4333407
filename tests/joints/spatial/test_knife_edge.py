"""A blade on a plane in space."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import ModelError

GRAVITY, SLOPE, RATE = 9.81, 0.3, 2.0


def skate(**options) -> fm.SpatialModel:
    """A skate with its mass center above its blade's point, upright on a slope, from rest with a spin."""
    m = fm.SpatialModel("skate", gravity=(0, 0, -GRAVITY))
    tilt = Rotation.from_rotvec([0, SLOPE, 0])
    body = m.add_body("skate", mass=2.0, inertia=(0.1, 0.2, 0.3), orientation=tilt)
    body.frame.move(angular_velocity=tilt.apply([0, 0, RATE]))
    slope = m.add_frame("slope", orientation=tilt, fixed=True)
    m.knife_edge(slope, body.frame, name="blade", **options)
    m.parallel_axes(slope, body.frame)
    return m


@pytest.mark.parametrize("method", ["radau", "generalized_alpha", "independent"])
def test_the_cycloid_of_a_skate_on_a_slope(method):
    """x = g sin α/(2 ω²) sin² ωt down the slope, y = g sin α/(2 ω²) (ωt − ½ sin 2ωt) across it (Neĭmark and Fufaev
    (1972)): on average it does not fall."""
    options = {"radau": {"tolerance": 1e-9}, "generalized_alpha": {"step": 1e-3}, "independent": {"tolerance": 1e-9}}[
        method
    ]
    run = fm.simulate(skate(), 3.0, method, progress=False, **options)
    place = Rotation.from_rotvec([0, -SLOPE, 0]).apply(run["skate"].position)
    size, turned = GRAVITY * np.sin(SLOPE) / (2 * RATE**2), RATE * run.t
    wanted = size * np.stack([np.sin(turned) ** 2, turned - 0.5 * np.sin(2 * turned), 0 * turned], axis=1)
    np.testing.assert_allclose(place, wanted, atol=5e-6 if method == "generalized_alpha" else 1e-7)
    # what holds it sideways: twice what the weight alone would need
    aside = -run.multipliers_of("blade")[:, 1]
    np.testing.assert_allclose(
        aside, 2 * 2.0 * GRAVITY * np.sin(SLOPE) * np.sin(turned), atol=1e-4 if method == "generalized_alpha" else 1e-5
    )
    np.testing.assert_allclose(-run.multipliers_of("blade")[:, 0], 2.0 * GRAVITY * np.cos(SLOPE), rtol=1e-5)


def test_bad_input():
    m = fm.SpatialModel("m")
    body = m.add_body("b", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(ModelError, match="is along the normal of the plane"):
        m.knife_edge(m.ground, body.frame, heading="z")
