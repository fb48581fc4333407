"""A floor that many bodies touch is drawn once, below all of them."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.results.pictures.scene import component_lines


@pytest.mark.parametrize("d", [2, 3])
def test_contacts_in_one_plane_have_one_floor(d: int) -> None:
    m = fm.PlanarModel("disks") if d == 2 else fm.SpatialModel("balls")
    plane, shape = (fm.HalfPlane("y"), fm.Disk(radius=0.05)) if d == 2 else (fm.HalfSpace("z"), fm.Sphere(radius=0.05))
    for k in range(3):
        place = (0.3 * k, 0.06) if d == 2 else (0.3 * k, 0.0, 0.06)
        ball = m.add_body(f"ball {k}", mass=1.0, inertia=0.01 if d == 2 else (0.01,) * 3, position=place)
        m.contact(m.ground, ball.frame, plane, shape, name=f"floor {k}", stiffness=1e5)
    wall = fm.HalfPlane("x", position=(-1.0, 0.0)) if d == 2 else fm.HalfSpace("x", position=(-1.0, 0.0, 0.0))
    m.contact(m.ground, ball.frame, wall, shape, name="wall", stiffness=1e5)
    lines = component_lines(fm.simulate(m, 0.02, step=0.01))
    floors = {name: [x for x in own if np.allclose(x[..., -1], 0.0)] for name, own in lines.items()}
    floors = {name: own for name, own in floors.items() if own}
    assert list(floors) == ["floor 0"]
    (floor,) = floors["floor 0"]
    assert floor[0][:, 0].min() < -0.04 and floor[0][:, 0].max() > 0.64
    assert any(np.allclose(x[0][:, 0], -1.0) for x in lines["wall"])  # a wall of its own
