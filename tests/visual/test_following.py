"""Pictures that go along with a point."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import NamingError
from flexmb.visual import View
from flexmb.visual.stage.pieces import Ghost


def test_a_picture_that_follows_a_point():
    """What is followed stays above its first place, the ground goes back; heights are those of the motion."""
    m = fm.SpatialModel("thrown", gravity=(0.0, 0.0, -9.81))
    stone = m.add_body("stone", shape=fm.Box((0.2, 0.2, 0.2)), mass=1.0, position=(0.0, 0.0, 3.0))
    post = m.add_body("post", shape=fm.Box((0.1, 0.1, 1.0)), mass=1.0, position=(1.0, 0.0, 0.5))
    m.weld(m.ground.attach("foot", (1.0, 0.0, 0.5)), post.frame)
    stone.move((14.0, 1.0, 0.0))
    run = fm.simulate(m, 0.5, progress=False)
    times = np.array([0.0, 0.25, 0.5])
    plain, going = View(run), View(run, follow="stone", ghosts=[0.0], trails=["stone"])
    assert going.scales.unit < plain.scales.unit
    for name in ("stone", "post"):
        before = next(p for p in plain.stage(times) if p.name == name and p.role == "body")
        after = next(p for p in going.stage(times) if p.name == name and p.role == "body")
        for k, t in enumerate(times):
            np.testing.assert_allclose(after.points(k), before.points(k) - [14.0 * t, t, 0.0], atol=1e-6)
    pale = [p for p in going.stage(times) if isinstance(p, Ghost) and p.name == "stone"]
    np.testing.assert_allclose(pale[0].points(2).mean(axis=0), [-7.0, -0.5, 3.0], atol=1e-6)
    trail = next(p for p in going.stage(times) if p.role == "trail")
    assert trail.visible_faces(2) > trail.visible_faces(1) > 0
    with pytest.raises(NamingError, match="stoen"):
        View(run, follow="stoen")
