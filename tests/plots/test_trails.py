"""Paths of points in films go through all steps of a run."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm
from flexmb.plots import animation


def test_a_path_has_the_steps_between_the_pictures(tmp_path: Any, monkeypatch: Any) -> None:
    m = fm.PlanarModel("wheel")
    wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
    m.revolute(m.ground, wheel.frame, name="axle")
    rim = wheel.attach("rim", (0.5, 0.0))
    wheel.move(angular_velocity=2.0 * np.pi)
    run = fm.simulate(m, 1.0, step=0.01)
    seen: list[Any] = []
    monkeypatch.setattr(animation, "write_film", lambda *_: None)
    known = animation._movers
    monkeypatch.setattr(animation, "_movers", lambda ax, scene, trails: seen.append(trails) or known(ax, scene, trails))
    run.animate(tmp_path / "wheel.gif", fps=4, trails=rim)
    ((path, passed),) = seen[0]
    assert len(path) == 101 and passed.tolist() == [1, 26, 51, 76, 101]
    assert np.allclose(np.hypot(*path.T), 0.5, atol=1e-6)
