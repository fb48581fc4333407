"""The von Mises truss: a path with two limit points, in closed form."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import brentq

import flexmb as fm
from flexmb.validation.registry import Check, case

HALF_SPAN, RISE, STIFFNESS = 1.0, 0.2, 1000.0


def build() -> fm.PlanarModel:
    """Two springs from the feet (∓1, 0) to a block that a force of 1 N, scaled by the load factor, pushes down."""
    model = fm.PlanarModel("von Mises truss")
    top = model.add_body("top", mass=1.0, inertia=1.0, position=(0.0, RISE))
    for name, x in (("left", -HALF_SPAN), ("right", HALF_SPAN)):
        foot = model.ground.attach(name, (x, 0.0))
        model.spring_damper(foot, top.frame, stiffness=STIFFNESS, name=f"{name} bar")
    model.lock(model.ground, top.frame, "angle", name="guide")
    model.point_force(top.frame, (0.0, -1.0), name="load")
    return model


def force(y: np.ndarray) -> np.ndarray:
    """The force that holds the block at the height y: 2 k (L₀/L − 1) y with L = √(b² + y²)."""
    rest = np.hypot(HALF_SPAN, RISE)
    return 2.0 * STIFFNESS * (rest / np.hypot(HALF_SPAN, y) - 1.0) * y


def limit_height() -> float:
    """The height at which the derivative of the force vanishes: L³ = L₀ b²."""
    return float(np.sqrt((np.hypot(HALF_SPAN, RISE) * HALF_SPAN**2) ** (2.0 / 3.0) - HALF_SPAN**2))


@case("snap-through", draw=build)
def compute() -> Iterator[Check]:
    """the von Mises truss pushed through: its path and both limit points"""
    path = fm.equilibrium_path(build(), factor=5.0, steps=40)
    height = path["top.y"]
    source, rounding = "closed form 2k(L₀/L − 1)y", "round-off"
    end = float(brentq(lambda y: force(np.array(y)) - 5.0, -0.5, -RISE, xtol=1e-14))
    off = float(np.max(np.abs(force(height) - path.factor)))
    yield Check("force along the whole path: largest error [N]", off, 0.0, 1e-11, source, rounding)
    yield Check("height at the end, below the feet [m]", float(height[-1]), end, 1e-13, source, rounding)
    yield Check("number of critical points", float(len(path.critical)), 2.0, 0.0, "closed form", "a count")
    y = limit_height()
    for k, (sign, critical) in enumerate(zip((1.0, -1.0), path.critical)):
        what = f"limit point {k + 1}: force [N]"
        yield Check(what, critical.factor, sign * float(force(np.array(y))), 1e-11, source, rounding)
        what = f"limit point {k + 1}: height [m]"
        yield Check(what, critical.state["top.y"], sign * y, 1e-9, source, "root of the slope, where the force is flat")
    between = (height[1:-1] < y) & (height[1:-1] > -y)
    wrong = float(np.sum(path.stable[1:-1] == between))
    yield Check("points whose stability is wrong", wrong, 0.0, 0.0, "slope of the closed form", "a count")
