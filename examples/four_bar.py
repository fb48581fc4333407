"""A parallelogram linkage falling from rest; its motion is known exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm


def build(start: float = np.deg2rad(135.0)) -> fm.PlanarModel:
    """Three moving links of 1 m and 1 kg; `start` [rad]: the cranks' angle from the upward vertical."""
    model = fm.PlanarModel("four-bar", gravity=(0.0, -9.81))
    along = np.array([np.sin(start), np.cos(start)])
    upright = 0.5 * np.pi - start
    middle = 0.5 * along
    link: dict[str, Any] = {"mass": 1.0, "inertia": 1.0 / 12.0}
    left = model.add_body("left", position=(middle[0], middle[1]), angle=upright, **link)
    right = model.add_body("right", position=(middle[0] + 1.0, middle[1]), angle=upright, **link)
    coupler = model.add_body("coupler", position=(along[0] + 0.5, along[1]), **link)
    foot = model.ground.attach("right ground", (1.0, 0.0))
    model.revolute(model.ground, left.attach("foot", (-0.5, 0.0)), name="left foot")
    model.revolute(foot, right.attach("foot", (-0.5, 0.0)), name="right foot")
    model.revolute(left.attach("top", (0.5, 0.0)), coupler.attach("left", (-0.5, 0.0)), name="left top")
    model.revolute(right.attach("top", (0.5, 0.0)), coupler.attach("right", (0.5, 0.0)), name="right top")
    return model


def run(out: Path) -> list[Path]:
    """Simulate two periods, and write a picture, joint forces and the result. A fixed step gives the smoothest
    forces."""
    solution = fm.simulate(build(), 3.8, step=2e-3)
    print(solution)
    drawing = out / "four-bar.png"
    # from one end of the swing to its middle: on the way up the links cover those on the way down
    solution.draw(times=[0.0, 0.24, 0.36, 0.475], trails="coupler", path=drawing)
    history = out / "four-bar-forces.png"
    solution.plot("left foot.fx", "left foot.fy", path=history)
    return [drawing, history, solution.save(out / "four-bar.h5")]
