"""Mechanisms of bars that the tests of kinematics use."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm


def circles_meet(p: Any, r: float, q: Any, s: float, side: float = 1.0) -> np.ndarray:
    """The point at r from p and s from q, on the left (+1) of the way from p to q."""
    p, way = np.asarray(p, float), np.asarray(q, float) - np.asarray(p, float)
    length = float(np.hypot(*way))
    along = (length**2 + r**2 - s**2) / (2.0 * length)
    across = side * np.sqrt(r**2 - along**2)
    return p + (along * way + across * np.array([-way[1], way[0]])) / length


def bar(model: fm.PlanarModel, name: str, start: Any, end: Any) -> tuple[fm.planar.Frame, fm.planar.Frame]:
    """A uniform bar of 1 kg/m; the frames at its ends."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    x, y = end - start
    length = float(np.hypot(x, y))
    middle = 0.5 * (start + end)
    body = model.add_body(
        name, mass=length, inertia=length**3 / 12, position=(middle[0], middle[1]), angle=float(np.arctan2(y, x))
    )
    return body.attach("near", (-length / 2, 0.0)), body.attach("far", (length / 2, 0.0))


def four_bar(
    lengths: Any, angle: float, drive: Any = None, *, side: float = 1.0, driven: bool = True
) -> fm.PlanarModel:
    """Crank, coupler, rocker on a ground link along x, `lengths` in this order; the crank stands at an angle."""
    a, b, c, d = lengths
    model = fm.PlanarModel("four-bar", gravity=(0.0, -9.81))
    top = a * np.array([np.cos(angle), np.sin(angle)])
    base = np.array([d, 0.0])
    end = circles_meet(top, b, base, c, side)
    crank, coupler, rocker = (
        bar(model, *data) for data in (("crank", (0, 0), top), ("coupler", top, end), ("rocker", base, end))
    )
    model.revolute(model.ground, crank[0], name="foot")
    model.revolute(crank[1], coupler[0], name="elbow")
    model.revolute(coupler[1], rocker[1], name="knee")
    model.revolute(model.add_frame("base", (d, 0.0), fixed=True), rocker[0], name="hip")
    if driven:
        model.drive_angle(model.ground, model.frame("crank"), angle if drive is None else drive, name="motor")
    return model


def slider_crank(angle: float = 0.7, push: Any = None, *, crank: float = 0.15, rod: float = 0.3) -> fm.PlanarModel:
    """A slider-crank whose slider is driven; it stands where the crank has an angle."""
    model = fm.PlanarModel("slider-crank", gravity=(0.0, -9.81))
    top = crank * np.array([np.cos(angle), np.sin(angle)])
    x = top[0] + np.sqrt(rod**2 - top[1] ** 2)
    first, second = bar(model, "crank", (0, 0), top), bar(model, "rod", top, (x, 0))
    slider = model.add_body("slider", mass=0.1, inertia=1e-4, position=(x, 0.0))
    model.revolute(model.ground, first[0], name="foot")
    model.revolute(first[1], second[0], name="elbow")
    model.revolute(second[1], slider.frame, name="pin")
    model.prismatic(model.ground, slider.frame, name="guide")
    model.drive_position(model.ground, slider.frame, x if push is None else push, name="push")
    return model
