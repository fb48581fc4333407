"""Kinematics and inverse dynamics: slider-crank against closed forms; lock-up and change points of four-bars."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import flexmb as fm
from flexmb.analyses.kinematics.motion import kinematics
from flexmb.examples import four_bar, slider_crank
from flexmb.validation import slider_crank as slider_crank_case
from flexmb.validation.registry import Check, case

SHAPE = replace(slider_crank_case.SHAPE, gravity=0.0)
#: crank, coupler, rocker, ground of a four-bar whose crank cannot turn round: 1 + 1.5 > 1.2 + 0.9
LENGTHS = (1.0, 1.2, 0.9, 1.5)


def rocking_four_bar() -> fm.PlanarModel:
    """The four-bar with its crank at 1 rad, driven."""
    a, b, c, d = LENGTHS
    model = fm.PlanarModel("four-bar")
    crank_end = a * np.array([np.cos(1.0), np.sin(1.0)])
    base = np.array([d, 0.0])
    reach = base - crank_end
    length = float(np.hypot(*reach))
    along = (length**2 + b**2 - c**2) / (2.0 * length)
    across = np.sqrt(b**2 - along**2)
    top = crank_end + (along * reach + across * np.array([-reach[1], reach[0]])) / length
    ends = {}
    for name, start, end in (("crank", np.zeros(2), crank_end), ("coupler", crank_end, top), ("rocker", base, top)):
        x, y = end - start
        link = model.add_body(name, mass=1.0, inertia=0.1, position=tuple(start), angle=float(np.arctan2(y, x)))
        ends[name] = (link.frame, link.attach("end", (float(np.hypot(x, y)), 0.0)))
    model.revolute(model.ground, ends["crank"][0])
    model.revolute(ends["crank"][1], ends["coupler"][0])
    model.revolute(ends["coupler"][1], ends["rocker"][1])
    model.revolute(model.add_frame("base", (d, 0.0), fixed=True), ends["rocker"][0])
    model.drive_angle(model.ground, ends["crank"][0], 1.0, name="motor")
    return model


@case("slider-crank-kinematics", draw=rocking_four_bar)
def compute() -> Iterator[Check]:
    """position, velocity, acceleration and crank torque against closed forms; lock-up and change points"""
    turn = kinematics(slider_crank.build("rigid"), drive="motor", over=(0.0, 2.0 * np.pi), steps=360, progress=False)
    exact = np.array([SHAPE.slider(angle, 1.0, 0.0) for angle in turn.t])
    slider = turn["slider"]
    for name, got, k in (
        ("position [m]", slider.position, 0),
        ("velocity [m/rad]", slider.velocity, 1),
        ("acceleration [m/rad²]", slider.acceleration, 2),
    ):
        error = float(np.max(np.abs(got[:, 0] - exact[:, k])))
        yield Check(f"one turn of the crank, slider {name}", error, 0.0, 1e-14, "closed form", "round-off")

    drive = slider_crank.DRIVE
    run = kinematics(slider_crank.build("rigid"), 2.0 * slider_crank.SPIN_UP, steps=400, progress=False)
    torque = []
    for t in run.t:
        still, unit = (SHAPE.free_acceleration(drive(t), drive.rate(t), moment) for moment in (0.0, 1.0))
        torque.append((drive.second_rate(t) - still) / (unit - still))
    error = float(np.max(np.abs(run["motor.moment"] - torque)) / np.max(np.abs(torque)))
    what = "spin-up, torque of the crank, relative [–]"
    yield Check(what, error, 0.0, 1e-13, "virtual power, one coordinate", "round-off")

    a, b, c, d = LENGTHS
    limit = float(np.arccos((a**2 + d**2 - (b + c) ** 2) / (2.0 * a * d)))
    locked = kinematics(rocking_four_bar(), drive="motor", over=(-np.pi, np.pi), progress=False)
    for event, reference in zip(locked.events, (-limit, limit), strict=True):
        what = "four-bar, lock-up of the crank [rad]"
        yield Check(what, event.t, reference, 1e-12, "law of cosines", "round-off: the limit is iterated to")

    model = four_bar.build()
    model.drive_angle(model.ground, model.frame("left"), model.frame("left").angle, name="motor")
    passing = kinematics(model, drive="motor", over=(-1.0, 4.0), progress=False)
    for event, reference in zip(passing.events, (0.0, np.pi), strict=True):
        source = "all links in one line"
        yield Check("parallelogram, change point [rad]", event.t, reference, 1e-12, source, "round-off")
    error = float(np.max(np.abs(passing["right"].angle - passing["left"].angle)))
    what = "parallelogram stays one past the change points [rad]"
    yield Check(what, error, 0.0, 1e-12, "opposite links stay parallel", "round-off")
